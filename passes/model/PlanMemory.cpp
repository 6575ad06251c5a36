// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Live ranges of buffers, and their places in one arena.
#include "dialects/Abi.h"
#include "dialects/TargetInfo.h"
#include "passes/model/Launches.h"
#include "passes/model/Passes.h"
#include "passes/model/StepOrder.h"

namespace fusec::model {
#define GEN_PASS_DEF_PLANMEMORY
#include "passes/model/Passes.h.inc"
} // namespace fusec::model

using namespace mlir;
using namespace fusec;

namespace {
struct Placement {
  kernel::BufferOp buffer;
  int64_t size; // bytes, a multiple of kAbiAlignment
  /// Numbers of the first and last operation that use it.
  int64_t first, last;
  /// The buffer's number in program order.
  unsigned number;
  /// Only some alternatives of a choice have it.
  bool isOptional;
  bool isOnHost; ///< in an arena of its own
  /// Of a GPU's program, what uses it in the function's own block; empty where
  /// the buffer is defined in another block.
  SmallVector<Operation *> users;
  int64_t offset = 0;

  int64_t end() const { return offset + size; }
  /// Whether both are needed at one time; `order` is null where one step runs
  /// after the other.
  bool isAliveWith(const Placement &other,
                   const model::StepOrder *order) const {
    if (isOnHost != other.isOnHost)
      return false;
    if (first <= other.last && other.first <= last)
      return true;
    return order && !users.empty() && !other.users.empty() &&
           !(last < other.first ? isBefore(other, *order)
                                : other.isBefore(*this, *order));
  }
  bool overlaps(const Placement &other) const {
    return offset < other.end() && other.offset < end();
  }

private:
  bool isBefore(const Placement &other, const model::StepOrder &order) const {
    return llvm::all_of(users, [&](Operation *own) {
      return llvm::all_of(
          other.users, [&](Operation *of) { return order.isBefore(own, of); });
    });
  }
};

struct PlanMemory : fusec::model::impl::PlanMemoryBase<PlanMemory> {
  using Base::Base;
  void runOnOperation() override;

private:
  /// Buffers with their live ranges, in program order. Erases unused ones.
  LogicalResult collect(SmallVectorImpl<Placement> &buffers);
  /// Checks those that have an offset and moves them to the front of `placed`.
  LogicalResult keepPlaced(SmallVectorImpl<Placement> &buffers,
                           SmallVectorImpl<Placement> &placed);

  std::optional<model::StepOrder> order; ///< of a GPU's program
};
/// When each operation runs: numbers in program order. What has regions lasts
/// from its own number to that of the last operation inside.
class Timeline {
public:
  explicit Timeline(func::FuncOp func) {
    func->walk<WalkOrder::PreOrder>([&](Operation *op) { begin[op] = next++; });
    func->walk([&](Operation *op) { // Operations inside come first.
      int64_t &last = end[op] = begin.lookup(op);
      for (Region &region : op->getRegions())
        for (Operation &inner : region.getOps())
          last = std::max(last, end.lookup(&inner));
    });
  }

  /// Extends [first, last] over all users of `value` and of what is the same
  /// memory under another name, and adds them to `users`. A user inside of
  /// control flow that `value` is defined outside of lasts as long as that: a
  /// loop comes back to it.
  void extend(Value value, Block &block, int64_t &first, int64_t &last,
              SmallVectorImpl<Operation *> &users) const {
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      Operation *ancestor = block.findAncestorOpInBlock(*user);
      if (auto view = dyn_cast<kernel::ViewOp>(user)) {
        extend(view.getResult(), block, first, last, users);
        continue;
      }
      users.push_back(ancestor);
      first = std::min(first, begin.lookup(ancestor));
      last = std::max(last, end.lookup(ancestor));
      auto repeat = dyn_cast<kernel::RepeatOp>(user);
      unsigned swaps = repeat && repeat.getNumResults()
                           ? repeat.getSwaps().getBeginOperandIndex()
                           : ~0u;
      if (use.getOperandNumber() >= swaps)
        extend(repeat.getResult((use.getOperandNumber() - swaps) / 2), block,
               first, last, users);
    }
  }

private:
  int64_t next = 0;
  llvm::DenseMap<Operation *, int64_t> begin, end;
};
} // namespace

LogicalResult PlanMemory::collect(SmallVectorImpl<Placement> &buffers) {
  Timeline timeline(getOperation());
  SmallVector<kernel::BufferOp> all;
  getOperation().walk([&](kernel::BufferOp buffer) { all.push_back(buffer); });
  for (kernel::BufferOp buffer : all) {
    std::optional<int64_t> bytes = model::getArenaBytes(buffer);
    if (!bytes)
      return buffer.emitOpError() << "of type " << buffer.getType()
                                  << " has no known size; it needs a static "
                                     "shape and a supported element type";
    int64_t first = std::numeric_limits<int64_t>::max(), last = -1;
    SmallVector<Operation *> users;
    timeline.extend(buffer, *buffer->getBlock(), first, last, users);
    if (!order || buffer->getParentOp() != getOperation())
      users.clear();
    if (last < 0) { // Views of it may be left; nothing reads them.
      if (remarks)
        buffer.emitRemark("is not placed: nothing uses it");
      SmallVector<Operation *> dead = {buffer};
      for (unsigned i = 0; i < dead.size(); ++i)
        llvm::append_range(dead, dead[i]->getUsers());
      for (Operation *op : llvm::reverse(dead))
        op->erase();
      continue;
    }
    buffers.push_back({buffer, *bytes, first, last,
                       static_cast<unsigned>(buffers.size()),
                       buffer->getParentOfType<kernel::ChoiceOp>() != nullptr,
                       kernel::isOnHost(buffer.getType()), std::move(users)});
  }
  return success();
}

LogicalResult PlanMemory::keepPlaced(SmallVectorImpl<Placement> &buffers,
                                     SmallVectorImpl<Placement> &placed) {
  for (Placement &buffer : buffers) {
    if (!buffer.buffer.getOffset())
      continue;
    buffer.offset = *buffer.buffer.getOffset();
    if (buffer.offset % kAbiAlignment != 0)
      return buffer.buffer.emitOpError()
             << "has offset " << buffer.offset << ", no multiple of "
             << kAbiAlignment;
    for (Placement &other : placed)
      if (buffer.isAliveWith(other, nullptr) && buffer.overlaps(other)) {
        InFlightDiagnostic diagnostic =
            buffer.buffer.emitOpError()
            << "overlaps another buffer that is alive "
               "at the same time";
        diagnostic.attachNote(other.buffer.getLoc()) << "the other one is here";
        return diagnostic;
      }
    if (remarks)
      buffer.buffer.emitRemark() << "keeps its offset " << buffer.offset;
    placed.push_back(buffer);
  }
  llvm::erase_if(buffers, [](Placement &buffer) {
    return buffer.buffer.getOffset().has_value();
  });
  return success();
}

/// The start of the smallest gap that holds `buffer` between those that are
/// alive with it, or the end of the last of them.
static int64_t findOffset(const Placement &buffer, ArrayRef<Placement> placed,
                          const model::StepOrder *order) {
  SmallVector<std::pair<int64_t, int64_t>> taken;
  for (const Placement &other : placed)
    if (buffer.isAliveWith(other, order))
      taken.emplace_back(other.offset, other.end());
  llvm::sort(taken);
  int64_t best = -1, bestGap = 0, end = 0;
  for (auto [from, to] : taken) {
    int64_t gap = from - end;
    if (gap >= buffer.size && (best < 0 || gap < bestGap)) {
      best = end;
      bestGap = gap;
    }
    end = std::max(end, to);
  }
  return best < 0 ? end : best;
}

void PlanMemory::runOnOperation() {
  func::FuncOp func = getOperation();
  if (func.isExternal() || !func->hasAttr("fuse.outputs"))
    return;
  if (getTargetInfo(func).hasBlocks())
    order.emplace(func);
  SmallVector<Placement> buffers, placed;
  if (failed(collect(buffers)) || failed(keepPlaced(buffers, placed)))
    return signalPassFailure();
  llvm::sort(buffers, [](const Placement &a, const Placement &b) {
    return std::tuple(a.isOptional, -a.size, a.number) <
           std::tuple(b.isOptional, -b.size, b.number);
  });
  Builder builder(func);
  for (Placement &buffer : buffers) {
    buffer.offset = findOffset(buffer, placed, order ? &*order : nullptr);
    buffer.buffer.setOffset(buffer.offset);
    placed.push_back(buffer);
    ++numBuffers;
  }
  int64_t total = 0, arena = 0, hostArena = 0;
  for (const Placement &buffer : placed) {
    total += buffer.size;
    int64_t &end = buffer.isOnHost ? hostArena : arena;
    end = std::max(end, buffer.end());
  }
  numBytesSaved += total - std::min(total, arena + hostArena);
  func->setAttr("kernel.arena_bytes", builder.getI64IntegerAttr(arena));
  if (hostArena)
    func->setAttr("kernel.host_arena_bytes",
                  builder.getI64IntegerAttr(hostArena));
}
