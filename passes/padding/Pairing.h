// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of a model for one set of extents beside those of the same
// model for another one.
#ifndef FUSEC_PASSES_PADDING_PAIRING_H
#define FUSEC_PASSES_PADDING_PAIRING_H

#include "dialects/fuse/FuseOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace fusec::padding {

/// The operations of a function that follow from constants alone: not the same
/// for all extents, as importers fold shapes.
llvm::DenseSet<mlir::Operation *> findConstants(mlir::func::FuncOp main);

/// Whether two primitives of the same attributes read and write the same
/// elements at each point that both have.
bool accessAlike(fuse::PrimitiveOpInterface a, fuse::PrimitiveOpInterface b);

/// What an operation is in the other model.
struct Counterpart {
  /// Null: its only operand has its elements there already, such as that of a
  /// broadcast to an extent of 1.
  mlir::Operation *op = nullptr;
  /// Per operand and per result of the operation.
  llvm::SmallVector<mlir::Value> operands, results;
};

class Pairing {
public:
  /// Of `constants`, which findConstants finds in the models, neither has
  /// counterparts but as operands.
  Pairing(mlir::func::FuncOp of, mlir::func::FuncOp with);

  /// The counterpart of the next operation that is no constant; nothing where
  /// the other model has another one there.
  std::optional<Counterpart> next(mlir::Operation *op);
  /// Where an operand has none, which is a constant: null.
  mlir::Value lookup(mlir::Value value) const { return values.lookup(value); }

private:
  mlir::Operation *skipConstants();

  llvm::DenseSet<mlir::Operation *> constants; ///< of the other one
  mlir::Block::iterator place, end;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
};

} // namespace fusec::padding

#endif // FUSEC_PASSES_PADDING_PAIRING_H
