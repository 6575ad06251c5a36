// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/FileCuts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <tuple>

namespace fusec::codegen {

/// In each compilation the vocabulary takes as long as some 700 lines.
static constexpr uint64_t kMostLines = 6144;

static uint64_t sizeOf(const GroupSize &group) {
  return llvm::PowerOf2Ceil(group.lines);
}

static uint64_t sizeOf(llvm::ArrayRef<GroupSize> groups) {
  uint64_t sum = 0;
  for (const GroupSize &group : groups)
    sum += sizeOf(group);
  return sum;
}

/// How many of `groups` go into a file of at most `most` lines if others
/// follow: at least one, not the last `others`, and so many that it is not much
/// smaller.
static size_t takeFile(llvm::ArrayRef<GroupSize> groups, uint64_t most,
                       size_t others) {
  const uint64_t least = most / 5 * 3;
  // What the file lacks, then the hash of the name that the next one begins
  // with.
  std::tuple<uint64_t, uint64_t> best;
  uint64_t lines = 0;
  size_t taken = 0;
  for (size_t count = 1; count + others <= groups.size(); ++count) {
    lines += sizeOf(groups[count - 1]);
    if (taken && lines > most)
      break;
    std::tuple<uint64_t, uint64_t> found{least - std::min(lines, least),
                                         llvm::xxh3_64bits(groups[count].name)};
    if (!taken || found < best)
      std::tie(best, taken) = std::tuple(found, count);
  }
  return taken;
}

std::vector<size_t> cutIntoFiles(llvm::ArrayRef<GroupSize> groups,
                                 unsigned numFiles) {
  std::vector<size_t> begins{0};
  while (numFiles == 0 || begins.size() < numFiles) {
    llvm::ArrayRef<GroupSize> rest = groups.drop_front(begins.back());
    uint64_t lines = sizeOf(rest);
    if (rest.size() < 2 || (numFiles == 0 && lines <= kMostLines))
      break;
    size_t others = numFiles ? numFiles - begins.size() : 1;
    uint64_t most = numFiles ? lines * 5 / (4 * (others + 1)) : kMostLines;
    begins.push_back(begins.back() +
                     takeFile(rest, most, std::min(others, rest.size() - 1)));
  }
  begins.resize(std::max<size_t>(begins.size(), numFiles), groups.size());
  return begins;
}

} // namespace fusec::codegen
