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
#include "passes/poly/Propose.h"
#include "passes/poly/Strides.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/space.h>

using namespace mlir;

namespace fusec::poly {
namespace {

/// Iterator `dim` of statement `stmt` (both by number).
using Iterator = std::pair<unsigned, unsigned>;
/// One iterator for each statement of a run, in the run's order.
using Class = SmallVector<unsigned>;
using Run = SmallVector<unsigned>;

class TreeBuilder {
public:
  TreeBuilder(const PolyScop &scop, const Dependences &dependences)
      : scop(scop), dependences(dependences) {
    for (const PolyStmt &stmt : scop.getStmts()) {
      used.emplace_back(stmt.op.getNumIterators(), false);
      written.insert_range(stmt.op.getWrites());
    }
    unifyIterators();
    alignComponents();
  }

  isl::schedule build() {
    isl::schedule schedule = isl::schedule::from_domain(scop.getDomain());
    Run all = llvm::to_vector(
        llvm::seq<unsigned>(0, unsigned(scop.getStmts().size())));
    return buildRun(schedule.root().child(0), all, /*outermost=*/true)
        .schedule();
  }

private:
  void unifyIterators();
  void alignComponents();
  /// The classes, outermost first, in which every statement of `run` has one
  /// unused iterator.
  SmallVector<Class> getSharedClasses(const Run &run);
  /// { stmt[i] -> [i_c, position in the run] }
  isl::union_map getTime(const Run &run, const Class &shared);
  /// Whether running `run` as one loop over `shared` keeps all dependences
  /// among instances that agree in `prefix`.
  bool isLegal(const Run &run, const Class &shared,
               const isl::union_map &prefix);
  bool isCoincident(const Run &run, const Class &shared,
                    const isl::union_map &prefix);
  isl::union_map getActive(const Run &run, const isl::union_map &prefix);
  isl::union_set getDomain(const Run &run);
  bool depends(unsigned source, unsigned sink);
  bool hasLoops(unsigned stmt) { return llvm::is_contained(used[stmt], false); }

  isl::schedule_node buildRun(isl::schedule_node node, const Run &run,
                              bool outermost);
  SmallVector<Run> partition(const Run &run, const isl::union_map &prefix);
  isl::schedule_node insertBand(isl::schedule_node node, const Run &run,
                                ArrayRef<Class> members, bool coincident);

  const PolyScop &scop;
  const Dependences &dependences;
  llvm::EquivalenceClasses<Iterator> classes;
  std::vector<std::vector<bool>> used;
  llvm::DenseSet<Value> written;
};

void TreeBuilder::unifyIterators() {
  ArrayRef<PolyStmt> stmts = scop.getStmts();
  llvm::DenseMap<std::pair<Value, unsigned>, Iterator> first;
  for (auto [number, stmt] : llvm::enumerate(stmts)) {
    for (unsigned dim = 0; dim < stmt.op.getNumIterators(); ++dim)
      classes.insert({unsigned(number), dim});
    sched::StmtOp op = stmt.op;
    auto visit = [&, number = unsigned(number)](Value memref, AffineMap map) {
      if (!written.contains(memref))
        return;
      for (auto [position, expr] : llvm::enumerate(map.getResults())) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        if (!dim)
          continue;
        Iterator iterator{number, dim.getPosition()};
        auto [entry, isNew] =
            first.try_emplace({memref, unsigned(position)}, iterator);
        if (!isNew)
          classes.unionSets(entry->second, iterator);
      }
    };
    for (auto [index, memref] : llvm::enumerate(op.getReads()))
      visit(memref, op.getReadMap(index));
    for (auto [index, memref] : llvm::enumerate(op.getWrites()))
      visit(memref, op.getWriteMap(index));
  }
}

/// Statements that share no array that the scop writes, however many lie
/// between, have no class in common. Those that their own components share are
/// the same loops where, from the outermost one on, they have equal extents.
void TreeBuilder::alignComponents() {
  ArrayRef<PolyStmt> stmts = scop.getStmts();
  llvm::EquivalenceClasses<unsigned> connected;
  llvm::DenseMap<Value, unsigned> first;
  for (auto [number, stmt] : llvm::enumerate(stmts)) {
    connected.insert(number);
    for (const Access &access : getAccesses(stmt.op))
      if (written.contains(access.memref))
        connected.unionSets(
            first.try_emplace(access.memref, number).first->second, number);
  }
  llvm::MapVector<unsigned, Run> components;
  for (unsigned number = 0; number < stmts.size(); ++number)
    components[connected.getLeaderValue(number)].push_back(number);
  const Run &leader = components.front().second;
  for (auto &[unused, run] : llvm::drop_begin(components))
    for (auto [a, b] :
         llvm::zip(getSharedClasses(leader), getSharedClasses(run))) {
      if (stmts[leader.front()].op.getExtents()[a.front()] !=
          stmts[run.front()].op.getExtents()[b.front()])
        break;
      classes.unionSets({leader.front(), a.front()}, {run.front(), b.front()});
    }
}

SmallVector<Class> TreeBuilder::getSharedClasses(const Run &run) {
  SmallVector<Class> result;
  unsigned leader = run.front();
  for (unsigned dim = 0; dim < used[leader].size(); ++dim) {
    if (used[leader][dim])
      continue;
    Class shared;
    int64_t extent = scop.getStmts()[leader].op.getExtents()[dim];
    for (unsigned stmt : run) {
      SmallVector<unsigned> found;
      for (unsigned other = 0; other < used[stmt].size(); ++other)
        if (!used[stmt][other] &&
            classes.isEquivalent({leader, dim}, {stmt, other}))
          found.push_back(other);
      sched::StmtOp op = scop.getStmts()[stmt].op;
      if (found.size() != 1 || op.getExtents()[found[0]] != extent)
        break;
      shared.push_back(found[0]);
    }
    if (shared.size() == run.size())
      result.push_back(shared);
  }
  return result;
}

isl::union_set TreeBuilder::getDomain(const Run &run) {
  isl::union_set domain(scop.getContext(), "{ }");
  for (unsigned stmt : run)
    domain = domain.unite(isl::union_set(scop.getStmts()[stmt].domain));
  return domain;
}

isl::union_map TreeBuilder::getTime(const Run &run, const Class &shared) {
  isl::union_map time(scop.getContext(), "{ }");
  for (auto [position, stmt] : llvm::enumerate(run)) {
    const PolyStmt &info = scop.getStmts()[stmt];
    std::string text = "{ " + info.instance + " -> [i" +
                       std::to_string(shared[position]) + ", " +
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

bool TreeBuilder::isLegal(const Run &run, const Class &shared,
                          const isl::union_map &prefix) {
  isl::union_map time = getTime(run, shared);
  isl::union_map wrong = time.apply_range(isl::union_map(isl::map(
      scop.getContext(), "{ [c, p] -> [d, q] : d < c or (d = c and q < p) }")));
  wrong = wrong.apply_range(time.reverse());
  return getActive(run, prefix).intersect(wrong).is_empty();
}

bool TreeBuilder::isCoincident(const Run &run, const Class &shared,
                               const isl::union_map &prefix) {
  isl::union_map time = getTime(run, shared);
  isl::union_map apart = time.apply_range(isl::union_map(
      isl::map(scop.getContext(), "{ [c, p] -> [d, q] : c != d }")));
  apart = apart.apply_range(time.reverse());
  return getActive(run, prefix).intersect(apart).is_empty();
}

bool TreeBuilder::depends(unsigned source, unsigned sink) {
  return !dependences.all()
              .intersect_domain(getDomain({source}))
              .intersect_range(getDomain({sink}))
              .is_empty();
}

isl::schedule_node TreeBuilder::insertBand(isl::schedule_node node,
                                           const Run &run,
                                           ArrayRef<Class> members,
                                           bool coincident) {
  isl::union_pw_aff_list affs(scop.getContext(), 0);
  for (const Class &shared : members) {
    isl::union_pw_aff aff = isl::manage(isl_union_pw_aff_empty(
        isl_space_params_alloc(scop.getContext().get(), 0)));
    for (auto [position, stmt] : llvm::enumerate(run)) {
      const PolyStmt &info = scop.getStmts()[stmt];
      aff = aff.union_add(isl::union_pw_aff(
          scop.getContext(), "{ " + info.instance + " -> [(i" +
                                 std::to_string(shared[position]) + ")] }"));
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

/// Groups the statements of `run` into runs that share a class, in an order
/// that keeps all dependences. A statement without iterators left goes to the
/// earliest place, so that it does not part others.
SmallVector<Run> TreeBuilder::partition(const Run &run,
                                        const isl::union_map &prefix) {
  SmallVector<Run> runs;
  for (unsigned stmt : run) {
    bool loops = hasLoops(stmt);
    size_t earliest = 0; // runs before this one hold sources of `stmt`
    for (size_t i = 0; i < runs.size(); ++i)
      if (llvm::any_of(runs[i],
                       [&](unsigned source) { return depends(source, stmt); }))
        earliest = i + 1;
    bool placed = false;
    for (size_t i = runs.size(); loops && i > 0 && i >= earliest; --i) {
      Run candidate = runs[i - 1];
      candidate.push_back(stmt);
      SmallVector<Class> shared = getSharedClasses(candidate);
      if (shared.empty() || !isLegal(candidate, shared.front(), prefix))
        continue;
      runs[i - 1] = candidate;
      placed = true;
      break;
    }
    if (!placed)
      runs.insert(loops ? runs.end() : runs.begin() + earliest, Run{stmt});
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
  SmallVector<Class> band;
  for (const Class &shared : getSharedClasses(run)) {
    bool fits = outermost ? isCoincident(run, shared, prefix)
                : single  ? true
                          : band.empty() && isLegal(run, shared, prefix);
    if (fits)
      band.push_back(shared);
  }
  if (!band.empty()) {
    node = insertBand(node, run, band, outermost).child(0);
    for (const Class &shared : band)
      for (auto [position, stmt] : llvm::enumerate(run))
        used[stmt][shared[position]] = true;
  }
  if (single) {
    if (outermost && hasLoops(run.front()))
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
    if (part.size() == 1 && !hasLoops(part.front()))
      continue;
    isl::schedule_node leaf = node.child(index).child(0);
    node = buildRun(leaf, part, /*outermost=*/false).parent().parent();
  }
  return ascendTo(node, depth);
}

} // namespace

isl::schedule proposeStructurally(const PolyScop &scop,
                                  const Dependences &dependences) {
  return TreeBuilder(scop, dependences).build();
}

} // namespace fusec::poly
