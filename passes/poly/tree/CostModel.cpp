// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/tree/CostModel.h"
#include "dialects/TargetInfo.h"
#include "passes/poly/tree/Strides.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

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

StmtOp findHeaviest(const PolyScop &poly) {
  StmtOp heaviest;
  for (const PolyStmt &stmt : poly.getStmts())
    if (!heaviest || getInstances(stmt.op) > getInstances(heaviest))
      heaviest = stmt.op;
  return heaviest;
}

/// Whether `memref` is neither an input nor an output.
bool isLocal(ScopOp scop, Value memref) {
  return llvm::is_contained(scop.getArrays(), memref);
}

double getVectorCost(ScopOp scop, StmtOp stmt, unsigned dim) {
  const TargetInfo &target = getTargetInfo(scop);
  const bool isReduced = llvm::is_contained(stmt.getReduced(), int64_t(dim));
  if (isReduced && scop.getOrdered() && stmt.reducesFloats())
    return getScalarCost(scop, stmt);
  int64_t lanesOf = target.lanes;
  double lanes = double(
      std::min<int64_t>(lanesOf, std::max<int64_t>(1, stmt.getExtents()[dim])));
  double perInstance = 1 / lanes; // the arithmetic
  // Lanes of a reduction combine at its end, by halves of a vector: each a move
  // and an operation, which short ones do not pay for.
  if (isReduced)
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

/// Sectors of memory that `threads` neighbouring threads touch, if all touch
/// one each where it is not known how `access` moves.
static int64_t countSectors(const Access &access, ArrayRef<ThreadLoop> loops,
                            int64_t threads) {
  auto type = cast<MemRefType>(access.memref.getType());
  SmallVector<int64_t> strides;
  for (const ThreadLoop &loop : loops) {
    std::optional<int64_t> stride = getStride(access, loop.iterator);
    if (!stride && loop.extent > 1)
      return threads;
    strides.push_back(stride.value_or(0));
  }
  llvm::SmallSet<int64_t, 32> sectors;
  for (int64_t thread = 0; thread < threads; ++thread) {
    int64_t element = 0, rest = thread;
    for (auto [loop, stride] : llvm::zip(loops, strides)) {
      element += stride * (rest % loop.extent);
      rest /= loop.extent;
    }
    sectors.insert(llvm::divideFloorSigned(getBytes(type, element),
                                           Multiprocessor::sectorBytes));
  }
  return int64_t(sectors.size());
}

double getThreadsCost(ScopOp scop, StmtOp stmt, ArrayRef<ThreadLoop> loops) {
  const TargetInfo &target = getTargetInfo(scop);
  int64_t threads = 1;
  for (const ThreadLoop &loop : loops)
    threads = std::min(threads * loop.extent, target.multiprocessor->warp);
  double perInstance = 1; // the arithmetic
  for (const Access &access : getAccesses(stmt)) {
    if (isLocal(scop, access.memref)) {
      perInstance += target.costs.getLocalWeight();
      continue;
    }
    int64_t least = llvm::divideCeil(
        getBytes(cast<MemRefType>(access.memref.getType()), threads),
        Multiprocessor::sectorBytes);
    int64_t more = countSectors(access, loops, threads) - least;
    perInstance += 1 + double(std::max<int64_t>(more, 0)) *
                           double(threads - 1) /
                           double(std::max<int64_t>(threads - least, 1));
  }
  return perInstance / double(threads) * getInstances(stmt);
}

double getScalarCost(ScopOp scop, StmtOp stmt) {
  double perInstance = 1;
  for (const Access &access : getAccesses(stmt))
    perInstance += isLocal(scop, access.memref) ? 0 : 1;
  return perInstance * getInstances(stmt);
}

} // namespace fusec::poly
