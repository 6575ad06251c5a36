// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions by minimal filtering (S. Winograd: Arithmetic Complexity of
// Computations, 1980; matrices: A. Lavin, S. Gray: Fast Algorithms for
// Convolutional Neural Networks, 2015).
#ifndef FUSEC_PASSES_GRAPH_WINOGRAD_H
#define FUSEC_PASSES_GRAPH_WINOGRAD_H

#include "passes/graph/TensorBuilder.h"

namespace fusec::fuse {

/// How many rows of results F(rows, 3) computes at a time: from `rows + 2` rows
/// of the input with as many products, where there were `3 * rows`.
enum class WinogradRows : unsigned { two = 2, four = 4 };

/// A convolution of constant weights, of which the first windowed dimension has
/// three taps side by side. That dimension alone is filtered: then rows, along
/// which elements lie side by side, are added as a whole, and what is left of
/// the convolution is one with a window less. The sums are in another order
/// than they were, and rows take part in them that a result does not depend on:
/// an infinity or a NaN spreads over the rows that are computed together.
class Winograd {
public:
  /// Fails if `op` is no such convolution; `reason` says why, or is empty where
  /// it is none at all.
  static mlir::FailureOr<Winograd> plan(PrimitiveOpInterface op,
                                        std::string &reason);

  /// Whether that takes fewer products than the convolution itself.
  bool savesProducts(WinogradRows rows);

  /// Builds it and returns what stands for the result.
  mlir::Value build(mlir::OpBuilder &builder, WinogradRows rows);

  WindowOp getWindow() const { return window; }

private:
  struct Matrices;

  Winograd(ContractOp op, WindowOp window) : op(op), window(window) {}
  static const Matrices &getMatrices(WinogradRows rows);

  /// Tiles of `rows` rows that cover the result.
  int64_t countTiles(unsigned rows);
  /// The transformed input: [products, outer..., tiles, rest...].
  mlir::Value buildInput(TensorBuilder &b, const Matrices &by);
  /// The transformed weights, constant: [products, what is left of theirs...].
  mlir::Value buildWeights(TensorBuilder &b, const Matrices &by);
  /// All products and what sums them: [products, result with tiles for rows].
  mlir::Value buildProducts(TensorBuilder &b, mlir::Value input,
                            mlir::Value weights);
  /// The rows of the result.
  mlir::Value buildResult(TensorBuilder &b, const Matrices &by,
                          mlir::Value products);

  ContractOp op;
  WindowOp window;
  /// Iterators of the contraction: rows of the result, and their taps.
  unsigned row = 0, tap = 0;
  /// Where they are dimensions of the input, the weights and the result.
  unsigned inputDim = 0, weightDim = 0, resultDim = 0;
};

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_WINOGRAD_H
