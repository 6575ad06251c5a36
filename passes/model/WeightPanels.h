// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Panels: the layout of weights whose columns kernels load as vectors down the
// rows. A panel has the columns of a vector, or of a tile that has each element
// once: memory sets the time of those, and one stream comes faster from it than
// several. Of units that multiply several terms in a step, the terms of each
// column lie side by side.
#ifndef FUSEC_PASSES_MODEL_WEIGHTPANELS_H
#define FUSEC_PASSES_MODEL_WEIGHTPANELS_H

#include "dialects/kernel/KernelOps.h"

namespace fusec::model {

/// How a kernel loads an argument.
struct Loads {
  /// Loads of lanes go down the rows.
  bool wantsPanels = false;
  /// Rows that are multiplied in one step, all of them in a vector's columns.
  int64_t terms = 1;
  /// Columns of a panel.
  int64_t columns = kernel::kLanes;
  /// Why they cannot be of panels; empty if they can.
  std::string refusal = {};
};

/// How the kernel loads `value`, an argument of it.
Loads findLoads(mlir::BlockArgument value);

/// [..., rows, all columns] to [panels, ..., rows, columns], or of several
/// terms to [panels, ..., rows / terms, columns, terms].
llvm::SmallVector<int64_t> getPackedShape(llvm::ArrayRef<int64_t> rows,
                                          const Loads &loads);

/// Copies `bytes`, elements of `elementBytes` in the shape `rows`, to panels.
/// Lanes of the last panel that no column fills are left alone.
void packRows(llvm::ArrayRef<char> bytes, llvm::ArrayRef<int64_t> rows,
              const Loads &loads, size_t elementBytes,
              llvm::MutableArrayRef<char> packed);

/// Rewrites the loads of an argument that is in panels of type `packed` now.
void rewriteLoads(mlir::BlockArgument value, mlir::MemRefType packed,
                  const Loads &loads);

} // namespace fusec::model

#endif // FUSEC_PASSES_MODEL_WEIGHTPANELS_H
