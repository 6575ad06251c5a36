// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention, rotary embeddings and the negative log likelihood.
#include "tools/fusec-ref/Evaluator.h"
#include "tools/fusec-ref/Indexing.h"

using namespace fusec::fuse;
using fusec::io::OpClass;
using llvm::Error;

namespace fusec::ref {
namespace {

/// The offset in a mask of `shape` that is repeated to `point`.
int64_t maskOffset(llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> point) {
  int64_t offset = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    offset = offset * shape[d] + (shape[d] == 1 ? 0 : point[d]);
  return offset;
}

/// Softmax of one row; zeros if all of it is minus infinity.
void softmax(std::vector<double> &row) {
  double largest = -INFINITY, sum = 0;
  for (double value : row)
    largest = std::isnan(value) || value > largest ? value : largest;
  for (double &value : row) {
    value = largest == -INFINITY ? 0 : std::exp(value - largest);
    sum += value;
  }
  for (double &value : row)
    value = sum == 0 ? 0 : value / sum;
}

/// The operands of an attention as numbers.
struct Attention {
  std::vector<double> query, key, value, bias;
  std::vector<int64_t> allowed, biasShape, allowedShape;

  Attention(AttentionOp op, Evaluation &e)
      : query(e.load<double>(0)), key(e.load<double>(1)),
        value(e.load<double>(2)) {
    unsigned next = 3;
    if (op.getBias()) {
      biasShape = e.operands[next]->shape;
      bias = e.load<double>(next++);
    }
    if (op.getAllowed()) {
      allowedShape = e.operands[next]->shape;
      allowed = e.load<int64_t>(next);
    }
  }
};

/// One query's scores; `keep` takes them at each stage.
template <typename Keep>
std::vector<double> scoreRow(AttentionOp op, const Attention &a,
                             const double *query, const double *keys,
                             int64_t width, std::vector<int64_t> point,
                             int64_t count, Keep keep) {
  std::vector<double> row(count);
  double cap = op.getSoftcap().convertToDouble();
  for (int64_t j = 0; j < count; ++j) {
    for (int64_t i = 0; i < width; ++i)
      row[j] += query[i] * keys[j * width + i];
    row[j] *= op.getScale().convertToDouble();
  }
  keep(AttentionStage::product, row);
  if (cap != 0)
    for (double &value : row)
      value = cap * std::tanh(value / cap);
  keep(AttentionStage::capped, row);
  for (int64_t j = 0; j < count; ++j) {
    point[3] = j;
    if (!a.bias.empty())
      row[j] += a.bias[maskOffset(a.biasShape, point)];
    if (!a.allowed.empty() && !a.allowed[maskOffset(a.allowedShape, point)])
      row[j] = -INFINITY;
  }
  keep(AttentionStage::biased, row);
  softmax(row);
  keep(AttentionStage::softmax, row);
  return row;
}

Error evaluateAttention(AttentionOp op, Evaluation &e) {
  Attention a(op, e);
  const std::vector<int64_t> &q = e.operands[0]->shape;
  const std::vector<int64_t> &v = e.operands[2]->shape;
  int64_t heads = q[1], perGroup = heads / v[1], keys = v[2];
  std::vector<double> result, scores;
  for (int64_t b = 0; b < q[0]; ++b)
    for (int64_t h = 0; h < heads; ++h) {
      int64_t shared = b * v[1] + h / perGroup;
      const double *values = a.value.data() + shared * keys * v[3];
      for (int64_t i = 0; i < q[2]; ++i) {
        std::vector<double> row = scoreRow(
            op, a, a.query.data() + ((b * heads + h) * q[2] + i) * q[3],
            a.key.data() + shared * keys * q[3], q[3], {b, h, i, 0}, keys,
            [&](AttentionStage stage, const std::vector<double> &at) {
              if (stage == op.getStage())
                scores.insert(scores.end(), at.begin(), at.end());
            });
        for (int64_t f = 0; f < v[3]; ++f) {
          double sum = 0;
          for (int64_t j = 0; j < keys; ++j)
            sum += row[j] * values[j * v[3] + f];
          result.push_back(sum);
        }
      }
    }
  if (op.getScores())
    if (Error error = e.store(scores, 1))
      return error;
  return e.store(result);
}

Error evaluateRotary(RotaryEmbeddingOp op, Evaluation &e) {
  std::vector<double> x = e.load<double>(0);
  std::vector<double> cos = e.load<double>(1), sin = e.load<double>(2);
  const std::vector<int64_t> &shape = e.operands[0]->shape;
  const std::vector<int64_t> &angles = e.operands[1]->shape;
  int64_t half = angles[2], heads = shape[2], width = shape[3];
  for (int64_t row = 0; row < shape[0] * shape[1] * heads; ++row) {
    int64_t position = row / heads;
    if (angles[0] == 1)
      position %= shape[1];
    for (int64_t i = 0; i < half; ++i) {
      double c = cos[position * half + i], s = sin[position * half + i];
      double &first = x[row * width + (op.getInterleaved() ? 2 * i : i)];
      double &second =
          x[row * width + (op.getInterleaved() ? 2 * i + 1 : half + i)];
      double rotated = first * c - second * s;
      second = second * c + first * s;
      first = rotated;
    }
  }
  return e.store(x);
}

Error evaluateNllLoss(NllLossOp op, Evaluation &e) {
  std::vector<double> x = e.load<double>(0);
  std::vector<int64_t> target = e.load<int64_t>(1);
  const std::vector<int64_t> &shape = e.operands[0]->shape;
  int64_t classes = shape[1], inner = rowMajorStrides(shape)[1];
  std::vector<double> weight(classes, 1.0), losses;
  if (op.getWeight())
    weight = e.load<double>(2);
  double sum = 0, count = 0;
  for (int64_t i = 0; i < int64_t(target.size()); ++i) {
    int64_t t = target[i];
    bool ignored = op.getIgnoreIndex() && t == int64_t(*op.getIgnoreIndex());
    if (!ignored && (t < 0 || t >= classes))
      return e.fail("has the target " + llvm::Twine(t) + " among " +
                    llvm::Twine(classes) + " classes");
    double w = ignored ? 0 : weight[t];
    int64_t at = i / inner * classes * inner + t * inner + i % inner;
    losses.push_back(ignored ? 0 : -w * x[at]);
    sum += losses.back();
    count += w;
  }
  switch (op.getReduction()) {
  case LossReduction::none:
    return e.store(losses);
  case LossReduction::sum:
    return e.store(std::vector<double>{sum});
  case LossReduction::mean:
    return e.store(std::vector<double>{sum / count});
  }
  llvm_unreachable("unknown reduction");
}

} // namespace

void addAttention(Registry &registry) {
  registry.add<AttentionOp>(OpClass::Network, evaluateAttention);
  registry.add<RotaryEmbeddingOp>(OpClass::Elementwise, evaluateRotary);
  registry.add<NllLossOp>(OpClass::Reduction, evaluateNllLoss);
}

} // namespace fusec::ref
