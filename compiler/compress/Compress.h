// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Networks with fewer weights.
#ifndef FUSEC_COMPILER_COMPRESS_COMPRESS_H
#define FUSEC_COMPILER_COMPRESS_COMPRESS_H

#include "compiler/compress/Prune.h"
#include "compiler/quantize/Plan.h"
#include <optional>

namespace fusec::compress {

struct CompressOptions {
  /// The share of each weight that becomes zeros, and in which blocks.
  std::optional<double> sparsity;
  BlockShape block;
  /// The most relative error of a product of two narrow matrices.
  std::optional<double> rankError;
};

/// Weights of fewer elements, and those of fewer terms, stay as they are: what
/// is saved is less than what two products or gaps cost.
inline constexpr int64_t kLeastTerms = 8, kLeastElements = 256;

enum class Change { None, Pruned, LowRank };

/// A share of a weight's numbers, and the error with no more than these.
struct Loss {
  double share = 1, error = 0;
};

/// What became of the weight of a product.
struct WeightChange {
  Change change = Change::None;
  /// How many elements it has, and how many that are not zeros are left.
  int64_t elements = 0, left = 0;
  /// Multiplications of a run, before and after; those by zeros do not count.
  int64_t multiplications = 0, multiplicationsLeft = 0;
  int64_t rank = 0; ///< of Change::LowRank
  /// The relative error in the Frobenius norm, by which inputs low rank is
  /// weighted where it is; of what stays, 0.
  double error = 0;
  /// Where low rank was tried and does not hold the bound: the least error.
  std::optional<double> leastError;
  /// By how many numbers it might be left with, fewer ones last: those that
  /// are no zeros, or those of two factors. Empty where nothing was tried.
  std::vector<Loss> curve;
  /// Why it stays.
  std::string reason;
};

/// The dimension of the product's input that its sums are over.
int64_t getTermDim(const quantize::Product &product);

/// Whether its weight is a matrix, which may become two: of MatMul, Gemm, or a
/// convolution whose window is one point.
bool mayBeLowRank(const quantize::Product &product);

/// Compresses the weights of the plan's products: low rank where that is asked
/// for and holds, zeros in all others. `scales` has for each product the root
/// mean squares of its input for each term of the sums, or nothing.
std::vector<WeightChange>
compressWeights(mlir::ModuleOp module, const quantize::Plan &plan,
                const CompressOptions &options,
                llvm::ArrayRef<std::vector<double>> scales);

} // namespace fusec::compress

#endif // FUSEC_COMPILER_COMPRESS_COMPRESS_H
