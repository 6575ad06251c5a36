// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which kernel of a model is the first whose results are wrong. The model runs
// as it is, fused: what kernels leave in memory is compared with what the
// reference interpreter computes of the same fused graph.
#ifndef FUSEC_TOOLS_FUSEC_BISECT_H
#define FUSEC_TOOLS_FUSEC_BISECT_H

#include "compiler/Driver.h"
#include "compiler/io/Compare.h"
#include "tools/fusec-ref/Interpreter.h"
#include "tools/fusec/Executable.h"
#include "tools/fusec/LaunchWatch.h"

namespace fusec::tool {

/// A result of a kernel, and how it compares.
struct KernelResult {
  std::string kernel;             ///< the fusion group
  std::vector<std::string> nodes; ///< of the model, which it computes
  std::string name; ///< of the result: that of the node that it is of
  io::Comparison comparison;
};

/// What `bisect` found.
struct Bisection {
  /// In the order of the program, up to the first one that fails.
  std::vector<KernelResult> results;
  /// Kernels that leave no result as a whole where it can be read: of these
  /// only what follows is compared.
  std::vector<std::string> unseen;

  /// Whether the last of the results is wrong.
  bool findsFault() const {
    return !results.empty() && !results.back().comparison.passed();
  }
};

/// Told of a result of a kernel, of what the kernel left, and of what the
/// interpreter has.
using ResultListener = llvm::function_ref<llvm::Error(
    const KernelResult &result, const io::Tensor &actual,
    const io::Tensor &expected)>;

/// For people: the first bad kernel, or how many results passed.
std::string describe(const Bisection &bisection);

/// Runs `model` on `inputs`, as often as it takes to keep no more than
/// `maxBytes` of results at a time, or one that is larger. `fused` is the
/// module after fuse-split, `planned` the one after the last stage; `watch` is
/// what the session of `model` reports to. Errors: those of the interpreter and
/// the runtime.
///
/// `interpreting` is what the interpreter is given besides; `listener` is told
/// of each result, what it is and what it should be.
///
/// Of a kernel in a loop the first iteration is compared; of one in a branch of
/// a condition, or in an alternative of a choice, what is there if it runs.
llvm::Expected<Bisection>
bisect(mlir::ModuleOp fused, mlir::ModuleOp planned, Executable &model,
       LaunchWatch &watch, llvm::ArrayRef<io::Tensor> inputs,
       llvm::function_ref<io::Tolerance(io::ElementType)> tolerance,
       const ref::Options &interpreting, ResultListener listener,
       uint64_t maxBytes = uint64_t(1) << 28);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_BISECT_H
