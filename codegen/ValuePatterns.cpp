// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the kernel dialect's values print: indices, masks, lanes.
#include "codegen/KernelEmitter.h"
#include "dialects/fuse/FuseOps.h"

using namespace mlir;

namespace fusec::codegen {

static Expr applyMap(kernel::ApplyOp op, KernelEmitter &emitter) {
  AffineMap map = op.getMap();
  return emitter.affine(
      op.getOperands(), map.getNumDims(), [&](const AffinePrinter &printer) {
        emitter.setRange(op, printer.rangeOf(map.getResult(0)));
        return printer.print(map.getResult(0));
      });
}

/// A function of a user's: of all lanes at once, or of each. One that takes
/// lanes is a template, whose type is said, as constants may be scalars.
static std::optional<Expr> callScalar(kernel::ScalarOp op,
                                      KernelEmitter &emitter) {
  auto declared = SymbolTable::lookupNearestSymbolFrom<fuse::OperatorOp>(
      op, op.getCalleeAttr());
  if (!declared || !declared.getScalar())
    return std::nullopt;
  const std::string type = emitter.typeName(op.getType());
  std::string name = "scalars::" + declared.getScalarFunction().str();
  if (declared.takesLanes())
    return call(name + "<" + type + ">", emitter.arguments(op.getArgs()));
  if (!isa<VectorType>(op.getType()))
    return call(name, emitter.arguments(op.getArgs()));
  const std::string scalar =
      emitter.typeName(getElementTypeOrSelf(op.getType()));
  std::string parameters, arguments;
  for (size_t i = 0; i < op.getArgs().size(); ++i) {
    const std::string separator = i ? ", " : "", one = "a" + std::to_string(i);
    parameters += separator + scalar + " " + one;
    arguments += separator + one;
  }
  SmallVector<Expr> all = {Expr::name("[](" + parameters + ") { return " +
                                      name + "(" + arguments + "); }")};
  llvm::append_range(all, emitter.arguments(op.getArgs()));
  return call("each_lane<" + type + ">", all);
}

static Expr lookUp(kernel::LookUpOp op, KernelEmitter &emitter) {
  SmallVector<Expr> all = {emitter.useTable(op.getTableAttr())};
  llvm::append_range(all, emitter.arguments(op.getCode()));
  return call("look_up", all);
}

static Expr minimum(kernel::MinOp op, KernelEmitter &emitter) {
  AffineMap map = op.getMap();
  return emitter.affine(
      op.getOperands(), map.getNumDims(), [&](const AffinePrinter &printer) {
        IndexRange range = printer.rangeOf(map.getResult(0));
        for (AffineExpr result : map.getResults().drop_front()) {
          IndexRange next = printer.rangeOf(result);
          if (next.high && (!range.high || *next.high < *range.high))
            range.high = next.high;
          if (!next.low || (range.low && *next.low < *range.low))
            range.low = next.low;
        }
        emitter.setRange(op, range);
        return printer.printMin(map);
      });
}

/// The lanes for which `expr >= 0` (or `== 0`), where dim `lane` counts up.
static Expr laneConstraint(AffineExpr expr, bool isEquality, unsigned lane,
                           unsigned numDims, const AffinePrinter &printer) {
  AffineExpr dim = getAffineDimExpr(lane, expr.getContext());
  AffineExpr zero = getAffineConstantExpr(0, expr.getContext());
  AffineExpr rest = simplifyAffineExpr(expr.replace(dim, zero), numDims, 0);
  AffineExpr slope = simplifyAffineExpr(expr - rest, numDims, 0);
  auto typed = [](Expr bound) {
    return bound.literal ? call("int64_t", bound) : bound;
  };
  if (!expr.isFunctionOfDim(lane))
    return call("broadcast", printer.printConstraint(expr, isEquality));
  Expr start = printer.print(dim);
  if (slope == dim && !isEquality)
    return call("mask_ge", {start, printer.print(-rest)});
  if (slope == -dim && !isEquality)
    return call("mask_lt", {start, printer.print(rest + 1)});
  // Any other dependence, lane by lane.
  if (auto product = dyn_cast<AffineBinaryOpExpr>(slope))
    if (product.getKind() == AffineExprKind::Mul && product.getLHS() == dim) {
      Expr lanes = call("iota<i64x16>", start);
      Expr value = binary(lanes, "*", typed(printer.print(product.getRHS())),
                          Precedence::Multiplicative);
      value =
          binary(value, "+", typed(printer.print(rest)), Precedence::Additive);
      return call(isEquality ? "eq" : "ge", {value, Expr::name("int64_t(0)")});
    }
  if (slope == dim || slope == -dim) {
    Expr bound = printer.print(slope == dim ? -rest : rest);
    return call("eq", {call("iota<i64x16>", start), typed(bound)});
  }
  return {};
}

static std::optional<Expr> inBounds(kernel::InBoundsOp op,
                                    KernelEmitter &emitter) {
  IntegerSet set = op.getCondition();
  Expr result = emitter.affine(
      op.getOperands(), set.getNumDims(), [&](const AffinePrinter &printer) {
        if (!op.getLaneDim())
          return printer.printSet(set);
        Expr all = call("broadcast", Expr::name("true"));
        for (unsigned i = 0; i < set.getNumConstraints(); ++i) {
          Expr next =
              laneConstraint(set.getConstraint(i), set.isEq(i),
                             *op.getLaneDim(), set.getNumDims(), printer);
          if (next.text.empty())
            return next;
          all = i == 0 ? next : binary(all, "&", next, Precedence::BitAnd);
        }
        return all;
      });
  return result.text.empty() ? std::nullopt : std::optional<Expr>(result);
}

static Expr tailMask(kernel::TailMaskOp op, KernelEmitter &emitter) {
  AffineMap map = op.getMap();
  Expr bound = emitter.affine(
      op.getIndices(), map.getNumDims(),
      [&](const AffinePrinter &printer) { return printer.printMin(map); });
  return call("mask_lt", {emitter.use(op.getBase()), bound});
}

static Expr iota(kernel::IotaOp op, KernelEmitter &emitter) {
  auto type = cast<VectorType>(op.getType());
  Expr base = emitter.useAsInteger(op.getBase());
  std::string scalar = emitter.typeName(type.getElementType());
  std::string function = "iota<" + valueTypeName(type) + ">";
  if (base.text == "0")
    return call(function, {});
  if (base.literal || scalar != "int64_t")
    base = call(scalar, base);
  return call(function, base);
}

static Expr broadcast(kernel::BroadcastOp op, KernelEmitter &emitter) {
  Expr value = emitter.useAsInteger(op.getValue());
  value.splat = true;
  // Masks have no scalar that converts to them.
  return op.getValue().getType().isInteger(1) ? asVector(value) : value;
}

static Expr reduce(kernel::ReduceOp op, KernelEmitter &emitter) {
  std::string name = "reduce_" + stringifyCombiner(op.getCombiner()).str();
  return call(name, emitter.arguments(op.getVector()));
}

void addValuePatterns(PatternSet &patterns) {
  patterns.expression<kernel::ApplyOp>(applyMap);
  patterns.expression<kernel::MinOp>(minimum);
  patterns.expression<kernel::InBoundsOp>(inBounds);
  patterns.expression<kernel::TailMaskOp>(tailMask);
  patterns.expression<kernel::IotaOp>(iota);
  patterns.expression<kernel::BroadcastOp>(broadcast);
  patterns.expression<kernel::ReduceOp>(reduce);
  patterns.expression<kernel::ScalarOp>(callScalar);
  patterns.expression<kernel::LookUpOp>(lookUp);
}

} // namespace fusec::codegen
