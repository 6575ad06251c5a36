// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The structural proposer.
//
// Iterators that index the same dimension of an array that the scop writes are
// one class: "the row", "the column". A class that every statement has, with no
// dependence at a distance in it, is a member of the outer band. Below, runs of
// statements share further classes where that breaks no dependence.
//
// Tree: domain -> [band over shared classes] -> sequence of runs; each run is
// [band] -> sequence or statement.
#include "dialects/TargetInfo.h"
#include "passes/poly/schedules/Propose.h"
#include "passes/poly/schedules/SharedLoops.h"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/space.h>

using namespace mlir;

namespace fusec::poly {
namespace {

class TreeBuilder {
public:
  TreeBuilder(const PolyScop &scop, const Dependences &dependences,
              bool shifted)
      : scop(scop), dependences(dependences), loops(scop, shifted) {}

  isl::schedule build() {
    isl::schedule schedule = isl::schedule::from_domain(scop.getDomain());
    Run all = llvm::to_vector(
        llvm::seq<unsigned>(0, unsigned(scop.getStmts().size())));
    return buildRun(schedule.root().child(0), all, /*outermost=*/true)
        .schedule();
  }

  /// Of the outer band.
  double getPoints() const { return points; }

private:
  /// { stmt[i] -> [i_c, position in the run] }
  isl::union_map getTime(const Run &run, const SharedLoop &shared);
  /// Whether running `run` as one loop over `shared` keeps all dependences
  /// among instances that agree in `prefix`.
  bool isLegal(const Run &run, const SharedLoop &shared,
               const isl::union_map &prefix);
  bool isCoincident(const Run &run, const SharedLoop &shared,
                    const isl::union_map &prefix);
  isl::union_map getActive(const Run &run, const isl::union_map &prefix);
  isl::union_set getDomain(const Run &run);
  bool depends(unsigned source, unsigned sink);
  bool areParts(const Run &run, const SharedLoop &shared);

  isl::schedule_node buildRun(isl::schedule_node node, const Run &run,
                              bool outermost);
  bool mayJoin(const Run &run, unsigned stmt, const isl::union_map &prefix);
  SmallVector<Run> partition(const Run &run, const isl::union_map &prefix);
  isl::schedule_node insertBand(isl::schedule_node node, const Run &run,
                                ArrayRef<SharedLoop> members, bool coincident);

  const PolyScop &scop;
  const Dependences &dependences;
  SharedLoops loops;
  /// Which pairs of statements, source and sink, have been asked about.
  llvm::DenseMap<std::pair<unsigned, unsigned>, bool> depending;
  double points = 1;
};

isl::union_set TreeBuilder::getDomain(const Run &run) {
  isl::union_set domain(scop.getContext(), "{ }");
  for (unsigned stmt : run)
    domain = domain.unite(isl::union_set(scop.getStmts()[stmt].domain));
  return domain;
}

isl::union_map TreeBuilder::getTime(const Run &run, const SharedLoop &shared) {
  isl::union_map time(scop.getContext(), "{ }");
  for (auto [position, stmt] : llvm::enumerate(run)) {
    const PolyStmt &info = scop.getStmts()[stmt];
    std::string text = "{ " + info.instance + " -> [" +
                       shared[position].toString() + ", " +
                       std::to_string(position) + "] }";
    time = time.unite(isl::union_map(scop.getContext(), text));
  }
  return time;
}

isl::union_map TreeBuilder::getActive(const Run &run,
                                      const isl::union_map &prefix) {
  isl::union_set here = getDomain(run);
  return dependences.all()
      .intersect_domain(here)
      .intersect_range(here)
      .intersect(prefix.apply_range(prefix.reverse()));
}

bool TreeBuilder::isLegal(const Run &run, const SharedLoop &shared,
                          const isl::union_map &prefix) {
  isl::union_map time = getTime(run, shared);
  isl::union_map wrong = time.apply_range(isl::union_map(isl::map(
      scop.getContext(), "{ [c, p] -> [d, q] : d < c or (d = c and q < p) }")));
  wrong = wrong.apply_range(time.reverse());
  return getActive(run, prefix).intersect(wrong).is_empty();
}

bool TreeBuilder::isCoincident(const Run &run, const SharedLoop &shared,
                               const isl::union_map &prefix) {
  isl::union_map time = getTime(run, shared);
  isl::union_map apart = time.apply_range(isl::union_map(
      isl::map(scop.getContext(), "{ [c, p] -> [d, q] : c != d }")));
  apart = apart.apply_range(time.reverse());
  return getActive(run, prefix).intersect(apart).is_empty();
}

bool TreeBuilder::depends(unsigned source, unsigned sink) {
  auto [known, isNew] = depending.try_emplace({source, sink}, false);
  if (isNew)
    known->second = !dependences.all()
                         .intersect_domain(getDomain({source}))
                         .intersect_range(getDomain({sink}))
                         .is_empty();
  return known->second;
}

/// Whether `shared` runs over the parts of a sum that keeps its order: these
/// are the lanes of one vector, and so the innermost loop of what adds to them.
bool TreeBuilder::areParts(const Run &run, const SharedLoop &shared) {
  sched::ScopOp scop = this->scop.getOp();
  return scop.getOrdered() &&
         loops.getExtent(run, shared) <= getTargetInfo(scop).lanes &&
         llvm::any_of(run, [&](unsigned stmt) {
           sched::StmtOp op = this->scop.getStmts()[stmt].op;
           return op.reducesFloats() && !op.getContraction();
         });
}

isl::schedule_node TreeBuilder::insertBand(isl::schedule_node node,
                                           const Run &run,
                                           ArrayRef<SharedLoop> members,
                                           bool coincident) {
  isl::union_pw_aff_list affs(scop.getContext(), 0);
  for (const SharedLoop &shared : members) {
    isl::union_pw_aff aff = isl::manage(isl_union_pw_aff_empty(
        isl_space_params_alloc(scop.getContext().get(), 0)));
    for (auto [position, stmt] : llvm::enumerate(run)) {
      const PolyStmt &info = scop.getStmts()[stmt];
      aff = aff.union_add(isl::union_pw_aff(
          scop.getContext(), "{ " + info.instance + " -> [(" +
                                 shared[position].toString() + ")] }"));
    }
    affs = affs.add(aff);
  }
  isl::space space = isl::manage(
      isl_space_set_alloc(scop.getContext().get(), 0, members.size()));
  node = node.insert_partial_schedule(isl::multi_union_pw_aff(space, affs));
  auto band = node.as<isl::schedule_node_band>();
  for (unsigned i = 0; coincident && i < members.size(); ++i)
    band = band.member_set_coincident(i, 1);
  return band.set_permutable(coincident);
}

/// Whether `stmt` may join `run`: it shares a loop with all of it.
bool TreeBuilder::mayJoin(const Run &run, unsigned stmt,
                          const isl::union_map &prefix) {
  if (run.empty())
    return true;
  Run candidate = run;
  candidate.push_back(stmt);
  SmallVector<SharedLoop> shared = loops.find(candidate, /*outermost=*/false);
  return !shared.empty() && !areParts(candidate, shared.front()) &&
         isLegal(candidate, shared.front(), prefix);
}

/// Groups the statements of `run` into runs that share a class, one after the
/// other: each takes all that may run now and joins it. What begins a sum so
/// stands with what adds to it. Statements without iterators left stand between
/// runs, as early as they may, so that they part none.
SmallVector<Run> TreeBuilder::partition(const Run &run,
                                        const isl::union_map &prefix) {
  SmallVector<Run> runs;
  Run left = run;
  // What a statement reads stands in front of it in the program.
  auto isReady = [&](unsigned stmt) {
    auto before = llvm::make_range(left.begin(), llvm::find(left, stmt));
    return llvm::none_of(before,
                         [&](unsigned other) { return depends(other, stmt); });
  };
  while (!left.empty()) {
    for (unsigned stmt : Run(left))
      if (!loops.hasLeft(stmt) && isReady(stmt)) {
        llvm::erase(left, stmt);
        runs.push_back({stmt});
      }
    Run next;
    for (unsigned stmt : Run(left))
      if (loops.hasLeft(stmt) && isReady(stmt) && mayJoin(next, stmt, prefix)) {
        llvm::erase(left, stmt);
        next.push_back(stmt);
      }
    if (!next.empty())
      runs.push_back(next);
  }
  return runs;
}

static isl::schedule_node ascendTo(isl::schedule_node node, unsigned depth) {
  return node.ancestor(node.tree_depth() - depth);
}

/// Builds the subtree of `run` at the leaf `node`; returns its root.
isl::schedule_node TreeBuilder::buildRun(isl::schedule_node node,
                                         const Run &run, bool outermost) {
  unsigned depth = node.tree_depth();
  isl::union_map prefix = node.prefix_schedule_union_map();
  bool single = run.size() == 1;
  SmallVector<SharedLoop> band;
  for (const SharedLoop &shared : loops.find(run, outermost)) {
    bool fits = outermost ? isCoincident(run, shared, prefix)
                : single  ? true
                          : band.empty() && isLegal(run, shared, prefix);
    if (fits)
      band.push_back(shared);
  }
  if (!band.empty()) {
    node = insertBand(node, run, band, outermost).child(0);
    for (const SharedLoop &shared : band) {
      loops.take(run, shared);
      if (outermost)
        points *= double(loops.getExtent(run, shared));
    }
  }
  if (single) {
    if (outermost && loops.hasLeft(run.front()))
      node = buildRun(node, run, /*outermost=*/false);
    return ascendTo(node, depth);
  }
  SmallVector<Run> runs = partition(run, node.prefix_schedule_union_map());
  if (runs.size() == 1) // They share a further loop.
    return ascendTo(buildRun(node, runs[0], /*outermost=*/false), depth);
  isl::union_set_list filters(scop.getContext(), 0);
  for (const Run &part : runs)
    filters = filters.add(getDomain(part).universe());
  node = node.insert_sequence(filters);
  for (auto [index, part] : llvm::enumerate(runs)) {
    if (part.size() == 1 && !loops.hasLeft(part.front()))
      continue;
    isl::schedule_node leaf = node.child(index).child(0);
    node = buildRun(leaf, part, /*outermost=*/false).parent().parent();
  }
  return ascendTo(node, depth);
}

} // namespace

/// Points of an outer band that give all of the target work.
static double getEnoughPoints(sched::ScopOp scop) {
  const TargetInfo &target = getTargetInfo(scop);
  return double(target.kind == TargetKind::gpu
                    ? target.multiprocessor->enoughThreads
                    : target.getEnoughIterations());
}

std::vector<isl::schedule> proposeStructurally(const PolyScop &scop,
                                               const Dependences &dependences) {
  TreeBuilder together(scop, dependences, /*shifted=*/false);
  std::vector<isl::schedule> proposals = {together.build()};
  if (together.getPoints() >= getEnoughPoints(scop.getOp()))
    return proposals;
  TreeBuilder shifted(scop, dependences, /*shifted=*/true);
  isl::schedule other = shifted.build();
  if (shifted.getPoints() > together.getPoints())
    proposals.push_back(other);
  return proposals;
}

} // namespace fusec::poly
