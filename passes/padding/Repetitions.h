// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers and scatters at positions that follow from where the element is:
// masks of exporters that flatten a mask and read it at batch * length +
// position, or that assign all of a mask to itself.
#ifndef FUSEC_PASSES_PADDING_REPETITIONS_H
#define FUSEC_PASSES_PADDING_REPETITIONS_H

#include "dialects/fuse/FuseOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>
#include <vector>

namespace fusec::padding {

/// A gather whose result is its operand, repeated, or a scatter whose result is
/// its updates.
struct Repetition {
  /// Of what a reshape makes the operand of, not of the operand itself.
  bool isOfReshaped = false;
  /// The dimensions of the result that those of what is read become.
  llvm::SmallVector<int64_t> dims;
};

/// Of each gather and call of `main`, in order, the repetition that it is, if
/// any.
std::vector<std::optional<Repetition>> findRepetitions(mlir::func::FuncOp main);

/// Replaces each gather and call of `main`, in order, by the repetition that it
/// is in the same model for other extents, where it is one here, too.
void repeat(mlir::func::FuncOp main,
            llvm::ArrayRef<std::optional<Repetition>> repetitions);

} // namespace fusec::padding

#endif // FUSEC_PASSES_PADDING_REPETITIONS_H
