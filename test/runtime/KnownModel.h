// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_TEST_RUNTIME_KNOWNMODEL_H
#define FUSEC_TEST_RUNTIME_KNOWNMODEL_H

#include <vector>

#include "fusec/runtime.hpp"
#include "test/runtime/TestModel.h"

/// The test model with names by which its variants are known elsewhere.
struct KnownModel {
  fusec_model_desc desc = *fusec_testmodel_query(FUSEC_ABI_VERSION);
  std::vector<fusec_variant_desc> variants;
  fusec_variant_list list;
  std::vector<const fusec_variant_list *> kernels;
  std::vector<fusec_group_desc> groups;

  explicit KnownModel(uint64_t key = 0xa1) {
    const fusec_variant_list *const *all = desc.kernels[FUSEC_ISA_BASELINE];
    const fusec_variant_list &scale = *all[0];
    variants.assign(scale.variants, scale.variants + scale.num_variants);
    for (size_t i = 0; i < variants.size(); ++i) {
      variants[i].hash = 0xb0 + i;
      variants[i].config = "proposer=isl";
    }
    variants[2].attributes = 0; // "copying", which has a workspace
    list = {variants.data(), nullptr, uint32_t(variants.size()), 0};
    kernels.assign(all, all + desc.num_kernels);
    kernels[0] = &list;
    desc.kernels[FUSEC_ISA_BASELINE] = kernels.data();
    groups.assign(desc.groups, desc.groups + desc.num_groups);
    groups[0].key = key;
    desc.groups = groups.data();
  }

  fusec::Model load() {
    fusec_model_options options = {};
    options.weights = testmodel_weights(&options.weights_bytes);
    return fusec::Model(&desc, nullptr, options);
  }
};

#endif
