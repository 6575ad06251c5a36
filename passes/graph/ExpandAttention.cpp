// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and rotary embeddings.
#include "passes/graph/ExpandComposites.h"

#include <limits>

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A mask [B or 1, H or 1, L or 1, S or 1] repeated to scores [B, G, H / G, L,
/// S].
static Value repeatMask(Value mask, ArrayRef<int64_t> scores,
                        TensorBuilder &b) {
  SmallVector<int64_t> shape(getTensorType(mask).getShape());
  int64_t heads = shape[1];
  shape[1] = heads == 1 ? 1 : scores[1];
  shape.insert(shape.begin() + 2, heads == 1 ? 1 : scores[2]);
  return b.broadcast(b.reshape(mask, shape), scores, {0, 1, 2, 3, 4});
}

/// Softmax along the last dimension; with `mayBeEmpty`, rows of nothing but
/// minus infinity give zeros (and not NaN): nothing is above the lowest number
/// there, and the sum, which is at least 1 elsewhere, is 0.
static Value buildSoftmax(Value x, bool mayBeEmpty, TensorBuilder &b) {
  auto type = cast<FloatType>(getTensorType(x).getElementType());
  ArrayRef<int64_t> shape = getTensorType(x).getShape();
  SmallVector<int64_t> last = {int64_t(shape.size()) - 1};
  Value max = b.reduce(Combiner::Max, x, last);
  if (mayBeEmpty)
    max = b.max(max,
                APFloat::getLargest(type.getFloatSemantics(), /*Negative=*/true)
                    .convertToDouble());
  Value exp = b.unary<ExpOp>(b.sub(x, b.broadcastBack(max, shape, last)));
  Value sum = b.reduce(Combiner::Add, exp, last);
  if (mayBeEmpty)
    sum = b.max(sum, 1.0);
  return b.div(exp, b.broadcastBack(sum, shape, last));
}

// s = scale q k^T, softmax(cap tanh(s / cap) + bias) v. The heads of the query
// are split into [G, H / G], of which keys and values have the first.
static SmallVector<Value> expandAttention(AttentionOp op, TensorBuilder &b) {
  auto q = getTensorType(op.getQuery()), v = getTensorType(op.getValue());
  int64_t batch = q.getDimSize(0), heads = q.getDimSize(1);
  int64_t groups = v.getDimSize(1), perGroup = heads / groups;
  int64_t length = q.getDimSize(2), keys = v.getDimSize(2);
  SmallVector<int64_t> shape = {batch, groups, perGroup, length, keys};

  // Iterators: batch, group, head, query, key, then what is summed.
  Value query = b.reshape(op.getQuery(),
                          {batch, groups, perGroup, length, q.getDimSize(3)});
  Value x = buildSlimContraction(query, op.getKey(), {0, 1, 2, 3, 5},
                                 {0, 1, 4, 5}, {0, 1, 2, 3, 4}, shape, b);
  double scale = op.getScale().convertToDouble();
  if (scale != 1)
    x = b.mul(x, scale);
  Value stages[4] = {x};
  if (double cap = op.getSoftcap().convertToDouble(); cap != 0)
    x = b.mul(b.unary<TanhOp>(b.div(x, cap)), cap);
  stages[unsigned(AttentionStage::capped)] = x;
  if (Value bias = op.getBias())
    x = b.add(x, repeatMask(b.castToCompute(bias), shape, b));
  if (Value allowed = op.getAllowed()) {
    allowed = repeatMask(allowed, shape, b);
    x = b.select(allowed, x, -kInfinity);
  }
  stages[unsigned(AttentionStage::biased)] = x;
  x = buildSoftmax(x, op.getBias() || op.getAllowed(), b);
  stages[unsigned(AttentionStage::softmax)] = x;

  shape.back() = v.getDimSize(3);
  Value sum = buildSlimContraction(x, op.getValue(), {0, 1, 2, 3, 5},
                                   {0, 1, 5, 4}, {0, 1, 2, 3, 4}, shape, b);
  auto finish = [&](Value value, Value result) {
    auto type = getTensorType(result);
    return b.cast(b.reshape(value, type.getShape()), type.getElementType());
  };
  SmallVector<Value> results = {finish(sum, op.getResult())};
  if (op.getScores())
    results.push_back(finish(stages[unsigned(op.getStage())], op.getScores()));
  return results;
}

static Value concatLast(ValueRange values, TensorBuilder &b) {
  auto type = getTensorType(values[0]);
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = 0;
  for (Value value : values)
    shape.back() += getTensorType(value).getShape().back();
  return b.make<ConcatOp>(type.clone(shape), values, shape.size() - 1);
}

// (x1 cos - x2 sin, x2 cos + x1 sin)
static SmallVector<Value> expandRotary(RotaryEmbeddingOp op, TensorBuilder &b) {
  auto type = getTensorType(op.getResult());
  int64_t half = getTensorType(op.getCos()).getDimSize(2);
  int64_t step = op.getInterleaved() ? 2 : 1,
          second = op.getInterleaved() ? 1 : half;
  Value x = b.castToCompute(op.getInput());
  int64_t last = type.getRank() - 1;
  Value x1 = b.slice(x, last, 0, half, step);
  Value x2 = b.slice(x, last, second, half, step);
  ArrayRef<int64_t> shape = getTensorType(x1).getShape();
  auto angle = [&](Value value) {
    return b.broadcast(b.castToCompute(value), shape, {0, 1, 3});
  };
  Value cos = angle(op.getCos()), sin = angle(op.getSin());
  Value x1Cos = b.mul(x1, cos), x2Sin = b.mul(x2, sin);
  Value y1 = b.sub(x1Cos, x2Sin);
  Value x2Cos = b.mul(x2, cos), x1Sin = b.mul(x1, sin);
  Value y2 = b.add(x2Cos, x1Sin);
  SmallVector<Value> parts = {y1, y2};
  if (op.getInterleaved()) {
    SmallVector<int64_t> pair(shape), flat(shape);
    pair.push_back(1);
    flat.back() = 2 * half;
    Value pairs = concatLast({b.reshape(y1, pair), b.reshape(y2, pair)}, b);
    parts = {b.reshape(pairs, flat)};
  }
  int64_t rest = type.getShape().back() - 2 * half;
  if (rest > 0)
    parts.push_back(b.slice(x, last, 2 * half, rest));
  Value y = parts.size() == 1 ? parts[0] : concatLast(parts, b);
  return {b.cast(y, type.getElementType())};
}

void fusec::fuse::populateExpandAttention(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Expansion<AttentionOp>>(context, expandAttention);
  patterns.add<Expansion<RotaryEmbeddingOp>>(context, expandRotary);
}
