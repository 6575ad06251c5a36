// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree: adds marks "copy_mN_AxB" of inputs above loops of threads that read
// them.
#include "passes/poly/arrays/SharedTiles.h"
#include "dialects/TargetInfo.h"
#include "passes/poly/levels/ThreadTiles.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/Strides.h"

#include "llvm/Support/MathExtras.h"
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>

using namespace mlir;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace fusec::poly {

static int64_t getBytes(const LocalArray &copy) {
  return llvm::divideCeil(copy.getElementType().getIntOrFloatBitWidth(), 8);
}

int64_t getRowPadding(const LocalArray &copy) {
  const TargetInfo &target =
      getTargetInfo(copy.array.getOwner()->getParentOp());
  return std::max<int64_t>(1,
                           target.multiprocessor->accessBytes / getBytes(copy));
}

std::vector<isl::schedule_node_band> getLoopsAround(isl::schedule_node node) {
  std::vector<isl::schedule_node_band> loops;
  while (node.has_parent()) {
    node = node.parent();
    if (node.isa<isl::schedule_node_band>())
      loops.insert(loops.begin(), node.as<isl::schedule_node_band>());
  }
  return loops;
}

isl::union_map getTimes(const isl::union_set &instances,
                        ArrayRef<isl::schedule_node_band> loops) {
  isl::union_map times =
      isl::manage(isl_union_map_from_domain(instances.copy()));
  for (const isl::schedule_node_band &loop : loops) {
    isl::union_map own = isl::manage(isl_union_map_from_multi_union_pw_aff(
                                         loop.partial_schedule().release()))
                             .intersect_domain(instances);
    times = isl::manage(
        isl_union_map_flat_range_product(times.release(), own.release()));
  }
  return times;
}

/// The loops of threads below `node`, and also of their points.
static std::vector<isl::schedule_node_band>
getPointLoops(const PolyScop &poly, const isl::schedule_node &node,
              bool threadsOnly) {
  std::vector<isl::schedule_node_band> loops;
  node.foreach_descendant_top_down([&](isl::schedule_node below) {
    std::string mark = getMarkName(below);
    if (mark == kThreadMark || (!threadsOnly && mark == kUnrollMark &&
                                !runsOverReduction(poly, below.child(0))))
      loops.push_back(below.child(0).as<isl::schedule_node_band>());
    return true;
  });
  return loops;
}

/// Whether `stmt` runs below `node`.
static bool runsBelow(const PolyStmt &stmt, const isl::schedule_node &node) {
  return !getDomain(node).intersect(isl::union_set(stmt.domain)).is_empty();
}

/// Statement -> iterator -> iterations of a whole tile, for iterators that the
/// points below `node` run over.
using Extents = std::map<std::string, llvm::SmallDenseMap<unsigned, int64_t>>;
static Extents getTileExtents(const PolyScop &poly,
                              const isl::schedule_node &node) {
  Extents extents;
  for (const isl::schedule_node_band &loop :
       getPointLoops(poly, node, /*threadsOnly=*/false))
    for (auto &[name, iterators] : getTiledIterators(loop))
      for (unsigned iterator : iterators) {
        auto [entry, isNew] = extents[name].try_emplace(iterator, 1);
        entry->second *= getExtent(loop, 0);
      }
  return extents;
}

isl::union_set getWholeTiles(const PolyScop &poly,
                             const isl::schedule_node &node) {
  Extents extents = getTileExtents(poly, node);
  isl::union_set result(poly.getContext(), "{ }");
  for (const PolyStmt &stmt : poly.getStmts()) {
    if (!runsBelow(stmt, node))
      continue;
    std::string constraints;
    const llvm::SmallDenseMap<unsigned, int64_t> &tile = extents[stmt.name];
    for (auto [dim, extent] : llvm::enumerate(stmt.op.getExtents())) {
      auto found = tile.find(dim);
      int64_t whole = found == tile.end()
                          ? int64_t(extent)
                          : int64_t(llvm::alignTo(extent, found->second));
      constraints += (dim ? " and 0 <= i" : " : 0 <= i") + std::to_string(dim) +
                     " < " + std::to_string(whole);
    }
    result = result.unite(isl::union_set(
        poly.getContext(), "{ " + stmt.instance + constraints + " }"));
  }
  return result;
}

isl::union_map getAccessMaps(const PolyScop &poly, BlockArgument array) {
  isl::union_map result(poly.getContext(), "{ }");
  for (const PolyStmt &stmt : poly.getStmts())
    for (const Access &access : getAccesses(stmt.op))
      if (access.memref == array)
        result = result.unite(isl::union_map(
            makeMap(stmt.domain, access.map.getResults(),
                    "m" + std::to_string(array.getArgNumber()))));
  return result;
}

/// An affine expression of `aff` over its dimensions; nothing if it divides.
static std::optional<AffineExpr> toAffineExpr(const isl::aff &aff,
                                              MLIRContext *context) {
  auto toNumber = [](isl_val *taken) -> std::optional<int64_t> {
    isl::val value = isl::manage(taken);
    if (!value.is_int())
      return std::nullopt;
    return value.num_si();
  };
  if (isl_aff_dim(aff.get(), isl_dim_div) > 0)
    return std::nullopt;
  auto constant = toNumber(isl_aff_get_constant_val(aff.get()));
  if (!constant)
    return std::nullopt;
  AffineExpr result = getAffineConstantExpr(*constant, context);
  for (int i = 0, e = isl_aff_dim(aff.get(), isl_dim_in); i < e; ++i) {
    auto factor =
        toNumber(isl_aff_get_coefficient_val(aff.get(), isl_dim_in, i));
    if (!factor)
      return std::nullopt;
    result = result + getAffineDimExpr(i, context) * *factor;
  }
  return result;
}

std::optional<ArrayBox> findOperandBox(const PolyScop &poly,
                                       const isl::schedule_node &node,
                                       BlockArgument array,
                                       std::string &refusal) {
  refusal = "what a block reads of it has no fixed extents";
  std::vector<isl::schedule_node_band> around = getLoopsAround(node);
  isl::union_map footprint = getTimes(getWholeTiles(poly, node), around)
                                 .reverse()
                                 .apply_range(getAccessMaps(poly, array));
  if (footprint.is_empty())
    return std::nullopt;
  isl::fixed_box box = isl::manage(isl_map_from_union_map(footprint.release()))
                           .range_simple_fixed_box_hull();
  if (!box.is_valid())
    return std::nullopt;
  ArrayBox result;
  MLIRContext *context = array.getContext();
  SmallVector<AffineExpr> offset;
  for (unsigned d = 0; d < unsigned(box.size().size()); ++d) {
    result.shape.push_back(box.size().at(d).num_si());
    auto expr = toAffineExpr(box.offset().at(d), context);
    if (!expr)
      return std::nullopt;
    offset.push_back(*expr);
  }
  result.offset = AffineMap::get(around.size(), 0, offset, context);
  return result;
}

TypedAttr findFill(const PolyScop &poly, const isl::schedule_node &node,
                   BlockArgument array) {
  TypedAttr fill;
  bool isFirst = true, isSame = true;
  for (const PolyStmt &stmt : poly.getStmts()) {
    if (!runsBelow(stmt, node))
      continue;
    for (auto [read, memref] : llvm::enumerate(stmt.op.getReads())) {
      if (memref != array)
        continue;
      isSame &= isFirst || fill == stmt.op.getPadding(read);
      fill = stmt.op.getPadding(read);
      isFirst = false;
    }
  }
  if (!isSame)
    return {};
  return fill ? fill
              : TypedAttr(Builder(array.getContext())
                              .getZeroAttr(getComputeType(
                                  cast<MemRefType>(array.getType())
                                      .getElementType())));
}

/// Whether a loop of threads below `nest` runs over the same elements of the
/// input in each iteration, for all that is read of it there.
static bool isReadByMany(const PolyScop &poly, const isl::schedule_node &nest,
                         BlockArgument array) {
  for (const isl::schedule_node_band &loop :
       getPointLoops(poly, nest, /*threadsOnly=*/true)) {
    auto iterators = getTiledIterators(loop);
    bool moves = false;
    for (const PolyStmt &stmt : poly.getStmts())
      for (const Access &access : getAccesses(stmt.op))
        if (access.memref == array && runsBelow(stmt, nest))
          moves |= llvm::any_of(iterators[stmt.name], [&](unsigned iterator) {
            return access.map.isFunctionOfDim(iterator);
          });
    if (!moves)
      return true;
  }
  return false;
}

/// The dimension that threads and their points run along, where that is not the
/// last one of those of more than one element.
static std::optional<unsigned> findLast(const PolyScop &poly,
                                        const isl::schedule_node &nest,
                                        const LocalArray &copy) {
  Extents extents = getTileExtents(poly, nest);
  bool isFirst = true;
  for (unsigned d = copy.shape.size(); d-- > 0;) {
    if (copy.shape[d] == 1)
      continue;
    for (const PolyStmt &stmt : poly.getStmts())
      for (auto [read, memref] : llvm::enumerate(stmt.op.getReads()))
        if (memref == copy.array && runsBelow(stmt, nest))
          for (auto [iterator, extent] : extents[stmt.name])
            if (stmt.op.getReadMap(read).getResult(d).isFunctionOfDim(iterator))
              return isFirst ? std::nullopt : std::optional<unsigned>(d);
    isFirst = false;
  }
  return std::nullopt;
}

/// Whether statements below `nest` read `array`, none of them at positions that
/// it computes.
static bool isRead(const PolyScop &poly, const isl::schedule_node &nest,
                   BlockArgument array) {
  bool isRead = false, isGathered = false;
  for (const PolyStmt &stmt : poly.getStmts()) {
    if (!runsBelow(stmt, nest))
      continue;
    isRead |= llvm::is_contained(stmt.op.getReads(), array);
    for (auto gather : StmtOp(stmt.op).getBody().getOps<sched::GatherOp>())
      isGathered |= gather.getArray() == array;
  }
  return isRead && !isGathered;
}

/// Whether neighbouring threads below `nest` read elements of the input that
/// lie apart, each of several that are neighbours.
static bool isReadAcross(const PolyScop &poly, const isl::schedule_node &nest,
                         BlockArgument array) {
  std::vector<isl::schedule_node_band> threads =
      getPointLoops(poly, nest, /*threadsOnly=*/true);
  if (threads.empty())
    return false;
  auto neighbours = getTiledIterators(threads.back());
  Extents extents = getTileExtents(poly, nest);
  bool isAcross = false;
  for (const PolyStmt &stmt : poly.getStmts())
    for (const Access &access : getAccesses(stmt.op)) {
      if (access.memref != array || access.write ||
          access.map.getNumResults() == 0 || !runsBelow(stmt, nest))
        continue;
      AffineExpr last = access.map.getResults().back();
      bool isApart = false, isAlong = false;
      for (unsigned iterator : neighbours[stmt.name])
        isApart |= access.map.isFunctionOfDim(iterator) &&
                   !last.isFunctionOfDim(iterator);
      for (auto [iterator, extent] : extents[stmt.name])
        isAlong |= extent > 1 && last.isFunctionOfDim(iterator);
      isAcross |= isApart && isAlong;
    }
  return isAcross;
}

/// Inputs that a block has in shared memory: those that statements in a
/// reduction below `nest` read for several threads, and those that threads read
/// across.
static SmallVector<BlockArgument> findOperands(const PolyScop &poly,
                                               const isl::schedule_node &nest) {
  bool reduces = false;
  nest.foreach_descendant_top_down([&](isl::schedule_node below) {
    reduces |=
        below.isa<isl::schedule_node_band>() && runsOverReduction(poly, below);
    return !reduces;
  });
  SmallVector<BlockArgument> operands;
  for (BlockArgument array : ScopOp(poly.getOp()).getInputs())
    if (isRead(poly, nest, array) &&
        (reduces ? isReadByMany(poly, nest, array)
                 : isReadAcross(poly, nest, array)))
      operands.push_back(array);
  return operands;
}

int64_t countSharedBytes(const LocalArray &copy, sched::ConfigAttr config) {
  return config.getStages() * copy.countElements() * getBytes(copy);
}

std::string explainSharedBytes(const Multiprocessor &mp, int64_t bytes) {
  if (bytes <= mp.getArrayBytes())
    return "";
  return fmt::format("a block would have {} bytes of its operands in shared "
                     "memory, of which {} has {}; a smaller tile, depth or "
                     "number of stages takes less, and fusec algos lists "
                     "configs that fit",
                     bytes, mp.architecture.str(), mp.getArrayBytes());
}

Rewritten markOperands(const PolyScop &poly, isl::schedule schedule,
                       sched::ConfigAttr config, TellUnplaced tell) {
  ScopOp scop = poly.getOp();
  int64_t bytes = 0;
  for (size_t n = 0; n < findThreadNests(schedule.root()).size(); ++n) {
    isl::schedule_node nest = findThreadNests(schedule.root())[n];
    for (BlockArgument array : findOperands(poly, nest)) {
      std::string refusal;
      auto box = findOperandBox(poly, nest, array, refusal);
      if (box && !findFill(poly, nest, array)) {
        refusal = "what is read outside of it differs";
        box = std::nullopt;
      }
      if (!box) {
        tell(array, refusal);
        continue;
      }
      if (llvm::all_of(box->shape, [](int64_t n) { return n == 1; }))
        continue;
      LocalArray copy{array, box->shape, std::nullopt, /*isCopy=*/true};
      copy.isStored = !config.getMatrices().empty();
      if (!copy.isStored)
        copy.last = findLast(poly, nest, copy);
      // Threads that follow a column of it have rows of other banks, as have
      // the rows that a matrix is loaded of.
      if (!copy.last && (copy.isStored || isReadAcross(poly, nest, array)))
        copy.last = unsigned(box->shape.size() - 1);
      bytes += countSharedBytes(copy, config);
      nest =
          nest.insert_mark(isl::id(poly.getContext(), copy.toMark())).child(0);
    }
    schedule = nest.schedule();
  }
  std::string refusal =
      explainSharedBytes(*getTargetInfo(scop).multiprocessor, bytes);
  if (!refusal.empty())
    return {std::nullopt, refusal};
  return {schedule, ""};
}

std::optional<Violation> findViolationOfOperand(const PolyScop &poly,
                                                const LocalMark &mark) {
  const LocalArray &copy = mark.local;
  auto refuse = [&](const Twine &reason) {
    return Violation{("input " + poly.getOp().getArrayName(copy.array) +
                      " is a copy below a mark, but " + reason)
                         .str(),
                     copy.toMark()};
  };
  for (isl::schedule_node node = mark.node; node.has_parent();
       node = node.parent())
    if (getMarkName(node) == kThreadMark)
      return refuse("threads of a loop above do not all come to load it");
  std::string refusal;
  auto box = findOperandBox(poly, mark.node, copy.array, refusal);
  if (!box)
    return refuse(refusal);
  for (auto [have, need] : llvm::zip(copy.shape, box->shape))
    if (have < need)
      return refuse("it has fewer elements than are read there");
  if (!findFill(poly, mark.node, copy.array))
    return refuse("reads outside of it differ");
  return std::nullopt;
}

} // namespace fusec::poly
