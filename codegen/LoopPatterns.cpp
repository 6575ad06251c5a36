// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How loops and conditions print.
#include "codegen/LoopIndices.h"
#include "dialects/TargetInfo.h"

#include <numeric>

using namespace mlir;

namespace fusec::codegen {

/// After how many iterations of `loop` the places are the same again in the
/// arrays of a thread that it goes round; 1 if it goes round none.
static int64_t getPeriod(kernel::ForOp loop) {
  int64_t period = 1;
  auto add = [&](Value memref, AffineMap map, OperandRange indices) {
    if (!kernel::isOfThread(memref.getType()) ||
        loop->isAncestor(memref.getDefiningOp()))
      return;
    map.walkExprs([&](AffineExpr expr) {
      auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
      if (!binary || (binary.getKind() != AffineExprKind::Mod &&
                      binary.getKind() != AffineExprKind::FloorDiv))
        return;
      auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
      for (auto [i, index] : llvm::enumerate(indices))
        if (divisor && index == loop.getIndex() &&
            binary.getLHS().isFunctionOfDim(i))
          period = std::lcm(period, divisor.getValue());
    });
  };
  loop.getBody().walk([&](Operation *op) {
    if (auto load = dyn_cast<kernel::LoadOp>(op))
      add(load.getMemref(), load.getMap(), load.getIndices());
    else if (auto store = dyn_cast<kernel::StoreOp>(op))
      add(store.getMemref(), store.getMap(), store.getIndices());
  });
  return period;
}

/// By how many iterations nvcc unrolls most long loops with small bodies.
constexpr int64_t kUsualUnroll = 16;

/// Whether to ask for just that with `loop`: ptxas would unroll what it gets
/// once more, with more loads on their way than it has registers for, and
/// leaves alone what was asked for.
static bool isLongAndSmall(kernel::ForOp loop) {
  constexpr size_t kMostOps = 16;
  std::optional<int64_t> trips = loop.getConstantTripCount();
  Block &body = loop.getBody().front();
  return trips && *trips > kMaxUnrolled && *trips % kUsualUnroll == 0 &&
         body.getOps<kernel::ForOp>().empty() &&
         body.getOperations().size() <= kMostOps;
}

/// What compilers are told of unrolling `loop`. By themselves they unroll short
/// loops around what is unrolled already, and then push accumulators to the
/// stack for what the copies share. Threads wait in one place. Registers have
/// no subscripts: an array that is gone round is in registers if each copy of
/// the body has its own places.
static std::string unrollPrefix(kernel::ForOp loop,
                                const TargetSyntax &syntax) {
  if (loop.getMapping() == kernel::Mapping::unroll)
    return syntax.unrollPrefix.str();
  if (int64_t period = getPeriod(loop);
      !syntax.unrollByPrefix.empty() && period > 1 && period <= kMaxUnrolled)
    return (syntax.unrollByPrefix + "(" + Twine(period) + ") ").str();
  std::optional<int64_t> trips = loop.getConstantTripCount();
  bool isShort = trips && *trips <= syntax.mostShort;
  bool staysRolled = false;
  loop.getBody().walk([&](Operation *op) {
    auto inner = dyn_cast<kernel::ForOp>(op);
    staysRolled |=
        isa<kernel::BarrierOp>(op) ||
        (isShort && inner && inner.getMapping() == kernel::Mapping::unroll);
  });
  if (staysRolled)
    return syntax.rollPrefix.str();
  if (!syntax.unrollByPrefix.empty() && isLongAndSmall(loop))
    return (syntax.unrollByPrefix + "(" + Twine(kUsualUnroll) + ") ").str();
  return "";
}

static LogicalResult emitFor(kernel::ForOp loop, KernelEmitter &emitter) {
  if (loop.getConstantTripCount() == 1) {
    // One iteration is no loop: the index is a number.
    emitter.bind(loop.getIndex(), Expr::number(*loop.getConstantLower()));
    emitter.setRange(loop.getIndex(),
                     IndexRange::constant(*loop.getConstantLower()));
    return emitter.emitBlock(loop.getBody().front());
  }
  Expr from = lowerBound(loop, emitter), to = upperBound(loop, emitter);
  emitter.setRange(loop.getIndex(), indexRange(loop, emitter));
  emitter.names.pushScope();
  std::string name =
      emitter.declareIndex(loop.getIndex(), ownIndexName(loop), indexName(loop))
          .text;
  std::string step = loop.getStep() == 1
                         ? "++" + name
                         : name + " += " + std::to_string(loop.getStep());
  const IndexSyntax &index = emitter.getIndexSyntax();
  bool unroll = loop.getMapping() == kernel::Mapping::unroll;
  emitter.out.open(unrollPrefix(loop, emitter.syntax) + "for (" +
                   (unroll ? index.unrolled : index.type).str() + " " + name +
                   " = " + from.text + "; " + name + " < " + to.text + "; " +
                   step + ")");
  LogicalResult result = emitter.emitBlock(loop.getBody().front());
  emitter.out.close("", /*elide=*/true);
  emitter.names.popScope();
  return result;
}

/// Whether the body uses an array of the function around: a lambda must not
/// copy that.
static bool usesOuterLocal(kernel::ForOp loop) {
  return loop
      ->walk([&](Operation *op) {
        for (Value operand : op->getOperands()) {
          auto local = operand.getDefiningOp<kernel::LocalOp>();
          if (local && !loop->isAncestor(local))
            return WalkResult::interrupt();
        }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

static LogicalResult emitParallel(kernel::ForOp outer, KernelEmitter &emitter) {
  SmallVector<kernel::ForOp> nest = collectNest(outer);
  // In iterations of the innermost loop, as the collapsed ones are.
  std::optional<int64_t> innerGrain = nest.back().getGrain();
  int64_t grain = innerGrain.value_or(outer.getGrain().value_or(1));
  Expr count = Expr::number(1);
  bool plain =
      nest.size() == 1 && outer.getStep() == 1 && outer.getConstantLower() == 0;
  if (outer.getConstantTripCount()) {
    count = Expr::number(countIterations(nest));
    if (!innerGrain)
      grain *= countIterations(ArrayRef(nest).drop_front());
  } else {
    if (outer.getConstantLower() != 0 || outer.getStep() != 1)
      return outer.emitOpError("is parallel with bounds that are neither "
                               "constants nor start at 0 with step 1");
    count = upperBound(outer, emitter);
  }
  StringRef capture = usesOuterLocal(outer) ? "[&]" : "[=]";
  emitter.names.pushScope();
  emitter.out.open(emitter.syntax.parallelFor + "(" +
                   emitter.syntax.contextName + ", " + count.text + ", " +
                   Twine(grain) + ", " + capture +
                   "(int64_t begin, int64_t end)");
  emitter.declareTiles(outer);
  std::string iteration;
  if (plain) {
    emitter.setRange(outer.getIndex(), indexRange(outer, emitter));
    iteration = emitter
                    .declareIndex(outer.getIndex(), ownIndexName(outer),
                                  indexName(outer))
                    .text;
  } else {
    iteration = "iteration"; // Reserved, so never hidden.
  }
  emitter.out.open("for (int64_t " + iteration + " = begin; " + iteration +
                   " < end; ++" + iteration + ")");
  if (!plain)
    declareIndices(nest, iteration, emitter);
  emitter.inParallel = true;
  LogicalResult result = emitter.emitBlock(nest.back().getBody().front());
  emitter.inParallel = false;
  emitter.out.close("", /*elide=*/true);
  emitter.finishStreams(outer);
  emitter.out.close(");");
  emitter.names.popScope();
  return result;
}

static LogicalResult emitLoop(kernel::ForOp loop, KernelEmitter &emitter) {
  if (loop.getMapping() == kernel::Mapping::vector)
    return loop.emitOpError("is still mapped to lanes; run --kernel-vectorize "
                            "before emission");
  switch (loop.getMapping()) {
  case kernel::Mapping::parallel:
    return emitter.inParallel ? emitFor(loop, emitter)
                              : emitParallel(loop, emitter);
  case kernel::Mapping::block:
  case kernel::Mapping::warp:
  case kernel::Mapping::column:
  case kernel::Mapping::thread:
    return emitShared(loop, emitter);
  default:
    return emitFor(loop, emitter);
  }
}

static LogicalResult emitIf(kernel::IfOp op, KernelEmitter &emitter) {
  Expr condition =
      emitter.affine(op.getOperands(), op.getCondition().getNumDims(),
                     [&](const AffinePrinter &printer) {
                       return printer.printSet(op.getCondition());
                     });
  bool hasElse = !op.getElseBody().empty();
  emitter.names.pushScope();
  emitter.out.open("if (" + condition.text + ")");
  LogicalResult result = emitter.emitBlock(op.getBody().front());
  emitter.names.popScope();
  if (!hasElse) {
    emitter.out.close("", /*elide=*/true);
    return result;
  }
  emitter.names.pushScope();
  emitter.out.elseBlock();
  if (failed(emitter.emitBlock(op.getElseBody().front())))
    result = failure();
  emitter.out.close();
  emitter.names.popScope();
  return result;
}

void addLoopPatterns(PatternSet &patterns) {
  patterns.statement<kernel::ForOp>(emitLoop);
  patterns.statement<kernel::IfOp>(emitIf);
  auto nothing = [](auto, KernelEmitter &) { return success(); };
  patterns.statement<kernel::YieldOp>(nothing);
  patterns.statement<kernel::ReturnOp>(nothing);
}

} // namespace fusec::codegen
