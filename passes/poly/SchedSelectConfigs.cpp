// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/TargetInfo.h"
#include "passes/lock/GroupKey.h"
#include "passes/lock/Lock.h"
#include "passes/poly/Bands.h"
#include "passes/poly/CostModel.h"
#include "passes/poly/Legality.h"
#include "passes/poly/Passes.h"
#include "passes/poly/Propose.h"
#include "passes/poly/RowBlocks.h"
#include "passes/poly/Steps.h"
#include "passes/poly/Strides.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/MathExtras.h"

namespace fusec::poly {
#define GEN_PASS_DEF_SCHEDSELECTCONFIGS
#include "passes/poly/Passes.h.inc"
} // namespace fusec::poly

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ConfigAttr;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace {

/// A member of the outer band.
struct Member {
  std::map<std::string, unsigned> iterators;
  int64_t extent = 0;
};

/// What the decisions are made from.
struct OuterBand {
  std::vector<Member> members;

  /// The iterator of `stmt` that member `m` runs over.
  std::optional<unsigned> getIterator(StmtOp stmt, unsigned m) const {
    auto found = members[m].iterators.find(stmt.getSymName().str());
    if (found == members[m].iterators.end())
      return std::nullopt;
    return found->second;
  }
  bool contains(StmtOp stmt, unsigned iterator) const {
    for (unsigned m = 0; m < members.size(); ++m)
      if (getIterator(stmt, m) == iterator)
        return true;
    return false;
  }
};

OuterBand readOuterBand(ScopOp scop, const isl::schedule &schedule) {
  OuterBand result;
  isl::schedule_node node = getOuterBand(schedule);
  if (node.is_null())
    return result;
  auto band = node.as<isl::schedule_node_band>();
  for (unsigned m = 0; m < unsigned(band.n_member()); ++m) {
    Member member;
    member.iterators = getMemberIterators(band, m);
    for (StmtOp stmt : scop.getBody().getOps<StmtOp>()) {
      auto found = member.iterators.find(stmt.getSymName().str());
      if (found != member.iterators.end())
        member.extent =
            std::max(member.extent, stmt.getExtents()[found->second]);
    }
    result.members.push_back(std::move(member));
  }
  return result;
}

/// Cost with member `m` on lanes; infinite if a statement lacks it.
double getMemberCost(ScopOp scop, const OuterBand &band, unsigned m) {
  double cost = 0;
  for (StmtOp stmt : scop.getBody().getOps<StmtOp>()) {
    auto iterator = band.getIterator(stmt, m);
    if (!iterator)
      return std::numeric_limits<double>::infinity();
    cost += getVectorCost(scop, stmt, *iterator);
  }
  return cost;
}

/// Cost with each statement's best loop below the outer band on lanes.
double getInnerCost(ScopOp scop, const OuterBand &band) {
  double cost = 0;
  for (StmtOp stmt : scop.getBody().getOps<StmtOp>()) {
    double best = getScalarCost(scop, stmt);
    for (unsigned dim = 0; dim < stmt.getNumIterators(); ++dim)
      if (!band.contains(stmt, dim))
        best = std::min(best, getVectorCost(scop, stmt, dim));
    cost += best;
  }
  return cost;
}

StmtOp findHeaviest(ScopOp scop) {
  StmtOp heaviest;
  for (StmtOp stmt : scop.getBody().getOps<StmtOp>())
    if (!heaviest || getInstances(stmt) > getInstances(heaviest))
      heaviest = stmt;
  return heaviest;
}

/// Member whose loop reuses the vectors that `stmt` loads with `vector` on
/// lanes: it reads them at stride 0 in it. Among those with room for a tile the
/// one that moves least through the other operands.
std::optional<unsigned> findReuse(ScopOp scop, const OuterBand &band,
                                  StmtOp stmt, unsigned vector) {
  int64_t rows = getTargetInfo(scop).getRows();
  std::optional<unsigned> best;
  std::pair<bool, int64_t> bestRank;
  for (unsigned m = 0; m < band.members.size(); ++m) {
    auto other = band.getIterator(stmt, m);
    if (!other || *other == vector)
      continue;
    bool reuses = false;
    int64_t moves = 0;
    for (const Access &access : getAccesses(stmt)) {
      if (access.write || llvm::is_contained(scop.getArrays(), access.memref))
        continue;
      std::optional<int64_t> stride = getStride(access, *other);
      reuses |= getStride(access, vector) != 0 && stride == 0;
      moves += std::abs(stride.value_or(INT32_MAX));
    }
    std::pair<bool, int64_t> rank = {band.members[m].extent >= rows, -moves};
    if (reuses && (!best || rank > bestRank)) {
      best = m;
      bestRank = rank;
    }
  }
  return best;
}

/// The tile of up to `limit` rows that takes fewest steps: one for each row,
/// and one for the loads that its rows share, which also stands for the latency
/// that a few accumulators do not hide. Of equal ones the first that leaves no
/// rows over.
int64_t pickTile(int64_t extent, int64_t limit) {
  if (extent <= limit)
    return std::max<int64_t>(1, extent);
  int64_t best = limit, fewest = std::numeric_limits<int64_t>::max();
  for (int64_t size = limit; size > 0 && size >= limit / 2; --size) {
    int64_t rest = extent % size;
    int64_t steps = extent / size * (size + 1) + (rest ? rest + 1 : 0);
    if (steps < fewest ||
        (steps == fewest && rest == 0 && extent % best != 0)) {
      best = size;
      fewest = steps;
    }
  }
  return best;
}

ConfigAttr makeConfig(MLIRContext *context, StringRef name,
                      ArrayRef<int64_t> tile, int64_t vector,
                      ArrayRef<int64_t> order = {}) {
  return ConfigAttr::get(context, name, tile, order, vector);
}

/// Bytes of the scop's arrays that are live in one iteration of the band.
int64_t getBytesPerRow(ScopOp scop, const OuterBand &band) {
  int64_t most = 0;
  for (StmtOp stmt : scop.getBody().getOps<StmtOp>())
    for (const Access &access : getAccesses(stmt)) {
      if (!llvm::is_contained(scop.getArrays(), access.memref))
        continue;
      auto type = cast<MemRefType>(access.memref.getType());
      int64_t bytes = (type.getElementTypeBitWidth() + 7) / 8;
      for (auto [dim, extent] : llvm::enumerate(stmt.getExtents()))
        if (!band.contains(stmt, dim) && access.map.isFunctionOfDim(dim))
          bytes *= extent;
      most = std::max(most, bytes);
    }
  return most;
}

/// Rows that share the loads of the products with them; as many as stay in the
/// first-level cache.
ConfigAttr selectRowBlocks(ScopOp scop, const OuterBand &band,
                           const ColumnLoop &columns) {
  const TargetInfo &target = getTargetInfo(scop);
  SmallVector<int64_t> tile(band.members.size(), 1);
  std::optional<unsigned> reuse =
      findReuse(scop, band, columns.stmt, columns.iterator);
  if (reuse)
    tile[*reuse] =
        pickTile(band.members[*reuse].extent,
                 std::clamp<int64_t>(
                     target.getBlockBytes() /
                         std::max<int64_t>(1, getBytesPerRow(scop, band)),
                     1, target.getRows()));
  return makeConfig(scop.getContext(), "default", tile, target.lanes);
}

ConfigAttr selectDefault(ScopOp scop, const OuterBand &band,
                         std::optional<ColumnLoop> columns) {
  MLIRContext *context = scop.getContext();
  const TargetInfo &target = getTargetInfo(scop);
  SmallVector<int64_t> tile(band.members.size(), 1);
  double best = getInnerCost(scop, band);
  std::optional<unsigned> lanes;
  for (unsigned m = 0; m < band.members.size(); ++m) {
    double cost = getMemberCost(scop, band, m);
    // On a tie the innermost member: its neighbours in memory follow.
    if (cost <= best) {
      best = cost;
      lanes = m;
    }
  }
  if (!lanes && columns)
    return selectRowBlocks(scop, band, *columns);
  if (!lanes)
    return makeConfig(context, "default", tile, target.lanes);
  bool hasInnerLoops =
      llvm::any_of(scop.getBody().getOps<StmtOp>(), [&](StmtOp stmt) {
        for (unsigned dim = 0; dim < stmt.getNumIterators(); ++dim)
          if (!band.contains(stmt, dim))
            return true;
        return false;
      });
  int64_t extent = band.members[*lanes].extent;
  if (hasInnerLoops) {
    StmtOp heaviest = findHeaviest(scop);
    std::optional<unsigned> vector = band.getIterator(heaviest, *lanes);
    std::optional<unsigned> reuse;
    if (vector)
      reuse = findReuse(scop, band, heaviest, *vector);
    // Rows of accumulators hide what it takes to add to one; without a loop
    // that reuses loads, more columns do.
    int64_t vectors = reuse ? 1 : target.getVectorsInFlight();
    tile[*lanes] = std::min<int64_t>(llvm::alignTo(extent, target.lanes),
                                     vectors * target.lanes);
    if (!reuse)
      return makeConfig(context, "default", tile, target.lanes);
    tile[*reuse] = pickTile(band.members[*reuse].extent, target.getRows());
    // The reusing loop innermost: the panel that its tiles share (all of the
    // reduction, one tile wide) stays in the second-level cache.
    SmallVector<int64_t> order;
    for (unsigned m = 0; m < band.members.size(); ++m)
      if (m != *reuse)
        order.push_back(m);
    order.push_back(*reuse);
    return makeConfig(context, "default", tile, target.lanes, order);
  }
  int64_t others = 1;
  for (unsigned m = 0; m < band.members.size(); ++m)
    if (m != *lanes)
      others *= std::max<int64_t>(1, band.members[m].extent);
  // Of elementwise work, chunks that hide what a parallel iteration costs and
  // stay in the first-level cache; for threads too, where the other loops give
  // them too little.
  int64_t chunk = target.getBlockElements();
  bool split = others < target.getEnoughIterations() || extent > 4 * chunk;
  tile[*lanes] = std::max<int64_t>(1, split ? std::min(extent, chunk) : extent);
  return makeConfig(context, "default", tile, target.lanes);
}

/// Whether the config that a lock has for a group is one of its schedule's. The
/// lock was written by hand, or for what another version made of the group.
LogicalResult checkFits(ScopOp scop, const OuterBand &band,
                        const isl::schedule &schedule,
                        const lock::Group &entry) {
  ArrayRef<int64_t> tile = entry.config.getTile();
  int64_t lanes = getTargetInfo(scop).lanes;
  auto refuse = [&](const Twine &reason) {
    return lock::refuse(entry.loc,
                        "the config does not fit group @" + scop.getSymName() +
                            ": " + reason,
                        "change the line, or remove it for the default");
  };
  if (tile.size() != band.members.size())
    return refuse("it has " + Twine(tile.size()) + " tile sizes for " +
                  Twine(band.members.size()) + " loops");
  if (int64_t vector = entry.config.getVector(); vector != 1 && vector != lanes)
    return refuse("vector is 1 or " + Twine(lanes) + ", not " + Twine(vector));
  for (auto [size, member] : llvm::zip(tile, band.members))
    if (int64_t most = std::max<int64_t>(
            1, llvm::alignTo(std::max<int64_t>(0, member.extent), lanes));
        size > most)
      return refuse("tile size " + Twine(size) + " is more than " +
                    Twine(most) + ", for a loop of " + Twine(member.extent));
  if (llvm::all_of(tile, [](int64_t size) { return size == 1; }))
    return success();
  PolyScop poly(schedule.ctx(), scop);
  if (auto violation = findViolation(poly, tileOuterBand(schedule, tile),
                                     poly.getDependences()))
    return refuse("tiles would break a dependence: " + violation->reason +
                  ", for example " + violation->example);
  return success();
}

/// The config of `scop`, by itself.
ConfigAttr chooseConfig(ScopOp scop, const isl::schedule &schedule,
                        const OuterBand &band) {
  if (band.members.empty())
    scop.emitRemark("runs on one thread: no loop around all statements is "
                    "free of dependences");
  PolyScop poly(schedule.ctx(), scop);
  std::optional<ColumnLoop> columns = findColumnLoop(poly, schedule);
  if (columns && tileRowBlocks(poly, schedule,
                               SmallVector<int64_t>(band.members.size(), 1))
                     .is_null())
    columns = std::nullopt;
  return selectDefault(scop, band, columns);
}

} // namespace

LogicalResult fusec::poly::selectConfig(IslContext &context, ScopOp scop) {
  isl::schedule schedule = getSchedule(context.get(), scop);
  scop.setConfigAttr(
      chooseConfig(scop, schedule, readOuterBand(scop, schedule)));
  return success();
}

namespace {

struct SchedSelectConfigsPass
    : fusec::poly::impl::SchedSelectConfigsBase<SchedSelectConfigsPass> {
  using SchedSelectConfigsBase::SchedSelectConfigsBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    FailureOr<lock::Lock> locked = lock::read(lockFile, target, &getContext());
    if (failed(locked))
      return signalPassFailure();
    for (ScopOp scop :
         llvm::make_early_inc_range(getOperation().getOps<ScopOp>())) {
      if (scop.getConfigAttr())
        continue;
      if (!scop.getScheduleAttr()) {
        scop.emitOpError("has no schedule; run --sched-compute first");
        return signalPassFailure();
      }
      std::string key = lock::getGroupKey(scop, target);
      const lock::Group *entry = locked->findGroup(key);
      scop->setAttr(lock::kKeyAttr, StringAttr::get(&getContext(), key));
      LogicalResult result = guarded(scop, [&] {
        auto selectFor = [&](IslContext &context, ScopOp op) {
          return select(context, op, entry);
        };
        if (failed(runOrFallBack(scop, IslLimit::of(operations, limit),
                                 "choosing a config", StepsBefore::config,
                                 selectFor)))
          return failure();
        if (naive)
          addNaive(scop, entry && entry->variant == "naive", symbols);
        return success();
      });
      if (failed(result))
        return signalPassFailure();
    }
  }

  static LogicalResult select(IslContext &context, ScopOp scop,
                              const lock::Group *entry) {
    isl::schedule schedule = getSchedule(context.get(), scop);
    OuterBand band = readOuterBand(scop, schedule);
    ConfigAttr config = chooseConfig(scop, schedule, band);
    if (entry && entry->config != config) {
      if (failed(checkFits(scop, band, schedule, *entry)))
        return failure();
      config = entry->config;
      scop->setAttr(lock::kLockedAttr, UnitAttr::get(scop.getContext()));
    }
    scop.setGroupAttr(scop.getSymNameAttr());
    scop.setConfigAttr(config);
    return success();
  }

  /// Adds the variant `naive` of a group, as its default if `first`: that is
  /// the one that has the group's name.
  static void addNaive(ScopOp scop, bool first, SymbolTable &symbols) {
    auto clone = cast<ScopOp>(scop->clone());
    StringRef group = *scop.getGroup();
    clone.setProposer(StringRef("program order"));
    clone.setConfigAttr(makeConfig(scop.getContext(), "naive", {}, 1));
    IslContext context;
    PolyScop poly(context.get(), clone);
    setSchedule(clone, proposeNaively(poly));
    clone->removeAttr(lock::kLockedAttr);
    if (!first) {
      clone.setSymName((group + "_naive").str());
      symbols.insert(clone, std::next(Block::iterator(scop)));
      return;
    }
    symbols.remove(scop);
    scop.setSymName((group + "_default").str());
    scop->removeAttr(lock::kLockedAttr);
    clone->setAttr(lock::kLockedAttr, UnitAttr::get(scop.getContext()));
    symbols.insert(clone, std::next(Block::iterator(scop)));
    symbols.insert(scop);
  }
};

} // namespace
