// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/TargetInfo.h"

#include "llvm/ADT/STLExtras.h"

namespace fusec {

// Eight cores are those of a small machine; a larger one gets enough to do as
// well, a smaller one loses next to nothing. A core sums about 4 elements a
// nanosecond from cache, half as many from memory, and a launch reaches the
// threads within about 4 us.
static constexpr TargetInfo kTargets[] = {
    {"cpu", /*cores=*/8, /*lanes=*/16, /*rows=*/6, /*terms=*/2,
     /*launchSteps=*/16384, /*longSteps=*/131072},
};

const TargetInfo *getTargetInfo(llvm::StringRef name) {
  for (const TargetInfo &target : kTargets)
    if (target.name == name)
      return &target;
  return nullptr;
}

int64_t TargetInfo::countTasks(llvm::ArrayRef<int64_t> extents,
                               llvm::ArrayRef<unsigned> contiguous,
                               bool reuses) const {
  size_t none = extents.size();
  size_t lanesOf = contiguous.empty() ? none : contiguous.back();
  size_t rowsOf = none;
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (reuses && extent > 1 && loop != lanesOf)
      rowsOf = loop;
  int64_t tasks = 1;
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    int64_t together = loop == lanesOf ? lanes : loop == rowsOf ? rows : 1;
    tasks *= (extent + together - 1) / together;
  }
  return tasks;
}

} // namespace fusec
