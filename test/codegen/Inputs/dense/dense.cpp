// Emitted by fusec. This file may be used under any terms.
// The host program of `dense` and its descriptor.
#include "dense.h"
#include "dense_kernels.h"

#include "fusec/host.h"

extern "C" const char fusec_dense_weights[];

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

int32_t plan(const int64_t *, const uint32_t *, fusec_plan *plan) {
  plan->arena_bytes = 128;
  plan->workspace_bytes = 0;
  plan->output_dims[0] = 6; // y
  plan->output_dims[1] = 4;
  return 0;
}

const int64_t input_dims_x_0[] = {6, 4};
const fusec_tensor_desc inputs[] = {
    {/*name=*/"x:0", /*dims=*/input_dims_x_0, /*rank=*/2, /*dtype=*/FUSEC_F32,
     /*alignment=*/4, /*flags=*/FUSEC_TENSOR_CONTIGUOUS, /*alias_of=*/-1,
     /*reserved=*/0},
};

const int64_t output_dims_y[] = {6, 4};
const fusec_tensor_desc outputs[] = {
    {/*name=*/"y", /*dims=*/output_dims_y, /*rank=*/2, /*dtype=*/FUSEC_F32,
     /*alignment=*/4, /*flags=*/FUSEC_TENSOR_CONTIGUOUS, /*alias_of=*/-1,
     /*reserved=*/0},
};

const fusec_group_desc groups[] = {
    {/*name=*/"dense_relu", /*variants=*/nullptr, /*key=*/0xfedcba9876543210u},
    {/*name=*/"softmax", /*variants=*/nullptr, /*key=*/0},
};

const fusec_launch_desc launches[] = {
    {/*name=*/"dense_relu", /*group=*/0, /*reserved=*/0},
    {/*name=*/"softmax", /*group=*/1, /*reserved=*/0},
};

const fusec_model_desc descriptor = {
    /*abi_version=*/FUSEC_ABI_VERSION,
    /*struct_bytes=*/sizeof(fusec_model_desc),
    /*name=*/"dense",
    /*inputs=*/inputs,
    /*outputs=*/outputs,
    /*groups=*/groups,
    /*launches=*/launches,
    /*symbols=*/nullptr,
    /*num_inputs=*/1,
    /*num_outputs=*/1,
    /*num_groups=*/2,
    /*num_launches=*/num_launches,
    /*num_symbols=*/0,
    /*num_kernels=*/2,
    /*algorithms=*/1,
    /*num_others=*/0,
    /*weights_bytes=*/192,
    /*weights_id=*/0xd88a10e16d2fdc0bu,
    /*weights_structure=*/0x0u,
    /*kernels=*/{FUSEC_BASELINE_TABLE(dense), FUSEC_AVX2_TABLE(dense),
                 FUSEC_AVX512_TABLE(dense)},
    /*plan=*/plan,
    /*run=*/run,
    /*device=*/nullptr,
    /*target=*/"cpu",
    /*others=*/nullptr,
    /*weights=*/FUSEC_WEIGHTS(dense),
    /*extents=*/nullptr,
    /*states=*/nullptr,
    /*num_states=*/0,
    /*num_padding=*/0,
    /*least=*/nullptr,
    /*padding=*/nullptr,
};

} // namespace
} // namespace dense

extern "C" const fusec_model_desc *fusec_dense_query(uint32_t abi_version) {
  return abi_version == FUSEC_ABI_VERSION ? &dense::descriptor : nullptr;
}
