// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model with states, written by hand for two lengths: one state lies in
// place, the other does not.
#ifndef FUSEC_TEST_RUNTIME_STATESMODEL_H
#define FUSEC_TEST_RUNTIME_STATESMODEL_H

#include <gtest/gtest.h>

#include "fusec/runtime.hpp"

/// y[n] = total_out[n] = total[n] + x[n]; runs[2] counts the runs, in place. An
/// x[0] of -1 makes the run fail, behind what it has written.
inline int32_t runModel(const fusec_run_ctx *ctx) {
  const auto *x = static_cast<const float *>(ctx->inputs[0]);
  const auto *total = static_cast<const float *>(ctx->inputs[1]);
  const auto *runs = static_cast<const int32_t *>(ctx->inputs[2]);
  auto *y = static_cast<float *>(ctx->outputs[0]);
  auto *next = static_cast<float *>(ctx->outputs[1]);
  auto *nextRuns = static_cast<int32_t *>(ctx->outputs[2]);
  EXPECT_NE(total, next);
  EXPECT_EQ(runs, nextRuns);
  for (int64_t i = 0; i < ctx->symbols[0]; ++i)
    y[i] = next[i] = total[i] + x[i];
  if (x[0] == -1)
    return FUSEC_UNSUPPORTED;
  nextRuns[0] = runs[0] + 1;
  return FUSEC_OK;
}

template <int64_t N>
int32_t planModel(const int64_t *, const uint32_t *, fusec_plan *plan) {
  plan->arena_bytes = plan->workspace_bytes = 0;
  plan->output_dims[0] = N;
  return FUSEC_OK;
}

inline fusec_tensor_desc describe(const char *name, const int64_t *dims,
                                  fusec_dtype dtype) {
  return {name, dims, 1, dtype, 4, FUSEC_TENSOR_CONTIGUOUS, -1, 0};
}

struct CountingEntry {
  int64_t n, two = 2;
  fusec_tensor_desc input, output;
  fusec_state_desc states[2];
  fusec_model_desc desc = {};

  CountingEntry(int64_t length, fusec_plan_fn plan) : n(length) {
    static const char *const symbols[] = {"n"};
    input = describe("x", &n, FUSEC_F32);
    output = describe("y", &n, FUSEC_F32);
    states[0] = {describe("total", &n, FUSEC_F32), "total_out", 0, 0, 0, 0};
    states[1] = {describe("runs", &two, FUSEC_I32), "runs_out", 1, 0, 0, 0};
    desc.abi_version = FUSEC_ABI_VERSION;
    desc.struct_bytes = sizeof(desc);
    desc.name = "counter";
    desc.inputs = &input;
    desc.outputs = &output;
    desc.symbols = symbols;
    desc.num_inputs = desc.num_outputs = desc.num_symbols = 1;
    desc.plan = plan;
    desc.run = runModel;
    desc.target = "cpu";
    desc.extents = &n;
    desc.states = states;
    desc.num_states = 2;
  }
  CountingEntry(const CountingEntry &) = delete;
};

struct CountingModel {
  CountingEntry small{2, planModel<2>}, large{3, planModel<3>};
  const fusec_model_desc *others[1] = {&large.desc};
  fusec::Model model;

  explicit CountingModel(uint64_t weightsId = 0) {
    small.desc.weights_id = large.desc.weights_id = weightsId;
    small.desc.others = others;
    small.desc.num_others = 1;
    model = fusec::Model(&small.desc);
    EXPECT_TRUE(model) << model.error();
  }
};

#endif // FUSEC_TEST_RUNTIME_STATESMODEL_H
