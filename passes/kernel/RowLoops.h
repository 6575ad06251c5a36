// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over rows that a team of a GPU's threads (a warp, or a block) shares:
// thread t has groups t, t + threads, t + 2 * threads and so on, each of
// `width` elements side by side.
#ifndef FUSEC_PASSES_KERNEL_ROWLOOPS_H
#define FUSEC_PASSES_KERNEL_ROWLOOPS_H

#include "passes/kernel/AffineForms.h"

namespace fusec::kernel {

/// How many threads share `loop`, which is mapped to threads.
int64_t countSharingThreads(ForOp loop);

struct RowLoop {
  ForOp loop;
  /// Over the elements of one group; null where a group is one element.
  ForOp each;
  int64_t threads, groups, width;

  /// The most groups that a thread has.
  int64_t countTurns() const { return llvm::divideCeil(groups, threads); }
  /// Whether `op`, in the loop, runs for each element.
  bool runsForAll(mlir::Operation *op) const;
};

/// `loop` as one over a row, if it is: with constant bounds, from 0 in steps of
/// 1, and without loops in it besides the one over a group.
std::optional<RowLoop> matchRowLoop(ForOp loop);

/// A load or a store of one element of a row: the last subscript is the number
/// of the element.
struct RowAccess {
  mlir::Operation *op;
  const RowLoop *loop;
  /// The other subscripts, the same for all of the row.
  AffineForm place;

  mlir::Value getMemref() const;
  /// Whether both access a row of the same place, whose elements the same
  /// threads have.
  bool isOfSameRow(const RowAccess &other) const;
  /// Whether other teams of a block have other rows.
  bool isOfOneTeam() const;
};

std::optional<RowAccess> matchRowAccess(mlir::Operation *op,
                                        const RowLoop &loop);

/// Makes of the loop one over threads, of as many iterations as there are
/// threads, around an unrolled one over a thread's groups. Returns the index of
/// that, null where a thread has one group at most.
mlir::Value takeTurns(const RowLoop &row);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_ROWLOOPS_H
