// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with a constant matrix that is mostly zeros, without these.
#ifndef FUSEC_PASSES_GRAPH_SPARSE_H
#define FUSEC_PASSES_GRAPH_SPARSE_H

#include "dialects/TargetInfo.h"
#include "passes/graph/TensorBuilder.h"

#include <vector>

namespace fusec::fuse {

/// A contraction of a constant matrix A, of rows and terms, with a tensor X of
/// terms and columns:
///
///   result[row, column] = sum over entries e of
///       values[row, e] * X[indices[row, e], column]
///
/// Values and indices are what A has beside its zeros, in rows of one width
/// (the format ELLPACK, R. Grimes et al.: ITPACK 2.0 User's Guide, 1979). What
/// the longest rows have beyond that width is a second product of these rows
/// alone, which is added. A row with fewer entries has some of them as two
/// halves: so nothing is multiplied that A does not multiply. A zero times a
/// number that is not finite is what is left out: the sum lacks its NaN.
class Sparse {
public:
  /// Fails if `op` is no such contraction, or A has more entries than may pay
  /// on `target`; `reason` says why, or is empty where A
  /// is not known or no matrix.
  static mlir::FailureOr<Sparse>
  plan(PrimitiveOpInterface op, const TargetInfo &target, std::string &reason);

  /// Builds it and returns what stands for the result.
  mlir::Value build(mlir::OpBuilder &builder) const;

private:
  /// An element of A.
  struct Entry {
    int64_t term;
    double value;
  };
  using Row = std::vector<Entry>;

  explicit Sparse(ContractOp op) : op(op) {}

  /// Finds out what the iterators are; a reason if they are others, which is
  /// empty where the constant is no matrix of rows and terms.
  std::optional<std::string> match(unsigned constant);
  /// Reads A's entries, row by row.
  void readRows(mlir::Value matrix);
  /// Chooses the width: the fewest entries with those of long rows, where that
  /// saves enough.
  void chooseWidth();
  /// Entries, with those that fill rows up.
  int64_t countEntries() const;
  /// Chooses how many columns of X that is copied lie side by side.
  void choosePanel(const TargetInfo &target);
  /// An iterator that the contraction has not, over panels.
  unsigned getPanels() const;
  /// Elements of X that lie side by side and meet the same elements of A.
  int64_t countColumns() const;

  /// X with its columns side by side, and the iterators of its dimensions.
  std::pair<mlir::Value, mlir::SmallVector<unsigned>>
  buildOperand(TensorBuilder &b) const;
  /// The product with `part`, whose rows have at most `entries` entries;
  /// `results` are the iterators of its dimensions.
  mlir::Value buildProduct(TensorBuilder &b, llvm::ArrayRef<Row> part,
                           size_t entries, mlir::Value operand,
                           llvm::ArrayRef<unsigned> iterators,
                           llvm::ArrayRef<unsigned> results,
                           llvm::StringRef name) const;
  /// `sum`, whose dimensions have the iterators `results`, and what long rows
  /// have beyond the width.
  mlir::Value addLongRows(TensorBuilder &b, mlir::Value sum,
                          mlir::Value operand,
                          llvm::ArrayRef<unsigned> iterators,
                          llvm::ArrayRef<unsigned> results) const;

  ContractOp op;
  /// The operand that is A.
  unsigned constant = 0;
  /// Iterators of A's rows and of its terms.
  unsigned row = 0, term = 0;
  /// Whether X is copied, as its terms lie side by side.
  bool isCopied = false;
  /// Of X that is copied, columns that lie side by side for each term: so many,
  /// in panels one behind the other, or 0: all. Terms far apart would share few
  /// sets of the caches.
  int64_t panel = 0;
  std::vector<Row> rows;
  /// The longest row, and what all rows have in the first product.
  size_t longest = 0, width = 0;
};

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_SPARSE_H
