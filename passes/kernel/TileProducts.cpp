// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over the products of a unit that multiplies matrices, as one operation.
#include "passes/kernel/LoopWalks.h"
#include "passes/kernel/Simplify.h"

using namespace mlir;

namespace fusec::kernel {

namespace {

/// A loop of a constant number of iterations, whose number stands for its index
/// in expressions of elements.
struct Counted {
  ForOp loop;
  int64_t trips = 1;
};

/// The elements that an access moves on in each of the loops, and where it
/// begins.
struct Walk {
  int64_t inTerms, inRows, inColumns;
  AffineForm begin;
};

/// The loop over terms around one `tiled` product, and those over rows and over
/// columns in it, unrolled.
class ProductLoops {
public:
  explicit ProductLoops(DotOp dot) : dot(dot) {}

  /// Whether the loops do nothing but to add the products of two matrices.
  bool match();
  void replace();

private:
  bool findLoops();
  bool holdsNothingElse();
  bool findOperands();
  void rollLoops(Value array);

  DotOp dot;
  Counted terms, rows, columns;
  LoadOp sum, lhs, rhs;
  Walk sums, left, right;
};

} // namespace

static std::optional<Counted> count(Operation *op) {
  auto loop = dyn_cast_or_null<ForOp>(op);
  std::optional<int64_t> trips;
  if (loop)
    trips = loop.getConstantTripCount();
  if (!trips || !loop.getLowerMap().isSingleConstant())
    return std::nullopt;
  return Counted{loop, *trips};
}

/// The columns are those of the innermost loop where there is more than one
/// vector of them: the sums' last subscript moves with it.
bool ProductLoops::findLoops() {
  SmallVector<Counted> unrolled;
  Operation *around = dot->getParentOp();
  for (std::optional<Counted> next = count(around);
       next && next->loop.getMapping() == Mapping::unroll;
       next = count(around)) {
    unrolled.push_back(*next);
    around = around->getParentOp();
  }
  std::optional<Counted> outer = count(around);
  if (!outer || outer->loop.getMapping() != Mapping::sequential ||
      outer->loop.getStep() != dot.getTerms() || unrolled.empty() ||
      unrolled.size() > 2)
    return false;
  terms = *outer;
  rows = unrolled.back();
  if (unrolled.size() == 2)
    columns = unrolled.front();
  return true;
}

bool ProductLoops::holdsNothingElse() {
  auto isOurs = [&](Operation *op) {
    if (isa<StoreOp>(op))
      return dot->hasOneUse() && *dot->user_begin() == op;
    return op == dot || isa<ForOp, YieldOp, LoadOp, TermsOp, BroadcastOp>(op);
  };
  return !terms.loop
              ->walk([&](Operation *op) {
                return isOurs(op) ? WalkResult::advance()
                                  : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// The terms side by side of `side`, from where they are loaded.
static LoadOp findTerms(Value side) {
  if (auto all = side.getDefiningOp<BroadcastOp>())
    side = all.getOperand();
  auto terms = side.getDefiningOp<TermsOp>();
  if (!terms || !terms.lieSideBySide())
    return {};
  auto first = terms.getTerms().front().getDefiningOp<LoadOp>();
  return first.getMask() ? LoadOp() : first;
}

bool ProductLoops::findOperands() {
  sum = dot.getSum().getDefiningOp<LoadOp>();
  lhs = findTerms(dot.getLhs());
  rhs = findTerms(dot.getRhs());
  // Either factor of a product of floats may be the one that lanes share.
  if (dot.getTerms() == 2 && lhs && lhs.isVector())
    std::swap(lhs, rhs);
  auto isNarrow = [](LoadOp load) {
    Type element = load.getMemRefType().getElementType();
    return element.isInteger(8) || element.isBF16();
  };
  if (!sum || !lhs || !rhs || !isNarrow(lhs) || !isNarrow(rhs) ||
      lhs.isVector() || !rhs.isVector() || !sum.isVector() ||
      !isa<VectorType>(sum.getMemRefType().getElementType()))
    return false;
  auto store = dyn_cast<StoreOp>(*dot->user_begin());
  return store && store.getMemref() == sum.getMemref() &&
         store.getMap() == sum.getMap() &&
         store.getIndices() == sum.getIndices() && !sum.getMask() &&
         !store.getMask();
}

bool ProductLoops::match() {
  if (!findLoops() || !holdsNothingElse() || !findOperands())
    return false;
  auto followLoad = [&](LoadOp load) -> std::optional<Walk> {
    auto walk = followLoops(AffineForm(load.getMap(), load.getIndices()),
                            load.getMemRefType().getShape(),
                            {terms.loop, rows.loop, columns.loop});
    if (!walk)
      return std::nullopt;
    return Walk{walk->slopes[0], walk->slopes[1], walk->slopes[2], walk->begin};
  };
  std::optional<Walk> walks[] = {followLoad(sum), followLoad(lhs),
                                 followLoad(rhs)};
  if (!llvm::all_of(walks, [](auto &walk) { return walk.has_value(); }))
    return false;
  std::tie(sums, left, right) = std::tie(*walks[0], *walks[1], *walks[2]);
  return sums.inTerms == 0 && sums.inColumns == (columns.loop ? 1 : 0) &&
         left.inTerms == dot.getTerms() && left.inColumns == 0 &&
         right.inRows == 0;
}

/// Rolls the loops over rows of the sums, `array`, which lie in memory from
/// here on: of hundreds of vectors compilers would make as many statements.
void ProductLoops::rollLoops(Value array) {
  for (Operation *user : array.getUsers())
    for (std::optional<Counted> around = count(user->getParentOp());
         around && around->loop.getMapping() == Mapping::unroll;
         around = count(around->loop->getParentOp()))
      if (around->trips > columns.trips)
        around->loop.setMapping(Mapping::sequential);
}

void ProductLoops::replace() {
  OpBuilder builder(terms.loop);
  auto mapOf = [&](Walk &walk) {
    return walk.begin.getMap(builder.getContext());
  };
  AddProductsOp::create(
      builder, dot.getLoc(), lhs.getMemref(), left.begin.operands,
      rhs.getMemref(), right.begin.operands, sum.getMemref(),
      sums.begin.operands, mapOf(left), mapOf(right), mapOf(sums), left.inRows,
      right.inColumns, right.inTerms, sums.inRows, rows.trips, columns.trips,
      terms.trips, dot.getTerms());
  Value array = sum.getMemref();
  terms.loop.erase();
  rollLoops(array);
}

void tileProducts(FuncOp func) {
  SmallVector<DotOp> dots;
  func.walk([&](DotOp dot) {
    if (dot.getTiled())
      dots.push_back(dot);
  });
  for (DotOp dot : dots) {
    ProductLoops loops(dot);
    if (loops.match())
      loops.replace();
    else
      dot.setTiled(false);
  }
}

} // namespace fusec::kernel
