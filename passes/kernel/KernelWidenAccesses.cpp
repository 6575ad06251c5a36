// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --kernel-widen-accesses: see passes/kernel/Passes.td.
#include "dialects/TargetInfo.h"
#include "dialects/TypeInfo.h"
#include "dialects/kernel/Nibbles.h"
#include "passes/kernel/AffineForms.h"
#include "passes/kernel/Passes.h"

#include "llvm/Support/MathExtras.h"

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
  void rewrite();
  unsigned getNumRows() const { return loads.size() + stores.size(); }
  int64_t getWidth() const { return width; }

private:
  std::optional<std::string> findBody();
  std::optional<std::string> findAccesses();
  std::optional<std::string> findWidth();
  template <class Op> bool isRow(Op op, int64_t width);
  bool holdsForGroups(IfOp condition, int64_t width);
  /// `form` with the first of a group's iterations in place of the index.
  AffineForm first(AffineForm form, Value group, int64_t width);

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

AffineForm Widening::first(AffineForm form, Value group, int64_t width) {
  AffineExpr dim = form.getDim(loop.getIndex());
  for (AffineExpr &expr : form.exprs)
    expr = expr.replace(dim, dim * width);
  IRMapping map;
  map.map(loop.getIndex(), group);
  form.remap(map);
  form.compose();
  return form;
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

/// Whether `op` accesses whole rows of `width` elements, one a group.
template <class Op> bool Widening::isRow(Op op, int64_t width) {
  MemRefType type = op.getMemRefType();
  if (op.getMask() || isNibbles(type) || type.getRank() == 0 ||
      type.getShape().back() % width)
    return false;
  AffineForm form(op.getMap(), op.getIndices());
  AffineExpr index = form.getDim(loop.getIndex());
  unsigned dim = cast<AffineDimExpr>(index).getPosition();
  for (AffineExpr expr : ArrayRef(form.exprs).drop_back())
    if (expr.isFunctionOfDim(dim))
      return false;
  AffineExpr rest =
      simplifyAffineExpr(form.exprs.back() - index, form.operands.size(), 0);
  return !rest.isFunctionOfDim(dim) && rest.isMultipleOf(width);
}

/// Whether the condition is the same for all of a group: what it asks to be
/// positive is `c + i`, or `c - i`, with such a rest of the constant that no
/// boundary lies within a group.
bool Widening::holdsForGroups(IfOp condition, int64_t width) {
  IntegerSet set = condition.getCondition();
  AffineForm form = formOf(set, condition.getOperands());
  AffineExpr index = form.getDim(loop.getIndex());
  unsigned dim = cast<AffineDimExpr>(index).getPosition();
  for (auto [number, expr] : llvm::enumerate(form.exprs)) {
    if (!expr.isFunctionOfDim(dim))
      continue;
    if (set.isEq(number))
      return false;
    unsigned dims = form.operands.size();
    AffineExpr up = simplifyAffineExpr(expr - index, dims, 0),
               down = simplifyAffineExpr(expr + index, dims, 0);
    if (!up.isFunctionOfDim(dim) && up.isMultipleOf(width))
      continue;
    if (!down.isFunctionOfDim(dim) && (down + 1).isMultipleOf(width))
      continue;
    return false;
  }
  return true;
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
  for (width = target.multiprocessor->accessBytes / bytes; width > 1;
       width /= 2) {
    bool areRows =
        iterations % width == 0 && (!guard || holdsForGroups(guard, width)) &&
        llvm::all_of(loads, [&](LoadOp op) { return isRow(op, width); }) &&
        llvm::all_of(stores, [&](StoreOp op) { return isRow(op, width); });
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

/// A thread's own array for the elements of a row.
static Value makeRow(OpBuilder &builder, Location loc, Value memref,
                     int64_t width) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  MLIRContext *context = builder.getContext();
  auto type = MemRefType::get({width}, getComputeType(element), AffineMap(),
                              SpaceAttr::get(context, Space::thread));
  StringRef name = getNameOf(memref.getLoc());
  if (!name.empty())
    loc = NameLoc::get(builder.getStringAttr(name + "_row"), loc);
  return LocalOp::create(builder, loc, type);
}

void Widening::rewrite() {
  MLIRContext *context = loop.getContext();
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto groups =
      ForOp::create(builder, loc, 0, *loop.getConstantTripCount() / width, 1,
                    Mapping::thread);
  groups.getIndex().setLoc(loop.getIndex().getLoc());
  builder.setInsertionPointToStart(&groups.getBody().front());
  auto inside = [&](AffineForm form) {
    return first(form, groups.getIndex(), width);
  };
  if (guard) {
    AffineForm form = inside(formOf(guard.getCondition(), guard.getOperands()));
    auto condition =
        IfOp::create(builder, guard.getLoc(),
                     IntegerSet::get(form.operands.size(), 0, form.exprs,
                                     guard.getCondition().getEqFlags()),
                     form.operands);
    builder.setInsertionPointToStart(&condition.getBody().front());
  }
  IRMapping map;
  DenseMap<Operation *, Value> rows;
  for (LoadOp load : loads) {
    Value row = rows[load] =
        makeRow(builder, load.getLoc(), load.getMemref(), width);
    AffineForm form = inside({load.getMap(), load.getIndices()});
    LoadRowOp::create(builder, load.getLoc(), load.getMemref(),
                      form.getMap(context), form.operands, row);
  }
  for (StoreOp store : stores)
    rows[store] = makeRow(builder, store.getLoc(), store.getMemref(), width);
  auto each = ForOp::create(builder, loc, 0, width, 1, Mapping::unroll);
  for (StoreOp store : stores) {
    AffineForm form = inside({store.getMap(), store.getIndices()});
    StoreRowOp::create(builder, store.getLoc(), store.getMemref(),
                       form.getMap(context), form.operands, rows[store]);
  }

  builder.setInsertionPointToStart(&each.getBody().front());
  AffineExpr group = builder.getAffineDimExpr(0),
             one = builder.getAffineDimExpr(1);
  Value index =
      ApplyOp::create(builder, loc, AffineMap::get(2, 0, group * width + one),
                      ValueRange{groups.getIndex(), each.getIndex()});
  map.map(loop.getIndex(), index);
  AffineMap own = AffineMap::getMultiDimIdentityMap(1, context);
  for (Operation &op : body->without_terminator()) {
    Value row = rows.lookup(&op);
    if (auto load = dyn_cast<LoadOp>(op); load && row) {
      map.map(load.getResult(),
              LoadOp::create(builder, load.getLoc(), load.getType(), row, own,
                             ValueRange(each.getIndex()))
                  .getResult());
    } else if (auto store = dyn_cast<StoreOp>(op); store && row) {
      StoreOp::create(builder, store.getLoc(),
                      map.lookupOrDefault(store.getValue()), row, own,
                      ValueRange(each.getIndex()));
    } else {
      Operation *clone = builder.clone(op, map);
      rewriteForms(clone, [](AffineForm &form) { form.compose(); });
    }
  }
  if (index.use_empty())
    index.getDefiningOp()->erase();
  loop.erase();
}

void KernelWidenAccesses::runOnOperation() {
  FuncOp func = getOperation();
  const TargetInfo &target = getTargetInfo(func);
  if (target.kind == TargetKind::cpu)
    return;
  SmallVector<ForOp> loops;
  func.walk([&](ForOp loop) {
    auto inner = dyn_cast<ForOp>(loop.getBody().front().front());
    if (loop.getMapping() == Mapping::thread &&
        !(inner && inner.getMapping() == Mapping::thread))
      loops.push_back(loop);
  });
  Operation *teamwork = findTeamwork(func);
  for (ForOp loop : loops) {
    Widening widening(loop, target);
    std::optional<std::string> reason;
    if (teamwork)
      reason = "threads of the kernel share more than memory";
    else
      reason = widening.refuse();
    if (reason) {
      if (remarks)
        loop.emitRemark() << "keeps accesses to single elements: " << *reason;
      continue;
    }
    numRows += widening.getNumRows();
    widening.rewrite();
  }
}
