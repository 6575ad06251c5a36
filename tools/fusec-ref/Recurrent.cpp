// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RNN, GRU and LSTM: one row of the batch, one step, one unit at a time.
#include "tools/fusec-ref/Codes.h"
#include "tools/fusec-ref/Evaluator.h"
#include "tools/fusec-ref/Numbers.h"

using namespace mlir;
using namespace fusec::fuse;
using fusec::io::OpClass;
using llvm::Error;

namespace fusec::ref {
namespace {

using Vector = std::vector<double>;

/// The activations as ONNX defines them (operators RNN, GRU and LSTM).
double activate(StringRef name, double alpha, double beta, double x) {
  if (name == "Relu")
    return maximum(x, 0.0);
  if (name == "Sigmoid")
    return 1 / (1 + std::exp(-x));
  if (name == "Affine")
    return alpha * x + beta;
  if (name == "LeakyRelu")
    return x < 0 ? alpha * x : x;
  if (name == "ThresholdedRelu")
    return x > alpha ? x : 0;
  if (name == "ScaledTanh")
    return alpha * std::tanh(beta * x);
  if (name == "HardSigmoid")
    return minimum(maximum(alpha * x + beta, 0.0), 1.0);
  if (name == "Elu")
    return x < 0 ? alpha * std::expm1(x) : x;
  if (name == "Softsign")
    return x / (1 + std::fabs(x));
  if (name == "Softplus")
    return maximum(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
  return std::tanh(x);
}

/// A layer in evaluation. `part` is the direction.
template <typename Op> struct Layer {
  Layer(Op op, Evaluation &e, int64_t gates, int64_t activations)
      : op(op), e(e), gates(gates), activations(activations) {
    auto x = getShape(op.getInput().getType());
    steps = x[0], batch = x[1], features = x[2];
    hidden = getShape(op.getRecurrence().getType())[2];
    input = e.load<double>(0);
    weights = e.load<double>(1);
    recurrence = e.load<double>(2);
    bias = optional(op.getBias());
    counts.assign(batch, steps);
    if (Vector lengths = optional(op.getLengths()); !lengths.empty())
      for (auto [count, length] : llvm::zip(counts, lengths))
        count = std::clamp<int64_t>(int64_t(length), 0, steps);
    if constexpr (std::is_same_v<Op, LstmOp>)
      if (op.getWeightScale())
        takeCodes();
  }

  /// Both matrices as what their codes stand for, and the input as what its
  /// codes do.
  void takeCodes() {
    isCoded = true;
    decode(weights, optional(op.getWeightScale()),
           optional(op.getWeightZero()));
    decode(recurrence, optional(op.getRecurrenceScale()),
           optional(op.getRecurrenceZero()));
    int64_t longest = batch == 0 ? 0 : *llvm::max_element(counts);
    std::fill(input.begin() + longest * batch * features, input.end(), 0);
    quantizeByRange(input);
  }
  /// (matrix - zero) scale, of which one or each row of a direction has its
  /// own.
  void decode(Vector &matrix, const Vector &scale, const Vector &zero) {
    int64_t directions = op.getDirection() == Direction::bidirectional ? 2 : 1;
    int64_t rows = directions * gates * hidden;
    int64_t width = rows == 0 ? 0 : int64_t(matrix.size()) / rows;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t k = 0; k < width; ++k) {
        double &value = matrix[row * width + k];
        value = (value - zero[row * int64_t(zero.size()) / rows]) *
                scale[row * int64_t(scale.size()) / rows];
      }
  }

  /// The elements of an operand that may be missing.
  Vector optional(Value operand) {
    for (auto [number, value] : llvm::enumerate(op->getOperands()))
      if (operand && value == operand)
        return e.load<double>(number);
    return {};
  }
  double f(int64_t which, double x) {
    if (op.getClip() && which != 2) { // not the cell of an LSTM
      double bound = op.getClip()->convertToDouble();
      x = minimum(maximum(x, -bound), bound);
    }
    int64_t index = part * activations + which;
    return activate(cast<StringAttr>(op.getActivations()[index]).getValue(),
                    op.getAlphas()[index], op.getBetas()[index], x);
  }
  double dot(const Vector &matrix, int64_t gate, int64_t unit,
             const double *vector, int64_t length) const {
    const double *row =
        &matrix[((part * gates + gate) * hidden + unit) * length];
    double sum = 0;
    for (int64_t k = 0; k < length; ++k)
      sum += row[k] * vector[k];
    return sum;
  }
  /// W x of a gate and unit, with the input's bias.
  double fromInput(int64_t gate, int64_t unit, const double *x) const {
    double b =
        bias.empty() ? 0 : bias[(part * 2 * gates + gate) * hidden + unit];
    return dot(weights, gate, unit, x, features) + b;
  }
  /// R h of a gate and unit, with the recurrence's bias.
  double fromState(int64_t gate, int64_t unit, const double *h) const {
    double b = bias.empty()
                   ? 0
                   : bias[(part * 2 * gates + gates + gate) * hidden + unit];
    return dot(recurrence, gate, unit, h, hidden) + b;
  }

  /// What products see of the states of all rows before step `i`.
  Vector seen(const Vector &states, int64_t i) const {
    Vector result = states;
    if (!isCoded)
      return result;
    for (int64_t row = 0; row < batch; ++row)
      if (i > 0 && i > counts[row])
        std::fill_n(result.begin() + row * hidden, hidden, 0);
    quantizeByRange(result);
    return result;
  }

  /// Runs all directions and steps. `step(x, h, c)` computes the next h and c
  /// of a row (each `hidden` long) in place.
  template <typename Step>
  Error run(const Vector &initialH, const Vector &initialC, Step step) {
    int64_t directions = op.getDirection() == Direction::bidirectional ? 2 : 1;
    Vector all(steps * directions * batch * hidden);
    Vector lastH(directions * batch * hidden), lastC(lastH.size());
    if (!initialH.empty())
      lastH = initialH;
    if (!initialC.empty())
      lastC = initialC;
    auto rowOf = [&](Vector &states, int64_t row) {
      return states.begin() + row * hidden;
    };
    for (part = 0; part < directions; ++part) {
      bool reverse = part == 1 || op.getDirection() == Direction::reverse;
      int64_t first = part * batch;
      for (int64_t i = 0; i < steps; ++i) {
        Vector states =
            seen(Vector(rowOf(lastH, first), rowOf(lastH, first + batch)), i);
        for (int64_t row = 0; row < batch; ++row) {
          if (i >= counts[row])
            continue;
          Vector h(rowOf(states, row), rowOf(states, row + 1));
          Vector c(rowOf(lastC, first + row), rowOf(lastC, first + row + 1));
          int64_t t = reverse ? counts[row] - 1 - i : i;
          step(&input[(t * batch + row) * features], h, c);
          llvm::copy(h, rowOf(all, (t * directions + part) * batch + row));
          llvm::copy(h, rowOf(lastH, first + row));
          llvm::copy(c, rowOf(lastC, first + row));
        }
      }
    }
    if (Error error = e.store(all, 0))
      return error;
    if (Error error = e.store(lastH, 1))
      return error;
    return op->getNumResults() > 2 ? e.store(lastC, 2) : Error::success();
  }

  Op op;
  Evaluation &e;
  const int64_t gates, activations;
  int64_t steps, batch, features, hidden, part = 0;
  std::vector<int64_t> counts; ///< of steps of each row
  bool isCoded = false;
  Vector input, weights, recurrence, bias;
};

Error evaluateRnn(RnnOp op, Evaluation &e) {
  Layer<RnnOp> layer(op, e, 1, 1);
  return layer.run(layer.optional(op.getInitialH()), {},
                   [&](const double *x, Vector &h, Vector &) {
                     Vector next(layer.hidden);
                     for (int64_t j = 0; j < layer.hidden; ++j)
                       next[j] =
                           layer.f(0, layer.fromInput(0, j, x) +
                                          layer.fromState(0, j, h.data()));
                     h = next;
                   });
}

Error evaluateGru(GruOp op, Evaluation &e) {
  Layer<GruOp> layer(op, e, 3, 2);
  enum { Update, Reset, Candidate };
  auto step = [&](const double *x, Vector &h, Vector &) {
    Vector z(layer.hidden), r(layer.hidden), scaled(layer.hidden);
    for (int64_t j = 0; j < layer.hidden; ++j) {
      z[j] = layer.f(0, layer.fromInput(Update, j, x) +
                            layer.fromState(Update, j, h.data()));
      r[j] = layer.f(0, layer.fromInput(Reset, j, x) +
                            layer.fromState(Reset, j, h.data()));
      scaled[j] = r[j] * h[j];
    }
    Vector next(layer.hidden);
    for (int64_t j = 0; j < layer.hidden; ++j) {
      double state = op.getResetAfter()
                         ? r[j] * layer.fromState(Candidate, j, h.data())
                         : layer.fromState(Candidate, j, scaled.data());
      double n = layer.f(1, layer.fromInput(Candidate, j, x) + state);
      next[j] = (1 - z[j]) * n + z[j] * h[j];
    }
    h = next;
  };
  return layer.run(layer.optional(op.getInitialH()), {}, step);
}

Error evaluateLstm(LstmOp op, Evaluation &e) {
  Layer<LstmOp> layer(op, e, 4, 3);
  enum { Input, Output, Forget, Cell };
  Vector peepholes = layer.optional(op.getPeepholes());
  auto step = [&](const double *x, Vector &h, Vector &c) {
    Vector nextH(layer.hidden), nextC(layer.hidden);
    for (int64_t j = 0; j < layer.hidden; ++j) {
      auto sum = [&](int64_t gate, double cell) {
        double peep =
            peepholes.empty() || gate == Cell
                ? 0
                : peepholes[(layer.part * 3 + gate) * layer.hidden + j] * cell;
        return layer.fromInput(gate, j, x) +
               layer.fromState(gate, j, h.data()) + peep;
      };
      double in = layer.f(0, sum(Input, c[j]));
      double keep = op.getCoupled() ? 1 - in : layer.f(0, sum(Forget, c[j]));
      nextC[j] = keep * c[j] + in * layer.f(1, sum(Cell, 0));
      nextH[j] = layer.f(0, sum(Output, nextC[j])) * layer.f(2, nextC[j]);
    }
    h = nextH;
    c = nextC;
  };
  return layer.run(layer.optional(op.getInitialH()),
                   layer.optional(op.getInitialC()), step);
}

} // namespace

void addRecurrent(Registry &registry) {
  registry.add<RnnOp>(OpClass::Network, evaluateRnn);
  registry.add<GruOp>(OpClass::Network, evaluateGru);
  registry.add<LstmOp>(OpClass::Network, evaluateLstm);
}

} // namespace fusec::ref
