// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a part of a statement's loops keeps in use of a cache. A cache holds
// few lines of each set: rows whose distance is a multiple of many sets take
// each other's place long before it is full.
#ifndef FUSEC_PASSES_POLY_CONFIGS_WORKINGSET_H
#define FUSEC_PASSES_POLY_CONFIGS_WORKINGSET_H

#include "dialects/TargetInfo.h"
#include "passes/poly/tree/Strides.h"

namespace fusec::poly {

/// What `access` touches in `counts[d]` iterations of each loop d.
struct WorkingSet {
  WorkingSet(const Access &access, llvm::ArrayRef<int64_t> counts,
             const Cache &cache);

  /// Bytes of the lines, and the most lines of any set of the cache: more than
  /// any cache holds where they are too many to count.
  int64_t bytes = std::numeric_limits<int64_t>::max();
  int64_t ways = std::numeric_limits<int64_t>::max();

  /// Bytes between iterations of a loop.
  static int64_t getStep(const Access &access, unsigned dim);
};

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_CONFIGS_WORKINGSET_H
