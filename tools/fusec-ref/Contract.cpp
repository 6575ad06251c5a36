// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A contraction is a batch of matrix products over views whose element (i, j)
// lies at rows[i] + columns[j]. Each product runs in tiles of packed panels, as
// in Goto and van de Geijn, "Anatomy of high-performance matrix
// multiplication", ACM TOMS 34(3), 2008.
#include "tools/fusec-ref/Contract.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace fusec::ref {
namespace {

constexpr int64_t kPanel = 4;            // rows or columns of a packed panel
constexpr int64_t kTileColumns = 64;     // columns that one task computes
constexpr int64_t kDepth = 256;          // products summed before moving on
constexpr int64_t kSerialWork = 1 << 18; // products not worth a thread

using Offsets = std::vector<int64_t>;

/// All sums of steps of the chosen iterators, the last one fastest.
template <typename Chosen>
Offsets offsetsOf(const std::vector<Iterator> &iterators, Chosen chosen,
                  int64_t Iterator::*step) {
  Offsets offsets = {0};
  for (const Iterator &iterator : iterators) {
    if (!chosen(iterator))
      continue;
    Offsets longer;
    longer.reserve(offsets.size() * iterator.extent);
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < iterator.extent; ++i)
        longer.push_back(offset + i * iterator.*step);
    offsets = std::move(longer);
  }
  return offsets;
}

/// Runs task(0) .. task(count - 1) on as many threads as the machine has.
template <typename Task> void runTasks(int64_t count, bool serial, Task task) {
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (int64_t i = next++; i < count; i = next++)
      task(i);
  };
  int64_t threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> others;
  if (!serial)
    for (int64_t i = 1; i < std::min(threads, count); ++i)
      others.emplace_back(work);
  work();
  for (std::thread &thread : others)
    thread.join();
}

/// Copies lines [first, last) of a view, `along` offsets deep, into panels of
/// kPanel interleaved lines, the last one padded with zeros.
template <typename T>
void pack(const T *base, const Offsets &lines, int64_t first, int64_t last,
          const Offsets &along, std::vector<T> &panels) {
  int64_t depth = along.size();
  panels.resize((last - first + kPanel - 1) / kPanel * kPanel * depth);
  T *to = panels.data();
  for (int64_t panel = first; panel < last; panel += kPanel) {
    int64_t width = std::min(kPanel, last - panel);
    for (int64_t k = 0; k < depth; ++k, to += kPanel)
      for (int64_t i = 0; i < kPanel; ++i)
        to[i] = i < width ? base[lines[panel + i] + along[k]] : T(0);
  }
}

/// sums[i][j] += sum over k < depth of a[k][i] * b[k][j].
template <typename T>
void multiplyPanels(const T *a, const T *b, int64_t depth, T *sums) {
  T acc[kPanel][kPanel];
  for (int64_t i = 0; i < kPanel; ++i)
    for (int64_t j = 0; j < kPanel; ++j)
      acc[i][j] = sums[i * kPanel + j];
  for (int64_t k = 0; k < depth; ++k, a += kPanel, b += kPanel)
    for (int64_t i = 0; i < kPanel; ++i)
      for (int64_t j = 0; j < kPanel; ++j)
        acc[i][j] += a[i] * b[j];
  for (int64_t i = 0; i < kPanel; ++i)
    for (int64_t j = 0; j < kPanel; ++j)
      sums[i * kPanel + j] = acc[i][j];
}

/// The products of one batch: rows of lhs with columns of rhs.
template <typename T> struct MatrixProduct {
  Offsets lhsRows, rhsColumns;       // of the operands
  Offsets lhsDepth, rhsDepth;        // along the sum
  Offsets resultRows, resultColumns; // of the result

  int64_t work() const {
    return int64_t(lhsRows.size() * rhsColumns.size() * lhsDepth.size());
  }
  /// The columns are what threads share, so let them be the longer side.
  void orient() {
    if (rhsColumns.size() >= lhsRows.size())
      return;
    std::swap(lhsRows, rhsColumns);
    std::swap(lhsDepth, rhsDepth);
    std::swap(resultRows, resultColumns);
    swapped = true;
  }
  void run(const T *lhs, const T *rhs, T *result, bool serial) const {
    if (swapped)
      std::swap(lhs, rhs);
    std::vector<T> rows;
    pack(lhs, lhsRows, 0, lhsRows.size(), lhsDepth, rows);
    int64_t columns = rhsColumns.size();
    runTasks((columns + kTileColumns - 1) / kTileColumns,
             serial || work() < kSerialWork, [&](int64_t tile) {
               int64_t first = tile * kTileColumns;
               runTile(rows, rhs, first,
                       std::min(columns, first + kTileColumns), result);
             });
  }

private:
  bool swapped = false;

  void runTile(const std::vector<T> &rows, const T *rhs, int64_t first,
               int64_t last, T *result) const {
    std::vector<T> columns;
    pack(rhs, rhsColumns, first, last, rhsDepth, columns);
    int64_t depth = rhsDepth.size(), m = lhsRows.size();
    int64_t across = (last - first + kPanel - 1) / kPanel;
    int64_t down = (m + kPanel - 1) / kPanel;
    std::vector<T> sums(across * down * kPanel * kPanel);
    for (int64_t k = 0; k < depth; k += kDepth)
      for (int64_t i = 0; i < down; ++i)
        for (int64_t j = 0; j < across; ++j)
          multiplyPanels(&rows[(i * depth + k) * kPanel],
                         &columns[(j * depth + k) * kPanel],
                         std::min(kDepth, depth - k),
                         &sums[(i * across + j) * kPanel * kPanel]);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < last - first; ++j)
        result[resultRows[i] + resultColumns[first + j]] +=
            sums[((i / kPanel * across + j / kPanel) * kPanel + i % kPanel) *
                     kPanel +
                 j % kPanel];
  }
};

} // namespace

template <typename T>
void contract(const std::vector<Iterator> &iterators, const T *lhs,
              const T *rhs, T *result) {
  auto isBatch = [](const Iterator &i) { return !i.reduces && i.lhs && i.rhs; };
  auto isRow = [](const Iterator &i) { return !i.reduces && i.lhs && !i.rhs; };
  auto isColumn = [](const Iterator &i) { return !i.reduces && !i.lhs; };
  auto isSum = [](const Iterator &i) { return i.reduces; };

  MatrixProduct<T> product;
  product.lhsRows = offsetsOf(iterators, isRow, &Iterator::lhs);
  product.resultRows = offsetsOf(iterators, isRow, &Iterator::result);
  product.rhsColumns = offsetsOf(iterators, isColumn, &Iterator::rhs);
  product.resultColumns = offsetsOf(iterators, isColumn, &Iterator::result);
  product.lhsDepth = offsetsOf(iterators, isSum, &Iterator::lhs);
  product.rhsDepth = offsetsOf(iterators, isSum, &Iterator::rhs);
  product.orient();
  if (product.work() == 0) // nothing is added, and no elements have no address
    return;

  Offsets lhsBatch = offsetsOf(iterators, isBatch, &Iterator::lhs);
  Offsets rhsBatch = offsetsOf(iterators, isBatch, &Iterator::rhs);
  Offsets resultBatch = offsetsOf(iterators, isBatch, &Iterator::result);
  int64_t batches = lhsBatch.size();
  bool serialBatches = batches == 1 || batches * product.work() < kSerialWork;
  runTasks(batches, serialBatches, [&](int64_t b) {
    product.run(lhs + lhsBatch[b], rhs + rhsBatch[b], result + resultBatch[b],
                !serialBatches);
  });
}

template void contract(const std::vector<Iterator> &, const double *,
                       const double *, double *);
template void contract(const std::vector<Iterator> &, const uint64_t *,
                       const uint64_t *, uint64_t *);

} // namespace fusec::ref
