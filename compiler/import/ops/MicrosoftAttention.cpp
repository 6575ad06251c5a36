// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// com.microsoft: MultiHeadAttention, and what it shares with other attentions.
#include "compiler/import/ops/MicrosoftAttention.h"

#include "compiler/import/Registry.h"
#include <limits>

using namespace mlir;
using fusec::fuse::CmpPredicate;

namespace fusec {

//===- What the attentions share ------------------------------------------===//

SmallVector<int64_t> AttentionHeads::scoresShape() const {
  return {dimOf(q, 0), dimOf(q, 1), dimOf(q, 2), dimOf(k, 2)};
}

Type AttentionHeads::computeType() const {
  return getComputeType(fuse::getTensorType(q).getElementType());
}

/// Where the integers in operand `index`, reshaped to [batch, 1, queries or 1,
/// keys], are above 0.
static Value isMarked(Node &node, unsigned index, ArrayRef<int64_t> shape) {
  Value marks = node.reshape(node.input(index), shape);
  return node.compare(CmpPredicate::gt, marks, 0);
}

void addPadding(Node &node, unsigned index, bool begins,
                const AttentionHeads &heads, AttentionMask &mask) {
  SmallVector<int64_t> scores = heads.scoresShape();
  ArrayRef<int64_t> shape = node.shape(index);
  int64_t batch = scores[0], queries = scores[2], keys = scores[3];
  if (!node.elementType(index).isInteger(32))
    node.invalid("needs a mask of i32, has " + typeText(node.type(index)));
  auto penalise = [&](Value visible) {
    mask.penalise(visible, node.floatAttribute("mask_filter_value", -10000.0),
                  heads.computeType());
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
    Value part = node.slice(node.input(index), 0, offset, batch);
    return node.reshape(part, {batch, 1, 1, 1});
  };
  Value ends = number(0);
  Value visible = mask.compare(CmpPredicate::lt, mask.keys(), ends);
  if (hasBegins) {
    Value starts = number(batch);
    Value behind = mask.compare(CmpPredicate::ge, mask.keys(), starts);
    visible = node.binary<fuse::AndOp>(visible, behind);
  }
  penalise(visible);
}

void addScoreBias(Node &node, unsigned index, const AttentionHeads &heads,
                  AttentionMask &mask) {
  if (!node.hasInput(index))
    return;
  node.requireSameElementType(0, index);
  SmallVector<int64_t> scores = heads.scoresShape();
  checkMask(node, "an attention_bias", index, node.shape(index), scores);
  mask.addBias(node.cast(node.input(index), heads.computeType()));
}

void addFuture(Node &node, const AttentionHeads &heads, AttentionMask &mask) {
  // The kernels let a single query see everything.
  if (!node.flag("unidirectional") || dimOf(heads.q, 2) == 1)
    return;
  if (dimOf(heads.k, 2) > dimOf(heads.q, 2) + heads.past)
    node.unsupported("is unidirectional with more keys than queries, of which "
                     "ONNX Runtime's kernels do not agree who sees which",
                     "mask them by an attention_bias");
  mask.addBand(-1, 0, heads.past);
}

fuse::AttentionOp attend(Node &node, const AttentionHeads &heads,
                         const AttentionMask &mask, bool wantsScores) {
  double scale = node.floatAttribute("scale", 0);
  if (scale == 0)
    scale = defaultScale(heads.q);
  std::optional<fuse::AttentionStage> wanted;
  if (wantsScores)
    wanted = fuse::AttentionStage::biased;
  return attend(node, heads.q, heads.k, heads.v, mask, scale, 0, wanted);
}

namespace {

//===- MultiHeadAttention -------------------------------------------------===//

/// Number `part` of those that operand `index`, [batch, length, heads, parts,
/// width], holds side by side, as [batch, length, heads * width].
Value unpack(Node &node, unsigned index, int64_t part) {
  ArrayRef<int64_t> shape = node.shape(index);
  Value value = node.slice(node.input(index), 3, part, 1);
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

AttentionHeads readHeads(Node &node) {
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
      Value bias = node.slice(node.input(3), 0, offset, width);
      bias = node.broadcast(bias, type.getShape());
      part = node.add(part, bias);
      offset += width;
    }
    part = splitHeads(node, part, count);
  }
  if (node.hasInput(6) != node.hasInput(7))
    node.invalid("needs both a past key and a past value, or neither");
  AttentionHeads heads = {parts[0], parts[1], parts[2]};
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
  AttentionHeads heads = readHeads(node);
  AttentionMask mask(node, heads.scoresShape());
  node.ignoreAttributes({"mask_filter_value"}); // without a mask
  if (node.hasInput(4))
    addPadding(node, 4, /*begins=*/false, heads, mask);
  addScoreBias(node, 5, heads, mask);
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
  node.setOutput(
      3, node.max(op.getScores(), std::numeric_limits<float>::lowest()));
}

} // namespace

void registerMicrosoftAttention(Registry &r) {
  r.addTo("com.microsoft", "MultiHeadAttention", 1, convertMultiHeadAttention);
}

} // namespace fusec
