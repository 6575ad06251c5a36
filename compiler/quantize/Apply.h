// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Networks of f32 as networks of codes.
#ifndef FUSEC_COMPILER_QUANTIZE_APPLY_H
#define FUSEC_COMPILER_QUANTIZE_APPLY_H

#include "compiler/quantize/Plan.h"
#include "compiler/quantize/Ranges.h"
#include "mlir/IR/OwningOpRef.h"

namespace fusec::quantize {

struct ApplyOptions {
  /// Whether each channel of every weight has a scale.
  bool perChannel = false;
};

/// How each tensor of a plan is coded.
using Codings = llvm::DenseMap<mlir::Value, Coding>;

/// Puts a quantisation and its inverse behind each tensor of `plan`, an inverse
/// behind weights and biases, which become codes of 8 and 32 bits. Outputs of
/// the function are what was computed, not rounded to codes.
void applyPlan(mlir::ModuleOp module, const Plan &plan, const Codings &codings,
               const ApplyOptions &options);

/// The same with activations that are quantised as the model runs, by the range
/// of what they are: products are of integers, and their sums are scaled.
void applyDynamically(mlir::ModuleOp module, const Plan &plan,
                      const ApplyOptions &options);

struct WeightsOnlyOptions {
  unsigned bits = 4; ///< 4 or 8
  /// So many rows of a column have one scale and zero point; a power of two, 16
  /// at least.
  int64_t blockSize = 32;
};

/// Makes MatMulNBits of the plan's products of matrices whose rows are whole
/// blocks: activations and sums stay f32. Returns how many there are. The
/// module is for ONNX then: its calls have no kernels.
size_t applyWeightsOnly(mlir::ModuleOp module, const Plan &plan,
                        const WeightsOnlyOptions &options);

/// A copy of `module` whose first outputs are its own, and further ones those
/// of `values`, in this order.
mlir::OwningOpRef<mlir::ModuleOp>
makeObserved(mlir::ModuleOp module, llvm::ArrayRef<mlir::Value> values);

/// The name of the last input of makeSwitched's result.
inline constexpr const char *kSwitchesInput = "fusec.switches";

/// A copy of `module` with one further input, bool[products + sites of `plan`]:
/// where an element is true, the product computes with the numbers that its
/// codes stand for, in f32, or what else reads the site reads such.
mlir::OwningOpRef<mlir::ModuleOp> makeSwitched(mlir::ModuleOp module,
                                               const Plan &plan,
                                               const Codings &codings,
                                               const ApplyOptions &options);

} // namespace fusec::quantize

#endif // FUSEC_COMPILER_QUANTIZE_APPLY_H
