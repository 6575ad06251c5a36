// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the threads of a GPU do together, and what its kernels may hold.
#include "dialects/Abi.h"
#include "dialects/TargetInfo.h"
#include "dialects/kernel/KernelSyntax.h"
#include "dialects/library/Declared.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

/// The innermost loop around `op` that is mapped so; null if there is none.
static ForOp findAround(Operation *op, Mapping mapping) {
  for (auto loop = op->getParentOfType<ForOp>(); loop;
       loop = loop->getParentOfType<ForOp>())
    if (loop.getMapping() == mapping)
      return loop;
  return {};
}

/// Trips of the loops from `outer` inwards that are mapped as it is.
static double countTrips(ForOp outer) {
  double trips = 1;
  outer->walk([&](ForOp loop) {
    if (loop.getMapping() == outer.getMapping())
      trips *= double(loop.getConstantTripCount().value_or(1));
  });
  return trips;
}

int64_t kernel::countColumns(Operation *op) {
  int64_t columns = 1;
  for (auto loop = op->getParentOfType<ForOp>(); loop;
       loop = loop->getParentOfType<ForOp>())
    if (loop.getMapping() == Mapping::column)
      columns *= loop.getConstantTripCount().value_or(1);
  return columns;
}

/// Whether `index` is that of a loop of columns, or made of one.
static bool isOfColumn(Value index) {
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto loop = dyn_cast<ForOp>(argument.getOwner()->getParentOp());
    return loop && loop.getMapping() == Mapping::column;
  }
  Operation *op = index.getDefiningOp();
  return op && llvm::any_of(op->getOperands(), isOfColumn);
}

LogicalResult syntax::verifyAllCome(Operation *op, Scope scope) {
  for (Mapping apart : {Mapping::thread, Mapping::warp}) {
    if (apart == Mapping::warp && scope == Scope::warp)
      continue;
    ForOp loop = findAround(op, apart);
    if (!loop)
      continue;
    InFlightDiagnostic error = op->emitOpError()
                               << "is of a " << stringifyScope(scope)
                               << ", of which not all threads come to it";
    error.attachNote(loop.getLoc()) << "in this loop, which is mapped to "
                                    << stringifyMapping(apart) << "s";
    return error;
  }
  for (auto branch = op->getParentOfType<IfOp>(); branch;
       branch = branch->getParentOfType<IfOp>())
    if (llvm::any_of(branch.getOperands(), isOfColumn)) {
      InFlightDiagnostic error =
          op->emitOpError()
          << "is of a " << stringifyScope(scope)
          << ", of which not the threads of all columns come to it";
      error.attachNote(branch.getLoc()) << "because of this condition";
      return error;
    }
  return success();
}

LogicalResult BarrierOp::verify() {
  if (failed(syntax::verifyHasBlocks(*this, "waits for other threads")))
    return failure();
  return syntax::verifyAllCome(*this, getScope());
}

Scope CombineOp::getScope() {
  return findAround(*this, Mapping::warp) ? Scope::warp : Scope::block;
}

void CombineOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  syntax::printResultName(*this, setName);
}

LogicalResult CombineOp::verify() {
  if (failed(syntax::verifyHasBlocks(*this, "combines values of threads")) ||
      failed(syntax::verifyAllCome(*this, getScope())))
    return failure();
  return syntax::verifyCombiner(*this, getCombiner(), getValue().getType());
}

/// Tickets are among what launches leave at zero, and that is where callers
/// expect it.
static LogicalResult verifyIsZeroed(LastBlockOp op, WorkspaceOp tickets) {
  auto func = op->getParentOfType<FuncOp>();
  auto getBytes = [&](StringRef name) {
    auto bytes = func->getAttrOfType<IntegerAttr>(name);
    return bytes ? bytes.getInt() : 0;
  };
  int64_t begin = getBytes("workspace_bytes") - getBytes("zeroed_bytes");
  if (begin % kAbiAlignment == 0 && tickets.getOffset() >= begin)
    return success();
  return op.emitOpError() << "has tickets at " << tickets.getOffset()
                          << ", where the bytes that are zero begin at "
                          << begin << "; they begin at a multiple of "
                          << kAbiAlignment << ", and tickets lie among them";
}

LogicalResult LastBlockOp::verify() {
  if (failed(syntax::verifyHasBlocks(*this, "waits for other blocks")) ||
      failed(syntax::verifyAllCome(*this, Scope::block)))
    return failure();
  auto type = cast<MemRefType>(getTickets().getType());
  if (!getTickets().getDefiningOp<WorkspaceOp>() ||
      !type.getElementType().isInteger(32) ||
      type.getRank() != int64_t(getIndices().size()))
    return emitOpError() << "has a ticket of " << type
                         << ", expected an element of a workspace of i32";
  return verifyIsZeroed(*this, getTickets().getDefiningOp<WorkspaceOp>());
}

//===----------------------------------------------------------------------===//
// Kernels of a GPU
//===----------------------------------------------------------------------===//

static bool holdsOnly(ForOp outer, ForOp inner) {
  return inner->getParentOp() == outer &&
         llvm::hasSingleElement(outer.getBody().front().without_terminator());
}

static LogicalResult verifyLoop(ForOp loop, const TargetInfo &target) {
  Mapping mapping = loop.getMapping();
  if (mapping == Mapping::parallel || mapping == Mapping::vector)
    return loop.emitOpError()
           << "is mapped to '" << stringifyMapping(mapping)
           << "', which target " << target.name
           << ", a GPU, does not have; its loops are mapped to blocks, "
              "warps, columns and threads";
  if (mapping == Mapping::sequential || mapping == Mapping::unroll)
    return success();
  bool isNested = false;
  for (Mapping other :
       {Mapping::block, Mapping::warp, Mapping::column, Mapping::thread}) {
    ForOp around = findAround(loop, other);
    // A block has warps or columns.
    if (!around || (other < mapping &&
                    !(other == Mapping::warp && mapping == Mapping::column)))
      continue;
    // Of blocks that share a reduction, each runs what stands around them.
    bool isSplit = mapping == Mapping::block && !loop.getCarried().empty();
    bool mayHold = other == mapping || (isSplit && other == Mapping::column);
    bool isNest = mayHold && (isSplit || holdsOnly(around, loop)) &&
                  around.getConstantTripCount();
    isNested |= isNest;
    if (!isNest) {
      InFlightDiagnostic error = loop.emitOpError()
                                 << "is mapped to " << stringifyMapping(mapping)
                                 << "s, inside of a loop of "
                                 << stringifyMapping(other) << "s";
      error.attachNote(around.getLoc())
          << "this one; loops of one mapping are a nest of constant bounds "
             "with nothing between them";
      return error;
    }
  }
  bool needsConstant = mapping != Mapping::thread || isNested;
  if (needsConstant && !loop.getConstantTripCount())
    return loop.emitOpError() << "is mapped to " << stringifyMapping(mapping)
                              << "s and has bounds that are no constants";
  if (mapping == Mapping::block && !isNested &&
      !isa<FuncOp>(loop->getParentOp()))
    return loop.emitOpError("is mapped to blocks inside of something else: "
                            "blocks are the outermost loops of a kernel");
  return success();
}

/// Whether each thread has one iteration of the nest of columns `outer`, and a
/// column several threads.
static LogicalResult verifyColumns(ForOp outer, int64_t threads) {
  auto columns = int64_t(countTrips(outer));
  if (!llvm::isPowerOf2_64(columns) || columns == 1 ||
      threads % (2 * columns) != 0)
    return outer.emitOpError()
           << "is mapped to " << columns << " columns, of which a block of "
           << threads << " threads has no two for each; they are 2 or more, "
           << "a power of two";
  WalkResult result = outer->walk([&](ForOp loop) {
    bool isPlain = loop.getConstantLower() == 0 && loop.getStep() == 1;
    return loop.getMapping() == Mapping::column && !isPlain
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted()
             ? outer.emitOpError("is mapped to columns, which are counted from "
                                 "0 in steps of 1")
             : success();
}

/// Where the array of `type` ends that begins at `offset` or at the next
/// multiple of 16.
static int64_t getEnd(int64_t offset, MemRefType type) {
  return llvm::alignTo(offset, 16) +
         type.getNumElements() *
             llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

int64_t kernel::countRequestedBytes(FuncOp func) {
  const TargetInfo &target = getTargetInfo(func);
  if (!target.hasBlocks())
    return 0;
  const Multiprocessor &mp = *target.multiprocessor;
  int64_t bytes = 0;
  func.walk([&](LocalOp local) {
    if (isShared(local.getType()))
      bytes = getEnd(bytes, cast<MemRefType>(local.getType()));
  });
  return bytes > mp.staticSharedBytes - mp.functionSharedBytes
             ? int64_t(llvm::alignTo(bytes, 16))
             : 0;
}

static LogicalResult verifyLocal(LocalOp local, int64_t &sharedBytes) {
  auto type = cast<MemRefType>(local.getType());
  auto space = dyn_cast_if_present<SpaceAttr>(type.getMemorySpace());
  if (!space || space.getValue() == Space::global)
    return local.emitOpError("is of a kernel of a GPU, and says neither "
                             "#kernel.space<shared> nor <thread>");
  if (space.getValue() == Space::thread)
    return success();
  if (Operation *loop = findAround(local, Mapping::thread))
    return local
               .emitOpError("is shared by the threads of a block, and stands "
                            "in a loop of them")
               .attachNote(loop->getLoc())
           << "this one";
  sharedBytes = getEnd(sharedBytes, type);
  return success();
}

static bool isIn(Type type, Space expected) {
  auto space =
      dyn_cast_if_present<SpaceAttr>(cast<MemRefType>(type).getMemorySpace());
  return space && space.getValue() == expected;
}

bool kernel::isOfThread(Type type) { return isIn(type, Space::thread); }

bool kernel::isShared(Type type) { return isIn(type, Space::shared); }

static LogicalResult verifyOneWrites(Operation *op, Value memref) {
  if (isOfThread(memref.getType()) || findAround(op, Mapping::thread))
    return success();
  return op->emitOpError("is done by each thread, as no loop around is mapped "
                         "to threads; one of a single iteration leaves it to "
                         "one thread");
}

/// A function of a user's has blocks as the operator has said.
static LogicalResult verifyCall(CallOp call, const Multiprocessor &mp) {
  auto grid = library::getBlockGrid(call.getParameters());
  if (!grid)
    return success();
  if (grid->sharedBytes > mp.staticSharedBytes)
    return call.emitOpError()
           << "asks for " << grid->sharedBytes
           << " bytes of shared memory, of which a function has at most "
           << mp.staticSharedBytes << " on " << mp.architecture;
  const int64_t threads = *call->getParentOfType<FuncOp>().getThreads();
  const double blocks = countTrips(cast<ForOp>(call->getParentOp()));
  if (threads == grid->threads && blocks == double(grid->blocks))
    return success();
  return call.emitOpError()
         << "says " << library::kBlockParameter << " = "
         << call.getParameters().get(library::kBlockParameter)
         << ", in a kernel of " << int64_t(blocks) << " blocks of " << threads
         << " threads";
}

static LogicalResult verifyOperation(Operation *op, const TargetInfo &target,
                                     int64_t &sharedBytes) {
  if (isa<PrefetchOp, StoreTransposedOp>(op))
    return op->emitOpError()
           << "has no form on target " << target.name << ", a GPU";
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                SmallVector<Type>(op->getResultTypes())))
    if (isa<VectorType>(type))
      return op->emitOpError()
             << "has a value of type " << type << "; on target " << target.name
             << ", a GPU, threads take the place of lanes";
  if (auto loop = dyn_cast<ForOp>(op))
    return verifyLoop(loop, target);
  if (auto local = dyn_cast<LocalOp>(op))
    return verifyLocal(local, sharedBytes);
  if (auto call = dyn_cast<CallOp>(op))
    return verifyCall(call, *target.multiprocessor);
  if (auto store = dyn_cast<StoreOp>(op))
    return verifyOneWrites(op, store.getMemref());
  if (auto row = dyn_cast<StoreRowOp>(op))
    return verifyOneWrites(op, row.getMemref());
  if (auto atomic = dyn_cast<AtomicOp>(op))
    return verifyOneWrites(op, atomic.getMemref());
  if (auto copy = dyn_cast<CopyAsyncOp>(op))
    return verifyOneWrites(op, copy.getTo());
  return success();
}

LogicalResult FuncOp::verifyRegions() {
  const TargetInfo &target = getTargetInfo(*this);
  if (getNarrowIndices() && !target.platform->narrowsIndices)
    return emitOpError() << "has narrow_indices; under target " << target.name
                         << " indices have 64 bits";
  if (!target.hasBlocks()) {
    if (getThreads())
      return emitOpError() << "says how many threads a block has, which target "
                           << target.name << ", a CPU, does not have";
    return success();
  }
  const Multiprocessor &mp = *target.multiprocessor;
  if (!getThreads())
    return emitOpError("is of a GPU, and does not say how many `threads` a "
                       "block has");
  if (int64_t threads = *getThreads();
      threads < mp.warp || threads % mp.warp != 0 || threads > mp.blockThreads)
    return emitOpError() << "has blocks of " << threads
                         << " threads; a block has whole warps of " << mp.warp
                         << ", up to " << mp.blockThreads << " threads";
  int64_t sharedBytes = 0;
  ForOp blocks, columns;
  WalkResult result = getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (failed(verifyOperation(op, target, sharedBytes)))
      return WalkResult::interrupt();
    auto loop = dyn_cast<ForOp>(op);
    const bool isBlock = loop && loop.getMapping() == Mapping::block;
    if (!loop || (!isBlock && loop.getMapping() != Mapping::column) ||
        findAround(loop, loop.getMapping()))
      return WalkResult::advance();
    ForOp &first = isBlock ? blocks : columns;
    if (first) {
      InFlightDiagnostic error = loop.emitOpError()
                                 << "is a second nest of "
                                 << stringifyMapping(loop.getMapping())
                                 << "s; a kernel has one";
      error.attachNote(first.getLoc()) << "the first";
      return WalkResult::interrupt();
    }
    first = loop;
    if (!isBlock)
      return failed(verifyColumns(loop, *getThreads()))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    if (double count = countTrips(loop); count > double(INT32_MAX)) {
      loop.emitOpError() << "takes " << int64_t(count)
                         << " blocks; a grid has at most " << INT32_MAX;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (sharedBytes > mp.getArrayBytes())
    return emitOpError()
           << "has " << sharedBytes
           << " bytes of arrays in shared memory, of which a kernel may have "
           << mp.getArrayBytes() << " on target " << target.name
           << ": give it smaller or fewer of them, or a config that fits, "
              "which fusec algos lists";
  return success();
}
