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
  Combiner combiner;

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

/// The value that combines with any x to x.
mlir::TypedAttr getNeutral(Combiner combiner, mlir::Type type);

/// `a` and `b` combined; scalars or vectors.
mlir::Value createCombination(mlir::OpBuilder &builder, mlir::Location loc,
                              Combiner combiner, mlir::Value a, mlir::Value b);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_REDUCTIONS_H
