// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a schedule tree keeps every dependence of a scop.
#ifndef FUSEC_PASSES_POLY_TREE_LEGALITY_H
#define FUSEC_PASSES_POLY_TREE_LEGALITY_H

#include "passes/poly/tree/PolyScop.h"

namespace fusec::poly {

/// Marks in a schedule tree say what runs the loop of the single-member band
/// below them.
inline constexpr llvm::StringLiteral kParallelMark = "parallel";
inline constexpr llvm::StringLiteral kVectorMark = "vector";
inline constexpr llvm::StringLiteral kUnrollMark = "unroll";
/// Of the terms that a unit adds in one step.
inline constexpr llvm::StringLiteral kUnitMark = "unit";
/// As "parallel", of a GPU: blocks, the warps or the columns of one, and its
/// threads. Below "vector" are loops that the threads of a block, of a warp, or
/// of a column share.
inline constexpr llvm::StringLiteral kBlockMark = "block";
inline constexpr llvm::StringLiteral kWarpMark = "warp";
inline constexpr llvm::StringLiteral kColumnMark = "column";
inline constexpr llvm::StringLiteral kThreadMark = "thread";
/// Above what begins when all threads that share a row have come to it.
inline constexpr llvm::StringLiteral kBarrierMark = "barrier";
/// As "parallel", of a loop that reduces: threads add up parts of it.
inline constexpr llvm::StringLiteral kSplitMark = "split";

/// Whether the iterations of a loop below `mark` run at once and carry nothing.
inline bool isParallelMark(llvm::StringRef mark) {
  return mark == kParallelMark || mark == kBlockMark || mark == kWarpMark ||
         mark == kColumnMark || mark == kThreadMark;
}

/// Whether each iteration of the loop below `mark` has threads of a block that
/// share what stands in it.
inline bool isTeamMark(llvm::StringRef mark) {
  return mark == kWarpMark || mark == kColumnMark;
}

/// Whether threads, warps or columns of a block run the loop below `mark`.
inline bool isThreadsMark(llvm::StringRef mark) {
  return mark == kThreadMark || isTeamMark(mark);
}

/// What is wrong with a schedule: which rule, and an example as isl prints it.
struct Violation {
  std::string reason;
  std::string example;
};

/// Checks that `schedule` executes every instance of the scop once, every
/// source of a dependence before its sink, carries no dependence in a loop
/// marked parallel, block, warp, column or thread, and none but a reduction's
/// in a loop marked vector or split.
std::optional<Violation> findViolation(const PolyScop &scop,
                                       const isl::schedule &schedule,
                                       const Dependences &dependences);

/// The same for the part of a schedule at and below `node`, where a rewrite has
/// changed nothing else: instances that do not meet there keep their order.
std::optional<Violation> findViolation(const isl::schedule_node &node,
                                       const Dependences &dependences);

/// The dependences of `dependences` that member `member` of `band` has at a
/// distance other than zero, given equal schedules above the band.
isl::union_map carriedBy(const isl::schedule_node_band &band, int member,
                         const isl::union_map &dependences);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_TREE_LEGALITY_H
