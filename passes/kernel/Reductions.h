// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognises accumulations: acc = acc + x, in a location that a loop keeps.
#ifndef FUSEC_PASSES_KERNEL_REDUCTIONS_H
#define FUSEC_PASSES_KERNEL_REDUCTIONS_H

#include "passes/kernel/AffineForms.h"

namespace fusec::kernel {

/// One location that each iteration of a loop updates by an associative
/// combiner, read and written nowhere else in the loop.
struct Accumulator {
  LoadOp load;
  StoreOp store;
  /// None for one of a `Choice`.
  std::optional<Combiner> combiner;

  mlir::Type getType() { return load.getType(); }
};

/// Why a loop's accumulation is not one of `Accumulator`, and where.
struct NotReducible {
  mlir::Operation *op;
  std::string reason;
};

/// Finds the accumulators of `loop`: all stores to locations that do not change
/// with its iterations. Fails if one of them is no recognised reduction.
mlir::FailureOr<llvm::SmallVector<Accumulator>>
findAccumulators(ForOp loop, NotReducible &why);

/// Accumulators that together keep what they hold or take what an iteration
/// offers, as both sides decide: the greatest element and its position.
struct Choice {
  llvm::SmallVector<Accumulator> accumulators;
  /// What an iteration offers to each of them.
  llvm::SmallVector<mlir::Value> offered;
  /// The operations that decide from what is held and what is offered, in
  /// order.
  llvm::SmallVector<mlir::Operation *> decision;
  /// Their result: whether to take.
  mlir::Value takes;
};

/// The choice that all of the loop's accumulators make, if they make one. That
/// its order is free is the promise of the loop's mapping.
std::optional<Choice> findChoice(ForOp loop);

/// What the accumulators hold that held `held` and were offered `offered`.
llvm::SmallVector<mlir::Value> createChoice(mlir::OpBuilder &builder,
                                            const Choice &choice,
                                            mlir::ValueRange held,
                                            mlir::ValueRange offered);

/// The value that combines with any x to x.
mlir::TypedAttr getNeutral(Combiner combiner, mlir::Type type);

/// `a` and `b` combined; scalars or vectors.
mlir::Value createCombination(mlir::OpBuilder &builder, mlir::Location loc,
                              Combiner combiner, mlir::Value a, mlir::Value b);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_REDUCTIONS_H
