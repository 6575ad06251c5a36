// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/Configs.h"

#include "dialects/AffineRanges.h"
#include "dialects/TargetInfo.h"
#include "passes/poly/CostModel.h"
#include "passes/poly/OuterBand.h"
#include "passes/poly/Prefetch.h"
#include "passes/poly/RowBlocks.h"
#include "passes/poly/Strides.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace fusec::poly {

/// What a load that is shared costs against an operation on what it loads.
constexpr double kLoadWeight = 0.5;

std::string Candidate::getName() const {
  std::string name = family.str();
  llvm::raw_string_ostream os(name);
  if (!config.getTile().empty())
    os << "_";
  llvm::interleave(config.getTile(), os, "x");
  if (config.getColumns() > 0)
    os << "_columns_" << config.getColumns();
  if (along)
    os << "_along_" << *along;
  if (!config.getOrder().empty()) {
    os << "_order_";
    llvm::interleave(config.getOrder(), os, "");
  }
  if (!config.getBlocks().empty()) {
    os << "_blocks_";
    llvm::interleave(config.getBlocks(), os, "x");
  }
  if (!config.getPrefetch().empty())
    os << "_prefetch";
  return name;
}

/// Tiles that `extent` is cut into.
static double countTiles(int64_t extent, int64_t size) {
  return double(llvm::divideCeil(std::max<int64_t>(1, extent), size));
}

namespace {

class Enumerator {
public:
  Enumerator(const PolyScop &poly, const isl::schedule &schedule)
      : poly(poly), schedule(schedule), scop(poly.getOp()),
        target(getTargetInfo(scop)), band(scop, schedule) {}

  ConfigSpace run();

private:
  void addMember(unsigned member);
  void addColumns(unsigned member, StmtOp heaviest, double cost);
  void addRegisterTiles(unsigned member, ArrayRef<unsigned> reuses,
                        StmtOp heaviest, double cost);
  SmallVector<int64_t> getBlocks(StmtOp stmt, unsigned member,
                                 ArrayRef<int64_t> tile,
                                 ArrayRef<unsigned> order) const;
  void addChunks(unsigned member, double cost);
  void addRows(const ColumnLoop &columns);
  void addInner(double cost);
  void add(StringRef family, ArrayRef<int64_t> tile, double cost,
           std::optional<unsigned> along = {}, ArrayRef<unsigned> order = {},
           int64_t columns = 0, int64_t unroll = 1,
           ArrayRef<int64_t> blocks = {}, ArrayRef<int64_t> prefetch = {});

  SmallVector<int64_t> getTile(std::optional<unsigned> member = {},
                               int64_t size = 1) const {
    SmallVector<int64_t> tile(band.size(), 1);
    if (member)
      tile[*member] = size;
    return tile;
  }
  SmallVector<int64_t> getRowCounts(int64_t extent, int64_t most) const;
  StmtOp findHeaviest() const;

  const PolyScop &poly;
  const isl::schedule &schedule;
  mutable ScopOp scop;
  const TargetInfo &target;
  OuterBand band;
  ConfigSpace space;
};

} // namespace

void Enumerator::add(StringRef family, ArrayRef<int64_t> tile, double cost,
                     std::optional<unsigned> along, ArrayRef<unsigned> order,
                     int64_t columns, int64_t unroll,
                     ArrayRef<int64_t> blocks, ArrayRef<int64_t> prefetch) {
  SmallVector<int64_t> members(order);
  auto config =
      ConfigAttr::get(scop.getContext(), "default", tile, members, target.lanes,
                      columns, unroll, blocks, /*lanes=*/{}, prefetch,
                      /*grain=*/0);
  Candidate candidate{config, family, along, cost * target.costs.simple};
  // Of equals the first.
  auto place = llvm::upper_bound(space.candidates, candidate,
                                 [](const Candidate &a, const Candidate &b) {
                                   return a.predicted < b.predicted;
                                 });
  space.candidates.insert(place, std::move(candidate));
}

StmtOp Enumerator::findHeaviest() const {
  StmtOp heaviest;
  for (const PolyStmt &stmt : poly.getStmts())
    if (!heaviest || getInstances(stmt.op) > getInstances(heaviest))
      heaviest = stmt.op;
  return heaviest;
}

/// How many rows a tile may have, the better first: what makes the fewest tiles
/// does, of these what leaves no rows over, and then the most.
SmallVector<int64_t> Enumerator::getRowCounts(int64_t extent,
                                              int64_t most) const {
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

/// How many copies the innermost loops of a reduction become, `most` at most.
static int64_t countCopies(StmtOp stmt, int64_t most) {
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
  int64_t extent = band.getExtent(member), most = target.getVectorsInFlight();
  most = std::clamp<int64_t>(llvm::divideCeil(extent, target.lanes), 1, most);
  // A column takes as long as all that fit beside it.
  for (int64_t vectors = most; vectors >= 1; --vectors)
    add("tiles", getTile(member, vectors * target.lanes),
        cost * countTiles(extent, vectors * target.lanes) /
            countTiles(extent, most * target.lanes),
        member, {}, 0,
        countCopies(heaviest, target.tiledFor.countCopies(
                                  1, vectors * target.getVectorBytes())));
}

/// Bytes that `stmt` reads, in all of its reduction and in `counts` of its
/// other iterators, one each where that says nothing: as vectors along the
/// iterator `vector`, or of the operands that do not move with it.
static int64_t getBytes(StmtOp stmt, unsigned vector, bool asVectors,
                        const llvm::DenseMap<unsigned, int64_t> &counts) {
  SmallVector<IndexRange> ranges;
  for (auto [dim, extent] : llvm::enumerate(stmt.getExtents())) {
    bool moves = llvm::is_contained(stmt.getReduced(), int64_t(dim));
    auto found = counts.find(dim);
    int64_t count = found != counts.end() ? found->second : moves ? extent : 1;
    ranges.push_back({0, std::max<int64_t>(1, count) - 1});
  }
  int64_t result = 0;
  for (const Access &access : getAccesses(stmt)) {
    if (access.write ||
        (getStride(access, vector).value_or(1) != 0) != asVectors ||
        llvm::is_contained(stmt->getParentOfType<ScopOp>().getArrays(),
                           access.memref))
      continue;
    int64_t bytes = llvm::divideCeil(
        cast<MemRefType>(access.memref.getType()).getElementTypeBitWidth(), 8);
    for (AffineExpr expr : access.map.getResults()) {
      IndexRange range = rangeOf(expr, ranges);
      if (range.low && range.high)
        bytes *= *range.high - *range.low + 1;
    }
    result += bytes;
  }
  return result;
}

/// Blocks of tiles whose rows stay in the second-level cache for all of the
/// lanes' loop `member`: empty where all rows do, or no panel does. Of the
/// loops over tiles that stand in that one in `order`, the outermost is cut
/// first, into even parts, enough of them for threads.
SmallVector<int64_t> Enumerator::getBlocks(StmtOp stmt, unsigned member,
                                           ArrayRef<int64_t> tile,
                                           ArrayRef<unsigned> order) const {
  ArrayRef<unsigned> inside =
      order.drop_until([&](unsigned m) { return m == member; }).drop_front();
  unsigned vector = *band.getIterator(stmt, member);
  SmallVector<int64_t> blocks(band.size(), 0);
  auto getRowBytes = [&] {
    llvm::DenseMap<unsigned, int64_t> counts;
    for (unsigned m : inside)
      if (std::optional<unsigned> iterator = band.getIterator(stmt, m))
        counts[*iterator] =
            blocks[m] > 0 ? blocks[m] * tile[m] : band.getExtent(m);
    return getBytes(stmt, vector, /*asVectors=*/false, counts);
  };
  int64_t most = target.getPanelBytes(), bytes = getRowBytes(), tasks = 1;
  if (bytes <= most || getBytes(stmt, vector, /*asVectors=*/true,
                                {{vector, tile[member]}}) > most)
    return {};
  auto getTiles = [&](unsigned m) {
    return int64_t(countTiles(band.getExtent(m), tile[m]));
  };
  for (unsigned m : order.drop_back(inside.size()))
    tasks *= getTiles(m);
  for (unsigned m : inside) {
    int64_t tiles = getTiles(m);
    if (tiles == 1)
      continue;
    for (int64_t parts = llvm::divideCeil(bytes, most); bytes > most; ++parts) {
      int64_t enough = llvm::divideCeil(target.getEnoughIterations(), tasks);
      parts = std::min(std::max(parts, enough), tiles);
      blocks[m] = llvm::divideCeil(tiles, parts);
      bytes = getRowBytes();
      if (parts == tiles)
        break;
    }
    tasks *= llvm::divideCeil(tiles, blocks[m]);
    if (bytes <= most)
      break;
  }
  if (llvm::all_of(blocks, [](int64_t count) { return count == 0; }))
    blocks.clear();
  return blocks;
}

/// Rows times columns of accumulators: each element of one operand is loaded
/// once for all columns, each of the other once for all rows. The rows are
/// those of the loops `reuses`: of the first, or of all of it and some of the
/// second.
void Enumerator::addRegisterTiles(unsigned member, ArrayRef<unsigned> reuses,
                                  StmtOp heaviest, double cost) {
  unsigned reuse = reuses.front(), vector = *band.getIterator(heaviest, member);
  int64_t extent = band.getExtent(member), inner = band.getExtent(reuse);
  int64_t outer = reuses.size() > 1 ? band.getExtent(reuses[1]) : 1;
  double own = getVectorCost(scop, heaviest, vector);
  const InstructionSet &isa = target.tiledFor;
  double registers = double(isa.countRegisters(target.getVectorBytes()));
  double inFlight = double(isa.countInFlight(isa.vectorBytes));
  double panelWeight = target.costs.secondCacheLoad / target.costs.simple;
  // What the lanes cost is counted for full vectors, but where one is all.
  double vectorsOf =
      extent <= target.lanes ? 1 : double(extent) / double(target.lanes);
  double single = vectorsOf * double(inner * outer) *
                  (registers + kLoadWeight * (1 + registers));
  SmallVector<unsigned> inside;
  for (unsigned m = 0; m < band.size(); ++m)
    if (m != reuse)
      inside.push_back(m);
  inside.push_back(reuse);
  auto addTile = [&](int64_t vectors, int64_t rows, int64_t times) {
    int64_t size = vectors * target.lanes;
    double wide = registers * double(vectors);
    int64_t copies = countCopies(
        heaviest,
        isa.countCopies(rows * times, vectors * target.getVectorBytes()));
    bool streams = getBytes(heaviest, vector, /*asVectors=*/true,
                            {{vector, size}}) > target.getBlockBytes();
    // One step of the reduction of one tile: multiply-adds, as long as one
    // takes at least, and loads.
    auto getStep = [&](int64_t count) {
      return count == 0 ? 0
                        : std::max(wide * double(count), inFlight) +
                              kLoadWeight * (double(count) + wide) +
                              (streams ? panelWeight * wide : 0);
    };
    auto getSteps = [&](int64_t of, int64_t at, int64_t beside) {
      return double(of / at) * getStep(at * beside) + getStep(of % at * beside);
    };
    double steps = times == 1 ? double(outer) * getSteps(inner, rows, 1)
                              : getSteps(outer, times, inner);
    SmallVector<int64_t> tile = getTile(member, size);
    tile[reuse] = rows;
    if (times > 1)
      tile[reuses[1]] = times;
    double total = cost - own + own * countTiles(extent, size) * steps / single;
    // The reusing loop innermost: the panel that its tiles share (all of the
    // reduction, one tile wide) stays in the second-level cache. Otherwise the
    // rows do, and the panels are read again for each of their tiles.
    double again = own * kLoadWeight / double(rows * times);
    ArrayRef<unsigned> order;
    if (!llvm::is_sorted(inside))
      order = inside;
    // The rows are read again for each panel: from farther away where they are
    // more than that cache holds. Then blocks of them stay there.
    double far = 0;
    if (SmallVector<int64_t> blocks = getBlocks(heaviest, member, tile, inside);
        !blocks.empty()) {
      far = own * kLoadWeight / double(size);
      double panels = 1;
      for (auto [m, count] : llvm::enumerate(blocks))
        if (count > 0)
          panels *= countTiles(band.getExtent(m), tile[m] * count);
      add("tiles", tile,
          total + own * kLoadWeight * panels / double(inner * outer), member,
          order, 0, copies, blocks);
    }
    add("tiles", tile, total + far, member, order, 0, copies);
    if (!order.empty())
      add("tiles", tile, total + again, member, {}, 0, copies);
  };
  for (int64_t vectors = 1;
       vectors == 1 ||
       (isa.holds(vectors * target.getVectorBytes()) &&
        vectors <= int64_t(llvm::divideCeil(extent, target.lanes)));
       ++vectors) {
    int64_t most = target.getRows(vectors);
    for (int64_t rows : getRowCounts(inner, most))
      addTile(vectors, rows, 1);
    for (int64_t times = std::min(most / std::max<int64_t>(1, inner), outer);
         times > 1; --times)
      addTile(vectors, inner, times);
  }
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
  int64_t chunk = target.getBlockElements();
  bool split = others < target.getEnoughIterations() || extent > 4 * chunk;
  SmallVector<int64_t> sizes = {extent};
  if (chunk < extent)
    sizes.insert(split ? sizes.begin() : sizes.end(), chunk);
  if (chunk / 4 < extent)
    sizes.push_back(chunk / 4);
  for (auto [rank, size] : llvm::enumerate(sizes))
    add("tiles", getTile(member, size),
        cost + double(rank) * countTiles(extent, size), member);
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
  auto addBlock = [&](ArrayRef<int64_t> tile, int64_t rows, double factor) {
    int64_t wide =
        std::max<int64_t>(1, target.getVectorsInFlight() / rows) * target.lanes;
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
  int64_t most = std::clamp<int64_t>(fits, 1, target.getRows(1));
  auto getSteps = [&](int64_t rows) {
    return double(extent) + kLoadWeight * countTiles(extent, rows);
  };
  for (int64_t rows : getRowCounts(extent, most))
    addBlock(getTile(reuse, rows), rows, getSteps(rows) / getSteps(most));
  if (most < target.getRows(1))
    space.refused.push_back({"rows_" + std::to_string(target.getRows(1)),
                             "more than " + std::to_string(most) +
                                 " rows do not stay in the first-level cache"});
}

/// The loops as they are, with and without rows that are fetched ahead.
void Enumerator::addInner(double cost) {
  SmallVector<int64_t> prefetch = findPrefetches(poly, schedule, space.refused);
  if (!prefetch.empty())
    add("inner", getTile(), cost, {}, {}, 0, 1, 0, prefetch);
  // Each line that comes late is waited for.
  add("inner", getTile(),
      cost + countLines(scop, prefetch) * target.costs.secondCacheLoad /
                 target.costs.simple);
}

ConfigSpace Enumerator::run() {
  // On a tie the innermost member: its neighbours in memory follow.
  for (unsigned m = band.size(); m-- > 0;)
    addMember(m);
  std::optional<ColumnLoop> columns = findColumnLoop(poly, schedule);
  if (columns)
    addRows(*columns);
  // Without blocks the rows share no loads.
  if (band.hasLoopsBelow() || space.candidates.empty())
    addInner(band.getInnerCost() * (columns ? 1 + kLoadWeight : 1));
  return std::move(space);
}

ConfigSpace enumerateConfigs(const PolyScop &poly,
                             const isl::schedule &schedule) {
  return Enumerator(poly, schedule).run();
}

double predictSettled(const PolyScop &poly, const isl::schedule &schedule,
                      const Candidate &candidate, ConfigAttr settled) {
  ScopOp scop = poly.getOp();
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
  return candidate.predicted + lost * getTargetInfo(scop).costs.simple;
}

} // namespace fusec::poly
