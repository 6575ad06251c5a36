// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the models of ai.onnx.ml have in common: rows of features in, scores and
// labels out.
#ifndef FUSEC_COMPILER_IMPORT_OPS_SCORES_H
#define FUSEC_COMPILER_IMPORT_OPS_SCORES_H

#include "compiler/import/Node.h"
#include "llvm/ADT/StringExtras.h"

namespace fusec {

/// The attribute `name`, one of a list in whose order `Kind` is.
template <typename Kind>
Kind namedKind(Node &node, llvm::StringRef name, llvm::StringRef fallback,
               llvm::ArrayRef<llvm::StringRef> names) {
  std::string given = node.stringAttribute(name, fallback);
  const auto *found = llvm::find(names, given);
  if (found == names.end())
    node.invalid("has the " + name + " '" + given + "', not one of " +
                 llvm::join(names, ", "));
  return Kind(found - names.begin());
}

/// The rows of operand 0 as f32[rows, features]; a vector is one row.
mlir::Value readRows(Node &node);

/// Whether `size` numbers are those of `rows` times `columns`, of which
/// attributes may say anything.
bool isMatrix(size_t size, int64_t rows, int64_t columns);

/// `rows` W^T + b as [rows, targets]: W are the `weights` of each target, b is
/// `bias`, or nothing if that is empty.
mlir::Value scoreLinearly(Node &node, mlir::Value rows,
                          std::vector<double> weights, std::vector<double> bias,
                          int64_t numTargets);

/// What becomes of the scores of one row, numbered as ONNX numbers it.
enum class ScoreTransform { None, Softmax, Logistic, SoftmaxZero, Probit };

/// The attribute post_transform.
ScoreTransform readTransform(Node &node);

/// `scores`, [rows, targets], transformed.
mlir::Value transformScores(Node &node, ScoreTransform transform,
                            mlir::Value scores);

/// The scores of two classes, of which `score`, [rows, 1], is the second one's:
/// the first one's is the rest to 1 if it is a probability (`addsUp`), or else
/// the opposite. Of the transforms only LOGISTIC means something here, and then
/// both are opposites.
mlir::Value spreadScore(Node &node, ScoreTransform transform, mlir::Value score,
                        bool addsUp);

/// The first position of the greatest score of each row: i64[rows].
mlir::Value findGreatest(Node &node, mlir::Value scores);

/// Labels of classes: numbers, or strings, which fusec has no tensors of.
struct ClassLabels {
  std::vector<int64_t> numbers;
  std::vector<std::string> strings;

  int64_t size() const { return int64_t(numbers.size() + strings.size()); }
};

/// The attribute classlabels_strings, or `numbers`.
ClassLabels readLabels(Node &node, llvm::StringRef numbers);

/// Makes output 0 the labels at `positions`, i64[rows]. Of strings it is what
/// nobody may read.
void setLabels(Node &node, const ClassLabels &labels, mlir::Value positions);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_SCORES_H
