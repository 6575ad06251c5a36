// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fusec takes at most of its input: deeper or larger input is refused with
// the number, where the stack, the memory or the time would run out.
// compiler/import/README.md lists all of them.
#ifndef FUSEC_DIALECTS_LIMITS_H
#define FUSEC_DIALECTS_LIMITS_H

#include <cstddef>
#include <cstdint>

namespace fusec {

/// Brackets within brackets in text: .mlir, locks, records of caches, JSON.
inline constexpr size_t kMaxNesting = 500;
/// Calls of model-local functions within functions.
inline constexpr size_t kMaxCallDepth = 1000;
/// Graphs within graphs: the bodies of If, Loop and Scan.
inline constexpr size_t kMaxGraphDepth = 32;
/// Nodes of a graph, functions written out: a small file can ask for any
/// number of them, and no network has this many.
inline constexpr size_t kMaxNodes = 1000000;
/// The same of all graphs within a graph, a body once for each iteration that
/// is written out.
inline constexpr size_t kMaxInnerNodes = 1000000;
/// As many bytes as a tensor may have; an extent is not more either.
inline constexpr int64_t kMaxTensorBytes = int64_t(1) << 40;
/// The stack that the programs work on. What needs more ends with a message.
inline constexpr size_t kStackBytes = size_t(256) << 20;

} // namespace fusec

#endif // FUSEC_DIALECTS_LIMITS_H
