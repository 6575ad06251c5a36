// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activations: elementwise formulas, and softmax along an axis.
#include "passes/graph/ExpandComposites.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

using B = TensorBuilder;

static double number(APFloat value) { return value.convertToDouble(); }

// max(x, 0)
static Value expand(ReluOp, Value x, B &b) { return b.max(x, 0.0); }

// x < 0 ? alpha x : x
static Value expand(LeakyReluOp op, Value x, B &b) {
  Value negative = b.compare(CmpPredicate::lt, x, 0);
  return b.select(negative, b.mul(x, number(op.getAlpha())), x);
}

// x < 0 ? alpha (exp(x) - 1) : x
static Value expand(EluOp op, Value x, B &b) {
  Value negative = b.compare(CmpPredicate::lt, x, 0);
  Value below = b.mul(b.unary<Expm1Op>(x), number(op.getAlpha()));
  return b.select(negative, below, x);
}

// gamma (x <= 0 ? alpha (exp(x) - 1) : x)
static Value expand(SeluOp op, Value x, B &b) {
  Value negative = b.compare(CmpPredicate::le, x, 0);
  Value below = b.mul(b.unary<Expm1Op>(x), number(op.getAlpha()));
  return b.mul(b.select(negative, below, x), number(op.getGamma()));
}

// max(x, 0) + min(0, alpha (exp(x / alpha) - 1))
static Value expand(CeluOp op, Value x, B &b) {
  double alpha = number(op.getAlpha());
  Value scaled = b.unary<Expm1Op>(b.div(x, alpha));
  Value below = b.min(b.mul(scaled, alpha), 0.0);
  Value above = b.max(x, 0.0);
  return b.add(above, below);
}

// 1 / (1 + exp(-x)): exp overflows to infinity for very negative x, and the
// quotient is then the right limit, 0.
static Value buildSigmoid(Value x, B &b) {
  Value exp = b.unary<ExpOp>(b.unary<NegOp>(x));
  return b.div(1.0, b.add(exp, 1.0));
}
static Value expand(SigmoidOp, Value x, B &b) { return buildSigmoid(x, b); }

// x sigmoid(alpha x)
static Value expand(SwishOp op, Value x, B &b) {
  double alpha = number(op.getAlpha());
  Value scaled = alpha == 1 ? x : b.mul(x, alpha);
  return b.mul(x, buildSigmoid(scaled, b));
}

// max(0, min(1, alpha x + beta))
static Value buildHardSigmoid(Value x, double alpha, double beta, B &b) {
  Value line = b.add(b.mul(x, alpha), beta);
  return b.max(b.min(line, 1.0), 0.0);
}
static Value expand(HardSigmoidOp op, Value x, B &b) {
  return buildHardSigmoid(x, number(op.getAlpha()), number(op.getBeta()), b);
}

// x max(0, min(1, x / 6 + 1 / 2))
static Value expand(HardSwishOp, Value x, B &b) {
  return b.mul(x, buildHardSigmoid(x, 1.0 / 6.0, 0.5, b));
}

// log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|)), which cannot overflow.
static Value buildSoftplus(Value x, B &b) {
  Value exp = b.unary<ExpOp>(b.unary<NegOp>(b.unary<AbsOp>(x)));
  Value rest = b.unary<Log1pOp>(exp);
  Value positive = b.max(x, 0.0);
  return b.add(positive, rest);
}
static Value expand(SoftplusOp, Value x, B &b) { return buildSoftplus(x, b); }

// x tanh(softplus(x))
static Value expand(MishOp, Value x, B &b) {
  return b.mul(x, b.unary<TanhOp>(buildSoftplus(x, b)));
}

// x / (1 + |x|)
static Value expand(SoftsignOp, Value x, B &b) {
  return b.div(x, b.add(b.unary<AbsOp>(x), 1.0));
}

// x > alpha ? x : 0
static Value expand(ThresholdedReluOp op, Value x, B &b) {
  Value above = b.compare(CmpPredicate::gt, x, number(op.getAlpha()));
  return b.select(above, x, 0);
}

// x < -lambda ? x + bias : x > lambda ? x - bias : 0
static Value expand(ShrinkOp op, Value x, B &b) {
  double lambda = number(op.getLambda()), bias = number(op.getBias());
  Value below = b.compare(CmpPredicate::lt, x, -lambda);
  Value above = b.compare(CmpPredicate::gt, x, lambda);
  Value less = b.sub(x, bias);
  Value rest = b.select(above, less, b.splatLike(0, x));
  return b.select(below, b.add(x, bias), rest);
}

// 1 / x
static Value expand(ReciprocalOp, Value x, B &b) { return b.div(1.0, x); }

// (x / 2) (1 + erf(x / sqrt 2)), or with `tanh`
// (x / 2) (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
// (D. Hendrycks, K. Gimpel, Gaussian Error Linear Units, arXiv:1606.08415)
static Value expand(GeluOp op, Value x, B &b) {
  Value inner;
  if (op.getTanh()) {
    Value cube = b.mul(b.mul(x, x), x);
    Value sum = b.add(x, b.mul(cube, 0.044715));
    inner = b.unary<TanhOp>(b.mul(sum, 0.7978845608028654));
  } else {
    inner = b.unary<ErfOp>(b.div(x, 1.4142135623730951));
  }
  Value half = b.mul(x, 0.5);
  Value factor = b.add(inner, 1.0);
  return b.mul(half, factor);
}

/// x - max x along `axis`.
static Value buildShifted(Value x, int64_t axis, B &b) {
  ArrayRef<int64_t> shape = getTensorType(x).getShape();
  Value max = b.reduce(Combiner::Max, x, {axis});
  return b.sub(x, b.broadcastBack(max, shape, {axis}));
}

// exp(x - max x) / sum exp(x - max x)
static Value expand(SoftmaxOp op, Value x, B &b) {
  int64_t axis = op.getAxis();
  Value exp = b.unary<ExpOp>(buildShifted(x, axis, b));
  Value sum = b.reduce(Combiner::Add, exp, {axis});
  return b.div(exp, b.broadcastBack(sum, getTensorType(x).getShape(), {axis}));
}

// x - max x - log sum exp(x - max x)
static Value expand(LogSoftmaxOp op, Value x, B &b) {
  int64_t axis = op.getAxis();
  Value shifted = buildShifted(x, axis, b);
  Value sum = b.reduce(Combiner::Add, b.unary<ExpOp>(shifted), {axis});
  return b.sub(shifted, b.broadcastBack(b.unary<LogOp>(sum),
                                        getTensorType(x).getShape(), {axis}));
}

/// An activation is computed in f32 where its element type is narrower.
template <typename Op> static SmallVector<Value> expandActivation(Op op, B &b) {
  Type type = getTensorType(op.getResult()).getElementType();
  Value x = op.getOperand();
  if (isa<FloatType>(type))
    x = b.castToCompute(x);
  return {b.cast(expand(op, x, b), type)};
}

// x < 0 ? slope x : x
static SmallVector<Value> expandPRelu(PReluOp op, B &b) {
  Value x = op.getOperand();
  Value negative = b.compare(CmpPredicate::lt, x, 0);
  return {b.select(negative, b.mul(op.getSlope(), x), x)};
}

// min(max(x, low), high)
static SmallVector<Value> expandClip(ClipOp op, B &b) {
  Value x = op.getOperand();
  ArrayRef<int64_t> shape = getTensorType(x).getShape();
  if (Value low = op.getLow())
    x = b.max(x, b.broadcast(low, shape, {}));
  if (Value high = op.getHigh())
    x = b.min(x, b.broadcast(high, shape, {}));
  return {x};
}

template <typename... Ops>
static void addActivations(RewritePatternSet &patterns) {
  (patterns.add<Expansion<Ops>>(patterns.getContext(), expandActivation<Ops>),
   ...);
}

void fusec::fuse::populateExpandActivations(RewritePatternSet &patterns) {
  addActivations<ReluOp, LeakyReluOp, EluOp, SeluOp, CeluOp, SigmoidOp,
                 HardSigmoidOp, HardSwishOp, SwishOp, MishOp, SoftplusOp,
                 SoftsignOp, ThresholdedReluOp, ShrinkOp, ReciprocalOp, GeluOp,
                 SoftmaxOp, LogSoftmaxOp>(patterns);
  MLIRContext *context = patterns.getContext();
  patterns.add<Expansion<PReluOp>>(context, expandPRelu);
  patterns.add<Expansion<ClipOp>>(context, expandClip);
}
