// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the threads of a block have of arrays: operands in shared memory, which
// all of them load together, and accumulators in registers of their own.
#ifndef FUSEC_PASSES_POLY_ARRAYS_SHAREDTILES_H
#define FUSEC_PASSES_POLY_ARRAYS_SHAREDTILES_H

#include "passes/poly/arrays/Locals.h"
#include "passes/poly/levels/Mapping.h"

namespace fusec::poly {

/// The loops of one member each that stand above `node`, outermost first.
std::vector<isl::schedule_node_band> getLoopsAround(isl::schedule_node node);

/// { instances -> [values of the loops] }, also where an instance is not in the
/// domain of its statement.
isl::union_map getTimes(const isl::union_set &instances,
                        llvm::ArrayRef<isl::schedule_node_band> loops);

/// What runs below `node`, loops of threads, if no loop over their points ends
/// early.
isl::union_set getWholeTiles(const PolyScop &poly,
                             const isl::schedule_node &node);

/// { stmt[i] -> mN[map(i)] } of all accesses to `array`, also where they are
/// outside of it.
isl::union_map getAccessMaps(const PolyScop &poly, mlir::BlockArgument array);

/// A part of an array: from `offset`, a map of the loops around, so many
/// elements of each dimension.
struct ArrayBox {
  llvm::SmallVector<int64_t> shape;
  mlir::AffineMap offset;
};

/// What the statements below `node`, loops of threads, read of the input
/// `array`, in whole tiles: also where their loops end early, and outside of
/// the array, where the reads have a fill. Nothing, with why in `refusal`,
/// where that has no fixed extents.
std::optional<ArrayBox> findOperandBox(const PolyScop &poly,
                                       const isl::schedule_node &node,
                                       mlir::BlockArgument array,
                                       std::string &refusal);

/// What reads of `array` below `node` give outside of it: of all of them the
/// same, or zero where they have none. Null where they do not agree.
mlir::TypedAttr findFill(const PolyScop &poly, const isl::schedule_node &node,
                         mlir::BlockArgument array);

/// `schedule` with a mark (Locals.h) above the loops of threads in a reduction
/// for each input of which several threads read the same elements. Nothing,
/// with why, where a block has no room for the tiles of `config`; `tell` is
/// told of an input that has no such part.
Rewritten markOperands(const PolyScop &poly, isl::schedule schedule,
                       sched::ConfigAttr config, TellUnplaced tell);

/// Bytes of shared memory that `copy`, of an input, takes with the stages of
/// `config`.
int64_t countSharedBytes(const LocalArray &copy, sched::ConfigAttr config);
/// Why a block cannot have so many bytes of its operands; empty if it can.
std::string explainSharedBytes(const Multiprocessor &mp, int64_t bytes);

/// The part of `array` that a thread has of its own below `node`, in loops that
/// threads share, as the shape of such a mark. Nothing, with why in `refusal`,
/// where values go from one thread to another.
std::optional<LocalArray> findThreadRegisters(const PolyScop &poly,
                                              const isl::schedule_node &node,
                                              mlir::BlockArgument array,
                                              std::string &refusal);

/// Elements between the rows of an operand that does not lie in shared memory
/// as in its array.
int64_t getRowPadding(const LocalArray &copy);

/// The rules for the two kinds of marks.
std::optional<Violation> findViolationOfOperand(const PolyScop &poly,
                                                const LocalMark &mark);
std::optional<Violation> findViolationOfRegisters(const PolyScop &poly,
                                                  const LocalMark &mark);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_ARRAYS_SHAREDTILES_H
