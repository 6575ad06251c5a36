// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that give a GPU work of their own, through CUDA's driver, which is
// there where they run. They negate; on a GPU they copy, which tells the two.
#include "fusec/op.h"

#include <dlfcn.h>

using namespace fusec::op;

static void negate(const std::vector<Tensor> &in, const Param &,
                   std::vector<Tensor> &out) {
  for (int64_t i = 0; i < in[0].shape().elements(); ++i)
    out[0].data<float>()[i] = -in[0].data<float>()[i];
}

static void launch(const std::vector<Tensor> &in, const Param &,
                   std::vector<Tensor> &out, const Context &context) {
  if (context.workspaceBytes() != 256)
    throw std::runtime_error("has other memory than it asked for on a GPU");
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  using Copy = int (*)(unsigned long long, unsigned long long, size_t, void *);
  auto copy =
      driver ? reinterpret_cast<Copy>(dlsym(driver, "cuMemcpyDtoDAsync_v2"))
             : nullptr;
  const size_t bytes = size_t(in[0].shape().elements()) * sizeof(float);
  if (!copy || copy(reinterpret_cast<uintptr_t>(out[0].data<float>()),
                    reinterpret_cast<uintptr_t>(in[0].data<float>()), bytes,
                    context.stream()))
    throw std::runtime_error("the driver does not copy");
}

static size_t askBytes(const std::vector<Tensor> &in, const Param &) {
  return in[0].device() == "cuda" ? 256 : 0;
}

static bool isSmall(const std::vector<Tensor> &in, const Param &,
                    Device device) {
  return device != "cuda" || in[0].shape().elements() < 100;
}

FUSEC_OP(Both)
    .inputs(1)
    .outputs(1)
    .workspace(askBytes)
    .supports(isSmall)
    .compute("cpu", negate)
    .compute("cuda", launch);

FUSEC_OP(Alone).inputs(1).outputs(1).workspace(askBytes).compute("cuda",
                                                                 launch);
