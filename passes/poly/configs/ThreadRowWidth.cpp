// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a GPU with several points, or iterations that they share, side by
// side: --kernel-widen-accesses makes rows of their accesses.
#include "passes/poly/configs/GpuConfigs.h"
#include "passes/poly/tree/CostModel.h"
#include "passes/poly/tree/Strides.h"

#include "dialects/TypeInfo.h"
#include "dialects/kernel/Nibbles.h"

using namespace mlir;

namespace fusec::poly {

namespace {

/// How many elements side by side all of some accesses have.
class RowWidth {
public:
  explicit RowWidth(const TargetInfo &target) : target(target) {}

  /// Whether neighbouring iterations of `along` access neighbouring elements of
  /// whole bytes, or one. An array of the scop lies in memory in its compute
  /// type.
  bool add(const Access &access, unsigned along, bool isLocal);
  int64_t get() const;

  /// What has as many divisors that are powers of two as all extents together.
  int64_t elements = 0;

private:
  const TargetInfo &target;
  int64_t bytes = 1;
};

} // namespace

bool RowWidth::add(const Access &access, unsigned along, bool isLocal) {
  std::optional<int64_t> stride = getStride(access, along);
  if (stride == 0)
    return true;
  auto type = cast<MemRefType>(access.memref.getType());
  if (stride != 1 || kernel::isNibbles(type))
    return false;
  AffineExpr index = getAffineDimExpr(along, access.map.getContext());
  AffineExpr rest =
      simplifyAffineExpr(access.map.getResults().back() - index,
                         access.map.getNumDims(), access.map.getNumSymbols());
  if (rest.isFunctionOfDim(along))
    return false;
  Type element = type.getElementType();
  if (isLocal)
    element = getComputeType(element);
  bytes = std::max<int64_t>(bytes, getTypeInfo(element)->storageBytes());
  elements |= type.getShape().back() | rest.getLargestKnownDivisor();
  return true;
}

int64_t RowWidth::get() const {
  int64_t width = target.multiprocessor->accessBytes / bytes;
  while (width > 1 && elements % width != 0)
    width /= 2;
  return width;
}

int64_t findRowWidth(const ScheduledScop &group, unsigned along) {
  const OuterBand &band = group.band;
  if (band.hasLoopsBelow())
    return 1;
  RowWidth width(group.target);
  width.elements = band.getExtent(along);
  for (const PolyStmt &stmt : group.poly.getStmts()) {
    std::optional<unsigned> iterator = band.getIterator(stmt.op, along);
    if (!iterator)
      return 1;
    width.elements |= band.getShift(stmt.op, along) |
                      sched::StmtOp(stmt.op).getExtents()[*iterator];
    // Each thread has arrays of the scop in registers.
    for (const Access &access : getAccesses(stmt.op))
      if (!isLocal(group.scop, access.memref) &&
          !width.add(access, *iterator, /*isLocal=*/false))
        return 1;
  }
  return width.get();
}

int64_t findSharedWidth(const ScheduledScop &group) {
  RowWidth width(group.target);
  for (const PolyStmt &stmt : group.poly.getStmts()) {
    std::optional<unsigned> along;
    double least = 0;
    // Ties: the innermost.
    for (unsigned dim = 0; dim < stmt.op.getNumIterators(); ++dim)
      if (double cost = getVectorCost(group.scop, stmt.op, dim);
          !group.band.contains(stmt.op, dim) && (!along || cost <= least))
        along = dim, least = cost;
    if (!along)
      continue;
    width.elements |= stmt.op.getExtents()[*along];
    for (const Access &access : getAccesses(stmt.op))
      if (!width.add(access, *along, isLocal(group.scop, access.memref)))
        return 1;
  }
  return width.get();
}

} // namespace fusec::poly
