// Written by fusec from demo.onnx; this file may be used under any terms.
// The host program of `demo` and its descriptor.
#include "demo.h"
#include "demo_kernels.h"

#include "fusec/host.h"

namespace demo {
namespace {

enum launch_index : uint32_t { dense_relu, softmax, num_launches };

int32_t run(const fusec_run_ctx *run) {
  using namespace fusec;
  const float *x = input<float>(run, 0);
  float *y = output<float>(run, 0);
  const float *w = weight<float>(run, 64);
  const float *b = weight<float>(run, 1984);
  float *h = arena<float>(run, 0);

  launch<demo::dense_relu_fn>(run, dense_relu, x, w, b, h);
  launch<demo::softmax_fn>(run, softmax, h, y);
  return 0;
}

int32_t plan(const int64_t *, fusec_plan *plan) {
  plan->arena_bytes = 960;
  plan->workspace_bytes = 0;
  plan->output_dims[0] = 10; // y
  plan->output_dims[1] = 24;
  return 0;
}

const int64_t dims_x[] = {10, 20};
const fusec_tensor_desc inputs[] = {
    {"x", dims_x, 2, FUSEC_F32, 4, FUSEC_TENSOR_CONTIGUOUS, -1, 0},
};

const int64_t dims_y[] = {10, 24};
const fusec_tensor_desc outputs[] = {
    {"y", dims_y, 2, FUSEC_F32, 4, FUSEC_TENSOR_CONTIGUOUS, -1, 0},
};

const fusec_variant_desc dense_relu_variants[] = {
    {"default", nullptr, 0, 0, FUSEC_VARIANT_REPRODUCIBLE,
     demo::dense_relu_t2x16},
    {"naive", nullptr, 0, 0, FUSEC_VARIANT_NAIVE | FUSEC_VARIANT_REPRODUCIBLE,
     demo::dense_relu_naive},
};
const fusec_variant_desc softmax_variants[] = {
    {"default", nullptr, 0, 0, FUSEC_VARIANT_REPRODUCIBLE, demo::softmax_v16},
    {"naive", nullptr, 0, 0, FUSEC_VARIANT_NAIVE | FUSEC_VARIANT_REPRODUCIBLE,
     demo::softmax_naive},
};

const fusec_group_desc groups[] = {
    {"dense_relu", dense_relu_variants, 2, 0},
    {"softmax", softmax_variants, 2, 0},
};

const fusec_launch_desc launches[] = {
    {"dense_relu", 0, 0},
    {"softmax", 1, 0},
};

const fusec_model_desc model = {
    FUSEC_ABI_VERSION,
    sizeof(fusec_model_desc),
    "demo",
    inputs,
    outputs,
    groups,
    launches,
    nullptr,
    1, // inputs
    1, // outputs
    2, // groups
    num_launches,
    0, // symbols
    demo::num_kernels,
    2080,       // bytes of weights.bin
    0x64656d6f, // its id
    {FUSEC_BASELINE_TABLE(demo), FUSEC_AVX2_TABLE(demo),
     FUSEC_AVX512_TABLE(demo)},
    plan,
    run,
};

} // namespace
} // namespace demo

extern "C" const fusec_model_desc *fusec_demo_query(uint32_t abi_version) {
  return abi_version == FUSEC_ABI_VERSION ? &demo::model : nullptr;
}
