// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that read elements at positions that tensors hold.
#include "compiler/import/Presence.h"
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Compaction.h"
#include "compiler/import/ops/Indices.h"

using namespace mlir;

namespace fusec {
namespace {

//===- indices ------------------------------------------------------------===//

void requireIndices(Node &node) {
  Type type = node.elementType(1);
  if (!type.isInteger(32) && !type.isInteger(64))
    node.invalid("needs i32 or i64 indices, has " + typeText(type));
}

/// Indices that are known, counted from the front. Element number i of the last
/// dimension picks from `extents[i]` elements; one extent serves all.
HostTensor wrapIndices(Node &node, ArrayRef<int64_t> extents) {
  HostTensor indices = *node.constant(1);
  for (auto [i, index] : llvm::enumerate(indices.ints)) {
    int64_t extent = extents[i % extents.size()];
    if (index < -extent || index >= extent)
      node.invalid("gathers at " + llvm::Twine(index) + " from " +
                   llvm::Twine(extent) + " elements");
    index += index < 0 ? extent : 0;
  }
  return indices;
}

} // namespace

Value readIndices(Node &node, ArrayRef<int64_t> extents) {
  requireIndices(node);
  if (node.constant(1))
    return node.tensor(wrapIndices(node, extents));
  RankedTensorType type = node.type(1);
  if (type.getNumElements() != 0 && llvm::is_contained(extents, 0))
    node.invalid("gathers from a dimension without elements");
  auto repeat = [&](int64_t offset) {
    bool alike = llvm::all_equal(extents);
    Type element = type.getElementType();
    Value value;
    if (alike) {
      value = node.scalar(double(extents.front() + offset), element);
    } else {
      std::vector<int64_t> values;
      for (int64_t extent : extents)
        values.push_back(extent + offset);
      int64_t count = extents.size();
      value = node.tensor(
          HostTensor::fromInts(tensorType({count}, element), values));
    }
    return node.broadcast(value, type.getShape());
  };
  Value raw = node.input(1);
  Value isNegative = node.compare(fuse::CmpPredicate::lt, raw, 0);
  Value fromEnd = node.add(raw, repeat(0));
  Value indices = node.select(isNegative, fromEnd, raw);
  indices = node.max(indices, 0);
  return node.min(indices, repeat(-1));
}

namespace {

/// `value`, and 0 where it was read at a position that is not there: an index
/// from a row that was left open, as NonMaxSuppression does. The dimensions
/// `dims` of `value` are those of the indices.
Value readNothing(Node &node, Value value, Value presence,
                  ArrayRef<int64_t> dims) {
  if (!presence)
    return value;
  ArrayRef<int64_t> shape = fuse::getTensorType(value).getShape();
  return selectPresent(node, node.broadcast(presence, shape, dims), value);
}

/// `count` dimensions from `first` on.
SmallVector<int64_t> dimsFrom(int64_t first, int64_t count) {
  return llvm::to_vector(llvm::seq(first, first + count));
}

/// A gather of `shape` by its maps.
Value gather(Node &node, ArrayRef<int64_t> shape, Value operand,
             ArrayRef<Value> indices, ArrayRef<AffineMap> maps) {
  return node.make<fuse::GatherOp>(
      tensorType(shape, fuse::getTensorType(operand).getElementType()), operand,
      indices, node.builder.getAffineMapArrayAttr(maps));
}

//===- Gather -------------------------------------------------------------===//

SmallVector<int64_t> gatherShape(Node &node, int64_t axis) {
  SmallVector<int64_t> shape(node.shape(0).take_front(axis));
  llvm::append_range(shape, node.shape(1));
  llvm::append_range(shape, node.shape(0).drop_front(axis + 1));
  return shape;
}

void convertGather(Node &node) {
  node.requireInputs(2, 2);
  int64_t axis = node.normalizeAxis(node.intAttribute("axis", 0), node.rank(0));
  int64_t extent = node.shape(0)[axis];
  requireIndices(node);
  SmallVector<int64_t> shape = gatherShape(node, axis);
  RankedTensorType type = tensorType(shape, node.elementType(0));
  if (node.constant(1) && node.constant(1)->size() == 1) {
    // One position is a slice.
    int64_t position = wrapIndices(node, extent).ints[0];
    Value picked = node.slice(node.input(0), axis, position, 1);
    return node.setOutput(0, node.reshape(picked, shape));
  }
  Value from = node.input(0), positions = readIndices(node, extent);
  Value picked =
      node.make<fuse::GatherOp>(type, from, positions, uint64_t(axis));
  node.setOutput(0, readNothing(node, picked, node.presence(1),
                                dimsFrom(axis, node.rank(1))));
}

//===- GatherElements, GatherND -------------------------------------------===//

} // namespace

Value gatherElements(Node &node, Value x, Value n, int64_t axis) {
  RankedTensorType type = fuse::getTensorType(n);
  Builder &b = node.builder;
  AffineMap point = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineExpr> subscripts(point.getResults());
  subscripts[axis] = b.getAffineSymbolExpr(0);
  return gather(
      node, type.getShape(), x, n,
      {AffineMap::get(type.getRank(), 1, subscripts, b.getContext()), point});
}

namespace {

void convertGatherElements(Node &node) {
  node.requireInputs(2, 2);
  int64_t rank = node.rank(0);
  int64_t axis = node.normalizeAxis(node.intAttribute("axis", 0), rank);
  requireIndices(node);
  bool fits = node.rank(1) == rank;
  for (int64_t d = 0; fits && d < rank; ++d)
    fits = d == axis || node.shape(1)[d] <= node.shape(0)[d];
  if (!fits)
    node.invalid("cannot gather elements of " + shapeText(node.shape(0)) +
                 " along axis " + llvm::Twine(axis) + " by indices of shape " +
                 shapeText(node.shape(1)));
  Value x = node.input(0), indices = readIndices(node, node.shape(0)[axis]);
  Value picked = gatherElements(node, x, indices, axis);
  node.setOutput(
      0, readNothing(node, picked, node.presence(1), dimsFrom(0, rank)));
}

/// Which of the indices into several dimensions are there.
Value presenceOfIndices(Node &node) {
  Value numbers = node.presence(1);
  if (!numbers)
    return {};
  numbers = node.cast(numbers, node.builder.getI32Type());
  Value all = node.reduce(Combiner::Min, numbers, {node.rank(1) - 1});
  return node.compare(fuse::CmpPredicate::ne, all, 0);
}

/// y[b..., o..., i...] = x[b..., n[b..., o..., :], i...]
void convertGatherNd(Node &node) {
  node.requireInputs(2, 2);
  requireIndices(node);
  int64_t batch = node.intAttribute("batch_dims", 0);
  int64_t rank = node.rank(0), indexRank = node.rank(1);
  if (batch < 0 || batch >= std::min(rank, indexRank) ||
      node.shape(0).take_front(batch) != node.shape(1).take_front(batch))
    node.invalid("has " + llvm::Twine(batch) + " batch_dims for " +
                 shapeText(node.shape(0)) + " and indices of shape " +
                 shapeText(node.shape(1)));
  int64_t count = node.shape(1).back();
  if (count < 1 || count > rank - batch)
    node.invalid("has indices of " + llvm::Twine(count) + " numbers into " +
                 llvm::Twine(rank - batch) + " dimensions");
  SmallVector<int64_t> shape(node.shape(1).drop_back());
  llvm::append_range(shape, node.shape(0).drop_front(batch + count));
  // Each number of an index is a symbol, read at its place of one tensor.
  Builder &b = node.builder;
  int64_t outer = indexRank - 1;
  SmallVector<AffineExpr> subscripts, place;
  for (int64_t d = 0; d < outer; ++d)
    place.push_back(b.getAffineDimExpr(d));
  place.push_back({});
  SmallVector<AffineMap> maps = {{}};
  for (int64_t d = 0; d < batch; ++d)
    subscripts.push_back(b.getAffineDimExpr(d));
  for (int64_t k = 0; k < count; ++k) {
    subscripts.push_back(b.getAffineSymbolExpr(k));
    place.back() = b.getAffineConstantExpr(k);
    maps.push_back(AffineMap::get(shape.size(), 0, place, b.getContext()));
  }
  for (int64_t d = outer; d < int64_t(shape.size()); ++d)
    subscripts.push_back(b.getAffineDimExpr(d));
  maps[0] = AffineMap::get(shape.size(), count, subscripts, b.getContext());
  Value x = node.input(0);
  Value indices = readIndices(node, node.shape(0).slice(batch, count));
  Value picked =
      gather(node, shape, x, SmallVector<Value>(count, indices), maps);
  node.setOutput(0, readNothing(node, picked, presenceOfIndices(node),
                                dimsFrom(0, outer)));
}

//===- ReverseSequence, Compress ------------------------------------------===//

/// Along the time axis, t is read at length - 1 - t where t < length.
void convertReverseSequence(Node &node) {
  node.requireInputs(2, 2);
  int64_t rank = node.rank(0);
  if (rank < 2)
    node.invalid("needs an input of rank 2 or more, has " +
                 shapeText(node.shape(0)));
  int64_t batch = node.normalizeAxis(node.intAttribute("batch_axis", 1), rank);
  int64_t time = node.normalizeAxis(node.intAttribute("time_axis", 0), rank);
  if (batch == time || batch > 1 || time > 1)
    node.invalid("needs 0 and 1 as batch_axis and time_axis, has " +
                 llvm::Twine(batch) + " and " + llvm::Twine(time));
  if (node.shape(1) != node.shape(0).slice(batch, 1) ||
      !node.elementType(1).isInteger(64))
    node.invalid("needs i64 lengths of shape " +
                 shapeText(node.shape(0).slice(batch, 1)) + ", has " +
                 typeText(node.type(1)));
  Builder &b = node.builder;
  int64_t longest = node.shape(0)[time];
  RankedTensorType type =
      tensorType(node.shape(0).take_front(2), b.getI64Type());
  Value x = node.input(0), given = node.input(1);
  Value length = node.broadcast(given, type.getShape(), {batch});
  length = node.min(length, longest);
  Value t = node.iota(type, time);
  Value last = node.sub(length, 1);
  Value mirrored = node.sub(last, t);
  Value isInside = node.compare(fuse::CmpPredicate::lt, t, length);
  Value position = node.select(isInside, mirrored, t);
  SmallVector<AffineExpr> subscripts(
      b.getMultiDimIdentityMap(rank).getResults());
  AffineExpr place[] = {subscripts[0], subscripts[1]};
  subscripts[time] = b.getAffineSymbolExpr(0);
  node.setOutput(0, gather(node, node.shape(0), x, position,
                           {AffineMap::get(rank, 1, subscripts, b.getContext()),
                            AffineMap::get(rank, 0, place, b.getContext())}));
}

/// `rows` of them, of a condition that only the run time knows.
void compressAtRunTime(Node &node, ArrayRef<int64_t> shape, int64_t axis,
                       int64_t rows) {
  // A condition may be shorter, not longer: what is left is not picked.
  int64_t length = std::min(node.shape(1)[0], shape[axis]);
  Value flags = node.slice(node.input(1), 0, 0, length);
  auto [positions, count] = pickPositions(node, flags, rows, 0);
  Value x = node.reshape(node.input(0), shape);
  SmallVector<int64_t> picked(shape);
  picked[axis] = rows;
  Value result = node.make<fuse::GatherOp>(
      tensorType(picked, node.elementType(0)), x, positions, uint64_t(axis));
  node.setOutput(0, leaveRowsOpen(node, result, axis, count));
}

/// The slices, or without an axis the elements, whose condition holds.
void convertCompress(Node &node) {
  node.requireInputs(2, 2);
  int64_t axis = 0;
  bool isFlat = !node.hasAttribute("axis");
  if (!isFlat)
    axis = node.normalizeAxis(node.intAttribute("axis", 0), node.rank(0));
  if (node.rank(1) != 1 || !node.elementType(1).isInteger(1))
    node.invalid("needs a condition of booleans in one dimension, has " +
                 typeText(node.type(1)));
  SmallVector<int64_t> shape(node.shape(0));
  if (isFlat)
    shape = {node.type(0).getNumElements()};
  if (!node.constant(1) && node.type(0).getNumElements() > 0)
    if (auto rows = declaredRows(node, 0, shape.size(), axis))
      return compressAtRunTime(node, shape, axis, *rows);
  std::vector<int64_t> condition = node.constantInts(1, "condition");
  std::vector<int64_t> positions;
  for (auto [i, holds] : llvm::enumerate(condition))
    if (holds != 0)
      positions.push_back(i);
  if (!positions.empty() && positions.back() >= shape[axis])
    node.invalid("picks position " + llvm::Twine(positions.back()) + " of " +
                 llvm::Twine(shape[axis]));
  Value x = node.reshape(node.input(0), shape);
  shape[axis] = positions.size();
  Value indices = node.tensor(HostTensor::fromInts(
      tensorType(shape[axis], node.builder.getI64Type()), positions));
  node.setOutput(
      0, node.make<fuse::GatherOp>(tensorType(shape, node.elementType(0)), x,
                                   indices, uint64_t(axis)));
}

} // namespace

void registerGather(Registry &r) {
  r.add("Gather", 1, convertGather).takesCodes = true;
  r.add("GatherElements", 11, convertGatherElements);
  r.add("GatherND", 11, convertGatherNd);
  r.add("ReverseSequence", 10, convertReverseSequence);
  r.add("Compress", 9, convertCompress);
}

} // namespace fusec
