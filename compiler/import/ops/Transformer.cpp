// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and rotary embeddings (ONNX 23 and later).
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Attention.h"

#include <limits>

using namespace mlir;

namespace fusec {
namespace {

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
  return splitHeads(node, node.input(index), heads);
}

/// `value`, which may have another type than the query: as what attention
/// computes in, where that is another one.
Value computeAsQuery(Node &node, Value value) {
  Type computed = getComputeType(node.elementType(0));
  return getComputeType(getElementTypeOrSelf(value)) == computed
             ? value
             : node.cast(value, computed);
}

/// attn_mask: added if it holds numbers; shorter ones end in what hides.
void addMask(Node &node, unsigned index, ArrayRef<int64_t> scores,
             AttentionMask &mask) {
  Type element = node.elementType(index);
  bool isBool = element.isInteger(1);
  if (!isBool && !isa<FloatType>(element))
    node.invalid("has a mask of " + typeText(element) +
                 ": it has to be of bool, or of floats that are added to the "
                 "scores");
  SmallVector<int64_t> shape(node.shape(index));
  if (shape.empty() || shape.size() > 4)
    node.invalid("needs a mask of rank 1 to 4, has " + shapeText(shape));
  shape.insert(shape.begin(), 4 - shape.size(), 1);
  Value value = node.reshape(node.input(index), shape);
  if (int64_t missing = scores[3] - shape[3]; missing > 0) {
    SmallVector<int64_t> low(4, 0), high = {0, 0, 0, missing};
    shape[3] = scores[3];
    OpBuilder &b = node.builder;
    TypedAttr fill =
        isBool ? TypedAttr(b.getBoolAttr(false))
               : TypedAttr(b.getFloatAttr(
                     element, -std::numeric_limits<double>::infinity()));
    value = node.make<fuse::PadOp>(tensorType(shape, element), value, low, high,
                                   fill);
  }
  checkMask(node, "a mask", index, shape, scores);
  if (isBool)
    return mask.require(value);
  mask.addBias(computeAsQuery(node, value));
}

/// nonpad_kv_seqlen as i32 [batch, 1, 1, 1].
Value readLengths(Node &node, unsigned index, ArrayRef<int64_t> scores) {
  if (node.shape(index) != scores.take_front(1) ||
      !node.elementType(index).isInteger(64))
    node.invalid("needs one i64 length for each of " + llvm::Twine(scores[0]) +
                 " samples, has " + typeText(node.type(index)));
  return node.cast(node.reshape(node.input(index), {scores[0], 1, 1, 1}),
                   node.builder.getI32Type());
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
  node.requireSameElementType(0, 1);
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
  double scale = node.floatAttribute("scale", defaultScale(q));
  double softcap = node.floatAttribute("softcap", 0);
  int64_t mode = node.intAttribute("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    node.invalid("has the unknown qk_matmul_output_mode " + llvm::Twine(mode));
  // All of it is computed in f32 or wider.
  node.ignoreAttributes({"softmax_precision"});

  SmallVector<int64_t> scores = {dimOf(q, 0), dimOf(q, 1), dimOf(q, 2),
                                 dimOf(k, 2)};
  AttentionMask mask(node, scores);
  if (node.hasInput(3))
    addMask(node, 3, scores, mask);
  Value lengths;
  if (node.hasInput(6)) {
    lengths = readLengths(node, 6, scores);
    mask.addLengths(lengths);
  }
  auto [left, right] = readBand(node);
  mask.addBand(left, right, pastLength, lengths);

  std::optional<fuse::AttentionStage> wanted;
  if (node.wantsOutput(3))
    wanted = fuse::AttentionStage(mode);
  auto op =
      attend(node, q, k, computeAsQuery(node, v), mask, scale, softcap, wanted);
  Value y = op.getResult();
  node.setOutput(0, node.rank(0) == 3 ? mergeHeads(node, y) : y);
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
  return pickRows(node, index, node.input(3));
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
    value = splitWidth(node, value, node.intAttribute("num_heads"));
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
