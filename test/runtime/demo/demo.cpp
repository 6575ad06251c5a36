// Written by fusec from demo.onnx; this file may be used under any terms.
// The host program of `demo` and its descriptor.
#include "demo.h"
#include "demo_kernels.h"

#include "fusec/host.h"

extern "C" const char fusec_demo_weights[];

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

int32_t plan(const int64_t *, const uint32_t *, fusec_plan *plan) {
  plan->arena_bytes = 960;
  plan->workspace_bytes = 0;
  plan->output_dims[0] = 10; // y
  plan->output_dims[1] = 24;
  return 0;
}

const int64_t dims_x[] = {10, 20};
const fusec_tensor_desc inputs[] = {
    {/*name=*/"x", /*dims=*/dims_x, /*rank=*/2, /*dtype=*/FUSEC_F32,
     /*alignment=*/4, /*flags=*/FUSEC_TENSOR_CONTIGUOUS, /*alias_of=*/-1,
     /*reserved=*/0},
};

const int64_t dims_y[] = {10, 24};
const fusec_tensor_desc outputs[] = {
    {/*name=*/"y", /*dims=*/dims_y, /*rank=*/2, /*dtype=*/FUSEC_F32,
     /*alignment=*/4, /*flags=*/FUSEC_TENSOR_CONTIGUOUS, /*alias_of=*/-1,
     /*reserved=*/0},
};

const fusec_group_desc groups[] = {
    {/*name=*/"dense_relu", /*variants=*/nullptr, /*key=*/0x64656e7365000001u},
    {/*name=*/"softmax", /*variants=*/nullptr, /*key=*/0x736f66746d617801u},
};

const fusec_launch_desc launches[] = {
    {/*name=*/"dense_relu", /*group=*/0, /*reserved=*/0},
    {/*name=*/"softmax", /*group=*/1, /*reserved=*/0},
};

const fusec_model_desc model = {
    /*abi_version=*/FUSEC_ABI_VERSION,
    /*struct_bytes=*/sizeof(fusec_model_desc),
    /*name=*/"demo",
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
    /*weights_bytes=*/2080,
    /*weights_id=*/0x64656d6f,
    /*weights_structure=*/0x0u,
    /*kernels=*/
    {FUSEC_BASELINE_TABLE(demo), FUSEC_AVX2_TABLE(demo),
     FUSEC_AVX512_TABLE(demo)},
    /*plan=*/plan,
    /*run=*/run,
    /*device=*/nullptr,
    /*target=*/"cpu",
    /*others=*/nullptr,
    /*weights=*/FUSEC_WEIGHTS(demo),
    /*extents=*/nullptr,
    /*states=*/nullptr,
    /*num_states=*/0,
    /*num_padding=*/0,
    /*least=*/nullptr,
    /*padding=*/nullptr,
};

} // namespace
} // namespace demo

extern "C" const fusec_model_desc *fusec_demo_query(uint32_t abi_version) {
  return abi_version == FUSEC_ABI_VERSION ? &demo::model : nullptr;
}
