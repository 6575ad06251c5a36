// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named reductions, and where an extreme lies.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

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

template <ReductionKind Kind, int64_t OperandSince>
void convertReduction(Node &node) {
  node.requireInputs(1, 2);
  bool keepDims = node.flag("keepdims", true), keepsAll = false;
  std::vector<int64_t> axes =
      reducedAxes(node, node.opset() >= OperandSince, keepsAll);
  if (keepsAll && isIdentityWithoutAxes(Kind))
    return node.forward(0, 0);
  if (Kind == ReductionKind::l2 || Kind == ReductionKind::log_sum ||
      Kind == ReductionKind::log_sum_exp)
    node.requireFloat(0);
  Type elementType = node.elementType(0);
  bool isBool = elementType.isInteger(1);
  if (isBool && Kind != ReductionKind::max && Kind != ReductionKind::min)
    node.invalid("cannot reduce booleans this way");
  // A bit has no order; as numbers without a sign, true is above false, and the
  // extremes of nothing are these two.
  Type computeType =
      isBool ? Type(node.builder().getIntegerType(8, /*isSigned=*/false))
             : elementType;
  SmallVector<int64_t> kept(node.shape(0)), dropped;
  for (int64_t axis : axes)
    kept[axis] = 1;
  for (auto [d, extent] : llvm::enumerate(node.shape(0)))
    if (!llvm::is_contained(axes, int64_t(d)))
      dropped.push_back(extent);
  Value result =
      node.make<fuse::ReductionOp>(tensorType(kept, computeType), Kind,
                                   node.cast(node.input(0), computeType), axes);
  result = node.cast(result, elementType);
  node.setOutput(0, keepDims ? result : node.reshape(result, dropped));
}

/// Products of shapes, as exporters compute numbers of elements.
bool evaluateProduct(Node &node) {
  const HostTensor &value = *node.constant(0);
  if (value.isFloat() || node.rank(0) != 1)
    return false;
  bool keepDims = node.flag("keepdims", true), keepsAll = false;
  if (reducedAxes(node, node.opset() >= 18, keepsAll).empty())
    return false;
  uint64_t result = 1;
  for (int64_t x : value.ints)
    result *= uint64_t(x);
  SmallVector<int64_t> shape(keepDims ? 1 : 0, 1);
  node.setOutput(0, HostTensor::fromInts(tensorType(shape, node.elementType(0)),
                                         {int64_t(result)}));
  return true;
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
  Value result = node.make<Op>(tensorType(kept, node.builder().getI64Type()),
                               node.input(0), uint64_t(axis), last);
  node.setOutput(0, keepDims ? result : node.reshape(result, dropped));
}

} // namespace

void registerReduce(Registry &r) {
  r.add("ReduceSum", 1, convertReduction<ReductionKind::sum, 13>);
  r.add("ReduceMean", 1, convertReduction<ReductionKind::mean, 18>);
  r.add("ReduceMax", 1, convertReduction<ReductionKind::max, 18>);
  r.add("ReduceMin", 1, convertReduction<ReductionKind::min, 18>);
  r.add("ReduceProd", 1, convertReduction<ReductionKind::prod, 18>,
        evaluateProduct);
  r.add("ReduceL1", 1, convertReduction<ReductionKind::l1, 18>);
  r.add("ReduceL2", 1, convertReduction<ReductionKind::l2, 18>);
  r.add("ReduceLogSum", 1, convertReduction<ReductionKind::log_sum, 18>);
  r.add("ReduceLogSumExp", 1, convertReduction<ReductionKind::log_sum_exp, 18>);
  r.add("ReduceSumSquare", 1, convertReduction<ReductionKind::sum_square, 18>);
  r.add("ArgMax", 1, convertArg<fuse::ArgMaxOp>);
  r.add("ArgMin", 1, convertArg<fuse::ArgMinOp>);
}

} // namespace fusec
