// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// com.microsoft, the operators that ONNX Runtime's optimiser and its exporters
// of language models write: activations, norms and embeddings. Its kernels
// define them.
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Attention.h"
#include "compiler/import/ops/Norm.h"

using namespace mlir;

namespace fusec {
namespace {

/// Operand `index`, a vector along the last dimension of `type`.
Value readVector(Node &node, unsigned index, RankedTensorType type) {
  ArrayRef<int64_t> shape = type.getShape();
  if (node.elementType(index) != type.getElementType())
    node.invalid("has a vector of " + typeText(node.elementType(index)) +
                 " for " + typeText(type));
  if (shape.empty() || node.shape(index) != shape.take_back(1))
    node.invalid("has a vector of shape " + shapeText(node.shape(index)) +
                 " for the last dimension of " + shapeText(shape));
  return node.input(index);
}

/// `x` + operand `index`, a vector, if it is there.
Value addVector(Node &node, Value x, unsigned index) {
  if (!node.hasInput(index))
    return x;
  auto type = fuse::getTensorType(x);
  Value vector = readVector(node, index, type);
  vector = node.broadcast(vector, type.getShape());
  return node.add(x, vector);
}

//===- Activations --------------------------------------------------------===//

/// gelu(x + bias)
void gelu(Node &node, unsigned least, unsigned most, UnitAttr tanh = {}) {
  node.requireInputs(least, most);
  node.requireFloat(0);
  Value x = addVector(node, node.input(0), 1);
  node.setOutput(0, node.make<fuse::GeluOp>(node.type(0), x, tanh));
}

void convertPlainGelu(Node &node) { gelu(node, 1, 1); }
void convertBiasGelu(Node &node) { gelu(node, 2, 2); }
void convertFastGelu(Node &node) {
  gelu(node, 1, 2, node.builder.getUnitAttr());
}

/// x sigmoid(alpha x)
void convertQuickGelu(Node &node) {
  node.requireInputs(1, 1);
  node.requireFloat(0);
  double alpha = node.floatAttribute("alpha", 1.702f);
  node.setOutput(0,
                 node.make<fuse::SwishOp>(node.type(0), node.input(0),
                                          node.builder.getF64FloatAttr(alpha)));
}

//===- Norms --------------------------------------------------------------===//

llvm::APFloat skipEpsilon(Node &node) {
  return llvm::APFloat(node.floatAttribute("epsilon", 1e-12f));
}

/// Operand 1 in the shape of operand 0, which may have a batch in front of it.
Value readSkip(Node &node) {
  node.requireSameElementType(0, 1);
  ArrayRef<int64_t> x = node.shape(0), skip = node.shape(1);
  ArrayRef<int64_t> inner =
      skip.size() == 3 && skip[0] == 1 ? skip.drop_front() : skip;
  if ((x.size() != 2 && x.size() != 3) ||
      (skip != x && (x.size() != 3 || inner != x.drop_front())))
    node.invalid("cannot skip by " + shapeText(skip) + " to " + shapeText(x));
  return node.broadcast(node.input(1), x);
}

/// The sum of operands 0 and 1, and of the vector `bias` if it is there.
Value readSkipSum(Node &node, unsigned bias) {
  node.requireFloat(0);
  Value x = node.input(0), skip = readSkip(node);
  Value sum = node.add(x, skip);
  sum = addVector(node, sum, bias);
  if (node.wantsOutput(3))
    node.setOutput(3, sum);
  return sum;
}

/// The layer norm of `x` along its last dimension, scaled by operand `scale`,
/// with operand `bias` if it is there.
fuse::LayerNormOp layerNorm(Node &node, Value x, unsigned scale, unsigned bias,
                            bool wantsMean, bool wantsDeviation) {
  auto type = fuse::getTensorType(x);
  ArrayRef<int64_t> shape = type.getShape();
  Value factors = readVector(node, scale, type), terms;
  if (node.hasInput(bias))
    terms = readVector(node, bias, type);
  SmallVector<int64_t> outer(shape);
  outer.back() = 1;
  Type statistic = tensorType(outer, getComputeType(type.getElementType()));
  return fuse::LayerNormOp::create(
      node.builder, node.loc, type, wantsMean ? statistic : Type(),
      wantsDeviation ? statistic : Type(), x, factors, terms,
      uint64_t(shape.size() - 1), skipEpsilon(node));
}

/// layer_norm(x + skip + bias), its mean, 1 / deviation, and the sum
void convertSkipLayerNorm(Node &node) {
  node.requireInputs(3, 5);
  Value sum = readSkipSum(node, 4);
  auto op =
      layerNorm(node, sum, 2, 3, node.wantsOutput(1), node.wantsOutput(2));
  node.setOutput(0, op.getResult());
  if (node.wantsOutput(1))
    node.setOutput(1, op.getMean());
  if (node.wantsOutput(2))
    node.setOutput(2, op.getInvStdDev());
}

/// rms_norm(x + skip + bias), 1 / rms, and the sum
void convertSkipRmsNorm(Node &node) {
  node.requireInputs(3, 4);
  node.refuseOutput(1, "a mean, which this norm has none of");
  llvm::APFloat epsilon = skipEpsilon(node);
  Value sum = readSkipSum(node, 3);
  auto type = fuse::getTensorType(sum);
  Value scale = readVector(node, 2, type);
  uint64_t axis = type.getRank() - 1;
  node.setOutput(0,
                 node.make<fuse::RmsNormOp>(type, sum, scale, axis, epsilon));
  if (node.wantsOutput(2))
    node.setOutput(2, inverseRms(node, sum, axis, epsilon));
}

//===- Embeddings ---------------------------------------------------------===//

/// The rows of operand `table` that operand `ids` names, [batch or 1, length,
/// width].
Value embed(Node &node, unsigned ids, unsigned table,
            ArrayRef<int64_t> expected) {
  node.requireSameElementType(2, table);
  ArrayRef<int64_t> at = node.shape(ids), rows = node.shape(table);
  if (!isa<IntegerType>(node.elementType(ids)) || rows.size() != 2 ||
      rows[0] < 1 || at.size() != 2 || at[1] != expected[1] ||
      (at[0] != expected[0] && at[0] != 1) || rows[1] != expected[2])
    node.invalid("cannot embed " + shapeText(expected) + " by " +
                 typeText(node.type(ids)) + " and a table of shape " +
                 shapeText(rows));
  return pickRows(node, table, node.input(ids));
}

/// The first rows of operand 3 as embeddings of the positions.
Value embedInOrder(Node &node, ArrayRef<int64_t> expected) {
  node.requireSameElementType(2, 3);
  ArrayRef<int64_t> table = node.shape(3);
  if (table.size() != 2 || table[0] < expected[1] || table[1] != expected[2])
    node.invalid("cannot embed the positions of " + shapeText(expected) +
                 " by a table of shape " + shapeText(table));
  return node.slice(node.input(3), 0, 0, expected[1]);
}

/// How many words of each sample the mask has a 1 for; 0 without a mask.
Value countWords(Node &node) {
  Type i32 = node.builder.getI32Type();
  int64_t batch = node.shape(0)[0];
  if (!node.hasInput(7))
    return node.splat(0, tensorType({batch}, i32));
  if (node.shape(7) != node.shape(0) || !isa<IntegerType>(node.elementType(7)))
    node.invalid("has a mask " + typeText(node.type(7)) +
                 " for words of shape " + shapeText(node.shape(0)));
  Value mask = node.input(7);
  Value isWord = node.compare(fuse::CmpPredicate::eq, mask, 1);
  Value counts =
      node.reduction(fuse::ReductionKind::sum, node.cast(isWord, i32), {1});
  return node.reshape(counts, {batch});
}

/// layer_norm(words[ids] + positions[position] + segments[segment]), the
/// lengths by the mask, and the sum
void convertEmbedLayerNorm(Node &node) {
  node.requireInputs(1, 9);
  node.requireFloat(2);
  node.ignoreAttributes({"mask_index_type"}); // which results there are
  if (node.rank(0) != 2 || node.rank(2) != 2)
    node.invalid("needs words and their table in two dimensions, has " +
                 shapeText(node.shape(0)) + " and " + shapeText(node.shape(2)));
  SmallVector<int64_t> shape = {node.shape(0)[0], node.shape(0)[1],
                                node.shape(2)[1]};
  Value sum = embed(node, 0, 2, shape);
  auto add = [&](Value value) {
    value = node.broadcast(value, shape);
    sum = node.add(sum, value);
  };
  add(node.hasInput(8) ? embed(node, 8, 3, shape) : embedInOrder(node, shape));
  if (node.hasInput(1) != node.hasInput(4))
    node.invalid("needs both segments and their table, or neither");
  if (node.hasInput(1))
    add(embed(node, 1, 4, shape));
  node.setOutput(0, layerNorm(node, sum, 5, 6, false, false).getResult());
  if (node.wantsOutput(1))
    node.setOutput(1, countWords(node));
  if (node.wantsOutput(2))
    node.setOutput(2, sum);
}

/// Operand 1 as positions [batch or 1, length]: all of them, or the first.
Value readPositions(Node &node, int64_t batch, int64_t length) {
  auto type = node.type(1);
  if (!type.getElementType().isInteger(64))
    node.invalid("needs positions of i64, has " + typeText(type));
  if (type.getShape() == ArrayRef<int64_t>{batch, length})
    return node.input(1);
  if (type.getNumElements() != 1 || type.getRank() > 1)
    node.invalid("has positions of shape " + shapeText(type.getShape()) +
                 " for " + llvm::Twine(batch) + " samples of " +
                 llvm::Twine(length));
  auto row = tensorType({1, length}, type.getElementType());
  Value first = node.reshape(node.input(1), {1, 1});
  first = node.broadcast(first, row.getShape());
  Value steps = node.iota(row, 1);
  return node.add(steps, first);
}

/// The elements of each head turned by the angles at their position.
void convertRotary(Node &node) {
  node.requireInputs(4, 4);
  node.requireFloat(0);
  // Marks how a batch came about; the positions say all.
  node.ignoreAttributes({"is_packed_batching"});
  if (node.floatAttribute("scale", 1) != 1)
    node.unsupported(
        "scales, which ONNX Runtime's CPU kernel does not do either",
        "scale by a node of its own");
  for (unsigned i = 2; i < 4; ++i) {
    node.requireSameElementType(0, i);
    if (node.rank(i) != 2 || node.shape(i) != node.shape(2) ||
        node.shape(i)[0] < 1)
      node.invalid("needs cosines and sines [positions, angles], has " +
                   shapeText(node.shape(2)) + " and " +
                   shapeText(node.shape(3)));
  }
  ArrayRef<int64_t> x = node.shape(0);
  int64_t heads = node.intAttribute("num_heads", 0);
  int64_t rotated = node.intAttribute("rotary_embedding_dim", 0);
  int64_t angles = node.shape(2)[1];
  Value value = node.input(0);
  if (x.size() == 4) {
    value = node.transpose(value, {0, 2, 1, 3});
  } else {
    if (x.size() != 3)
      node.invalid("needs an input of rank 3 or 4, has " + shapeText(x));
    if (heads == 0)
      heads = x[2] / std::max<int64_t>(2 * angles, 1);
    value = splitWidth(node, value, heads);
  }
  int64_t width = dimOf(value, 3);
  if (rotated == 0)
    rotated = width;
  if (2 * angles != rotated || rotated > width)
    node.invalid("cannot rotate " + llvm::Twine(rotated) + " of " +
                 llvm::Twine(width) + " elements by " + llvm::Twine(angles) +
                 " angles");
  Value ids = readPositions(node, dimOf(value, 0), dimOf(value, 1));
  Value cos = pickRows(node, 2, ids), sin = pickRows(node, 3, ids);
  Value y = node.make<fuse::RotaryEmbeddingOp>(value.getType(), value, cos, sin,
                                               node.flag("interleaved"));
  node.setOutput(0, x.size() == 4 ? node.transpose(y, {0, 2, 1, 3})
                                  : node.reshape(y, x));
}

} // namespace

void registerMicrosoft(Registry &r) {
  auto add = [&](llvm::StringRef name, Converter convert) {
    r.addTo("com.microsoft", name, 1, convert);
  };
  add("Gelu", convertPlainGelu);
  add("BiasGelu", convertBiasGelu);
  add("FastGelu", convertFastGelu);
  add("QuickGelu", convertQuickGelu);
  add("SkipLayerNormalization", convertSkipLayerNorm);
  add("SkipSimplifiedLayerNormalization", convertSkipRmsNorm);
  add("EmbedLayerNormalization", convertEmbedLayerNorm);
  add("RotaryEmbedding", convertRotary);
}

} // namespace fusec
