// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of passes that are one of a few words.
#ifndef FUSEC_PASSES_OPTIONWORDS_H
#define FUSEC_PASSES_OPTIONWORDS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

namespace fusec {

/// Fails with an error if `value`, of `option` of a pass, is none of `words`.
inline mlir::LogicalResult checkWord(mlir::MLIRContext *context,
                                     llvm::StringRef pass,
                                     llvm::StringRef option,
                                     llvm::StringRef value,
                                     llvm::ArrayRef<llvm::StringRef> words) {
  if (llvm::is_contained(words, value))
    return mlir::success();
  mlir::InFlightDiagnostic error =
      mlir::emitError(mlir::UnknownLoc::get(context))
      << "--" << pass << " has no " << option << " '" << value
      << "'; there are ";
  llvm::interleaveComma(words.drop_back(), error);
  return error << " and " << words.back();
}

} // namespace fusec

#endif // FUSEC_PASSES_OPTIONWORDS_H
