// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree invariant in: a proposed tree, tiled or not, without marks.
// Out: every band has one member; those of the outer band stand below marks
// "parallel", innermost ones below "vector", and point loops inside of a
// reduction below "unroll".
#include "passes/poly/Bands.h"
#include "passes/poly/CostModel.h"
#include "passes/poly/Legality.h"
#include "passes/poly/Passes.h"
#include "passes/poly/Steps.h"

#include <isl/schedule_node.h>
#include <isl/set.h>

namespace fusec::poly {
#define GEN_PASS_DEF_SCHEDMAP
#include "passes/poly/Passes.h.inc"
} // namespace fusec::poly

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace {

class Mapper {
public:
  Mapper(const PolyScop &scop) : scop(scop) {}

  isl::schedule map(isl::schedule schedule);

private:
  isl::schedule_node mapInner(isl::schedule_node node, bool insideLoop,
                              bool isPointBand);
  isl::schedule_node mapBand(isl::schedule_node_band band, bool innermost,
                             bool unrollOthers);
  double getCost(const isl::schedule_node_band &band, unsigned member);
  void findAccumulators(const isl::schedule_node_band &outer);
  bool leavesRegisters(const isl::schedule_node_band &band, unsigned member);
  /// Computed where it is asked for: the variants without vectors do not.
  const Dependences &getDependences();
  bool isInTile(const isl::schedule_node_band &band, unsigned member);

  const PolyScop &scop;
  std::optional<Dependences> dependences;
  /// The arrays that reductions in tiles add up in, and the iterators that the
  /// tiles have whole vectors of.
  llvm::SmallDenseSet<Value> accumulators;
  std::map<std::string, unsigned> lanes;
};

const Dependences &Mapper::getDependences() {
  if (!dependences)
    dependences = scop.getDependences();
  return *dependences;
}

/// Memory operations of the statements below `band` with `member` on lanes;
/// infinite if it runs over more than one iterator.
double Mapper::getCost(const isl::schedule_node_band &band, unsigned member) {
  std::map<std::string, unsigned> iterators = getMemberIterators(band, member);
  double cost = 0;
  getDomain(band).foreach_set([&](isl::set set) {
    StmtOp stmt = scop.getStmt(getTupleName(set)).op;
    auto found = iterators.find(stmt.getSymName().str());
    cost += found == iterators.end()
                ? std::numeric_limits<double>::infinity()
                : getVectorCost(scop.getOp(), stmt, found->second);
  });
  return cost;
}

void Mapper::findAccumulators(const isl::schedule_node_band &outer) {
  sched::ConfigAttr config = scop.getOp().getConfigAttr();
  std::optional<unsigned> wide;
  for (auto [member, size] : llvm::enumerate(config.getTile())) {
    if (config.getVector() == 1 || size % config.getVector() != 0)
      continue;
    if (wide)
      return;
    wide = member;
  }
  if (!wide)
    return;
  // The loops over tiles have divisions; those over points have the iterators.
  outer.foreach_descendant_top_down([&](isl::schedule_node node) {
    if (!node.isa<isl::schedule_node_band>() || hasBandBelow(node))
      return true;
    auto points = node.as<isl::schedule_node_band>();
    if (points.n_member() == outer.n_member())
      lanes.merge(getMemberIterators(points, *wide));
    return true;
  });
  for (StmtOp stmt : scop.getOp().getBody().getOps<StmtOp>())
    if (stmt.isReduction())
      for (Value array : stmt.getWrites())
        if (llvm::is_contained(scop.getOp().getArrays(), array))
          accumulators.insert(array);
}

/// Whether a statement below `band` would take accumulators across the vectors
/// that they are in, with `member` on lanes: then they live in memory for the
/// whole reduction, which costs more than a strided access after it.
bool Mapper::leavesRegisters(const isl::schedule_node_band &band,
                             unsigned member) {
  std::map<std::string, unsigned> iterators = getMemberIterators(band, member);
  bool leaves = false;
  getDomain(band).foreach_set([&](isl::set set) {
    StmtOp stmt = scop.getStmt(getTupleName(set)).op;
    auto wide = lanes.find(stmt.getSymName().str());
    auto found = iterators.find(stmt.getSymName().str());
    auto accumulates = [&](Value array) {
      return accumulators.contains(array);
    };
    leaves |= wide != lanes.end() && found != iterators.end() &&
              wide->second != found->second &&
              (llvm::any_of(stmt.getReads(), accumulates) ||
               llvm::any_of(stmt.getWrites(), accumulates));
  });
  return leaves;
}

/// Whether a member takes no more values than a tile has iterations: loops of
/// parts of a block that are not tiled take more.
bool Mapper::isInTile(const isl::schedule_node_band &band, unsigned member) {
  isl::union_pw_aff time = band.partial_schedule().at(member);
  isl::set values(isl::manage(isl_set_from_union_set(
      isl::union_set(getDomain(band)).apply(time.as_union_map()).release())));
  int64_t most = *llvm::max_element(scop.getOp().getConfigAttr().getTile());
  isl::val first = values.dim_min_val(0), last = values.dim_max_val(0);
  return last.sub(first).le(isl::val(band.ctx(), long(most - 1)));
}

isl::schedule_node Mapper::mapBand(isl::schedule_node_band band, bool innermost,
                                   bool unrollOthers) {
  unsigned members = band.n_member();
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(0, members));
  std::vector<std::string> marks(members);
  for (unsigned m = 0; m < members; ++m)
    if (unrollOthers && isInTile(band, m))
      marks[m] = kUnrollMark.str();
  if (!innermost)
    return splitIntoLoops(band, order, marks);
  // The cheapest loop that may run on lanes moves innermost.
  SmallVector<std::tuple<bool, double, unsigned>> candidates;
  for (unsigned m = 0; m < members; ++m) {
    double cost = getCost(band, m);
    // Ties: the innermost first.
    if (cost < std::numeric_limits<double>::infinity())
      candidates.push_back({leavesRegisters(band, m), cost, members - m});
  }
  llvm::sort(candidates);
  std::string refusal = "each runs over several iterators";
  for (auto [leaves, cost, reversed] : candidates) {
    unsigned last = members - reversed;
    SmallVector<unsigned> moved = order;
    llvm::erase(moved, last);
    moved.push_back(last);
    std::vector<std::string> marked = marks;
    marked[last] = kVectorMark.str();
    isl::schedule_node mapped = splitIntoLoops(band, moved, marked);
    auto violation = findViolation(mapped, getDependences());
    if (!violation)
      return mapped;
    refusal = violation->reason + ", for example " + violation->example;
  }
  scop.getOp().emitRemark()
      << "no loop of an innermost band runs on lanes: " << refusal;
  return splitIntoLoops(band, order, marks);
}

/// Maps the bands at and below `node`; returns the node at its place.
isl::schedule_node Mapper::mapInner(isl::schedule_node node, bool insideLoop,
                                    bool isPointBand) {
  unsigned depth = node.tree_depth();
  bool isBand = node.isa<isl::schedule_node_band>();
  bool innermost = isBand && !hasBandBelow(node);
  for (unsigned i = 0; i < unsigned(node.n_children()); ++i) {
    isl::schedule_node child = node.child(i);
    if (child.isa<isl::schedule_node_leaf>())
      continue;
    node = mapInner(child, insideLoop || isBand, isPointBand).parent();
  }
  if (isBand && scop.getOp().getConfigAttr().getVector() > 1)
    node = mapBand(node.as<isl::schedule_node_band>(), innermost,
                   innermost && isPointBand && insideLoop);
  else if (isBand)
    node = mapBand(node.as<isl::schedule_node_band>(), false, false);
  return node.ancestor(node.tree_depth() - depth);
}

isl::schedule Mapper::map(isl::schedule schedule) {
  isl::schedule_node outer = getOuterBand(schedule);
  ArrayRef<int64_t> tile = scop.getOp().getConfigAttr().getTile();
  bool tiled = llvm::any_of(tile, [](int64_t size) { return size != 1; });
  if (outer.is_null() || tile.empty()) {
    isl::schedule_node top = schedule.root().child(0);
    return top.isa<isl::schedule_node_leaf>()
               ? schedule
               : mapInner(top, false, false).schedule();
  }
  auto band = outer.as<isl::schedule_node_band>();
  unsigned members = band.n_member();
  findAccumulators(band);
  if (!band.child(0).isa<isl::schedule_node_leaf>()) {
    // Point loops that sank stand inside of the tree's own loops.
    bool sunk = tiled && !band.child(0).isa<isl::schedule_node_band>();
    outer = mapInner(band.child(0), /*insideLoop=*/sunk, tiled).parent();
    band = outer.as<isl::schedule_node_band>();
  } else if (!tiled && scop.getOp().getConfigAttr().getVector() > 1) {
    // Nothing but the outer band: its last loop runs on lanes.
    return mapBand(band, /*innermost=*/true, false).schedule();
  }
  std::vector<std::string> marks(members, kParallelMark.str());
  SmallVector<unsigned> order(scop.getOp().getConfigAttr().getOrder());
  if (order.empty())
    order = llvm::to_vector(llvm::seq<unsigned>(0, members));
  return splitIntoLoops(band, order, marks).schedule();
}

} // namespace

LogicalResult fusec::poly::mapLoops(IslContext &context, ScopOp scop) {
  PolyScop poly(context.get(), scop);
  setSchedule(scop, Mapper(poly).map(getSchedule(context.get(), scop)));
  return success();
}

namespace {

struct SchedMapPass : fusec::poly::impl::SchedMapBase<SchedMapPass> {
  using SchedMapBase::SchedMapBase;

  void runOnOperation() override {
    for (ScopOp scop : getOperation().getOps<ScopOp>()) {
      if (!scop.getScheduleAttr() || !scop.getConfigAttr())
        continue;
      LogicalResult result = guarded(scop, [&] {
        return runOrFallBack(scop, IslLimit::of(operations, limit),
                             "mapping loops", StepsBefore::map, mapLoops);
      });
      if (failed(result))
        return signalPassFailure();
    }
  }
};

} // namespace
