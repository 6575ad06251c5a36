// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A config's tiles and loops in a schedule tree. Nothing here decides or
// proves: what a config says is done, or refused where the tree has no place
// for it.
#ifndef FUSEC_PASSES_POLY_LEVELS_MAPPING_H
#define FUSEC_PASSES_POLY_LEVELS_MAPPING_H

#include "dialects/TargetInfo.h"
#include "passes/poly/tree/PolyScop.h"

#include <optional>

namespace fusec::poly {

/// Why `config`, which may be written by hand, fits neither the scop's target
/// nor the loops of the proposed tree `schedule`; empty if it fits both.
std::string findMisfit(const PolyScop &poly, const isl::schedule &schedule,
                       sched::ConfigAttr config);

/// Why `config`, whose lanes are settled, cannot have what it says of them:
/// accumulators and streams; empty if it can.
std::string findLaneMisfit(sched::ScopOp scop, sched::ConfigAttr config);

/// The same as `findMisfit` of a tree that is tiled already. Whether its tiles
/// are those of `config` is not looked into.
std::string findTiledMisfit(const PolyScop &poly, const isl::schedule &schedule,
                            sched::ConfigAttr config);

/// Is told of an array or an input that gets no place near its threads, and
/// why.
using TellUnplaced =
    llvm::function_ref<void(mlir::BlockArgument, const llvm::Twine &reason)>;

/// A tree, or why there is none.
struct Rewritten {
  std::optional<isl::schedule> schedule;
  std::string refusal;
};

/// The proposed tree `schedule` with the tiles of `config`.
Rewritten applyTiles(const PolyScop &poly, const isl::schedule &schedule,
                     sched::ConfigAttr config);

/// Says which member of a band runs on lanes; nothing if none does. Asked of
/// innermost bands, and on a GPU of those around them first.
/// `marks` are those that the members get otherwise.
using PickLanes = llvm::function_ref<std::optional<unsigned>(
    const isl::schedule_node_band &band, llvm::ArrayRef<std::string> marks)>;

/// The tiled tree `schedule` as single loops below marks "parallel", "vector"
/// and "unroll".
Rewritten applyLoops(const PolyScop &poly, const isl::schedule &schedule,
                     sched::ConfigAttr config, PickLanes pickLanes);

/// The same with the lanes and the units of `config`.
Rewritten applyLoops(const PolyScop &poly, const isl::schedule &schedule,
                     sched::ConfigAttr config);

/// `band` as single loops below `marks`, with member `member` innermost and on
/// lanes: of groups of `width` iterations, those of a group in a loop below.
isl::schedule_node putOnLanes(const isl::schedule_node_band &band,
                              llvm::ArrayRef<std::string> marks,
                              unsigned member, int64_t width);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_LEVELS_MAPPING_H
