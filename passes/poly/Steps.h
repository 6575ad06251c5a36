// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens to a scop between its schedule and its loops, step by step. Each
// step is a pass of this folder. isl may not end in any of them: each has a
// limit, and where isl is stopped, the scop takes its next proposal and goes
// through the steps again.
#ifndef FUSEC_PASSES_POLY_STEPS_H
#define FUSEC_PASSES_POLY_STEPS_H

#include "passes/poly/levels/Mapping.h"

#include <optional>

namespace fusec::poly {

// The steps, in their order. Where isl is stopped, an exception leaves them,
// and the scop is as before.

/// That of the variant `naive`, for `inOrder`, the program's own order: of a
/// GPU the threads of one block share one loop of each statement, which carries
/// nothing, so that no sum is another one than in sequence.
sched::ConfigAttr makeNaiveConfig(const PolyScop &poly,
                                  const isl::schedule &inOrder);

/// Sets the default config: the cheapest that the scop's schedule takes.
mlir::LogicalResult selectConfig(PolyContext &context, sched::ScopOp scop);
/// An error: the config of `scop`, which may be written by hand, does not fit.
mlir::LogicalResult refuseConfig(sched::ScopOp scop, llvm::StringRef reason);
mlir::LogicalResult tile(PolyContext &context, sched::ScopOp scop);
mlir::LogicalResult mapLoops(PolyContext &context, sched::ScopOp scop);
/// Local arrays have at most `maxBytes`; by default what the target's stacks
/// take.
mlir::LogicalResult
promoteArrays(PolyContext &context, sched::ScopOp scop,
              std::optional<int64_t> maxBytes = std::nullopt);

/// The same for a schedule of `poly` with the loops of `config`, which says
/// what has blocks; what flows between its statements is found once, whatever
/// their schedules. Nothing, with why, where a GPU has no room for what its
/// threads and blocks have of the tiles.
Rewritten promoteArrays(const PolyScop &poly, isl::schedule schedule,
                        sched::ConfigAttr config, TellUnplaced tell,
                        std::optional<int64_t> maxBytes = std::nullopt);

/// Marks where threads of a GPU wait for each other.
mlir::LogicalResult placeBarriers(PolyContext &context, sched::ScopOp scop);
mlir::LogicalResult splitTails(PolyContext &context, sched::ScopOp scop);

/// How many of the steps come before one.
enum class StepsBefore : unsigned {
  config = 0,
  tile,
  map,
  promote,
  barriers,
  split,
  loops
};

using Step =
    llvm::function_ref<mlir::LogicalResult(PolyContext &, sched::ScopOp)>;

/// Runs one step within `limit`. Nothing, with a warning that isl did not end
/// `what`, if isl was stopped.
std::optional<mlir::LogicalResult> runStep(PolyContext &context,
                                           sched::ScopOp scop,
                                           const IslLimit &limit,
                                           const llvm::Twine &what, Step step);

/// Runs `step`. Where isl is stopped, and as long as it is, the scop takes its
/// next proposal and goes through the steps before this one again, each within
/// `limit`. Its arrays are as they were when it was formed.
mlir::LogicalResult runOrFallBack(PolyContext &context, sched::ScopOp scop,
                                  const IslLimit &limit,
                                  const llvm::Twine &what, StepsBefore before,
                                  Step step);

/// The second half of that, for a scop that isl was stopped with.
mlir::LogicalResult fallBack(PolyContext &context, sched::ScopOp scop,
                             const IslLimit &limit, const llvm::Twine &what,
                             StepsBefore before, Step step);

/// Runs `work` on each scop of `module`, on those of one group after one
/// another, on those of several on the threads of the MLIR context. What is
/// said of them comes in their order. `work` changes nothing but its scop.
mlir::LogicalResult forEachScop(
    mlir::ModuleOp module, PolyContexts &contexts,
    llvm::function_ref<mlir::LogicalResult(PolyContext &, sched::ScopOp)> work);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_STEPS_H
