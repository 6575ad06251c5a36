// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree invariant in: marks of operands, one below the other, above loops of
// threads. Out: below them a sequence of the loops that load each, and what was
// there, with marks where the threads of a block wait for each other.
#include "passes/poly/arrays/SharedTiles.h"
#include "passes/poly/arrays/TileCopies.h"
#include "passes/poly/tree/Legality.h"

#include <isl/map.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>

using namespace mlir;

namespace fusec::poly {

/// { [t] -> load[t, e] : t is a time at `node`, e an element of the copy } in
/// loops of threads.
static isl::schedule_node makeLoads(const PolyScop &poly,
                                    const isl::schedule_node &node,
                                    const LocalArray &copy,
                                    const std::string &name) {
  isl::ctx context = poly.getContext();
  std::string bounds, instance = name + "[";
  unsigned depth = getScheduleDepth(node);
  for (unsigned t = 0; t < depth; ++t)
    instance += (t ? ", t" : "t") + std::to_string(t);
  for (auto [d, extent] : llvm::enumerate(copy.shape)) {
    std::string dim = "e" + std::to_string(d);
    instance += (depth + d ? ", " : "") + dim;
    bounds +=
        (d ? " and 0 <= " : "0 <= ") + dim + " < " + std::to_string(extent);
  }
  instance += "]";
  std::string around;
  for (unsigned t = 0; t < depth; ++t)
    around += (t ? ", t" : "t") + std::to_string(t);
  isl::union_map loads(context, "{ [" + around + "] -> " + instance +
                                    (bounds.empty() ? "" : " : " + bounds) +
                                    " }");
  isl::union_set times =
      getTimes(getDomain(node), getLoopsAround(node)).range();
  isl::schedule_node result =
      isl::manage(isl_schedule_node_from_extension(
                      loads.intersect_domain(times).release()))
          .child(0);
  // Innermost first: each insertion goes above the last. Neighbouring threads
  // have neighbours in memory.
  for (unsigned d = copy.shape.size(); d-- > 0;) {
    if (copy.shape[d] == 1)
      continue;
    result = result.insert_partial_schedule(isl::multi_union_pw_aff(
        context, "[{ " + instance + " -> [(e" + std::to_string(d) + ")] }]"));
    result = result.as<isl::schedule_node_band>().member_set_ast_loop_atomic(0);
    result = result.insert_mark(isl::id(context, kThreadMark.str()));
  }
  return result;
}

/// Whether something that stands below `node` runs several times in a block.
static bool runsAgain(isl::schedule_node node) {
  for (; node.has_parent(); node = node.parent())
    if (node.isa<isl::schedule_node_band>())
      if (std::string mark = getMarkName(node.parent());
          mark != kBlockMark && mark != kSplitMark)
        return true;
  return false;
}

/// The topmost marks of operands.
static std::vector<isl::schedule_node>
findTopmost(const PolyScop &poly, const isl::schedule &schedule) {
  std::vector<isl::schedule_node> result;
  FailureOr<std::vector<LocalMark>> marks = findLocals(poly.getOp(), schedule);
  for (const LocalMark &mark : *marks) {
    std::string around = getMarkName(mark.node.parent());
    bool isBelow =
        isLocalMark(around) && readLocalMark(poly.getOp(), around)->isOperand();
    if (mark.local.isOperand() && !isBelow)
      result.push_back(mark.node);
  }
  return result;
}

isl::schedule insertOperandLoads(const PolyScop &poly, isl::schedule schedule,
                                 CopyStatements &statements) {
  isl::id barrier(poly.getContext(), kBarrierMark.str());
  for (size_t left = findTopmost(poly, schedule).size(); left-- > 0;) {
    isl::schedule_node node = findTopmost(poly, schedule)[left];
    SmallVector<LocalArray> operands;
    for (; isLocalMark(getMarkName(node)); node = node.child(0))
      operands.push_back(*readLocalMark(poly.getOp(), getMarkName(node)));
    bool again = runsAgain(node);
    SmallVector<isl::schedule_node> loads;
    for (const LocalArray &copy : operands) {
      std::string refusal,
          name = makeCopyName(poly, "load", copy.array, statements);
      auto box = findOperandBox(poly, node, copy.array, refusal);
      TypedAttr fill = findFill(poly, node, copy.array);
      if (!box || !fill)
        isl::exception::throw_invalid("a mark of an operand that has no box",
                                      __FILE__, __LINE__);
      statements[name] = {copy.array, /*back=*/false, box->offset, fill};
      loads.push_back(makeLoads(poly, node, copy, name));
    }
    // What the iteration before has read is overwritten.
    if (again)
      loads.front() = loads.front().insert_mark(barrier);
    node = node.insert_mark(barrier);
    for (const isl::schedule_node &load : loads)
      node = isl::manage(isl_schedule_node_graft_before(node.release(),
                                                        load.root().release()));
    schedule = node.schedule();
  }
  return schedule;
}

} // namespace fusec::poly
