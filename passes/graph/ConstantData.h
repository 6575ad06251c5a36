// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The contents of constant tensors: finding, reading, creating.
#ifndef FUSEC_PASSES_GRAPH_CONSTANTDATA_H
#define FUSEC_PASSES_GRAPH_CONSTANTDATA_H

#include "dialects/fuse/FuseOps.h"

#include "mlir/IR/PatternMatch.h"

namespace fusec::fuse {

/// A tensor known at compile time, seen through accesses: element `i` of the
/// value is element `map(i)` of the data.
struct ConstantData {
  mlir::RankedTensorType type;
  /// Row-major bytes in the storage type (a boolean is a byte), unaligned.
  llvm::ArrayRef<char> bytes;
  /// Holds `bytes` where nobody else does.
  std::shared_ptr<std::vector<char>> owned;
  mlir::AffineMap map;
  /// Whether a value of `valueType` is all of the data, in order. (The map of a
  /// slice from the start is an identity too.)
  bool isWhole(mlir::RankedTensorType valueType) const {
    return map.isIdentity() && valueType.getShape() == type.getShape();
  }
  /// The weight that the data came from, if it is one.
  WeightOp weight;
};

/// The contents of `value` if it is a constant, a weight, or a reshape or plain
/// access (broadcast, transpose, slice) of one.
std::optional<ConstantData> getConstantData(mlir::Value value);

/// The same where a decision may rest on the elements: nothing if they are
/// those of a weight that may get others once the program is compiled.
std::optional<ConstantData> getFixedData(mlir::Value value);

/// Whether `value` is such a constant, which takes no time that grows with the
/// number of weights. The data of a weight is taken to be there.
bool hasConstantData(mlir::Value value);
/// And it is all of the constant, in order.
bool isWholeConstant(mlir::Value value);

/// The contents of a weight, which may be null; nothing if they are not there.
std::optional<ConstantData> getWeightData(WeightOp weight);

/// The contents of the result of `op`, a reshape or plain access, if its
/// operand is `data`; nothing if that would have to be packed first, or if `op`
/// computes.
std::optional<ConstantData> lookThrough(mlir::Operation *op, ConstantData data);

/// The same contents, packed as the elements of a value of `type`.
ConstantData packData(const ConstantData &data, mlir::RankedTensorType type);

/// Packed elements.
ConstantData ownData(mlir::RankedTensorType type, std::vector<char> bytes);

/// If every element of the constant `value` is the same number: that number.
std::optional<double> getUniformFloat(mlir::Value value);
/// The same for integers and booleans.
std::optional<int64_t> getUniformInteger(mlir::Value value);

/// The elements of a constant of integers, in row-major order.
llvm::SmallVector<int64_t> getIntegers(const ConstantData &data);

/// Whether every element of a constant of floats has an integer of `type` when
/// its fraction is dropped: none is NaN or out of range.
bool fitsIntegers(const ConstantData &data, mlir::IntegerType type);

/// A fuse.constant or, above its size, a new fuse.weight and its get_weight;
/// `hint` becomes part of the weight's name. `from` is a weight, if any, that
/// the bytes were computed from: where it may get other values, what was
/// computed from it is a weight of any size, too.
mlir::Value createConstant(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::RankedTensorType type,
                           llvm::ArrayRef<char> bytes, llvm::StringRef hint,
                           WeightOp from = {});

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_CONSTANTDATA_H
