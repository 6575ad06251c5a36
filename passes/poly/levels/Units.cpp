// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree invariant in: single loops below marks.
// Out: of a contraction whose unit adds several terms, the loop over these
// counts them in steps of as many, with a loop over those of a step at the
// leaves, below a mark "unit".
#include "passes/poly/levels/Units.h"

#include "dialects/NarrowFloats.h"
#include "dialects/TargetInfo.h"
#include "passes/poly/levels/Matrices.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/Legality.h"
#include "passes/poly/tree/Strides.h"

#include <fmt/format.h>
#include <isl/options.h>
#include <isl/schedule_node.h>

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::Contraction;
using fusec::sched::StmtOp;

namespace fusec::poly {

/// Whether `factor` is a number of bf16 that `stmt` reads, or makes of such.
/// What the scop itself computes may be kept with more digits.
static bool isBf16(StmtOp stmt, Value factor) {
  auto scop = stmt->getParentOfType<sched::ScopOp>();
  auto isLoaded = [&](Value value) {
    Value array;
    if (auto argument = dyn_cast<BlockArgument>(value))
      array = stmt.getReads()[argument.getArgNumber()];
    else if (auto gather = value.getDefiningOp<sched::GatherOp>())
      array = gather.getArray();
    return array && llvm::is_contained(scop.getInputs(), array) &&
           cast<MemRefType>(array.getType()).getElementType().isBF16();
  };
  return isNumberOf(BFloat16Type::get(stmt.getContext()), factor, isLoaded);
}

std::optional<std::array<Value, 2>>
findFactors(StmtOp stmt, const Contraction &contraction, const Unit &unit) {
  if (contraction.factors.size() != 2)
    return std::nullopt;
  if (unit.isFloat) {
    if (!contraction.after.getType().isF32() ||
        stmt->getParentOfType<sched::ScopOp>().getOrdered() ||
        !llvm::all_of(contraction.factors,
                      [&](Value factor) { return isBf16(stmt, factor); }))
      return std::nullopt;
    return std::array{contraction.factors[0], contraction.factors[1]};
  }
  if (!contraction.after.getType().isInteger(unit.sumBits))
    return std::nullopt;
  auto fits = [&](Value factor, bool isUnsigned) {
    ConstantIntRanges range = stmt.getIntegers(factor);
    return isUnsigned ? range.smin().isNonNegative() &&
                            range.smax().isIntN(unit.factorBits)
                      : range.smin().isSignedIntN(unit.factorBits) &&
                            range.smax().isSignedIntN(unit.factorBits);
  };
  for (unsigned first : {0u, 1u}) {
    Value one = contraction.factors[first],
          other = contraction.factors[1 - first];
    if (fits(one, unit.hasUnsigned) && fits(other, false))
      return std::array{one, other};
  }
  return std::nullopt;
}

namespace {
/// The innermost loop over what a statement contracts.
struct TermLoop {
  isl::schedule_node node;
  /// The iterator that it runs over.
  unsigned dim;
  /// Whether it is unrolled, which leaves what follows it no place.
  bool isUnrolled;
};
} // namespace

/// The iterator of `stmt` that `band`, a single loop, runs over from 0 on one
/// by one, if it reduces that.
static std::optional<unsigned> findReduced(const PolyStmt &stmt,
                                           const isl::schedule_node &band) {
  auto uses = getMemberUses(band.as<isl::schedule_node_band>(), 0);
  auto use = uses.find(stmt.name);
  if (use == uses.end() || !use->second.unit || use->second.shift != 0 ||
      use->second.iterators.size() != 1)
    return std::nullopt;
  unsigned dim = use->second.iterators.front();
  StmtOp op = stmt.op;
  return llvm::is_contained(op.getReduced(), int64_t(dim))
             ? std::optional<unsigned>(dim)
             : std::nullopt;
}

/// Null, with why, if the innermost loop that is neither on lanes nor one over
/// the points of a tile is none over a reduced iterator of `stmt` from its
/// first value to its last.
static std::optional<TermLoop> findTermLoop(const PolyStmt &stmt,
                                            const isl::schedule &mapped,
                                            std::string &reason) {
  isl::schedule_node found;
  bool isUnrolled = false;
  mapped.root().foreach_descendant_top_down([&](isl::schedule_node node) {
    // By isl's definition no instance reaches the root.
    if (!node.has_parent())
      return true;
    if (!isl::union_set(stmt.domain).is_subset(getDomain(node)))
      return false;
    std::string mark = getMarkName(node.parent());
    if (!node.isa<isl::schedule_node_band>() || mark == kVectorMark ||
        (mark == kUnrollMark && !findReduced(stmt, node)))
      return true;
    found = node;
    isUnrolled = mark == kUnrollMark;
    return true;
  });
  reason = "no loop runs over its terms alone";
  if (found.is_null())
    return std::nullopt;
  std::optional<unsigned> dim = findReduced(stmt, found);
  if (!dim)
    return std::nullopt;
  reason = "its terms come in blocks";
  StmtOp op = stmt.op;
  if (getExtent(found.as<isl::schedule_node_band>(), 0) !=
      op.getExtents()[*dim])
    return std::nullopt;
  reason.clear();
  return TermLoop{found, *dim, isUnrolled};
}

/// Why `unit`, of matrices, does not multiply `shared` and `inLanes`.
static std::string explainNoTiles(const PolyStmt &stmt, Value shared,
                                  Value inLanes, const Unit &unit,
                                  const TermLoop &loop, unsigned lane) {
  if (loop.isUnrolled)
    return "the loop over its terms is unrolled";
  std::string reason =
      explainNoMatrices(stmt.op, shared, inLanes, unit, loop.dim, lane);
  int64_t rows = countPointRows(stmt, shared, loop.node);
  if (reason.empty() && rows < unit.rows)
    return fmt::format("tiles have {} rows of one loop, and not {}", rows,
                       unit.rows);
  return reason;
}

/// Why putting the terms of `inLanes` together takes longer than steps of
/// `unit` save, or nothing.
static std::string explainSlow(StmtOp stmt, Value inLanes, const Unit &unit,
                               unsigned dim, unsigned lane) {
  if (unit.joining == 0 || mayLieInPanels(stmt, inLanes, dim, lane, unit.terms))
    return "";
  int64_t rows = 1;
  for (auto [iterator, extent] : llvm::enumerate(stmt.getExtents()))
    if (!llvm::is_contained(stmt.getReduced(), int64_t(iterator)) &&
        !stmt.dependsOn(inLanes, iterator))
      rows *= extent;
  if (rows < unit.joining)
    return fmt::format("its terms in lanes are put together for {} row{}", rows,
                       rows == 1 ? "" : "s");
  if (stmt.getExtents()[dim] < unit.joining * unit.terms)
    return fmt::format("it has {} terms, which lie apart in lanes",
                       stmt.getExtents()[dim]);
  return "";
}

/// Why the factors of `stmt` cannot be put side by side along iterator `dim`
/// for `unit`, with iterator `lane` on lanes.
static std::string explainApart(const PolyStmt &poly,
                                const Contraction &contraction,
                                const Unit &unit, const TermLoop &loop,
                                unsigned lane) {
  StmtOp stmt = poly.op;
  const unsigned dim = loop.dim;
  if (stmt.getExtents()[dim] < unit.terms)
    return fmt::format("it has {} terms", stmt.getExtents()[dim]);
  SmallVector<Value> shared, inLanes;
  for (Value factor : contraction.factors)
    (stmt.dependsOn(factor, lane) ? inLanes : shared).push_back(factor);
  if (shared.size() != 1)
    return "no factor is the same in all lanes";
  // To put them together otherwise takes as long as it saves.
  auto read = dyn_cast<BlockArgument>(shared.front());
  if (!read)
    return "the factor that all lanes share is computed";
  unsigned number = read.getArgNumber();
  if (getStride({stmt.getReads()[number], stmt.getReadMap(number), false},
                dim) != 1)
    return "the terms of the factor that all lanes share lie apart in memory";
  return unit.hasTiles() ? explainNoTiles(poly, shared.front(), inLanes.front(),
                                          unit, loop, lane)
                         : explainSlow(stmt, inLanes.front(), unit, dim, lane);
}

/// Why `unit` does not add the products of statement `number` of `config`.
static std::string explainNoUnit(const PolyStmt &stmt,
                                 const isl::schedule &mapped, ConfigAttr config,
                                 size_t number, const Unit &unit) {
  StmtOp op = stmt.op;
  std::optional<Contraction> contraction = op.getContraction();
  if (!contraction || !findFactors(op, *contraction, unit))
    return unit.isFloat
               ? "it adds up no products of bf16 in any order"
               : fmt::format("it adds up no products of integers of {} bits{}",
                             unit.factorBits,
                             unit.hasUnsigned ? ", one of them without a sign"
                                              : "");
  const int64_t lane = config.getLanes()[number];
  if (lane < 0 || llvm::is_contained(op.getReduced(), lane))
    return "its results are not on lanes";
  std::string reason;
  std::optional<TermLoop> loop = findTermLoop(stmt, mapped, reason);
  if (!loop)
    return reason;
  if (loop->isUnrolled && op.getExtents()[loop->dim] % unit.terms != 0)
    return fmt::format("its {} terms are unrolled, and no multiple of {}",
                       op.getExtents()[loop->dim], unit.terms);
  return explainApart(stmt, *contraction, unit, *loop, unsigned(lane));
}

/// The statements that run in `loop`, by their numbers.
static SmallVector<size_t> findStatements(const PolyScop &poly,
                                          const isl::schedule_node &loop) {
  SmallVector<size_t> numbers;
  isl::union_set domain = getDomain(loop);
  for (auto [number, stmt] : llvm::enumerate(poly.getStmts()))
    if (!domain.intersect(stmt.domain).is_empty())
      numbers.push_back(number);
  return numbers;
}

/// Takes the unit from statements that share their loop with one that has
/// another.
static void leaveAlone(const PolyScop &poly, const isl::schedule &mapped,
                       MutableArrayRef<const Unit *> units,
                       std::string &remark) {
  for (auto [number, stmt] : llvm::enumerate(poly.getStmts())) {
    std::string reason;
    if (units[number] == &kFmaUnit)
      continue;
    for (size_t other :
         findStatements(poly, findTermLoop(stmt, mapped, reason)->node)) {
      if (units[other] == units[number])
        continue;
      remark = fmt::format("the products of @{} are added by 'fma', and not by "
                           "'{}': @{} runs in their loop",
                           stmt.name, units[number]->name.str(),
                           poly.getStmts()[other].name);
      units[number] = &kFmaUnit;
      return leaveAlone(poly, mapped, units, remark);
    }
  }
}

ConfigAttr settleUnits(const PolyScop &poly, const isl::schedule &mapped,
                       ConfigAttr config, std::string &remark) {
  SmallVector<const Unit *> units(poly.getStmts().size(), &kFmaUnit);
  for (auto [number, stmt] : llvm::enumerate(poly.getStmts())) {
    StmtOp op = stmt.op;
    std::optional<Contraction> contraction = op.getContraction();
    std::string unfit;
    for (const Unit *unit : getTargetInfo(poly.getOp()).tiledFor->units) {
      if (unit->terms * unit->rows <=
              units[number]->terms * units[number]->rows ||
          !contraction || !findFactors(op, *contraction, *unit))
        continue;
      std::string reason = explainNoUnit(stmt, mapped, config, number, *unit);
      if (reason.empty())
        units[number] = unit;
      else
        unfit = fmt::format("the products of @{} are added by 'fma', and not "
                            "by '{}': {}",
                            stmt.name, unit->name.str(), reason);
    }
    if (units[number] == &kFmaUnit && !unfit.empty())
      remark = unfit;
  }
  leaveAlone(poly, mapped, units, remark);
  if (llvm::all_of(units, [](const Unit *unit) { return unit == &kFmaUnit; }))
    return config;
  Builder builder(config.getContext());
  return config.withProducts(llvm::map_to_vector(units, [&](const Unit *unit) {
    return builder.getStringAttr(unit->name);
  }));
}

/// The bands at the leaves at and below `node` below marks "unit"; returns the
/// node at its place.
static isl::schedule_node markLeaves(isl::schedule_node node) {
  if (node.isa<isl::schedule_node_band>() &&
      node.child(0).isa<isl::schedule_node_leaf>())
    return node.insert_mark(isl::id(node.ctx(), kUnitMark.str()));
  for (unsigned i = 0; i < unsigned(node.n_children()); ++i)
    node = markLeaves(node.child(i)).parent();
  return node;
}

/// The instances of `stmt` whose iterator `dim` is `begin` or more.
static isl::set keepFrom(const PolyStmt &stmt, unsigned dim, int64_t begin) {
  return isl::manage(
      isl_set_lower_bound_si(stmt.domain.copy(), isl_dim_set, dim, int(begin)));
}

/// The tree with the terms of `loop` in steps of `terms`.
static isl::schedule splitTerms(const TermLoop &loop, int64_t extent,
                                ArrayRef<PolyStmt> stmts, int64_t terms) {
  isl::schedule_node node = loop.node;
  if (const int64_t whole = extent / terms * terms; whole < extent) {
    isl::union_set rest(node.ctx(), "{ }");
    for (const PolyStmt &stmt : stmts) {
      auto band = loop.node.as<isl::schedule_node_band>();
      unsigned dim = getMemberIterators(band, 0).at(stmt.name);
      rest = rest.unite(isl::union_set(keepFrom(stmt, dim, whole)));
    }
    node = isl::manage(
        isl_schedule_node_order_after(node.release(), rest.release()));
  }
  // The loop counts terms, as the one over all of them did.
  isl::schedule_node tiled = tileBand(node, {terms}, /*countsTiles=*/false);
  isl::schedule_node points =
      isl::manage(isl_schedule_node_band_sink(tiled.child(0).release()));
  return markLeaves(points).schedule();
}

Rewritten applyUnits(const PolyScop &poly, const isl::schedule &mapped,
                     ConfigAttr config) {
  isl::schedule schedule = mapped;
  llvm::SmallDenseSet<size_t> done;
  for (size_t number = 0; number < poly.getStmts().size(); ++number) {
    const PolyStmt &stmt = poly.getStmts()[number];
    StringRef name = config.getUnit(number);
    if (name == kFmaUnit.name || done.contains(number))
      continue;
    auto refuse = [&](const std::string &reason) {
      return Rewritten{std::nullopt,
                       fmt::format("unit '{}' does not add the products of "
                                   "@{}: {}",
                                   name.str(), stmt.name, reason)};
    };
    const Unit *unit = getTargetInfo(poly.getOp()).tiledFor->getUnit(name);
    if (!unit)
      return refuse("the target has no such unit");
    std::string reason = explainNoUnit(stmt, mapped, config, number, *unit);
    if (!reason.empty())
      return refuse(reason);
    std::optional<TermLoop> loop = findTermLoop(stmt, schedule, reason);
    if (!loop)
      return refuse(reason);
    std::vector<PolyStmt> together;
    for (size_t other : findStatements(poly, loop->node)) {
      const PolyStmt &each = poly.getStmts()[other];
      if (config.getUnit(other) != name)
        return refuse("@" + each.name + " runs in its loop, and has another");
      together.push_back(each);
      done.insert(other);
    }
    StmtOp op = stmt.op;
    schedule =
        splitTerms(*loop, op.getExtents()[loop->dim], together, unit->terms);
  }
  return {schedule, ""};
}

} // namespace fusec::poly
