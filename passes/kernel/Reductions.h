// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a loop on lanes carries, and how lanes take it apart.
#ifndef FUSEC_PASSES_KERNEL_REDUCTIONS_H
#define FUSEC_PASSES_KERNEL_REDUCTIONS_H

#include "dialects/kernel/Steps.h"
#include "passes/kernel/AffineForms.h"

namespace fusec::kernel {

/// An element that each iteration of a loop loads, changes and stores.
struct Accumulator {
  LoadOp load;
  StoreOp store;
  Carry carry;

  mlir::Type getType() { return load.getType(); }
};

/// What a loop carries; by `update`, of several accesses the last.
llvm::SmallVector<Accumulator> getAccumulators(ForOp loop);

/// The location that an accumulator updates.
AffineForm placeOf(Accumulator accumulator);

/// The outermost statement around `loop` that partial results can span:
/// sequential loops that do nothing else with the accumulators.
mlir::Operation *findPartialScope(ForOp loop,
                                  llvm::ArrayRef<Accumulator> accumulators);

/// What is held after `offered` was offered to what `choice` holds as `held`.
llvm::SmallVector<mlir::Value> createChoice(mlir::OpBuilder &builder,
                                            const Choice &choice,
                                            mlir::ValueRange held,
                                            mlir::ValueRange offered);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_REDUCTIONS_H
