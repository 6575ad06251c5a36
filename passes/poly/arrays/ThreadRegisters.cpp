// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each thread of a block has of its own of an array: accumulators.
#include "passes/poly/arrays/SharedTiles.h"
#include "passes/poly/levels/ThreadTiles.h"
#include "passes/poly/tree/Bands.h"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule_node.h>
#include <isl/stride_info.h>
#include <isl/union_map.h>
#include <numeric>

using namespace mlir;

namespace fusec::poly {

/// { mN[e] -> [e floordiv distances] }
static isl::union_map divide(isl::ctx context, unsigned number,
                             ArrayRef<int64_t> distances,
                             ArrayRef<int64_t> shape = {}) {
  std::string from, to;
  for (auto [d, distance] : llvm::enumerate(distances)) {
    std::string dim = "e" + std::to_string(d);
    from += (d ? ", " : "") + dim;
    to += (d ? ", " : "");
    to += "floor((" + dim + ")/" + std::to_string(distance) + ")";
    if (!shape.empty())
      to = to.insert(to.rfind("floor"), "(") + ") mod " +
           std::to_string(shape[d]);
  }
  return isl::union_map(context, "{ m" + std::to_string(number) + "[" + from +
                                     "] -> [" + to + "] }");
}

/// Whether `flow` stays in one thread of a block, in one iteration of the loops
/// above `node`.
static bool isOfOneThread(const isl::schedule_node &node,
                          const isl::union_map &flow) {
  return flow.is_subset(
      flow.eq_at(isl::multi_union_pw_aff(getThreadNumbers(node))));
}

std::optional<LocalArray> findThreadRegisters(const PolyScop &poly,
                                              const isl::schedule_node &node,
                                              BlockArgument array,
                                              std::string &refusal) {
  refusal = "its values go from one thread to another";
  isl::union_map flow = poly.getFlow(array).intersect_domain(getDomain(node));
  if (!isOfOneThread(node, flow))
    return std::nullopt;
  refusal = "what a thread accesses of it has no fixed extents";
  auto rank = cast<MemRefType>(array.getType()).getRank();
  LocalArray result{array,
                    SmallVector<int64_t>(rank, 1),
                    std::nullopt,
                    /*isCopy=*/false,
                    /*isShared=*/false,
                    SmallVector<int64_t>(rank, 0)};
  isl::union_map touched = getAccessMaps(poly, array);
  auto getFootprint = [&](const isl::schedule_node &nest) {
    std::vector<isl::schedule_node_band> loops = getLoopsAround(nest);
    for (isl::schedule_node loop = nest; getMarkName(loop) == kThreadMark;
         loop = loop.child(0).child(0))
      loops.push_back(loop.child(0).as<isl::schedule_node_band>());
    return getTimes(getWholeTiles(poly, nest), loops)
        .reverse()
        .apply_range(touched);
  };
  std::vector<isl::schedule_node> nests = findThreadNests(node);
  llvm::erase_if(nests, [&](const isl::schedule_node &nest) {
    return getFootprint(nest).is_empty();
  });
  for (const isl::schedule_node &nest : nests) {
    isl::map footprint =
        isl::manage(isl_map_from_union_map(getFootprint(nest).release()));
    for (int64_t d = 0; d < rank; ++d) {
      isl_stride_info *stride =
          isl_map_get_range_stride_info(footprint.get(), int(d));
      result.apart[d] =
          std::gcd(result.apart[d],
                   isl::manage(isl_stride_info_get_stride(stride)).num_si());
      isl_stride_info_free(stride);
    }
  }
  // Of one element, none is apart.
  for (int64_t &distance : result.apart)
    distance = std::max<int64_t>(1, distance);
  for (const isl::schedule_node &nest : nests) {
    isl::fixed_box box =
        isl::manage(
            isl_map_from_union_map(
                getFootprint(nest)
                    .apply_range(divide(poly.getContext(), array.getArgNumber(),
                                        result.apart))
                    .release()))
            .range_simple_fixed_box_hull();
    if (!box.is_valid())
      return std::nullopt;
    for (int64_t d = 0; d < rank; ++d)
      result.shape[d] =
          std::max<int64_t>(result.shape[d], box.size().at(d).num_si());
  }
  return result;
}

std::optional<Violation> findViolationOfRegisters(const PolyScop &poly,
                                                  const LocalMark &mark) {
  const LocalArray &local = mark.local;
  auto refuse = [&](const Twine &reason, const isl::union_map &wrong) {
    return Violation{("array " + poly.getOp().getArrayName(local.array) +
                      " is each thread's own below a mark, but " + reason)
                         .str(),
                     toString(isl::manage(isl_union_map_sample(wrong.copy())))};
  };
  isl::union_map flow =
      poly.getFlow(local.array).intersect_domain(getDomain(mark.node));
  if (!isOfOneThread(mark.node, flow))
    return refuse("its values go from one thread to another", flow);
  // Threads compute whole tiles.
  isl::union_set whole = getWholeTiles(poly, mark.node);
  isl::union_map owners = isl::manage(isl_union_map_flat_range_product(
      getTimes(whole, getLoopsAround(mark.node)).release(),
      isl::union_map(getThreadNumbers(mark.node).as_union_map()).release()));
  // { e -> e' : one thread accesses both in one iteration }
  isl::union_map owned =
      owners.reverse().apply_range(getAccessMaps(poly, local.array));
  isl::union_map together = owned.reverse().apply_range(owned);
  isl::union_map place = divide(poly.getContext(), local.array.getArgNumber(),
                                local.apart, local.shape);
  isl::union_map same = together.intersect(place.apply_range(place.reverse()));
  isl::union_map apart = same.subtract(
      isl::manage(isl_union_set_identity(same.domain().release())));
  if (!apart.is_empty())
    return refuse("two elements of one thread are in one place", apart);
  return std::nullopt;
}

} // namespace fusec::poly
