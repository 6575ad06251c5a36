// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/Enumerator.h"

#include "passes/poly/Accumulators.h"
#include "passes/poly/Bands.h"
#include "passes/poly/CostModel.h"
#include "passes/poly/Mapping.h"
#include "passes/poly/Prefetch.h"
#include "passes/poly/SplitLoops.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::RegistersLevelAttr;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace fusec::poly {

std::string Candidate::getName() const {
  std::string name = family.str();
  llvm::raw_string_ostream os(name);
  if (!config.getTile().empty())
    os << "_";
  llvm::interleave(config.getTile(), os, "x");
  int64_t columns =
      config.hasColumns() ? config.countTilePoints() : config.getColumns();
  if (family == "columns")
    os << "_of_" << config.getThreads() / columns;
  else if (columns > 0)
    os << "_columns_" << columns;
  if (along)
    os << "_along_" << *along;
  if (!config.getOrder().empty()) {
    os << "_order_";
    llvm::interleave(config.getOrder(), os, "");
  }
  if (config.getSplit() > 0)
    os << "_" << config.getSplit();
  if (config.getWidth() > 1)
    os << "_width_" << config.getWidth();
  if (config.getAccumulators() > 0)
    os << "_accumulators_" << config.getAccumulators();
  if (!config.getBlocks().empty()) {
    os << "_blocks_";
    llvm::interleave(config.getBlocks(), os, "x");
  }
  if (config.getDepth() > 0)
    os << "_depth_" << config.getDepth();
  if (!config.getPoints().empty()) {
    os << "_points_";
    llvm::interleave(config.getPoints(), os, "x");
  }
  if (config.getStages() > 1)
    os << "_stages_" << config.getStages();
  if (!config.getPrefetch().empty())
    os << "_prefetch";
  if (!config.getStream().empty())
    os << "_stream";
  return name;
}

void Enumerator::add(StringRef family, ArrayRef<int64_t> tile, double cost,
                     std::optional<unsigned> along, ArrayRef<unsigned> order,
                     int64_t columns, int64_t unroll, ArrayRef<int64_t> blocks,
                     int64_t depth, ArrayRef<int64_t> prefetch,
                     int64_t accumulators) {
  MLIRContext *context = scop.getContext();
  auto make = [&](ArrayRef<int64_t> fetched, ArrayRef<int64_t> streamed) {
    return ConfigAttr::of(
        context, "default",
        {sched::CacheLevelAttr::get(context, blocks, depth, fetched, streamed),
         RegistersLevelAttr::get(context, tile, SmallVector<int64_t>(order),
                                 columns, unroll, accumulators),
         sched::UnitLevelAttr::get(context, target.lanes, /*along=*/{})});
  };
  double predicted = cost * target.costs.simple;
  insert({make(prefetch, {}), family, along,
          predicted + getOwnershipCost(scop, streams)});
  // What goes past the caches is not to be fetched.
  SmallVector<int64_t> fetched(prefetch);
  llvm::erase_if(fetched, [&](int64_t argument) {
    return llvm::is_contained(streams, argument);
  });
  if (!streams.empty())
    insert({make(fetched, streams), family, along, predicted});
}

/// The cheapest first, of equals the one that came first.
void Enumerator::insert(Candidate candidate) {
  auto place = llvm::upper_bound(space.candidates, candidate,
                                 [](const Candidate &a, const Candidate &b) {
                                   return a.predicted < b.predicted;
                                 });
  space.candidates.insert(place, std::move(candidate));
}

StmtOp Enumerator::findHeaviest() const {
  return fusec::poly::findHeaviest(poly);
}

/// How many rows a tile may have, the better first: what makes the fewest tiles
/// does, of these what leaves no rows over, and then the most.
SmallVector<int64_t> getRowCounts(int64_t extent, int64_t most) {
  SmallVector<int64_t> counts;
  int64_t first = std::max<int64_t>(1, std::min(extent, most));
  for (int64_t rows = first; rows >= (first + 1) / 2; --rows)
    counts.push_back(rows);
  llvm::sort(counts, [&](int64_t a, int64_t b) {
    return std::tuple(countTiles(extent, a), extent % a != 0, -a) <
           std::tuple(countTiles(extent, b), extent % b != 0, -b);
  });
  return counts;
}

int64_t countCopies(StmtOp stmt, int64_t most) {
  int64_t copies = 1;
  for (int64_t dim : llvm::reverse(stmt.getReduced())) {
    int64_t extent = stmt.getExtents()[dim];
    if (extent > kMaxUnrolled || copies * extent > most)
      break;
    copies *= std::max<int64_t>(1, extent);
  }
  return copies;
}

/// Several columns of accumulators, which hide what it takes to add to one.
void Enumerator::addColumns(unsigned member, StmtOp heaviest, double cost) {
  int64_t extent = band.getExtent(member), lane = heaviest.getLaneBytes();
  int64_t most = target.getVectorsInFlight(lane);
  most = std::clamp<int64_t>(llvm::divideCeil(extent, target.lanes), 1, most);
  // A column takes as long as all that fit beside it.
  for (int64_t vectors = most; vectors >= 1; --vectors)
    add("tiles", getTile(member, vectors * target.lanes),
        cost * countTiles(extent, vectors * target.lanes) /
            countTiles(extent, most * target.lanes),
        member, {}, 0,
        countCopies(heaviest, target.tiledFor->countCopies(
                                  1, vectors * target.getVectorBytes(lane))));
}

/// Of elementwise work, chunks that hide what a parallel iteration costs and
/// stay in the first-level cache; for threads too, where the other loops give
/// them too little.
void Enumerator::addChunks(unsigned member, double cost) {
  int64_t extent = std::max<int64_t>(1, band.getExtent(member));
  int64_t others = 1;
  for (unsigned m = 0; m < band.size(); ++m)
    if (m != member)
      others *= std::max<int64_t>(1, band.getExtent(m));
  int64_t chunk = target.getBlockElements(findHeaviest().getLaneBytes());
  bool split = others < target.getEnoughIterations() || extent > 4 * chunk;
  SmallVector<int64_t> sizes = {extent};
  if (chunk < extent)
    sizes.insert(split ? sizes.begin() : sizes.end(), chunk);
  if (chunk / 4 < extent)
    sizes.push_back(chunk / 4);
  for (auto [rank, size] : llvm::enumerate(sizes))
    add("tiles", getTile(member, size),
        cost + double(rank) * countTiles(extent, size), member);
  addSquares(member, cost);
}

/// Of what one operand lies along another loop for, as of a transpose, tiles of
/// both: lines that lanes take an element each of are used up while they stay
/// in the first-level cache.
void Enumerator::addSquares(unsigned member, double cost) {
  StmtOp stmt = findHeaviest();
  std::optional<unsigned> lanes = band.getIterator(stmt, member);
  for (unsigned m = 0; m < band.size(); ++m) {
    std::optional<unsigned> other = band.getIterator(stmt, m);
    if (m == member || !lanes || !other ||
        llvm::none_of(getAccesses(stmt), [&](const Access &access) {
          return getStride(access, *other) == 1 &&
                 getStride(access, *lanes) != 0;
        }))
      continue;
    int64_t line = target.cacheLine / stmt.getLaneBytes();
    int64_t rows = target.getBlockElements(stmt.getLaneBytes()) / line;
    SmallVector<int64_t> tile =
        getTile(member, llvm::alignDown(std::max(rows, line), line));
    tile[m] = line;
    // What is as fast by this model has simpler loops: squares come behind it.
    if (tile[member] < band.getExtent(member) && line < band.getExtent(m))
      add("tiles", tile, cost + 3 * countTiles(band.getExtent(m), line),
          member);
  }
}

void Enumerator::addMember(unsigned member) {
  double cost = band.getMemberCost(member);
  if (cost == std::numeric_limits<double>::infinity()) {
    space.refused.push_back({"tiles_along_" + std::to_string(member),
                             "a statement has no loop that this loop of the "
                             "band runs over"});
    return;
  }
  if (!band.hasLoopsBelow())
    return addChunks(member, cost);
  StmtOp heaviest = findHeaviest();
  std::optional<unsigned> vector = band.getIterator(heaviest, member);
  SmallVector<unsigned> reuses;
  if (vector)
    reuses = band.findReuses(heaviest, *vector);
  if (!reuses.empty())
    return addRegisterTiles(member, reuses, heaviest, cost);
  addColumns(member, heaviest, cost);
}

/// Rows that share the loads of the products with them; as many as stay in the
/// first-level cache.
void Enumerator::addRows(const ColumnLoop &columns) {
  double cost = band.getInnerCost();
  StmtOp stmt = columns.stmt;
  int64_t lane = stmt.getLaneBytes(), mostRows = target.getRows(lane);
  auto addBlock = [&](ArrayRef<int64_t> tile, int64_t rows, double factor) {
    int64_t wide =
        std::max<int64_t>(1, target.getVectorsInFlight(lane) / rows) *
        target.lanes;
    add("rows", tile, cost * factor, {}, {}, wide);
  };
  SmallVector<unsigned> reuses =
      band.findReuses(columns.stmt, columns.iterator);
  if (reuses.empty())
    return addBlock(getTile(), 1, 1);
  unsigned reuse = reuses.front();
  int64_t extent = band.getExtent(reuse);
  int64_t fits =
      target.getBlockBytes() / std::max<int64_t>(1, band.getBytesPerRow());
  int64_t most = std::clamp<int64_t>(fits, 1, mostRows);
  auto getSteps = [&](int64_t rows) {
    return double(extent) + loadWeight * countTiles(extent, rows);
  };
  for (int64_t rows : getRowCounts(extent, most))
    addBlock(getTile(reuse, rows), rows, getSteps(rows) / getSteps(most));
  if (most < mostRows)
    space.refused.push_back({"rows_" + std::to_string(mostRows),
                             "more than " + std::to_string(most) +
                                 " rows do not stay in the first-level cache"});
}

/// The most vectors of partial results that reductions of the loops below the
/// band add to along lanes; 0 if there are none.
int64_t Enumerator::getMostAccumulators() const {
  int64_t most = 0;
  for (const PolyStmt &stmt : poly.getStmts())
    for (int64_t dim : StmtOp(stmt.op).getReduced())
      if (!band.contains(stmt.op, unsigned(dim)))
        most = std::max(most, countAccumulators(stmt.op, dim));
  return most;
}

/// The loops as they are, with and without rows that are fetched ahead, and
/// with fewer accumulators than hide what it takes to add to one.
void Enumerator::addInner(double cost) {
  SmallVector<int64_t> prefetch = findPrefetches(poly, schedule, space.refused);
  if (!prefetch.empty())
    add("inner", getTile(), cost, {}, {}, 0, 1, {}, 0, prefetch);
  // Each line that comes late is waited for.
  add("inner", getTile(),
      cost + countLines(scop, prefetch) * target.costs.secondCacheLoad /
                 target.costs.simple);
  int64_t most = getMostAccumulators();
  for (int64_t fewer = most / 2; fewer >= 1; fewer /= 2)
    add("inner", getTile(), cost * double(most) / double(fewer), {}, {}, 0, 1,
        {}, 0, {}, fewer);
}

/// Of a group whose loops no threads share, parts of its longest reduction for
/// them: enough parts that a slower thread leaves some to others, in whole
/// vectors of all accumulators.
void Enumerator::addSplit() {
  std::string reason;
  auto loop = findSplitLoop(poly, schedule, reason);
  if (!loop)
    return space.refused.push_back({"split", reason});
  int64_t extent = getExtent(*loop, 0), parts = target.getEnoughIterations();
  int64_t whole = target.lanes * std::max<int64_t>(1, getMostAccumulators());
  int64_t split = llvm::alignTo(llvm::divideCeil(extent, parts), whole);
  if (extent < 2 * split)
    return space.refused.push_back(
        {"split", "its loop has " + std::to_string(extent) +
                      " iterations, no two parts of " + std::to_string(split)});
  Candidate candidate = space.candidates.front();
  candidate.config = candidate.config.with(
      sched::CoresLevelAttr::get(scop.getContext(), /*grain=*/0, split));
  candidate.family = "split";
  candidate.predicted =
      candidate.predicted / double(target.cores) + target.forkNanoseconds;
  insert(candidate);
}

ConfigSpace Enumerator::run() {
  if (target.kind == TargetKind::gpu)
    return runForGpu();
  // On a tie the innermost member: its neighbours in memory follow.
  for (unsigned m = band.size(); m-- > 0;)
    addMember(m);
  std::optional<ColumnLoop> columns = findColumnLoop(poly, schedule);
  if (columns)
    addRows(*columns);
  // Without blocks the rows share no loads.
  if (band.hasLoopsBelow() || space.candidates.empty())
    addInner(band.getInnerCost() * (columns ? 1 + loadWeight : 1));
  if (band.size() == 0)
    addSplit();
  else if (getMostAccumulators() > 0)
    space.refused.push_back({"split", "threads share the loops around what "
                                      "is reduced"});
  return std::move(space);
}

ConfigSpace enumerateConfigs(const PolyScop &poly,
                             const isl::schedule &schedule) {
  return Enumerator(poly, schedule).run();
}

double predictSettled(const PolyScop &poly, const isl::schedule &schedule,
                      const Candidate &candidate, ConfigAttr settled) {
  ScopOp scop = poly.getOp();
  const TargetInfo &target = getTargetInfo(scop);
  if (target.kind == TargetKind::gpu)
    return candidate.predicted +
           // Threads with points of their own have no lanes to lose.
           (settled.getLevel<sched::TeamLevelAttr>()
                ? Enumerator(poly, schedule).getLostTime(settled)
                : 0);
  OuterBand band(scop, schedule);
  double lost = 0;
  for (auto [stmt, lanes] : llvm::zip(poly.getStmts(), settled.getLanes())) {
    if (lanes != -1)
      continue;
    double scalar = getScalarCost(scop, stmt.op), expected = scalar;
    for (unsigned dim = 0; dim < stmt.op.getNumIterators(); ++dim)
      if (candidate.along ? band.getIterator(stmt.op, *candidate.along) == dim
                          : !band.contains(stmt.op, dim))
        expected = std::min(expected, getVectorCost(scop, stmt.op, dim));
    lost += scalar - expected;
  }
  return candidate.predicted + lost * target.costs.simple;
}

} // namespace fusec::poly
