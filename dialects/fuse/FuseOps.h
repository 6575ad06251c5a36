// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fuse dialect: tensor-level networks.
#ifndef FUSEC_DIALECTS_FUSE_FUSEOPS_H
#define FUSEC_DIALECTS_FUSE_FUSEOPS_H

#include "dialects/TypeInfo.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fusec::fuse {
/// Marks operations that --fuse-expand-composites rewrites into primitives.
template <typename ConcreteOp>
class Composite : public mlir::OpTrait::TraitBase<ConcreteOp, Composite> {};

/// Marks operations that move or convert elements of f8, f6 and f4, whose
/// scalars are codes; the others compute, and nothing computes on codes.
template <typename ConcreteOp>
class TakesCodes : public mlir::OpTrait::TraitBase<ConcreteOp, TakesCodes> {};

/// Marks operations that make whole steps of floats: a last bit of an operand
/// may decide which.
template <typename ConcreteOp>
class Discontinuous
    : public mlir::OpTrait::TraitBase<ConcreteOp, Discontinuous> {};

/// On an operation: its floats, and all that they are computed from, are
/// rounded as they were written. --fuse-mark-precise sets it.
inline constexpr llvm::StringLiteral kPreciseAttr = "fuse.precise";

/// An operand that `op`, which moves elements, leaves as it is; null if none.
mlir::OpFoldResult foldMove(mlir::Operation *op);

/// Marks accesses: primitives that move elements and compute nothing.
template <typename ConcreteOp>
class MovesElements
    : public mlir::OpTrait::TraitBase<ConcreteOp, MovesElements> {
public:
  static mlir::OpFoldResult foldTrait(mlir::Operation *op,
                                      llvm::ArrayRef<mlir::Attribute>) {
    return foldMove(op);
  }
};

/// The tensor type of a value that is known to be one.
inline mlir::RankedTensorType getTensorType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
} // namespace fusec::fuse

#include "dialects/fuse/FuseDialect.decls.inc"
#include "dialects/fuse/FuseEnums.decls.inc"
#include "dialects/fuse/FuseInterfaces.decls.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/fuse/FuseAttrs.decls.inc"

#define GET_OP_CLASSES
#include "dialects/fuse/FuseOps.decls.inc"

namespace fusec::fuse {

/// Builds the body of `op` into `block`, which is empty. Its arguments become
/// the iteration point, an element of each operand and, if `op` reduces, an
/// accumulator for each result. Returns the body's results.
llvm::SmallVector<mlir::Value> buildBodyIn(mlir::Block &block,
                                           PrimitiveOpInterface op);

/// Whether `name` is that of an operator of a user's: its domain and type,
/// words with points between.
bool isOperatorName(llvm::StringRef name);

/// Whether `flag` may be among those that its sources are compiled with.
bool isOperatorFlag(llvm::StringRef flag);

} // namespace fusec::fuse

#endif // FUSEC_DIALECTS_FUSE_FUSEOPS_H
