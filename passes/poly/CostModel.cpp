// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/CostModel.h"
#include "dialects/TargetInfo.h"
#include "passes/poly/Strides.h"

#include <cmath>

using namespace mlir;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace fusec::poly {

double getInstances(StmtOp stmt) {
  double result = 1;
  for (int64_t extent : stmt.getExtents())
    result *= double(extent);
  return result;
}

/// Whether `memref` is neither an input nor an output.
bool isLocal(ScopOp scop, Value memref) {
  return llvm::is_contained(scop.getArrays(), memref);
}

double getVectorCost(ScopOp scop, StmtOp stmt, unsigned dim) {
  const TargetInfo &target = getTargetInfo(scop);
  int64_t lanesOf = target.lanes;
  double lanes = double(
      std::min<int64_t>(lanesOf, std::max<int64_t>(1, stmt.getExtents()[dim])));
  double perInstance = 1 / lanes; // the arithmetic
  // Lanes of a reduction combine at its end, by halves of a vector: each a move
  // and an operation, which short ones do not pay for.
  if (llvm::is_contained(stmt.getReduced(), int64_t(dim)))
    perInstance += 2 * std::log2(lanesOf) /
                   double(std::max<int64_t>(1, stmt.getExtents()[dim]));
  for (const Access &access : getAccesses(stmt)) {
    std::optional<int64_t> stride = getStride(access, dim);
    bool local = isLocal(scop, access.memref);
    // The lanes of a local array lie side by side, whichever they are.
    bool together = stride && (local || *stride == 0 || *stride == 1);
    // Arrays of the scop become local: registers or the first-level cache.
    double weight = local ? target.costs.getLocalWeight() : 1;
    perInstance += weight * (together ? 1 / lanes : 1);
  }
  return perInstance * getInstances(stmt);
}

double getScalarCost(ScopOp scop, StmtOp stmt) {
  double perInstance = 1;
  for (const Access &access : getAccesses(stmt))
    perInstance += isLocal(scop, access.memref) ? 0 : 1;
  return perInstance * getInstances(stmt);
}

} // namespace fusec::poly
