// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one table of targets: what passes may know of a machine. Decisions rest
// on the table and never on the machine that compiles, so that a model gives
// the same sources everywhere.
#ifndef FUSEC_DIALECTS_TARGETINFO_H
#define FUSEC_DIALECTS_TARGETINFO_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace fusec {

/// One row of the table. Work is counted in steps: a scalar operation on an
/// element by one core, which reads the element from memory.
struct TargetInfo {
  llvm::StringLiteral name;
  /// Cores that a kernel should have work for.
  int64_t cores;
  /// Elements of a vector: a loop that runs on lanes gives a core this many.
  int64_t lanes;
  /// Rows of a contraction that one task computes together, so that each
  /// element of the other operand is loaded once for all of them.
  int64_t rows;
  /// Terms of a sum of products of 16-bit integers that a lane adds in one step;
  /// 1 where the target has nothing for them.
  int64_t terms;
  /// Steps of a core in the time that a launch takes to reach the threads.
  int64_t launchSteps;
  /// Steps of one core from which it pays to find work for the others.
  int64_t longSteps;

  /// How many parts of a loop nest that reduces can run at once. `extents` are
  /// those of its parallel loops. `contiguous` are the loops that follow the
  /// innermost subscript of an operand: the last of these runs on lanes. With
  /// `reuses` (a contraction) the innermost other loop is the rows.
  int64_t countTasks(llvm::ArrayRef<int64_t> extents,
                     llvm::ArrayRef<unsigned> contiguous, bool reuses) const;
};

/// The row of `name`, or null.
const TargetInfo *getTargetInfo(llvm::StringRef name);

} // namespace fusec

#endif // FUSEC_DIALECTS_TARGETINFO_H
