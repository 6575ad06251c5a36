// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several modules of one model have most of their weights in common.
#ifndef FUSEC_COMPILER_SHAREDWEIGHTS_H
#define FUSEC_COMPILER_SHAREDWEIGHTS_H

#include "dialects/fuse/FuseOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace fusec {

/// Weights by their bytes. What it refers to stays the first module's that was
/// added with it, which outlives the others.
class SharedWeights {
public:
  /// Has the weights of `module` that are known already refer to what is known,
  /// and frees their own bytes; the others become known.
  void add(mlir::ModuleOp module);

private:
  llvm::DenseMap<uint64_t, llvm::SmallVector<llvm::ArrayRef<char>, 1>> known;
};

/// Lets `weight` have a resource of its own, of the same bytes, whose owner
/// outlives it: packing frees what it has packed, which others read as well.
void lendBytes(fuse::WeightOp weight);

} // namespace fusec

#endif // FUSEC_COMPILER_SHAREDWEIGHTS_H
