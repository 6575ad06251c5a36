// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/ThreadResults.h"

#include "passes/kernel/RowLoops.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace fusec::kernel {

namespace {

/// An accumulator, and where it is outside of the loop.
struct Place {
  Accumulator accumulator;
  Value array;
  AffineForm element;
  Type type;
};

/// Takes one loop's reductions apart, among the threads that share it.
class ThreadSplitter {
public:
  ThreadSplitter(ForOp loop, ArrayRef<Accumulator> accumulators)
      : loop(loop), builder(loop), scope(findPartialScope(loop, accumulators)) {
    for (Accumulator accumulator : accumulators)
      places.push_back({accumulator, accumulator.store.getMemref(),
                        placeOf(accumulator), accumulator.getType()});
  }

  void combine();
  void select();

private:
  Value load(const Place &place);
  void store(const Place &place, Value value);
  Value createPartial(const Place &place);
  bool beginsNeutral(const Place &place, TypedAttr neutral);
  void dropCarries(const Place &place);
  Step replace(const Place &place, Value partial);
  Value createRow(const Place &place, int64_t threads);
  void enterOneThread();
  Value loadPartial(Value partial);
  Location nameAfter(const Place &place, StringRef suffix);

  ForOp loop;
  SmallVector<Place> places;
  OpBuilder builder;
  /// What partial results span.
  Operation *scope;
};

} // namespace

static MemRefType makeType(ArrayRef<int64_t> shape, Type element, Space space) {
  return MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                         SpaceAttr::get(element.getContext(), space));
}

/// "sum" as "sum_partial".
Location ThreadSplitter::nameAfter(const Place &place, StringRef suffix) {
  StringRef name = getNameOf(place.array.getLoc());
  std::string text = name.empty() ? suffix.str() : (name + "_" + suffix).str();
  return NameLoc::get(StringAttr::get(loop.getContext(), text), loop.getLoc());
}

Value ThreadSplitter::load(const Place &place) {
  return LoadOp::create(builder, loop.getLoc(), place.type, place.array,
                        place.element.getMap(builder.getContext()),
                        place.element.operands);
}

void ThreadSplitter::store(const Place &place, Value value) {
  StoreOp::create(builder, loop.getLoc(), value, place.array,
                  place.element.getMap(builder.getContext()),
                  place.element.operands);
}

Value ThreadSplitter::loadPartial(Value partial) {
  Type element = cast<MemRefType>(partial.getType()).getElementType();
  return LoadOp::create(builder, loop.getLoc(), element, partial,
                        builder.getMultiDimIdentityMap(0), ValueRange());
}

Value ThreadSplitter::createPartial(const Place &place) {
  return LocalOp::create(builder, nameAfter(place, "partial"),
                         makeType({}, place.type, Space::thread));
}

void ThreadSplitter::dropCarries(const Place &place) {
  for (Operation *op = loop;; op = op->getParentOp()) {
    cast<ForOp>(op).dropCarry(place.array);
    if (op == scope)
      return;
  }
}

/// What the loop accumulates to is `partial` from now on. What it makes of it.
Step ThreadSplitter::replace(const Place &place, Value partial) {
  OpBuilder::InsertionGuard guard(builder);
  AffineMap none = builder.getMultiDimIdentityMap(0);
  dropCarries(place);
  auto [load, store, carry] = place.accumulator;
  // A loop over what a thread has side by side goes on carrying.
  for (Operation *op = store->getParentOp(); op != loop; op = op->getParentOp())
    if (auto inner = dyn_cast<ForOp>(op);
        inner && inner.getCarry(place.array)) {
      inner.dropCarry(place.array);
      inner.setCarry(partial, carry);
    }
  builder.setInsertionPoint(load);
  Value held = LoadOp::create(builder, load.getLoc(), place.type, partial, none,
                              ValueRange());
  load.getResult().replaceAllUsesWith(held);
  load.erase();
  Value made = store.getValue();
  builder.setInsertionPoint(store);
  StoreOp::create(builder, store.getLoc(), made, partial, none, ValueRange());
  store.erase();
  return {held, made};
}

/// What follows is inside of a loop whose one iteration the first thread runs.
void ThreadSplitter::enterOneThread() {
  auto one = ForOp::create(builder, loop.getLoc(), 0, 1, 1, Mapping::thread);
  one.getIndex().setLoc(builder.getUnknownLoc());
  builder.setInsertionPoint(one.getBody().front().getTerminator());
}

/// Whether what each thread has of the accumulator is neutral when it comes to
/// the loop: then it is a partial result itself.
bool ThreadSplitter::beginsNeutral(const Place &place, TypedAttr neutral) {
  if (!isOfThread(place.array.getType()))
    return false;
  StoreOp reduced = place.accumulator.store;
  for (Operation *op = scope->getPrevNode(); op; op = op->getPrevNode()) {
    if (op->getNumRegions() > 0)
      return false;
    if (!llvm::is_contained(place.array.getUsers(), op))
      continue;
    auto store = dyn_cast<StoreOp>(op);
    Attribute value;
    return store && store.getMap() == reduced.getMap() &&
           store.getIndices() == reduced.getIndices() &&
           matchPattern(store.getValue(), m_Constant(&value)) &&
           value == neutral;
  }
  return false;
}

void ThreadSplitter::combine() {
  Location loc = loop.getLoc();
  for (const Place &place : places) {
    Combiner combiner = *getCombiner(place.accumulator.carry);
    TypedAttr start = getNeutral(combiner, place.type);
    if (beginsNeutral(place, start)) {
      dropCarries(place);
      builder.setInsertionPointAfter(scope);
      store(place, CombineOp::create(builder, loc, combiner, load(place)));
      continue;
    }
    builder.setInsertionPoint(scope);
    Value partial = createPartial(place);
    Value neutral = arith::ConstantOp::create(builder, loc, start);
    StoreOp::create(builder, loc, neutral, partial,
                    builder.getMultiDimIdentityMap(0), ValueRange());
    replace(place, partial);
    builder.setInsertionPointAfter(scope);
    Value total =
        CombineOp::create(builder, loc, combiner, loadPartial(partial));
    if (!isOfThread(place.array.getType()))
      enterOneThread();
    store(place, createCombination(builder, loc, combiner, load(place), total));
  }
}

/// The loops of warps or columns of a block around `op`, outermost first.
static SmallVector<ForOp> findTeams(Operation *op) {
  SmallVector<ForOp> teams;
  for (auto loop = op->getParentOfType<ForOp>(); loop;
       loop = loop->getParentOfType<ForOp>())
    if (loop.getMapping() == Mapping::warp ||
        loop.getMapping() == Mapping::column)
      teams.insert(teams.begin(), loop);
  return teams;
}

/// Where those of `teams` have something of one thread each, beside that of
/// their neighbour: of a warp these are its threads, of columns the columns.
template <class T>
static SmallVector<T> placeOfThread(ArrayRef<ForOp> teams, ArrayRef<T> team,
                                    T thread) {
  SmallVector<T> place(team);
  bool areColumns =
      !teams.empty() && ForOp(teams.front()).getMapping() == Mapping::column;
  place.insert(areColumns ? place.begin() : place.end(), thread);
  return place;
}

/// An element for each thread that shares the loop, of all teams of a block.
Value ThreadSplitter::createRow(const Place &place, int64_t threads) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<ForOp> teams = findTeams(loop);
  SmallVector<int64_t> counts;
  for (ForOp team : teams)
    counts.push_back(*team.getConstantTripCount());
  if (!teams.empty())
    builder.setInsertionPoint(teams.front());
  return LocalOp::create(
      builder, nameAfter(place, "row"),
      makeType(placeOfThread<int64_t>(teams, counts, threads), place.type,
               Space::shared));
}

void ThreadSplitter::select() {
  SmallVector<ForOp> teams = findTeams(loop);
  const int64_t threads = countSharingThreads(loop);
  Location loc = loop.getLoc();
  builder.setInsertionPoint(scope);
  SmallVector<Value> partials, rows;
  for (const Place &place : places) {
    // From what is held: to be offered it again changes nothing.
    partials.push_back(createPartial(place));
    StoreOp::create(builder, loc, load(place), partials.back(),
                    builder.getMultiDimIdentityMap(0), ValueRange());
    rows.push_back(createRow(place, threads));
  }
  SmallVector<Step> steps;
  for (auto [place, partial] : llvm::zip(places, partials))
    steps.push_back(replace(place, partial));
  // By the dialect's rules, what threads select is a choice.
  Choice choice = *findChoice(steps);

  builder.setInsertionPointAfter(scope);
  bool areWarps = !teams.empty() && teams.front().getMapping() == Mapping::warp;
  Scope all = areWarps ? Scope::warp : Scope::block;
  auto createEach = [&](Mapping mapping) {
    auto each = ForOp::create(builder, loc, 0, threads, 1, mapping);
    each.getIndex().setLoc(
        NameLoc::get(builder.getStringAttr("each"), builder.getUnknownLoc()));
    builder.setInsertionPoint(each.getBody().front().getTerminator());
    AffineForm element;
    SmallVector<AffineExpr> numbers;
    for (ForOp team : teams)
      numbers.push_back(element.getDim(team.getIndex()));
    AffineExpr thread = element.getDim(each.getIndex());
    element.exprs = placeOfThread<AffineExpr>(teams, numbers, thread);
    return element;
  };
  // Some may still read what was there in an iteration before.
  bool isRepeated = false;
  for (auto around = scope->getParentOfType<ForOp>(); around;
       around = around->getParentOfType<ForOp>())
    isRepeated |= around.getMapping() == Mapping::sequential;
  if (isRepeated)
    BarrierOp::create(builder, loc, all);
  AffineForm element = createEach(Mapping::thread);
  for (auto [partial, row] : llvm::zip(partials, rows))
    StoreOp::create(builder, loc, loadPartial(partial), row,
                    element.getMap(builder.getContext()), element.operands);
  builder.setInsertionPointAfter(builder.getInsertionBlock()->getParentOp());
  BarrierOp::create(builder, loc, all);
  if (!llvm::all_of(places, [](const Place &place) {
        return isOfThread(place.array.getType());
      }))
    enterOneThread();
  element = createEach(Mapping::sequential);
  SmallVector<Value> held, offered;
  for (auto [place, row] : llvm::zip(places, rows)) {
    held.push_back(load(place));
    offered.push_back(LoadOp::create(builder, loc, place.type, row,
                                     element.getMap(builder.getContext()),
                                     element.operands));
  }
  for (auto [place, value] :
       llvm::zip(places, createChoice(builder, choice, held, offered)))
    store(place, value);
}

unsigned combineThreads(ForOp loop) {
  SmallVector<Accumulator> combined, selected;
  for (Accumulator accumulator : getAccumulators(loop))
    (accumulator.carry == Carry::Select ? selected : combined)
        .push_back(accumulator);
  if (!combined.empty())
    ThreadSplitter(loop, combined).combine();
  if (!selected.empty())
    ThreadSplitter(loop, selected).select();
  return combined.size() + selected.size();
}

} // namespace fusec::kernel
