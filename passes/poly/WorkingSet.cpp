// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/WorkingSet.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace fusec::poly {

static int64_t getElementBytes(const Access &access) {
  auto type = cast<MemRefType>(access.memref.getType());
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

int64_t WorkingSet::getStep(const Access &access, unsigned dim) {
  return getElementBytes(access) * std::abs(getStride(access, dim).value_or(0));
}

WorkingSet::WorkingSet(const Access &access, ArrayRef<int64_t> counts,
                       const Cache &cache) {
  // Where rows begin, and what lies together from there.
  SmallVector<int64_t> rows = {0};
  int64_t span = getElementBytes(access) - 1;
  for (auto [dim, count] : llvm::enumerate(counts)) {
    int64_t step = getStep(access, dim);
    if (step == 0 || count <= 1)
      continue;
    if (step < cache.line) {
      span += (count - 1) * step;
      continue;
    }
    // More rows than the cache has lines need not be counted.
    if (int64_t(rows.size()) * count > cache.bytes / cache.line)
      return;
    SmallVector<int64_t> begins = std::exchange(rows, {});
    for (int64_t begin : begins)
      for (int64_t iteration = 0; iteration < count; ++iteration)
        rows.push_back(begin + iteration * step);
  }
  SmallVector<int64_t> lines;
  for (int64_t row : rows)
    for (int64_t line = row / cache.line; line <= (row + span) / cache.line;
         ++line)
      lines.push_back(line);
  llvm::sort(lines);
  lines.erase(llvm::unique(lines), lines.end());
  SmallVector<int64_t> sets(cache.getSets());
  for (int64_t line : lines)
    ++sets[line % cache.getSets()];
  bytes = int64_t(lines.size()) * cache.line;
  ways = *llvm::max_element(sets);
}

} // namespace fusec::poly
