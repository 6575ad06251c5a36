// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What choices are called in modules, before and after there are kernels.
#ifndef FUSEC_DIALECTS_KERNEL_CHOICES_H
#define FUSEC_DIALECTS_KERNEL_CHOICES_H

#include "llvm/ADT/StringRef.h"

namespace fusec {

/// Of a main function: what was taken of each choice, and why. Where it is
/// there before choices are made, it is what was decided before about some of
/// which there is only the alternative that was taken.
inline constexpr llvm::StringLiteral kChoicesAttr = "kernel.choices";

/// The alternatives of an operator that has a text and kernels of a library:
/// what the text says, and the kernels where they have no names of their own.
inline constexpr llvm::StringLiteral kBodyAlternative = "body";
inline constexpr llvm::StringLiteral kKernelAlternative = "kernel";

} // namespace fusec

#endif // FUSEC_DIALECTS_KERNEL_CHOICES_H
