// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/configs/WorkingSet.h"

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
  llvm::sort(rows);
  // Rounds through all sets, and what begins and ends at a set beside them:
  // rows may be as long as memory.
  int64_t sets = cache.getSets(), lines = 0, rounds = 0, next = 0;
  SmallVector<int64_t> changes(sets);
  for (int64_t row : rows) {
    int64_t first = std::max(next, row / cache.line);
    next = std::max(next, (row + span) / cache.line + 1);
    int64_t begin = first % sets, end = begin + (next - first) % sets;
    lines += next - first;
    rounds += (next - first) / sets + end / sets;
    ++changes[begin];
    --changes[end % sets];
  }
  bytes = lines * cache.line;
  ways = 0;
  int64_t here = rounds;
  for (int64_t change : changes)
    ways = std::max(ways, here += change);
}

} // namespace fusec::poly
