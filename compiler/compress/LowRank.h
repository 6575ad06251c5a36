// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices as products of two narrow ones.
#ifndef FUSEC_COMPILER_COMPRESS_LOWRANK_H
#define FUSEC_COMPILER_COMPRESS_LOWRANK_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace fusec::compress {

struct LowRank {
  /// 0 where no rank that saves enough holds the bound.
  int64_t rank = 0;
  std::vector<float> left;  ///< [rows, rank]
  std::vector<float> right; ///< [rank, columns]
  /// The relative error in the Frobenius norm, of the factors as they are in
  /// f32; with rank 0 that of the highest rank that would save enough.
  double error = 0;
  /// That of rank 0, 1, ..., as far as ranks were looked at.
  std::vector<double> errors;
};

/// The highest rank r with r (rows + columns) < 0.7 rows columns: below that,
/// two products take so much less time than one that it shows.
int64_t getHighestRank(int64_t rows, int64_t columns);

/// The product of least rank that was found whose relative error is at most
/// `bound` and whose rank is at most the highest. `matrix` is row-major.
/// `rowScales`, if it is not empty, has a positive number for each row, by
/// which the error of the row counts.
///
/// A basis of the columns is found by a randomised range finder in blocks, with
/// power iterations (Halko, Martinsson and Tropp 2011, Finding Structure with
/// Randomness, algorithms 4.2 and 4.4), and the factors are rotated to singular
/// vectors by one-sided Jacobi rotations (Hestenes 1958). The random numbers
/// are signs from a fixed seed.
LowRank factorise(llvm::ArrayRef<float> matrix, int64_t rows, int64_t columns,
                  llvm::ArrayRef<double> rowScales, double bound);

} // namespace fusec::compress

#endif // FUSEC_COMPILER_COMPRESS_LOWRANK_H
