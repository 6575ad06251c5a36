// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/levels/Matrices.h"

#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/Strides.h"

#include <fmt/format.h>
#include <isl/schedule_node.h>

using namespace mlir;
using fusec::sched::Contraction;
using fusec::sched::StmtOp;

namespace fusec::poly {

bool mayLieInPanels(StmtOp stmt, Value factor, unsigned dim, unsigned lane,
                    int64_t terms) {
  auto read = dyn_cast<BlockArgument>(factor);
  if (!read)
    return false;
  AffineMap map = stmt.getReadMap(read.getArgNumber());
  auto array = cast<BlockArgument>(stmt.getReads()[read.getArgNumber()]);
  const unsigned rank = map.getNumResults();
  auto scop = stmt->getParentOfType<sched::ScopOp>();
  return rank >= 2 && map.getResult(rank - 1).isFunctionOfDim(lane) &&
         map.getResult(rank - 2).isFunctionOfDim(dim) &&
         stmt.getExtents()[dim] % terms == 0 &&
         llvm::is_contained(scop.getWeights().value_or(ArrayRef<int64_t>()),
                            int64_t(array.getArgNumber()));
}

std::string explainNoMatrices(StmtOp stmt, Value shared, Value inLanes,
                              const Unit &unit, unsigned dim, unsigned lane) {
  auto isStoredSo = [&](Value factor) {
    auto read = dyn_cast<BlockArgument>(factor);
    return read &&
           getElementTypeOrSelf(stmt.getReads()[read.getArgNumber()].getType())
                   .getIntOrFloatBitWidth() == unit.factorBits;
  };
  if (!isStoredSo(shared) || !isStoredSo(inLanes))
    return fmt::format("its factors do not lie in memory in {} bits",
                       unit.factorBits);
  if (unit.hasUnsigned &&
      findFactors(stmt, *stmt.getContraction(), unit)->front() != shared)
    return "the factor that all lanes share has a sign";
  if (!mayLieInPanels(stmt, inLanes, dim, lane, unit.terms))
    return "what lanes load is no weight whose terms could lie side by side";
  const unsigned read = cast<BlockArgument>(shared).getArgNumber();
  if (getStride({stmt.getReads()[read], stmt.getReadMap(read), false}, dim) !=
      1)
    return "the terms of the factor that all lanes share lie apart in memory";
  if (stmt.getPadding(read))
    return "the factor that all lanes share is padded, and matrices are loaded "
           "without masks";
  return "";
}

bool mayTake(StmtOp stmt, const Unit &unit, unsigned lane) {
  std::optional<Contraction> contraction = stmt.getContraction();
  if (!contraction || stmt.getReduced().empty() ||
      !findFactors(stmt, *contraction, unit))
    return false;
  Value shared = contraction->factors[0], inLanes = contraction->factors[1];
  if (stmt.dependsOn(shared, lane))
    std::swap(shared, inLanes);
  return !stmt.dependsOn(shared, lane) && stmt.dependsOn(inLanes, lane) &&
         explainNoMatrices(stmt, shared, inLanes, unit,
                           unsigned(stmt.getReduced().back()), lane)
             .empty();
}

int64_t countPointRows(const PolyStmt &stmt, Value shared,
                       const isl::schedule_node &loop) {
  SmallVector<int64_t> rows;
  StmtOp op = stmt.op;
  loop.foreach_descendant_top_down([&](isl::schedule_node node) {
    if (!node.isa<isl::schedule_node_band>() ||
        node.tree_depth() == loop.tree_depth())
      return true;
    auto band = node.as<isl::schedule_node_band>();
    auto uses = getMemberUses(band, 0);
    auto use = uses.find(stmt.name);
    if (use != uses.end() && llvm::any_of(use->second.iterators, [&](auto dim) {
          return op.dependsOn(shared, dim);
        }))
      rows.push_back(getExtent(band, 0));
    return true;
  });
  return rows.size() == 1 ? rows.front() : 0;
}

} // namespace fusec::poly
