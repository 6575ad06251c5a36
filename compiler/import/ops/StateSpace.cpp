// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layers that carry a state of fixed size along a sequence, and writes into
// caches.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Calls.h"

#include <cmath>

using namespace mlir;

namespace fusec {
namespace {

void requireShape(Node &node, unsigned index, ArrayRef<int64_t> shape,
                  llvm::StringRef what) {
  if (node.shape(index) != shape)
    node.invalid("has " + what + " of shape " + shapeText(node.shape(index)) +
                 ", expected " + shapeText(shape));
}

//===- CausalConvWithState ------------------------------------------------===//

/// A depthwise convolution along the last dimension over what came before,
/// `past` [B, C, k - 1] or zeros, and the input [B, C, L].
void convertCausalConv(Node &node) {
  node.requireInputs(2, 4);
  node.requireFloat(0);
  node.requireSameElementType(0, 1);
  if (node.rank(0) != 3 || node.rank(1) != 3 || node.shape(1)[2] < 1)
    node.invalid("needs an input [batch, channels, length] and filters "
                 "[channels, 1, size], has " +
                 shapeText(node.shape(0)) + " and " + shapeText(node.shape(1)));
  int64_t batch = node.shape(0)[0], channels = node.shape(0)[1];
  int64_t length = node.shape(0)[2], before = node.shape(1)[2] - 1;
  requireShape(node, 1, {channels, 1, before + 1}, "filters");
  std::string activation = node.stringAttribute("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    node.invalid("has the unknown activation '" + activation + "'");
  Value bias;
  if (node.hasInput(2)) {
    node.requireSameElementType(0, 2);
    requireShape(node, 2, {channels}, "a bias");
    bias = node.input(2);
  }
  Type element = node.elementType(0);
  RankedTensorType pastType = tensorType({batch, channels, before}, element);
  Value all = node.input(0);
  if (node.hasInput(3)) {
    node.requireSameElementType(0, 3);
    requireShape(node, 3, pastType.getShape(), "a past state");
  }
  if (before > 0) {
    Value past = node.hasInput(3) ? node.input(3)
                                  : node.splat(0, pastType.clone(element));
    all = node.concat({past, all}, 2);
  }
  SmallVector<int64_t> ones = {1}, none = {0};
  Value filters = node.input(1);
  Value result = node.make<fuse::ConvOp>(node.type(0), all, filters, bias, ones,
                                         ones, none, none, uint64_t(channels));
  if (activation != "none")
    result = node.make<fuse::SwishOp>(node.type(0), result,
                                      node.builder.getF64FloatAttr(1));
  node.setOutput(0, result);
  if (node.wantsOutput(1))
    node.setOutput(1, node.slice(all, 2, length, before));
}

//===- LinearAttention ----------------------------------------------------===//

/// With a state S [B, H, K, V] for each head of keys and values, at each step
///   S = exp(g) S          if there is a decay g
///   v = b (v - S^T k)     if there is an update rate b
///   S = S + k v^T,  o = scale q^T S
/// in f32. Several heads of queries may share one of keys.
class LinearAttention {
public:
  explicit LinearAttention(Node &node) : node(node) {}
  void run();

private:
  void readShapes();
  /// Operand `index` [B, T, ...] as f32 [T, B, inner...].
  Value steps(unsigned index, ArrayRef<int64_t> inner);
  /// Repeats `value`, whose dimensions are those of the state in `dims`.
  Value alongState(Value value, ArrayRef<int64_t> dims);
  Value contract(Value lhs, Value rhs, ArrayRef<int64_t> shape, unsigned count,
                 std::initializer_list<ArrayRef<unsigned>> maps);
  /// One step; returns the next state and the output's row.
  std::pair<Value, Value> step(Value state, ArrayRef<Value> rows);
  RankedTensorType f32(ArrayRef<int64_t> shape) {
    return tensorType(shape, node.builder.getF32Type());
  }

  Node &node;
  int64_t batch = 0, length = 0, heads = 0, group = 0, keys = 0, values = 0;
  double scale = 0;
  bool decays = false, corrects = false;
};

void LinearAttention::readShapes() {
  node.ignoreAttributes({"chunk_size"});
  node.requireInputs(3, 6);
  int64_t queries = node.intAttribute("q_num_heads");
  heads = node.intAttribute("kv_num_heads");
  std::string rule = node.stringAttribute("update_rule", "gated_delta");
  corrects = rule == "delta" || rule == "gated_delta";
  decays = rule == "gated" || rule == "gated_delta";
  if (!corrects && !decays && rule != "linear")
    node.invalid("has the unknown update_rule '" + rule + "'");
  if (decays != node.hasInput(4) || corrects != node.hasInput(5))
    node.invalid("has other operands than the update_rule '" + rule +
                 "' needs (a decay for 'gated', an update rate for 'delta')");
  for (unsigned i : {0u, 1u, 2u, 4u, 5u}) {
    if (!node.hasInput(i))
      continue;
    node.requireFloat(i);
    node.requireSameElementType(0, i);
    if (node.rank(i) != 3)
      node.invalid("needs operands [batch, length, heads * width], has " +
                   shapeText(node.shape(i)));
  }
  batch = node.shape(0)[0];
  length = node.shape(0)[1];
  if (heads < 1 || queries < 1 || queries % heads != 0 ||
      node.shape(0)[2] % queries != 0 || node.shape(2)[2] % heads != 0)
    node.invalid("cannot split " + shapeText(node.shape(0)) + " and " +
                 shapeText(node.shape(2)) + " into " + llvm::Twine(queries) +
                 " heads of queries and " + llvm::Twine(heads) + " of values");
  group = queries / heads;
  keys = node.shape(0)[2] / queries;
  values = node.shape(2)[2] / heads;
  requireShape(node, 1, {batch, length, heads * keys}, "keys");
  requireShape(node, 2, {batch, length, heads * values}, "values");
  if (node.hasInput(3)) {
    node.requireFloat(3);
    requireShape(node, 3, {batch, heads, keys, values}, "a past state");
  }
  if (decays && node.shape(4)[2] != heads)
    requireShape(node, 4, {batch, length, heads * keys}, "a decay");
  if (corrects && node.shape(5)[2] != 1)
    requireShape(node, 5, {batch, length, heads}, "an update rate");
  for (unsigned i : {4u, 5u})
    if (node.hasInput(i))
      requireShape(node, i, {batch, length, node.shape(i)[2]}, "an operand");
  scale = node.floatAttribute("scale", 0);
  if (scale == 0)
    scale = 1 / std::sqrt(double(keys));
}

Value LinearAttention::steps(unsigned index, ArrayRef<int64_t> inner) {
  SmallVector<int64_t> shape = {batch, length}, perm = {1, 0};
  llvm::append_range(shape, inner);
  for (size_t i = 2; i < shape.size(); ++i)
    perm.push_back(i);
  Value value = node.cast(node.input(index), node.builder.getF32Type());
  return node.transpose(node.reshape(value, shape), perm);
}

Value LinearAttention::alongState(Value value, ArrayRef<int64_t> dims) {
  return node.broadcast(value, {batch, heads, keys, values}, dims);
}

Value LinearAttention::contract(
    Value lhs, Value rhs, ArrayRef<int64_t> shape, unsigned count,
    std::initializer_list<ArrayRef<unsigned>> dims) {
  SmallVector<AffineMap> maps;
  for (ArrayRef<unsigned> map : dims)
    maps.push_back(AffineMap::getMultiDimMapWithTargets(
        count, map, node.builder.getContext()));
  return node.make<fuse::ContractOp>(f32(shape), lhs, rhs,
                                     node.builder.getAffineMapArrayAttr(maps));
}

std::pair<Value, Value> LinearAttention::step(Value state,
                                              ArrayRef<Value> rows) {
  Value query = rows[0], key = rows[1], value = rows[2];
  size_t next = 3;
  if (decays) {
    Value decay = rows[next++];
    Value factor = node.unary<fuse::ExpOp>(decay);
    bool perKey = fuse::getTensorType(decay).getRank() == 3;
    factor =
        perKey ? alongState(factor, {0, 1, 2}) : alongState(factor, {0, 1});
    state = node.mul(state, factor);
  }
  if (corrects) {
    // b, h, v, k
    Value known = contract(state, key, {batch, heads, values}, 4,
                           {{0, 1, 3, 2}, {0, 1, 3}, {0, 1, 2}});
    Value rate = node.broadcast(rows[next],
                                fuse::getTensorType(value).getShape(), {0, 1});
    value = node.sub(value, known);
    value = node.mul(rate, value);
  }
  Value product =
      node.mul(alongState(key, {0, 1, 2}), alongState(value, {0, 1, 3}));
  state = node.add(state, product);
  // b, h, g, v, k
  Value row = contract(query, state, {batch, heads, group, values}, 5,
                       {{0, 1, 2, 4}, {0, 1, 4, 3}, {0, 1, 2, 3}});
  return {state, node.mul(row, scale)};
}

void LinearAttention::run() {
  readShapes();
  OpBuilder &builder = node.builder;
  Type element = node.elementType(0);
  RankedTensorType stateType = f32({batch, heads, keys, values});
  Type kept = node.hasInput(3) ? node.elementType(3) : element;
  Value past = node.hasInput(3)
                   ? node.cast(node.input(3), builder.getF32Type())
                   : node.splat(0, stateType.clone(builder.getF32Type()));
  SmallVector<Value> slices = {steps(0, {heads, group, keys}),
                               steps(1, {heads, keys}),
                               steps(2, {heads, values})};
  if (decays)
    slices.push_back(node.shape(4)[2] == heads ? steps(4, {heads})
                                               : steps(4, {heads, keys}));
  if (corrects) {
    Value rate = steps(5, {node.shape(5)[2]});
    slices.push_back(node.broadcast(rate, {length, batch, heads}));
  }
  RankedTensorType stack = f32({length, batch, heads, group, values});
  auto loop = fuse::LoopOp::create(
      builder, node.loc, TypeRange{stateType, stack},
      builder.getI64IntegerAttr(length), Value(), Value(), past, slices,
      ArrayRef<int64_t>(), ArrayRef<int64_t>());
  SmallVector<Type> taken = {tensorType({}, builder.getI64Type()), stateType};
  for (Value slice : slices) {
    auto type = fuse::getTensorType(slice);
    taken.push_back(type.clone(type.getShape().drop_front()));
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *block =
        builder.createBlock(&loop.getBody(), {}, taken,
                            SmallVector<Location>(taken.size(), node.loc));
    SmallVector<Value> rows(block->getArguments().drop_front(2));
    auto [state, row] = step(loop.getCarried(0), rows);
    fuse::YieldOp::create(builder, node.loc, ValueRange{state, row});
  }
  Value result = node.transpose(loop.getStack(0), {1, 0, 2, 3, 4});
  result = node.reshape(result, {batch, length, heads * group * values});
  node.setOutput(0, node.cast(result, element));
  if (node.wantsOutput(1))
    node.setOutput(1, node.cast(loop.getResult(0), kept));
}

void convertLinearAttention(Node &node) { LinearAttention(node).run(); }

//===- TensorScatter ------------------------------------------------------===//

void convertTensorScatter(Node &node) {
  node.requireInputs(2, 3);
  node.requireSameElementType(0, 1);
  std::string mode = node.stringAttribute("mode", "linear");
  if (mode != "linear" && mode != "circular")
    node.invalid("has the unknown mode '" + mode + "'");
  int64_t rank = node.rank(0);
  int64_t axis = node.normalizeAxis(node.intAttribute("axis", -2), rank);
  if (axis == 0)
    node.invalid("cannot write along the batch dimension");
  SmallVector<int64_t> expected(node.shape(0));
  if (node.rank(1) == rank)
    expected[axis] = node.shape(1)[axis];
  requireShape(node, 1, expected, "an update");
  int64_t length = expected[axis], room = node.shape(0)[axis];
  if (length > room)
    node.invalid("cannot write " + llvm::Twine(length) + " elements into " +
                 llvm::Twine(room));
  if (node.hasInput(2)) {
    requireShape(node, 2, {node.shape(0)[0]}, "write indices");
    if (isa<FloatType>(node.elementType(2)) || node.elementType(2).isInteger(1))
      node.invalid("needs integers as write indices, has " +
                   typeText(node.elementType(2)));
  }
  if (node.type(1).getNumElements() == 0)
    return node.forward(0, 0);
  if (node.hasInput(2))
    return node.setOutput(0,
                          writeRows(node, node.input(0), node.input(1),
                                    node.input(2), axis, mode == "circular"));
  if (length == room)
    return node.forward(0, 1);
  Value kept = node.slice(node.input(0), axis, length, room - length);
  Value update = node.input(1);
  node.setOutput(0, node.concat({update, kept}, axis));
}

} // namespace

void registerStateSpace(Registry &r) {
  r.add("CausalConvWithState", 27, convertCausalConv);
  r.add("LinearAttention", 27, convertLinearAttention);
  r.add("TensorScatter", 24, convertTensorScatter);
}

} // namespace fusec
