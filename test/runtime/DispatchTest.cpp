// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variants that some instruction sets have and others have not.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fusec/runtime.hpp"
#include "test/runtime/TestModel.h"

namespace {

/// The hand-written model, where "scale" has one variant, called "default":
/// one of its own for the stronger instruction sets, which packs weights.
struct LimitedModel {
  using Table = std::vector<const fusec_variant_list *>;
  fusec_model_desc desc = *fusec_testmodel_query(FUSEC_ABI_VERSION);
  const fusec_variant_list &scale = *desc.kernels[FUSEC_ISA_BASELINE][0];
  fusec_variant_desc packing = scale.variants[1];
  fusec_variant_list first = {scale.variants, nullptr, 1, 0},
                     second = {&packing, nullptr, 1, 0};
  std::vector<fusec_group_desc> groups;
  Table baseline, others;
  int64_t symbols[1] = {100};
  fusec_model_options modelOptions = {};
  fusec_session_options options = {};

  LimitedModel() {
    packing.name = "default";
    groups.assign(desc.groups, desc.groups + desc.num_groups);
    desc.groups = groups.data();
    const fusec_variant_list *rest = desc.kernels[FUSEC_ISA_BASELINE][1];
    baseline = {&first, rest};
    others = {&second, rest};
    desc.kernels[FUSEC_ISA_BASELINE] = baseline.data();
    desc.kernels[FUSEC_ISA_AVX2] = others.data();
    desc.kernels[FUSEC_ISA_AVX512] = others.data();
    desc.kernels[FUSEC_ISA_AVX512VNNI] = others.data();
    desc.kernels[FUSEC_ISA_AVX512BF16] = others.data();
    desc.kernels[FUSEC_ISA_AMX] = others.data();
    modelOptions.weights = testmodel_weights(&modelOptions.weights_bytes);
    options.symbols = symbols;
  }

  fusec::Model model() { return fusec::Model(&desc, nullptr, modelOptions); }
};

/// Sessions for each instruction set take the variant that it has.
void expectItsOwn(LimitedModel &limited) {
  for (const char *isa :
       {"baseline", "avx2", "avx512", "avx512vnni", "avx512bf16", "amx"}) {
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

  limited.packing.name = "packed";
  const fusec_choice packed = {"scale", "packed"};
  limited.options.choices = &packed;
  limited.options.isa = "baseline";
  fusec::Model model = limited.model();
  fusec::Session without(model, limited.options);
  EXPECT_EQ(without.status(), FUSEC_UNSUPPORTED);
  EXPECT_STREQ(without.error(), "group 'scale' has no variant 'packed'");
}

namespace {

/// As a host program whose last group is a choice, of which the first
/// alternative needs memory between its launches.
int32_t planBySelection(const int64_t *, const uint32_t *selection,
                        fusec_plan *plan) {
  plan->arena_bytes = selection[2] == 0 ? 4096 : 64;
  plan->workspace_bytes = 0;
  plan->output_dims[0] = plan->output_dims[1] = 100;
  return 0;
}

/// The bytes that a session of `limited` needs.
uint64_t getMemory(LimitedModel &limited) {
  fusec::Model model = limited.model();
  EXPECT_TRUE(model) << model.error();
  uint64_t bytes = 0;
  EXPECT_EQ(fusec_session_memory(model.get(), &limited.options, &bytes),
            FUSEC_OK);
  return bytes;
}

} // namespace

TEST(Dispatch, AChoiceIsAGroupWithMemoryForWhatIsSelected) {
  LimitedModel limited;
  const uint32_t first[] = {0}, second[] = {1};
  const fusec_variant_desc alternatives[] = {
      {"split", nullptr, first, nullptr, nullptr, 0, 4000, 1, 1,
       FUSEC_VARIANT_REPRODUCIBLE},
      {"direct", nullptr, second, nullptr, nullptr, 0, 0, 2, 1,
       FUSEC_VARIANT_REPRODUCIBLE}};
  const fusec_variant_list list = FUSEC_VARIANT_LIST(alternatives);
  limited.groups.push_back({"sum", &list, 0xa3});
  limited.desc.groups = limited.groups.data();
  limited.desc.num_groups = 3;
  limited.desc.plan = planBySelection;
  EXPECT_EQ(getMemory(limited), 4096u);

  const fusec_choice direct = {nullptr, "direct"};
  limited.options.choices = &direct;
  limited.options.num_choices = 1;
  EXPECT_EQ(getMemory(limited), 64u);

  // Who allows no memory gets what needs none.
  limited.options.num_choices = 0;
  fusec_tuner_options tuning = {};
  tuning.flags = FUSEC_TUNER_LIMIT_WORKSPACE;
  fusec::Tuner tuner(tuning);
  limited.options.tuner = tuner.get();
  EXPECT_EQ(getMemory(limited), 64u);

  const uint32_t nowhere[] = {7};
  fusec_variant_desc broken[] = {alternatives[0], alternatives[1]};
  broken[1].launches = nowhere;
  const fusec_variant_list brokenList = FUSEC_VARIANT_LIST(broken);
  limited.groups[2].variants = &brokenList;
  EXPECT_STREQ(limited.model().error(),
               "variant 'direct' of group 'sum' names launch 7 of 3");
}

TEST(Dispatch, EachInstructionSetHasADefault) {
  LimitedModel limited;
  limited.second.num_variants = 0;
  fusec::Model model = limited.model();
  EXPECT_EQ(model.status(), FUSEC_ABI_MISMATCH);
  EXPECT_STREQ(model.error(),
               "group 'scale' has no variant for instruction set avx2");
  limited.others[0] = nullptr;
  EXPECT_STREQ(limited.model().error(),
               "group 'scale' has no variant for instruction set avx2");
}
