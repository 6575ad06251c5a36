// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of the outer band with lanes along one of its loops.
#include "passes/poly/configs/CpuConfigs.h"
#include "passes/poly/tree/CostModel.h"
#include "passes/poly/tree/Strides.h"

using namespace mlir;
using fusec::sched::StmtOp;

namespace fusec::poly {

namespace {

class TileProposer : ConfigProposer {
public:
  using ConfigProposer::ConfigProposer;

  void addMember(unsigned member);

private:
  void addColumns(unsigned member, double cost);
  void addChunks(unsigned member, double cost);
  void addSquares(unsigned member, double cost);
  bool isTransposed(StmtOp stmt, unsigned member, unsigned row);
  void addTransposed(unsigned member, double cost);
  void add(const CpuDecision &decision, double cost) {
    addForCpu(group, space, "tiles", decision, cost);
  }
};

} // namespace

/// Several columns of accumulators, which hide what it takes to add to one.
void TileProposer::addColumns(unsigned member, double cost) {
  int64_t extent = band.getExtent(member), lane = heaviest.getLaneBytes();
  int64_t most = target.getVectorsInFlight(lane);
  most = std::clamp<int64_t>(llvm::divideCeil(extent, target.lanes), 1, most);
  // A column takes as long as all that fit beside it.
  for (int64_t vectors = most; vectors >= 1; --vectors)
    add({getTile(member, vectors * target.lanes), member, /*order=*/{},
         /*columns=*/0,
         countCopies(heaviest, target.tiledFor->countCopies(
                                   1, vectors * target.getVectorBytes(lane)))},
        cost * countTiles(extent, vectors * target.lanes) /
            countTiles(extent, most * target.lanes));
}

/// Of elementwise work, chunks that hide what a parallel iteration costs and
/// stay in the first-level cache; for threads too, where the other loops give
/// them too little.
void TileProposer::addChunks(unsigned member, double cost) {
  int64_t extent = std::max<int64_t>(1, band.getExtent(member));
  int64_t others = 1;
  for (unsigned m = 0; m < band.size(); ++m)
    if (m != member)
      others *= std::max<int64_t>(1, band.getExtent(m));
  int64_t chunk = target.getBlockElements(heaviest.getLaneBytes());
  bool split = others < target.getEnoughIterations() || extent > 4 * chunk;
  SmallVector<int64_t> sizes = {extent};
  if (chunk < extent)
    sizes.insert(split ? sizes.begin() : sizes.end(), chunk);
  if (chunk / 4 < extent)
    sizes.push_back(chunk / 4);
  for (auto [rank, size] : llvm::enumerate(sizes))
    add({getTile(member, size), member},
        cost + double(rank) * countTiles(extent, size));
  addSquares(member, cost);
  addTransposed(member, cost);
}

/// Whether `stmt` loads along loop `member` of the band and stores along `row`.
bool TileProposer::isTransposed(StmtOp stmt, unsigned member, unsigned row) {
  std::optional<unsigned> lanes = band.getIterator(stmt, member);
  std::optional<unsigned> rows = band.getIterator(stmt, row);
  return lanes && rows && stmt.getNumIterators() == band.size() &&
         llvm::all_of(getAccesses(stmt), [&](const Access &access) {
           return getStride(access, access.write ? *rows : *lanes) == 1;
         });
}

/// Of what is loaded along `member` and stored along another loop, tiles of a
/// cache line of each, which are transposed in registers: a load and a store of
/// a vector, and as many exchanges between registers as halve it. Other
/// statements have the same tiles.
void TileProposer::addTransposed(unsigned member, double cost) {
  if (band.getExtent(member) < target.lanes)
    return;
  for (unsigned m = 0; m < band.size(); ++m) {
    double transposed = 0;
    int64_t most = 0;
    for (const PolyStmt &stmt : group.poly.getStmts())
      if (m != member && isTransposed(stmt.op, member, m)) {
        transposed += getInstances(stmt.op);
        most = std::max(most, target.cacheLine / stmt.op.getLaneBytes());
      }
    if (transposed == 0)
      continue;
    // Loops of fewer rows at the end would not be unrolled.
    int64_t rows = most;
    while (rows > 1 && band.getExtent(m) % rows != 0)
      --rows;
    SmallVector<int64_t> tile = getTile(member, target.lanes);
    tile[m] = rows;
    // Of each element, in place of a store.
    const double stores =
        double(1 + llvm::Log2_64(target.lanes)) / double(rows);
    if (stores >= 1)
      continue;
    add({tile, member, /*order=*/{}, /*columns=*/0, /*unroll=*/rows},
        cost - transposed * (1 - stores));
  }
}

/// Of what one operand lies along another loop for, as of a transpose, tiles of
/// both: lines that lanes take an element each of are used up while they stay
/// in the first-level cache.
void TileProposer::addSquares(unsigned member, double cost) {
  StmtOp stmt = heaviest;
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
    rows = std::min(rows, band.getExtent(member));
    SmallVector<int64_t> tile =
        getTile(member, llvm::alignDown(std::max(rows, line), line));
    tile[m] = line;
    // What is as fast by this model has simpler loops: squares come behind it.
    if (tile[member] <= band.getExtent(member) && line < band.getExtent(m))
      add({tile, member}, cost + 3 * countTiles(band.getExtent(m), line));
  }
}

void TileProposer::addMember(unsigned member) {
  double cost = band.getMemberCost(member);
  if (cost == std::numeric_limits<double>::infinity()) {
    space.refuse(
        "tiles_along_" + Twine(member),
        "a statement has no loop that this loop of the band runs over");
    return;
  }
  if (!band.hasLoopsBelow())
    return addChunks(member, cost);
  std::optional<unsigned> vector = band.getIterator(heaviest, member);
  SmallVector<unsigned> reuses;
  if (vector)
    reuses = band.findReuses(heaviest, *vector);
  if (!reuses.empty())
    return proposeRegisterTiles(group, member, reuses, cost, space);
  addColumns(member, cost);
}

void proposeTiles(const ScheduledScop &group, ConfigSpace &space) {
  // On a tie the innermost member: its neighbours in memory follow.
  for (unsigned m = group.band.size(); m-- > 0;)
    TileProposer(group, space).addMember(m);
}

} // namespace fusec::poly
