// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Caches that grow with each run, as buffers of which only the first rows are
// there.
#ifndef FUSEC_COMPILER_GROWING_H
#define FUSEC_COMPILER_GROWING_H

#include "compiler/CompileOptions.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace fusec {

/// What a module that is imported says about its caches that grow
/// (fuse::kGrowingAttr).
struct GrowingCaches {
  std::vector<std::string> symbols; ///< the dimensions that grow with them
  int64_t past = 0;                 ///< the rows before the longest run
  int64_t rows = 0;                 ///< those that a run adds

  /// Nothing where no cache of `module` grows.
  static std::optional<GrowingCaches> of(mlir::ModuleOp module);
  /// The `options` of such a module for caches that have `length` rows before
  /// the run.
  CompileOptions at(CompileOptions options, int64_t length) const;
};

/// Whether a power of two is at most one from `length`: of many lengths, those
/// at which a program is most likely to differ, besides the ends.
bool isNearPowerOfTwo(int64_t length);

/// Masks the rows that are not there in the caches of `module`
/// (fuse::kGrowingAttr), where something reduces over them, and proves that
/// then the model does at each length of the caches what it does where it is
/// imported for that length (passes/padding). Leaves primitives alone. Adds to
/// `problems` the node that mixes what is there with what is not.
void maskGrowth(mlir::ModuleOp module, const CompileOptions &options,
                std::vector<Problem> &problems);

} // namespace fusec

#endif // FUSEC_COMPILER_GROWING_H
