// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators whose result depends on where an element lies.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"
#include "compiler/io/ElementType.h"

#include <fmt/format.h>

using namespace mlir;

namespace fusec {
namespace {

//===- OneHot -------------------------------------------------------------===//

int64_t readDepth(Node &node) {
  const HostTensor *depth = node.constant(1);
  if (!depth)
    return node.constantInts(1, "depth")[0]; // says why not
  if (depth->size() != 1)
    node.invalid("needs one depth, has " + shapeText(node.shape(1)));
  double value = depth->isFloat() ? depth->floats[0] : double(depth->ints[0]);
  // It may be no number, or none that an integer holds.
  if (!(value >= 1 && value < 0x1p31))
    node.invalid(fmt::format("has the depth {:.17g}", value));
  return int64_t(value);
}

/// values[1] where the index, from the end if negative, is the position along
/// the new axis, values[0] elsewhere.
void convertOneHot(Node &node) {
  node.requireInputs(3, 3);
  int64_t rank = node.rank(0);
  int64_t axis = node.normalizeAxis(node.intAttribute("axis", -1), rank + 1);
  if (node.shape(2) != ArrayRef<int64_t>{2})
    node.invalid("needs the values off and on, has " + typeText(node.type(2)));
  int64_t depth = readDepth(node);
  SmallVector<int64_t> shape(node.shape(0)), unit(node.shape(0));
  shape.insert(shape.begin() + axis, depth);
  unit.insert(unit.begin() + axis, 1);

  // 32 bits do for narrow indices: sums with the depth fit or wrap to values
  // that are no position.
  Type given = node.elementType(0);
  bool isNarrow = given.isInteger() && given.getIntOrFloatBitWidth() <= 32 &&
                  !given.isUnsignedInteger(32);
  OpBuilder &b = node.builder;
  RankedTensorType type =
      tensorType(node.shape(0), isNarrow ? b.getI32Type() : b.getI64Type());
  Value index = node.input(0);
  if (given != type.getElementType())
    index = node.cast(index, type.getElementType());
  if (!given.isUnsignedInteger()) {
    Value isNegative = node.compare(fuse::CmpPredicate::lt, index, 0);
    Value fromEnd = node.add(index, depth);
    index = node.select(isNegative, fromEnd, index);
  }
  if (Value presence = node.presence(0))
    index = node.select(presence, index, depth);
  index = node.broadcast(node.reshape(index, unit), shape);
  Value position = node.iota(type.clone(shape), axis);
  Value isHot = node.compare(fuse::CmpPredicate::eq, index, position);

  auto value = [&](int64_t which) {
    Value picked = node.slice(node.input(2), 0, which, 1);
    return node.broadcast(node.reshape(picked, {}), shape);
  };
  Value off = value(0), on = value(1);
  node.setOutput(0, node.select(isHot, on, off));
}

//===- Trilu, EyeLike -----------------------------------------------------===//

/// Column minus row at each place of a matrix.
Value diagonals(Node &node, ArrayRef<int64_t> shape, Type elementType) {
  RankedTensorType type = tensorType(shape, elementType);
  Value column = node.iota(type, 1);
  Value row = node.iota(type, 0);
  return node.sub(column, row);
}

/// Number `k` of a diagonal, or one beyond those of a matrix of `shape`.
int64_t clampDiagonal(int64_t k, ArrayRef<int64_t> shape) {
  return std::clamp(k, -shape[0] - 1, shape[1] + 1);
}

void convertTrilu(Node &node) {
  node.requireInputs(1, 2);
  if (node.rank(0) < 2)
    node.invalid("needs matrices, has " + shapeText(node.shape(0)));
  bool isUpper = node.flag("upper", true);
  ArrayRef<int64_t> matrix = node.shape(0).take_back(2);
  OpBuilder &b = node.builder;
  if (node.hasInput(1) && (node.type(1).getNumElements() != 1 ||
                           !node.elementType(1).isInteger(64)))
    node.invalid("needs one i64 as k, has " + typeText(node.type(1)));
  bool isKnown = !node.hasInput(1) || node.constant(1);
  Type type = isKnown ? b.getI32Type() : b.getI64Type();
  Value k;
  if (isKnown)
    k = node.scalar(
        double(clampDiagonal(node.hasInput(1) ? node.constant(1)->ints[0] : 0,
                             matrix)),
        type);
  else
    k = node.reshape(node.input(1), {});
  k = node.broadcast(k, matrix);
  auto side = isUpper ? fuse::CmpPredicate::ge : fuse::CmpPredicate::le;
  Value isKept = node.compare(side, diagonals(node, matrix, type), k);
  Value x = node.input(0);
  isKept = node.broadcast(isKept, node.shape(0));
  node.setOutput(0, node.select(isKept, x, 0));
}

void convertEyeLike(Node &node) {
  node.requireInputs(1, 1);
  if (node.rank(0) != 2)
    node.invalid("needs a matrix, has " + shapeText(node.shape(0)));
  Type to = node.elementType(0);
  if (node.hasAttribute("dtype")) {
    int code = int(node.intAttribute("dtype"));
    to = elementTypeFromOnnx(code, node.builder.getContext());
    if (!to || !getTypeInfo(to))
      node.unsupported("makes a matrix of " + io::onnxTypeName(code) +
                       ", which is not supported");
  }
  int64_t k = clampDiagonal(node.intAttribute("k", 0), node.shape(0));
  Type type = node.builder.getI32Type();
  Value place = diagonals(node, node.shape(0), type);
  Value isOne = node.compare(fuse::CmpPredicate::eq, place, k);
  node.setOutput(0, to.isInteger(1) ? isOne : node.cast(isOne, to));
}

//===- CumSum, CumProd ----------------------------------------------------===//

void cumulate(Node &node, fuse::ReductionKind kind) {
  node.requireInputs(2, 2);
  if (node.elementType(0).isInteger(1))
    node.invalid("needs numbers, has booleans");
  std::vector<int64_t> axes = node.constantInts(1, "axis");
  if (axes.size() != 1)
    node.invalid("needs one axis, has " + shapeText(axes));
  int64_t axis = node.normalizeAxis(axes[0], node.rank(0));
  bool isExclusive = node.flag("exclusive"), isReverse = node.flag("reverse");
  node.setOutput(0, node.make<fuse::CumulateOp>(node.type(0), kind,
                                                node.input(0), uint64_t(axis),
                                                isExclusive, isReverse));
}
void convertCumSum(Node &node) { cumulate(node, fuse::ReductionKind::sum); }
void convertCumProd(Node &node) { cumulate(node, fuse::ReductionKind::prod); }

} // namespace

void registerPositions(Registry &r) {
  r.add("OneHot", 9, convertOneHot);
  r.add("Trilu", 14, convertTrilu);
  r.add("EyeLike", 9, convertEyeLike);
  r.add("CumSum", 11, convertCumSum);
  r.add("CumProd", 26, convertCumProd);
}

} // namespace fusec
