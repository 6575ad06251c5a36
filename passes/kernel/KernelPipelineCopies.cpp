// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --kernel-pipeline-copies: see passes/kernel/Passes.td.
#include "passes/kernel/AsyncCopies.h"
#include "passes/kernel/Passes.h"

#include "dialects/TargetInfo.h"
#include "dialects/sched/SchedOps.h"

namespace fusec::kernel {
#define GEN_PASS_DEF_KERNELPIPELINECOPIES
#include "passes/kernel/Passes.h.inc"
} // namespace fusec::kernel

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

namespace {

struct KernelPipelineCopies
    : fusec::kernel::impl::KernelPipelineCopiesBase<KernelPipelineCopies> {
  void runOnOperation() override;
};

/// A loop whose iterations fill tiles in shared memory and compute with them.
class Pipeline {
public:
  Pipeline(ForOp loop, int64_t stages)
      : loop(loop), stages(stages), builder(loop) {}

  /// Why it stays as it is; nothing if it can be rewritten.
  std::optional<std::string> refuse();
  void rewrite();

private:
  bool findParts();
  bool isFill(Operation *op);
  bool isOverwritten(Value memref);
  void addStage(Operation *op, Value iteration);
  void fill(Value iteration);

  ForOp loop;
  int64_t stages;
  OpBuilder builder;
  SmallVector<LocalOp> tiles;
  BarrierOp freed, filled;           ///< before the tiles are filled, and after
  SmallVector<Operation *> fills;    ///< what stands between
  SmallVector<Operation *> computes; ///< and what comes behind
};

} // namespace

/// Tiles, a barrier, what fills them, a barrier, and what computes with them.
bool Pipeline::findParts() {
  for (Operation &op : loop.getBody().front().without_terminator()) {
    auto barrier = dyn_cast<BarrierOp>(op);
    if (filled)
      computes.push_back(&op);
    else if (freed && barrier)
      filled = barrier;
    else if (freed)
      fills.push_back(&op);
    else if (barrier)
      freed = barrier;
    else if (auto tile = dyn_cast<LocalOp>(op);
             tile && isShared(tile.getType()))
      tiles.push_back(tile);
    else
      return false;
  }
  return filled && !fills.empty() && !tiles.empty();
}

/// Whether `memref` is written in the loop.
bool Pipeline::isOverwritten(Value memref) {
  return llvm::any_of(memref.getUsers(), [&](Operation *user) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    return loop->isAncestor(user) && effects &&
           effects.getEffectOnValue<MemoryEffects::Write>(memref);
  });
}

/// Whether it stores to nothing but tiles, and reads what the loop does not
/// change.
bool Pipeline::isFill(Operation *op) {
  WalkResult result = op->walk([&](Operation *inner) {
    bool isFine = isa<ForOp, IfOp>(inner) || isMemoryEffectFree(inner);
    if (auto store = dyn_cast<StoreOp>(inner))
      isFine = isShared(store.getMemref().getType());
    else if (auto load = dyn_cast<LoadOp>(inner))
      isFine = !isOverwritten(load.getMemref());
    return isFine ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

std::optional<std::string> Pipeline::refuse() {
  if (!findParts())
    return "its body is not tiles, what fills them between two barriers, and "
           "what computes with them";
  if (loop.getStep() != 1 || loop.getConstantLower() != 0)
    return "it does not count from 0 in steps of 1";
  if (!llvm::all_of(fills, [&](Operation *op) { return isFill(op); }))
    return "what stands between its barriers is not only loads of what it "
           "does not change, and stores to tiles";
  for (LocalOp tile : tiles)
    for (Operation *user : tile->getUsers())
      if (user->getBlock() == tile->getBlock() || !isa<LoadOp, StoreOp>(user) ||
          (isa<StoreOp>(user) && llvm::any_of(computes, [&](Operation *op) {
             return op->isAncestor(user);
           })))
        return "what computes with its tiles does not only load from them";
  return std::nullopt;
}

/// Accesses to tiles below `op` become those of the tiles of `iteration`, which
/// has one of each in turn.
void Pipeline::addStage(Operation *op, Value iteration) {
  op->walk([&](Operation *access) {
    if (!isa<LoadOp, StoreOp>(access) ||
        llvm::none_of(access->getOperands(), [&](Value operand) {
          return llvm::is_contained(tiles, operand.getDefiningOp());
        }))
      return;
    rewriteForms(access, [&](AffineForm &form) {
      AffineExpr stage = form.getDim(iteration) % stages;
      form.exprs.insert(form.exprs.begin(), stage);
      form.compose();
    });
  });
}

/// Begins to fill the tiles of `iteration`, where the loop has it.
void Pipeline::fill(Value iteration) {
  AffineForm condition(loop.getUpperMap(), loop.getUpperOperands());
  AffineExpr dim = condition.getDim(iteration);
  for (AffineExpr &bound : condition.exprs)
    bound = bound - dim - 1;
  condition.compose();
  SmallVector<bool> inequalities(condition.exprs.size(), false);
  auto exists = IfOp::create(builder, loop.getLoc(),
                             IntegerSet::get(condition.operands.size(), 0,
                                             condition.exprs, inequalities),
                             condition.operands);
  CommitCopiesOp::create(builder, loop.getLoc());
  OpBuilder inside = OpBuilder::atBlockBegin(&exists.getBody().front());
  IRMapping map;
  map.map(loop.getIndex(), iteration);
  for (Operation *op : fills) {
    Operation *clone = inside.clone(*op, map);
    addStage(clone, iteration);
    SmallVector<StoreOp> stores;
    clone->walk([&](Operation *inner) {
      rewriteForms(inner, [](AffineForm &form) { form.compose(); });
      if (auto store = dyn_cast<StoreOp>(inner))
        stores.push_back(store);
    });
    for (StoreOp store : stores)
      if (isAsyncCopy(store))
        makeAsyncCopy(store);
  }
}

void Pipeline::rewrite() {
  MLIRContext *context = loop.getContext();
  for (LocalOp &tile : tiles) {
    auto type = cast<MemRefType>(tile.getType());
    SmallVector<int64_t> shape = {stages};
    llvm::append_range(shape, type.getShape());
    auto all = LocalOp::create(builder, tile.getLoc(),
                               MemRefType::get(shape, type.getElementType(),
                                               MemRefLayoutAttrInterface(),
                                               type.getMemorySpace()));
    tile.replaceAllUsesWith(all.getResult());
    tile.erase();
    tile = all;
  }
  for (Operation *op : computes)
    addStage(op, loop.getIndex());
  // A loop around comes here again while threads still compute.
  for (auto around = loop->getParentOfType<ForOp>(); around;
       around = around->getParentOfType<ForOp>())
    if (around.getMapping() == Mapping::sequential ||
        around.getMapping() == Mapping::unroll) {
      BarrierOp::create(builder, freed.getLoc(), Scope::block);
      break;
    }
  auto apply = [&](AffineExpr expr, ValueRange operands) {
    Location loc = loop.getIndex().getLoc();
    return ApplyOp::create(builder, loc, builder.getIndexType(),
                           AffineMap::get(operands.size(), 0, expr), operands);
  };
  for (int64_t first = 0; first < stages - 1; ++first)
    fill(apply(getAffineConstantExpr(first, context), {}));
  // An iteration waits for its tiles; where all threads have come, they have
  // also done with those of the iteration before, which are the next to fill.
  builder.setInsertionPoint(freed);
  WaitCopiesOp::create(builder, loop.getLoc(), stages - 2);
  builder.setInsertionPoint(filled);
  fill(apply(getAffineDimExpr(0, context) + (stages - 1), loop.getIndex()));
  filled.erase();
  for (Operation *op : fills)
    op->erase();
}

/// Copies what is stored in shared memory as it was loaded without a way
/// through registers, where threads wait for it with a barrier.
static void copyDirectly(FuncOp func) {
  SmallVector<StoreOp> stores;
  func.walk([&](StoreOp store) {
    if (isShared(store.getMemRefType()) && isAsyncCopy(store))
      stores.push_back(store);
  });
  for (StoreOp store : stores)
    makeAsyncCopy(store);
  func.walk([](BarrierOp barrier) {
    bool hasCopies = false;
    for (Operation *op = barrier->getPrevNode(); op && !isa<BarrierOp>(op);
         op = op->getPrevNode())
      op->walk([&](CopyAsyncOp) { hasCopies = true; });
    if (!hasCopies)
      return;
    OpBuilder builder(barrier);
    CommitCopiesOp::create(builder, barrier.getLoc());
    WaitCopiesOp::create(builder, barrier.getLoc(), 0);
  });
}

void KernelPipelineCopies::runOnOperation() {
  FuncOp func = getOperation();
  auto config = func->getAttrOfType<sched::ConfigAttr>(kConfigAttr);
  if (config && config.getStages() == 1 && !config.getMatrices().empty())
    return copyDirectly(func);
  if (!config || config.getStages() < 2)
    return;
  const TargetInfo &target = getTargetInfo(func);
  if (target.getCopyBytes() == 0) {
    func.emitOpError() << "has a config of " << config.getStages()
                       << " stages; target " << target.name
                       << " has no copies that arrive while threads compute";
    return signalPassFailure();
  }
  SmallVector<ForOp> loops;
  func.walk([&](ForOp loop) {
    if (loop.getMapping() == Mapping::sequential &&
        !loop.getBody().getOps<BarrierOp>().empty())
      loops.push_back(loop);
  });
  if (loops.empty())
    func.emitRemark() << "loads no stages ahead: no loop fills tiles";
  for (ForOp loop : loops) {
    Pipeline pipeline(loop, config.getStages());
    if (std::optional<std::string> reason = pipeline.refuse()) {
      loop.emitRemark() << "loads no stages ahead: " << *reason;
      continue;
    }
    pipeline.rewrite();
    ++numPipelined;
  }
}
