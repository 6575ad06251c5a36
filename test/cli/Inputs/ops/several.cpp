// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several algorithms of an operator, some of them wrong.
#include "fusec/op.h"

#include <atomic>
#include <cstdlib>
using namespace fusec::op;

static void give(const std::vector<Tensor> &in, std::vector<Tensor> &out,
                 float more) {
  for (int64_t i = 0; i < in[0].shape().elements(); ++i)
    out[0].data<float>()[i] = in[0].data<float>()[i] + more;
}

static void right(const std::vector<Tensor> &in, const Param &,
                  std::vector<Tensor> &out) {
  give(in, out, 0);
}
static void near(const std::vector<Tensor> &in, const Param &,
                 std::vector<Tensor> &out) {
  give(in, out, 1e-7f);
}
static void wrong(const std::vector<Tensor> &in, const Param &,
                  std::vector<Tensor> &out) {
  give(in, out, 0);
  out[0].data<float>()[3] += 0.5f;
}
/// Other bits, and much the same numbers, each time.
static void drifts(const std::vector<Tensor> &in, const Param &,
                   std::vector<Tensor> &out) {
  static std::atomic<int> runs;
  give(in, out, 1e-7f * float(++runs));
}
static void jumps(const std::vector<Tensor> &in, const Param &,
                  std::vector<Tensor> &out) {
  static std::atomic<int> runs;
  give(in, out, float(runs++));
}
static void further(const std::vector<Tensor> &in, const Param &,
                    std::vector<Tensor> &out, const Context &context) {
  give(in, out, 0);
  context.workspace<char>()[context.workspaceBytes()] = 1;
}
static void writesInput(const std::vector<Tensor> &in, const Param &,
                        std::vector<Tensor> &out) {
  give(in, out, 0);
  const_cast<float *>(in[0].data<float>())[0] = 1;
}
static size_t eight(const std::vector<Tensor> &, const Param &) { return 8; }

FUSEC_OP(Good)
    .inputs(1)
    .outputs(1)
    .compute("cpu", right, "right")
    .compute("cpu", near, Algorithm("near").workspace(eight))
    .compute("cpu", drifts, Algorithm("drifts").reproducible(false));

FUSEC_OP(Bad)
    .inputs(1)
    .outputs(1)
    .compute("cpu", right)
    .compute("cpu", writesInput, "writes_input")
    .compute("cpu", wrong, "wrong")
    .compute("cpu", drifts, "drifts")
    .compute("cpu", jumps, Algorithm("jumps").reproducible(false))
    .compute("cpu", further, Algorithm("further").workspace(eight));

FUSEC_OP(Crashes)
    .inputs(1)
    .outputs(1)
    .compute("cpu", right)
    .compute("cpu", right,
             Algorithm("crashes").workspace([](const std::vector<Tensor> &,
                                               const Param &) -> size_t {
               std::abort();
             }));

FUSEC_OP(Plain).inputs(1).outputs(1).compute("cpu", right);
