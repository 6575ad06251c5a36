// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes of 8 bits that one kernel stores and another reads, and the dimension
// of them that lanes run along in both.
#ifndef FUSEC_PASSES_GRAPH_CHANNELSLAST_H
#define FUSEC_PASSES_GRAPH_CHANNELSLAST_H

#include "dialects/fuse/FuseOps.h"

#include <optional>

namespace fusec::fuse {

/// A value of codes, and which of its dimensions is that of its channels.
struct Channels {
  mlir::Value codes;
  unsigned dim;
};

/// The codes in `root` that kernels are expected to hand to one another:
/// computed from a product with constant weights, and read by a product, a
/// window or a sum, or together with what another product makes. The dimension
/// is the one that the weights' lanes become, followed from product to product.
mlir::SmallVector<Channels> findChannels(mlir::Operation *root);

/// The dimension of operand `operand` of `op` along which its other operand
/// lies side by side, and the result runs: lanes may run along it in both, as
/// along the channels of a depthwise convolution. Moves in front of the other
/// operand are looked through.
std::optional<unsigned> findSharedDim(ContractOp op, unsigned operand);

/// The value that operations which only move elements bring to operand
/// `operand` of a contraction, these operations, and the map from its
/// iterators.
struct Origin {
  mlir::Value value;
  mlir::SmallVector<mlir::Operation *> moves; ///< the last one first
  mlir::AffineMap map;
};

Origin findOrigin(ContractOp op, unsigned operand);

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_CHANNELSLAST_H
