// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far apart in memory consecutive iterations access.
#ifndef FUSEC_PASSES_POLY_TREE_STRIDES_H
#define FUSEC_PASSES_POLY_TREE_STRIDES_H

#include "dialects/sched/SchedOps.h"

namespace fusec::poly {

/// One access of a statement to memory that outlives it.
struct Access {
  mlir::Value memref;
  mlir::AffineMap map;
  bool write;
  /// The iterators that run-time indices of the access depend on.
  llvm::SmallVector<unsigned> picking = {};

  bool isPickedAlong(unsigned dim) const {
    return llvm::is_contained(picking, dim);
  }
};

llvm::SmallVector<Access> getAccesses(sched::StmtOp stmt);

/// Elements by which `access` moves when iterator `dim` advances by one;
/// nullopt if it does not move evenly, as where run-time indices change.
std::optional<int64_t> getStride(const Access &access, unsigned dim);

/// Bytes that so many elements of an array of `type` take.
int64_t getBytes(mlir::MemRefType type, int64_t elements);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_TREE_STRIDES_H
