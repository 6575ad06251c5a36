// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is measured of a choice, as a model of its own.
#include "tools/fusec/tune/GroupModel.h"

#include "compiler/Driver.h"
#include "dialects/fuse/FuseOps.h"

#include <gtest/gtest.h>

using namespace fusec;
using namespace fusec::tool;

namespace {
/// The model of the first choice of a model, as text.
std::string printChoice(const CompileOptions &options, size_t &choices) {
  Driver driver(options);
  EXPECT_EQ(driver.lower(), kExitFine);
  std::vector<TunedGroup> all = listChoices(driver.module(), "cpu");
  choices = all.size();
  if (all.empty())
    return "";
  std::string refusal, text;
  auto model = makeGroupModel(all.front(), refusal);
  EXPECT_EQ(refusal, "");
  if (model)
    llvm::raw_string_ostream(text) << *model;
  return text;
}

CompileOptions getOptions() {
  CompileOptions options;
  options.input = FUSEC_WEIGHED_CHOICES;
  options.until = "sched-compute";
  options.proposer = "structural"; // the quicker one
  options.variants = 9;
  return options;
}
} // namespace

TEST(GroupModel, AlternativesHaveWeightsOfTheirOwn) {
  size_t choices = 0;
  const std::string text = printChoice(getOptions(), choices);
  EXPECT_EQ(choices, 1u); // the second one is the same
  auto has = [&](const char *part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  };
  has("fuse.weight @w_direct");
  has("fuse.weight @w_halves");
  has("kernel.weight @w_direct : memref<4x16xf32>");
  has("kernel.weight @w_halves : memref<4x16xf32>");
  has("(%arg0: memref<2x4xf32> {fuse.name = \"x0\"}, "
      "%arg1: memref<2x16xf32> {fuse.name = \"y1\"})");
  has("fuse.outputs = 1");
  has("kernel.choice @c [\"direct\", \"halves\"]");
  // The inner one is decided, and its other kernel gone.
  EXPECT_EQ(text.find("c_sum"), std::string::npos) << text;
}

TEST(GroupModel, WhatIsDecidedIsNoChoice) {
  CompileOptions options = getOptions();
  options.choices = {"c=direct", "d=direct"};
  size_t choices = 9;
  printChoice(options, choices);
  EXPECT_EQ(choices, 0u);
  // One that is taken may hold a further one, which is open.
  options.choices = {"c=direct", "d=halves"};
  printChoice(options, choices);
  EXPECT_EQ(choices, 1u);
}

TEST(GroupModel, KernelsOfWhatIsNotTakenAreNotListed) {
  CompileOptions options = getOptions();
  auto list = [&] {
    Driver driver(options);
    EXPECT_EQ(driver.lower(), kExitFine);
    std::set<std::string> names;
    for (const TunedGroup &group : listGroups(driver.module(), "cpu"))
      names.insert(group.name);
    return names;
  };
  EXPECT_EQ(list(), (std::set<std::string>{"half_halves", "product_direct",
                                           "sum_sum"}));
  options.choices = {"c=direct", "d=direct"};
  EXPECT_EQ(list(), std::set<std::string>{"product_direct"});
}

TEST(GroupModel, WhatPackingFreesIsItsOwn) {
  CompileOptions options = getOptions();
  options.input = FUSEC_PACKED;
  options.row = "portable"; // who reads rows would keep them
  options.variants = 1;
  Driver model(options);
  ASSERT_EQ(model.lower(), kExitFine);
  options.until = "";
  for (const TunedGroup &group : listGroups(model.module(), "cpu")) {
    std::string refusal;
    Driver alone(options, model, makeGroupModel(group, refusal));
    ASSERT_EQ(alone.lower(), kExitFine) << group.name;
  }
  size_t count = 0;
  for (auto weight : model.module().getOps<fuse::WeightOp>()) {
    EXPECT_FALSE(weight.getBytes().empty()) << weight.getSymName().str();
    ++count;
  }
  EXPECT_EQ(count, 1u);
}
