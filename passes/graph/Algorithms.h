// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What --fuse-expand-algorithms offers, for those who only have its name.
#ifndef FUSEC_PASSES_GRAPH_ALGORITHMS_H
#define FUSEC_PASSES_GRAPH_ALGORITHMS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace fusec::fuse {

/// Whether `algorithm` is offered with numerics=fast only.
bool needsFastNumerics(llvm::StringRef algorithm);

/// Products of lower precision than the model has, which are offered only where
/// a user allows them.
struct LowerPrecisionName {
  llvm::StringLiteral allowed;   ///< what --allow calls it
  llvm::StringLiteral algorithm; ///< the alternative of a choice
};
inline constexpr LowerPrecisionName kBf16Name = {"bf16", "bf16"};
inline constexpr LowerPrecisionName kBf16ActivationsName = {"bf16-activations",
                                                            "bf16_activations"};
inline constexpr LowerPrecisionName kInt8ActivationsName = {"int8-activations",
                                                            "int8_activations"};
inline constexpr LowerPrecisionName kLowerPrecisionNames[] = {
    kBf16Name, kBf16ActivationsName, kInt8ActivationsName};

/// The one that `algorithm` is of, by either name; null if that has the model's
/// precision.
inline const LowerPrecisionName *findLowerPrecision(llvm::StringRef algorithm) {
  for (const LowerPrecisionName &name : kLowerPrecisionNames)
    if (name.algorithm == algorithm || name.allowed == algorithm)
      return &name;
  return nullptr;
}

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_ALGORITHMS_H
