// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of users that have several algorithms.
#ifndef FUSEC_PASSES_GRAPH_OPERATORALGORITHMS_H
#define FUSEC_PASSES_GRAPH_OPERATORALGORITHMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace fusec::fuse {

/// Makes a choice of each call in `function` that may take several algorithms,
/// with a call by each of them, in their order; one that may take one takes it,
/// and one that launches its own kernels on the target takes the first.
/// Where the call is an alternative of a choice, they are alternatives of that.
/// Unless `anyBits`, algorithms that give other bits now and then are left out;
/// it is an error if a call has no other ones. Returns the number of choices,
/// which have names that `names` lacked.
mlir::FailureOr<unsigned> expandOperators(mlir::func::FuncOp function,
                                          bool anyBits, bool remarks,
                                          llvm::StringSet<> &names);

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_OPERATORALGORITHMS_H
