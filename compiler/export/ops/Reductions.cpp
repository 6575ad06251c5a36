// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions, by name or by what combines values.
#include "compiler/export/Registry.h"
#include "dialects/Combiner.h"

using namespace mlir;

namespace fusec {
namespace {

llvm::StringRef operatorOf(fuse::ReductionKind kind) {
  switch (kind) {
  case fuse::ReductionKind::sum:
    return "ReduceSum";
  case fuse::ReductionKind::mean:
    return "ReduceMean";
  case fuse::ReductionKind::max:
    return "ReduceMax";
  case fuse::ReductionKind::min:
    return "ReduceMin";
  case fuse::ReductionKind::prod:
    return "ReduceProd";
  case fuse::ReductionKind::l1:
    return "ReduceL1";
  case fuse::ReductionKind::l2:
    return "ReduceL2";
  case fuse::ReductionKind::log_sum:
    return "ReduceLogSum";
  case fuse::ReductionKind::log_sum_exp:
    return "ReduceLogSumExp";
  case fuse::ReductionKind::sum_square:
    return "ReduceSumSquare";
  }
  llvm_unreachable("all kinds are listed");
}

/// The operator that reduces all of images but channels, where there is one:
/// programs have kernels of their own for it.
llvm::StringRef globalPoolOf(fuse::ReductionOp op) {
  int64_t rank = shapeOf(op.getOperand()).size();
  bool isGlobal = rank > 2 && elementOf(op.getOperand()).isF32() &&
                  llvm::equal(op.getDims(), llvm::seq<int64_t>(2, rank));
  if (isGlobal && op.getKind() == fuse::ReductionKind::mean)
    return "GlobalAveragePool";
  if (isGlobal && op.getKind() == fuse::ReductionKind::max)
    return "GlobalMaxPool";
  return "";
}

/// The type that ONNX reduces integers of fewer than 32 bits in; others in
/// their own. Sums wrap as they would.
Type reducedType(Type element, bool isExtreme) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer || integer.getWidth() >= 32 ||
      (isExtreme && integer.getWidth() == 8))
    return element;
  return IntegerType::get(element.getContext(), 32);
}

/// Without dimensions ONNX would reduce all, or skip the function, too.
LogicalResult writeReduction(fuse::ReductionOp op, Writer &w) {
  if (op.getDims().empty())
    return failure();
  if (llvm::StringRef pool = globalPoolOf(op); !pool.empty()) {
    w.node(pool, {w.name(op.getOperand())}, op->getResults());
    return success();
  }
  Type element = elementOf(op.getOperand());
  bool isExtreme = op.getKind() == fuse::ReductionKind::max ||
                   op.getKind() == fuse::ReductionKind::min;
  Type type = reducedType(element, isExtreme);
  std::string value = w.name(op.getOperand()), dims = w.integers(op.getDims());
  llvm::StringRef name = operatorOf(op.getKind());
  if (type == element) {
    w.node(name, {value, dims}, op->getResults());
    return success();
  }
  std::string wide = w.step(name, {w.cast(value, type), dims}).output();
  w.node("Cast", {wide}, op->getResults()).integer("to", w.codeOf(element));
  return success();
}

/// How accumulator `index` combines with the operand of the same number, if the
/// combiner does nothing else for it and it starts at what changes nothing.
std::optional<Combiner> findCombiner(fuse::ReduceOp op, unsigned index) {
  Block &block = op.getCombiner().front();
  Operation *step = block.getTerminator()->getOperand(index).getDefiningOp();
  const unsigned count = op.getNumResults();
  if (op.getInputs().size() != count || !step || step->getNumOperands() != 2)
    return std::nullopt;
  Value accumulator = block.getArgument(index),
        element = block.getArgument(count + index);
  for (unsigned at : {0u, 1u})
    if (step->getOperand(at) == accumulator &&
        step->getOperand(1 - at) == element)
      if (std::optional<Combiner> combiner = getCombiner(step, at);
          combiner &&
          getNeutral(*combiner, accumulator.getType()) == op.getInits()[index])
        return combiner;
  return std::nullopt;
}

llvm::StringRef operatorOf(Combiner combiner) {
  switch (combiner) {
  case Combiner::Add:
    return "ReduceSum";
  case Combiner::Mul:
    return "ReduceProd";
  case Combiner::Max:
  case Combiner::Or:
    return "ReduceMax";
  case Combiner::Min:
  case Combiner::And:
    return "ReduceMin";
  }
  llvm_unreachable("all combiners are listed");
}

/// Each accumulator by itself, in the type that it computes in. Booleans are
/// numbers meanwhile.
LogicalResult writeReduce(fuse::ReduceOp op, Writer &w) {
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    std::optional<Combiner> combiner = findCombiner(op, i);
    Type sum = op.getCombiner().front().getArgument(i).getType();
    bool isBits = combiner == Combiner::And || combiner == Combiner::Or;
    if (!combiner || (isBits && !sum.isInteger(1)))
      return w.refuse(op, "combines values in a way that no operator of ONNX "
                          "does");
  }
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    Value input = op.getInputs()[i], result = op.getResult(i);
    Type sum = op.getCombiner().front().getArgument(i).getType();
    if (sum.isInteger(1))
      sum = IntegerType::get(op.getContext(), 32);
    std::string value = w.name(input);
    if (elementOf(input) != sum)
      value = w.cast(value, sum);
    Writer::Names operands{value, w.integers(op.getDims())};
    llvm::StringRef type = operatorOf(*findCombiner(op, i));
    if (elementOf(result) == sum) {
      w.node(type, operands, result)
          .integer("keepdims", 0)
          .integer("noop_with_empty_axes", 1);
      continue;
    }
    std::string wide = w.step(type, operands)
                           .integer("keepdims", 0)
                           .integer("noop_with_empty_axes", 1)
                           .output();
    w.node("Cast", {wide}, result).integer("to", w.codeOf(elementOf(result)));
  }
  return success();
}

LogicalResult writeCumulate(fuse::CumulateOp op, Writer &w) {
  constexpr int64_t kProductsSince = 26;
  bool isSum = op.getKind() == fuse::ReductionKind::sum;
  if (!isSum && w.opset() < kProductsSince)
    return failure();
  w.node(isSum ? "CumSum" : "CumProd",
         {w.name(op.getOperand()), w.integer(op.getAxis())}, op->getResults())
      .flag("exclusive", op.getExclusive())
      .flag("reverse", op.getReverse());
  return success();
}

/// The result is of i64.
template <typename Op>
LogicalResult writeArg(Op op, Writer &w, llvm::StringRef type) {
  if (!elementOf(op.getResult()).isInteger(64))
    return failure();
  w.node(type, {w.name(op.getOperand())}, op->getResults())
      .integer("axis", op.getAxis())
      .flag("select_last_index", op.getLast());
  return success();
}

} // namespace

void registerExportReductions(ExportRegistry &r) {
  r.add<fuse::ReductionOp>(writeReduction);
  r.add<fuse::ReduceOp>(writeReduce);
  r.add<fuse::CumulateOp>(writeCumulate);
  r.add<fuse::ArgMaxOp>(
      [](fuse::ArgMaxOp op, Writer &w) { return writeArg(op, w, "ArgMax"); });
  r.add<fuse::ArgMinOp>(
      [](fuse::ArgMinOp op, Writer &w) { return writeArg(op, w, "ArgMin"); });
}

} // namespace fusec
