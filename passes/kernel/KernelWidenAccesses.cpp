// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --kernel-widen-accesses: see passes/kernel/Passes.td.
#include "dialects/TargetInfo.h"
#include "dialects/TypeInfo.h"
#include "passes/kernel/AccessRows.h"
#include "passes/kernel/BetweenBarriers.h"
#include "passes/kernel/Passes.h"

namespace fusec::kernel {
#define GEN_PASS_DEF_KERNELWIDENACCESSES
#include "passes/kernel/Passes.h.inc"
} // namespace fusec::kernel

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

namespace {

struct KernelWidenAccesses
    : fusec::kernel::impl::KernelWidenAccessesBase<KernelWidenAccesses> {
  using Base::Base;
  void runOnOperation() override;
};

/// A loop of threads whose iterations become groups of `width`.
class Widening {
public:
  Widening(ForOp loop, const TargetInfo &target) : loop(loop), target(target) {}

  /// Why it stays as it is; nothing if it can be rewritten.
  std::optional<std::string> refuse();
  /// Returns the loop over one group, whose accesses are rows.
  ForOp rewrite();

private:
  std::optional<std::string> findBody();
  std::optional<std::string> findAccesses();
  std::optional<std::string> findWidth();

  ForOp loop;
  const TargetInfo &target;
  IfOp guard; ///< around all of the body, or null
  Block *body = nullptr;
  SmallVector<LoadOp> loads;
  SmallVector<StoreOp> stores;
  int64_t width = 0;
};

} // namespace

/// Whether threads of the kernel share more than global memory: then which
/// iteration a thread has is part of what the schedule promises.
static Operation *findTeamwork(FuncOp func) {
  Operation *found = nullptr;
  func.walk([&](Operation *op) {
    auto local = dyn_cast<LocalOp>(op);
    if (!isa<BarrierOp, CombineOp, LastBlockOp, CallOp>(op) &&
        !(local && !isOfThread(local.getType())))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

/// Whether an array passes between `loop`, with the loops of threads around it,
/// and what else the kernel does: then a thread needs the iterations that it
/// had, or will have.
static bool isFedByThreads(ForOp loop) {
  Operation *nest = loop;
  for (auto around = loop; around && around.getMapping() == Mapping::thread;
       around = dyn_cast<ForOp>(around->getParentOp()))
    nest = around;
  auto passes = [&](Value memref) {
    bool isWritten = false, isInside = false, isOutside = false;
    for (Operation *user : memref.getUsers()) {
      isWritten |= !isa<LoadOp, GatherOp, LoadRowOp>(user);
      (nest->isAncestor(user) ? isInside : isOutside) = true;
    }
    return isWritten && isInside && isOutside;
  };
  WalkResult result = nest->walk([&](Operation *op) {
    return llvm::any_of(op->getOperands(),
                        [&](Value value) {
                          return isa<MemRefType>(value.getType()) &&
                                 passes(value);
                        })
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Whether it accesses an array of one iteration.
static bool isOwn(Operation &op) {
  auto own = [&](Value memref) {
    auto local = memref.getDefiningOp<LocalOp>();
    return local && local->getBlock() == op.getBlock();
  };
  if (auto load = dyn_cast<LoadOp>(op))
    return own(load.getMemref());
  auto store = dyn_cast<StoreOp>(op);
  return store && own(store.getMemref());
}

std::optional<std::string> Widening::findBody() {
  body = &loop.getBody().front();
  if (llvm::hasNItems(body->without_terminator(), 1))
    if ((guard = dyn_cast<IfOp>(body->front()))) {
      if (!guard.getElseBody().empty())
        return "it does one or the other";
      body = &guard.getBody().front();
    }
  for (Operation &op : body->without_terminator())
    if (op.getNumRegions())
      return "it has " + op.getName().getStringRef().str() + " in it";
  return std::nullopt;
}

/// The accesses that neighbouring iterations make to neighbouring elements.
/// What else is read comes one by one, if it does not follow the loop in
/// memory.
std::optional<std::string> Widening::findAccesses() {
  llvm::SmallPtrSet<Value, 4> read, written;
  for (Operation &op : body->without_terminator()) {
    if (isa<LocalOp>(op) || isOwn(op))
      continue;
    if (auto store = dyn_cast<StoreOp>(op)) {
      stores.push_back(store);
      if (!written.insert(store.getMemref()).second)
        return "it stores to an array twice";
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      read.insert(load.getMemref());
      AffineForm form(load.getMap(), load.getIndices());
      unsigned dim =
          cast<AffineDimExpr>(form.getDim(loop.getIndex())).getPosition();
      AffineExpr linear = form.linearize(load.getMemRefType().getShape());
      if (linear && linear.isFunctionOfDim(dim))
        loads.push_back(load);
    } else if (auto gather = dyn_cast<GatherOp>(op)) {
      read.insert(gather.getMemref());
    } else if (!isMemoryEffectFree(&op)) {
      return "it has " + op.getName().getStringRef().str() + " in it";
    }
  }
  if (stores.empty())
    return "it stores nothing";
  if (llvm::any_of(read,
                   [&](Value memref) { return written.contains(memref); }))
    return "it reads what it writes";
  return std::nullopt;
}

std::optional<std::string> Widening::findWidth() {
  int64_t bytes = 1, iterations = *loop.getConstantTripCount();
  for (LoadOp load : loads)
    bytes = std::max<int64_t>(
        bytes,
        getTypeInfo(load.getMemRefType().getElementType())->storageBytes());
  for (StoreOp store : stores)
    bytes = std::max<int64_t>(
        bytes,
        getTypeInfo(store.getMemRefType().getElementType())->storageBytes());
  int64_t all = iterations;
  for (auto around = dyn_cast<ForOp>(loop->getParentOp());
       around && around.getMapping() == Mapping::thread;
       around = dyn_cast<ForOp>(around->getParentOp()))
    all *= *around.getConstantTripCount();
  const int64_t threads = *loop->getParentOfType<FuncOp>().getThreads();
  auto isRow = [&](auto op) {
    return !explainNoRow(op, loop.getIndex(), width);
  };
  for (width = target.multiprocessor->accessBytes / bytes; width > 1;
       width /= 2) {
    bool areRows =
        iterations % width == 0 &&
        (!guard || holdsForRow(guard.getCondition(), guard.getOperands(),
                               loop.getIndex(), width)) &&
        llvm::all_of(loads, isRow) && llvm::all_of(stores, isRow);
    if (areRows && all / width + target.multiprocessor->warp > threads)
      return std::nullopt;
    if (areRows)
      return "its " + std::to_string(all) + " iterations are too few for " +
             std::to_string(threads) + " threads to have " +
             std::to_string(width) + " each";
  }
  return "it accesses no whole rows of elements side by side";
}

std::optional<std::string> Widening::refuse() {
  if (loop.getStep() != 1 || !loop.getConstantTripCount() ||
      loop.getConstantLower() != 0 || !loop.getCarried().empty())
    return "its bounds are no constants from 0 in steps of 1";
  if (auto reason = findBody())
    return reason;
  if (auto reason = findAccesses())
    return reason;
  return findWidth();
}

ForOp Widening::rewrite() {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto groups =
      ForOp::create(builder, loc, 0, *loop.getConstantTripCount() / width, 1,
                    Mapping::thread);
  groups.getIndex().setLoc(loop.getIndex().getLoc());
  builder.setInsertionPointToStart(&groups.getBody().front());
  auto each = ForOp::create(builder, loc, 0, width, 1, Mapping::unroll);
  builder.setInsertionPointToStart(&each.getBody().front());
  AffineExpr group = builder.getAffineDimExpr(0),
             one = builder.getAffineDimExpr(1);
  auto index =
      ApplyOp::create(builder, loc, AffineMap::get(2, 0, group * width + one),
                      ValueRange{groups.getIndex(), each.getIndex()});
  IRMapping map;
  map.map(loop.getIndex(), index);
  for (Operation &op : loop.getBody().front().without_terminator())
    builder.clone(op, map);
  each.walk([](Operation *op) {
    rewriteForms(op, [](AffineForm &form) { form.compose(); });
  });
  if (index->use_empty())
    index->erase();
  loop.erase();
  return each;
}

/// The loops over what each of the threads that share `loop` has side by side.
static SmallVector<ForOp> findRowLoops(ForOp loop) {
  SmallVector<ForOp> found;
  loop.walk([&](ForOp inner) {
    if (isRowLoop(inner))
      found.push_back(inner);
  });
  return found;
}

void KernelWidenAccesses::runOnOperation() {
  FuncOp func = getOperation();
  const TargetInfo &target = getTargetInfo(func);
  if (!target.hasBlocks())
    return;
  SmallVector<ForOp> loops;
  func.walk([&](ForOp loop) {
    auto inner = dyn_cast<ForOp>(loop.getBody().front().front());
    if (loop.getMapping() == Mapping::thread &&
        !(inner && inner.getMapping() == Mapping::thread))
      loops.push_back(loop);
  });
  Operation *teamwork = findTeamwork(func);
  auto tell = [&](Operation *op, StringRef reason) {
    if (remarks)
      op->emitRemark() << "stays an access to single elements: " << reason;
  };
  for (ForOp loop : loops) {
    SmallVector<ForOp> rowLoops = findRowLoops(loop);
    for (ForOp each : rowLoops)
      numRows += makeRows(each, tell);
    if (!rowLoops.empty())
      continue;
    Widening widening(loop, target);
    std::optional<std::string> reason;
    if (teamwork && !isBetweenBarriers(loop))
      reason = "threads of the kernel share more than memory";
    else if (!teamwork && isFedByThreads(loop))
      reason =
          "an array passes from iterations of one loop of threads to those "
          "of another";
    else
      reason = widening.refuse();
    if (!reason)
      numRows += makeRows(widening.rewrite(), tell);
    else if (remarks)
      loop.emitRemark() << "keeps accesses to single elements: " << *reason;
  }
}
