// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The configs of a GPU whose blocks turn what neighbouring threads read across
// memory: a block loads a tile of it along its rows into shared memory, and its
// threads read the columns there.
#include "passes/poly/configs/GpuConfigs.h"
#include "passes/poly/tree/CostModel.h"
#include "passes/poly/tree/Strides.h"

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::StmtOp;

namespace fusec::poly {

/// Memory operations, beyond the one that loads it along its rows, of what a
/// warp moves through shared memory: a store and a load there.
static constexpr double kThroughShared = 2;

namespace {

class TransposeProposer : GpuProposer {
public:
  using GpuProposer::GpuProposer;

  void run();

private:
  std::optional<unsigned> findAcross(StmtOp stmt, const Access &access,
                                     unsigned along) const;
};

} // namespace

/// The member of the band that follows `access` in memory where `along` goes
/// across it; nothing where that does not, or where it is computed.
std::optional<unsigned> TransposeProposer::findAcross(StmtOp stmt,
                                                      const Access &access,
                                                      unsigned along) const {
  auto iterator = band.getIterator(stmt, along);
  if (!iterator || access.write || isLocal(scop, access.memref))
    return std::nullopt;
  std::optional<int64_t> stride = getStride(access, *iterator);
  if (!stride || (*stride >= -1 && *stride <= 1))
    return std::nullopt;
  for (unsigned m = 0; m < band.size(); ++m)
    if (auto other = band.getIterator(stmt, m);
        m != along && other && getStride(access, *other) == 1)
      return m;
  return std::nullopt;
}

void TransposeProposer::run() {
  const unsigned along = findLanes();
  auto refuse = [&](StringRef reason) {
    space.refuse("transposed_tiles", reason);
  };
  if (band.hasLoopsBelow())
    return refuse("a point of its outer band has loops");
  // By member: what goes through memory along it, in memory operations of a
  // thread that a tile saves.
  SmallVector<double> saved(band.size());
  for (const PolyStmt &stmt : poly.getStmts())
    for (const Access &access : getAccesses(stmt.op))
      if (auto m = findAcross(stmt.op, access, along))
        saved[*m] += getInstances(stmt.op) *
                     (1 - (1 + kThroughShared) / double(target.lanes));
  // As wide as a warp, of as many threads as a block usually has.
  const Multiprocessor &mp = *target.multiprocessor;
  const int64_t width = mp.warp, own = width * width / mp.usualThreads;
  const unsigned down = llvm::max_element(saved) - saved.begin();
  if (saved[down] == 0)
    return refuse("its threads read nothing across");
  if (std::min(band.getExtent(along), band.getExtent(down)) < width / 2)
    return refuse("what they read across is too narrow");
  SmallVector<int64_t> tile = getTile(), points = getTile();
  tile[along] = tile[down] = width;
  points[down] = own;
  MLIRContext *context = scop.getContext();
  auto config = ConfigAttr::of(
      context, "default",
      {sched::BlockLevelAttr::get(context, mp.usualThreads, tile,
                                  getOrder(along), /*depth=*/0, /*stages=*/1),
       sched::ThreadLevelAttr::get(context, points,
                                   target.tiledFor->loopOperations,
                                   /*matrices=*/"")});
  double covered = 1;
  for (unsigned m = 0; m < band.size(); ++m)
    covered *= countTiles(band.getExtent(m), tile[m]) * double(tile[m]);
  double warps = covered / double(own * target.lanes);
  insert(config, "transposed_tiles", along,
         getTime((band.getMemberCost(along) - saved[down]) * covered /
                     group.countPoints(),
                 getWarpsWorth(warps, own)));
}

void proposeTransposedTiles(const ScheduledScop &group, ConfigSpace &space) {
  if (group.band.size() > 0)
    TransposeProposer(group, space).run();
}

} // namespace fusec::poly
