// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of lower precision than the model has: alternatives that a user
// allows.
#ifndef FUSEC_PASSES_GRAPH_LOWERPRECISION_H
#define FUSEC_PASSES_GRAPH_LOWERPRECISION_H

#include "passes/graph/TensorBuilder.h"

#include <string>

namespace fusec::fuse {

/// What a product of f32 with constants is computed from instead. Sums of
/// products stay as exact as they were, or are exact.
enum class Precision {
  /// The constants are rounded to bf16, which takes half the memory. What they
  /// are multiplied by stays f32: to round it would save nothing where each
  /// factor becomes f32 in a register.
  bf16,
  /// Both factors are rounded to bf16, where the target adds several products
  /// of bf16 to a sum in f32 in one step.
  bf16Activations,
  /// Both factors are codes of 8 bits, and their sums integers of 32:
  ///   constants: round(w / s),         s = max |w| / 127 of each channel;
  ///   computed:  round(x / s) + zero,  s = (high - low) / 255 of each row,
  ///   with
  ///              low = min(0, min x), high = max(0, max x),
  ///              zero = round(-low / s).
  /// A row has the elements that one sum reads, so that its codes depend on it
  /// alone. Where a row or a channel has an infinity or a NaN, all results of
  /// it are NaN.
  int8Activations,
};

class LowerPrecision {
public:
  /// Fails if `op` is no such product, or gains nothing; `reason` says why, or
  /// is empty where it is no product of f32 at all.
  static mlir::FailureOr<LowerPrecision>
  plan(PrimitiveOpInterface op, Precision precision, std::string &reason);

  /// Builds it and returns what stands for the result, in f32.
  mlir::Value build(mlir::OpBuilder &builder) const;

private:
  struct Codes;

  LowerPrecision(ContractOp op, Precision precision, unsigned constant)
      : op(op), precision(precision), constant(constant) {}

  std::string findUnitObstacle() const;
  std::string findObstacle() const;
  /// The iterators that the dimensions of operand `operand` are indexed by.
  llvm::SmallVector<unsigned> getIterators(unsigned operand) const;
  /// The dimensions of operand `operand` along which no sum runs.
  llvm::SmallVector<int64_t> getOuter(unsigned operand) const;
  /// Repeats a value with the dimensions `getOuter(operand)` over the result.
  mlir::Value spread(mlir::Value value, unsigned operand,
                     TensorBuilder &b) const;
  mlir::Value contract(mlir::Value computed, mlir::Value constants,
                       mlir::Type sums, TensorBuilder &b) const;
  mlir::Value buildRounded(TensorBuilder &b) const;
  Codes quantiseConstants(TensorBuilder &b) const;
  Codes quantiseComputed(TensorBuilder &b) const;
  mlir::Value buildQuantised(TensorBuilder &b) const;

  ContractOp op;
  Precision precision;
  unsigned constant; ///< the number of the operand that is constant, 0 or 1
};

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_LOWERPRECISION_H
