// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operations round as they were written: those with the attribute
// `kPreciseAttr`. What a precise operation reads is precise too.
#ifndef FUSEC_PASSES_GRAPH_PRECISION_H
#define FUSEC_PASSES_GRAPH_PRECISION_H

#include "dialects/fuse/FuseOps.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace fusec::fuse {

inline bool isPrecise(mlir::Operation *op) { return op->hasAttr(kPreciseAttr); }

/// Whether a last bit of a float that `op` reads may decide about more than
/// last bits: it is rounded, compared or made an integer, or `op` is no
/// primitive and may do so inside.
bool decidesByLastBit(mlir::Operation *op);

/// Marks what computes `value`, as far as it is not marked yet; returns how
/// many operations.
size_t markPrecise(mlir::Value value);

/// Listens to rewrites and keeps what they make as precise as what they found:
/// where a pattern touches a precise or deciding operation, what it inserts is
/// precise.
class PrecisionKeeper : public mlir::RewriterBase::Listener {
public:
  void notifyPatternBegin(const mlir::Pattern &, mlir::Operation *op) override;
  void notifyPatternEnd(const mlir::Pattern &, mlir::LogicalResult) override;
  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint) override;
  void notifyOperationModified(mlir::Operation *op) override;
  void notifyOperationReplaced(mlir::Operation *op,
                               mlir::ValueRange values) override;
  void notifyOperationErased(mlir::Operation *op) override;

private:
  void touch(mlir::Operation *op);

  bool precise = false; ///< whether the pattern touched such an operation
  llvm::SmallSetVector<mlir::Operation *, 8>
      changed; ///< inserted or modified by it
};

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_PRECISION_H
