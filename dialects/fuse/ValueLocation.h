// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_DIALECTS_FUSE_VALUELOCATION_H
#define FUSEC_DIALECTS_FUSE_VALUELOCATION_H

#include "mlir/IR/Value.h"

namespace fusec::fuse {

/// Where a value comes from, which names it: for a result of a group, what the
/// group yields there, and not all that it holds.
mlir::Location getValueLocation(mlir::Value value);

} // namespace fusec::fuse

#endif // FUSEC_DIALECTS_FUSE_VALUELOCATION_H
