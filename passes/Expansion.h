// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of a byte or less, and what is computed of them where they are read.
#ifndef FUSEC_PASSES_EXPANSION_H
#define FUSEC_PASSES_EXPANSION_H

#include "dialects/TargetInfo.h"
#include "dialects/TypeInfo.h"
#include "dialects/fuse/FuseOps.h"

namespace fusec::fuse {

/// Codes, a zero point and a scale, and how these are laid, take a few steps.
constexpr unsigned kMostSteps = 12;

/// Weights of a byte that have no more elements become floats.
constexpr int64_t kFewCodes = 65536;

/// Whether `type` is one of weights that may be expanded where they are read:
/// integers of less than a byte, or many of a byte.
inline bool isNarrowWeight(mlir::RankedTensorType type) {
  return isPartOfByte(type) || (type.getElementType().isInteger(8) &&
                                type.getNumElements() > kFewCodes);
}

/// Whether `value` is computed from constants, point by point. `isNarrow` says
/// whether one of them is a weight of a byte or less that is no smaller.
inline bool readsConstants(mlir::Value value, int64_t elements, bool &isNarrow,
                           unsigned steps = kMostSteps) {
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
    auto group = mlir::dyn_cast<GroupOp>(argument.getOwner()->getParentOp());
    return group && readsConstants(group->getOperand(argument.getArgNumber()),
                                   elements, isNarrow, steps);
  }
  mlir::Operation *op = value.getDefiningOp();
  if (!op || steps == 0)
    return false;
  if (mlir::isa<ConstantOp, GetWeightOp>(op)) {
    isNarrow |= mlir::isa<GetWeightOp>(op) &&
                isNarrowWeight(getTensorType(value)) &&
                getTensorType(value).getNumElements() >= elements;
    return true;
  }
  auto primitive = mlir::dyn_cast<PrimitiveOpInterface>(op);
  if (!mlir::isa<ReshapeOp>(op) && (!primitive || primitive.hasReduction()))
    return false;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if ((primitive &&
         (primitive.getPadding(i) || !primitive.getIndirect(i).empty())) ||
        !readsConstants(operand, elements, isNarrow, steps - 1))
      return false;
  return true;
}

/// Whether `op` converts integers of a byte into numbers that hold them all: a
/// load does it along the way, and what is stored takes less memory. May be
/// null.
inline bool widensBytes(mlir::Operation *op) {
  auto cast = mlir::dyn_cast_if_present<CastOp>(op);
  if (!cast)
    return false;
  mlir::Type from = getTensorType(cast.getOperand()).getElementType(),
             to = getTensorType(cast.getResult()).getElementType();
  return from.isInteger(8) && to.getIntOrFloatBitWidth() >= 32;
}

/// Whether `value` is computed from constants, numbers that are the same at all
/// points, and `codes`, integers of a byte for each point; sets `codes` to the
/// first such integers that it finds.
inline bool readsCodes(mlir::Value value, int64_t elements, mlir::Value &codes,
                       unsigned steps = kMostSteps) {
  auto type = getTensorType(value);
  mlir::Operation *op = value.getDefiningOp();
  if (type.getNumElements() == 1 ||
      mlir::isa_and_present<ConstantOp, GetWeightOp>(op))
    return true;
  if (type.getElementType().isInteger(8) && type.getNumElements() == elements) {
    if (!codes)
      codes = value;
    return codes == value;
  }
  auto primitive = mlir::dyn_cast_if_present<PrimitiveOpInterface>(op);
  if (!primitive || primitive.hasReduction() || steps == 0)
    return false;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (primitive.getPadding(i) || !primitive.getIndirect(i).empty() ||
        !readsCodes(operand, elements, codes, steps - 1))
      return false;
  return true;
}

/// Whether `op` computes, point by point, what codes of a byte stand for: to
/// read these and compute it again takes less memory than to read the result.
inline bool standsForCodes(mlir::Operation *op) {
  if (!mlir::isa<PrimitiveOpInterface>(op) || op->getNumResults() != 1)
    return false;
  auto type = getTensorType(op->getResult(0));
  mlir::Value codes;
  return type.getElementType().getIntOrFloatBitWidth() > 8 &&
         readsCodes(op->getResult(0), type.getNumElements(), codes) && codes;
}

/// Whether `op` widens floats to the type that bodies get them in from a load
/// in any case: nothing is computed, and what is stored takes less memory.
inline bool widensFloats(mlir::Operation *op) {
  auto cast = mlir::dyn_cast<CastOp>(op);
  if (!cast)
    return false;
  mlir::Type from = getTensorType(cast.getOperand()).getElementType(),
             to = getTensorType(cast.getResult()).getElementType();
  return mlir::isa<mlir::FloatType>(from) && from != to &&
         to == getComputeType(from);
}

/// What readsPicked finds.
struct Picked {
  llvm::DenseSet<mlir::Operation *> ops; ///< that compute the value
  /// Those of them that pick, by indices.
  llvm::SmallVector<PrimitiveOpInterface> picks;
  /// Whether one picks a code of a byte or less for each point.
  bool hasCodes = false;
};

/// Whether `value` is computed from what is picked by indices, of `elements`
/// or of fewer, and from what is not `inside`, point by point.
inline bool readsPicked(mlir::Value value, int64_t elements,
                        llvm::function_ref<bool(mlir::Operation *)> isInside,
                        Picked &picked, unsigned steps = kMostSteps) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op || mlir::isa<ConstantOp>(op) || !isInside(op))
    return true;
  auto primitive = mlir::dyn_cast<PrimitiveOpInterface>(op);
  if (!primitive || primitive.hasReduction() || steps == 0)
    return false;
  picked.ops.insert(op);
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (primitive.getPadding(i))
      return false;
    if (!primitive.getIndirect(i).empty()) {
      auto type = getTensorType(value);
      picked.picks.push_back(primitive);
      picked.hasCodes |= type.getElementType().getIntOrFloatBitWidth() <= 8 &&
                         type.getNumElements() == elements;
      return i == 0;
    }
    if (!readsPicked(operand, elements, isInside, picked, steps - 1))
      return false;
  }
  return true;
}

/// Whether `op` computes, point by point, what codes of a byte or less stand
/// for that are picked by indices. May be null.
inline bool expandsPicked(mlir::Operation *op) {
  Picked picked;
  return op && op->getNumResults() == 1 &&
         readsPicked(
             op->getResult(0), getTensorType(op->getResult(0)).getNumElements(),
             [](mlir::Operation *) { return true; }, picked) &&
         picked.hasCodes;
}

/// How many results of `contraction` read an element of its operand `number`:
/// where that is a matrix of weights, the rows of the other one.
inline int64_t countRows(PrimitiveOpInterface contraction, unsigned number) {
  int64_t rows = 1;
  mlir::AffineMap map = contraction.getOperandMap(number);
  llvm::SmallVector<int64_t> extents = contraction.getIterationExtents();
  for (auto [d, kind] : llvm::enumerate(contraction.getIterators()))
    if (kind == mlir::utils::IteratorType::parallel && !map.isFunctionOfDim(d))
      rows *= extents[d];
  return rows;
}

/// Codes are expanded again for no more tiles of rows than these, each of which
/// takes at least as many rows as there are vectors in flight, on any machine.
constexpr int64_t kFewTiles = 4;

/// Whether `contraction`, of a CPU, reads each element of its operand `number`
/// for so few rows that to expand codes again for each tile of these takes less
/// time than to store all of them expanded and to read that.
inline bool isForFewRows(PrimitiveOpInterface contraction, unsigned number) {
  const TargetInfo &target = getTargetInfo(contraction);
  auto type = getTensorType(contraction->getOperand(number));
  return !target.hasBlocks() &&
         countRows(contraction, number) <=
             kFewTiles * target.getVectorsInFlight(getLaneBytes(type));
}

/// Whether `op` computes, point by point, what weights of a byte or less stand
/// for: to read these and compute it again takes less time than to read
/// the result. May be null.
inline bool isExpansion(mlir::Operation *op) {
  if (!mlir::isa_and_present<PrimitiveOpInterface>(op) ||
      op->getNumResults() != 1)
    return false;
  mlir::Value result = op->getResult(0);
  bool isNarrow = false;
  return readsConstants(result, getTensorType(result).getNumElements(),
                        isNarrow) &&
         isNarrow;
}

} // namespace fusec::fuse

#endif // FUSEC_PASSES_EXPANSION_H
