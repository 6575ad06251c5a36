// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers that the run time knows, as sums of what is read and a number: the
// length of x[p : p + 2] is known, though p is not.
#ifndef FUSEC_COMPILER_IMPORT_OPS_LINEARFORM_H
#define FUSEC_COMPILER_IMPORT_OPS_LINEARFORM_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace fusec {

/// An integer as a sum of elements of tensors, each with a factor, and a
/// number.
struct LinearForm {
  struct Term {
    mlir::Value value;
    int64_t element, factor;
  };
  llvm::SmallVector<Term, 2> terms;
  int64_t number = 0;

  /// The integer, if it is the same whatever is read.
  std::optional<int64_t> getConstant() const {
    return terms.empty() ? std::optional<int64_t>(number) : std::nullopt;
  }
  LinearForm &add(const LinearForm &other, int64_t factor);
};

/// Element `element`, in row-major order, of a tensor of integers.
LinearForm getLinearForm(mlir::Value value, int64_t element);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_LINEARFORM_H
