// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rewrites behind --fuse-simplify, one file per concern.
#ifndef FUSEC_PASSES_GRAPH_SIMPLIFY_H
#define FUSEC_PASSES_GRAPH_SIMPLIFY_H

#include "passes/graph/ConstantData.h"
#include "passes/graph/RuleSet.h"
#include "passes/graph/TensorBuilder.h"

#include "mlir/IR/PatternMatch.h"

namespace fusec::fuse {

/// Each adds the rules of a piece, in the order in which they are tried.
void populateFoldConstants(RuleSet &rules);
void populateSimplifyAccesses(RuleSet &rules);
void populateSimplifyAlike(RuleSet &rules);
void populateSimplifyBlocks(RuleSet &rules);
void populateSimplifyCodes(RuleSet &rules);
void populateSimplifyContractions(RuleSet &rules);
void populateSimplifyControl(RuleSet &rules);
void populateSimplifyElementwise(RuleSet &rules);
void populateSimplifyEmpty(RuleSet &rules);
void populateSimplifyFactors(RuleSet &rules);
void populateSimplifyIterators(RuleSet &rules);
void populateSimplifyMasks(RuleSet &rules);
void populateSimplifyParts(RuleSet &rules);
void populateSimplifyPowers(RuleSet &rules);
void populateSimplifyProducts(RuleSet &rules);
void populateSimplifyReshapes(RuleSet &rules);
void populateSimplifyTables(RuleSet &rules);
void populateSimplifyUnits(RuleSet &rules);

/// The most elements that folding computes of constants of up to `largest`
/// elements.
int64_t getComputedLimit(int64_t largest);

/// The dimensions of extents other than 1.
llvm::SmallVector<int64_t> getWideDims(llvm::ArrayRef<int64_t> shape);

/// The dimensions of a broadcast's result, of rank `rank`, that those of its
/// operand become: wide ones their `targets`, those of extent 1 any free place
/// between them. Nothing if there is none.
std::optional<llvm::SmallVector<int64_t>>
placeUnitsBetween(llvm::ArrayRef<int64_t> shape,
                  llvm::ArrayRef<int64_t> targets, int64_t rank);

/// Whether `value` can do without its dimensions of extent 1 and nothing is
/// stored for it: it is a view, counts, or is computed of such things point by
/// point, for a mask, say.
bool canNarrow(mlir::Value value);
/// `value`, of which that holds, without its dimensions of extent 1.
mlir::Value narrow(mlir::Value value, TensorBuilder &b);

/// Whether `value` is an argument, a constant, a weight or a reshape of one: a
/// reshape of it costs nothing and separates nothing.
bool isView(mlir::Value value);

/// Whether `op` multiplies codes of 8 bits with a sign that are computed, times
/// a scale that is repeated, where the target adds several products of such in
/// a step.
bool multipliesCodedRows(ContractOp op);

/// Whether a cast keeps every number of the element type `from`.
bool isExactCast(mlir::Type from, mlir::Type to);
/// Whether `value` is `source`, as it is or exactly in a wider type.
bool holds(mlir::Value value, mlir::Value source);


/// Dimensions [fromBegin, fromEnd) of a tensor that a reshape turns into
/// [toBegin, toEnd) of another, as many elements.
struct ReshapeRun {
  size_t fromBegin, fromEnd, toBegin, toEnd;
};
/// Cuts both shapes into the shortest runs of equal size: [2, 12, 64] and
/// [2, 768] into 2 = 2 and 12 * 64 = 768. Nothing for empty tensors.
std::optional<llvm::SmallVector<ReshapeRun>>
matchShapes(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

/// `op` again over operands of another shape.
mlir::Value cloneElementwise(mlir::OpBuilder &builder, mlir::Operation *op,
                             mlir::ValueRange operands,
                             llvm::ArrayRef<int64_t> shape);

/// Whether `op` computes point by point on operands of its own shape, with one
/// result and at least one operand.
bool isPointByPoint(mlir::Operation *op);

/// Whether all elements of `value` are known to be one number.
bool isUniform(mlir::Value value);

bool isF32(mlir::Value value);
/// Whether multiplying by `factor` neither overflows nor loses precision by
/// itself.
bool isNormalF32(double factor);
/// Multiplying by it and dividing by it only change the exponent.
bool isPowerOfTwo(double factor);

/// Whether all readers of `value`, a part at `offset` along dimension `dim` of
/// a tensor `total` long there, can read it out of that: no pointwise operation
/// would have become the epilogue, and no copy is needed.
bool isReadAsPart(mlir::Value value, unsigned dim, int64_t offset,
                  int64_t total);
/// Gives the readers of `value`, of which that holds, their part of `whole`.
void replaceByPart(mlir::Value value, mlir::Value whole, unsigned dim,
                   int64_t offset, mlir::PatternRewriter &rewriter);

/// The map of a contraction's operand 0 or 1, or, as number 2, of its result.
inline mlir::AffineMap getMap(ContractOp op, unsigned index) {
  return mlir::cast<mlir::AffineMapAttr>(op.getMaps()[index]).getValue();
}

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_SIMPLIFY_H
