// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/Simplify.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace fusec::kernel {

/// The operations of arith and math that are words of the kernel vocabulary
/// (runtime/include/fusec/kernel/README.md), for scalars and 16 lanes alike.
static const llvm::StringSet<> &getVocabulary() {
  static const llvm::StringSet<> words = {
      "arith.addf",       "arith.addi",       "arith.andi",
      "arith.bitcast",    "arith.cmpf",       "arith.cmpi",
      "arith.constant",   "arith.divf",       "arith.divsi",
      "arith.divui",      "arith.extf",       "arith.extsi",
      "arith.extui",      "arith.floordivsi", "arith.fptosi",
      "arith.index_cast", "arith.maximumf",   "arith.maxnumf",
      "arith.maxsi",      "arith.minimumf",   "arith.minnumf",
      "arith.minsi",      "arith.mulf",       "arith.muli",
      "arith.negf",       "arith.ori",        "arith.remf",
      "arith.remsi",      "arith.remui",      "arith.select",
      "arith.shli",       "arith.shrsi",      "arith.shrui",
      "arith.sitofp",     "arith.subf",       "arith.subi",
      "arith.truncf",     "arith.trunci",     "arith.uitofp",
      "arith.xori",       "math.absf",        "math.absi",
      "math.acos",        "math.acosh",       "math.asin",
      "math.asinh",       "math.atan",        "math.atan2",
      "math.atanh",       "math.cbrt",        "math.ceil",
      "math.clampf",      "math.copysign",    "math.cos",
      "math.cosh",        "math.erf",         "math.erfc",
      "math.exp",         "math.exp2",        "math.expm1",
      "math.floor",       "math.fma",         "math.ipowi",
      "math.isfinite",    "math.isinf",       "math.isnan",
      "math.log",         "math.log10",       "math.log1p",
      "math.log2",        "math.powf",        "math.round",
      "math.roundeven",   "math.rsqrt",       "math.sin",
      "math.sinh",        "math.sqrt",        "math.tan",
      "math.tanh",        "math.trunc"};
  return words;
}

/// The integer in the type of `like`, a scalar or 16 lanes.
static Value createConstant(OpBuilder &builder, Location loc, Type like,
                            const APInt &value) {
  TypedAttr attr = builder.getIntegerAttr(getElementTypeOrSelf(like), value);
  if (auto vector = dyn_cast<VectorType>(like))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(builder, loc, attr);
}

static APInt zeroOf(Type type) {
  return APInt::getZero(getElementTypeOrSelf(type).getIntOrFloatBitWidth());
}

/// ceil(a / b) = -floor(-a / b).
static Value expand(arith::CeilDivSIOp op, OpBuilder &builder) {
  Location loc = op.getLoc();
  Value zero = createConstant(builder, loc, op.getType(), zeroOf(op.getType()));
  Value negated = arith::SubIOp::create(builder, loc, zero, op.getLhs());
  Value quotient =
      arith::FloorDivSIOp::create(builder, loc, negated, op.getRhs());
  return arith::SubIOp::create(builder, loc, zero, quotient);
}

/// Flipping the sign bits maps the unsigned order to the signed one.
static Value compareUnsigned(OpBuilder &builder, Location loc,
                             arith::CmpIPredicate signedPredicate, Value a,
                             Value b) {
  Type type = a.getType();
  unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Value sign = createConstant(builder, loc, type, APInt::getSignMask(bits));
  a = arith::XOrIOp::create(builder, loc, a, sign);
  b = arith::XOrIOp::create(builder, loc, b, sign);
  return arith::CmpIOp::create(builder, loc, signedPredicate, a, b);
}

static Value expand(arith::CmpIOp op, OpBuilder &builder) {
  using P = arith::CmpIPredicate;
  // Booleans have an order of their own in the vocabulary.
  if (op.getPredicate() < P::ult ||
      getElementTypeOrSelf(op.getLhs().getType()).isInteger(1))
    return {};
  P predicate = op.getPredicate() == P::ult   ? P::slt
                : op.getPredicate() == P::ule ? P::sle
                : op.getPredicate() == P::ugt ? P::sgt
                                              : P::sge;
  return compareUnsigned(builder, op.getLoc(), predicate, op.getLhs(),
                         op.getRhs());
}

template <typename Op>
static Value expandExtreme(Op op, OpBuilder &builder,
                           arith::CmpIPredicate predicate) {
  Value first = compareUnsigned(builder, op.getLoc(), predicate, op.getLhs(),
                                op.getRhs());
  return arith::SelectOp::create(builder, op.getLoc(), first, op.getLhs(),
                                 op.getRhs());
}

/// A bool is 0 or 1; sign extension makes it 0 or -1.
static Value expand(arith::ExtSIOp op, OpBuilder &builder) {
  if (!getElementTypeOrSelf(op.getIn().getType()).isInteger(1))
    return {};
  Location loc = op.getLoc();
  Value number = arith::ExtUIOp::create(builder, loc, op.getType(), op.getIn());
  Value zero = createConstant(builder, loc, op.getType(), zeroOf(op.getType()));
  return arith::SubIOp::create(builder, loc, zero, number);
}

static Value expand(math::FPowIOp op, OpBuilder &builder) {
  Value exponent =
      arith::SIToFPOp::create(builder, op.getLoc(), op.getType(), op.getRhs());
  return math::PowFOp::create(builder, op.getLoc(), op.getLhs(), exponent);
}

static Value expand(Operation *op) {
  OpBuilder builder(op);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::CeilDivSIOp, arith::CmpIOp, arith::ExtSIOp, math::FPowIOp>(
          [&](auto other) { return expand(other, builder); })
      .Case([&](arith::MaxUIOp max) {
        return expandExtreme(max, builder, arith::CmpIPredicate::sgt);
      })
      .Case([&](arith::MinUIOp min) {
        return expandExtreme(min, builder, arith::CmpIPredicate::slt);
      })
      .Default([](Operation *) { return Value(); });
}

LogicalResult expandOperations(FuncOp func) {
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) {
    if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
      ops.push_back(op);
  });
  LogicalResult result = success();
  for (Operation *op : ops) {
    if (Value value = expand(op)) {
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    } else if (!getVocabulary().contains(op->getName().getStringRef())) {
      op->emitOpError(
          "has no word in the kernel vocabulary; rewrite it into operations "
          "that have one before --kernel-legalize");
      result = failure();
    }
  }
  return result;
}

} // namespace fusec::kernel
