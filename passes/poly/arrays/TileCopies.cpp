// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree invariant in: mapped loops with the marks of Locals.h. Out: below each
// mark of a copy an extension node with the sequence of the loops that fill
// it, unless what was there does, what was there, and the loops that write it
// back.
#include "passes/poly/arrays/TileCopies.h"
#include "dialects/TargetInfo.h"
#include "passes/poly/arrays/Locals.h"
#include "passes/poly/levels/DepthBlocks.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/Legality.h"
#include "passes/poly/tree/LocalPlaces.h"
#include "passes/poly/tree/Strides.h"

#include <isl/map.h>
#include <isl/schedule_node.h>
#include <isl/union_map.h>

using namespace mlir;
using fusec::sched::ScopOp;

namespace fusec::poly {

/// The dimension of `array` that lanes of the statements that run in `below`
/// run along.
static std::optional<unsigned>
findLanes(const PolyScop &poly, const isl::union_set &below, Value array) {
  ArrayRef<int64_t> lanes = poly.getOp().getConfigAttr().getLanes();
  for (auto [stmt, iterator] : llvm::zip(poly.getStmts(), lanes))
    for (const Access &access : getAccesses(stmt.op))
      for (auto [dim, expr] : llvm::enumerate(access.map.getResults()))
        if (access.memref == array && iterator >= 0 &&
            expr.isFunctionOfDim(unsigned(iterator)) &&
            !below.intersect(stmt.domain).is_empty())
          return unsigned(dim);
  return std::nullopt;
}

/// Whether the tile's part of `array`, of `shape`, is all that lives of it.
static bool isLocal(const PolyScop &poly, const isl::schedule &schedule,
                    BlockArgument array, ArrayRef<int64_t> shape) {
  auto locals = findLocals(poly.getOp(), schedule);
  return succeeded(locals) && llvm::any_of(*locals, [&](const LocalMark &mark) {
           return mark.local.array == array && mark.local.shape == shape;
         });
}

/// The statements below `node` that write all that is accessed of `array` there
/// and read none of it.
static isl::union_set findFilling(const PolyScop &poly,
                                  const isl::schedule_node &node,
                                  BlockArgument array) {
  const isl::union_map reads = poly.getReads(array),
                       writes = poly.getWrites(array);
  const isl::union_set below = getDomain(node);
  isl::union_map prefix =
      node.prefix_schedule_union_map().intersect_domain(below).reverse();
  const isl::union_map touched = prefix.apply_range(reads.unite(writes));
  isl::union_set result(node.ctx(), "{ }");
  below.foreach_set([&](isl::set set) {
    const isl::union_set stmt(set);
    const bool fills =
        reads.intersect_domain(stmt).is_empty() &&
        touched.is_subset(prefix.apply_range(writes.intersect_domain(stmt)));
    if (fills)
      result = result.unite(stmt);
  });
  return result;
}

/// Whether `node` is a sequence whose first part fills what is accessed of
/// `array` there.
static bool beginsByFilling(const PolyScop &poly,
                            const isl::schedule_node &node,
                            BlockArgument array) {
  return node.isa<isl::schedule_node_sequence>() &&
         findFilling(poly, node, array)
             .is_equal(getDomain(node.child(0).child(0)));
}

/// Where a copy of `array` for the reduction `node` begins: with what fills it
/// right before, if both are all of a sequence.
static isl::schedule_node findStart(const PolyScop &poly,
                                    const isl::schedule_node &node,
                                    BlockArgument array) {
  if (!node.parent().isa<isl::schedule_node_filter>() ||
      node.parent().get_child_position() != 1)
    return node;
  isl::schedule_node both = node.ancestor(2);
  return both.n_children() == 2 && beginsByFilling(poly, both, array) &&
                 findFootprint(poly, both, array) ==
                     findFootprint(poly, node, array)
             ? both
             : node;
}

isl::schedule markCopies(const PolyScop &poly, isl::schedule schedule) {
  for (const PolyStmt &stmt : poly.getStmts()) {
    for (Value array : stmt.op.getWrites()) {
      isl::schedule_node node = stmt.op.isReduction()
                                    ? findReduction(schedule, stmt)
                                    : isl::schedule_node();
      auto argument = cast<BlockArgument>(array);
      if (node.is_null() || !hasBandBelow(node) ||
          !llvm::is_contained(poly.getOp().getArrays(), argument))
        continue;
      node = findStart(poly, node, argument);
      if (auto shape = findFootprint(poly, node, argument)) {
        if (isLocal(poly, schedule, argument, *shape))
          continue;
        // Lanes side by side in memory are what can be a register.
        std::optional<unsigned> last = findLanes(poly, getDomain(node), array);
        if (last && llvm::all_of(ArrayRef(*shape).drop_front(*last + 1),
                                 [](int64_t extent) { return extent == 1; }))
          last = std::nullopt; // As it lies.
        LocalArray copy{argument, *shape, last, /*isCopy=*/true};
        schedule = node.insert_mark(isl::id(poly.getContext(), copy.toMark()))
                       .schedule();
      }
    }
  }
  return schedule;
}

namespace {

/// Inserts the statements of one mark.
class CopyInserter {
public:
  CopyInserter(const PolyScop &poly, const LocalArray &copy,
               CopyStatements &statements)
      : poly(poly), copy(copy), statements(statements) {}

  /// At the mark `node`; returns the node at its place.
  isl::schedule_node insert(const isl::schedule_node &node);

private:
  std::string addStatement(bool back);
  isl::schedule_node makeLoops(const isl::union_map &elements, bool back,
                               std::optional<unsigned> lanes);

  const PolyScop &poly;
  const LocalArray &copy;
  CopyStatements &statements;
};

} // namespace

std::string makeCopyName(const PolyScop &poly, StringRef verb,
                         BlockArgument array,
                         const CopyStatements &statements) {
  std::string name = (verb + "_m" + Twine(array.getArgNumber())).str();
  while (statements.contains(name) ||
         llvm::any_of(poly.getStmts(),
                      [&](const PolyStmt &stmt) { return stmt.name == name; }))
    name += "_";
  return name;
}

std::string CopyInserter::addStatement(bool back) {
  std::string name =
      makeCopyName(poly, back ? "store" : "load", copy.array, statements);
  statements[name] = {copy.array, back};
  return name;
}

/// { [t] -> mN[e] } `elements` as instances of a statement, in loops that count
/// from 0 in the copy.
isl::schedule_node CopyInserter::makeLoops(const isl::union_map &elements,
                                           bool back,
                                           std::optional<unsigned> lanes) {
  isl::ctx context = poly.getContext();
  std::string name = addStatement(back);
  isl::map instances = isl::manage(isl_map_from_union_map(elements.copy()))
                           .set_range_tuple(isl::id(context, name));
  isl::schedule_node node =
      isl::manage(
          isl_schedule_node_from_extension(isl::union_map(instances).release()))
          .child(0);
  std::string instance = name + "[";
  for (unsigned d = 0; d < copy.shape.size(); ++d)
    instance += (d ? ", e" : "e") + std::to_string(d);
  instance += "]";
  auto whole = cast<MemRefType>(copy.array.getType()).getShape();
  // Innermost first: each insertion goes above the last.
  auto addLoop = [&](unsigned d, StringRef mark) {
    std::string at = "e" + std::to_string(d);
    if (copy.shape[d] != whole[d])
      at += " mod " + std::to_string(copy.shape[d]);
    node = node.insert_partial_schedule(isl::multi_union_pw_aff(
        context, "[{ " + instance + " -> [(" + at + ")] }]"));
    node = node.as<isl::schedule_node_band>().member_set_ast_loop_atomic(0);
    if (!mark.empty())
      node = node.insert_mark(isl::id(context, mark.str()));
  };
  if (lanes && copy.shape[*lanes] > 1)
    addLoop(*lanes, kVectorMark);
  for (unsigned d = copy.shape.size(); d-- > 0;)
    if (lanes != d && copy.shape[d] > 1)
      addLoop(d, lanes && copy.shape[d] <= kMaxUnrolled ? StringRef(kUnrollMark)
                                                        : StringRef());
  return node.root();
}

isl::schedule_node CopyInserter::insert(const isl::schedule_node &node) {
  isl::union_set below = getDomain(node);
  isl::union_map touched =
      poly.getReads(copy.array).unite(poly.getWrites(copy.array));
  isl::union_map elements = node.prefix_schedule_union_map()
                                .intersect_domain(below)
                                .reverse()
                                .apply_range(touched);
  std::optional<unsigned> lanes = findLanes(poly, below, copy.array);
  const bool isFilled = beginsByFilling(poly, node.child(0), copy.array);
  isl_schedule_node *inside = node.child(0).release();
  if (!isFilled)
    inside = isl_schedule_node_graft_before(
        inside, makeLoops(elements, /*back=*/false, lanes).release());
  inside = isl_schedule_node_graft_after(
      inside, makeLoops(elements, /*back=*/true, lanes).release());
  isl::schedule_node result = isl::manage(inside);
  return result.ancestor(result.tree_depth() - node.tree_depth());
}

/// The marks of copies, from the top down.
static std::vector<LocalMark> findCopies(const PolyScop &poly,
                                         const isl::schedule &schedule) {
  std::vector<LocalMark> marks = *findLocals(poly.getOp(), schedule);
  llvm::erase_if(marks, [](const LocalMark &mark) {
    return !mark.local.isCopy || mark.local.isOperand();
  });
  return marks;
}

isl::schedule insertCopies(const PolyScop &poly, const isl::schedule &schedule,
                           CopyStatements &statements) {
  isl::schedule result = insertOperandLoads(poly, schedule, statements);
  // The last one first: what is inserted there comes after the others.
  for (unsigned left = findCopies(poly, result).size(); left-- > 0;) {
    LocalMark mark = findCopies(poly, result)[left];
    result =
        CopyInserter(poly, mark.local, statements).insert(mark.node).schedule();
  }
  return result;
}

} // namespace fusec::poly
