// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree invariant in: a schedule of collapsed instances as isl's scheduler makes
// it. Out: the same tree over all instances, with a band over the iterators of
// its window above each leaf where a statement that has one runs.
#include "passes/poly/schedules/Windows.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/Strides.h"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/union_map.h>

using namespace mlir;

namespace fusec::poly {

/// "s[i0, i1]" with the iterators `dims` only.
static std::string makeTuple(const std::string &name, ArrayRef<unsigned> dims) {
  std::string text = name + "[";
  for (auto [index, dim] : llvm::enumerate(dims))
    text += (index ? ", i" : "i") + std::to_string(dim);
  return text + "]";
}

/// Whether `init` writes, at each of its points, what `stmt` begins with at the
/// same values of its iterators `kept`.
static bool isInitOf(sched::StmtOp init, sched::StmtOp stmt,
                     ArrayRef<unsigned> kept) {
  if (init.isReduction() || init.getWrites() != stmt.getWrites() ||
      init.getNumIterators() != kept.size())
    return false;
  SmallVector<AffineExpr> iterators(
      stmt.getNumIterators(), getAffineConstantExpr(0, stmt.getContext()));
  for (auto [position, dim] : llvm::enumerate(kept)) {
    iterators[dim] = getAffineDimExpr(position, stmt.getContext());
    if (init.getExtents()[position] != stmt.getExtents()[dim])
      return false;
  }
  for (unsigned write = 0; write < stmt.getWrites().size(); ++write)
    if (stmt.getWriteMap(write).replaceDimsAndSymbols(
            iterators, {}, kept.size(), 0) != init.getWriteMap(write))
      return false;
  return true;
}

Windows::Windows(const PolyScop &scop)
    : scop(scop), collapsed(scop.getContext(), "{ }") {
  ArrayRef<PolyStmt> stmts = scop.getStmts();
  llvm::DenseSet<Value> written;
  for (const PolyStmt &stmt : stmts)
    written.insert_range(stmt.op.getWrites());
  auto flows = [&](const Access &access) {
    return !access.write && written.contains(access.memref);
  };
  for (const PolyStmt &stmt : stmts)
    for (const Access &access : getAccesses(stmt.op))
      found |= flows(access) &&
               !llvm::all_of(access.map.getResults(),
                             llvm::IsaPred<AffineDimExpr, AffineConstantExpr>);
  if (!found)
    return;
  std::vector<SmallVector<unsigned>> kept(stmts.size());
  for (auto [number, stmt] : llvm::enumerate(stmts))
    for (unsigned dim = 0; dim < stmt.op.getNumIterators(); ++dim) {
      AffineExpr iterator = getAffineDimExpr(dim, stmt.op.getContext());
      bool meetsOthers =
          llvm::any_of(getAccesses(stmt.op), [&](const Access &access) {
            return flows(access) &&
                   llvm::is_contained(access.map.getResults(), iterator);
          });
      bool isReduced = llvm::is_contained(stmt.op.getReduced(), int64_t(dim));
      if (isReduced && !meetsOthers)
        iterators[stmt.name].push_back(dim);
      else
        kept[number].push_back(dim);
    }
  for (auto [number, stmt] : llvm::enumerate(stmts)) {
    std::string to = makeTuple(stmt.name, kept[number]);
    if (size_t next = number + 1;
        next < stmts.size() && isInitOf(stmt.op, stmts[next].op, kept[next]))
      to =
          makeTuple(stmts[next].name,
                    llvm::to_vector(llvm::seq<unsigned>(0, kept[next].size())));
    collapsed = collapsed.unite(isl::union_map(
        scop.getContext(), "{ " + stmt.instance + " -> " + to + " }"));
  }
}

isl::union_set Windows::collapse(const isl::union_set &domain) const {
  return found ? domain.apply(collapsed) : domain;
}

isl::union_map Windows::collapse(const isl::union_map &dependences) const {
  if (!found)
    return dependences;
  isl::union_map between =
      dependences.apply_domain(collapsed).apply_range(collapsed);
  isl::union_map within =
      isl::manage(isl_union_set_identity(collapse(scop.getDomain()).release()));
  return between.subtract(within);
}

/// Inserts loops over windows at `leaf`; returns the node at its place.
isl::schedule_node Windows::insertLoops(isl::schedule_node leaf) const {
  isl::union_set domain = getDomain(leaf);
  SmallVector<const PolyStmt *> here;
  for (const PolyStmt &stmt : scop.getStmts())
    if (!domain.intersect(isl::union_set(stmt.domain)).is_empty())
      here.push_back(&stmt);
  if (here.size() > 1) {
    // Of one instance, or independent at one point: the program's order does.
    isl::union_set_list filters(leaf.ctx(), 0);
    for (const PolyStmt *stmt : here)
      filters = filters.add(isl::union_set(stmt->domain).universe());
    isl::schedule_node node = leaf.insert_sequence(filters);
    for (unsigned i = 0; i < here.size(); ++i)
      node = insertLoops(node.child(i).child(0)).parent().parent();
    return node;
  }
  if (here.empty()) // Statements without a point.
    return leaf;
  const PolyStmt &stmt = *here.front();
  auto found = iterators.find(stmt.name);
  if (found == iterators.end())
    return leaf;
  return leaf.insert_partial_schedule(makeLoops(stmt, found->second));
}

isl::schedule_node Windows::insertBelow(isl::schedule_node node) const {
  if (node.isa<isl::schedule_node_leaf>())
    return insertLoops(node);
  for (unsigned i = 0; i < unsigned(node.n_children()); ++i)
    node = insertBelow(node.child(i)).parent();
  return node;
}

isl::schedule Windows::expand(const isl::schedule &schedule) const {
  if (!found)
    return schedule;
  isl::union_pw_multi_aff map =
      isl::manage(isl_union_pw_multi_aff_from_union_map(collapsed.copy()));
  isl::schedule whole = isl::manage(
      isl_schedule_pullback_union_pw_multi_aff(schedule.copy(), map.release()));
  whole = isl::manage(isl_schedule_intersect_domain(
      whole.release(), scop.getDomain().release()));
  return insertBelow(whole.root()).schedule();
}

} // namespace fusec::poly
