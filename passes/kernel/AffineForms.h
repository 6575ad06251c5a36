// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The affine expressions of kernel operations (subscripts, bounds, conditions)
// in one shape, so that passes rewrite them without asking for the operation.
#ifndef FUSEC_PASSES_KERNEL_AFFINEFORMS_H
#define FUSEC_PASSES_KERNEL_AFFINEFORMS_H

#include "dialects/kernel/KernelOps.h"

#include "mlir/IR/IRMapping.h"

namespace fusec::kernel {

/// Affine expressions whose dim number n is the index value `operands[n]`.
/// Symbols, which only gathers have, stand for their dynamic values.
struct AffineForm {
  llvm::SmallVector<mlir::AffineExpr> exprs;
  llvm::SmallVector<mlir::Value> operands;
  unsigned numSymbols = 0;
  mlir::Value memref; ///< what they subscript; null if nothing

  AffineForm() = default;
  AffineForm(mlir::AffineMap map, mlir::ValueRange operands,
             mlir::Value memref = {})
      : exprs(map.getResults()), operands(operands),
        numSymbols(map.getNumSymbols()), memref(memref) {}

  mlir::AffineMap getMap(mlir::MLIRContext *context) const {
    return mlir::AffineMap::get(operands.size(), numSymbols, exprs, context);
  }

  /// The dim of `value`, appended to the operands if it is not among them.
  mlir::AffineExpr getDim(mlir::Value value);

  /// Replaces results of kernel.apply and constants by what they stand for,
  /// merges equal operands, drops unused ones and simplifies.
  void compose();

  /// Replaces the operands by what they are mapped to.
  void remap(const mlir::IRMapping &mapping);

  /// The row-major element number that the expressions subscript in `shape`.
  mlir::AffineExpr linearize(llvm::ArrayRef<int64_t> shape) const;
};

/// A form of one expression, `value` itself.
AffineForm formOf(mlir::Value value);

/// `a - b` of two forms of one expression each, over common operands.
AffineForm subtract(const AffineForm &a, const AffineForm &b);

/// Whether a loop from `lower` to the least of `upper` has whole vectors, by
/// the factors of both.
bool hasWholeVectors(const AffineForm &lower, const AffineForm &upper);

/// The most iterations of a loop from `lower`, one expression, to the least of
/// `upper`, where that is the same for all.
std::optional<int64_t> getMostTrips(const AffineForm &lower,
                                    const AffineForm &upper);

/// Calls `change` for each affine form of `op` and stores what it leaves. The
/// number of expressions of a condition must stay the same.
void rewriteForms(mlir::Operation *op,
                  llvm::function_ref<void(AffineForm &)> change);

/// The form of a condition's constraints.
AffineForm formOf(mlir::IntegerSet set, mlir::ValueRange operands);

/// Creates a loop whose index has the location (and so the name) `indexLoc`.
ForOp createLoop(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::Location indexLoc, AffineForm lower, AffineForm upper,
                 int64_t step, Mapping mapping);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_AFFINEFORMS_H
