// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree invariant in: a proposed tree, whose outer band holds a sequence of
// statements and reductions. Out: below the loops over tiles the same sequence;
// in each part, below parts of a reduction that blocks share (a mark "split")
// and blocks of it, a band of threads, and at the leaves a band of points.
// Threads and points are the bands that run over nothing that is reduced.
#include "passes/poly/levels/ThreadTiles.h"
#include "dialects/TargetInfo.h"
#include "passes/poly/levels/SplitLoops.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/Legality.h"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_set.h>

using namespace mlir;
using fusec::sched::ConfigAttr;

namespace fusec::poly {

SmallVector<int64_t> countThreads(ConfigAttr config) {
  SmallVector<int64_t> threads;
  for (auto [size, points] : llvm::zip(config.getTile(), config.getPoints()))
    threads.push_back(size / points);
  return threads;
}

std::string findPointMisfit(ConfigAttr config) {
  int64_t needed = 1, threads = config.getThreads();
  for (int64_t along : countThreads(config))
    needed *= along;
  if (!config.getPoints().empty() && needed > threads)
    return "a tile has points for " + std::to_string(needed) +
           " threads, more than " + std::to_string(threads);
  return "";
}

unsigned getStridedMember(ConfigAttr config) {
  return config.getOrder().empty() ? config.getTile().size() - 1
                                   : config.getOrder().back();
}

/// The dimensions of `aff` that it is of, also inside of divisions.
static SmallVector<unsigned> getInvolved(isl_aff *aff) {
  SmallVector<unsigned> result;
  for (int i = 0, e = isl_aff_dim(aff, isl_dim_in); i < e; ++i)
    if (isl_aff_involves_dims(aff, isl_dim_in, i, 1) == isl_bool_true)
      result.push_back(unsigned(i));
  return result;
}

std::map<std::string, SmallVector<unsigned>>
getTiledIterators(const isl::schedule_node_band &band) {
  std::map<std::string, SmallVector<unsigned>> result;
  for (unsigned m = 0; m < unsigned(band.n_member()); ++m) {
    isl::union_pw_aff time =
        band.partial_schedule().at(m).intersect_domain(getDomain(band));
    // As it is written: as a map, isl may know it as a few constants.
    isl_union_pw_aff_foreach_pw_aff(
        time.get(),
        [](isl_pw_aff *taken, void *user) -> isl_stat {
          isl::pw_aff own = isl::manage(taken);
          isl::id name =
              isl::manage(isl_pw_aff_get_tuple_id(own.get(), isl_dim_in));
          auto &all = *static_cast<decltype(result) *>(user);
          isl_pw_aff_foreach_piece(
              own.get(),
              [](isl_set *set, isl_aff *aff, void *user) -> isl_stat {
                auto &used = *static_cast<SmallVector<unsigned> *>(user);
                for (unsigned dim : getInvolved(aff))
                  if (!llvm::is_contained(used, dim))
                    used.push_back(dim);
                isl_set_free(set);
                isl_aff_free(aff);
                return isl_stat_ok;
              },
              &all[name.name()]);
          return isl_stat_ok;
        },
        &result);
  }
  return result;
}

bool runsOverReduction(const PolyScop &poly, const isl::schedule_node &node) {
  for (auto &[name, iterators] :
       getTiledIterators(node.as<isl::schedule_node_band>())) {
    ArrayRef<int64_t> reduced = poly.getStmt(name).op.getReduced();
    if (llvm::any_of(iterators, [&](unsigned dim) {
          return llvm::is_contained(reduced, int64_t(dim));
        }))
      return true;
  }
  return false;
}

namespace {

/// Puts loops over the points of a tile where the parts of its tree want them.
class PointLoops {
public:
  /// Of the reduction of the statements `shared` blocks have parts.
  PointLoops(const PolyScop &poly, const isl::multi_union_pw_aff &points,
             ConfigAttr config, std::optional<isl::union_set> shared);

  /// At and below `node`; returns the node at its place, or null.
  isl::schedule_node place(isl::schedule_node node);

  std::string refusal;

private:
  void setMatrices(const isl::multi_union_pw_aff &points, ConfigAttr config);
  isl::schedule_node placeInner(isl::schedule_node node);
  isl::schedule_node getInnermost(isl::schedule_node node) const;
  isl::schedule_node splitDepth(const isl::schedule_node &band) const;
  static isl::schedule_node insert(const isl::schedule_node &node,
                                   const isl::multi_union_pw_aff &loops);

  const PolyScop &poly;
  int64_t depth, split;
  std::optional<isl::union_set> shared;
  bool hasMatrices;
  isl::multi_union_pw_aff threads, registers;
};

} // namespace

/// `point` divided by `by`, and what is left.
static std::pair<isl::union_pw_aff, isl::union_pw_aff>
divide(const isl::union_pw_aff &point, int64_t by) {
  isl::val value(point.ctx(), long(by));
  return {isl::manage(isl_union_pw_aff_floor(
              isl_union_pw_aff_scale_down_val(point.copy(), value.copy()))),
          isl::manage(isl_union_pw_aff_mod_val(point.copy(), value.copy()))};
}

PointLoops::PointLoops(const PolyScop &poly,
                       const isl::multi_union_pw_aff &points, ConfigAttr config,
                       std::optional<isl::union_set> shared)
    : poly(poly), depth(config.getDepth()), split(config.getSplit()),
      shared(std::move(shared)), hasMatrices(!config.getMatrices().empty()) {
  if (hasMatrices) {
    setMatrices(points, config);
    return;
  }
  isl::union_pw_aff_list outer(poly.getContext(), 0),
      inner(poly.getContext(), 0);
  SmallVector<int64_t> counts = countThreads(config);
  for (auto [m, own] : llvm::enumerate(config.getPoints())) {
    // Neighbouring threads have neighbouring points along the strided member,
    // and a thread has them along the others.
    const bool isStrided = m == getStridedMember(config);
    auto [high, low] = divide(points.at(m), isStrided ? counts[m] : own);
    outer = outer.add(isStrided ? low : high);
    inner = inner.add(isStrided ? high : low);
  }
  threads = isl::multi_union_pw_aff(points.space(), outer);
  registers = isl::multi_union_pw_aff(points.space(), inner);
}

/// A warp has whole matrices side by side, and its threads follow each other in
/// them: those along columns, and faster those along rows.
void PointLoops::setMatrices(const isl::multi_union_pw_aff &points,
                             ConfigAttr config) {
  const Multiprocessor &mp = *getTargetInfo(poly.getOp()).multiprocessor;
  const MatrixUnit &unit = *mp.getMatrixUnit(config.getMatrices());
  const MatrixMembers members = *findMatrixMembers(config);
  isl::union_pw_aff_list outer(poly.getContext(), 0),
      inner(poly.getContext(), 0);
  std::map<unsigned, isl::union_pw_aff> inMatrix;
  for (auto [m, own] : llvm::enumerate(config.getPoints())) {
    const int64_t along = m == members.rows      ? unit.rowThreads
                          : m == members.columns ? unit.columnThreads
                                                 : 1;
    auto [matrix, thread] = divide(points.at(m), along);
    auto [warp, point] = divide(matrix, own);
    outer = outer.add(warp);
    inner = inner.add(point);
    inMatrix[m] = thread;
  }
  outer = outer.add(inMatrix[members.columns]).add(inMatrix[members.rows]);
  auto combine = [&](const isl::union_pw_aff_list &list) {
    return isl::multi_union_pw_aff(
        isl::manage(isl_space_set_alloc(poly.getContext().get(), /*nparam=*/0,
                                        unsigned(list.size()))),
        list);
  };
  threads = combine(outer);
  registers = combine(inner);
}

isl::schedule_node PointLoops::insert(const isl::schedule_node &node,
                                      const isl::multi_union_pw_aff &loops) {
  isl::union_set here =
      isl::manage(isl_union_set_universe(getDomain(node).release()));
  auto band = node.insert_partial_schedule(loops.intersect_domain(here))
                  .as<isl::schedule_node_band>();
  for (unsigned m = 0; m < unsigned(band.n_member()); ++m)
    band = band.member_set_coincident(m, 1);
  return band;
}

/// Blocks of the outermost loop of `band`, if there are several. Returns the
/// node below which one block runs, or `band` itself.
isl::schedule_node
PointLoops::splitDepth(const isl::schedule_node &node) const {
  auto band = node.as<isl::schedule_node_band>();
  if (depth == 0 || getExtent(band, 0) <= depth)
    return band;
  if (band.n_member() > 1)
    band = band.split(1).as<isl::schedule_node_band>();
  return tileBand(band, {depth}).child(0);
}

/// The innermost loop of the reduction at `node`: over the terms of matrices.
isl::schedule_node PointLoops::getInnermost(isl::schedule_node node) const {
  for (;;) {
    auto band = node.as<isl::schedule_node_band>();
    if (band.n_member() > 1) {
      node = band.split(int(band.n_member()) - 1).child(0);
    } else if (isl::schedule_node below = node.child(0);
               below.isa<isl::schedule_node_band>() &&
               runsOverReduction(poly, below)) {
      node = below;
    } else {
      return node;
    }
  }
}

/// Loops over the points of threads at the leaves; reductions stay around.
isl::schedule_node PointLoops::placeInner(isl::schedule_node node) {
  if (node.isa<isl::schedule_node_leaf>())
    return insert(node, registers);
  if (node.isa<isl::schedule_node_band>() && !runsOverReduction(poly, node)) {
    refusal = "below its outer band a loop stands that reduces nothing, which "
              "threads cannot have points in";
    return {};
  }
  for (unsigned i = 0; i < unsigned(node.n_children()); ++i) {
    node = placeInner(node.child(i));
    if (node.is_null())
      return {};
    node = node.parent();
  }
  return node;
}

isl::schedule_node PointLoops::place(isl::schedule_node node) {
  unsigned depthAround = node.tree_depth();
  if (node.isa<isl::schedule_node_sequence>() ||
      node.isa<isl::schedule_node_set>()) {
    for (unsigned i = 0; i < unsigned(node.n_children()); ++i) {
      node = place(node.child(i).child(0));
      if (node.is_null())
        return {};
      node = node.parent().parent();
    }
    return node;
  }
  if (node.isa<isl::schedule_node_band>() && runsOverReduction(poly, node)) {
    if (shared && getDomain(node).is_equal(*shared))
      node = splitLoop(node.as<isl::schedule_node_band>(), split)
                 .child(0)
                 .child(0);
    // A part of one iteration has no loop.
    if (shared && split == 1 && getDomain(node).is_equal(*shared))
      node = isl::manage(isl_schedule_node_delete(node.release()));
    else
      node = splitDepth(hasMatrices ? getInnermost(node) : node);
  }
  node = placeInner(node);
  if (node.is_null())
    return {};
  node = insert(node, threads);
  return node.ancestor(node.tree_depth() - depthAround);
}

isl::schedule tileForPoints(const PolyScop &poly, const isl::schedule &schedule,
                            ConfigAttr config, std::string &refusal) {
  isl::schedule_node outer = getOuterBand(schedule);
  if (outer.is_null()) {
    refusal = "no loop is shared by all statements";
    return {};
  }
  std::optional<isl::union_set> shared;
  refusal.clear();
  if (config.getSplit() > 0) {
    auto parts = findSplitLoop(poly, schedule, refusal, /*ofTiles=*/true);
    if (parts && config.getCombine() == sched::Combine::atomic)
      refusal = explainNotAdded(poly, *parts);
    if (!refusal.empty())
      return {};
    shared = getDomain(*parts);
  }
  auto band =
      tileBand(outer, config.getTile()).child(0).as<isl::schedule_node_band>();
  PointLoops loops(poly, band.partial_schedule(), config, shared);
  isl::schedule_node placed =
      loops.place(isl::manage(isl_schedule_node_delete(band.copy())));
  refusal = loops.refusal;
  return placed.is_null() ? isl::schedule() : placed.schedule();
}

namespace {

/// Makes single loops of the bands of a tile.
class PointMapper {
public:
  PointMapper(const PolyScop &poly, ConfigAttr config, ArrayRef<unsigned> order)
      : poly(poly), config(config), order(order) {}

  /// `isOfThreads`: whether loops of threads stand around.
  isl::schedule_node map(isl::schedule_node node, bool isOfThreads) const;

private:
  bool endsEarly(const isl::schedule_node_band &band, unsigned member) const;
  std::vector<std::string>
  markReduction(const isl::schedule_node_band &band) const;

  const PolyScop &poly;
  ConfigAttr config;
  ArrayRef<unsigned> order;
};

} // namespace

/// Whether the loop may have fewer iterations in the last block of a reduction.
bool PointMapper::endsEarly(const isl::schedule_node_band &band,
                            unsigned member) const {
  auto iterators = getMemberIterators(band, member);
  bool isEven = true;
  getDomain(band).foreach_set([&](isl::set set) {
    sched::StmtOp stmt = poly.getStmt(getTupleName(set)).op;
    auto found = iterators.find(stmt.getSymName().str());
    isEven &= found != iterators.end() &&
              stmt.getExtents()[found->second] % getExtent(band, member) == 0;
  });
  return !isEven;
}

/// The marks of a part of the reduction that stands around the points of a
/// thread: of its innermost loops, as far as the config allows so many copies.
std::vector<std::string>
PointMapper::markReduction(const isl::schedule_node_band &band) const {
  std::vector<std::string> marks(band.n_member());
  int64_t copies = 1;
  band.child(0).foreach_descendant_top_down([&](isl::schedule_node below) {
    if (below.isa<isl::schedule_node_band>())
      copies *= getExtent(below.as<isl::schedule_node_band>(), 0);
    return true;
  });
  for (unsigned m = marks.size(); m-- > 0;) {
    int64_t extent = getExtent(band, m);
    copies *= extent;
    if (extent > kMaxUnrolled || copies > config.getUnroll() ||
        endsEarly(band, m))
      break;
    marks[m] = kUnrollMark.str();
  }
  return marks;
}

isl::schedule_node PointMapper::map(isl::schedule_node node,
                                    bool isOfThreads) const {
  unsigned depth = node.tree_depth();
  bool isBand = node.isa<isl::schedule_node_band>();
  bool reduces = isBand && runsOverReduction(poly, node);
  for (unsigned i = 0; i < unsigned(node.n_children()); ++i) {
    isl::schedule_node child = node.child(i);
    if (!child.isa<isl::schedule_node_leaf>())
      node = map(child, isOfThreads || (isBand && !reduces)).parent();
  }
  if (isBand) {
    auto band = node.as<isl::schedule_node_band>();
    unsigned members = band.n_member();
    std::vector<std::string> marks(members, isOfThreads ? kUnrollMark.str()
                                                        : kThreadMark.str());
    if (reduces)
      marks =
          isOfThreads ? markReduction(band) : std::vector<std::string>(members);
    SmallVector<unsigned> own(order);
    if (reduces || own.size() != members)
      own = llvm::to_vector(llvm::seq<unsigned>(0, members));
    node = splitIntoLoops(band, own, marks);
  }
  return node.ancestor(node.tree_depth() - depth);
}

isl::schedule_node mapThreadTiles(const PolyScop &poly, isl::schedule_node node,
                                  ConfigAttr config, ArrayRef<unsigned> order) {
  return PointMapper(poly, config, order).map(node, /*isOfThreads=*/false);
}

std::vector<isl::schedule_node>
findThreadNests(const isl::schedule_node &node) {
  std::vector<isl::schedule_node> result;
  node.foreach_descendant_top_down([&](isl::schedule_node below) {
    bool found = getMarkName(below) == kThreadMark;
    if (found)
      result.push_back(below);
    return !found;
  });
  return result;
}

isl::union_pw_aff getThreadNumbers(const isl::schedule_node &node) {
  isl::union_pw_aff result = isl::manage(
      isl_union_pw_aff_empty(isl_space_params_alloc(node.ctx().get(), 0)));
  for (isl::schedule_node nest : findThreadNests(node)) {
    isl::union_pw_aff number;
    isl::union_set here =
        isl::manage(isl_union_set_universe(getDomain(nest).release()));
    for (; getMarkName(nest) == kThreadMark; nest = nest.child(0).child(0)) {
      auto loop = nest.child(0).as<isl::schedule_node_band>();
      isl::union_pw_aff own =
          loop.partial_schedule().at(0).intersect_domain(here);
      number =
          number.is_null()
              ? own
              : isl::manage(isl_union_pw_aff_scale_val(
                                number.copy(),
                                isl::val(node.ctx(), long(getExtent(loop, 0)))
                                    .release()))
                    .add(own);
    }
    result = result.union_add(number);
  }
  return result;
}

} // namespace fusec::poly
