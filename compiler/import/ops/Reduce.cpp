// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named reductions, and where an extreme lies.
#include "compiler/import/Node.h"
#include "compiler/import/OpenLengths.h"
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Formula.h"
#include "dialects/coded/CodedFloats.h"

using namespace mlir;
using fusec::fuse::ReductionKind;

namespace fusec {
namespace {

/// The axes were an attribute before opset 18 (13 for ReduceSum).
std::vector<int64_t> reducedAxes(Node &node, bool isOperand, bool &keepsAll) {
  int64_t rank = node.rank(0);
  std::vector<int64_t> axes;
  if (!isOperand)
    axes = node.intsAttribute("axes");
  else if (node.hasInput(1))
    axes = node.constantInts(1, "axes");
  bool noop = isOperand && node.flag("noop_with_empty_axes");
  keepsAll = axes.empty() && noop;
  if (axes.empty() && !noop)
    for (int64_t d = 0; d < rank; ++d)
      axes.push_back(d);
  axes = node.normalizeAxes(axes, rank);
  llvm::sort(axes);
  return axes;
}

bool isIdentityWithoutAxes(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::sum:
  case ReductionKind::mean:
  case ReductionKind::max:
  case ReductionKind::min:
  case ReductionKind::prod:
  case ReductionKind::log_sum_exp:
    return true;
  default: // the others apply their formula to each element
    return false;
  }
}

/// Whole numbers of which a root or a logarithm is taken; what is no whole
/// number truncates, as in ONNX's definition of these operators as functions.
class WholeReduction {
public:
  WholeReduction(Node &node, ArrayRef<int64_t> kept,
                 const std::vector<int64_t> &axes)
      : node(node), kept(kept), axes(axes), type(node.elementType(0)),
        f32(node.builder.getF32Type()) {}

  Value build(ReductionKind kind) const {
    if (kind == ReductionKind::l2)
      return squareRoot(reduce(ReductionKind::sum_square));
    if (kind == ReductionKind::log_sum)
      return cast(log(cast(reduce(ReductionKind::sum), f32)), type).get();
    return logSumExp();
  }

private:
  Term reduce(ReductionKind kind) const {
    return reduce(kind, Term(node, node.input(0)));
  }
  Term reduce(ReductionKind kind, Term x) const {
    return Term(node, node.reduction(kind, x.get(), axes));
  }
  Term cast(Term x, Type to) const {
    return Term(node, node.cast(x.get(), to));
  }
  static Term log(Term x) { return x.unary<fuse::LogOp>(); }

  /// floor(sqrt(square)). A float is too short for it: a step of Newton's
  /// method doubles its digits, and never ends below the root.
  Value squareRoot(Term square) const {
    Term one = square.like(1);
    Term guess =
        cast(sqrt(cast(square, f32)), type).binary<fuse::MaximumOp>(one);
    Term root = (guess + square / guess) / square.like(2);
    Term quotient = square / root.binary<fuse::MaximumOp>(one);
    Value above = root.compare(fuse::CmpPredicate::gt, quotient);
    return select(above, root - one, root).get();
  }

  /// m + log sum exp(x - m), with m the largest: it may have more digits than a
  /// float, so the integer part of the logarithm is added to it.
  Value logSumExp() const {
    Term x(node, node.input(0));
    Term largest = reduce(ReductionKind::max);
    Term below = Term(node, node.broadcast(largest.get(), node.shape(0))) - x;
    Term powers = (0 - cast(below, f32)).unary<fuse::ExpOp>();
    Term logarithm = log(reduce(ReductionKind::sum, powers));
    Term whole = cast(logarithm, type);
    Term sum = largest + whole;
    // A negative result truncates upwards.
    Value isNegative = sum.compare(fuse::CmpPredicate::lt, sum.like(0));
    Value hasRest = logarithm.compare(fuse::CmpPredicate::gt, cast(whole, f32));
    Value up = node.binary<fuse::AndOp>(isNegative, hasRest);
    return select(up, sum + sum.like(1), sum).get();
  }

  Node &node;
  ArrayRef<int64_t> kept;
  const std::vector<int64_t> &axes;
  Type type, f32;
};

/// Whether the formula of `kind` leaves the whole numbers, and the operand is
/// one that ONNX has it for.
bool isWhole(Node &node, ReductionKind kind) {
  bool isLogarithm =
      kind == ReductionKind::log_sum || kind == ReductionKind::log_sum_exp;
  auto type = dyn_cast<IntegerType>(node.elementType(0));
  if (!type || !(isLogarithm || kind == ReductionKind::l2))
    return false;
  if (type.getWidth() < 32)
    node.invalid("cannot reduce " + typeText(type) + " this way");
  constexpr int64_t kFloatsOnly = 28;
  if (isLogarithm && node.opset() >= kFloatsOnly)
    node.invalid("has the logarithm of " + typeText(type) +
                 ", which operator sets from 28 on do not have");
  return true;
}

/// What does not change a reduction; nothing if there is no such number.
std::optional<double> neutralOf(ReductionKind kind, Type type) {
  switch (kind) {
  case ReductionKind::prod:
    return 1;
  case ReductionKind::max:
  case ReductionKind::log_sum_exp:
    return isa<FloatType>(type) ? std::optional<double>(-INFINITY)
                                : std::nullopt;
  case ReductionKind::min:
    return isa<FloatType>(type) ? std::optional<double>(INFINITY)
                                : std::nullopt;
  case ReductionKind::mean:
    return isa<FloatType>(type) ? std::optional<double>(0) : std::nullopt;
  default:
    return 0;
  }
}

/// The reduction of those elements that are there; of none it is 0.
Value reducePresent(Node &node, ReductionKind kind, Value x, Value presence,
                    double neutral, ArrayRef<int64_t> axes) {
  x = fillAbsent(node, x, presence, neutral, axes);
  Type type = fuse::getTensorType(x).getElementType();
  Type counting = node.builder.getF32Type();
  Value count =
      node.reduction(ReductionKind::sum, node.cast(presence, counting), axes);
  Value result;
  if (kind == ReductionKind::mean) {
    Value sum =
        node.cast(node.reduction(ReductionKind::sum, x, axes), counting);
    result = node.cast(node.div(sum, node.max(count, 1)), type);
  } else {
    result = node.reduction(kind, x, axes);
  }
  return node.select(node.compare(fuse::CmpPredicate::gt, count, 0), result, 0);
}

template <ReductionKind Kind, int64_t OperandSince>
void convertReduction(Node &node) {
  node.requireInputs(1, 2);
  bool keepDims = node.flag("keepdims", true), keepsAll = false;
  std::vector<int64_t> axes =
      reducedAxes(node, node.opset() >= OperandSince, keepsAll);
  bool whole = isWhole(node, Kind);
  if (keepsAll && isIdentityWithoutAxes(Kind))
    return node.forward(0, 0);
  Type elementType = node.elementType(0);
  bool isBool = elementType.isInteger(1);
  if (isBool && Kind != ReductionKind::max && Kind != ReductionKind::min)
    node.invalid("cannot reduce booleans this way");
  // A bit has no order; as numbers without a sign, true is above false, and the
  // extremes of nothing are these two.
  Type computeType =
      isBool ? Type(node.builder.getIntegerType(8, /*isSigned=*/false))
             : elementType;
  SmallVector<int64_t> kept(node.shape(0)), dropped;
  for (int64_t axis : axes)
    kept[axis] = 1;
  for (auto [d, extent] : llvm::enumerate(node.shape(0)))
    if (!llvm::is_contained(axes, int64_t(d)))
      dropped.push_back(extent);
  std::optional<double> neutral = neutralOf(Kind, computeType);
  Value presence, result;
  if (!whole && neutral && !isCoded(computeType))
    presence = node.presence(0);
  if (whole) {
    result = WholeReduction(node, kept, axes).build(Kind);
  } else {
    Value x = node.cast(node.input(0), computeType);
    result = presence ? reducePresent(node, Kind, x, presence, *neutral, axes)
                      : node.reduction(Kind, x, axes);
  }
  result = node.cast(result, elementType);
  node.setOutput(0, keepDims ? result : node.reshape(result, dropped));
}

template <typename Op> void convertArg(Node &node) {
  node.requireInputs(1, 1);
  int64_t axis = node.normalizeAxis(node.intAttribute("axis", 0), node.rank(0));
  bool keepDims = node.flag("keepdims", true);
  bool last = node.opset() >= 12 && node.flag("select_last_index");
  if (node.elementType(0).isInteger(1))
    node.invalid("looks for an extreme of booleans");
  SmallVector<int64_t> kept(node.shape(0)), dropped(kept);
  if (kept[axis] == 0)
    node.invalid("looks for an extreme of no elements: axis " +
                 llvm::Twine(axis) + " of " + shapeText(kept));
  kept[axis] = 1;
  dropped.erase(dropped.begin() + axis);
  Value result = node.make<Op>(tensorType(kept, node.builder.getI64Type()),
                               node.input(0), uint64_t(axis), last);
  node.setOutput(0, keepDims ? result : node.reshape(result, dropped));
}

} // namespace

void registerReduce(Registry &r) {
  r.add("ReduceSum", 1, convertReduction<ReductionKind::sum, 13>);
  r.add("ReduceMean", 1, convertReduction<ReductionKind::mean, 18>);
  r.add("ReduceMax", 1, convertReduction<ReductionKind::max, 18>);
  r.add("ReduceMin", 1, convertReduction<ReductionKind::min, 18>);
  r.add("ReduceProd", 1, convertReduction<ReductionKind::prod, 18>);
  r.add("ReduceL1", 1, convertReduction<ReductionKind::l1, 18>);
  r.add("ReduceL2", 1, convertReduction<ReductionKind::l2, 18>);
  r.add("ReduceLogSum", 1, convertReduction<ReductionKind::log_sum, 18>);
  r.add("ReduceLogSumExp", 1, convertReduction<ReductionKind::log_sum_exp, 18>);
  r.add("ReduceSumSquare", 1, convertReduction<ReductionKind::sum_square, 18>);
  r.add("ArgMax", 1, convertArg<fuse::ArgMaxOp>);
  r.add("ArgMin", 1, convertArg<fuse::ArgMinOp>);
}

} // namespace fusec
