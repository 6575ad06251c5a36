// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The expansions behind --fuse-expand-composites, one file per family.
#ifndef FUSEC_PASSES_GRAPH_EXPANDCOMPOSITES_H
#define FUSEC_PASSES_GRAPH_EXPANDCOMPOSITES_H

#include "passes/Rules.h"
#include "passes/graph/TensorBuilder.h"

#include "mlir/IR/PatternMatch.h"

namespace fusec::fuse {

/// Rewrites one composite by a function that returns its results (null for a
/// result that the operation lacks).
template <typename Op> class Expansion : public mlir::OpRewritePattern<Op> {
public:
  using Function = llvm::SmallVector<mlir::Value> (*)(Op, TensorBuilder &);
  Expansion(mlir::MLIRContext *context, Function expand)
      : mlir::OpRewritePattern<Op>(context), expand(expand) {}

  mlir::LogicalResult
  matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    TensorBuilder builder(rewriter, op.getLoc());
    rewriter.replaceOp(op, expand(op, builder));
    return mlir::success();
  }

private:
  Function expand;
};

/// Whether an average is known to divide by the same number at every position
/// of windowed dimension `dim`: of more positions than a constant has elements,
/// that is so where all windows are whole.
bool countsAlike(PoolOp op, int64_t dim);

/// A contraction whose maps are lists of iterator numbers. The result has
/// `shape` and the compute type.
mlir::Value buildContraction(mlir::Value lhs, mlir::Value rhs,
                             llvm::ArrayRef<unsigned> lhsDims,
                             llvm::ArrayRef<unsigned> rhsDims,
                             llvm::ArrayRef<unsigned> resultDims,
                             llvm::ArrayRef<int64_t> shape, TensorBuilder &b);

/// The same without the iterators of extent 1: all but iterator 0, and the last
/// one if nothing else is reduced. Reshapes take and give back the dimensions.
mlir::Value buildSlimContraction(mlir::Value lhs, mlir::Value rhs,
                                 llvm::ArrayRef<unsigned> lhsDims,
                                 llvm::ArrayRef<unsigned> rhsDims,
                                 llvm::ArrayRef<unsigned> resultDims,
                                 llvm::ArrayRef<int64_t> shape,
                                 TensorBuilder &b);

/// numpy.matmul of the shape `shape`, in the compute type.
mlir::Value buildMatmul(mlir::Value lhs, mlir::Value rhs,
                        llvm::ArrayRef<int64_t> shape, TensorBuilder &b);

/// What fuse.conv says, but for the bias; padding reads `fill`, which is 0 for
/// floats.
struct Convolution {
  mlir::Value input, weight;
  llvm::ArrayRef<int64_t> shape; ///< of the result
  llvm::ArrayRef<int64_t> strides, dilations, padLow, padHigh;
  int64_t groups;
  int64_t fill = 0;
  /// What elements of the input become before they are multiplied, where that
  /// is not their compute type.
  mlir::Type factors = {};
};

/// The convolution, in the compute type.
mlir::Value buildConvolution(const Convolution &conv, TensorBuilder &b);

/// Whether `weight`, codes of a product with this zero point, are numbers of 8
/// bits with a sign from which nothing is taken, or are moved to such.
bool areSignedWeights(mlir::Value weight, mlir::Value zero);

/// How many channels each group of `conv`, a convolution of codes, has where
/// the target's unit for bytes multiplies them, with those that it is filled up
/// with; nothing where there is no such unit, or that is not worth it.
std::optional<int64_t> fillByteChannels(mlir::Operation *conv,
                                        mlir::RankedTensorType weights,
                                        int64_t groups);

/// The rules of what follows.
extern const Rule kQuantisedCodesRule, kQuantisedProductsRule;

/// What computes `value` from codes of 8 bits in f32; null if nothing does.
DequantizeOp getDequantize(mlir::Value value);

/// Operations on dequantised numbers that codes have as well stay with these.
void populateKeepCodes(mlir::RewritePatternSet &patterns);

/// What is left for products of floats is decoded before it is moved.
void populateDecodeFirst(mlir::RewritePatternSet &patterns);

/// Products of dequantised numbers become products of their codes.
void populateFoldQuantized(mlir::RewritePatternSet &patterns);

void populateExpandActivations(mlir::RewritePatternSet &patterns);
void populateExpandAttention(mlir::RewritePatternSet &patterns);
void populateExpandContractions(mlir::RewritePatternSet &patterns);
void populateExpandConvTranspose(mlir::RewritePatternSet &patterns);
void populateExpandLosses(mlir::RewritePatternSet &patterns);
void populateExpandNorms(mlir::RewritePatternSet &patterns);
void populateExpandPooling(mlir::RewritePatternSet &patterns);
void populateExpandQuantized(mlir::RewritePatternSet &patterns);
void populateExpandRecurrent(mlir::RewritePatternSet &patterns);
void populateExpandReductions(mlir::RewritePatternSet &patterns);
void populateExpandResize(mlir::RewritePatternSet &patterns);
void populateExpandSampling(mlir::RewritePatternSet &patterns);

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_EXPANDCOMPOSITES_H
