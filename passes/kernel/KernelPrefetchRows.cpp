// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --kernel-prefetch-rows: see passes/kernel/Passes.td.
#include "dialects/TargetInfo.h"
#include "passes/kernel/AffineForms.h"
#include "passes/kernel/Passes.h"
#include "passes/kernel/PrefetchTiles.h"

namespace fusec::kernel {
#define GEN_PASS_DEF_KERNELPREFETCHROWS
#include "passes/kernel/Passes.h.inc"
} // namespace fusec::kernel

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

namespace {

/// Cache lines of a row from which its prefetches hide something.
constexpr int64_t kMinLines = 8;

struct KernelPrefetchRows
    : fusec::kernel::impl::KernelPrefetchRowsBase<KernelPrefetchRows> {
  void runOnOperation() override {
    getOperation().walk([&](ForOp loop) {
      if (loop.getMapping() == Mapping::parallel && loop.getStep() == 1)
        prefetch(loop);
    });
    numPrefetched += prefetchTiles(getOperation());
  }

  void prefetch(ForOp rows);
};

} // namespace

/// Whether 16 lanes of a whole vector go from or to an argument of the kernel.
template <class Access> static bool isStreamed(Access access) {
  return access.isVector() && access.getStride() == 1 && !access.getMask() &&
         isa<FuncOp>(access.getMemref().getParentBlock()->getParentOp());
}

static int64_t getBytes(MemRefType type, int64_t elements) {
  const TypeInfo *info = getTypeInfo(type.getElementType());
  return info ? elements * info->storageBytes() : 0;
}

/// Whether the array is large, and its rows have a length that is worth it:
/// arrays up to the size of a second-level cache are in it anyway, and a row
/// has to stay in the first-level one until it is used.
static bool isWorthwhile(Operation *access, MemRefType type) {
  const TargetInfo &target = getTargetInfo(access);
  if (type.getRank() == 0 ||
      getBytes(type, type.getNumElements()) <= target.secondCache)
    return false;
  int64_t least = kMinLines * target.cacheLine, most = target.getBlockBytes();
  int64_t row = getBytes(type, type.getShape().back());
  if (row >= least && row <= most)
    return true;
  access->emitRemark("not prefetched: its rows have ")
      << row << " bytes, outside of " << least << " to " << most;
  return false;
}

static bool isTranscendental(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) &&
         !isa<math::FmaOp, math::AbsFOp, math::AbsIOp, math::SqrtOp,
              math::FloorOp, math::CeilOp, math::RoundEvenOp>(op);
}

/// The first loop of the body that computes more than it loads.
static ForOp findComputation(Block &body) {
  for (auto pass : body.getOps<ForOp>()) {
    WalkResult found = pass.walk([](Operation *op) {
      return isTranscendental(op) ? WalkResult::interrupt()
                                  : WalkResult::advance();
    });
    if (found.wasInterrupted())
      return pass;
  }
  return {};
}

/// The subscripts of the row, which the loops inside of `rows` run along, if
/// only the last subscript is theirs.
template <class Access>
static std::optional<AffineForm> getRow(Access access, ForOp rows) {
  if (access.getMap().getNumResults() == 0)
    return std::nullopt;
  AffineForm row(access.getMap(), access.getIndices());
  row.exprs.pop_back();
  row.compose();
  for (Value operand : row.operands)
    if (operand != rows.getIndex() &&
        rows.getBody().isAncestor(operand.getParentRegion()))
      return std::nullopt;
  AffineForm column(access.getMap(), access.getIndices());
  column.exprs = {column.exprs.back()};
  column.compose();
  for (Value operand : column.operands)
    if (operand == rows.getIndex() ||
        !rows.getBody().isAncestor(operand.getParentRegion()))
      return std::nullopt;
  return row;
}

static bool areEqual(const AffineForm &a, const AffineForm &b) {
  return a.exprs == b.exprs && a.operands == b.operands;
}

/// Whether an operation of the body before `end` touches the array.
static bool isTouchedBefore(Value memref, Block &body, Operation *end) {
  return llvm::any_of(memref.getUsers(), [&](Operation *user) {
    Operation *ancestor = body.findAncestorOpInBlock(*user);
    return ancestor && ancestor->isBeforeInBlock(end);
  });
}

void KernelPrefetchRows::prefetch(ForOp rows) {
  Block &body = rows.getBody().front();
  ForOp pass = findComputation(body);
  std::optional<int64_t> end = rows.getConstantUpper();
  auto loops = body.getOps<ForOp>();
  if (!pass || !end || llvm::hasSingleElement(loops))
    return;

  // A load of each array's row, beside which the row can be prefetched.
  SmallVector<std::pair<LoadOp, AffineForm>> loads;
  llvm::SmallPtrSet<Value, 4> arrays;
  pass.walk([&](LoadOp load) {
    if (!isStreamed(load) || !isWorthwhile(load, load.getMemRefType()))
      return;
    std::optional<AffineForm> row = getRow(load, rows);
    if (row && llvm::is_contained(row->operands, rows.getIndex()) &&
        arrays.insert(load.getMemref()).second)
      loads.push_back({load, *row});
  });
  if (loads.empty())
    return;

  OpBuilder builder(pass);
  AffineExpr index = builder.getAffineDimExpr(0);
  auto next = MinOp::create(
      builder, NameLoc::get(builder.getStringAttr("next"), rows.getLoc()),
      builder.getIndexType(),
      AffineMap::get(1, 0, {index + 1, builder.getAffineConstantExpr(*end - 1)},
                     builder.getContext()),
      ValueRange(rows.getIndex()));
  for (auto &[load, row] : loads) {
    IRMapping advance;
    advance.map(rows.getIndex(), next.getResult());
    AffineForm place(load.getMap(), load.getIndices());
    place.compose();
    place.remap(advance);
    builder.setInsertionPoint(load);
    PrefetchOp::create(builder, load.getLoc(), load.getMemref(),
                       place.getMap(builder.getContext()), place.operands,
                       /*write=*/false);
    ++numPrefetched;
  }
  // Rows of outputs, each beside the first load that has its shape.
  for (Operation *later = pass->getNextNode(); later;
       later = later->getNextNode())
    later->walk([&](StoreOp store) {
      Value array = store.getMemref();
      MemRefType type = store.getMemRefType();
      std::optional<AffineForm> row;
      if (!isStreamed(store) || arrays.contains(array) ||
          isTouchedBefore(array, body, later) || !isWorthwhile(store, type) ||
          !(row = getRow(store, rows)))
        return;
      for (auto &[load, loaded] : loads) {
        if (load.getMemRefType().getShape() != type.getShape() ||
            !areEqual(*row, loaded))
          continue;
        builder.setInsertionPoint(load);
        PrefetchOp::create(builder, store.getLoc(), array, load.getMap(),
                           load.getIndices(), /*write=*/true);
        arrays.insert(array);
        ++numPrefetched;
        return;
      }
    });
}
