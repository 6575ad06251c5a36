// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention whose scores and probabilities pass through graphs of the model's.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"
#include "compiler/io/ElementType.h"
#include "dialects/coded/CodedFloats.h"

#include <cmath>

using namespace mlir;

namespace fusec {
namespace {

/// The extents of queries [B, Hq, L, E], keys [B, Hkv, S, E] and values
/// [B, Hkv, S, Ev].
struct Extents {
  int64_t batch, queryHeads, heads, queries, keys, size, valueSize;
};

Extents readExtents(Node &node) {
  for (unsigned i = 0; i < 3; ++i) {
    node.requireFloat(i);
    node.requireSameElementType(0, i);
    if (node.rank(i) != 4)
      node.invalid("needs operands of rank 4, has " + shapeText(node.shape(i)));
  }
  ArrayRef<int64_t> q = node.shape(0), k = node.shape(1), v = node.shape(2);
  bool fits =
      q[0] == k[0] && q[3] == k[3] && k.take_front(3) == v.take_front(3);
  if (!fits || k[1] == 0 || q[1] % k[1] != 0)
    node.invalid("has queries, keys and values of the shapes " + shapeText(q) +
                 ", " + shapeText(k) + " and " + shapeText(v));
  return {q[0], q[1], k[1], q[2], k[2], q[3], v[3]};
}

/// The type of scores and probabilities.
Type precision(Node &node) {
  Builder &builder = node.builder;
  if (!node.hasAttribute("softmax_precision"))
    return node.elementType(0).isF64() ? node.elementType(0)
                                       : Type(builder.getF32Type());
  int code = int(node.intAttribute("softmax_precision"));
  Type type = elementTypeFromOnnx(code, builder.getContext());
  if (!type || !isa<FloatType>(type) || isCoded(type))
    node.invalid("cannot compute a softmax in " + io::onnxTypeName(code));
  return type;
}

/// `value` through the graph `name`, where the model has one.
Value modify(Node &node, llvm::StringRef name, Value value) {
  if (!node.hasAttribute(name))
    return value;
  const onnx::GraphProto &graph = node.graphAttribute(name);
  if (graph.input_size() != 1 || graph.output_size() != 1)
    node.invalid("has a graph '" + name +
                 "' that does not make one tensor of "
                 "one");
  TensorValue argument;
  argument.type = fuse::getTensorType(value);
  argument.value = value;
  std::vector<TensorValue> outputs = node.importInline(graph, {argument});
  if (outputs[0].type != argument.type)
    node.invalid("has a graph '" + name + "' that makes " +
                 (outputs[0].type ? typeText(outputs[0].type) : "a sequence") +
                 " of " + typeText(argument.type));
  return node.materialize(outputs[0]);
}

/// prob_mod(softmax(score_mod(scale Q K^T))) V. Neighbouring query heads share
/// a head of keys: they are the rows of one product.
void convertFlexAttention(Node &node) {
  node.requireInputs(3, 3);
  Extents n = readExtents(node);
  Type element = node.elementType(0), compute = precision(node);
  double scale = node.floatAttribute(
      "scale", 1 / std::sqrt(double(std::max<int64_t>(n.size, 1))));
  if (!(scale >= 0))
    node.unsupported("has the scale " + std::to_string(scale) +
                     ", which has no square root");
  // Both sides take the root, so that products of f16 stay in range.
  auto scaled = [&](Value value) { return node.mul(value, std::sqrt(scale)); };
  int64_t rows = n.queryHeads / n.heads * n.queries;
  Value queries =
      node.reshape(scaled(node.input(0)), {n.batch, n.heads, rows, n.size});
  Value keys = node.transpose(scaled(node.input(1)), {0, 1, 3, 2});
  Value scores = node.make<fuse::MatmulOp>(
      tensorType({n.batch, n.heads, rows, n.keys}, element), queries, keys);
  scores = node.reshape(scores, {n.batch, n.queryHeads, n.queries, n.keys});
  scores = modify(node, "score_mod", node.cast(scores, compute));
  Value weights =
      node.make<fuse::SoftmaxOp>(scores.getType(), scores, uint64_t(3));
  weights = node.reshape(modify(node, "prob_mod", weights),
                         {n.batch, n.heads, rows, n.keys});
  Value result = node.make<fuse::MatmulOp>(
      tensorType({n.batch, n.heads, rows, n.valueSize}, compute), weights,
      node.cast(node.input(2), compute));
  result =
      node.reshape(result, {n.batch, n.queryHeads, n.queries, n.valueSize});
  node.setOutput(0, node.cast(result, element));
}

} // namespace

void registerFlexAttention(Registry &r) {
  r.addTo("ai.onnx.preview", "FlexAttention", 1, convertFlexAttention);
}

} // namespace fusec
