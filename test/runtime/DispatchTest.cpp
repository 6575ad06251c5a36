// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variants that some instruction sets have and others have not.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fusec/runtime.hpp"
#include "test/runtime/TestModel.h"

namespace {

/// The hand-written model, where "scale" has two variants called "default", of
/// which baseline has the first, the stronger instruction sets the second: the
/// one that packs weights.
struct LimitedModel {
  fusec_model_desc desc = *fusec_testmodel_query(FUSEC_ABI_VERSION);
  std::vector<fusec_variant_desc> variants;
  std::vector<fusec_group_desc> groups;
  std::vector<fusec_kernel_fn> baseline, others;
  int64_t symbols[1] = {100};
  fusec_model_options modelOptions = {};
  fusec_session_options options = {};

  LimitedModel() {
    const fusec_group_desc &scale = desc.groups[0];
    variants.assign(scale.variants, scale.variants + scale.num_variants);
    variants[1].name = "default";
    groups.assign(desc.groups, desc.groups + desc.num_groups);
    groups[0].variants = variants.data();
    desc.groups = groups.data();
    const fusec_kernel_fn *all = desc.kernels[FUSEC_ISA_BASELINE];
    baseline.assign(all, all + desc.num_kernels);
    others = baseline;
    baseline[1] = nullptr;
    others[0] = nullptr;
    desc.kernels[FUSEC_ISA_BASELINE] = baseline.data();
    desc.kernels[FUSEC_ISA_AVX2] = others.data();
    desc.kernels[FUSEC_ISA_AVX512] = others.data();
    modelOptions.weights = testmodel_weights(&modelOptions.weights_bytes);
    options.symbols = symbols;
  }

  fusec::Model model() { return fusec::Model(&desc, nullptr, modelOptions); }
};

/// Sessions for each instruction set take the variant that it has.
void expectItsOwn(LimitedModel &limited) {
  for (const char *isa : {"baseline", "avx2", "avx512"}) {
    limited.options.isa = isa;
    fusec::Model model = limited.model();
    ASSERT_TRUE(model) << model.error();
    const uint32_t packs = testmodel_packs();
    fusec::Session session(model, limited.options);
    ASSERT_TRUE(session) << session.error();
    // Weights are packed for each of two launches.
    const bool isBaseline = std::string(session.isa()) == "baseline";
    EXPECT_EQ(testmodel_packs() - packs, isBaseline ? 0u : 2u) << isa;
  }
}

} // namespace

TEST(Dispatch, TakesTheDefaultOfTheInstructionSet) {
  LimitedModel limited;
  expectItsOwn(limited);
}

TEST(Dispatch, ChoosesByNameInItsList) {
  LimitedModel limited;
  const fusec_choice byName = {"scale", "default"};
  limited.options.choices = &byName;
  limited.options.num_choices = 1;
  expectItsOwn(limited);

  limited.variants[1].name = "packed";
  const fusec_choice packed = {"scale", "packed"};
  limited.options.choices = &packed;
  limited.options.isa = "baseline";
  fusec::Model model = limited.model();
  fusec::Session without(model, limited.options);
  EXPECT_EQ(without.status(), FUSEC_UNSUPPORTED);
  EXPECT_STREQ(without.error(), "group 'scale' has no variant 'packed'");
}

TEST(Dispatch, EachInstructionSetHasADefault) {
  LimitedModel limited;
  limited.others[1] = limited.others[2] = nullptr;
  fusec::Model model = limited.model();
  EXPECT_EQ(model.status(), FUSEC_ABI_MISMATCH);
  EXPECT_STREQ(model.error(),
               "group 'scale' has no variant for instruction set avx2");
}
