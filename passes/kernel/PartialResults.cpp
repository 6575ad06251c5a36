// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/PartialResults.h"

#include "dialects/TargetInfo.h"
#include "dialects/sched/SchedOps.h"
#include "passes/kernel/IndexRanges.h"

#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

namespace {

/// Splits one loop's accumulators into `vectors` times 16 partial results.
class Splitter {
public:
  Splitter(ForOp loop, ArrayRef<Accumulator> accumulators)
      : loop(loop), accumulators(accumulators), builder(loop),
        vectors(countVectors()) {
    // By the dialect's rules, what a loop on lanes selects is a choice.
    if (accumulators.front().carry == Carry::Select)
      choice = findChoice(
          llvm::map_to_vector(accumulators, [](Accumulator accumulator) {
            return Step{accumulator.load, accumulator.store.getValue()};
          }));
  }

  void run();

private:
  int64_t countVectors();
  /// Reads or writes what an accumulator holds outside of the loop.
  Value loadResult(Accumulator accumulator);
  void storeResult(Accumulator accumulator, Value value);
  void createPartials(Operation *scope);
  /// Loops up to `scope` carry partial results, not the accumulators.
  void carryPartialsUpTo(Operation *scope);
  void carryPartials(ForOp other);
  void createMerge(Operation *scope);
  void createChoiceMerge(Operation *scope);
  void createConstantLoops(int64_t trips);
  void createGeneralLoops();
  /// 16 lanes at `start` (+ 16 * `vector`, + the lane) that update partial
  /// result number `vector`; `lanes` is the trip count, perhaps a minimum.
  void createLanes(AffineForm start, std::optional<Value> vector,
                   int64_t constantVector, AffineForm lanes);
  /// A loop of `count` vectors in flight at `start`; unrolled, or none if one.
  void createVectors(AffineForm start, int64_t count);
  AffineForm constant(int64_t value);
  Location nameLoc(StringRef name);

  ForOp loop;
  ArrayRef<Accumulator> accumulators;
  std::optional<Choice> choice; ///< that the accumulators make
  OpBuilder builder;
  SmallVector<Value> partials;
  /// Of partial results in flight: they hide an addition's latency.
  int64_t vectors;
  AffineForm lower, upper;
};

} // namespace

/// What the kernel's config says, or of a kernel without one as many as hide an
/// addition's latency.
int64_t Splitter::countVectors() {
  auto config =
      loop->getParentOfType<FuncOp>()->getAttrOfType<sched::ConfigAttr>(
          kConfigAttr);
  if (config && config.getAccumulators() > 0)
    return config.getAccumulators();
  int64_t widest = 0;
  for (Accumulator accumulator : accumulators)
    widest = std::max(widest, getLaneBytes(accumulator.getType()));
  return getTargetInfo(loop).getVectorsInFlight(widest);
}

AffineForm Splitter::constant(int64_t value) {
  AffineForm form;
  form.exprs.push_back(getAffineConstantExpr(value, builder.getContext()));
  return form;
}

Location Splitter::nameLoc(StringRef name) {
  return NameLoc::get(builder.getStringAttr(name), loop.getLoc());
}

/// `a + factor * b`, of forms of one expression each.
static AffineForm sum(AffineForm a, const AffineForm &b, int64_t factor = 1) {
  SmallVector<AffineExpr> dims;
  for (Value operand : b.operands)
    dims.push_back(a.getDim(operand));
  a.exprs.front() =
      a.exprs.front() + b.exprs.front().replaceDims(dims) * factor;
  return a;
}

Value Splitter::loadResult(Accumulator accumulator) {
  AffineForm form = placeOf(accumulator);
  return LoadOp::create(builder, loop.getLoc(), accumulator.getType(),
                        accumulator.store.getMemref(),
                        form.getMap(builder.getContext()), form.operands);
}

void Splitter::storeResult(Accumulator accumulator, Value value) {
  AffineForm form = placeOf(accumulator);
  StoreOp::create(builder, loop.getLoc(), value, accumulator.store.getMemref(),
                  form.getMap(builder.getContext()), form.operands);
}

void Splitter::createPartials(Operation *scope) {
  builder.setInsertionPoint(scope);
  for (Accumulator accumulator : accumulators) {
    StringRef name = getNameOf(accumulator.store.getMemref().getLoc());
    Location loc =
        nameLoc(name.empty() ? "partial" : (name + "_partial").str());
    auto type = MemRefType::get({vectors, kLanes}, accumulator.getType());
    partials.push_back(LocalOp::create(builder, loc, type));
  }
  OpBuilder::InsertionGuard guard(builder);
  AffineForm row = constant(0);
  if (vectors > 1) {
    ForOp init = createLoop(builder, loop.getLoc(), nameLoc("u"), constant(0),
                            constant(vectors), 1, Mapping::unroll);
    builder.setInsertionPoint(init.getBody().front().getTerminator());
    row = formOf(init.getIndex());
  }
  row.exprs.push_back(getAffineConstantExpr(0, builder.getContext()));
  for (auto [accumulator, partial] : llvm::zip(accumulators, partials)) {
    Type type = Accumulator(accumulator).getType();
    Value start;
    if (choice) // from what is held: to be offered it again changes nothing
      start = BroadcastOp::create(builder, loop.getLoc(), getVectorOf(type),
                                  loadResult(accumulator));
    else
      start = arith::ConstantOp::create(
          builder, loop.getLoc(),
          DenseElementsAttr::get(
              getVectorOf(type),
              getNeutral(*getCombiner(accumulator.carry), type)));
    StoreOp::create(builder, loop.getLoc(), start, partial,
                    row.getMap(builder.getContext()), row.operands);
  }
}

void Splitter::carryPartials(ForOp other) {
  for (auto [accumulator, partial] : llvm::zip(accumulators, partials))
    other.setCarry(partial, accumulator.carry);
}

void Splitter::carryPartialsUpTo(Operation *scope) {
  for (Operation *op = loop; op != scope;) {
    op = op->getParentOp();
    auto outer = cast<ForOp>(op);
    for (Accumulator accumulator : accumulators)
      outer.dropCarry(accumulator.store.getMemref());
    carryPartials(outer);
  }
}

/// Combines the partial results pairwise, then their lanes, then the result
/// with what the accumulator held before.
void Splitter::createMerge(Operation *scope) {
  builder.setInsertionPointAfter(scope);
  Location loc = loop.getLoc();
  for (auto [accumulator, partial] : llvm::zip(accumulators, partials)) {
    Combiner combiner = *getCombiner(accumulator.carry);
    Type type = Accumulator(accumulator).getType();
    SmallVector<Value> values;
    for (int64_t row = 0; row < vectors; ++row) {
      AffineMap map = AffineMap::get(0, 0,
                                     {builder.getAffineConstantExpr(row),
                                      builder.getAffineConstantExpr(0)},
                                     builder.getContext());
      values.push_back(LoadOp::create(builder, loc, getVectorOf(type), partial,
                                      map, ValueRange()));
    }
    while (values.size() > 1) {
      SmallVector<Value> next;
      for (size_t i = 0; i + 1 < values.size(); i += 2)
        next.push_back(createCombination(builder, loc, combiner, values[i],
                                         values[i + 1]));
      if (values.size() % 2)
        next.push_back(values.back());
      values = std::move(next);
    }
    Value lanes =
        ReduceOp::create(builder, loc, type, combiner, values.front());
    Value before = loadResult(accumulator);
    storeResult(accumulator,
                createCombination(builder, loc, combiner, before, lanes));
  }
}

/// Offers what each lane holds to the accumulators.
void Splitter::createChoiceMerge(Operation *scope) {
  builder.setInsertionPointAfter(scope);
  Location loc = loop.getLoc();
  SmallVector<Value> rows;
  for (auto [accumulator, partial] : llvm::zip(accumulators, partials)) {
    Type type = Accumulator(accumulator).getType();
    AffineForm first = constant(0);
    AffineMap start = first.getMap(builder.getContext());
    first.exprs.push_back(first.exprs.front());
    Value lanes =
        LoadOp::create(builder, loc, getVectorOf(type), partial,
                       first.getMap(builder.getContext()), ValueRange());
    // An array of its own: the other stays in registers.
    StringRef name =
        getNameOf(Accumulator(accumulator).store.getMemref().getLoc());
    rows.push_back(LocalOp::create(
        builder, nameLoc(name.empty() ? "lanes" : (name + "_lanes").str()),
        MemRefType::get({kLanes}, type)));
    StoreOp::create(builder, loc, lanes, rows.back(), start, ValueRange());
  }
  ForOp each = createLoop(builder, loc, nameLoc("lane"), constant(0),
                          constant(kLanes), 1, Mapping::sequential);
  for (Accumulator accumulator : accumulators)
    each.setCarry(accumulator.store.getMemref(), accumulator.carry);
  builder.setInsertionPoint(each.getBody().front().getTerminator());
  AffineForm lane = formOf(each.getIndex());
  SmallVector<Value> held, offered;
  for (auto [accumulator, row] : llvm::zip(accumulators, rows)) {
    held.push_back(loadResult(accumulator));
    offered.push_back(
        LoadOp::create(builder, loc, Accumulator(accumulator).getType(), row,
                       lane.getMap(builder.getContext()), lane.operands));
  }
  SmallVector<Value> results = createChoice(builder, *choice, held, offered);
  for (auto [accumulator, result] : llvm::zip(accumulators, results))
    storeResult(accumulator, result);
}

void Splitter::createLanes(AffineForm start, std::optional<Value> vector,
                           int64_t constantVector, AffineForm lanes) {
  OpBuilder::InsertionGuard guard(builder);
  ForOp inner = createLoop(builder, loop.getLoc(), nameLoc("lane"), constant(0),
                           lanes, 1, Mapping::vector);
  builder.setInsertionPoint(inner.getBody().front().getTerminator());
  AffineForm index = sum(start, formOf(inner.getIndex()));
  AffineForm row = vector ? formOf(*vector) : constant(constantVector);
  if (vector)
    index = sum(index, formOf(*vector), kLanes);
  index.compose();
  Value replacement =
      ApplyOp::create(builder, loop.getIndex().getLoc(), builder.getIndexType(),
                      index.getMap(builder.getContext()), index.operands);
  IRMapping mapping;
  mapping.map(loop.getIndex(), replacement);
  for (auto [accumulator, partial] : llvm::zip(accumulators, partials))
    mapping.map(StoreOp(accumulator.store).getMemref(), partial);
  for (Operation &op : loop.getBody().front().without_terminator())
    builder.clone(op, mapping);

  AffineForm element = row;
  element.exprs.push_back(element.getDim(inner.getIndex()));
  AffineMapAttr map = AffineMapAttr::get(element.getMap(builder.getContext()));
  auto redirect = [&](auto access) {
    access.getIndicesMutable().assign(element.operands);
    access.setMapAttr(map);
  };
  for (Accumulator accumulator : accumulators) {
    redirect(cast<LoadOp>(mapping.lookup(accumulator.load.getOperation())));
    redirect(cast<StoreOp>(mapping.lookup(accumulator.store.getOperation())));
  }
}

void Splitter::createVectors(AffineForm start, int64_t count) {
  if (count == 1)
    return createLanes(start, std::nullopt, 0, constant(kLanes));
  OpBuilder::InsertionGuard guard(builder);
  ForOp rows = createLoop(builder, loop.getLoc(), nameLoc("u"), constant(0),
                          constant(count), 1, Mapping::unroll);
  builder.setInsertionPoint(rows.getBody().front().getTerminator());
  createLanes(start, rows.getIndex(), 0, constant(kLanes));
}

void Splitter::createConstantLoops(int64_t trips) {
  int64_t block = vectors * kLanes, whole = trips / block * block;
  if (whole > 0) {
    OpBuilder::InsertionGuard guard(builder);
    ForOp blocks =
        createLoop(builder, loop.getLoc(), loop.getIndex().getLoc(), lower,
                   sum(lower, constant(whole)), block, Mapping::sequential);
    carryPartials(blocks);
    builder.setInsertionPoint(blocks.getBody().front().getTerminator());
    createVectors(formOf(blocks.getIndex()), vectors);
  }
  int64_t rest = (trips - whole) / kLanes;
  if (rest > 0)
    createVectors(sum(lower, constant(whole)), rest);
  int64_t tail = trips % kLanes;
  if (tail > 0)
    createLanes(sum(lower, constant(trips - tail)), std::nullopt,
                rest % vectors, constant(tail));
}

void Splitter::createGeneralLoops() {
  OpBuilder::InsertionGuard guard(builder);
  const int64_t block = vectors * kLanes;
  const bool isWhole = hasWholeVectors(lower, upper),
             isShort = mayEndBefore(lower, upper, block);
  if (upper.exprs.size() > 1) {
    Value least =
        MinOp::create(builder, loop.getLoc(), builder.getIndexType(),
                      upper.getMap(builder.getContext()), upper.operands);
    upper = formOf(least);
  }
  // The greatest is what is least of the others' negatives, less than zero.
  if (lower.exprs.size() > 1) {
    for (AffineExpr &expr : lower.exprs)
      expr = -expr;
    Value least =
        MinOp::create(builder, loop.getLoc(), builder.getIndexType(),
                      lower.getMap(builder.getContext()), lower.operands);
    lower = subtract(constant(0), formOf(least));
  }
  if (isShort)
    upper = endAtLeast(builder, loop.getLoc(), lower, upper);
  AffineForm blocks = subtract(upper, lower);
  blocks.exprs.front() = blocks.exprs.front().floorDiv(block) * block;
  AffineForm middle = sum(lower, blocks);
  ForOp main = createLoop(builder, loop.getLoc(), loop.getIndex().getLoc(),
                          lower, middle, block, Mapping::sequential);
  ForOp rest = createLoop(builder, loop.getLoc(), loop.getIndex().getLoc(),
                          middle, upper, kLanes, Mapping::sequential);
  carryPartials(main);
  carryPartials(rest);
  builder.setInsertionPoint(main.getBody().front().getTerminator());
  createVectors(formOf(main.getIndex()), vectors);
  builder.setInsertionPoint(rest.getBody().front().getTerminator());
  AffineForm lanes = constant(kLanes);
  if (!isWhole) {
    lanes = subtract(upper, formOf(rest.getIndex()));
    lanes.exprs.insert(lanes.exprs.begin(),
                       getAffineConstantExpr(kLanes, builder.getContext()));
  }
  createLanes(formOf(rest.getIndex()), std::nullopt, 0, lanes);
}

void Splitter::run() {
  lower = AffineForm(loop.getLowerMap(), loop.getLowerOperands());
  upper = AffineForm(loop.getUpperMap(), loop.getUpperOperands());
  lower.compose();
  upper.compose();
  std::optional<int64_t> trips;
  if (upper.exprs.size() == 1 && lower.exprs.size() == 1)
    if (auto number =
            dyn_cast<AffineConstantExpr>(subtract(upper, lower).exprs.front()))
      trips = std::max<int64_t>(number.getValue(), 0);
  if (trips)
    vectors = std::clamp<int64_t>(*trips / kLanes, 1, vectors);
  if (choice) // its merge takes a lane at a time
    vectors = 1;

  Operation *scope = findPartialScope(loop, accumulators);
  createPartials(scope);
  carryPartialsUpTo(scope);
  choice ? createChoiceMerge(scope) : createMerge(scope);
  builder.setInsertionPoint(loop);
  if (trips)
    createConstantLoops(*trips);
  else
    createGeneralLoops();
  loop.erase();
}

void fusec::kernel::splitIntoPartials(ForOp loop,
                                      ArrayRef<Accumulator> accumulators) {
  Splitter(loop, accumulators).run();
}
