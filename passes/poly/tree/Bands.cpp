// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/Legality.h"
#include "passes/poly/tree/PolyScop.h"

#include <isl/aff.h>
#include <isl/options.h>
#include <isl/schedule_node.h>
#include <isl/set.h>

using namespace mlir;

namespace fusec::poly {

isl::schedule_node getOuterBand(const isl::schedule &schedule) {
  isl::schedule_node node = schedule.root().child(0);
  if (!node.isa<isl::schedule_node_band>())
    return {};
  auto band = node.as<isl::schedule_node_band>();
  for (unsigned i = 0, e = band.n_member(); i < e; ++i)
    if (!band.member_get_coincident(i))
      return {};
  return node;
}

/// { [t_0 .. t_n] } sizes in the space of the band.
static isl::multi_val makeSizes(const isl::schedule_node_band &band,
                                ArrayRef<int64_t> tile) {
  isl::multi_val sizes = isl::manage(
      isl_multi_val_zero(isl_schedule_node_band_get_space(band.get())));
  for (auto [index, size] : llvm::enumerate(tile))
    sizes = sizes.set_at(index, isl::val(band.ctx(), long(size)));
  return sizes;
}

bool hasBandBelow(const isl::schedule_node &node) {
  bool found = false;
  for (unsigned i = 0; i < unsigned(node.n_children()); ++i)
    node.child(i).foreach_descendant_top_down([&](isl::schedule_node below) {
      found |= below.isa<isl::schedule_node_band>();
      return !found;
    });
  return found;
}

isl::multi_union_pw_aff makeLoops(const PolyStmt &stmt,
                                  ArrayRef<unsigned> dims) {
  isl::ctx context = stmt.domain.ctx();
  isl::union_pw_aff_list affs(context, 0);
  for (unsigned dim : dims)
    affs =
        affs.add(isl::union_pw_aff(context, "{ " + stmt.instance + " -> [(i" +
                                                std::to_string(dim) + ")] }"));
  isl::space space =
      isl::manage(isl_space_set_alloc(context.get(), 0, dims.size()));
  return isl::multi_union_pw_aff(space, affs);
}

isl::schedule_node tileBand(const isl::schedule_node &node,
                            ArrayRef<int64_t> sizes, bool countsTiles) {
  isl_options_set_tile_scale_tile_loops(node.ctx().get(), !countsTiles);
  isl_options_set_tile_shift_point_loops(node.ctx().get(), 1);
  auto band = node.as<isl::schedule_node_band>();
  return band.tile(makeSizes(band, sizes));
}

isl::schedule tileOuterBand(const isl::schedule &schedule,
                            ArrayRef<int64_t> sizes) {
  isl::schedule_node band = getOuterBand(schedule);
  bool isLeaf = band.child(0).isa<isl::schedule_node_leaf>();
  isl::schedule_node tiled = tileBand(band, sizes);
  if (isLeaf)
    return tiled.schedule();
  return isl::manage(isl_schedule_node_band_sink(tiled.child(0).release()))
      .schedule();
}

std::map<std::string, MemberUse>
getMemberUses(const isl::schedule_node_band &band, unsigned member) {
  std::map<std::string, MemberUse> result;
  isl::union_pw_aff time = band.partial_schedule().at(member);
  time = time.intersect_domain(getDomain(band));
  isl::union_map(time.as_union_map()).foreach_map([&](isl::map map) {
    isl::pw_aff piecewise = map.as_pw_multi_aff().at(0);
    if (isl_pw_aff_n_piece(piecewise.get()) != 1)
      return;
    MemberUse &use = result[map.domain_tuple_id().name()];
    isl_pw_aff_foreach_piece(
        piecewise.get(),
        [](isl_set *set, isl_aff *aff, void *user) -> isl_stat {
          auto &use = *static_cast<MemberUse *>(user);
          for (int i = 0, e = isl_aff_dim(aff, isl_dim_in); i < e; ++i) {
            isl::val factor =
                isl::manage(isl_aff_get_coefficient_val(aff, isl_dim_in, i));
            if (factor.is_zero())
              continue;
            use.unit &= bool(factor.is_one());
            use.iterators.push_back(unsigned(i));
          }
          isl::val shift = isl::manage(isl_aff_get_constant_val(aff));
          if (shift.is_int())
            use.shift = shift.num_si();
          isl_set_free(set);
          isl_aff_free(aff);
          return isl_stat_ok;
        },
        &use);
  });
  return result;
}

std::map<std::string, unsigned>
getMemberIterators(const isl::schedule_node_band &band, unsigned member) {
  std::map<std::string, unsigned> result;
  for (auto &[name, use] : getMemberUses(band, member))
    if (use.unit && use.iterators.size() == 1)
      result[name] = use.iterators.front();
  return result;
}

std::map<std::string, unsigned>
getLoopIterators(const isl::schedule_node &mark) {
  isl::schedule_node loop = mark.child(0);
  auto result = getMemberIterators(loop.as<isl::schedule_node_band>(), 0);
  if (getMarkName(loop.child(0)) == kUnrollMark)
    result.merge(getMemberIterators(
        loop.child(0).child(0).as<isl::schedule_node_band>(), 0));
  return result;
}

int64_t getExtent(const isl::schedule_node_band &band, unsigned member) {
  isl::union_pw_aff time = band.partial_schedule().at(member);
  isl::set values(isl::manage(isl_set_from_union_set(
      isl::union_set(getDomain(band)).apply(time.as_union_map()).release())));
  return values.dim_max_val(0).sub(values.dim_min_val(0)).num_si() + 1;
}

/// Whether `member` has one value only: a loop of one iteration.
static bool isDegenerate(const isl::schedule_node_band &band, unsigned member) {
  isl::union_set values =
      isl::union_set(getDomain(band))
          .apply(band.partial_schedule().at(member).as_union_map());
  return isl_set_is_singleton(
             isl::manage(isl_set_from_union_set(values.release())).get()) ==
         isl_bool_true;
}

isl::schedule_node splitIntoLoops(isl::schedule_node_band band,
                                  ArrayRef<unsigned> order,
                                  ArrayRef<std::string> marks) {
  isl::multi_union_pw_aff partial = band.partial_schedule();
  std::vector<bool> coincident;
  for (unsigned i = 0, e = band.n_member(); i < e; ++i)
    coincident.push_back(band.member_get_coincident(i));
  isl::schedule_node node = isl::manage(isl_schedule_node_delete(band.copy()));
  // Innermost first: each insertion goes above the last.
  for (unsigned member : llvm::reverse(order)) {
    if (isDegenerate(band, member))
      continue;
    isl::multi_union_pw_aff one(partial.at(member));
    auto inserted =
        node.insert_partial_schedule(one).as<isl::schedule_node_band>();
    if (coincident[member])
      inserted = inserted.member_set_coincident(0, 1);
    inserted = inserted.member_set_ast_loop_atomic(0);
    node = inserted;
    if (!marks[member].empty())
      node = node.insert_mark(isl::id(node.ctx(), marks[member]));
  }
  return node;
}

} // namespace fusec::poly
