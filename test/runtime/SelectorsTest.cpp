// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which variant a session takes by what was found out when the model was
// compiled.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fusec/runtime.hpp"
#include "test/runtime/KnownModel.h"

namespace {

/// The hand-written model, whose group "scale" has the variants "default",
/// "packed" and, with a workspace of 64 bytes, "copying".
struct SelectingModel : KnownModel {
  enum Variant : uint32_t { byDefault, packed, copying };
  std::vector<fusec_selector> selectors;
  int64_t symbols[1] = {100};
  fusec_session_options options = {};

  explicit SelectingModel(std::vector<fusec_selector> all)
      : selectors(std::move(all)) {
    list.selectors = selectors.data();
    list.num_selectors = uint32_t(selectors.size());
    desc.kernels[FUSEC_ISA_AVX2] = kernels.data();
    options.symbols = symbols;
  }

  /// The variant of a new session, or why there is none.
  std::string take() {
    fusec::Model model = load();
    if (!model)
      return model.error();
    fusec::Session session(model, options);
    return session ? fusec_session_variant(session.get(), 0) : session.error();
  }
};

TEST(Selectors, AreByThreads) {
  SelectingModel model({{SelectingModel::copying, 0, 8, 0, nullptr},
                        {SelectingModel::packed, 0, 2, 0, nullptr}});
  for (auto [threads, variant] : {std::pair(0, "default"),
                                  {1, "default"},
                                  {2, "packed"},
                                  {7, "packed"},
                                  {8, "copying"},
                                  {64, "copying"}}) {
    model.options.threads = uint32_t(threads);
    EXPECT_EQ(model.take(), variant) << threads;
  }
}

TEST(Selectors, AreByInstructionSet) {
  SelectingModel model(
      {{SelectingModel::packed, FUSEC_ISA_AVX2, 0, 0, nullptr}});
  model.options.isa = "baseline";
  EXPECT_EQ(model.take(), "default");
  model.options.isa = "avx2";
  fusec::Model loaded = model.load();
  fusec::Session session(loaded, model.options);
  // A processor without AVX2 stays with the weaker kernels.
  const bool hasAvx2 = std::string(session.isa()) == "avx2";
  EXPECT_EQ(model.take(), hasAvx2 ? "packed" : "default");
}

TEST(Selectors, AreByShape) {
  const int64_t least[] = {100};
  SelectingModel model({{SelectingModel::packed, 0, 0, 0, least}});
  EXPECT_EQ(model.take(), "packed");
  model.symbols[0] = 99;
  EXPECT_EQ(model.take(), "default");
}

TEST(Selectors, StayWithinTheWorkspace) {
  SelectingModel model({{SelectingModel::copying, 0, 0, 0, nullptr},
                        {SelectingModel::packed, 0, 0, 0, nullptr}});
  EXPECT_EQ(model.take(), "copying");
  model.options.workspace_limit = 64;
  EXPECT_EQ(model.take(), "copying");
  model.options.workspace_limit = 63;
  EXPECT_EQ(model.take(), "packed");
}

TEST(Selectors, WithoutAnyTheWorkspaceDecides) {
  SelectingModel model({});
  model.variants[0].workspace_bytes = 128;
  model.options.workspace_limit = 127;
  EXPECT_EQ(model.take(), "packed");
  model.variants[1].workspace_bytes = 256;
  EXPECT_EQ(model.take(), "copying");
  model.options.workspace_limit = 63;
  EXPECT_EQ(model.take(), "group 'scale' needs a workspace of 64 bytes at "
                          "least, more than the limit of 63");
}

TEST(Selectors, GoBehindChoices) {
  SelectingModel model({{SelectingModel::packed, 0, 0, 0, nullptr}});
  const fusec_choice choice = {"scale", "copying"};
  model.options.choices = &choice;
  model.options.num_choices = 1;
  EXPECT_EQ(model.take(), "copying");
}

/// What is selected is the default that others have to beat.
TEST(Selectors, BeginATuningRange) {
  SelectingModel model({{SelectingModel::packed, 0, 2, 0, nullptr}});
  fusec_tuner_options tuning = {};
  fusec::Tuner tuner(tuning);
  model.options.tuner = tuner.get();
  EXPECT_EQ(model.take(), "default");
  model.options.threads = 2;
  EXPECT_EQ(model.take(), "packed");
}

TEST(Selectors, NameAVariant) {
  SelectingModel model({{3, 0, 0, 0, nullptr}});
  EXPECT_NE(model.take().find("group 'scale' selects variant 3, and has 3"),
            std::string::npos)
      << model.take();
}

} // namespace
