// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What products of f32 are expected to save in a lower precision.
#ifndef FUSEC_PASSES_MODEL_PRECISIONGAINS_H
#define FUSEC_PASSES_MODEL_PRECISIONGAINS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace fusec::model {

/// Products of f32 that have constants, in a lower precision.
struct PrecisionGain {
  /// int8-weights (the constants are codes of 8 bits, which become f32 as they
  /// are loaded), int8 (both factors are codes, with scales that are known
  /// beforehand), or what --allow calls it.
  llvm::StringRef name;
  /// How many kernels, or choices, are expected to take less time.
  size_t products = 0;
  /// Which part of the time of all contractions they save.
  double saved = 0;
};

/// The gains that costs of launches (`LaunchCost`) let expect, by the row of
/// targets that `module` is for. Its choices must be open, with all lower
/// precisions among their algorithms; `allowed` are those that may be taken
/// anyhow, by names of --allow. Nothing where it has no contractions, or is for
/// a GPU.
std::vector<PrecisionGain> predictGains(mlir::ModuleOp module,
                                        llvm::ArrayRef<std::string> allowed,
                                        bool anyOrder);

} // namespace fusec::model

#endif // FUSEC_PASSES_MODEL_PRECISIONGAINS_H
