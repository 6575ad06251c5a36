// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the terms of a contraction's sums lie in its operands.
#ifndef FUSEC_PASSES_TERMS_H
#define FUSEC_PASSES_TERMS_H

#include "dialects/TargetInfo.h"
#include "dialects/TypeInfo.h"
#include "dialects/fuse/FuseOps.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

namespace fusec::fuse {

/// Whether `subscript` of an operand is an iterator of the contraction `op`
/// alone, and one that it sums over.
inline bool isTerm(PrimitiveOpInterface op, mlir::AffineExpr subscript) {
  auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(subscript);
  return dim && !op.getResultMap(0).isFunctionOfDim(dim.getPosition());
}

/// Whether `map`, from the iterators of the contraction `op` to what it reads,
/// ends in an iterator that it sums over: the terms of a sum lie side by side
/// in memory then, and the elements for neighbouring results do not.
inline bool endsInTerms(PrimitiveOpInterface op, mlir::AffineMap map) {
  return map.getNumResults() > 0 && isTerm(op, map.getResults().back());
}

/// The unit by which `target` adds several products of numbers of 8 bits, with
/// and without a sign, to a sum in one step; null if it has none.
inline const Unit *getByteUnit(const TargetInfo &target) {
  const InstructionSet *set = target.tiledFor;
  if (set)
    for (const Unit *unit : set->units)
      if (unit->terms > 1 && unit->factorBits == 8 && unit->hasUnsigned)
        return unit;
  return nullptr;
}
inline const Unit *getByteUnit(mlir::Operation *op) {
  return getByteUnit(getTargetInfo(op));
}

/// The unit by which `target` adds several products of bf16 to a sum in f32 in
/// one step; null if it has none.
inline const Unit *getBf16Unit(const TargetInfo &target) {
  const InstructionSet *set = target.tiledFor;
  if (set)
    for (const Unit *unit : set->units)
      if (unit->isFloat)
        return unit;
  return nullptr;
}

/// Whether `op` is a contraction of bf16 where there is such a unit.
inline bool multipliesBf16(mlir::Operation *op) {
  if (!mlir::isa<ContractOp>(op))
    return false;
  auto isBf16 = [](mlir::Value value) {
    return mlir::getElementTypeOrSelf(value).isBF16();
  };
  return llvm::all_of(op->getOperands(), isBf16) &&
         getBf16Unit(getTargetInfo(op));
}

/// The unit by which the threads of a warp multiply matrices of numbers of 8
/// bits on `target`; null if it has none.
inline const MatrixUnit *getByteMatrixUnit(const TargetInfo &target) {
  if (target.multiprocessor)
    for (const MatrixUnit *unit : target.multiprocessor->matrixUnits)
      if (unit->bytes == 1)
        return unit;
  return nullptr;
}

/// How many products of numbers of 8 bits, with and without a sign, `op` adds
/// to a sum in one step on its target; 0 where that has no unit for them.
inline int64_t countByteTerms(mlir::Operation *op) {
  const TargetInfo &target = getTargetInfo(op);
  if (const Unit *unit = getByteUnit(target))
    return unit->terms;
  const MatrixUnit *unit = getByteMatrixUnit(target);
  return unit ? unit->terms : 0;
}

/// As many terms as sums of `terms` products of such numbers have in whole
/// steps of the unit: matrices have no others.
inline int64_t alignByteTerms(mlir::Operation *op, int64_t terms) {
  const bool hasMatrices = getByteMatrixUnit(getTargetInfo(op));
  return hasMatrices ? llvm::alignTo(terms, countByteTerms(op)) : terms;
}

/// Whether `op` is a contraction of numbers of 8 bits, with and without a sign,
/// where there is a unit for them.
inline bool multipliesBytes(mlir::Operation *op) {
  if (!mlir::isa<ContractOp>(op))
    return false;
  auto isByte = [](mlir::Type type, bool isUnsigned) {
    auto element =
        mlir::dyn_cast<mlir::IntegerType>(mlir::getElementTypeOrSelf(type));
    return element && element.getWidth() == 8 &&
           element.isUnsigned() == isUnsigned;
  };
  mlir::Type lhs = op->getOperand(0).getType(),
             rhs = op->getOperand(1).getType();
  return ((isByte(lhs, true) && isByte(rhs, false)) ||
          (isByte(lhs, false) && isByte(rhs, true))) &&
         countByteTerms(op) > 0;
}

/// The unit by which the threads of a warp multiply matrices of what the
/// contraction `op` reads, to the last bit; null if the target has none.
inline const MatrixUnit *getMatrixUnit(ContractOp op) {
  const Multiprocessor *multiprocessor = getTargetInfo(op).multiprocessor;
  if (!multiprocessor)
    return nullptr;
  auto getName = [](mlir::Value value) -> llvm::StringRef {
    const TypeInfo *info = getTypeInfo(mlir::getElementTypeOrSelf(value));
    return info ? llvm::StringRef(info->name) : llvm::StringRef();
  };
  for (const MatrixUnit *unit : multiprocessor->matrixUnits)
    if (unit->isExact() && unit->takes(getName(op->getOperand(0))) &&
        unit->takes(getName(op->getOperand(1))) &&
        unit->sums == getName(op->getResult(0)))
      return unit;
  return nullptr;
}

} // namespace fusec::fuse

#endif // FUSEC_PASSES_TERMS_H
