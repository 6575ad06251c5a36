// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and rotary embeddings (ONNX 23 and later).
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace fusec {
namespace {

int64_t dimOf(Value value, unsigned dim) {
  return fuse::getTensorType(value).getDimSize(dim);
}

/// Operand `index` as [batch, heads, length, width]: itself at rank 4, or
/// [batch, length, heads * width] split into `heads`.
Value readHeads(Node &node, unsigned index, llvm::StringRef attribute) {
  node.requireFloat(index);
  ArrayRef<int64_t> shape = node.shape(index);
  if (shape.size() != size_t(node.rank(0)))
    node.invalid("needs query, key and value of one rank, has " +
                 shapeText(node.shape(0)) + " and " + shapeText(shape));
  if (shape.size() == 4) {
    if (node.hasAttribute(attribute) &&
        node.intAttribute(attribute) != shape[1])
      node.invalid("has " + attribute + " " +
                   llvm::Twine(node.intAttribute(attribute)) +
                   " but an operand of shape " + shapeText(shape));
    return node.input(index);
  }
  if (shape.size() != 3)
    node.invalid("needs operands of rank 3 or 4, has " + shapeText(shape));
  int64_t heads = node.intAttribute(attribute);
  if (heads < 1 || shape[2] % heads != 0)
    node.invalid("cannot split " + shapeText(shape) + " into " +
                 llvm::Twine(heads) + " heads");
  Value split = node.reshape(node.input(index),
                             {shape[0], shape[1], heads, shape[2] / heads});
  return node.transpose(split, {0, 2, 1, 3});
}

/// `past`, if there is one, and behind it `current`, along the sequence.
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
  return node.make<fuse::ConcatOp>(
      type.clone(shape), ValueRange{node.input(past), current}, uint64_t(2));
}

/// What restricts the keys that a query sees.
class Mask {
public:
  Mask(Node &node, ArrayRef<int64_t> scores) : node(node), scores(scores) {}

  Value bias, allowed;

  /// attn_mask: added if it holds numbers; shorter ones end in what hides.
  void addOperand(unsigned index);
  /// nonpad_kv_seqlen: only the first keys of each sample are there.
  void addLengths(unsigned index);
  /// Keys j with j - i - offset between -left and right; a negative bound is
  /// none.
  void addBand(int64_t left, int64_t right, int64_t pastLength);

private:
  RankedTensorType intType(ArrayRef<int64_t> shape) {
    return tensorType(shape, node.builder().getI32Type());
  }
  Value compare(fuse::CmpPredicate predicate, Value lhs, Value rhs);
  void require(Value condition);

  Node &node;
  ArrayRef<int64_t> scores;
  Value lengths; // [B, 1, 1, 1] of i32, once known
};

Value Mask::compare(fuse::CmpPredicate predicate, Value lhs, Value rhs) {
  SmallVector<int64_t> shape =
      node.broadcastShape({fuse::getTensorType(lhs).getShape(),
                           fuse::getTensorType(rhs).getShape()});
  lhs = node.broadcast(lhs, shape);
  rhs = node.broadcast(rhs, shape);
  return node.make<fuse::CmpOp>(tensorType(shape, node.builder().getI1Type()),
                                predicate, lhs, rhs);
}

void Mask::require(Value condition) {
  if (!allowed) {
    allowed = condition;
    return;
  }
  SmallVector<int64_t> shape =
      node.broadcastShape({fuse::getTensorType(allowed).getShape(),
                           fuse::getTensorType(condition).getShape()});
  auto type = tensorType(shape, node.builder().getI1Type());
  allowed = node.broadcast(allowed, shape);
  condition = node.broadcast(condition, shape);
  allowed = node.make<fuse::AndOp>(type, allowed, condition);
}

void Mask::addOperand(unsigned index) {
  Type element = node.elementType(index);
  bool isBool = element.isInteger(1);
  if (!isBool)
    node.requireFloat(index);
  SmallVector<int64_t> shape(node.shape(index));
  if (shape.empty() || shape.size() > 4)
    node.invalid("needs a mask of rank 1 to 4, has " + shapeText(shape));
  shape.insert(shape.begin(), 4 - shape.size(), 1);
  Value value = node.reshape(node.input(index), shape);
  if (int64_t missing = scores[3] - shape[3]; missing > 0) {
    SmallVector<int64_t> low(4, 0), high = {0, 0, 0, missing};
    shape[3] = scores[3];
    OpBuilder &b = node.builder();
    TypedAttr fill =
        isBool ? TypedAttr(b.getBoolAttr(false))
               : TypedAttr(b.getFloatAttr(
                     element, -std::numeric_limits<double>::infinity()));
    value = node.make<fuse::PadOp>(tensorType(shape, element), value, low, high,
                                   fill);
  }
  if (ArrayRef<int64_t>(node.broadcastShape({shape, scores})) != scores)
    node.invalid("cannot broadcast a mask of shape " +
                 shapeText(node.shape(index)) + " to " + shapeText(scores));
  if (isBool)
    require(value);
  else
    bias = value;
}

void Mask::addLengths(unsigned index) {
  if (node.shape(index) != scores.take_front(1) ||
      !node.elementType(index).isInteger(64))
    node.invalid("needs one i64 length for each of " + llvm::Twine(scores[0]) +
                 " samples, has " + typeText(node.type(index)));
  lengths = node.cast(node.reshape(node.input(index), {scores[0], 1, 1, 1}),
                      node.builder().getI32Type());
  Value key = node.make<fuse::IotaOp>(intType({1, 1, 1, scores[3]}), 3);
  require(compare(fuse::CmpPredicate::lt, key, lengths));
}

void Mask::addBand(int64_t left, int64_t right, int64_t pastLength) {
  if (left < 0 && right < 0)
    return;
  SmallVector<int64_t> shape = {lengths ? scores[0] : 1, 1, scores[2],
                                scores[3]};
  auto type = intType(shape);
  auto number = [&](int64_t value) {
    return node.broadcast(node.scalar(type.getElementType(), double(value)),
                          shape);
  };
  Value position = node.make<fuse::IotaOp>(type, 2);
  Value key = node.make<fuse::IotaOp>(type, 3);
  if (lengths) {
    position =
        node.make<fuse::AddOp>(type, position, node.broadcast(lengths, shape));
    pastLength = -scores[2];
  }
  auto shifted = [&](int64_t by) {
    return by == 0 ? position
                   : node.make<fuse::AddOp>(type, position, number(by));
  };
  if (right >= 0)
    require(compare(fuse::CmpPredicate::le, key, shifted(pastLength + right)));
  if (left >= 0)
    require(compare(fuse::CmpPredicate::ge, key, shifted(pastLength - left)));
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
                 " heads of queries");
}

/// Bounds of the band around the diagonal: left and right, negative for none.
std::pair<int64_t, int64_t> readBand(Node &node) {
  int64_t left = node.intAttribute("left_window_size", -1);
  int64_t right = node.intAttribute("right_window_size", -1);
  if (left < -1 || right < -1 || left > INT32_MAX || right > INT32_MAX)
    node.invalid("has the window sizes " + shapeText({left, right}));
  if (node.flag("is_causal"))
    right = 0;
  return {left, right};
}

void convertAttention(Node &node) {
  node.requireInputs(3, 7);
  Value q = readHeads(node, 0, "q_num_heads");
  Value k = readHeads(node, 1, "kv_num_heads");
  Value v = readHeads(node, 2, "kv_num_heads");
  if (node.hasInput(4) != node.hasInput(5))
    node.invalid("needs both a past key and a past value, or neither");
  if (node.hasInput(4) && node.hasInput(6))
    node.invalid("cannot have both a past and lengths without padding");
  checkHeads(node, q, k, v);
  int64_t pastLength =
      node.hasInput(4) && node.rank(4) == 4 ? node.shape(4)[2] : 0;
  k = appendToPast(node, 4, k);
  v = appendToPast(node, 5, v);
  checkHeads(node, q, k, v);
  double scale = node.floatAttribute(
      "scale", 1 / std::sqrt(double(std::max<int64_t>(dimOf(q, 3), 1))));
  double softcap = node.floatAttribute("softcap", 0);
  int64_t mode = node.intAttribute("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    node.invalid("has the unknown qk_matmul_output_mode " + llvm::Twine(mode));
  // All of it is computed in f32 or wider.
  node.ignoreAttributes({"softmax_precision"});

  SmallVector<int64_t> scores = {dimOf(q, 0), dimOf(q, 1), dimOf(q, 2),
                                 dimOf(k, 2)};
  Mask mask(node, scores);
  if (node.hasInput(3))
    mask.addOperand(3);
  if (node.hasInput(6))
    mask.addLengths(6);
  auto [left, right] = readBand(node);
  mask.addBand(left, right, pastLength);

  SmallVector<int64_t> shape = scores;
  shape.back() = dimOf(v, 3);
  OpBuilder &b = node.builder();
  RankedTensorType type = tensorType(shape, node.elementType(0));
  auto op = fuse::AttentionOp::create(
      b, node.loc(), type,
      node.wantsOutput(3) ? Type(type.clone(scores)) : Type(), q, k, v,
      mask.bias, mask.allowed, b.getF64FloatAttr(scale),
      b.getF64FloatAttr(softcap),
      fuse::AttentionStageAttr::get(b.getContext(),
                                    fuse::AttentionStage(mode)));
  Value y = op.getResult();
  if (node.rank(0) == 3)
    y = node.reshape(node.transpose(y, {0, 2, 1, 3}),
                     {shape[0], shape[2], shape[1] * shape[3]});
  node.setOutput(0, y);
  if (node.wantsOutput(1))
    node.setOutput(1, k);
  if (node.wantsOutput(2))
    node.setOutput(2, v);
  if (node.wantsOutput(3))
    node.setOutput(3, op.getScores());
}

/// A cache of angles as [batch or 1, length, angles]: rows picked by the
/// position ids, or the operand itself.
Value readAngles(Node &node, unsigned index, int64_t batch, int64_t length,
                 int64_t half) {
  node.requireSameElementType(0, index);
  SmallVector<int64_t> expected = {batch, length, half};
  if (!node.hasInput(3)) {
    if (node.shape(index) != ArrayRef<int64_t>(expected))
      node.invalid("has angles of shape " + shapeText(node.shape(index)) +
                   " where it needs " + shapeText(expected));
    return node.input(index);
  }
  ArrayRef<int64_t> cache = node.shape(index);
  if (cache.size() != 2 || cache[1] != half ||
      node.shape(3) != ArrayRef<int64_t>{batch, length} ||
      !node.elementType(3).isInteger(64))
    node.invalid("cannot pick angles of shape " + shapeText(expected) +
                 " from a cache of shape " + shapeText(cache) + " by " +
                 typeText(node.type(3)));
  // Positions outside the cache have no meaning: keep the access inside.
  RankedTensorType type = node.type(3);
  auto bound = [&](int64_t value) {
    return node.broadcast(node.scalar(type.getElementType(), double(value)),
                          type.getShape());
  };
  Value ids = node.make<fuse::MaximumOp>(type, node.input(3), bound(0));
  ids = node.make<fuse::MinimumOp>(type, ids, bound(cache[0] - 1));
  return node.make<fuse::GatherOp>(
      tensorType(expected, node.elementType(index)), node.input(index), ids,
      uint64_t(0));
}

void convertRotaryEmbedding(Node &node) {
  node.requireInputs(3, 4);
  node.requireFloat(0);
  ArrayRef<int64_t> x = node.shape(0);
  bool isSplit = x.size() == 4;
  Value value = node.input(0);
  if (isSplit) {
    node.ignoreAttributes({"num_heads"});
    value = node.transpose(value, {0, 2, 1, 3});
  } else {
    if (x.size() != 3)
      node.invalid("needs an input of rank 3 or 4, has " + shapeText(x));
    int64_t heads = node.intAttribute("num_heads");
    if (heads < 1 || x[2] % heads != 0)
      node.invalid("cannot split " + shapeText(x) + " into " +
                   llvm::Twine(heads) + " heads");
    value = node.reshape(value, {x[0], x[1], heads, x[2] / heads});
  }
  int64_t width = dimOf(value, 3);
  int64_t rotated = node.intAttribute("rotary_embedding_dim", 0);
  if (rotated == 0)
    rotated = width;
  if (rotated < 0 || rotated % 2 != 0 || rotated > width)
    node.invalid("cannot rotate " + llvm::Twine(rotated) + " of " +
                 llvm::Twine(width) +
                 " elements: needs an even number of them");
  bool interleaved = node.flag("interleaved");
  int64_t batch = dimOf(value, 0), length = dimOf(value, 1);
  Value cos = readAngles(node, 1, batch, length, rotated / 2);
  Value sin = readAngles(node, 2, batch, length, rotated / 2);
  Value y = node.make<fuse::RotaryEmbeddingOp>(value.getType(), value, cos, sin,
                                               interleaved);
  node.setOutput(0, isSplit ? node.transpose(y, {0, 2, 1, 3})
                            : node.reshape(y, x));
}

} // namespace

void registerTransformer(Registry &r) {
  r.add("Attention", 23, convertAttention);
  r.add("RotaryEmbedding", 23, convertRotaryEmbedding);
}

} // namespace fusec
