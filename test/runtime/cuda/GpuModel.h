// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model for a GPU of CUDA's driver, of which there is a fake one here.
#ifndef FUSEC_TEST_RUNTIME_CUDA_GPUMODEL_H
#define FUSEC_TEST_RUNTIME_CUDA_GPUMODEL_H

#include "fusec/cuda_driver.h"
#include "fusec/device_host.h"
#include "fusec/runtime.hpp"
#include "test/runtime/cuda/FakeCuda.h"

#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>

namespace fusec_gpu_model {

template <typename Function> Function *find(const char *name) {
  static void *library = dlopen(FUSEC_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function *>(dlsym(library, name));
}
inline std::string takeLog() {
  return find<decltype(fake_cuda_take_log)>("fake_cuda_take_log")();
}
inline int countLive() {
  return find<decltype(fake_cuda_count_live)>("fake_cuda_count_live")();
}
inline void setGpu(int architecture, int count) {
  find<decltype(fake_cuda_set)>("fake_cuda_set")(architecture, count);
}

inline void *getContext(int ordinal) {
  return find<decltype(fake_cuda_get_context)>("fake_cuda_get_context")(
      ordinal);
}
inline void *getCurrent() {
  return find<decltype(fake_cuda_get_current)>("fake_cuda_get_current")();
}
/// Whether calls since the last time found this context, and no other one.
inline bool takeUsed(void *context) {
  return find<decltype(fake_cuda_take_used)>("fake_cuda_take_used")(context);
}

// A model of two launches, with what lies between: y = 4 x, and a fill.
using twice_fn = void(const float *x, float *y);
inline int32_t run(const fusec_run_ctx *run) {
  using namespace fusec;
  const float *x = input<float>(run, 0);
  float *y = output<float>(run, 0);
  int64_t *n = output<int64_t>(run, 1);
  float *half = arena<float>(run, 0);
  launch<twice_fn>(run, 0, x, half);
  launch<twice_fn>(run, 1, half, y);
  fill_device(run, n, 3, int64_t(1) << 40);
  return finish_run(run);
}
inline int32_t plan(const int64_t *, const uint32_t *, fusec_plan *plan) {
  plan->arena_bytes = 64;
  plan->workspace_bytes = 0;
  plan->output_dims[0] = 8;
  plan->output_dims[1] = 3;
  return 0;
}
const int64_t eight[] = {8}, three[] = {3};
const fusec_tensor_desc inputs[] = {
    {"x", eight, 1, FUSEC_F32, 4, FUSEC_TENSOR_CONTIGUOUS, -1, 0}};
const fusec_tensor_desc outputs[] = {
    {"y", eight, 1, FUSEC_F32, 4, FUSEC_TENSOR_CONTIGUOUS, -1, 0},
    {"n", three, 1, FUSEC_I64, 8, FUSEC_TENSOR_CONTIGUOUS, -1, 0}};
const fusec_variant_desc variants[] = {
    {"default", nullptr, nullptr, nullptr, nullptr, 0, 0, 0, 0, 0},
    {"broken", nullptr, nullptr, nullptr, nullptr, 0, 128, 0, 0, 0},
    {"split", nullptr, nullptr, nullptr, nullptr, 0, 72, 0, 0, 0}};
const fusec_variant_list list = FUSEC_VARIANT_LIST(variants);
const fusec_group_desc groups[] = {{"twice", nullptr, 0}, {"last", nullptr, 0}};
const fusec_launch_desc launches[] = {{"first", 0, 0}, {"second", 1, 0}};
const fusec_device_image code = {"code", 5, FUSEC_IMAGE_FATBIN, 0};
const fusec_device_kernel kernels[] = {{"twice", 2, 4, 0, 2, 0, 0},
                                       {"broken", 2, 4, 49168, 2, 0, 0},
                                       {"twice", 2, 4, 0, 2, 8, 0}};
const fusec_variant_list *const tables[] = {&list, &list};
const fusec_device_kernel *const kernelTables[] = {kernels, kernels};
const fusec_device_operand operands[] = {{32, 0, 0}, {32, 1, 0}};
const fusec_device_operand *const operandTables[] = {operands, operands};
const fusec_device_desc onDevice = {
    &code, tables, kernelTables, operandTables, 80, 0, 0, 0, nullptr, nullptr};
inline fusec_model_desc makeDesc() {
  fusec_model_desc desc = {};
  desc.abi_version = FUSEC_ABI_VERSION;
  desc.struct_bytes = sizeof(desc);
  desc.name = "gpu";
  desc.inputs = inputs;
  desc.outputs = outputs;
  desc.groups = groups;
  desc.launches = launches;
  desc.num_inputs = 1;
  desc.num_outputs = 2;
  desc.num_groups = 2;
  desc.num_launches = 2;
  desc.num_kernels = 2;
  desc.plan = plan;
  desc.run = run;
  desc.device = &onDevice;
  desc.target = "cuda-sm80";
  return desc;
}

class Cuda : public ::testing::Test {
protected:
  Cuda() {
    setGpu(80, 1);
    takeLog();
    takeUsed(nullptr);
    choose.library = choose.monitor = FUSEC_FAKE_CUDA;
  }
  ~Cuda() override {
    fusec_cuda_device_destroy(gpu);
    EXPECT_EQ(countLive(), 0);
    EXPECT_EQ(getCurrent(), nullptr);
  }
  /// A session on the GPU.
  fusec::Session makeSession(const fusec::Model &model) {
    if (!gpu) {
      EXPECT_EQ(fusec_cuda_device_create(&choose, &gpu), FUSEC_OK)
          << fusec_last_error(nullptr);
    }
    options.device = gpu;
    return fusec::Session(model, options);
  }
  /// For `group` the kernel that makes a fault.
  void takeBroken(const char *group) { take(group, "broken"); }
  void take(const char *group, const char *variant) {
    taken = {group, variant};
    options.choices = &taken;
    options.num_choices = 1;
  }
  fusec_status runOn(fusec::Session &session, void *from = nullptr,
                     void *to = nullptr) {
    const fusec_tensor in[] = {{from ? from : x, 32, eight, 1, FUSEC_F32}};
    const fusec_tensor out[] = {{to ? to : y, 32, eight, 1, FUSEC_F32},
                                {n, 24, three, 1, FUSEC_I64}};
    return session.run(in, 1, out, 2);
  }

  fusec_cuda_options choose = {};
  fusec_session_options options = {};
  fusec_device *gpu = nullptr;
  fusec_model_desc desc = makeDesc();
  fusec_choice taken = {};
  float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8] = {};
  int64_t n[3] = {};
};

} // namespace fusec_gpu_model

#endif
