// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hand-written C model with entries, and a session of it.
#ifndef FUSEC_TEST_RUNTIME_ENTRIESMODEL_H
#define FUSEC_TEST_RUNTIME_ENTRIESMODEL_H

#include <cstring>

#include "fusec/runtime.hpp"
#include "test/runtime/TestModel.h"

/// The model as it is compiled for n = 8, 16 and 1000.
struct Entries {
  static constexpr int64_t extents[] = {8, 16, 1000};
  static constexpr size_t count = 3;
  fusec_tensor_desc inputs[count][3], outputs[count][2];
  fusec_model_desc descs[count];
  const fusec_model_desc *others[count - 1];
  /// Of a model whose runs may have any n from 1 on: both arrays are n long.
  static constexpr int64_t least[] = {1, 9, 17};
  static constexpr fusec_padding_desc padding[] = {
      {0, 0, 0, FUSEC_FILL_LAST, 1, 0},
      {1, 0, 0, FUSEC_FILL_VALUE, 1, 0},
      {3, 0, 0, FUSEC_FILL_LAST, 1, 0},
      {4, 0, 0, FUSEC_FILL_LAST, 1, 0}};

  Entries() {
    const fusec_model_desc &open = *fusec_testmodel_query(FUSEC_ABI_VERSION);
    for (size_t e = 0; e < count; ++e) {
      std::memcpy(inputs[e], open.inputs, sizeof(inputs[e]));
      std::memcpy(outputs[e], open.outputs, sizeof(outputs[e]));
      inputs[e][0].dims = inputs[e][1].dims = &extents[e];
      outputs[e][0].dims = outputs[e][1].dims = &extents[e];
      descs[e] = open;
      descs[e].inputs = inputs[e];
      descs[e].outputs = outputs[e];
      descs[e].extents = &extents[e];
      if (e)
        others[e - 1] = &descs[e];
    }
    descs[0].others = others;
    descs[0].num_others = count - 1;
  }
  void pad() {
    for (size_t e = 0; e < count; ++e) {
      descs[e].least = &least[e];
      descs[e].padding = padding;
      descs[e].num_padding = 4;
    }
  }
};

#endif // FUSEC_TEST_RUNTIME_ENTRIESMODEL_H
