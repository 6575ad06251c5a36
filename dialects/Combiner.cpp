// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Combiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/Combiner.defs.inc"

using namespace mlir;
using arith::AtomicRMWKind;

namespace fusec {

/// What MLIR calls `combiner` on elements of `type`.
static AtomicRMWKind getKind(Combiner combiner, Type type) {
  bool isFloat = isa<FloatType>(type), isBool = type.isInteger(1);
  switch (combiner) {
  case Combiner::Add:
    return isFloat ? AtomicRMWKind::addf : AtomicRMWKind::addi;
  case Combiner::Mul:
    return isFloat ? AtomicRMWKind::mulf : AtomicRMWKind::muli;
  case Combiner::Max:
    return isFloat  ? AtomicRMWKind::maximumf
           : isBool ? AtomicRMWKind::ori
                    : AtomicRMWKind::maxs;
  case Combiner::Min:
    return isFloat  ? AtomicRMWKind::minimumf
           : isBool ? AtomicRMWKind::andi
                    : AtomicRMWKind::mins;
  case Combiner::And:
    return AtomicRMWKind::andi;
  case Combiner::Or:
    return AtomicRMWKind::ori;
  }
  llvm_unreachable("all combiners are handled");
}

std::optional<Combiner> getCombiner(Operation *op, unsigned accumulator) {
  using Found = std::optional<Combiner>;
  if (op->getNumResults() != 1)
    return std::nullopt;
  bool isBool = op->getResult(0).getType().isInteger(1);
  auto ofNumbers = [&](Combiner combiner) {
    return [=](Operation *) { return isBool ? Found() : combiner; };
  };
  auto ofBooleans = [&](Combiner combiner) {
    return [=](Operation *) { return isBool ? combiner : Found(); };
  };
  auto atOperand = [&](unsigned operand, Combiner combiner) {
    return [=](Operation *) {
      return isBool || accumulator != operand ? Found() : combiner;
    };
  };
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case<arith::AddFOp, arith::AddIOp>(ofNumbers(Combiner::Add))
      .Case<arith::MulFOp, arith::MulIOp>(ofNumbers(Combiner::Mul))
      .Case<arith::MaximumFOp, arith::MaxSIOp>(ofNumbers(Combiner::Max))
      .Case<arith::MinimumFOp, arith::MinSIOp>(ofNumbers(Combiner::Min))
      .Case<arith::AndIOp>(ofBooleans(Combiner::And))
      .Case<arith::OrIOp>(ofBooleans(Combiner::Or))
      // acc - x accumulates -x.
      .Case<arith::SubFOp, arith::SubIOp>(atOperand(0, Combiner::Add))
      .Case<math::FmaOp>(atOperand(2, Combiner::Add))
      .Default([](Operation *) { return Found(); });
}

TypedAttr getNeutral(Combiner combiner, Type type) {
  OpBuilder builder(type.getContext());
  return arith::getIdentityValueAttr(getKind(combiner, type), type, builder,
                                     builder.getUnknownLoc());
}

Value createCombination(OpBuilder &builder, Location loc, Combiner combiner,
                        Value a, Value b) {
  AtomicRMWKind kind = getKind(combiner, getElementTypeOrSelf(a));
  return arith::getReductionOp(kind, builder, loc, a, b);
}

} // namespace fusec
