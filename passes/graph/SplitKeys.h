// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention in blocks of keys: no row of scores is longer than a block.
#ifndef FUSEC_PASSES_GRAPH_SPLITKEYS_H
#define FUSEC_PASSES_GRAPH_SPLITKEYS_H

#include "passes/graph/SplitReduction.h"

namespace fusec::fuse {

/// Rows x[.., k] whose exponentials are summed and multiplied with a matrix:
///
///   m = max over k of x,   p = exp(x - f(m)),   l = sum over k of p,
///   o[.., e] = sum over k of p[.., k] v[k, e]
///
/// With k cut into blocks b, each of which has a maximum of its own:
///
///   m[b], p[b, k], l[b], o[b, e]   as above, in each block, with f(m) = m,
///   M = max over b of m[b],        w[b] = exp(m[b] - f(M)),
///   l = sum over b of w[b] l[b],   o[e] = sum over b of w[b] o[b, e]
///
/// (M. Milakov, N. Gimelshein: Online normalizer calculation for softmax, 2018;
/// T. Dao et al.: FlashAttention, 2022.) The function f is there for rows that
/// a mask leaves nothing of. Where m[b] is subtracted, it is at least the
/// lowest finite number: so a block which a mask leaves nothing of counts for
/// nothing.
class SplitKeys {
public:
  /// Fails if `op` is no such product, or if its rows and their matrix stay in
  /// the caches of `target` as they are; `reason` says why, or is empty where
  /// there are no exponentials.
  static mlir::FailureOr<SplitKeys>
  plan(PrimitiveOpInterface op, const TargetInfo &target, std::string &reason);

  /// The sum of the exponentials, and the product, which `build` stands for:
  /// moves the sum in front of the product, and what reads it behind.
  llvm::SmallVector<PrimitiveOpInterface> gather() const;
  /// What the two read that is computed in blocks, in program order.
  llvm::SmallVector<mlir::Operation *> getProducers() const;

  /// Builds the blocks and returns what stands for the sum and the product.
  llvm::SmallVector<mlir::Value> build(mlir::OpBuilder &builder) const;

private:
  explicit SplitKeys(ContractOp product) : product(product) {}

  /// Finds the operations of the formula; false where one is missing.
  bool match();
  /// The same where the product's operand `operand` has the exponentials.
  bool matchRows(unsigned operand);
  /// Chooses the blocks; a reason if there are none.
  std::string cutKeys(const TargetInfo &target);
  /// The dimension of the keys in the product's operand `number`.
  unsigned getKeyDim(unsigned number) const;
  /// Whether exponentials are of scores less their maximum or more.
  bool raisesOnly() const {
    return llvm::all_of(shift, llvm::IsaPred<MaximumOp>);
  }
  void bringKeysTogether(ContractOp made) const;
  mlir::Value maskRest(TensorBuilder &b, mlir::Value made, unsigned dim) const;
  /// `value`, which has the dimensions of a row's maximum behind that of the
  /// blocks, repeated to the shape of the product in blocks.
  mlir::Value spread(TensorBuilder &b, mlir::Value value,
                     llvm::ArrayRef<int64_t> shape) const;

  ContractOp product;
  /// Which of its operands are the exponentials.
  unsigned rows = 0;
  ReduceOp maximum, sum;
  /// What the exponentials are of, before the maximum is subtracted.
  mlir::Value scores;
  /// The iterator of the keys in `product`, cut.
  Cut cut;
  /// From the maximum to what is multiplied; what computes from the maximum
  /// that which the scores are less by; how the exponentials are rounded before
  /// they are multiplied; and what makes the scores.
  llvm::SmallVector<mlir::Operation *> chain, shift, rounds;
  llvm::SetVector<mlir::Operation *> scoring;
};

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_SPLITKEYS_H
