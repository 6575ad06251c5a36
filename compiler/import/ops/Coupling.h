// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Probabilities of classes from those of pairs of classes.
#ifndef FUSEC_COMPILER_IMPORT_OPS_COUPLING_H
#define FUSEC_COMPILER_IMPORT_OPS_COUPLING_H

#include "compiler/import/Node.h"

namespace fusec {

/// `probabilities`, [rows, pairs], say for each of the `pairs` how probable the
/// first class is among the two. Returns the probabilities of all classes,
/// [rows, numClasses], by the second method of Wu, Lin and Weng ("Probability
/// Estimates for Multi-class Classification by Pairwise Coupling"), with the
/// stopping rule of libsvm and ONNX Runtime.
mlir::Value couplePairs(Node &node,
                        llvm::ArrayRef<std::pair<int64_t, int64_t>> pairs,
                        int64_t numClasses, mlir::Value probabilities);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_COUPLING_H
