// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of a network becomes codes of 8 bits: which products, which tensors.
#ifndef FUSEC_COMPILER_QUANTIZE_PLAN_H
#define FUSEC_COMPILER_QUANTIZE_PLAN_H

#include "compiler/export/Precision.h"
#include "compiler/import/Problem.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace fusec::quantize {

/// A convolution or a product of matrices in f32 whose operand 1 is a constant.
struct Product {
  mlir::Operation *op = nullptr;
  std::string name, operation;     ///< of the node: "conv1", "Conv"
  mlir::Value input, weight, bias; ///< the bias may be null
  /// The dimension of the weight that counts channels of the result, and the
  /// one of the result that does.
  int64_t channels = 0, resultChannels = 0;
  /// Whether each channel has a scale whatever the options say: each of a
  /// depthwise convolution has one filter, and ranges of filters differ.
  bool isDepthwise = false;
  /// How many multiplications it has.
  int64_t multiplications = 0;

  int64_t countChannels() const;
};

/// A tensor that is computed with as codes. Those of one range have the same
/// scale: what lies between only moves elements, or takes their maximum.
struct Site {
  mlir::Value value;
  std::string name;
  size_t range = 0;
};

struct PlanOptions {
  /// Operators of ONNX, and nodes, that stay in f32.
  std::vector<std::string> denyOps, denyNodes;
};

struct Plan {
  std::vector<Product> products;
  std::vector<Site> sites;
  size_t numRanges = 0;
  /// Products that stay in f32, whose operands are no codes.
  llvm::SmallPtrSet<mlir::Operation *, 8> left;

  const Site *find(mlir::Value value) const;
};

/// Which products of the module's function become products of codes, and which
/// tensors codes for that:
///  - the operand of such a product, and the result of a convolution that
///    something else reads, behind its activation where it has one of Relu and
///    Clip (as ONNX Runtime computes it in one kernel);
///  - the operand of what only moves elements to such a tensor, or takes maxima
///    of windows, which has the same scale;
///  - both operands of a sum of two computed tensors whose result is one, and
///    the operand of a mean.
/// Bodies of loops and conditions stay as they are.
Plan makePlan(mlir::ModuleOp module, const ExportedNodes &nodes,
              const PlanOptions &options);

/// Adds to `problems`: names in the options that nothing in the model has.
void checkNames(const ExportedNodes &nodes, const PlanOptions &options,
                std::vector<Problem> &problems);

/// The first node that has codes already; null if there is none.
mlir::Operation *findQuantized(mlir::ModuleOp module);

/// Scales the filters and biases of convolutions by the batch norms that are
/// all that reads them, and removes these. Returns how many.
size_t foldBatchNorms(mlir::ModuleOp module);

} // namespace fusec::quantize

#endif // FUSEC_COMPILER_QUANTIZE_PLAN_H
