// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why threads share no loop of a large group.
#ifndef FUSEC_PASSES_POLY_CONFIGS_SERIALREASON_H
#define FUSEC_PASSES_POLY_CONFIGS_SERIALREASON_H

#include "passes/poly/tree/PolyScop.h"

#include <optional>

namespace fusec::poly {

/// Of a kernel: a dictionary of `points`, the instances of its largest
/// statement that one thread of a CPU runs, and `reason`, why.
inline constexpr llvm::StringLiteral kSerialAttr = "serial";

/// Of a scop with a statement of 4,096 points or more, whose config has one
/// tile for all of it, on a CPU: nanoseconds that it is expected to take.
inline constexpr llvm::StringLiteral kSingleTileAttr = "single_tile";

/// Sets that attribute for `config` of the proposed tree `schedule`, or removes
/// it.
void noteSingleTile(const PolyScop &poly, const isl::schedule &schedule,
                    sched::ConfigAttr config);

/// As said, for a scop with the schedule that becomes loops; nothing where
/// threads share loops around all statements of 4,096 points or more.
std::optional<mlir::DictionaryAttr> explainSerial(sched::ScopOp scop,
                                                  const IslLimit &limit);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_CONFIGS_SERIALREASON_H
