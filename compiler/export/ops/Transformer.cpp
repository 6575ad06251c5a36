// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and losses.
#include "compiler/export/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

/// ONNX has one mask, of booleans or numbers. Versions differ in whether scores
/// are capped before or after it.
LogicalResult writeAttention(fuse::AttentionOp op, Writer &w) {
  constexpr int64_t kSince = 23;
  if (w.opset() < kSince || (op.getBias() && op.getAllowed()) ||
      op.getScores() || op.getSoftcap().convertToDouble() != 0)
    return failure();
  Value mask = op.getBias() ? op.getBias() : op.getAllowed();
  w.node("Attention",
         {w.name(op.getQuery()), w.name(op.getKey()), w.name(op.getValue()),
          w.name(mask)},
         op->getResults())
      .real("scale", op.getScale());
  return success();
}

LogicalResult writeNllLoss(fuse::NllLossOp op, Writer &w) {
  NodeHandle node = w.node("NegativeLogLikelihoodLoss",
                           w.names(op->getOperands()), op->getResults());
  node.text("reduction", stringifyLossReduction(op.getReduction()));
  if (op.getIgnoreIndex())
    node.integer("ignore_index", *op.getIgnoreIndex());
  return success();
}

} // namespace

void registerExportTransformer(ExportRegistry &r) {
  r.add<fuse::AttentionOp>(writeAttention);
  r.add<fuse::NllLossOp>(writeNllLoss);
}

} // namespace fusec
