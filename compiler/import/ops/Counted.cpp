// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators whose results have as many elements as their operands' values say:
// these must be known at import.
#include "compiler/import/Node.h"
#include "compiler/import/Presence.h"
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Compaction.h"
#include "dialects/coded/CodedFloats.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;

namespace fusec {
namespace {

/// `instead` is what a model may do that has results of fixed extents.
const HostTensor &requireKnown(Node &node, unsigned index,
                               const char *instead) {
  const HostTensor *constant = node.constant(index);
  if (!constant)
    node.unsupported("has a result of as many elements as operand " +
                         llvm::Twine(index) + " says, which is " +
                         node.runTimeText(index),
                     llvm::Twine(instead) +
                         ", or declare the result's shape in the model, with "
                         "as many rows as there can be, or end the model "
                         "before this node and compute "
                         "the rest outside (onnx.utils.extract_model)");
  return *constant;
}

//===- NonZero ------------------------------------------------------------===//

/// The positions of `rows` elements that are not 0, as only the run time knows
/// them.
void findNonZero(Node &node, int64_t rows) {
  Value x = node.input(0);
  RankedTensorType type = fuse::getTensorType(x);
  Value flat = node.reshape(x, {type.getNumElements()});
  Value flags = flat;
  if (!type.getElementType().isInteger(1))
    flags = node.compare(fuse::CmpPredicate::ne, flat, 0);
  auto [positions, count] = pickPositions(node, flags, rows, 0);
  SmallVector<Value> numbers;
  int64_t inner = type.getNumElements();
  for (int64_t extent : type.getShape()) {
    inner /= extent;
    Value number = node.div(positions, double(inner));
    number = node.binary<fuse::ModOp>(number, double(extent));
    numbers.push_back(node.reshape(number, {1, rows}));
  }
  node.setOutput(0, leaveRowsOpen(node, node.concat(numbers, 0), 1, count));
}

/// The positions of elements that are not 0, one a column.
void convertNonZero(Node &node) {
  node.requireInputs(1, 1);
  if (!node.constant(0) && node.rank(0) > 0 &&
      node.type(0).getNumElements() > 0)
    if (std::optional<int64_t> rows = declaredRows(node, 0, 2, 1))
      return findNonZero(node, *rows);
  const HostTensor &values = requireKnown(
      node, 0,
      "keep all elements, and mask those that do not count: torch.where(mask, "
      "x, 0) instead of x[mask]");
  SmallVector<int64_t> shape(node.shape(0));
  if (shape.empty()) // ONNX leaves this open; NumPy treats a scalar so
    shape = {1};
  std::vector<int64_t> found;
  for (int64_t i = 0; i < values.size(); ++i)
    if (values.isFloat() ? values.floats[i] != 0 : values.ints[i] != 0)
      found.push_back(i);
  std::vector<int64_t> positions;
  int64_t inner = values.size();
  for (int64_t extent : shape) {
    inner /= std::max<int64_t>(extent, 1);
    for (int64_t i : found)
      positions.push_back(i / inner % extent);
  }
  auto type = tensorType({int64_t(shape.size()), int64_t(found.size())},
                         node.builder.getI64Type());
  node.setOutput(0, HostTensor::fromInts(type, std::move(positions)));
}

//===- Unique -------------------------------------------------------------===//

/// Positions of the elements of each slice along `axis`.
std::vector<std::vector<int64_t>> slicesAlong(ArrayRef<int64_t> shape,
                                              int64_t axis) {
  int64_t inner = 1, outer = 1, extent = shape[axis];
  for (int64_t e : shape.drop_front(axis + 1))
    inner *= e;
  for (int64_t e : shape.take_front(axis))
    outer *= e;
  std::vector<std::vector<int64_t>> slices(extent);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t a = 0; a < extent; ++a)
      for (int64_t i = 0; i < inner; ++i)
        slices[a].push_back((o * extent + a) * inner + i);
  return slices;
}

/// The order of two slices by their first different element. NaN is above all
/// numbers and equal to itself.
int compareSlices(const HostTensor &values, ArrayRef<int64_t> a,
                  ArrayRef<int64_t> b) {
  bool isUnsigned = values.type.getElementType().isUnsignedInteger();
  auto isLess = [&](int64_t x, int64_t y) {
    if (!values.isFloat())
      return isUnsigned ? uint64_t(values.ints[x]) < uint64_t(values.ints[y])
                        : values.ints[x] < values.ints[y];
    double p = values.floats[x], q = values.floats[y];
    return std::isnan(q) ? !std::isnan(p) : p < q;
  };
  for (auto [x, y] : llvm::zip_equal(a, b))
    if (isLess(x, y) || isLess(y, x))
      return isLess(x, y) ? -1 : 1;
  return 0;
}

/// The same of elements that only the run time knows, sorted: each that differs
/// from the one before it is a row.
void findUnique(Node &node, int64_t rows) {
  int64_t length = node.type(0).getNumElements();
  OpBuilder &b = node.builder;
  Type i64 = b.getI64Type();
  Value x = node.reshape(node.input(0), {length});
  RankedTensorType type = fuse::getTensorType(x);
  auto sorting = fuse::CallOp::create(
      b, node.loc, {type, type.clone(i64)}, b.getStringAttr("top_k"),
      b.getDictionaryAttr({b.getNamedAttr("axis", b.getI64IntegerAttr(0)),
                           b.getNamedAttr("k", b.getI64IntegerAttr(length)),
                           b.getNamedAttr("largest", b.getBoolAttr(false))}),
      {x});
  Value sorted = sorting.getResult(0), order = sorting.getResult(1);
  Value position = node.iota(type.clone(i64), 0);
  Value isFirst = node.compare(fuse::CmpPredicate::eq, position, 0);
  Value before = node.make<fuse::GatherOp>(
      type, sorted, node.max(node.sub(position, 1), 0), uint64_t(0));
  Value isNew = node.compare(fuse::CmpPredicate::ne, sorted, before);
  if (isa<FloatType>(type.getElementType())) { // NaN is equal to itself
    auto isNan = [&](Value value) {
      return node.compare(fuse::CmpPredicate::ne, value, value);
    };
    Value areNan = node.binary<fuse::AndOp>(isNan(sorted), isNan(before));
    isNew = node.binary<fuse::AndOp>(isNew, node.unary<fuse::NotOp>(areNan));
  }
  isNew = node.binary<fuse::OrOp>(isNew, isFirst);
  // One more, for where the last one ends.
  auto [starts, count] = pickPositions(node, isNew, rows + 1, length);
  Value ends = node.slice(starts, 0, 1, rows);
  starts = node.slice(starts, 0, 0, rows);
  Value inside = node.min(starts, double(length - 1));
  auto pick = [&](Value from) {
    RankedTensorType of = fuse::getTensorType(from);
    return node.make<fuse::GatherOp>(of.clone({rows}), from, inside,
                                     uint64_t(0));
  };
  node.setOutput(0, leaveRowsOpen(node, pick(sorted), 0, count));
  node.setOutput(1, leaveRowsOpen(node, pick(order), 0, count));
  node.setOutput(3, leaveRowsOpen(node, node.sub(ends, starts), 0, count));
  if (!node.wantsOutput(2))
    return;
  // The number of each element's row, at the element's place.
  Value numbers = node.cast(isNew, i64);
  Value row =
      node.make<fuse::CumulateOp>(type.clone(i64), fuse::ReductionKind::sum,
                                  numbers, uint64_t(0), false, false);
  row = node.sub(row, 1);
  auto scatter = fuse::CallOp::create(
      b, node.loc, TypeRange{type.clone(i64)},
      b.getStringAttr("scatter_elements"),
      b.getDictionaryAttr(
          {b.getNamedAttr("axis", b.getI64IntegerAttr(0)),
           b.getNamedAttr("reduction", b.getStringAttr("none"))}),
      ValueRange{row, order, row});
  node.setOutput(2, scatter.getResult(0));
}

/// The rows that the model declares for one of the results, if it does.
std::optional<int64_t> declaredUnique(Node &node) {
  for (unsigned output : {0u, 1u, 3u})
    if (std::optional<int64_t> rows = declaredRows(node, output, 1, 0))
      return rows;
  return std::nullopt;
}

/// The distinct slices along an axis, or elements: sorted, or as they come;
/// where each comes first, which one each is, and how many are equal to it.
void convertUnique(Node &node) {
  node.requireInputs(1, 1);
  bool isFlat = !node.hasAttribute("axis"),
       isSorted = node.flag("sorted", true);
  int64_t axis =
      isFlat ? 0
             : node.normalizeAxis(node.intAttribute("axis", 0), node.rank(0));
  Type element = node.elementType(0);
  if (!node.constant(0) && isFlat && isSorted && !element.isInteger(1) &&
      !isCoded(element) && node.type(0).getNumElements() > 0)
    if (std::optional<int64_t> rows = declaredUnique(node))
      return findUnique(node, *rows);
  const HostTensor &values =
      requireKnown(node, 0, "keep the elements that occur twice");
  SmallVector<int64_t> shape(node.shape(0));
  if (isFlat)
    shape = {values.size()};
  std::vector<std::vector<int64_t>> slices = slicesAlong(shape, axis);
  // Equal slices lie together, in the order in which they come.
  std::vector<int64_t> order(slices.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    int sign = compareSlices(values, slices[a], slices[b]);
    return sign < 0 || (sign == 0 && a < b);
  });
  std::vector<int64_t> first, counts, inverse(slices.size());
  for (int64_t slice : order) {
    if (first.empty() ||
        compareSlices(values, slices[first.back()], slices[slice])) {
      first.push_back(slice);
      counts.push_back(0);
    }
    ++counts.back();
    inverse[slice] = int64_t(first.size()) - 1;
  }
  std::vector<int64_t> places(first.size()), rank(first.size());
  std::iota(places.begin(), places.end(), 0);
  if (!isSorted)
    llvm::sort(places,
               [&](int64_t a, int64_t b) { return first[a] < first[b]; });
  std::vector<int64_t> indices, sizes;
  for (auto [to, from] : llvm::enumerate(places)) {
    rank[from] = int64_t(to);
    indices.push_back(first[from]);
    sizes.push_back(counts[from]);
  }
  for (int64_t &place : inverse)
    place = rank[place];
  // Elements of the result in order: of each slice, those of one outer index.
  shape[axis] = int64_t(indices.size());
  int64_t inner = 1;
  for (int64_t extent : ArrayRef<int64_t>(shape).drop_front(axis + 1))
    inner *= extent;
  std::vector<int64_t> elements;
  int64_t length = slices.empty() ? 0 : int64_t(slices.front().size());
  for (int64_t at = 0; at < length; at += inner)
    for (int64_t slice : indices)
      elements.insert(elements.end(), slices[slice].begin() + at,
                      slices[slice].begin() + at + inner);
  node.setOutput(0,
                 values.pick(tensorType(shape, node.elementType(0)), elements));
  node.setOutput(1, node.hostVector(std::move(indices)));
  node.setOutput(2, node.hostVector(std::move(inverse)));
  node.setOutput(3, node.hostVector(std::move(sizes)));
}

} // namespace

void registerCounted(Registry &r) {
  r.add("NonZero", 9, convertNonZero);
  r.add("Unique", 11, convertUnique);
}

} // namespace fusec
