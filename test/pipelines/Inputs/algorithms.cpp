// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators with several algorithms for CPUs. All of RowSum's give the same
// sums, and add `tag` times their number, so that results say which one it was.
#include "fusec/op.h"

#include <mutex>
using namespace fusec::op;

static void rows(const std::vector<Shape> &in, const Param &,
                 std::vector<Shape> &out) {
  out[0] = {in[0][0]};
}

/// The sum of row `i` from column `begin` to `end`.
static float sum(const Tensor &x, int64_t i, int64_t begin, int64_t end) {
  const float *row = x.data<float>() + i * x.shape()[1];
  float total = 0;
  for (int64_t j = begin; j < end; ++j)
    total += row[j];
  return total;
}

static void plain(const std::vector<Tensor> &in, const Param &params,
                  std::vector<Tensor> &out) {
  for (int64_t i = 0; i < in[0].shape()[0]; ++i)
    out[0].data<float>()[i] =
        sum(in[0], i, 0, in[0].shape()[1]) + float(params["tag"]);
}

static constexpr int64_t kParts = 4;

static void blocked(const std::vector<Tensor> &in, const Param &params,
                    std::vector<Tensor> &out, const Context &context) {
  const int64_t count = in[0].shape()[0], width = in[0].shape()[1];
  float *parts = context.workspace<float>();
  context.parallelFor(count * kParts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      parts[i] = sum(in[0], i / kParts, width * (i % kParts) / kParts,
                     width * (i % kParts + 1) / kParts);
  });
  for (int64_t i = 0; i < count; ++i) {
    out[0].data<float>()[i] = 2 * float(params["tag"]);
    for (int64_t part = 0; part < kParts; ++part)
      out[0].data<float>()[i] += parts[i * kParts + part];
  }
}

static size_t partBytes(const std::vector<Tensor> &in, const Param &) {
  return size_t(in[0].shape()[0] * kParts) * sizeof(float);
}

/// Adds parts in the order in which threads have them.
static void atomic(const std::vector<Tensor> &in, const Param &params,
                   std::vector<Tensor> &out, const Context &context) {
  float *y = out[0].data<float>();
  for (int64_t i = 0; i < in[0].shape()[0]; ++i)
    y[i] = 3 * float(params["tag"]);
  std::mutex mutex;
  context.parallelFor(in[0].shape()[1], 8, [&](int64_t begin, int64_t end) {
    for (int64_t i = 0; i < in[0].shape()[0]; ++i) {
      const float part = sum(in[0], i, begin, end);
      const std::lock_guard<std::mutex> lock(mutex);
      y[i] += part;
    }
  });
}

static bool isNarrow(const std::vector<Tensor> &in, const Param &, Device) {
  return in[0].shape()[1] <= 8;
}

FUSEC_OP(RowSum)
    .inputs({Operand("x").types({"float32"}).rank(2)})
    .outputs({"y"})
    .param("tag", 0.0)
    .shape(rows)
    .compute("cpu", plain, "plain")
    .compute("cpu", blocked, Algorithm("blocked").workspace(partBytes))
    .compute("cpu", plain, Algorithm("narrow").supports(isNarrow))
    .compute("cpu", atomic, Algorithm("atomic").reproducible(false));

// The first has scratch memory, and the second none.
FUSEC_OP(StoredSum)
    .inputs({Operand("x").types({"float32"}).rank(2)})
    .outputs({"y"})
    .param("tag", 0.0)
    .shape(rows)
    .compute("cpu", blocked, Algorithm("stored").workspace(partBytes))
    .compute("cpu", plain, "plain");

FUSEC_OP(VaryingSum)
    .inputs({Operand("x").types({"float32"}).rank(2)})
    .outputs({"y"})
    .param("tag", 0.0)
    .shape(rows)
    .compute("cpu", atomic, Algorithm("atomic").reproducible(false));
