// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec-ref/Indexing.h"

#include "llvm/ADT/STLExtras.h"

namespace fusec::ref {

std::vector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

int64_t product(llvm::ArrayRef<int64_t> extents) {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

Offsets line(int64_t extent, int64_t stride, int64_t start) {
  Offsets offsets(extent);
  for (int64_t i = 0; i < extent; ++i)
    offsets[i] = start + i * stride;
  return offsets;
}

Offsets combine(llvm::ArrayRef<Offsets> dims) {
  Offsets sums = {0};
  for (const Offsets &dim : dims) {
    Offsets longer;
    longer.reserve(sums.size() * dim.size());
    for (int64_t sum : sums)
      for (int64_t offset : dim)
        longer.push_back(sum == kOutside || offset == kOutside ? kOutside
                                                               : sum + offset);
    sums = std::move(longer);
  }
  return sums;
}

Offsets offsetsAlong(llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> dims) {
  std::vector<int64_t> strides = rowMajorStrides(shape);
  std::vector<Offsets> lines;
  for (int64_t dim : dims)
    lines.push_back(line(shape[dim], strides[dim]));
  return combine(lines);
}

std::vector<int64_t> otherDims(int64_t rank, llvm::ArrayRef<int64_t> dims) {
  std::vector<int64_t> others;
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(dims, i))
      others.push_back(i);
  return others;
}

int64_t normaliseAxis(int64_t axis, int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

} // namespace fusec::ref
