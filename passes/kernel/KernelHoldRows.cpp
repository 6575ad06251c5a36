// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --kernel-hold-rows: see passes/kernel/Passes.td.
#include "dialects/TargetInfo.h"
#include "dialects/TypeInfo.h"
#include "passes/kernel/Passes.h"
#include "passes/kernel/RowLoops.h"

#include "llvm/ADT/MapVector.h"

namespace fusec::kernel {
#define GEN_PASS_DEF_KERNELHOLDROWS
#include "passes/kernel/Passes.h.inc"
} // namespace fusec::kernel

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

namespace {

struct KernelHoldRows
    : fusec::kernel::impl::KernelHoldRowsBase<KernelHoldRows> {
  using Base::Base;
  void runOnOperation() override;
};

/// Gets an array and why it stays in memory.
using TellWhy = llvm::function_ref<void(Value, const Twine &)>;

/// The loops over rows that stand in one block of a kernel.
class RowHolder {
public:
  RowHolder(Block *block, ArrayRef<RowLoop> loops, int64_t registers,
            TellWhy tell)
      : block(block), loops(loops), registers(registers), tell(tell) {}

  /// Returns how many rows are held.
  unsigned run();

private:
  /// Accesses to one row, in the order of the kernel.
  using Row = SmallVector<RowAccess>;

  void addLocal(Value local, const Row &accesses);
  void addOperand(Value operand, const Row &accesses);
  void addRow(const Row &row);
  Value createRegisters(const Row &row);
  void hold(const Row &row, ArrayRef<Value> turns);

  Block *block;
  ArrayRef<RowLoop> loops;
  /// How many of a thread are left.
  int64_t registers;
  TellWhy tell;
  SmallVector<Row> rows;
};

} // namespace

/// Takes registers for `row`, if there are enough, and if the first access is
/// to each element that the others access.
void RowHolder::addRow(const Row &row) {
  const RowAccess &first = row.front();
  const RowLoop &loop = *first.loop;
  const Value memref = first.getMemref();
  const bool isFirst = loop.runsForAll(first.op) &&
                       llvm::all_of(row, [&](const RowAccess &other) {
                         return other.loop->groups <= loop.groups;
                       });
  if (!isFirst)
    return tell(memref, "the first access leaves out what others need");
  auto type = cast<MemRefType>(memref.getType());
  const int64_t bytes =
      getTypeInfo(getComputeType(type.getElementType()))->storageBytes();
  const int64_t taken =
      loop.countTurns() * loop.width * llvm::divideCeil(bytes, 4);
  if (taken > registers)
    return tell(memref, "it would take " + Twine(taken) +
                            " registers of a thread, of which " +
                            Twine(registers) + " are left");
  registers -= taken;
  rows.push_back(row);
}

/// An array of a team, each of whose elements is one thread's.
void RowHolder::addLocal(Value local, const Row &accesses) {
  const RowAccess &first = accesses.front();
  const bool isOfThreads =
      int64_t(accesses.size()) ==
          std::distance(local.use_begin(), local.use_end()) &&
      first.isOfOneTeam() &&
      llvm::all_of(accesses, [&](const RowAccess &other) {
        return first.isOfSameRow(other);
      });
  if (!isOfThreads)
    return tell(local, "not each of its elements is one thread's");
  if (!isa<StoreOp>(first.op))
    return tell(local, "it is read before it is written");
  addRow(accesses);
}

/// What several loops read of an array that the kernel only reads.
void RowHolder::addOperand(Value operand, const Row &accesses) {
  if (!llvm::all_of(operand.getUsers(), llvm::IsaPred<LoadOp, GatherOp>))
    return;
  SmallVector<Row> apart;
  for (const RowAccess &access : accesses) {
    auto *same = llvm::find_if(
        apart, [&](const Row &row) { return row.front().isOfSameRow(access); });
    if (same == apart.end())
      apart.push_back({access});
    else
      same->push_back(access);
  }
  for (const Row &row : apart)
    if (row.front().loop != row.back().loop)
      addRow(row);
}

/// A thread's registers for what it has of `row`.
Value RowHolder::createRegisters(const Row &row) {
  const RowLoop &loop = *row.front().loop;
  const Value memref = row.front().getMemref();
  auto type = cast<MemRefType>(memref.getType());
  MLIRContext *context = block->getParentOp()->getContext();
  SmallVector<int64_t> shape;
  if (loop.countTurns() > 1)
    shape.push_back(loop.countTurns());
  if (loop.width > 1)
    shape.push_back(loop.width);
  Location loc = memref.getLoc();
  Type element = type.getElementType();
  if (isa<BlockArgument>(memref)) {
    element = getComputeType(element);
    if (StringRef name = getNameOf(loc); !name.empty())
      loc = NameLoc::get(StringAttr::get(context, name + "_held"));
  }
  OpBuilder builder = OpBuilder::atBlockBegin(block);
  return LocalOp::create(
      builder, loc,
      MemRefType::get(shape, element, AffineMap(),
                      SpaceAttr::get(context, Space::thread)));
}

/// Registers take the place of memory. What the first access loads from there
/// is stored to them.
void RowHolder::hold(const Row &row, ArrayRef<Value> turns) {
  const Value held = createRegisters(row);
  for (const RowAccess &access : row) {
    OpBuilder builder(access.op);
    Location loc = access.op->getLoc();
    // The turn, if the thread has several, and the element of the group.
    SmallVector<Value> indices;
    if (row.front().loop->countTurns() > 1) {
      Value turn = turns[access.loop - loops.begin()];
      indices.push_back(turn ? turn
                             : arith::ConstantIndexOp::create(builder, loc, 0));
    }
    if (ForOp each = access.loop->each)
      indices.push_back(each.getIndex());
    AffineMap map = builder.getMultiDimIdentityMap(indices.size());
    if (auto store = dyn_cast<StoreOp>(access.op)) {
      StoreOp::create(builder, loc, store.getValue(), held, map, indices);
      store.erase();
      continue;
    }
    auto load = cast<LoadOp>(access.op);
    if (access.op == row.front().op) {
      builder.setInsertionPointAfter(load);
      StoreOp::create(builder, loc, load, held, map, indices);
      continue;
    }
    load.replaceAllUsesWith(
        LoadOp::create(builder, loc, load.getType(), held, map, indices)
            .getResult());
    load.erase();
  }
}

unsigned RowHolder::run() {
  llvm::MapVector<Value, Row> accesses;
  for (const RowLoop &each : loops)
    ForOp(each.loop)->walk([&](Operation *op) {
      if (isa<LoadOp, StoreOp>(op))
        if (std::optional<RowAccess> access = matchRowAccess(op, each))
          accesses[access->getMemref()].push_back(*access);
    });
  // Shared memory first: it is the scarcer, and takes two accesses.
  for (const auto &[memref, row] : accesses)
    if (isShared(memref.getType()))
      addLocal(memref, row);
  for (const auto &[memref, row] : accesses)
    if (isa<BlockArgument>(memref))
      addOperand(memref, row);
  SmallVector<Value> turns;
  for (const RowLoop &each : loops)
    turns.push_back(takeTurns(each));
  for (const Row &row : rows) {
    auto local = row.front().getMemref().getDefiningOp<LocalOp>();
    hold(row, turns);
    if (local)
      local.erase();
  }
  return rows.size();
}

void KernelHoldRows::runOnOperation() {
  FuncOp func = getOperation();
  const TargetInfo &target = getTargetInfo(func);
  if (!target.hasBlocks())
    return;
  // Of half the most threads, each has so many.
  const Multiprocessor &mp = *target.multiprocessor;
  const int64_t registers = mp.registers / (mp.threads / 2);
  auto tell = [&](Value memref, const Twine &reason) {
    if (remarks)
      func.emitRemark() << "no thread holds its part of "
                        << getNameOf(memref.getLoc()) << ": " << reason;
  };
  llvm::MapVector<Block *, SmallVector<RowLoop>> rows;
  llvm::SmallPtrSet<Block *, 4> ofTeams;
  func.walk<WalkOrder::PreOrder>([&](ForOp loop) {
    if (loop.getMapping() != Mapping::thread)
      return WalkResult::advance();
    std::optional<RowLoop> row = matchRowLoop(loop);
    const int64_t own = row ? row->countTurns() * row->width : 0;
    if (own > registers && remarks)
      loop.emitRemark() << "stays a loop: a thread has " << own
                        << " elements of its row, and registers for "
                        << registers;
    else if (row && own <= registers)
      rows[loop->getBlock()].push_back(*row);
    if (!loop.getCarried().empty())
      ofTeams.insert(loop->getBlock());
    return WalkResult::skip();
  });
  for (const auto &[block, loops] : rows)
    if (ofTeams.contains(block))
      numRows += RowHolder(block, loops, registers, tell).run();
}
