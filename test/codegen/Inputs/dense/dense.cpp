// Emitted by fusec. This file may be used under any terms.
// The host program of `dense` and its descriptor.
#include "dense.h"
#include "dense_kernels.h"

#include "fusec/host.h"

namespace dense {
namespace {

enum launch_index : uint32_t { dense_relu, softmax, num_launches };

int32_t run(const fusec_run_ctx *run) {
  using namespace fusec;
  const float *x_0 = input<float>(run, 0);
  float *y = output<float>(run, 0);
  const float *w = weight<float>(run, 64);
  const float *b = weight<float>(run, 128);
  float *hidden = arena<float>(run, 0);

  launch<dense::dense_relu_fn>(run, dense_relu, x_0, w, b, hidden);
  launch<dense::softmax_fn>(run, softmax, hidden, y);
  return 0;
}

int32_t plan(const int64_t *, fusec_plan *plan) {
  plan->arena_bytes = 128;
  plan->workspace_bytes = 0;
  plan->output_dims[0] = 6; // y
  plan->output_dims[1] = 4;
  return 0;
}

const int64_t input_dims_x_0[] = {6, 4};
const fusec_tensor_desc inputs[] = {
    {"x:0", input_dims_x_0, 2, FUSEC_F32, 4, FUSEC_TENSOR_CONTIGUOUS, -1, 0},
};

const int64_t output_dims_y[] = {6, 4};
const fusec_tensor_desc outputs[] = {
    {"y", output_dims_y, 2, FUSEC_F32, 4, FUSEC_TENSOR_CONTIGUOUS, -1, 0},
};

const fusec_variant_desc dense_relu_variants[] = {
    {"default", nullptr, 0, 0, FUSEC_VARIANT_REPRODUCIBLE,
     dense::dense_relu_default},
    {"naive", nullptr, 0, 0, FUSEC_VARIANT_NAIVE | FUSEC_VARIANT_REPRODUCIBLE,
     dense::dense_relu_naive},
};

const fusec_variant_desc softmax_variants[] = {
    {"default", nullptr, 0, 64, FUSEC_VARIANT_REPRODUCIBLE,
     dense::softmax_default},
};

const fusec_group_desc groups[] = {
    {"dense_relu", dense_relu_variants, 2, 0},
    {"softmax", softmax_variants, 1, 0},
};

const fusec_launch_desc launches[] = {
    {"dense_relu", 0, 0},
    {"softmax", 1, 0},
};

const fusec_model_desc descriptor = {
    FUSEC_ABI_VERSION,
    sizeof(fusec_model_desc),
    "dense",
    inputs,
    outputs,
    groups,
    launches,
    nullptr,             // symbols
    1,                   // inputs
    1,                   // outputs
    2,                   // groups
    num_launches,        // launches
    0,                   // symbols
    dense::num_kernels,  // kernels
    192,                 // bytes of weights.bin
    0x40eaeed3c799134bu, // its id
    {FUSEC_BASELINE_TABLE(dense), FUSEC_AVX2_TABLE(dense),
     FUSEC_AVX512_TABLE(dense)},
    plan,
    run,
};

} // namespace
} // namespace dense

extern "C" const fusec_model_desc *fusec_dense_query(uint32_t abi_version) {
  return abi_version == FUSEC_ABI_VERSION ? &dense::descriptor : nullptr;
}
