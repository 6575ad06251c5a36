// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/BlockResults.h"

#include "dialects/Abi.h"
#include "passes/kernel/Reductions.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace fusec::kernel {

static constexpr llvm::StringLiteral kWorkspaceBytes = "workspace_bytes";
static constexpr llvm::StringLiteral kZeroedBytes = "zeroed_bytes";

static int64_t getBytes(FuncOp func, StringRef name) {
  auto attr = func->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : 0;
}

namespace {

/// An array that blocks reduce to, and where the part of each lies when it is
/// done.
struct Shared {
  Value array;
  Combiner combiner;
  /// Of each of the threads, which have points of their own; 0 where all of
  /// them have one result.
  int64_t threads;
  /// In place of the array in the loop, and in the workspace.
  Value part, parts;
};

/// Takes the reductions of one loop apart.
class BlockSplitter {
public:
  explicit BlockSplitter(ForOp loop)
      : loop(loop), func(loop->getParentOfType<FuncOp>()), builder(loop),
        loc(loop.getLoc()), body(&loop.getBody().front()),
        blocks(*loop.getConstantTripCount()) {
    for (auto around = loop->getParentOfType<ForOp>(); around;
         around = around->getParentOfType<ForOp>()) {
      auto &loops = around.getMapping() == Mapping::column ? columns : outer;
      loops.insert(loops.begin(), around);
    }
    for (Operation &op : loop->getBlock()->without_terminator())
      if (&op != loop && !isa<WorkspaceOp>(op))
        (op.isBeforeInBlock(loop) ? before : after).push_back(&op);
  }

  /// The last block that is done combines what all have.
  void combineInLast();
  /// Each block adds what it has to the outputs.
  LogicalResult addToOutputs();
  /// Blocks are the outermost loops of a kernel: also around the columns, which
  /// hold nothing else when the loop has been taken apart.
  void leaveColumns();

private:
  void enterLoop();
  Shared share(Value array, Operation *first);
  bool begins(Operation *op);
  int64_t countThreads(Value array);
  void storePart(const Shared &shared);
  void combineParts(const Shared &shared);
  LogicalResult addToOutput(Value array);
  bool waitsForOthers(ArrayRef<Shared> all);
  LastBlockOp createLastBlock();
  void forEachElement(Value array,
                      llvm::function_ref<void(ArrayRef<Value>)> create);
  AffineForm makeForm(ArrayRef<Value> indices);
  Value load(Value array, ArrayRef<Value> indices);
  void store(Value value, Value array, ArrayRef<Value> indices);
  ForOp enterThreads(int64_t threads);
  SmallVector<Value> getPlace(Value block, ArrayRef<Value> element,
                              Value thread = {});
  Value addWorkspace(ArrayRef<int64_t> shape, Type element, StringRef name,
                     int64_t offset);
  SmallVector<int64_t> getOuterShape();
  SmallVector<Value> getOuterIndices();
  Location nameAfter(Value array, const Twine &name);

  ForOp loop;
  FuncOp func;
  OpBuilder builder;
  Location loc;
  Block *body;
  int64_t blocks;
  /// The loops of blocks around, and those of columns, outermost first.
  SmallVector<ForOp> outer, columns;
  /// What stands before the loop and after it.
  SmallVector<Operation *> before, after;
};

} // namespace

Value BlockSplitter::addWorkspace(ArrayRef<int64_t> shape, Type element,
                                  StringRef name, int64_t offset) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&func.getBody().front());
  auto type = MemRefType::get(shape, element);
  Location named = NameLoc::get(builder.getStringAttr(name), loc);
  int64_t bytes = type.getNumElements() *
                  llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  func->setAttr(kWorkspaceBytes, builder.getI64IntegerAttr(offset + bytes));
  return WorkspaceOp::create(builder, named, type, offset);
}

SmallVector<int64_t> BlockSplitter::getOuterShape() {
  SmallVector<int64_t> shape;
  for (ForOp around : outer)
    shape.push_back(*around.getConstantTripCount());
  return shape;
}

SmallVector<Value> BlockSplitter::getOuterIndices() {
  SmallVector<Value> indices;
  for (ForOp around : outer)
    indices.push_back(around.getIndex());
  return indices;
}

Location BlockSplitter::nameAfter(Value array, const Twine &name) {
  return NameLoc::get(builder.getStringAttr(name), array.getLoc());
}

/// Subscripts: an index, or 0 where there is none.
AffineForm BlockSplitter::makeForm(ArrayRef<Value> indices) {
  AffineForm form;
  for (Value index : indices)
    form.exprs.push_back(index ? form.getDim(index)
                               : builder.getAffineConstantExpr(0));
  return form;
}

Value BlockSplitter::load(Value array, ArrayRef<Value> indices) {
  AffineForm place = makeForm(indices);
  return LoadOp::create(
      builder, loc, cast<MemRefType>(array.getType()).getElementType(), array,
      place.getMap(builder.getContext()), place.operands);
}

void BlockSplitter::store(Value value, Value array, ArrayRef<Value> indices) {
  AffineForm place = makeForm(indices);
  StoreOp::create(builder, loc, value, array,
                  place.getMap(builder.getContext()), place.operands);
}

/// `create` for all elements of an array in registers.
void BlockSplitter::forEachElement(
    Value array, llvm::function_ref<void(ArrayRef<Value>)> create) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> indices;
  for (int64_t extent : cast<MemRefType>(array.getType()).getShape()) {
    if (extent == 1) {
      indices.push_back({});
      continue;
    }
    auto each = ForOp::create(builder, loc, 0, extent, 1, Mapping::unroll);
    each.getIndex().setLoc(builder.getUnknownLoc());
    builder.setInsertionPoint(each.getBody().front().getTerminator());
    indices.push_back(each.getIndex());
  }
  create(indices);
}

/// What follows is inside of a loop that the first `threads` threads share.
ForOp BlockSplitter::enterThreads(int64_t threads) {
  auto each = ForOp::create(builder, loc, 0, threads, 1, Mapping::thread);
  each.getIndex().setLoc(
      threads == 1 ? Location(builder.getUnknownLoc())
                   : NameLoc::get(builder.getStringAttr("each"), loc));
  builder.setInsertionPoint(each.getBody().front().getTerminator());
  return each;
}

/// Where what `block` has of an element lies: that of one thread or column
/// beside its neighbour's.
SmallVector<Value> BlockSplitter::getPlace(Value block, ArrayRef<Value> element,
                                           Value thread) {
  SmallVector<Value> place = getOuterIndices();
  place.push_back(block);
  llvm::append_range(place, element);
  if (thread)
    place.push_back(thread);
  for (ForOp column : columns)
    place.push_back(column.getIndex());
  return place;
}

/// Threads that have elements of `array` of their own; 0 if all of them reduce
/// to one.
int64_t BlockSplitter::countThreads(Value array) {
  int64_t threads = 0;
  for (Operation *user : array.getUsers()) {
    int64_t iterations = 1;
    for (auto around = user->getParentOfType<ForOp>(); around != loop && around;
         around = around->getParentOfType<ForOp>())
      if (around.getMapping() == Mapping::thread) {
        if (around.getCarry(array))
          return 0;
        iterations *= around.getConstantTripCount().value_or(1);
      }
    if (loop->isProperAncestor(user) && !isa<ForOp>(user))
      threads = std::max(threads, iterations);
  }
  return threads > 1 ? threads : 0;
}

/// What stands before the loop each of the blocks comes to.
void BlockSplitter::enterLoop() {
  for (Operation *op : llvm::reverse(before))
    op->moveBefore(body, body->begin());
}

/// Whether `op`, before the loop, does nothing but begin what blocks reduce to.
bool BlockSplitter::begins(Operation *op) {
  auto isShared = [&](Value array) {
    return llvm::is_contained(loop.getCarried(), array);
  };
  if (isa<LocalOp>(op))
    return isShared(op->getResult(0));
  bool stores = false, isOnly = true;
  op->walk([&](Operation *inner) {
    if (auto store = dyn_cast<StoreOp>(inner)) {
      stores = true;
      isOnly &= isShared(store.getMemref());
    } else if (isa<LocalOp, BarrierOp, CombineOp>(inner)) {
      isOnly = false;
    }
  });
  return stores && isOnly;
}

/// Gives the loop a part of `array`, which is neutral before `first`.
Shared BlockSplitter::share(Value array, Operation *first) {
  Combiner combiner = *getCombiner(*loop.getCarry(array));
  Shared shared{array, combiner, countThreads(array), {}, {}};
  auto type = cast<MemRefType>(array.getType());
  std::string name = getNameOf(array.getLoc()).str();
  builder.setInsertionPoint(first);
  shared.part = LocalOp::create(
      builder, nameAfter(array, name.empty() ? "part" : "part_" + name), type);
  Value neutral = arith::ConstantOp::create(
      builder, loc, getNeutral(combiner, type.getElementType()));
  forEachElement(shared.part, [&](ArrayRef<Value> indices) {
    store(neutral, shared.part, indices);
  });
  SmallVector<int64_t> shape = getOuterShape();
  shape.push_back(blocks);
  if (shared.threads > 0) {
    llvm::append_range(shape, type.getShape());
    shape.push_back(shared.threads);
  }
  for (ForOp column : columns)
    shape.push_back(*column.getConstantTripCount());
  shared.parts = addWorkspace(
      shape, type.getElementType(), name.empty() ? "parts" : name + "_parts",
      llvm::alignTo(getBytes(func, kWorkspaceBytes), kAbiAlignment));
  array.replaceUsesWithIf(shared.part, [&](OpOperand &use) {
    return loop->isProperAncestor(use.getOwner());
  });
  loop.dropCarry(array);
  return shared;
}

void BlockSplitter::storePart(const Shared &shared) {
  OpBuilder::InsertionGuard guard(builder);
  ForOp each = enterThreads(std::max<int64_t>(1, shared.threads));
  if (shared.threads == 0)
    return store(load(shared.part, {}), shared.parts,
                 getPlace(loop.getIndex(), {}));
  forEachElement(shared.part, [&](ArrayRef<Value> indices) {
    store(load(shared.part, indices), shared.parts,
          getPlace(loop.getIndex(), indices, each.getIndex()));
  });
}

/// Where the last block is, the parts of all: each thread those of its own
/// elements, or all threads together those of one.
void BlockSplitter::combineParts(const Shared &shared) {
  OpBuilder::InsertionGuard guard(builder);
  Value thread;
  if (shared.threads > 0)
    thread = enterThreads(shared.threads).getIndex();
  auto parts = ForOp::create(builder, loc, 0, blocks, 1,
                             thread ? Mapping::sequential : Mapping::thread);
  parts.getIndex().setLoc(loop.getIndex().getLoc());
  parts.setCarry(shared.array, getCarry(shared.combiner));
  builder.setInsertionPoint(parts.getBody().front().getTerminator());
  forEachElement(shared.array, [&](ArrayRef<Value> indices) {
    Value value =
        load(shared.parts, getPlace(parts.getIndex(), indices, thread));
    Value held = load(shared.array, indices);
    store(createCombination(builder, loc, shared.combiner, held, value),
          shared.array, indices);
  });
}

/// Whether what the last block does may be in conflict with an access of
/// threads of a block other than the first, which draws its ticket.
bool BlockSplitter::waitsForOthers(ArrayRef<Shared> all) {
  if (!columns.empty() ||
      llvm::any_of(all, [](const Shared &each) { return each.threads > 0; }))
    return true;
  auto reads = [](Operation *op) {
    return isa<LoadOp, GatherOp, LoadRowOp>(op);
  };
  WalkResult result = loop->walk([&](Operation *op) -> WalkResult {
    if (!reads(op) && !isa<StoreOp>(op))
      return success(
          isa<ForOp, IfOp, YieldOp, LocalOp, BarrierOp, CombineOp>(op) ||
          isMemoryEffectFree(op));
    return success(llvm::all_of(op->getOperands(), [&](Value value) {
      return !isa<MemRefType>(value.getType()) ||
             value.getDefiningOp<LocalOp>() ||
             llvm::none_of(value.getUsers(), [&](Operation *user) {
               return !loop->isAncestor(user) && !(reads(op) && reads(user));
             });
    }));
  });
  return result.wasInterrupted();
}

LastBlockOp BlockSplitter::createLastBlock() {
  int64_t offset =
      llvm::alignTo(getBytes(func, kWorkspaceBytes), kAbiAlignment);
  int64_t zeroed = getBytes(func, kZeroedBytes);
  Value tickets =
      addWorkspace(getOuterShape(), builder.getI32Type(), "tickets", offset);
  func->setAttr(kZeroedBytes,
                builder.getI64IntegerAttr(
                    zeroed + getBytes(func, kWorkspaceBytes) - offset));
  auto last =
      LastBlockOp::create(builder, loc, blocks, tickets, getOuterIndices());
  builder.createBlock(&last.getBody());
  YieldOp::create(builder, loc);
  return last;
}

void BlockSplitter::combineInLast() {
  // The others do not need what the result begins with.
  SmallVector<Operation *> starts;
  llvm::copy_if(before, std::back_inserter(starts),
                [&](Operation *op) { return begins(op); });
  Operation *first = &body->front();
  SmallVector<Shared> all;
  for (Value array : SmallVector<Value>(loop.getCarried()))
    all.push_back(share(array, first));
  enterLoop();
  builder.setInsertionPoint(body->getTerminator());
  for (const Shared &shared : all)
    storePart(shared);
  if (waitsForOthers(all))
    BarrierOp::create(builder, loc, Scope::block);
  LastBlockOp last = createLastBlock();
  Operation *end = last.getBody().front().getTerminator();
  for (Operation *op : starts)
    op->moveBefore(end);
  builder.setInsertionPoint(end);
  for (const Shared &shared : all)
    combineParts(shared);
  for (Operation *op : after)
    op->moveBefore(end);
}

LogicalResult BlockSplitter::addToOutput(Value array) {
  auto refuse = [&](Operation *op, StringRef reason) {
    InFlightDiagnostic error = loop.emitOpError()
                               << "is atomic, but a sum of it cannot be added "
                                  "to an output: "
                               << reason;
    error.attachNote(op->getLoc()) << "here";
    return error;
  };
  StoreOp result;
  for (Operation *user : array.getUsers()) {
    if (loop->isAncestor(user))
      continue;
    auto begin = dyn_cast<StoreOp>(user);
    if (begin && matchPattern(begin.getValue(), m_PosZeroFloat()))
      continue;
    auto held = dyn_cast<LoadOp>(user);
    if (!held)
      return refuse(user, "it begins with something else than zero");
    auto stored =
        held->hasOneUse() ? dyn_cast<StoreOp>(*held->user_begin()) : StoreOp();
    if (result || !stored ||
        !llvm::is_contained(func.getOutputs(), stored.getMemref()))
      return refuse(user, "it is not only stored to one");
    result = stored;
  }
  if (!result)
    return refuse(loop, "nothing after it stores it");
  builder.setInsertionPoint(result);
  AtomicOp::create(builder, result.getLoc(), Combiner::Add, result.getValue(),
                   result.getMemref(), result.getMap(), result.getIndices());
  func.setArgAttr(cast<BlockArgument>(result.getMemref()).getArgNumber(),
                  kZeroedAttr, builder.getUnitAttr());
  result.erase();
  return success();
}

LogicalResult BlockSplitter::addToOutputs() {
  for (Value array : SmallVector<Value>(loop.getCarried())) {
    if (loop.getCarry(array) != Carry::Add)
      return loop.emitOpError(
          "is atomic, and carries something else than sums");
    if (failed(addToOutput(array)))
      return failure();
    loop.dropCarry(array);
  }
  enterLoop();
  for (Operation *op : after)
    op->moveBefore(body->getTerminator());
  loop.setAtomic(false);
  return success();
}

void BlockSplitter::leaveColumns() {
  if (columns.empty())
    return;
  ForOp first = columns.front(), last = columns.back();
  Block &inner = last.getBody().front();
  loop->moveBefore(first);
  inner.getOperations().splice(inner.getTerminator()->getIterator(),
                               body->getOperations(), body->begin(),
                               body->getTerminator()->getIterator());
  first->moveBefore(body->getTerminator());
}

FailureOr<unsigned> combineBlocks(ForOp loop) {
  unsigned count = loop.getCarried().size();
  if (count == 0)
    return count;
  BlockSplitter splitter(loop);
  if (loop.getAtomic()) {
    if (failed(splitter.addToOutputs()))
      return failure();
  } else {
    splitter.combineInLast();
  }
  splitter.leaveColumns();
  return count;
}

} // namespace fusec::kernel
