// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/tree/Strides.h"
#include "dialects/AffineRanges.h"

using namespace mlir;

namespace fusec::poly {

/// The iterators of `stmt` that the indices of `gather` depend on.
static SmallVector<unsigned> findPicking(sched::StmtOp stmt,
                                         sched::GatherOp gather) {
  SmallVector<unsigned> picking;
  for (unsigned dim = 0; dim < stmt.getNumIterators(); ++dim)
    if (llvm::any_of(gather.getIndices(),
                     [&](Value index) { return stmt.dependsOn(index, dim); }))
      picking.push_back(dim);
  return picking;
}

SmallVector<Access> getAccesses(sched::StmtOp stmt) {
  SmallVector<Access> result;
  for (auto [index, memref] : llvm::enumerate(stmt.getReads()))
    result.push_back({memref, stmt.getReadMap(index), false});
  for (auto gather : stmt.getBody().getOps<sched::GatherOp>())
    result.push_back(
        {gather.getArray(), gather.getMap(), false, findPicking(stmt, gather)});
  for (auto [index, memref] : llvm::enumerate(stmt.getWrites()))
    result.push_back({memref, stmt.getWriteMap(index), true});
  return result;
}

std::optional<int64_t> getStride(const Access &access, unsigned dim) {
  if (access.isPickedAlong(dim))
    return std::nullopt;
  ArrayRef<int64_t> shape =
      cast<MemRefType>(access.memref.getType()).getShape();
  int64_t stride = 0, unit = 1;
  for (int64_t position = shape.size() - 1; position >= 0; --position) {
    auto slope = getSlope(access.map.getResult(position), dim);
    if (!slope)
      return std::nullopt;
    stride += *slope * unit;
    unit *= shape[position];
  }
  return stride;
}

int64_t getBytes(MemRefType type, int64_t elements) {
  const TypeInfo *info = getTypeInfo(type.getElementType());
  return info ? elements * info->storageBytes() : 0;
}

} // namespace fusec::poly
