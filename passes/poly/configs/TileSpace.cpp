// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/configs/TileSpace.h"

#include "dialects/TypeInfo.h"
#include "passes/poly/configs/ConfigProposers.h"
#include "passes/poly/tree/CostModel.h"
#include "passes/poly/tree/Strides.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::StmtOp;

namespace fusec::poly {

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

std::optional<int64_t> TileSpace::getEvenDepth(int64_t depth) const {
  const int64_t extent = stmt.getExtents()[reduced];
  if (extent % depth != 0)
    return std::nullopt;
  return depth == extent ? 0 : depth;
}

bool TileSpace::canCopyAsync() const {
  return mp.copyBytes > 0 &&
         llvm::all_of(getAccesses(stmt), [&](const Access &access) {
           Type element =
               cast<MemRefType>(access.memref.getType()).getElementType();
           return access.write || llvm::is_contained(arrays, access.memref) ||
                  (element == getComputeType(element) &&
                   element.getIntOrFloatBitWidth() >= 32);
         });
}

SmallVector<IndexRange> getBlockRanges(const OuterBand &band, StmtOp stmt,
                                       unsigned reduced, ConfigAttr config) {
  SmallVector<IndexRange> ranges;
  for (auto [dim, whole] : llvm::enumerate(stmt.getExtents())) {
    int64_t extent = llvm::is_contained(stmt.getReduced(), int64_t(dim)) &&
                             config.getMatrices().empty()
                         ? std::max<int64_t>(1, whole)
                         : 1;
    if (dim == reduced)
      extent = config.getDepth() > 0   ? config.getDepth()
               : config.getSplit() > 0 ? config.getSplit()
                                       : std::max<int64_t>(1, whole);
    ranges.push_back({0, extent - 1});
  }
  for (auto [m, size] : llvm::enumerate(config.getTile()))
    if (auto dim = band.getIterator(stmt, m))
      ranges[*dim].high = size - 1;
  return ranges;
}

std::optional<double> TileSpace::predict(ConfigAttr config,
                                         std::string &refusal) const {
  ArrayRef<int64_t> tile = config.getTile(), points = config.getPoints();
  const MatrixUnit *unit = mp.getMatrixUnit(config.getMatrices());
  int64_t depth = config.getDepth(), split = config.getSplit(),
          stages = config.getStages();
  int64_t threads = 1, own = 1;
  const int64_t extent = std::max<int64_t>(1, stmt.getExtents()[reduced]);
  const int64_t ofPart = split > 0 ? split : extent;
  if (depth == 0)
    depth = ofPart;
  double parts = countTiles(ofPart, depth);
  if (double(stages) > parts) {
    refusal = std::to_string(stages) + " stages of fewer blocks of a reduction";
    return std::nullopt;
  }
  // Around the blocks of terms of matrices stands what else is reduced.
  const int64_t others = countReductions() / extent;
  if (unit)
    parts *= double(others);
  double blocks = 1;
  SmallVector<IndexRange> ofBlock = getBlockRanges(band, stmt, reduced, config);
  SmallVector<IndexRange> ofThread(ofBlock.size(), {0, 0});
  for (unsigned m = 0; m < band.size(); ++m) {
    threads *= tile[m] / points[m];
    own *= points[m];
    blocks *= countTiles(band.getExtent(m), tile[m]);
    if (auto dim = band.getIterator(stmt, m))
      ofThread[*dim].high = points[m] - 1;
  }
  threads = llvm::alignTo(threads, mp.warp);
  if (threads > mp.blockThreads) {
    refusal = std::to_string(threads) + " threads";
    return std::nullopt;
  }
  // Elements that a block has in shared memory, and loads of a thread in each
  // step of the reduction.
  double elements = 0, single = 0, bytes = 0, loads = 0;
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
    // Rows that begin anywhere are copied one element at a time.
    if (!access.map.getResults().empty() &&
        !isa<AffineDimExpr>(access.map.getResults().back()))
      single += ofAll;
    Type element = cast<MemRefType>(access.memref.getType()).getElementType();
    if (!unit)
      element = getComputeType(element);
    bytes +=
        ofAll * double(llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
    loads += ofOne;
  }
  bytes *= double(stages);
  if (bytes > double(mp.getArrayBytes())) {
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
  const int64_t inner = unit ? 1 : others;
  double warps = double(threads / mp.warp), steps = double(others * ofPart);
  double step = double(own) + loads * target.costs.getSharedWeight();
  // Of matrices, a load gets a thread as many elements as its word has, and
  // brings a copy as many.
  double copies = parts * elements / double(threads);
  double copy = double(stages > 1 || unit ? mp.asyncSteps : mp.copySteps),
         arrival =
             mp.schedulers * target.costs.vectorAccess / target.costs.simple;
  if (unit) {
    const double narrow = bytes / double(stages) / elements / 4;
    // Parts of f32 are multiplied half as fast as numbers of 16 bits. To split
    // a number takes three steps, and threads of a warp share that.
    const int64_t products = unit->products;
    step = double(own * unit->bytes * products) / (2 * mp.matrixSpeed) +
           double(products - 1) / 4 * loads +
           loads * target.costs.getSharedWeight() * narrow +
           target.costs.loop / target.costs.simple / double(unit->terms);
    const double share = single / elements;
    copy = share * double(mp.copySteps) +
           (1 - share) * copy * narrow * 4 / double(mp.accessBytes);
    arrival *= narrow;
  }
  if (own * inner * depth > target.tiledFor->loopOperations)
    step += target.costs.loop / target.costs.simple;
  // They are multiplied so fast that what a block does for each part shows.
  const double turns = unit ? parts * double(mp.combineLatency) : 0;
  double work = steps * step + turns + copies * (copy + arrival) +
                double(own) * target.costs.vectorAccess / target.costs.simple;
  // Its warps wait together.
  double waits = parts * double(mp.memoryLatency + 2 * mp.sharedLatency);
  double blockWork = std::ceil(warps / mp.schedulers) * work;
  // What is loaded ahead arrives while the stages before are computed with; a
  // copy of one element is no load ahead.
  if (stages > 1 && (!unit || single == 0)) {
    double left =
        double(mp.memoryLatency) - double(stages - 1) * blockWork / parts;
    waits = double(mp.memoryLatency) +
            parts * (double(mp.sharedLatency) + std::max(0.0, left));
  }
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
                    blockWork + waits);
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

} // namespace fusec::poly
