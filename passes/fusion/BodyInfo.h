// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the scalar body of a primitive does, found by building it once.
#ifndef FUSEC_PASSES_FUSION_BODYINFO_H
#define FUSEC_PASSES_FUSION_BODYINFO_H

#include "dialects/fuse/FuseOps.h"
#include "llvm/ADT/DenseMap.h"

namespace fusec::fuse {

/// The cost and kind of a primitive's body.
struct BodyInfo {
  /// What one evaluation takes on the target, in steps of simple arithmetic.
  unsigned steps = 0;
  /// The body hands an operand's element on: the operation only moves data.
  bool isAccess = false;
};

/// Computes each operation's BodyInfo once. Entries stay valid while their
/// operation does.
class BodyInfos {
public:
  const BodyInfo &get(PrimitiveOpInterface op);

private:
  llvm::DenseMap<mlir::Operation *, BodyInfo> infos;
};

/// Whether the operation's element depends on operands through the map alone:
/// one operand, moved, never a fill.
bool isPlainAccess(PrimitiveOpInterface op, BodyInfos &infos);

/// Whether `op` reads elements again and again (a matrix product), in contrast
/// to a reduction that reads each once.
bool isContraction(PrimitiveOpInterface op);

} // namespace fusec::fuse

#endif // FUSEC_PASSES_FUSION_BODYINFO_H
