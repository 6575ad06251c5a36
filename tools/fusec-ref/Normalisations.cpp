// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax and the norms, row by row from their definitions.
#include "tools/fusec-ref/Evaluator.h"
#include "tools/fusec-ref/Indexing.h"
#include "tools/fusec-ref/Numbers.h"

using namespace fusec::fuse;
using fusec::io::OpClass;
using llvm::Error;

namespace fusec::ref {
namespace {

/// exp(x - max x) / sum, or with `logarithm` x - max x - log sum, over the
/// elements of `values` at start + along[...].
void softmaxRow(std::vector<double> &values, int64_t start,
                const Offsets &along, bool logarithm) {
  double largest = -INFINITY, sum = 0;
  for (int64_t offset : along)
    largest = maximum(largest, values[start + offset]);
  for (int64_t offset : along)
    sum += std::exp(values[start + offset] - largest);
  for (int64_t offset : along) {
    double &value = values[start + offset];
    value = logarithm ? value - largest - std::log(sum)
                      : std::exp(value - largest) / sum;
  }
}

Error evaluateSoftmax(Evaluation &e, int64_t axis, bool logarithm) {
  const std::vector<int64_t> &shape = e.operands[0]->shape;
  int64_t rank = shape.size();
  if (rank == 0) // One element, which is its own maximum.
    return e.store(std::vector<double>{logarithm ? 0.0 : 1.0});
  axis = normaliseAxis(axis, rank);
  if (axis < 0 || axis >= rank)
    return e.fail("has axis " + llvm::Twine(axis) + " at rank " +
                  llvm::Twine(rank));
  std::vector<double> values = e.load<double>(0);
  Offsets along = offsetsAlong(shape, {axis});
  for (int64_t start : offsetsAlong(shape, otherDims(rank, {axis})))
    softmaxRow(values, start, along, logarithm);
  return e.store(values);
}

Error evaluateBatchNorm(BatchNormOp op, Evaluation &e) {
  std::vector<double> values = e.load<double>(0);
  std::vector<double> scale = e.load<double>(1), bias = e.load<double>(2);
  std::vector<double> mean = e.load<double>(3), variance = e.load<double>(4);
  double epsilon = op.getEpsilon().convertToDouble();
  std::vector<int64_t> shape = e.resultShape();
  int64_t inner = rowMajorStrides(shape)[1];
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t c = i / inner % shape[1];
    values[i] =
        (values[i] - mean[c]) / std::sqrt(variance[c] + epsilon) * scale[c] +
        bias[c];
  }
  return e.store(values);
}

Error evaluateLayerNorm(LayerNormOp op, Evaluation &e) {
  std::vector<double> values = e.load<double>(0), scale = e.load<double>(1);
  std::vector<double> bias(scale.size());
  if (op.getBias())
    bias = e.load<double>(2);
  const std::vector<int64_t> &shape = e.operands[0]->shape;
  int64_t axis = normaliseAxis(op.getAxis(), shape.size());
  double epsilon = op.getEpsilon().convertToDouble();
  auto inner = static_cast<int64_t>(scale.size());
  int64_t rows = product(llvm::ArrayRef<int64_t>(shape).take_front(axis));

  std::vector<double> means(rows), inverses(rows);
  for (int64_t row = 0; row < rows; ++row) {
    double *x = values.data() + row * inner, sum = 0, squares = 0;
    for (int64_t i = 0; i < inner; ++i)
      sum += x[i];
    means[row] = sum / double(inner);
    for (int64_t i = 0; i < inner; ++i)
      squares += (x[i] - means[row]) * (x[i] - means[row]);
    inverses[row] = 1 / std::sqrt(squares / double(inner) + epsilon);
    for (int64_t i = 0; i < inner; ++i)
      x[i] = (x[i] - means[row]) * inverses[row] * scale[i] + bias[i];
  }
  unsigned next = 0;
  if (Error error = e.store(values, next++))
    return error;
  if (op.getMean())
    if (Error error = e.store(means, next++))
      return error;
  if (op.getInvStdDev())
    return e.store(inverses, next);
  return Error::success();
}

} // namespace

void addNormalisations(Registry &registry) {
  registry.add<SoftmaxOp>(OpClass::Reduction, [](SoftmaxOp op, Evaluation &e) {
    return evaluateSoftmax(e, op.getAxis(), false);
  });
  registry.add<LogSoftmaxOp>(OpClass::Reduction,
                             [](LogSoftmaxOp op, Evaluation &e) {
                               return evaluateSoftmax(e, op.getAxis(), true);
                             });
  registry.add<BatchNormOp>(OpClass::Elementwise, evaluateBatchNorm);
  registry.add<LayerNormOp>(OpClass::Reduction, evaluateLayerNorm);
}

} // namespace fusec::ref
