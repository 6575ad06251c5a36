// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparing a computed tensor with an expected one, and the project's one
// table of tolerances.
#ifndef FUSEC_COMPILER_IO_COMPARE_H
#define FUSEC_COMPILER_IO_COMPARE_H

#include "compiler/io/Tensor.h"

namespace fusec::io {

/// What kind of computation a tolerance is for.
enum class OpClass {
  Exact,           ///< moves, comparisons, selections, integers
  Elementwise,     ///< one scalar function of the operands' elements
  Reduction,       ///< sums, norms, softmax, pooling
  Contraction,     ///< sums of products: matmul, conv
  Network,         ///< any number of the above in a row
  Quantised,       ///< the same with codes between, of which some are one apart
  LoweredBf16,     ///< Network, with constants that were allowed to be bf16
  LoweredBothBf16, ///< Network, with both factors that were allowed to be bf16
  LoweredInt8,     ///< Network, with products that were allowed to be of 8 bits
};

/// "reduction", for messages.
llvm::StringRef getName(OpClass opClass);

/// An element passes if |actual - expected| is at most
///   absolute + relative * |expected| + scaled * scale.
/// `scale` is the sum of |products| that made the element where the caller
/// knows it, and the largest finite |expected| of the tensor otherwise.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
  double scaled = 0;
};

/// The row of the table of tolerances. No tool and no test has numbers of its
/// own; a user's --rtol and --atol replace `relative` and `absolute`.
Tolerance getTolerance(ElementType type, OpClass opClass);

/// Of two types the float with fewer digits: what a result of one type is held
/// to that was computed in the other. `type` where that is no float.
ElementType getLessPrecise(ElementType type, ElementType other);

/// How two tensors differ.
struct Comparison {
  int64_t elements = 0;
  int64_t failed = 0;     ///< elements beyond the tolerance
  double maxAbsError = 0; ///< infinite if NaN or infinity met anything else
  uint64_t maxUlp = 0;    ///< steps of the storage type; UINT64_MAX as above
  int64_t worst = -1;     ///< the element that exceeds its tolerance by most
  double worstActual = 0, worstExpected = 0;
  Tolerance tolerance; ///< that it was held to

  bool passed() const { return failed == 0; }
  /// One line: "max abs error 1.2e-07, max ULP 2, 0 of 1000 elements beyond
  /// tolerance 1e-06 + 1e-05 * |expected|" and, where elements failed, the
  /// worst one.
  std::string describe() const;
};

/// Compares `actual` with `expected`. NaN equals NaN, an infinity equals only
/// itself, +0 equals -0. `scale` has one value per element or none. Errors: the
/// tensors differ in element type or shape.
llvm::Expected<Comparison> compare(const Tensor &actual, const Tensor &expected,
                                   const Tolerance &tolerance,
                                   llvm::ArrayRef<double> scale = {});

} // namespace fusec::io

#endif // FUSEC_COMPILER_IO_COMPARE_H
