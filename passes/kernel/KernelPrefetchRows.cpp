// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --kernel-prefetch-rows: see passes/kernel/Passes.td.
#include "dialects/OperationCost.h"
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

/// Where an access goes along a row: the subscripts of the row, and the last
/// one, which the loops inside of those over rows run along.
struct Place {
  AffineForm row, column;

  AffineForm join() const;
};

struct RowLoad {
  LoadOp load;
  Place place;
};

/// A loop of one row an iteration, and the first loop in it that computes
/// functions.
struct Rows {
  ForOp rows, computing;
};

struct KernelPrefetchRows
    : fusec::kernel::impl::KernelPrefetchRowsBase<KernelPrefetchRows> {
  void runOnOperation() override;

private:
  void prefetch(BlockArgument array);
  std::string prefetchInput(const Rows &loops, BlockArgument array);
  std::string prefetchOutput(const Rows &loops, BlockArgument array);
  Value getNext(const Rows &loops);
  void create(const RowLoad &beside, Value array, const Place &place,
              bool write);

  SmallVector<Rows> all;
  llvm::DenseMap<Operation *, Value> next;
};

} // namespace

AffineForm Place::join() const {
  AffineForm result = row;
  SmallVector<AffineExpr> dims;
  for (Value operand : column.operands)
    dims.push_back(result.getDim(operand));
  result.exprs.push_back(column.exprs.front().replaceDims(dims));
  return result;
}

/// The first loop of the body that computes functions.
static ForOp findComputation(Block &body) {
  for (auto pass : body.getOps<ForOp>()) {
    WalkResult found = pass.walk([](Operation *op) {
      return isFunction(op) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (found.wasInterrupted())
      return pass;
  }
  return {};
}

/// Nothing for an access that does not go along a row of `rows`.
template <class Access>
static std::optional<Place> getPlace(Access access, ForOp rows) {
  if (access.getMask() || access.getMap().getNumResults() == 0)
    return std::nullopt;
  auto isInside = [&](Value operand) {
    return operand != rows.getIndex() &&
           rows.getBody().isAncestor(operand.getParentRegion());
  };
  Place place{AffineForm(access.getMap(), access.getIndices()),
              AffineForm(access.getMap(), access.getIndices())};
  place.row.exprs.pop_back();
  place.row.compose();
  place.column.exprs = {place.column.exprs.back()};
  place.column.compose();
  if (place.column.operands.empty() ||
      !llvm::all_of(place.column.operands, isInside) ||
      llvm::any_of(place.row.operands, isInside) ||
      !llvm::is_contained(place.row.operands, rows.getIndex()))
    return std::nullopt;
  return place;
}

/// The first load of the computing loop that goes along a row of an array for
/// which `isAskedFor`.
static std::optional<RowLoad>
findLoad(const Rows &loops, llvm::function_ref<bool(Value)> isAskedFor) {
  std::optional<RowLoad> found;
  ForOp(loops.computing).walk([&](LoadOp load) {
    if (found || !isAskedFor(load.getMemref()))
      return;
    if (auto place = getPlace(load, loops.rows))
      found = RowLoad{load, *place};
  });
  return found;
}

Value KernelPrefetchRows::getNext(const Rows &loops) {
  Value &result = next[loops.rows];
  if (result)
    return result;
  ForOp rows = loops.rows;
  OpBuilder builder(ForOp(loops.computing).getOperation());
  AffineExpr index = builder.getAffineDimExpr(0);
  AffineExpr last = builder.getAffineConstantExpr(*rows.getConstantUpper() - 1);
  return result = MinOp::create(
             builder,
             NameLoc::get(builder.getStringAttr("next"), rows.getLoc()),
             builder.getIndexType(),
             AffineMap::get(1, 0, {index + 1, last}, builder.getContext()),
             ValueRange(rows.getIndex()));
}

void KernelPrefetchRows::create(const RowLoad &beside, Value array,
                                const Place &place, bool write) {
  LoadOp load = beside.load;
  OpBuilder builder(load);
  AffineForm form = place.join();
  form.compose();
  PrefetchOp::create(builder, load.getLoc(), array,
                     form.getMap(builder.getContext()), form.operands, write);
  ++numPrefetched;
}

/// The next row, beside a load of this one. Otherwise returns why not.
std::string KernelPrefetchRows::prefetchInput(const Rows &loops,
                                              BlockArgument array) {
  auto load = findLoad(loops, [&](Value other) { return other == array; });
  if (!load)
    return "the loop that computes functions does not load it row by row";
  IRMapping advance;
  advance.map(ForOp(loops.rows).getIndex(), getNext(loops));
  Place place = load->place;
  place.row.remap(advance);
  create(*load, array, place, /*write=*/false);
  return "";
}

/// This row, beside the load of one that is as long. Otherwise returns why not.
std::string KernelPrefetchRows::prefetchOutput(const Rows &loops,
                                               BlockArgument array) {
  ForOp computing = loops.computing;
  std::optional<Place> place;
  for (Operation *user : array.getUsers()) {
    Operation *top = computing->getBlock()->findAncestorOpInBlock(*user);
    if (top && !computing->isBeforeInBlock(top))
      return "it is there when the loop that computes functions is done";
    auto store = dyn_cast<StoreOp>(user);
    if (top && store && !place)
      place = getPlace(store, loops.rows);
  }
  if (!place)
    return "no loop after the one that computes functions stores it row by row";
  int64_t elements = cast<MemRefType>(array.getType()).getShape().back();
  auto load = findLoad(loops, [&](Value other) {
    return isa<BlockArgument>(other) &&
           cast<MemRefType>(other.getType()).getShape().back() == elements;
  });
  if (!load)
    return "the loop that computes functions loads no row as long as its";
  place->column = load->place.column;
  create(*load, array, *place, /*write=*/true);
  return "";
}

void KernelPrefetchRows::prefetch(BlockArgument array) {
  FuncOp func = getOperation();
  if (unsigned count = prefetchTiles(func, array)) {
    numPrefetched += count;
    return;
  }
  bool isInput = array.getArgNumber() < func.getNumInputs();
  std::string reason = "no tile reads it in another line with each step of a "
                       "reduction, and no loop on threads has a loop that "
                       "computes functions";
  for (const Rows &loops : all) {
    reason =
        isInput ? prefetchInput(loops, array) : prefetchOutput(loops, array);
    if (reason.empty())
      return;
  }
  func.emitRemark("argument ")
      << array.getArgNumber() << " is not prefetched: " << reason;
}

void KernelPrefetchRows::runOnOperation() {
  FuncOp func = getOperation();
  all.clear();
  next.clear();
  func.walk([&](ForOp loop) {
    if (loop.getMapping() != Mapping::parallel || loop.getStep() != 1 ||
        !loop.getConstantUpper())
      return;
    if (ForOp computing = findComputation(loop.getBody().front()))
      all.push_back({loop, computing});
  });
  for (BlockArgument array : func.getArguments())
    if (func.getArgAttr(array.getArgNumber(), kPrefetchAttr))
      prefetch(array);
}
