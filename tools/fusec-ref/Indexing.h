// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where elements lie in a row-major tensor.
#ifndef FUSEC_TOOLS_FUSEC_REF_INDEXING_H
#define FUSEC_TOOLS_FUSEC_REF_INDEXING_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace fusec::ref {

/// The offset of an element that lies outside its tensor.
constexpr int64_t kOutside = INT64_MIN;

using Offsets = std::vector<int64_t>;

/// The distance of neighbours along each dimension, in elements.
std::vector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

int64_t product(llvm::ArrayRef<int64_t> extents);

/// `start + i * stride` for i < extent.
Offsets line(int64_t extent, int64_t stride, int64_t start = 0);

/// All sums of one entry of each of `dims`, the last one fastest; kOutside
/// where an entry is. Without dims: one 0.
Offsets combine(llvm::ArrayRef<Offsets> dims);

/// The offsets of the elements of `shape` that differ in `dims` only, the last
/// one fastest.
Offsets offsetsAlong(llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> dims);

/// The dimensions below `rank` that `dims` lacks, increasing.
std::vector<int64_t> otherDims(int64_t rank, llvm::ArrayRef<int64_t> dims);

/// `axis`, counted from the end if negative.
int64_t normaliseAxis(int64_t axis, int64_t rank);

} // namespace fusec::ref

#endif // FUSEC_TOOLS_FUSEC_REF_INDEXING_H
