// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_PASSES_POLY_TREE_LIMIT_H
#define FUSEC_PASSES_POLY_TREE_LIMIT_H

#include <chrono>

namespace fusec::poly {

/// What isl may take for one proposal of a schedule with all of its checks, and
/// for each step that makes loops of it.
struct IslLimit {
  /// Steps as isl counts them (pivots, allocations), the same on every machine.
  /// A softmax takes 50,000, attention 1,000,000; this many are ten seconds.
  unsigned long operations = 50'000'000;
  /// Of processor time: an emergency exit, for what isl does not count.
  std::chrono::milliseconds time{20000};

  /// As the options of the passes say it.
  static IslLimit of(int64_t operations, int64_t milliseconds) {
    return {(unsigned long)operations, std::chrono::milliseconds(milliseconds)};
  }
};

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_TREE_LIMIT_H
