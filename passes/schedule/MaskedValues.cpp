// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/MaskedValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

using Values = std::optional<Interval>;

AffineExpr fusec::sched::getIndex(Value value) {
  Operation *op = value.getDefiningOp();
  // Smaller integers do not hold all indices.
  if (!op || (isa<IntegerType>(value.getType()) &&
              value.getType().getIntOrFloatBitWidth() < 32))
    return {};
  if (auto index = dyn_cast<IndexOp>(op))
    return getAffineDimExpr(index.getDim(), value.getContext());
  IntegerAttr number;
  if (matchPattern(value, m_Constant(&number)))
    return getAffineConstantExpr(number.getInt(), value.getContext());
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return getIndex(op->getOperand(0));
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return {};
  AffineExpr lhs = getIndex(op->getOperand(0)),
             rhs = getIndex(op->getOperand(1));
  if (!lhs || !rhs)
    return {};
  if (isa<arith::MulIOp>(op))
    return lhs.isSymbolicOrConstant() || rhs.isSymbolicOrConstant()
               ? lhs * rhs
               : AffineExpr();
  return isa<arith::AddIOp>(op) ? lhs + rhs : lhs - rhs;
}

AffineExpr fusec::sched::getDifference(Value value, unsigned numIterators) {
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return {};
  AffineExpr lhs = getIndex(compare.getLhs()), rhs = getIndex(compare.getRhs());
  if (!lhs || !rhs)
    return {};
  auto simplify = [&](AffineExpr expr) {
    return simplifyAffineExpr(expr, numIterators, 0);
  };
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::sle:
    return simplify(rhs - lhs);
  case arith::CmpIPredicate::slt:
    return simplify(rhs - lhs - 1);
  case arith::CmpIPredicate::sge:
    return simplify(lhs - rhs);
  case arith::CmpIPredicate::sgt:
    return simplify(lhs - rhs - 1);
  default:
    return {};
  }
}

bool fusec::sched::isNegativeWith(AffineExpr a, AffineExpr b,
                                  unsigned numIterators) {
  auto more =
      dyn_cast<AffineConstantExpr>(simplifyAffineExpr(a - b, numIterators, 0));
  return more && more.getValue() <= 0;
}

//===- arithmetic --------------------------------------------------------===//

static Values make(std::initializer_list<double> ends) {
  for (double end : ends)
    if (std::isnan(end))
      return std::nullopt;
  return Interval{std::min(ends), std::max(ends)};
}

static Values add(Values a, Values b) {
  if (!a || !b)
    return std::nullopt;
  return make(
      {a->low + b->low, a->high + b->high, a->low + b->high, a->high + b->low});
}

static Values multiply(Values a, Values b) {
  if (!a || !b)
    return std::nullopt;
  // What lies between the ends may be zero.
  auto hasZero = [](Interval values) {
    return values.low <= 0 && values.high >= 0;
  };
  auto isFinite = [](Interval values) {
    return std::isfinite(values.low) && std::isfinite(values.high);
  };
  if ((hasZero(*a) && !isFinite(*b)) || (hasZero(*b) && !isFinite(*a)))
    return std::nullopt;
  return make(
      {a->low * b->low, a->low * b->high, a->high * b->low, a->high * b->high});
}

/// The ordinary numbers of `a`.
static Values toOrdinary(Values a) {
  if (!a)
    return std::nullopt;
  auto cut = [](double end) {
    return std::clamp(end, kOrdinary.low, kOrdinary.high);
  };
  return Interval{cut(a->low), cut(a->high)};
}

static Values negate(Values a) {
  return a ? make({-a->high, -a->low}) : std::nullopt;
}

/// Kernels give zero for what no type has a number for.
static Values computeExp(Values a, double perStep) {
  if (!a)
    return std::nullopt;
  constexpr double kVanishes = -1000;
  if (a->high * perStep <= kVanishes)
    return Interval{0, 0};
  return Interval{0, std::exp(a->high * perStep)};
}

/// A type may have no number for what is masked, but minus infinity.
static Values narrow(Values a) {
  if (a && a->high <= kMasked)
    a->low = -std::numeric_limits<double>::infinity();
  return a;
}

//===- bodies ------------------------------------------------------------===//

std::optional<bool> MaskedValues::getTruth(Value value) {
  const unsigned numIterators = stmt.getNumIterators();
  if (AffineExpr expr = getDifference(value, numIterators)) {
    // What is 0 or more where it does not hold.
    AffineExpr other = simplifyAffineExpr(-expr - 1, numIterators, 0);
    if (negative && isNegativeWith(expr, negative, numIterators))
      return false;
    if (negative && isNegativeWith(other, negative, numIterators))
      return true;
    for (AffineExpr holds : positive) {
      AffineExpr fails = simplifyAffineExpr(-holds - 1, numIterators, 0);
      if (isNegativeWith(other, fails, numIterators))
        return true;
      if (isNegativeWith(expr, fails, numIterators))
        return false;
    }
    return std::nullopt;
  }
  Operation *op = value.getDefiningOp();
  IntegerAttr number;
  if (matchPattern(value, m_Constant(&number)))
    return !number.getValue().isZero();
  if (!op || !isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return std::nullopt;
  std::optional<bool> lhs = getTruth(op->getOperand(0)),
                      rhs = getTruth(op->getOperand(1));
  if (isa<arith::XOrIOp>(op))
    return lhs && rhs ? std::optional(*lhs != *rhs) : std::nullopt;
  const bool decides = isa<arith::OrIOp>(op);
  if (lhs == decides || rhs == decides)
    return decides;
  return lhs && rhs ? std::optional(!decides) : std::nullopt;
}

Source KnownValues::getSource(Value array, bool asks) const {
  auto argument = dyn_cast<BlockArgument>(array);
  auto scop = argument ? dyn_cast<ScopOp>(argument.getOwner()->getParentOp())
                       : ScopOp();
  if (scop && llvm::is_contained(scop.getInputs(), array))
    return memory ? memory->get(argument, asks) : Source::given;
  auto found = sources.find(array);
  return found == sources.end() ? Source::numbers : found->second;
}

Values MaskedValues::getRead(unsigned read, bool isFactor) {
  Value array = stmt.getReads()[read];
  if (!isa<FloatType>(cast<MemRefType>(array.getType()).getElementType()))
    return std::nullopt;
  if (negative)
    for (const KnownValues::Outside &fact : known.outside.lookup(array)) {
      AffineExpr here = simplifyAffineExpr(
          fact.expr.replaceDims(stmt.getReadMap(read).getResults()),
          stmt.getNumIterators(), 0);
      if (!stmt.getPadding(read) &&
          isNegativeWith(here, negative, stmt.getNumIterators()))
        return fact.values;
    }
  if (auto found = known.everywhere.find(array);
      found != known.everywhere.end() && !stmt.getPadding(read))
    return found->second;
  if (known.unknown.contains(array))
    return std::nullopt;
  const Source source =
      sources.get(stmt.getBody().getArgument(read), /*asks=*/!isFactor);
  if (source == Source::mask)
    return std::nullopt;
  return source == Source::given && !isFactor ? kGiven : kOrdinary;
}

Values MaskedValues::getProduct(Value a, Value b) {
  auto isConstant = [](Value value) {
    return matchPattern(value, m_Constant());
  };
  if (isConstant(a) || isConstant(b) ||
      sources.get(a, /*asks=*/false) == Source::mask ||
      sources.get(b, /*asks=*/false) == Source::mask)
    return multiply(get(a), get(b));
  auto getFactor = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return toOrdinary(argument
                          ? getRead(argument.getArgNumber(), /*isFactor=*/true)
                          : get(value));
  };
  return toOrdinary(multiply(getFactor(a), getFactor(b)));
}

Values MaskedValues::get(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return getRead(argument.getArgNumber(), /*isFactor=*/false);
  auto [place, isNew] = values.try_emplace(value);
  if (!isNew)
    return place->second;
  Values computed = compute(value.getDefiningOp());
  if (computed && getSource(value) == Source::numbers)
    computed = toOrdinary(computed);
  return values[value] = computed;
}

Values MaskedValues::compute(Operation *op) {
  FloatAttr number;
  if (matchPattern(op, m_Constant(&number))) {
    const double exact = number.getValueAsDouble();
    return make({exact, exact});
  }
  auto operand = [&](unsigned index) { return get(op->getOperand(index)); };
  return llvm::TypeSwitch<Operation *, Values>(op)
      .Case<GatherOp>([&](GatherOp gather) -> Values {
        const Source source = known.getSource(gather.getArray(), /*asks=*/true);
        if (!isa<FloatType>(gather.getType()) || source == Source::mask)
          return std::nullopt;
        return source == Source::given ? kGiven : kOrdinary;
      })
      .Case<arith::SelectOp>([&](arith::SelectOp select) -> Values {
        std::optional<bool> truth = getTruth(select.getCondition());
        if (truth)
          return operand(*truth ? 1 : 2);
        Values a = operand(1), b = operand(2);
        if (!a || !b)
          return std::nullopt;
        return make({a->low, b->low, a->high, b->high});
      })
      .Case<arith::AddFOp>([&](auto) { return add(operand(0), operand(1)); })
      .Case<arith::SubFOp>(
          [&](auto) { return add(operand(0), negate(operand(1))); })
      .Case<arith::NegFOp>([&](auto) { return negate(operand(0)); })
      .Case<arith::MulFOp>([&](auto) {
        return getProduct(op->getOperand(0), op->getOperand(1));
      })
      .Case<math::FmaOp>([&](auto) {
        return add(getProduct(op->getOperand(0), op->getOperand(1)),
                   operand(2));
      })
      .Case<arith::MaximumFOp>([&](auto) -> Values {
        Values a = operand(0), b = operand(1);
        if (!a || !b)
          return std::nullopt;
        return Interval{std::max(a->low, b->low), std::max(a->high, b->high)};
      })
      .Case<arith::MinimumFOp>([&](auto) -> Values {
        Values a = operand(0), b = operand(1);
        if (!a || !b)
          return std::nullopt;
        return Interval{std::min(a->low, b->low), std::min(a->high, b->high)};
      })
      .Case<math::ExpOp>([&](auto) { return computeExp(operand(0), 1); })
      .Case<math::Exp2Op>(
          [&](auto) { return computeExp(operand(0), std::log(2.0)); })
      .Case<math::TanhOp>([&](auto) -> Values {
        if (!operand(0))
          return std::nullopt;
        return Interval{-1, 1};
      })
      .Case<arith::TruncFOp, arith::ExtFOp>(
          [&](auto) { return narrow(operand(0)); })
      .Default([](Operation *) { return std::nullopt; });
}

bool MaskedValues::isUnchanged(Value value, Value accumulator,
                               bool isOrdinary) {
  if (value == accumulator)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  auto is = [&](unsigned operand) {
    return isUnchanged(op->getOperand(operand), accumulator, isOrdinary);
  };
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    std::optional<bool> truth = getTruth(select.getCondition());
    return truth && is(*truth ? 1 : 2);
  }
  if (isa<math::FmaOp>(op)) {
    Values product = getProduct(op->getOperand(0), op->getOperand(1));
    return product && product->isZero() && is(2);
  }
  for (unsigned side = 0; side < op->getNumOperands(); ++side) {
    if (!isa<arith::AddFOp, arith::MaximumFOp>(op) || !is(side))
      continue;
    Values term = get(op->getOperand(1 - side));
    if (isa<arith::AddFOp>(op))
      return term && term->isZero();
    return term && term->high <= (isOrdinary ? kMasked : -HUGE_VAL);
  }
  return false;
}
