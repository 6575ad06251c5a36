// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of 4 bits, two to a byte: of 16 elements in a row, those of even and
// those of odd numbers are a word of 32 bits each, the first in its lowest
// bits. Memory space says so.
#ifndef FUSEC_DIALECTS_KERNEL_NIBBLES_H
#define FUSEC_DIALECTS_KERNEL_NIBBLES_H

#include "mlir/IR/BuiltinTypes.h"

namespace fusec::kernel {

inline bool isNibbles(mlir::MemRefType type) {
  auto space =
      mlir::dyn_cast_if_present<mlir::StringAttr>(type.getMemorySpace());
  return space && space.getValue() == "nibbles";
}

/// `type`, whose elements have 4 bits, as such an array.
inline mlir::MemRefType asNibbles(mlir::MemRefType type) {
  return mlir::MemRefType::get(
      type.getShape(), type.getElementType(), mlir::MemRefLayoutAttrInterface(),
      mlir::StringAttr::get(type.getContext(), "nibbles"));
}

} // namespace fusec::kernel

#endif // FUSEC_DIALECTS_KERNEL_NIBBLES_H
