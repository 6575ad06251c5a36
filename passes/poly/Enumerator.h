// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lists the configs of a scop: Configs.cpp, RegisterTiles.cpp for the
// tiles of accumulators, and for GPUs ThreadConfigs.cpp, ThreadColumns.cpp,
// ThreadSplitConfigs.cpp, ThreadTileConfigs.cpp and ThreadTransposes.cpp.
#ifndef FUSEC_PASSES_POLY_ENUMERATOR_H
#define FUSEC_PASSES_POLY_ENUMERATOR_H

#include "dialects/TargetInfo.h"
#include "passes/poly/Configs.h"
#include "passes/poly/OuterBand.h"
#include "passes/poly/RowBlocks.h"
#include "passes/poly/Streams.h"
#include "passes/poly/Strides.h"

#include "llvm/Support/MathExtras.h"

namespace fusec::poly {

/// Tiles that `extent` is cut into.
inline double countTiles(int64_t extent, int64_t size) {
  return double(llvm::divideCeil(std::max<int64_t>(1, extent), size));
}

/// Tiles that share blocks of a reduction.
struct BlockedTiles {
  /// As a config says them, and how many tiles a block has.
  llvm::SmallVector<int64_t> blocks;
  int64_t tiles = 0;
  int64_t depth = 0;
  /// What a vector's load of a panel costs more, and what a step of the
  /// reduction of a tile does, in operations.
  double panelLoad = 0, extra = 0;
};

/// Where the tiles of a contraction's accumulators find their operands.
class TileDepth {
public:
  TileDepth(const PolyScop &poly, const isl::schedule &schedule,
            const OuterBand &band, sched::StmtOp stmt, unsigned vector);

  /// What a vector's load costs more than from the first-level cache, in
  /// operations, where tiles of `depth` iterations of the reduction share a
  /// panel; 0 are all.
  double getPanelLoad(llvm::ArrayRef<int64_t> tile, int64_t depth) const;
  /// What a step of the reduction of a tile costs more for rows that are far,
  /// or too many for one set of the first-level cache.
  double getRowLoad(llvm::ArrayRef<int64_t> tile, int64_t depth) const;
  /// What it costs to read panels once more, against rows.
  double getPanelWeight() const;
  /// The best blocks for tiles of `rows` times `wide` registers, where what the
  /// whole reduction reads stays in no cache.
  std::optional<BlockedTiles> find(llvm::ArrayRef<int64_t> tile,
                                   unsigned member,
                                   llvm::ArrayRef<unsigned> order, int64_t rows,
                                   double wide) const;

private:
  llvm::SmallVector<int64_t> getCounts(llvm::ArrayRef<int64_t> tile,
                                       int64_t depth) const;
  llvm::SmallVector<Access> getOperands(bool asVectors) const;
  /// Lines that a step of the reduction loads again although the step before
  /// had them: rows a multiple of many sets apart take each other's place.
  double countEvicted(llvm::ArrayRef<int64_t> tile) const;
  /// Whether it is stored in panels as wide as a vector, one step of the
  /// reduction after the other.
  bool isPacked(const Access &access) const;
  /// Whether the reduction goes through memory in even steps.
  bool isForeseen(const Access &access) const;
  bool findBlocks(llvm::ArrayRef<int64_t> tile, unsigned member,
                  llvm::ArrayRef<unsigned> order, BlockedTiles &result) const;

  const OuterBand &band;
  mutable sched::StmtOp stmt;
  unsigned vector;
  const TargetInfo &target;
  llvm::SmallVector<mlir::Value> arrays;
  /// The iterator of the reduction's outermost loop.
  std::optional<unsigned> reduced;
  bool canBlock = false;
};

/// How many copies the innermost loops of a reduction become, `most` at most.
int64_t countCopies(sched::StmtOp stmt, int64_t most);

/// How many rows a tile may have, the better first.
llvm::SmallVector<int64_t> getRowCounts(int64_t extent, int64_t most);

/// `config` with parts of `split` iterations of its longest reduction for blocks.
sched::ConfigAttr splitAmongBlocks(sched::ConfigAttr config, int64_t split,
                                   sched::Combine combine);

class Enumerator {
public:
  Enumerator(const PolyScop &poly, const isl::schedule &schedule)
      : poly(poly), schedule(schedule), scop(poly.getOp()),
        target(getTargetInfo(scop)), band(scop, schedule),
        streams(findStreams(scop)) {}

  ConfigSpace run();

  /// Nanoseconds that rows take, of which threads share the loops of `settled`,
  /// beyond those in which they share each statement's best ones.
  double getLostTime(sched::ConfigAttr settled) const;

private:
  void addMember(unsigned member);
  void addColumns(unsigned member, sched::StmtOp heaviest, double cost);
  void addRegisterTiles(unsigned member, llvm::ArrayRef<unsigned> reuses,
                        sched::StmtOp heaviest, double cost);
  llvm::SmallVector<int64_t> getBlocks(sched::StmtOp stmt, unsigned member,
                                       llvm::ArrayRef<int64_t> tile,
                                       llvm::ArrayRef<unsigned> order) const;
  void addChunks(unsigned member, double cost);
  void addSquares(unsigned member, double cost);
  void addRows(const ColumnLoop &columns);
  void addInner(double cost);
  void addSplit();
  ConfigSpace runForGpu();
  void addThreads(int64_t most, int64_t width = 1);
  llvm::SmallVector<int64_t> joinTiles(llvm::SmallVector<int64_t> tile,
                                       llvm::ArrayRef<unsigned> order,
                                       int64_t threads) const;
  /// How many points along member `along` have their elements side by side in
  /// all arrays that follow it, in words that begin at multiples of them: as
  /// many as one access moves of the widest; 1 if there is an array whose
  /// elements lie otherwise. Of bands without loops below.
  int64_t findRowWidth(unsigned along) const;
  /// The same of the loops below the band that threads are expected to share.
  int64_t findSharedWidth() const;
  /// Of the outer band.
  double countPoints() const;
  /// What memory operations cost in accesses of `width` elements against such
  /// of one.
  double getRowShare(int64_t width) const;
  void addSharedRows();
  Candidate makeSharedRows(int64_t threads, bool ofWarps, int64_t width) const;
  /// How many neighbouring points of the band the threads of a block may have
  /// as columns at most; 0, with why in `refusal`, if it may have none.
  int64_t countColumns(std::string &refusal) const;
  /// A block of `threads`, which share the loops of `columns` points.
  Candidate makeColumns(int64_t threads, int64_t columns) const;
  void listColumns(std::vector<Candidate> &rows);
  /// What a point of the band has below it.
  struct Row {
    /// Iterations of the longest loop.
    int64_t length = 1;
    /// How often results of threads become one: combined, or selected, where
    /// each of them goes through those of all.
    int64_t combined = 0, selected = 0;
  };
  Row measureRow() const;
  /// Steps of a warp for the results of a row that `team` threads share, where
  /// values are combined in `steps`.
  static double countResultSteps(const Row &row, int64_t team, double steps);
  int64_t getMostRowThreads() const;
  double getRowMoves() const;
  double getRowMoves(int64_t together, bool hasColumns) const;
  double getWarpsWorth(double warps, int64_t width) const;
  sched::ConfigAttr makeForGpu(llvm::ArrayRef<int64_t> tile,
                               llvm::ArrayRef<int64_t> order, int64_t threads,
                               std::optional<sched::Team> team = {},
                               int64_t width = 1) const;
  /// Rows, or columns where they lie side by side, with their longest reduction
  /// split among as many blocks as give all cores work. The last of them runs
  /// what comes after it, or each adds its part to an output.
  void addSplitRows();
  void insertForGpu(sched::ConfigAttr config, llvm::StringRef family,
                    std::optional<unsigned> along, double predicted,
                    int64_t parts = 1);
  double countBusyWarps() const;
  double getBusyTime(double steps, double warps) const;
  double getTime(double steps, double warps) const;
  /// Drawing a ticket takes a trip to memory and back, twice.
  double getTicketSteps() const { return double(target.launchSteps) / 4; }
  /// The members with `along` last, as a config orders them: empty where that
  /// is their own order.
  llvm::SmallVector<int64_t> getOrder(unsigned along) const;
  void addThreadTiles(unsigned along);
  void addTransposedTiles(unsigned along);
  std::optional<unsigned> findAcross(sched::StmtOp stmt, const Access &access,
                                     unsigned along) const;
  /// The loop whose neighbours in memory follow, for threads that all have
  /// theirs along it, and for those that go on along others where it is short.
  unsigned findLanes() const;
  unsigned findNeighbours() const;
  /// Nanoseconds that the loads of the heaviest reduction take where each of
  /// its products has its own, and that a thread waits for them that adds up
  /// all of one point.
  double getLoadTime() const;
  double getLoadWaits() const;
  double countProductLoads() const;
  void add(llvm::StringRef family, llvm::ArrayRef<int64_t> tile, double cost,
           std::optional<unsigned> along = {},
           llvm::ArrayRef<unsigned> order = {}, int64_t columns = 0,
           int64_t unroll = 1, llvm::ArrayRef<int64_t> blocks = {},
           int64_t depth = 0, llvm::ArrayRef<int64_t> prefetch = {},
           int64_t accumulators = 0);
  void insert(Candidate candidate);

  llvm::SmallVector<int64_t> getTile(std::optional<unsigned> member = {},
                                     int64_t size = 1) const {
    llvm::SmallVector<int64_t> tile(band.size(), 1);
    if (member)
      tile[*member] = size;
    return tile;
  }
  sched::StmtOp findHeaviest() const;
  int64_t getMostAccumulators() const;

  const PolyScop &poly;
  const isl::schedule &schedule;
  mutable sched::ScopOp scop;
  const TargetInfo &target;
  /// What a load that is shared costs against an operation on what it loads.
  const double loadWeight = target.costs.getSharedWeight();
  OuterBand band;
  /// Outputs that are worth writing past the caches.
  llvm::SmallVector<int64_t> streams;
  ConfigSpace space;
};

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_ENUMERATOR_H
