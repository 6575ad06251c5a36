// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The states of a model for the interpreter, which runs the function of a
// module with all of its arguments and results.
#ifndef FUSEC_TOOLS_FUSEC_CARRIEDSTATES_H
#define FUSEC_TOOLS_FUSEC_CARRIEDSTATES_H

#include "compiler/io/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fusec::tool {

class CarriedStates {
public:
  /// Those of `main` (fuse::kStateAttr), which begin as zeros.
  explicit CarriedStates(mlir::func::FuncOp main);

  bool empty() const { return pairs.empty(); }
  /// The arguments of the next run: the inputs of a program, and the states.
  std::vector<io::Tensor> join(llvm::ArrayRef<io::Tensor> inputs) const;
  /// Takes the next values out of the results of a run, and leaves what a
  /// program gives out.
  void advance(std::vector<io::Tensor> &results);
  /// In the order of the program's.
  llvm::ArrayRef<io::Tensor> getValues() const { return values; }

private:
  struct Pair {
    size_t argument, result;
  };
  std::vector<Pair> pairs; ///< by their arguments
  std::vector<io::Tensor> values;
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_CARRIEDSTATES_H
