// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of fusec/op.h: functions that all threads of a block of a GPU call, and
// how many blocks of how many threads do.
#include "fusec/op.h" // first: it includes this file behind what that needs

#ifndef FUSEC_OP_GRID_H
#define FUSEC_OP_GRID_H

namespace fusec {
namespace op {
inline namespace FUSEC_OP_NAMESPACE {

/// How blocks of threads share a call, as in
/// `Grid().blocks(rows).threads(256)`. Each number is a constant, or follows
/// from the call: `int64_t f(const std::vector<Tensor> &in, const Param &,
/// const std::vector<Tensor> &out)`; the tensors have no data.
class Grid {
public:
  using Number =
      std::function<int64_t(const Tensors &, const Param &, const Tensors &)>;
  using Condition =
      std::function<bool(const Tensors &, const Param &, const Tensors &)>;

  /// By default one for each `threads` elements of the first result.
  template <typename F> Grid &blocks(F number) {
    numBlocks = asNumber(std::move(number));
    return *this;
  }
  /// Of each block, whole warps of 32; by default 256.
  template <typename F> Grid &threads(F number) {
    numThreads = asNumber(std::move(number));
    return *this;
  }
  /// Bytes of shared memory of each block, besides the arrays that the function
  /// declares; by default none.
  template <typename F> Grid &sharedBytes(F number) {
    numBytes = asNumber(std::move(number));
    return *this;
  }
  /// Which calls the function takes, of those that the operator supports on
  /// "cuda"; by default all.
  Grid &supports(Condition condition) {
    isSupported = std::move(condition);
    return *this;
  }

  void answer(const Tensors &in, const Param &params, const Tensors &out,
              fusec_op_grid &grid) const {
    grid.supported = !isSupported || isSupported(in, params, out);
    if (!grid.supported)
      return;
    grid.threads = numThreads ? numThreads(in, params, out) : 256;
    grid.shared_bytes = numBytes ? numBytes(in, params, out) : 0;
    const int64_t elements = out.at(0).shape().elements();
    grid.blocks = numBlocks ? numBlocks(in, params, out)
                  : grid.threads > 0
                      ? (elements + grid.threads - 1) / grid.threads
                      : 0;
  }

private:
  template <typename F> static Number asNumber(F number) {
    if constexpr (std::is_arithmetic<F>::value)
      return [number](const Tensors &, const Param &, const Tensors &) {
        return int64_t(number);
      };
    else
      return Number(std::move(number));
  }

  Number numBlocks, numThreads, numBytes;
  Condition isSupported;
};

/// Such a function of an operator, if it has one.
class BlockFunction {
public:
  void set(std::string header, std::string name, Grid shared) {
    file = std::move(header);
    function = std::move(name);
    grid = std::move(shared);
  }
  bool isThere() const { return !file.empty(); }
  /// What the C interface has of it; null if there is none.
  const fusec_op_block *describe() {
    row = {sizeof(fusec_op_block), 0,    file.c_str(),
           function.c_str(),       this, ask};
    return isThere() ? &row : nullptr;
  }

private:
  static int32_t ask(void *self, const fusec_op_call *call,
                     fusec_op_grid *grid) {
    return guard(call, [&] {
      static_cast<BlockFunction *>(self)->grid.answer(
          readTensors(call->inputs, call->num_inputs), readParams(*call),
          readTensors(call->outputs, call->num_outputs), *grid);
    });
  }

  std::string file, function;
  Grid grid;
  fusec_op_block row = {};
};

} // namespace FUSEC_OP_NAMESPACE
} // namespace op
} // namespace fusec

#endif
