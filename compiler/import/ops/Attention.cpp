// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/ops/Attention.h"

#include <cmath>

using namespace mlir;

namespace fusec {

//===- Heads --------------------------------------------------------------===//

Value splitWidth(Node &node, Value value, int64_t heads) {
  ArrayRef<int64_t> shape = fuse::getTensorType(value).getShape();
  if (shape.size() != 3 || heads < 1 || shape[2] % heads != 0)
    node.invalid("cannot split " + shapeText(shape) + " into " +
                 llvm::Twine(heads) + " heads");
  return node.reshape(value, {shape[0], shape[1], heads, shape[2] / heads});
}

Value splitHeads(Node &node, Value value, int64_t heads) {
  return node.transpose(splitWidth(node, value, heads), {0, 2, 1, 3});
}

Value mergeHeads(Node &node, Value value) {
  ArrayRef<int64_t> shape = fuse::getTensorType(value).getShape();
  SmallVector<int64_t> merged = {shape[0], shape[2], shape[1] * shape[3]};
  return node.reshape(node.transpose(value, {0, 2, 1, 3}), merged);
}

void checkHeads(Node &node, Value q, Value k, Value v) {
  if (dimOf(k, 0) != dimOf(q, 0) || dimOf(k, 3) != dimOf(q, 3))
    node.invalid("has keys of shape " +
                 shapeText(fuse::getTensorType(k).getShape()) +
                 " for queries of shape " +
                 shapeText(fuse::getTensorType(q).getShape()));
  if (fuse::getTensorType(v).getShape().take_front(3) !=
      fuse::getTensorType(k).getShape().take_front(3))
    node.invalid(
        "has values of shape " + shapeText(fuse::getTensorType(v).getShape()) +
        " for keys of shape " + shapeText(fuse::getTensorType(k).getShape()));
  if (dimOf(k, 1) < 1 || dimOf(q, 1) % dimOf(k, 1) != 0)
    node.invalid("cannot share " + llvm::Twine(dimOf(k, 1)) +
                 " heads of keys among " + llvm::Twine(dimOf(q, 1)) +
                 " heads of queries: their number has to divide that of the "
                 "queries' heads");
}

void checkMask(Node &node, const llvm::Twine &what, unsigned index,
               ArrayRef<int64_t> shape, ArrayRef<int64_t> scores) {
  bool fits = shape.size() == scores.size() &&
              llvm::all_of(llvm::zip_equal(shape, scores), [](auto extents) {
                auto [own, of] = extents;
                return own == 1 || own == of;
              });
  if (!fits)
    node.invalid("has " + what + " of shape " + shapeText(node.shape(index)) +
                 " for scores of shape " + shapeText(scores) +
                 ": each of its dimensions has to be 1 or as the scores'");
}

Value appendToPast(Node &node, unsigned past, Value current) {
  if (!node.hasInput(past))
    return current;
  auto type = fuse::getTensorType(current);
  ArrayRef<int64_t> before = node.shape(past);
  SmallVector<int64_t> shape(type.getShape());
  if (before.size() == 4)
    shape[2] = before[2];
  if (before != ArrayRef<int64_t>(shape) ||
      node.elementType(past) != type.getElementType())
    node.invalid("has a past of type " + typeText(node.type(past)) +
                 " for keys or values of type " + typeText(type));
  if (before[2] == 0)
    return current;
  shape[2] += type.getDimSize(2);
  return node.concat({node.input(past), current}, 2);
}

//===- Masks --------------------------------------------------------------===//

Value AttentionMask::keys() {
  return node.iota(intType({1, 1, 1, scores[3]}), 3);
}

Value AttentionMask::compare(fuse::CmpPredicate predicate, Value lhs,
                             Value rhs) {
  SmallVector<int64_t> shape =
      node.broadcastShape({fuse::getTensorType(lhs).getShape(),
                           fuse::getTensorType(rhs).getShape()});
  lhs = node.broadcast(lhs, shape);
  rhs = node.broadcast(rhs, shape);
  return node.compare(predicate, lhs, rhs);
}

/// `first` and `second` of what is there, both repeated to one shape.
template <typename Op>
static Value combine(Node &node, Value first, Value second) {
  if (!first)
    return second;
  auto type = fuse::getTensorType(first);
  SmallVector<int64_t> shape = node.broadcastShape(
      {type.getShape(), fuse::getTensorType(second).getShape()});
  first = node.broadcast(first, shape);
  second = node.broadcast(second, shape);
  return node.make<Op>(type.clone(shape), first, second);
}

void AttentionMask::addBias(Value value) {
  bias = combine<fuse::AddOp>(node, bias, value);
}

void AttentionMask::require(Value condition) {
  allowed = combine<fuse::AndOp>(node, allowed, condition);
}

void AttentionMask::penalise(Value visible, double penalty, Type element) {
  Value nothing = node.splat(0, fuse::getTensorType(visible).clone(element));
  addBias(node.select(visible, nothing, penalty));
}

void AttentionMask::addLengths(Value lengths) {
  Value key = keys();
  require(compare(fuse::CmpPredicate::lt, key, lengths));
}

void AttentionMask::addBand(int64_t left, int64_t right, int64_t pastLength,
                            Value lengths) {
  if (left < 0 && right < 0)
    return;
  SmallVector<int64_t> shape = {lengths ? scores[0] : 1, 1, scores[2],
                                scores[3]};
  auto type = intType(shape);
  Value position = node.iota(type, 2);
  Value key = node.iota(type, 3);
  if (lengths) {
    position = node.add(position, node.broadcast(lengths, shape));
    pastLength = -scores[2];
  }
  auto shifted = [&](int64_t by) {
    return by == 0 ? position : node.add(position, by);
  };
  if (right >= 0)
    require(compare(fuse::CmpPredicate::le, key, shifted(pastLength + right)));
  if (left >= 0)
    require(compare(fuse::CmpPredicate::ge, key, shifted(pastLength - left)));
}

//===- Attention ----------------------------------------------------------===//

double defaultScale(Value q) {
  return 1 / std::sqrt(double(std::max<int64_t>(dimOf(q, 3), 1)));
}

fuse::AttentionOp attend(Node &node, Value q, Value k, Value v,
                         const AttentionMask &mask, double scale,
                         double softcap,
                         std::optional<fuse::AttentionStage> wanted) {
  SmallVector<int64_t> scores = {dimOf(q, 0), dimOf(q, 1), dimOf(q, 2),
                                 dimOf(k, 2)};
  SmallVector<int64_t> shape = scores;
  shape.back() = dimOf(v, 3);
  OpBuilder &b = node.builder;
  auto type = fuse::getTensorType(q).clone(shape);
  return fuse::AttentionOp::create(
      b, node.loc, type, wanted ? Type(type.clone(scores)) : Type(), q, k, v,
      mask.bias, mask.allowed, b.getF64FloatAttr(scale),
      b.getF64FloatAttr(softcap),
      fuse::AttentionStageAttr::get(
          b.getContext(), wanted.value_or(fuse::AttentionStage::product)));
}

//===- Tables -------------------------------------------------------------===//

Value pickRows(Node &node, unsigned table, Value ids) {
  ids = node.max(ids, 0);
  ids = node.min(ids, node.shape(table)[0] - 1);
  SmallVector<int64_t> shape(fuse::getTensorType(ids).getShape());
  shape.push_back(node.shape(table)[1]);
  return node.make<fuse::GatherOp>(tensorType(shape, node.elementType(table)),
                                   node.input(table), ids, uint64_t(0));
}

} // namespace fusec
