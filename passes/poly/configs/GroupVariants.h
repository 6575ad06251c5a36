// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variants of a group, each a scop: how they are told apart and arranged,
// and which of them sessions of more threads take.
#ifndef FUSEC_PASSES_POLY_CONFIGS_GROUPVARIANTS_H
#define FUSEC_PASSES_POLY_CONFIGS_GROUPVARIANTS_H

#include "dialects/sched/SchedOps.h"

#include "mlir/IR/SymbolTable.h"

namespace fusec::poly {

/// Whether both are computed alike: by one config and one schedule.
bool takesSame(sched::ScopOp a, sched::ScopOp b);

/// A copy behind `scop`, and one for which a config has to be chosen.
sched::ScopOp cloneBehind(sched::ScopOp scop);
sched::ScopOp cloneForConfig(sched::ScopOp scop);

/// The variant `naive` of the group of `scop`.
sched::ScopOp makeNaive(sched::ScopOp scop);

/// What sessions of so many threads, or more, take on an instruction set.
struct Selection {
  llvm::StringRef isa;
  unsigned threads;
  sched::ScopOp scop; ///< null: the naive variant
};

/// Notes at the variants of a group by which selections they are taken
/// (`kernel::kSelectedAttr`). What is selected and takes the same as a default
/// is that one. Returns the variants that are left, each of them once: for all
/// instruction sets if it is selected on all.
llvm::SmallVector<sched::ScopOp>
placeSelections(llvm::ArrayRef<sched::ScopOp> defaults, sched::ScopOp naive,
                llvm::ArrayRef<Selection> selections);

/// Calls each after the fewest threads that it is selected for, "threads_8".
void nameSelected(llvm::ArrayRef<sched::ScopOp> selected);

/// Puts the variants of a group one behind the other. The first one has the
/// group's name: it is the one that is launched.
void arrangeVariants(mlir::StringAttr group,
                     llvm::ArrayRef<sched::ScopOp> variants,
                     mlir::SymbolTable &symbols);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_CONFIGS_GROUPVARIANTS_H
