// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From primitives to fusion groups.
#ifndef FUSEC_PASSES_FUSION_PASSES_H
#define FUSEC_PASSES_FUSION_PASSES_H

#include "dialects/fuse/FuseOps.h"
#include "passes/Rules.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace fusec::fuse {
#define GEN_PASS_DECL
#include "passes/fusion/Passes.h.inc"

/// Of a group that --fuse-split shall cut: why what reduces rows of its
/// contraction is to be apart.
inline constexpr llvm::StringLiteral kRowsApartAttr = "fuse.rows_apart";

/// The rule without which --fuse-split leaves each operation `apart`.
extern const Rule kGroupsRule;

/// registerFusionPasses() makes them known to pass pipelines by name.
#define GEN_PASS_REGISTRATION
#include "passes/fusion/Passes.h.inc"
} // namespace fusec::fuse

#endif // FUSEC_PASSES_FUSION_PASSES_H
