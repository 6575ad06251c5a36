// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of a tree whose rows threads share, and who runs their instances.
#ifndef FUSEC_PASSES_POLY_ARRAYS_THREADPARTS_H
#define FUSEC_PASSES_POLY_ARRAYS_THREADPARTS_H

#include "passes/poly/arrays/Locals.h"

#include "llvm/ADT/DenseSet.h"

namespace fusec::poly {

/// Whether `mark` stands at or below `node`.
bool hasMarkBelow(const isl::schedule_node &node, llvm::StringRef mark);

/// Whether `node` is the topmost one of a part: a loop that threads share, or
/// what has none, but for a sequence.
bool isThreadPart(const isl::schedule_node &node);

struct ThreadPart {
  isl::union_set domain;
  /// A loop below a mark "vector".
  bool isShared;
  /// Of such a loop, the thread that runs an instance, where that is known.
  std::optional<isl::union_pw_aff> thread;
  /// The statements in it that reduce along that loop, and what they write.
  llvm::SmallVector<std::pair<std::string, mlir::Value>> reductions;
};

class ThreadParts {
public:
  ThreadParts(const PolyScop &poly, const isl::schedule &schedule);

  llvm::ArrayRef<ThreadPart> get() const { return parts; }

  /// Whether the threads of several warps share rows: they all wait for each
  /// other where they combine results.
  bool isOfBlock() const { return isOfColumn || threads > warp; }

  /// Whether every thread runs `part`, which no loop shares out.
  bool isDoneByAll(const ThreadPart &part,
                   const llvm::DenseSet<mlir::Value> &ofThreads) const;

  /// The instances in `part` that reduce to `array` along its loop.
  isl::union_set getReductions(const ThreadPart &part, mlir::Value array) const;

  /// Pairs of instances that access one place of anything but `ofThreads`, one
  /// to write, in two threads that share a row. With `results`, of the first
  /// only what is left when the part is done: the results of reductions.
  isl::union_map getConflicts(const llvm::DenseSet<mlir::Value> &ofThreads,
                              bool results) const;

private:
  void collect(const isl::schedule_node &node);
  std::optional<isl::union_pw_aff>
  findThread(const isl::schedule_node_band &loop) const;
  const LocalArray *findShared(mlir::Value array) const;

  const PolyScop &poly;
  int64_t warp = 0;
  /// Those that share a row.
  int64_t threads = 0;
  bool isOfColumn = false;
  std::vector<ThreadPart> parts;
  /// The arrays that a mark says all threads share.
  llvm::SmallVector<LocalArray> shared;
  /// The loops around rows, if there are any.
  std::optional<isl::multi_union_pw_aff> around;
};

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_ARRAYS_THREADPARTS_H
