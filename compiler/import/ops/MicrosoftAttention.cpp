// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// com.microsoft: Attention and MultiHeadAttention. Hidden keys are penalised by
// a number, and so count where all keys are hidden; only what lies in the
// future is never seen.
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Attention.h"

#include <limits>

using namespace mlir;
using fusec::fuse::CmpPredicate;

namespace fusec {
namespace {

//===- What both attentions share -----------------------------------------===//

/// Queries, keys and values [batch, heads, length, width], the keys and values
/// with the past in front.
struct Heads {
  Value q, k, v;
  int64_t past = 0;
};

SmallVector<int64_t> scoresShape(const Heads &heads) {
  return {dimOf(heads.q, 0), dimOf(heads.q, 1), dimOf(heads.q, 2),
          dimOf(heads.k, 2)};
}

/// Where the integers in operand `index`, reshaped to [batch, 1, queries or 1,
/// keys], are above 0.
Value isMarked(Node &node, unsigned index, ArrayRef<int64_t> shape) {
  Value marks = node.reshape(node.input(index), shape);
  Value zero = node.broadcast(node.scalar(node.elementType(index), 0), shape);
  return node.make<fuse::CmpOp>(tensorType(shape, node.builder().getI1Type()),
                                CmpPredicate::gt, marks, zero);
}

/// The padding in operand `index`: marks [batch, keys] or [batch, queries,
/// keys], or the ends of the samples, behind which their begins may stand.
/// `begins` says whether they may.
void addPadding(Node &node, unsigned index, bool begins,
                ArrayRef<int64_t> scores, AttentionMask &mask) {
  ArrayRef<int64_t> shape = node.shape(index);
  int64_t batch = scores[0], queries = scores[2], keys = scores[3];
  if (!node.elementType(index).isInteger(32))
    node.invalid("needs a mask of i32, has " + typeText(node.type(index)));
  auto penalise = [&](Value visible) {
    mask.penalise(visible, node.floatAttribute("mask_filter_value", -10000.0),
                  getComputeType(node.elementType(0)));
  };
  if (shape == ArrayRef<int64_t>{batch, keys})
    return penalise(isMarked(node, index, {batch, 1, 1, keys}));
  if (shape == ArrayRef<int64_t>{batch, queries, keys})
    return penalise(isMarked(node, index, {batch, 1, queries, keys}));
  // Ends, and then where queries and keys begin without padding between
  // samples.
  bool hasBegins = begins && shape == ArrayRef<int64_t>{2 * batch};
  if (shape != ArrayRef<int64_t>{batch} && !hasBegins &&
      shape != ArrayRef<int64_t>{3 * batch + 2})
    node.unsupported(
        "has a mask of shape " + shapeText(shape) + " for " +
            llvm::Twine(batch) + " samples of " + llvm::Twine(queries) +
            " queries and " + llvm::Twine(keys) +
            " keys, which ONNX Runtime's CPU kernels do not take either",
        "mask keys by a tensor [batch, keys] or [batch, queries, keys]");
  auto number = [&](int64_t offset) {
    Value part = takePart(node, node.input(index), 0, offset, batch);
    return node.reshape(part, {batch, 1, 1, 1});
  };
  Value ends = number(0);
  Value visible = mask.compare(CmpPredicate::lt, mask.keys(), ends);
  if (hasBegins) {
    Value starts = number(batch);
    Value behind = mask.compare(CmpPredicate::ge, mask.keys(), starts);
    visible = node.make<fuse::AndOp>(visible.getType(), visible, behind);
  }
  penalise(visible);
}

/// Operand `index`, which is added to the scores.
void addBias(Node &node, unsigned index, ArrayRef<int64_t> scores,
             AttentionMask &mask) {
  if (!node.hasInput(index))
    return;
  node.requireSameElementType(0, index);
  ArrayRef<int64_t> shape = node.shape(index);
  if (shape.size() != 4 ||
      ArrayRef<int64_t>(node.broadcastShape({shape, scores})) != scores)
    node.invalid("cannot broadcast the attention_bias " + shapeText(shape) +
                 " to " + shapeText(scores));
  mask.addBias(
      node.cast(node.input(index), getComputeType(node.elementType(0))));
}

/// Whether a query sees only the keys up to its own.
void addFuture(Node &node, const Heads &heads, AttentionMask &mask) {
  // The kernels let a single query see everything.
  if (!node.flag("unidirectional") || dimOf(heads.q, 2) == 1)
    return;
  if (dimOf(heads.k, 2) > dimOf(heads.q, 2) + heads.past)
    node.unsupported("is unidirectional with more keys than queries, of which "
                     "ONNX Runtime's kernels do not agree who sees which",
                     "mask them by an attention_bias");
  mask.addBand(-1, 0, heads.past);
}

fuse::AttentionOp attend(Node &node, const Heads &heads,
                         const AttentionMask &mask, bool wantsScores) {
  double scale = node.floatAttribute("scale", 0);
  if (scale == 0)
    scale = defaultScale(heads.q);
  std::optional<fuse::AttentionStage> wanted;
  if (wantsScores)
    wanted = fuse::AttentionStage::biased;
  return attend(node, heads.q, heads.k, heads.v, mask, scale, 0, wanted);
}

//===- Attention ----------------------------------------------------------===//

/// How wide queries, keys and values are in a product of `width` columns.
SmallVector<int64_t> readWidths(Node &node, int64_t heads, int64_t width) {
  SmallVector<int64_t> widths =
      llvm::to_vector(node.intsAttribute("qkv_hidden_sizes"));
  if (widths.empty())
    widths.assign(3, width / 3);
  bool fits = widths.size() == 3 && widths[0] == widths[1] &&
              widths[0] + widths[1] + widths[2] == width && heads > 0;
  for (int64_t w : widths)
    fits = fits && w > 0 && w % heads == 0;
  if (!fits)
    node.invalid("cannot split " + llvm::Twine(width) +
                 " columns into queries, keys and values of " +
                 llvm::Twine(heads) + " heads" +
                 (node.hasAttribute("qkv_hidden_sizes")
                      ? " by qkv_hidden_sizes " + shapeText(widths)
                      : ""));
  return widths;
}

/// x W + b
Value project(Node &node) {
  ArrayRef<int64_t> x = node.shape(0), w = node.shape(1);
  node.requireSameElementType(0, 1);
  if (x.size() != 3 || w.size() != 2 || x[2] != w[0])
    node.invalid("cannot project " + shapeText(x) + " by weights of shape " +
                 shapeText(w));
  auto type = tensorType({x[0], x[1], w[1]}, node.elementType(0));
  Value input = node.input(0), weights = node.input(1);
  Value y = node.make<fuse::MatmulOp>(type, input, weights);
  if (!node.hasInput(2))
    return y;
  node.requireSameElementType(0, 2);
  if (node.shape(2) != w.drop_front())
    node.invalid("has a bias of shape " + shapeText(node.shape(2)) + " for " +
                 llvm::Twine(w[1]) + " columns");
  Value bias = node.broadcast(node.input(2), type.getShape());
  return node.make<fuse::AddOp>(type, y, bias);
}

/// Keys (0) or values (1) behind those in operand 4, [2, batch, heads, length,
/// width].
Value behindPast(Node &node, int64_t part, Value current) {
  auto type = fuse::getTensorType(current);
  SmallVector<int64_t> shape(type.getShape());
  if (node.rank(4) == 5)
    shape[2] = node.shape(4)[3];
  SmallVector<int64_t> both = {2};
  llvm::append_range(both, shape);
  if (node.shape(4) != ArrayRef<int64_t>(both) ||
      node.elementType(4) != type.getElementType())
    node.invalid("has a past of type " + typeText(node.type(4)) +
                 " for keys or values of type " + typeText(type));
  if (shape[2] == 0)
    return current;
  Value past = node.reshape(takePart(node, node.input(4), 0, part, 1), shape);
  shape[2] += type.getDimSize(2);
  return node.make<fuse::ConcatOp>(type.clone(shape), ValueRange{past, current},
                                   uint64_t(2));
}

/// softmax(scale q k^T + mask) v for q, k, v = x W + b, split into heads
void convertPackedAttention(Node &node) {
  node.requireInputs(2, 7);
  node.requireFloat(0);
  if (node.flag("do_rotary"))
    node.unsupported(
        "rotates queries and keys, which ONNX Runtime's CPU kernel "
        "does not do either",
        "export MultiHeadAttention and RotaryEmbedding");
  if (node.flag("past_present_share_buffer"))
    node.unsupported("works on a cache that past and present share",
                     "export the model without past_present_share_buffer");
  node.ignoreAttributes({"rotary_embedding_dim"});
  Value product = project(node);
  int64_t count = node.intAttribute("num_heads"), offset = 0;
  auto widths = readWidths(node, count, dimOf(product, 2));
  Value parts[3];
  for (auto [part, width] : llvm::zip(parts, widths)) {
    part = takePart(node, product, 2, offset, width);
    part = splitHeads(node, part, count);
    offset += width;
  }
  Heads heads = {parts[0], parts[1], parts[2]};
  if (node.hasInput(4)) {
    if (widths[2] != widths[1])
      node.invalid("has a past, but values of another width than keys");
    heads.k = behindPast(node, 0, heads.k);
    heads.v = behindPast(node, 1, heads.v);
    heads.past = node.shape(4)[3];
  }
  auto scores = scoresShape(heads);
  AttentionMask mask(node, scores);
  node.ignoreAttributes({"mask_filter_value"}); // without a mask
  if (node.hasInput(3)) {
    // One mark for all keys of a sample changes nothing.
    ArrayRef<int64_t> shape = node.shape(3);
    bool isForAll = shape.size() == 2 && shape[1] == 1 && scores[3] != 1 &&
                    (shape[0] == 1 || shape[0] == scores[0]);
    if (!isForAll)
      addPadding(node, 3, /*begins=*/true, scores, mask);
  }
  addBias(node, 5, scores, mask);
  addFuture(node, heads, mask);
  auto op = attend(node, heads, mask, false);
  node.setOutput(0, mergeHeads(node, op.getResult()));
  if (!node.wantsOutput(1))
    return;
  checkHeads(node, heads.k, heads.k, heads.v);
  SmallVector<int64_t> one = {1, scores[0], scores[1], scores[3],
                              dimOf(heads.k, 3)};
  SmallVector<int64_t> both = one;
  both[0] = 2;
  Value k = node.reshape(heads.k, one), v = node.reshape(heads.v, one);
  node.setOutput(
      1, node.make<fuse::ConcatOp>(tensorType(both, node.elementType(0)),
                                   ValueRange{k, v}, uint64_t(0)));
}

//===- MultiHeadAttention -------------------------------------------------===//

/// Number `part` of those that operand `index`, [batch, length, heads, parts,
/// width], holds side by side, as [batch, length, heads * width].
Value unpack(Node &node, unsigned index, int64_t part) {
  ArrayRef<int64_t> shape = node.shape(index);
  Value value = takePart(node, node.input(index), 3, part, 1);
  return node.reshape(value, {shape[0], shape[1], shape[2] * shape[4]});
}

/// The operands 0 to 2 as [batch, length, heads * width], whichever are packed
/// into one. Keys and values of rank 4 have heads already, and stay.
SmallVector<Value> readOperands(Node &node, int64_t heads) {
  auto isPacked = [&](unsigned index, int64_t parts) {
    return node.rank(index) == 5 && node.shape(index)[2] == heads &&
           node.shape(index)[3] == parts;
  };
  if (!node.hasInput(1) && !node.hasInput(2) && isPacked(0, 3))
    return {unpack(node, 0, 0), unpack(node, 0, 1), unpack(node, 0, 2)};
  if (node.hasInput(1) && node.rank(0) == 3 && !node.hasInput(2) &&
      isPacked(1, 2)) {
    node.requireSameElementType(0, 1);
    return {node.input(0), unpack(node, 1, 0), unpack(node, 1, 1)};
  }
  for (unsigned i = 1; i < 3; ++i) {
    node.requireSameElementType(0, i);
    if (node.rank(0) != 3 || (node.rank(i) != 3 && node.rank(i) != 4) ||
        node.rank(i) != node.rank(1))
      node.invalid("has a query, key and value of shapes " +
                   shapeText(node.shape(0)) + ", " + shapeText(node.shape(1)) +
                   " and " + shapeText(node.shape(2)));
  }
  return {node.input(0), node.input(1), node.input(2)};
}

Heads readHeads(Node &node) {
  int64_t count = node.intAttribute("num_heads"), offset = 0, total = 0;
  SmallVector<Value> parts = readOperands(node, count);
  for (Value part : parts)
    total += dimOf(part, 2);
  if (node.hasInput(3)) {
    node.requireSameElementType(0, 3);
    if (fuse::getTensorType(parts[1]).getRank() != 3 ||
        node.shape(3) != ArrayRef<int64_t>{total})
      node.invalid("has a bias of shape " + shapeText(node.shape(3)) +
                   " for queries, keys and values of " + llvm::Twine(total) +
                   " columns");
  }
  for (Value &part : parts) {
    auto type = fuse::getTensorType(part);
    if (type.getRank() == 4)
      continue;
    int64_t width = type.getDimSize(2);
    if (node.hasInput(3)) {
      Value bias = takePart(node, node.input(3), 0, offset, width);
      bias = node.broadcast(bias, type.getShape());
      part = node.make<fuse::AddOp>(type, part, bias);
      offset += width;
    }
    part = splitHeads(node, part, count);
  }
  if (node.hasInput(6) != node.hasInput(7))
    node.invalid("needs both a past key and a past value, or neither");
  Heads heads = {parts[0], parts[1], parts[2]};
  heads.k = appendToPast(node, 6, heads.k);
  heads.v = appendToPast(node, 7, heads.v);
  if (node.hasInput(6))
    heads.past = node.shape(6)[2];
  checkHeads(node, heads.q, heads.k, heads.v);
  if (dimOf(heads.k, 1) != count)
    node.invalid("has keys of " + llvm::Twine(dimOf(heads.k, 1)) +
                 " heads for num_heads " + llvm::Twine(count));
  return heads;
}

/// softmax(scale (q + b) (k + b)^T + mask) (v + b), split into heads
void convertMultiHeadAttention(Node &node) {
  node.requireInputs(1, 10);
  node.requireFloat(0);
  if (node.hasInput(8) || node.hasInput(9))
    node.unsupported("works on a cache that past and present share",
                     "export the model without past_sequence_length and "
                     "cache_indirection");
  Heads heads = readHeads(node);
  auto scores = scoresShape(heads);
  AttentionMask mask(node, scores);
  node.ignoreAttributes({"mask_filter_value"}); // without a mask
  if (node.hasInput(4))
    addPadding(node, 4, /*begins=*/false, scores, mask);
  addBias(node, 5, scores, mask);
  addFuture(node, heads, mask);
  auto op = attend(node, heads, mask, node.wantsOutput(3));
  node.setOutput(0, mergeHeads(node, op.getResult()));
  if (node.wantsOutput(1))
    node.setOutput(1, heads.k);
  if (node.wantsOutput(2))
    node.setOutput(2, heads.v);
  if (!node.wantsOutput(3))
    return;
  // The kernels hide the future by the least number, not by minus infinity.
  auto type = fuse::getTensorType(op.getScores());
  Value least = node.broadcast(
      node.scalar(type.getElementType(), std::numeric_limits<float>::lowest()),
      type.getShape());
  node.setOutput(3, node.make<fuse::MaximumOp>(type, op.getScores(), least));
}

} // namespace

void registerMicrosoftAttention(Registry &r) {
  r.addTo("com.microsoft", "Attention", 1, convertPackedAttention);
  r.addTo("com.microsoft", "MultiHeadAttention", 1, convertMultiHeadAttention);
}

} // namespace fusec
