// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How partial results of a reduction become one.
#ifndef FUSEC_PASSES_MERGES_H
#define FUSEC_PASSES_MERGES_H

#include "dialects/Combiner.h"
#include "dialects/fuse/FuseOps.h"

#include <optional>

namespace fusec::fuse {

/// The operation that merges two values of each accumulator of `op`, which
/// reduces; nothing if one of them is combined in another way than
/// `accumulator <operation> f(elements)`, or starts at another value than the
/// operation's neutral one.
inline std::optional<llvm::SmallVector<Combiner>>
matchMerges(PrimitiveOpInterface op) {
  mlir::Block block;
  mlir::OpBuilder builder(op->getContext());
  builder.setInsertionPointToStart(&block);
  mlir::Location loc = op->getLoc();
  auto addArguments = [&](mlir::TypeRange tensors) {
    llvm::SmallVector<mlir::Value> added;
    for (mlir::Type tensor : tensors)
      added.push_back(block.addArgument(
          getComputeType(
              mlir::cast<mlir::RankedTensorType>(tensor).getElementType()),
          loc));
    return added;
  };
  llvm::SmallVector<mlir::Value> indices;
  for (size_t i = 0, e = op.getIterationExtents().size(); i < e; ++i)
    indices.push_back(block.addArgument(builder.getIndexType(), loc));
  llvm::SmallVector<mlir::Value> elements = addArguments(op->getOperandTypes());
  llvm::SmallVector<mlir::Value> accumulators =
      addArguments(op->getResultTypes());
  llvm::SmallVector<mlir::Value> values =
      op.buildBody(builder, loc, indices, elements, accumulators);
  llvm::SmallVector<Combiner> merges;
  for (auto [r, value, accumulator] : llvm::enumerate(values, accumulators)) {
    // Nothing else reads the accumulator or its new value: then no accumulator
    // depends on another one, and none on itself but through the operation.
    mlir::Operation *step = value.getDefiningOp();
    if (!step || !value.use_empty() || !accumulator.hasOneUse() ||
        *accumulator.user_begin() != step)
      return std::nullopt;
    std::optional<Combiner> combiner =
        getCombiner(step, accumulator.use_begin()->getOperandNumber());
    if (!combiner ||
        op.getInit(r) != getNeutral(*combiner, accumulator.getType()))
      return std::nullopt;
    merges.push_back(*combiner);
  }
  return merges;
}

} // namespace fusec::fuse

#endif // FUSEC_PASSES_MERGES_H
