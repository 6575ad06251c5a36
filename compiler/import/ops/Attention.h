// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all operators of attention share: heads, pasts, masks and tables.
#ifndef FUSEC_COMPILER_IMPORT_OPS_ATTENTION_H
#define FUSEC_COMPILER_IMPORT_OPS_ATTENTION_H

#include "compiler/import/Node.h"

namespace fusec {

inline int64_t dimOf(mlir::Value value, unsigned dim) {
  return fuse::getTensorType(value).getDimSize(dim);
}

/// [batch, length, heads * width] as [batch, length, heads, width].
mlir::Value splitWidth(Node &node, mlir::Value value, int64_t heads);
/// The same as [batch, heads, length, width].
mlir::Value splitHeads(Node &node, mlir::Value value, int64_t heads);
/// [batch, heads, length, width] as [batch, length, heads * width].
mlir::Value mergeHeads(Node &node, mlir::Value value);
/// Refuses heads [batch, heads, length, width] that do not fit together.
void checkHeads(Node &node, mlir::Value q, mlir::Value k, mlir::Value v);
/// Refuses what is added to scores, or masks them, unless its `shape` repeats
/// to theirs, `scores`: the operand `index`, which people call `what`.
void checkMask(Node &node, const llvm::Twine &what, unsigned index,
               llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> scores);

/// Operand `past`, if there is one, and behind it `current`, along the
/// sequence.
mlir::Value appendToPast(Node &node, unsigned past, mlir::Value current);

/// What restricts the keys that a query sees, for scores [batch, heads,
/// queries, keys]. Masks have each of these extents, or 1.
class AttentionMask {
public:
  AttentionMask(Node &node, llvm::ArrayRef<int64_t> scores)
      : node(node), scores(scores) {}

  /// Numbers added to the scores, and booleans that say what is seen; null for
  /// none.
  mlir::Value bias, allowed;

  void addBias(mlir::Value value);
  /// Adds `penalty`, of type `element`, where `visible` does not hold.
  void penalise(mlir::Value visible, double penalty, mlir::Type element);
  void require(mlir::Value condition);
  /// Only the first keys of each sample are there: `lengths` are i32 [batch, 1,
  /// 1, 1].
  void addLengths(mlir::Value lengths);
  /// Keys j with j - p between -left and right, where query i has the position
  /// p = i + pastLength, or with `lengths` is one of the last in its sample; a
  /// negative bound is none.
  void addBand(int64_t left, int64_t right, int64_t pastLength,
               mlir::Value lengths = {});

  /// The numbers of the keys, [1, 1, 1, keys] of i32.
  mlir::Value keys();
  /// Compares integers that broadcast.
  mlir::Value compare(fuse::CmpPredicate predicate, mlir::Value lhs,
                      mlir::Value rhs);

private:
  mlir::RankedTensorType intType(llvm::ArrayRef<int64_t> shape) {
    return tensorType(shape, node.builder.getI32Type());
  }

  Node &node;
  llvm::SmallVector<int64_t> scores;
};

/// Scores and results of heads [batch, heads, length, width]. `wanted` are the
/// scores that the operation has as its second result, if any.
fuse::AttentionOp attend(Node &node, mlir::Value q, mlir::Value k,
                         mlir::Value v, const AttentionMask &mask, double scale,
                         double softcap,
                         std::optional<fuse::AttentionStage> wanted);

/// 1 / sqrt(width of the heads)
double defaultScale(mlir::Value q);

/// The rows of operand `table`, [rows, width], at the positions `ids`. Those
/// outside the table have no meaning: the nearest row.
mlir::Value pickRows(Node &node, unsigned table, mlir::Value ids);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_ATTENTION_H
