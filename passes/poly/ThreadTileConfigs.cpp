// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The configs of a GPU whose blocks share what a contraction reads: each
// element of an operand is loaded once for a block into shared memory, and from
// there once for all points that a thread has in registers.
#include "passes/poly/Enumerator.h"

#include "dialects/AffineRanges.h"
#include "passes/poly/Bands.h"
#include "passes/poly/CostModel.h"
#include "passes/poly/DepthBlocks.h"
#include "passes/poly/SplitLoops.h"

using namespace mlir;
using fusec::sched::Combine;
using fusec::sched::ConfigAttr;
using fusec::sched::StmtOp;

namespace fusec::poly {

namespace {

/// Threads of a block and points of each along one member of the band.
struct Share {
  unsigned member;
  int64_t threads, points;
};
using Shares = SmallVector<Share, 2>;

/// The tiles of a contraction.
class TileSpace {
public:
  TileSpace(const OuterBand &band, StmtOp stmt, const TargetInfo &target,
            ArrayRef<Value> arrays, unsigned reduced)
      : band(band), stmt(stmt), target(target), mp(*target.multiprocessor),
        arrays(arrays), reduced(reduced) {}

  /// Shares of the loops `members`, of which the first has most, for up to
  /// `threads` threads with up to `points` points each.
  std::vector<Shares> getShares(ArrayRef<unsigned> members, int64_t threads,
                                int64_t points) const;
  /// Iterations of the reduction's outermost loop for about `steps` of it all;
  /// 0 if that is all.
  int64_t getDepth(int64_t steps) const;
  /// Nanoseconds; nothing, with why in `refusal`, where a block takes more than
  /// there is. A block has `split` iterations of the reduction; 0 are all.
  std::optional<double> predict(ArrayRef<int64_t> tile,
                                ArrayRef<int64_t> points, int64_t depth,
                                int64_t split, std::string &refusal) const;
  /// Parts that one reduction should have at most, of tiles of `threads`, so
  /// that all cores have work.
  int64_t getMostParts(ArrayRef<int64_t> tile, int64_t threads,
                       int64_t depth) const;
  /// Iterations of a reduction of `parts`, in whole blocks of `depth`.
  int64_t getSplit(int64_t parts, int64_t depth) const;

private:
  int64_t countReductions() const;

  const OuterBand &band;
  mutable StmtOp stmt;
  const TargetInfo &target;
  const Multiprocessor &mp;
  ArrayRef<Value> arrays;
  unsigned reduced;
};

} // namespace

/// `tile` in tiles of one size, of whole `points`.
static int64_t balance(int64_t extent, int64_t threads, int64_t points) {
  int64_t tiles = countTiles(extent, threads * points);
  return llvm::divideCeil(llvm::divideCeil(extent, tiles), points);
}

std::vector<Shares> TileSpace::getShares(ArrayRef<unsigned> members,
                                         int64_t threads,
                                         int64_t points) const {
  std::vector<Shares> result;
  unsigned first = members.front();
  int64_t extent = std::max<int64_t>(1, band.getExtent(first));
  if (points <= extent)
    result.push_back({{first, balance(extent, threads, points), points}});
  if (members.size() == 1)
    return result;
  // Where the first is short, threads and points along the second too.
  unsigned second = members[1];
  int64_t other = std::max<int64_t>(1, band.getExtent(second));
  if (!result.empty())
    if (int64_t left = threads / result.front().front().threads; left > 1) {
      Shares both = result.front();
      both.push_back({second, balance(other, std::min(left, other), 1), 1});
      result.push_back(both);
    }
  int64_t along = balance(extent, threads, 1);
  if (int64_t own = std::min(points, other); own > 1) {
    own = llvm::divideCeil(other, int64_t(countTiles(other, own)));
    int64_t left = std::max<int64_t>(1, threads / along);
    result.push_back(
        {{first, along, 1}, {second, balance(other, left, own), own}});
  }
  return result;
}

int64_t TileSpace::countReductions() const {
  int64_t count = 1;
  for (int64_t dim : stmt.getReduced())
    count *= std::max<int64_t>(1, stmt.getExtents()[dim]);
  return count;
}

int64_t TileSpace::getDepth(int64_t steps) const {
  int64_t extent = std::max<int64_t>(1, stmt.getExtents()[reduced]);
  int64_t inner = countReductions() / extent;
  int64_t depth = std::max<int64_t>(2, steps / inner);
  if (depth >= extent)
    return 0;
  // Blocks of one size have constant bounds.
  for (int64_t even = depth; even > 1 && even > depth / 2; --even)
    if (extent % even == 0)
      return even;
  return depth;
}

std::optional<double> TileSpace::predict(ArrayRef<int64_t> tile,
                                         ArrayRef<int64_t> points,
                                         int64_t depth, int64_t split,
                                         std::string &refusal) const {
  int64_t threads = 1, own = 1;
  const int64_t extent = std::max<int64_t>(1, stmt.getExtents()[reduced]);
  const int64_t ofPart = split > 0 ? split : extent;
  if (depth == 0)
    depth = ofPart;
  double blocks = 1;
  SmallVector<IndexRange> ofBlock, ofThread;
  for (auto [dim, whole] : llvm::enumerate(stmt.getExtents())) {
    bool isReduced = llvm::is_contained(stmt.getReduced(), int64_t(dim));
    ofBlock.push_back({0, (dim == reduced ? depth
                           : isReduced    ? std::max<int64_t>(1, whole)
                                          : 1) -
                              1});
    ofThread.push_back({0, 0});
  }
  for (unsigned m = 0; m < band.size(); ++m) {
    threads *= tile[m] / points[m];
    own *= points[m];
    blocks *= countTiles(band.getExtent(m), tile[m]);
    if (auto dim = band.getIterator(stmt, m)) {
      ofBlock[*dim].high = tile[m] - 1;
      ofThread[*dim].high = points[m] - 1;
    }
  }
  threads = llvm::alignTo(threads, mp.warp);
  if (threads > mp.blockThreads) {
    refusal = std::to_string(threads) + " threads";
    return std::nullopt;
  }
  // Elements that a block has in shared memory, and loads of a thread in each
  // step of the reduction.
  double elements = 0, bytes = 0, loads = 0;
  for (const Access &access : getAccesses(stmt)) {
    if (access.write || llvm::is_contained(arrays, access.memref))
      continue;
    double ofAll = 1, ofOne = 1;
    for (AffineExpr expr : access.map.getResults()) {
      IndexRange all = rangeOf(expr, ofBlock), one = rangeOf(expr, ofThread);
      if (!all.low || !all.high || !one.low || !one.high)
        continue;
      ofAll *= double(*all.high - *all.low + 1);
      ofOne *= double(*one.high - *one.low + 1);
    }
    elements += ofAll;
    bytes += ofAll *
             double(llvm::divideCeil(
                 getComputeType(
                     cast<MemRefType>(access.memref.getType()).getElementType())
                     .getIntOrFloatBitWidth(),
                 8));
    loads += ofOne;
  }
  if (bytes > double(mp.staticSharedBytes)) {
    refusal = std::to_string(int64_t(bytes)) + " bytes of shared memory";
    return std::nullopt;
  }
  int64_t words = llvm::divideCeil(stmt.getLaneBytes(), 4);
  int64_t registers = words * (own * int64_t(arrays.size()) + int64_t(loads)) +
                      mp.otherRegisters;
  // Which part it is, where that goes, and what is read of the others.
  if (split > 0)
    registers += mp.otherRegisters / 2;
  if (registers > mp.threadRegisters || registers * threads > mp.registers) {
    refusal = std::to_string(registers) + " registers in " +
              std::to_string(threads) + " threads";
    return std::nullopt;
  }
  // What a warp does, and how long it waits for the loads of each block of the
  // reduction.
  int64_t inner = countReductions() / extent;
  double warps = double(threads / mp.warp), steps = double(inner * ofPart);
  double parts = countTiles(ofPart, depth);
  double step = double(own) + loads * target.costs.getSharedWeight();
  if (own * inner * depth > target.tiledFor->loopOperations)
    step += target.costs.loop / target.costs.simple;
  double work =
      steps * step +
      parts * elements / double(threads) *
          (double(mp.copySteps) +
           mp.schedulers * target.costs.vectorAccess / target.costs.simple) +
      double(own) * target.costs.vectorAccess / target.costs.simple;
  double waits = parts * double(mp.memoryLatency + 2 * mp.sharedLatency);
  // Blocks that are on a multiprocessor together hide each other's.
  double resident = std::max<double>(
      1,
      std::min({std::floor(double(mp.registers) / double(registers * threads)),
                bytes > 0 ? std::floor(double(mp.sharedBytes) / bytes) : 32,
                std::floor(double(mp.threads) / double(threads))}));
  double multiprocessors = double(target.cores) / mp.schedulers;
  blocks *= countTiles(extent, ofPart);
  double left = std::ceil(blocks / multiprocessors), time = 0;
  auto getRound = [&](double together) {
    return std::max(std::ceil(together * warps / mp.schedulers) * work,
                    work + waits);
  };
  time += std::floor(left / resident) * getRound(resident);
  if (double rest = std::fmod(left, resident); rest > 0)
    time += getRound(rest);
  return time * target.costs.simple;
}

int64_t TileSpace::getMostParts(ArrayRef<int64_t> tile, int64_t threads,
                                int64_t depth) const {
  double tiles = 1;
  for (unsigned m = 0; m < band.size(); ++m)
    tiles *= countTiles(band.getExtent(m), tile[m]);
  // Half of the threads that can be on the multiprocessors.
  double busy = double(target.cores / mp.schedulers * mp.threads) / 2;
  auto wanted = int64_t(busy / (tiles * double(threads)));
  int64_t extent = std::max<int64_t>(1, stmt.getExtents()[reduced]);
  return std::min(wanted, extent / std::max<int64_t>(1, depth));
}

int64_t TileSpace::getSplit(int64_t parts, int64_t depth) const {
  int64_t extent = std::max<int64_t>(1, stmt.getExtents()[reduced]);
  return llvm::alignTo(llvm::divideCeil(extent, parts),
                       std::max<int64_t>(1, depth));
}

/// What the heaviest statement loads for each of its products; 0 where it is no
/// sum of products.
double Enumerator::countProductLoads() const {
  StmtOp heaviest = findHeaviest();
  double loads = 0;
  for (const Access &access : getAccesses(heaviest))
    loads +=
        !access.write && !llvm::is_contained(scop.getArrays(), access.memref);
  return heaviest.isReduction() && loads > 1 ? loads : 0;
}

double Enumerator::getLoadTime() const {
  return getInstances(findHeaviest()) * countProductLoads() *
         target.costs.vectorAccess / double(target.lanes * target.cores);
}

double Enumerator::getLoadWaits() const {
  if (countProductLoads() == 0)
    return 0;
  StmtOp heaviest = findHeaviest();
  double steps = 1;
  for (int64_t dim : heaviest.getReduced())
    steps *= double(std::max<int64_t>(1, heaviest.getExtents()[dim]));
  const Multiprocessor &mp = *target.multiprocessor;
  return steps * double(mp.memoryLatency) / double(mp.loadsInFlight) *
         target.costs.simple;
}

void Enumerator::addThreadTiles(unsigned along) {
  StmtOp heaviest = findHeaviest();
  auto refuse = [&](const Twine &reason) {
    space.refused.push_back({"tiles", reason.str()});
  };
  std::optional<unsigned> iterator = band.getIterator(heaviest, along);
  if (!heaviest.isReduction() || !iterator)
    return refuse("its heaviest statement reduces nothing in loops of threads");
  SmallVector<unsigned> rows = band.findReuses(heaviest, *iterator);
  if (rows.empty())
    return refuse("no operand is read by several threads");
  SmallVector<unsigned> columns =
      band.findReuses(heaviest, *band.getIterator(heaviest, rows.front()));
  if (!llvm::is_contained(columns, along))
    return refuse("what neighbouring threads read is shared by none");
  llvm::erase_if(columns, [&](unsigned m) {
    return m == along || llvm::is_contained(rows, m);
  });
  columns.insert(columns.begin(), along);
  isl::schedule_node reduction =
      findReduction(schedule, poly.getStmt(heaviest.getSymName()));
  if (reduction.is_null())
    return refuse("its reduction has no loop");
  auto outermost =
      getMemberIterators(reduction.as<isl::schedule_node_band>(), 0);
  auto reduced = outermost.find(heaviest.getSymName().str());
  if (reduced == outermost.end())
    return refuse("the loop of its reduction is askew");
  SmallVector<Value> arrays(llvm::map_range(
      scop.getArrays(), [](BlockArgument array) { return Value(array); }));
  TileSpace tiles(band, heaviest, target, arrays, reduced->second);
  SmallVector<int64_t> members;
  for (unsigned m = 0; m < band.size(); ++m)
    if (m != along)
      members.push_back(m);
  members.push_back(along);
  if (llvm::is_sorted(members))
    members.clear();
  std::string refusal, whole;
  auto loop = findSplitLoop(poly, schedule, whole, /*ofTiles=*/true);
  SmallVector<std::pair<StringRef, Combine>> combines;
  if (loop)
    combines.push_back({"tiles_last_block", Combine::last_block});
  if (loop && explainNotAdded(poly, *loop).empty())
    combines.push_back({"tiles_atomic", Combine::atomic});
  bool isAny = false;
  llvm::DenseSet<Attribute> known;
  // Parts of the reduction for blocks: as many as are expected to take least.
  auto addParts = [&](ConfigAttr config, StringRef family, Combine combine) {
    const Multiprocessor &mp = *target.multiprocessor;
    std::optional<double> best;
    int64_t bestParts = 0, bestSplit = 0, own = 1;
    for (int64_t points : config.getPoints())
      own *= points;
    double access = target.costs.vectorAccess / target.costs.simple;
    int64_t most = tiles.getMostParts(config.getTile(), config.getVector(),
                                      config.getDepth());
    for (int64_t wanted = 2; wanted <= most; ++wanted) {
      // Of many, those that are twice as many tell more.
      if (wanted > 4)
        wanted = std::min(2 * (wanted - 1), most);
      int64_t split = tiles.getSplit(wanted, config.getDepth());
      auto parts = int64_t(countTiles(getExtent(*loop, 0), split));
      auto predicted = tiles.predict(config.getTile(), config.getPoints(),
                                     config.getDepth(), split, refusal);
      if (!predicted || parts < 2)
        break;
      // The last block waits for what the others have stored.
      double more = combine == Combine::atomic
                        ? double(parts * mp.atomicCycles)
                        : getTicketSteps() + double(parts * mp.memoryLatency) +
                              double(parts * own) * access;
      *predicted += (more + double(own) * access) * target.costs.simple;
      if (best && *best <= *predicted)
        break;
      best = predicted;
      bestParts = parts;
      bestSplit = split;
    }
    isAny |= best.has_value();
    if (best)
      insertForGpu(config.withSplit(bestSplit, combine), family, along, *best,
                   bestParts);
  };
  auto addTile = [&](const Shares &down, const Shares &across, int64_t depth) {
    SmallVector<int64_t> tile = getTile(), points = getTile();
    int64_t threads = 1;
    for (const Shares *shares : {&down, &across})
      for (const Share &share : *shares) {
        tile[share.member] = share.threads * share.points;
        points[share.member] = share.points;
        threads *= share.threads;
      }
    if (threads < target.multiprocessor->warp)
      return;
    auto config = ConfigAttr::get(
        scop.getContext(), "default", tile, members,
        llvm::alignTo(threads, target.multiprocessor->warp),
        /*columns=*/0, target.tiledFor->loopOperations,
        /*accumulators=*/0, /*blocks=*/{}, depth,
        SmallVector<int64_t>(poly.getStmts().size(), -1), /*prefetch=*/{},
        /*stream=*/{}, /*split=*/0, Combine::atomic, /*grain=*/0, points,
        /*width=*/1);
    // Short loops have one tile, whatever a block may have.
    if (!known.insert(config).second)
      return;
    if (auto predicted = tiles.predict(tile, points, depth, 0, refusal)) {
      isAny = true;
      insertForGpu(config, "tiles", along, *predicted);
    }
    for (auto [family, combine] : combines)
      addParts(config, family, combine);
  };
  for (int64_t pointsDown : {8, 4, 2, 1})
    for (int64_t pointsAcross : {8, 4, 2, 1})
      for (int64_t threadsDown : {16, 8, 4})
        for (int64_t threadsAcross : {32, 16, 8})
          for (const Shares &down :
               tiles.getShares(rows, threadsDown, pointsDown))
            for (const Shares &across :
                 tiles.getShares(columns, threadsAcross, pointsAcross))
              for (int64_t depth : {tiles.getDepth(32), tiles.getDepth(16),
                                    tiles.getDepth(8), int64_t(0)})
                addTile(down, across, depth);
  if (!isAny)
    refuse("a block would take " +
           (refusal.empty() ? "less than a warp" : refusal));
}

} // namespace fusec::poly
