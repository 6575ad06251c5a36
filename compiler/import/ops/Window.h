// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes that all operators with sliding windows share.
#ifndef FUSEC_COMPILER_IMPORT_OPS_WINDOW_H
#define FUSEC_COMPILER_IMPORT_OPS_WINDOW_H

#include "compiler/import/Node.h"

namespace fusec {

/// One entry for each spatial dimension; `out` are the result's extents.
struct Window {
  llvm::SmallVector<int64_t> sizes, strides, dilations, low, high, out;
};

/// A list attribute with `length` entries of at least `least`, or `fallback`
/// throughout.
llvm::SmallVector<int64_t> readList(Node &node, llvm::StringRef name,
                                    size_t length, int64_t fallback,
                                    int64_t least);

/// Reads the window attributes for the spatial dimensions of operand 0, whose
/// windows have `sizes`, and computes pads and output extents. The first window
/// may be larger than the padded input where it `mayHangOver`.
Window readWindow(Node &node, std::vector<int64_t> sizes,
                  bool mayHangOver = false);
/// The same for spatial dimensions of the extents `in`, wherever operand 0 has
/// them.
Window readWindow(Node &node, llvm::ArrayRef<int64_t> in,
                  std::vector<int64_t> sizes, bool mayHangOver = false);

/// [batch, channels, window.out...]
llvm::SmallVector<int64_t> outputShape(int64_t batch, int64_t channels,
                                       const Window &window);

/// A convolution of operand 0: its windows, the shape of its result, its
/// groups.
struct Convolution {
  Window window;
  llvm::SmallVector<int64_t> shape;
  uint64_t groups;
};

/// Reads a convolution by the filters in operand `filters`, [O, C / groups,
/// window...].
Convolution readConvolution(Node &node, unsigned filters);

/// The convolution of operand 0 by the filters in operand 1, and the bias in
/// operand 2 if there is one.
mlir::Value convolve(Node &node);

/// The window of the filters in operand `filters`, which must have the rank of
/// operand 0; kernel_shape may repeat it.
std::vector<int64_t> filterSizes(Node &node, unsigned filters);

/// Refuses operands 0 without spatial dimensions.
void requireSpatial(Node &node);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_WINDOW_H
