// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows whose loops the threads of a block, or of a warp, share: which thread
// runs what, which arrays each thread has of its own, and where all of them
// wait for each other.
//
// A tree of such a kernel has loops below marks "block", and "warp" or
// "column", and in them parts: loops below a mark "vector", whose iterations go
// round the threads, and what has no such loop in it. The latter is run by
// every thread if it writes nothing but arrays that each thread has, and by the
// first one otherwise. Of a reduction along such a loop each thread has a
// partial result; when the loop is done every thread gets all of them combined,
// and of an array that they share the first thread writes the result.
#ifndef FUSEC_PASSES_POLY_ARRAYS_THREADROWS_H
#define FUSEC_PASSES_POLY_ARRAYS_THREADROWS_H

#include "dialects/TargetInfo.h"
#include "passes/poly/levels/Mapping.h"
#include "passes/poly/tree/Legality.h"

#include "llvm/ADT/DenseSet.h"

namespace fusec::poly {

/// Whether threads share loops in this tree of a GPU.
bool hasSharedLoops(const PolyScop &poly, const isl::schedule &schedule);

/// Of `arrays`, those of which each thread may have its own: a value that one
/// thread makes no other one needs, but for results of reductions.
llvm::DenseSet<mlir::Value> findPrivate(const PolyScop &poly,
                                        const isl::schedule &schedule,
                                        llvm::DenseSet<mlir::Value> arrays);

/// The arrays that marks (Locals.h) say each thread has of its own.
llvm::DenseSet<mlir::Value> getLocals(const PolyScop &poly,
                                      const isl::schedule &schedule);

/// Shared memory that arrays of a block whose threads share rows take at most:
/// so several blocks are on a multiprocessor. The rest is for what threads
/// combine, of each of many columns where a block has such.
int64_t getMostRowBytes(const TargetInfo &target, bool hasColumns);

/// The tree with such marks where arrays become those of each thread, or
/// lie in the shared memory of a block. `tell` is told of an array that stays
/// in the workspace.
isl::schedule promoteInRows(const PolyScop &poly, isl::schedule schedule,
                            int64_t maxBytes, TellUnplaced tell);

/// The tree with marks "barrier" where threads wait, so that no two of them
/// access an element of anything but `ofThreads` unordered, one to write; as
/// few as that takes.
isl::schedule placeBarriers(const PolyScop &poly, const isl::schedule &schedule,
                            const llvm::DenseSet<mlir::Value> &ofThreads);

/// Two accesses that these marks leave unordered.
std::optional<Violation> findRace(const PolyScop &poly,
                                  const isl::schedule &schedule,
                                  const llvm::DenseSet<mlir::Value> &ofThreads);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_ARRAYS_THREADROWS_H
