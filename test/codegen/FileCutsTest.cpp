// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which groups of kernels share a file.
#include "codegen/FileCuts.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace fusec::codegen;

namespace {

/// Groups called g0, g1, ... of 60 to 380 lines.
struct Model {
  explicit Model(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      names.push_back("g" + std::to_string(i));
      lines.push_back(60 + i * 7919 % 321);
    }
  }
  std::vector<size_t> cut(unsigned numFiles = 0) const {
    std::vector<GroupSize> groups;
    for (size_t i = 0; i < names.size(); ++i)
      groups.push_back({names[i], lines[i]});
    return cutIntoFiles(groups, numFiles);
  }
  /// The names of the groups of each file.
  std::vector<std::set<std::string>> files() const {
    std::vector<size_t> begins = cut();
    begins.push_back(names.size());
    std::vector<std::set<std::string>> result;
    for (size_t file = 0; file + 1 < begins.size(); ++file)
      result.emplace_back(names.begin() + begins[file],
                          names.begin() + begins[file + 1]);
    return result;
  }
  unsigned linesOf(const std::set<std::string> &file) const {
    unsigned sum = 0;
    for (size_t i = 0; i < names.size(); ++i)
      sum += file.count(names[i]) ? lines[i] : 0;
    return sum;
  }

  std::vector<std::string> names;
  std::vector<unsigned> lines;
};

} // namespace

/// How many files of `after` hold other groups than a file of `before`.
static size_t countOthers(const Model &before, const Model &after) {
  size_t others = 0;
  for (const std::set<std::string> &file : after.files())
    others += !llvm::is_contained(before.files(), file);
  return others;
}

TEST(FileCuts, KeepsAFileThatIsSmall) {
  EXPECT_EQ(Model(0).cut(), std::vector<size_t>{0});
  EXPECT_EQ(Model(8).cut(), std::vector<size_t>{0});
}

TEST(FileCuts, BoundsFiles) {
  Model model(200);
  std::vector<std::set<std::string>> files = model.files();
  EXPECT_GT(files.size(), 10u);
  for (const std::set<std::string> &file : files) {
    EXPECT_LE(model.linesOf(file), 6144u);
    if (file != files.back()) {
      EXPECT_GE(model.linesOf(file), 900u);
    }
  }
}

TEST(FileCuts, GivesALargeGroupAFile) {
  Model model(40);
  model.lines[20] = 9000;
  for (const std::set<std::string> &file : model.files())
    EXPECT_TRUE(model.linesOf(file) <= 6144 || file.size() == 1);
}

TEST(FileCuts, SharesOutToAsManyAsAreAsked) {
  for (unsigned groups : {0, 1, 2, 7, 50})
    for (unsigned files : {1, 2, 3, 8, 60}) {
      std::vector<size_t> begins = Model(groups).cut(files);
      ASSERT_EQ(begins.size(), files);
      EXPECT_TRUE(llvm::is_sorted(begins));
      EXPECT_EQ(begins.front(), 0u);
      // None is empty while there are groups.
      size_t filled = std::set<size_t>(begins.begin(), begins.end()).size();
      EXPECT_GE(filled, std::min(groups, files));
    }
  Model model(50);
  std::vector<size_t> begins = model.cut(5);
  begins.push_back(50);
  for (size_t file = 0; file < 5; ++file) {
    EXPECT_GE(begins[file + 1] - begins[file], 5u);
    EXPECT_LE(begins[file + 1] - begins[file], 15u);
  }
}

TEST(FileCuts, LeavesOtherGroupsWhereTheyAre) {
  const Model before(200);
  size_t longer = 0, fresh = 0;
  for (size_t i = 0; i < 200; ++i) {
    Model after = before;
    after.lines[i] += after.lines[i] / 10;
    longer += countOthers(before, after);
    after = before;
    after.names.insert(after.names.begin() + i, "new");
    after.lines.insert(after.lines.begin() + i, 100);
    // The file that it is in has other groups.
    fresh += countOthers(before, after) - 1;
  }
  // Of 200 changes to a model of 25 files.
  EXPECT_LE(longer, 40u);
  EXPECT_LE(fresh, 400u);
}
