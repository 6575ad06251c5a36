// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/compress/LowRank.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <random>

namespace fusec::compress {

int64_t getHighestRank(int64_t rows, int64_t columns) {
  constexpr double kMostShare = 0.7;
  const double limit =
      kMostShare * double(rows) * double(columns) / double(rows + columns);
  return std::max<int64_t>(0, int64_t(std::ceil(limit)) - 1);
}

using Row = std::vector<double>;

/// Partial sums of a fixed number, which a compiler computes side by side.
static double dot(const Row &one, const Row &other) {
  constexpr size_t kLanes = 8;
  double sums[kLanes] = {};
  const size_t size = one.size(), whole = size - size % kLanes;
  for (size_t i = 0; i < whole; i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane)
      sums[lane] += one[i + lane] * other[i + lane];
  for (size_t i = whole; i < size; ++i)
    sums[i - whole] += one[i] * other[i];
  return std::accumulate(std::begin(sums), std::end(sums), 0.0);
}

/// row += factor * other.
static void addScaled(Row &row, double factor, const Row &other) {
  for (size_t i = 0; i < row.size(); ++i)
    row[i] += factor * other[i];
}

static double sumSquares(const std::vector<Row> &rows) {
  double sum = 0;
  for (const Row &row : rows)
    sum += dot(row, row);
  return sum;
}

/// Makes `block` orthonormal, and orthogonal to `basis`, which is orthonormal,
/// by Gram and Schmidt's method applied twice. Rows that depend on others
/// become zeros.
static void orthonormalise(std::vector<Row> &block, llvm::ArrayRef<Row> basis) {
  constexpr double kLeastShare = 1e-10;
  for (size_t number = 0; number < block.size(); ++number) {
    Row &row = block[number];
    const double before = std::sqrt(dot(row, row));
    for (int pass = 0; pass < 2; ++pass) {
      for (const Row &other : basis)
        addScaled(row, -dot(row, other), other);
      for (size_t other = 0; other < number; ++other)
        addScaled(row, -dot(row, block[other]), block[other]);
    }
    const double norm = std::sqrt(dot(row, row));
    const bool isIndependent = norm > kLeastShare * before;
    for (double &value : row)
      value = isIndependent ? value / norm : 0;
  }
}

/// Each row of `block` times the matrix of `rows`.
static std::vector<Row> multiply(const std::vector<Row> &block,
                                 const std::vector<Row> &rows) {
  std::vector<Row> result(block.size(), Row(rows.front().size(), 0));
  for (auto [row, sums] : llvm::zip_equal(block, result))
    for (auto [factor, other] : llvm::zip_equal(row, rows))
      addScaled(sums, factor, other);
  return result;
}

/// Each row of `block` times the transpose of the matrix of `rows`.
static std::vector<Row> multiplyTransposed(const std::vector<Row> &block,
                                           const std::vector<Row> &rows) {
  std::vector<Row> result(block.size(), Row(rows.size()));
  for (auto [row, dots] : llvm::zip_equal(block, result))
    for (auto [value, other] : llvm::zip_equal(dots, rows))
      value = dot(row, other);
  return result;
}

namespace {
/// A matrix as the sum of the outer products of columns and rows of one number,
/// and a rest.
struct Sum {
  std::vector<Row> columns; ///< orthonormal
  std::vector<Row> rows;
  std::vector<Row> rest;
};
} // namespace

/// Moves from the rest to the sum what a random block of columns shows.
static void extend(Sum &sum, size_t count, std::mt19937_64 &random) {
  constexpr int kPowerIterations = 2;
  std::vector<Row> signs(count, Row(sum.rest.front().size()));
  for (Row &row : signs)
    for (double &sign : row)
      sign = random() >> 63 ? 1 : -1;
  std::vector<Row> columns = multiplyTransposed(signs, sum.rest);
  orthonormalise(columns, sum.columns);
  for (int iteration = 0; iteration < kPowerIterations; ++iteration) {
    std::vector<Row> rows = multiply(columns, sum.rest);
    orthonormalise(rows, {});
    columns = multiplyTransposed(rows, sum.rest);
    orthonormalise(columns, sum.columns);
  }
  std::vector<Row> rows = multiply(columns, sum.rest);
  for (auto [column, row] : llvm::zip_equal(columns, rows))
    for (auto [factor, left] : llvm::zip_equal(column, sum.rest))
      addScaled(left, -factor, row);
  llvm::append_range(sum.columns, std::move(columns));
  llvm::append_range(sum.rows, std::move(rows));
}

/// (one, other) by the rotation of this cosine and sine.
static void rotate(Row &one, Row &other, double cosine, double sine) {
  for (size_t i = 0; i < one.size(); ++i) {
    const double first = one[i], second = other[i];
    one[i] = cosine * first - sine * second;
    other[i] = sine * first + cosine * second;
  }
}

/// Makes the rows orthogonal, too, and sorts by their lengths: those are the
/// singular values then.
static void diagonalise(Sum &sum) {
  constexpr int kMostSweeps = 30;
  constexpr double kLeastCosine = 1e-9;
  bool hasChanged = true;
  for (int sweep = 0; sweep < kMostSweeps && hasChanged; ++sweep) {
    hasChanged = false;
    for (size_t i = 0; i < sum.rows.size(); ++i)
      for (size_t j = i + 1; j < sum.rows.size(); ++j) {
        Row &one = sum.rows[i], &other = sum.rows[j];
        const double alpha = dot(one, one), beta = dot(other, other),
                     gamma = dot(one, other);
        if (std::abs(gamma) <= kLeastCosine * std::sqrt(alpha * beta))
          continue;
        hasChanged = true;
        const double zeta = (beta - alpha) / (2 * gamma);
        const double tangent =
            (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
        const double cosine = 1 / std::sqrt(1 + tangent * tangent);
        rotate(one, other, cosine, cosine * tangent);
        rotate(sum.columns[i], sum.columns[j], cosine, cosine * tangent);
      }
  }
  std::vector<std::pair<double, size_t>> order;
  for (auto [number, row] : llvm::enumerate(sum.rows))
    order.emplace_back(-dot(row, row), number);
  llvm::sort(order);
  Sum sorted;
  for (auto [length, number] : order) {
    sorted.columns.push_back(std::move(sum.columns[number]));
    sorted.rows.push_back(std::move(sum.rows[number]));
  }
  sum.columns = std::move(sorted.columns);
  sum.rows = std::move(sorted.rows);
}

/// The factors of the first `rank` terms, each of which has the root of its
/// singular value, so that codes of few bits hold both alike.
static LowRank takeFactors(const Sum &sum, int64_t rank,
                           llvm::ArrayRef<double> scales) {
  LowRank result;
  result.rank = rank;
  const size_t rows = scales.size(), columns = sum.rows.front().size();
  result.left.resize(rows * rank);
  result.right.resize(rank * columns);
  for (int64_t term = 0; term < rank; ++term) {
    const Row &row = sum.rows[term], &column = sum.columns[term];
    const double length = std::sqrt(dot(row, row));
    const double root = length > 0 ? std::sqrt(length) : 1;
    for (size_t i = 0; i < rows; ++i)
      result.left[i * rank + term] = float(column[i] * root / scales[i]);
    for (size_t j = 0; j < columns; ++j)
      result.right[term * columns + j] = float(row[j] / root);
  }
  return result;
}

/// The error of the factors against the matrix with scaled rows.
static double measure(const LowRank &factors, const std::vector<Row> &scaled,
                      llvm::ArrayRef<double> scales) {
  const size_t columns = scaled.front().size();
  double error = 0;
  for (size_t i = 0; i < scaled.size(); ++i) {
    Row rest = scaled[i];
    for (int64_t term = 0; term < factors.rank; ++term) {
      const double factor =
          -scales[i] * double(factors.left[i * factors.rank + term]);
      const float *row = factors.right.data() + term * columns;
      for (size_t j = 0; j < columns; ++j)
        rest[j] += factor * double(row[j]);
    }
    error += dot(rest, rest);
  }
  return std::sqrt(error / sumSquares(scaled));
}

LowRank factorise(llvm::ArrayRef<float> matrix, int64_t rows, int64_t columns,
                  llvm::ArrayRef<double> rowScales, double bound) {
  constexpr int64_t kBlock = 16;
  assert(int64_t(matrix.size()) == rows * columns);
  std::vector<double> scales(rowScales.begin(), rowScales.end());
  scales.resize(rows, 1);
  std::vector<Row> scaled;
  for (int64_t i = 0; i < rows; ++i) {
    scaled.emplace_back(matrix.begin() + i * columns,
                        matrix.begin() + (i + 1) * columns);
    for (double &value : scaled.back())
      value *= scales[i];
  }
  const double norm = sumSquares(scaled), allowed = bound * bound * norm;
  const int64_t highest = getHighestRank(rows, columns);
  LowRank none;
  none.error = 1;
  if (norm == 0 || highest == 0)
    return none;
  Sum sum{{}, {}, scaled};
  std::mt19937_64 random(1);
  // One block more than holds the bound: the terms that matter are exact then.
  const int64_t most = std::min({highest + kBlock, rows, columns});
  bool isLast = false;
  while (int64_t(sum.rows.size()) < most && !isLast) {
    isLast = sumSquares(sum.rest) <= allowed;
    extend(sum, std::min<int64_t>(kBlock, most - int64_t(sum.rows.size())),
           random);
  }
  diagonalise(sum);
  double error = sumSquares(sum.rest);
  std::vector<double> errors = {std::sqrt(error / norm)};
  double left = error;
  for (const Row &row : llvm::reverse(sum.rows))
    errors.insert(errors.begin(), std::sqrt((left += dot(row, row)) / norm));
  none.errors = errors;
  int64_t rank = int64_t(sum.rows.size());
  while (rank > 1) {
    const double next = error + dot(sum.rows[rank - 1], sum.rows[rank - 1]);
    if (next > allowed && rank <= highest)
      break;
    error = next;
    --rank;
  }
  // Factors of f32 are a little less exact.
  for (; rank <= std::min(highest, int64_t(sum.rows.size())); ++rank) {
    LowRank result = takeFactors(sum, rank, scales);
    result.error = measure(result, scaled, scales);
    if (result.error <= bound) {
      result.errors = std::move(errors);
      return result;
    }
    none.error = result.error;
  }
  return none;
}

} // namespace fusec::compress
