// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which elements of a matrix become zeros.
#ifndef FUSEC_COMPILER_COMPRESS_PRUNE_H
#define FUSEC_COMPILER_COMPRESS_PRUNE_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace fusec::compress {

/// A weight as a matrix: a row for each channel of the result, a column for
/// each term of a sum.
struct MatrixView {
  int64_t channels = 0, terms = 0;
  /// Whether the channels of one term lie side by side in memory.
  bool isTransposed = false;

  int64_t index(int64_t channel, int64_t term) const {
    return isTransposed ? term * channels + channel : channel * terms + term;
  }
};

/// The extents of what becomes zeros as a whole.
struct BlockShape {
  int64_t channels = 1, terms = 1;

  bool divides(const MatrixView &view) const {
    return view.channels % channels == 0 && view.terms % terms == 0;
  }
};

/// The relative errors in the Frobenius norm of a pruned matrix.
struct PruneLoss {
  double error = 0;
  /// Those with 0, 1/64, 2/64, ... and all of the blocks as zeros.
  std::vector<double> errors;
};

/// Makes zeros of a share of the blocks, which divide the matrix: those of the
/// least sums of squares; of equal ones the first.
PruneLoss prune(llvm::MutableArrayRef<float> values, const MatrixView &view,
                const BlockShape &block, double sparsity);

} // namespace fusec::compress

#endif // FUSEC_COMPILER_COMPRESS_PRUNE_H
