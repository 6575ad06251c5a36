// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of a loop, rewritten for 16 iterations at once.
#ifndef FUSEC_PASSES_KERNEL_LANEREWRITER_H
#define FUSEC_PASSES_KERNEL_LANEREWRITER_H

#include "passes/kernel/IndexRanges.h"

#include "llvm/ADT/DenseSet.h"

namespace fusec::kernel {

/// Clones scalar operations into operations on 16 lanes: lane l is the
/// iteration `base + l` of the loop whose index is `index`. What is the same in
/// all lanes stays scalar.
class LaneRewriter {
public:
  LaneRewriter(mlir::OpBuilder &builder, mlir::Value index, mlir::Value base)
      : builder(builder), base(base) {
    mapping.map(index, base);
  }

  /// Rewrites the operations of `body` to the builder's insertion point, in
  /// effect only in the lanes of `mask` (null: all). `maybeNone`: the mask may
  /// be empty, so even addresses that all lanes share may be invalid.
  mlir::LogicalResult rewrite(mlir::Block &body, mlir::Value mask,
                              bool maybeNone);

  /// After a failure: the operation at fault and why it has no lane form.
  mlir::Operation *getCulprit() const { return culprit; }
  llvm::StringRef getReason() const { return reason; }

  /// The accesses whose lanes are not side by side.
  llvm::ArrayRef<mlir::Operation *> getApart() const { return apart; }

private:
  mlir::LogicalResult rewrite(mlir::Operation *op);
  mlir::LogicalResult rewriteLoad(LoadOp op);
  mlir::LogicalResult rewriteStore(StoreOp op);
  mlir::LogicalResult rewriteGather(GatherOp op);
  mlir::LogicalResult rewriteLocal(LocalOp op);
  mlir::LogicalResult rewriteFor(ForOp op);
  mlir::LogicalResult rewriteIf(IfOp op);
  mlir::LogicalResult rewriteInBounds(InBoundsOp op);
  mlir::LogicalResult rewriteIndexCast(mlir::arith::IndexCastOp op);
  mlir::LogicalResult rewriteElementwise(mlir::Operation *op);
  mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &why);

  /// The form of a map over the values of the new body.
  AffineForm lift(mlir::AffineMap map, mlir::ValueRange operands);
  AffineForm lift(AffineForm form);
  bool usesLane(const AffineForm &form);
  bool usesLane(const AffineForm &form, mlir::AffineExpr expr);
  /// How much `expr` grows from lane to lane, if always the same.
  std::optional<int64_t> getLaneSlope(const AffineForm &form,
                                      mlir::AffineExpr expr);

  /// `expr` in each lane, as 16 lanes of i64; null if it has no such form.
  mlir::Value evaluate(const AffineForm &form, mlir::AffineExpr expr,
                       mlir::ValueRange dynamic, mlir::Location loc);
  /// A gather of 16 lanes with the subscripts of `form`.
  mlir::Value createGather(mlir::Location loc, mlir::Value memref,
                           const AffineForm &form, mlir::ValueRange dynamic,
                           mlir::Value mask, mlir::TypedAttr fill);
  /// Whether the condition holds: i1, or a mask where lanes differ.
  mlir::Value createCondition(mlir::Location loc, mlir::IntegerSet set,
                              mlir::ValueRange operands);

  /// The value in 16 lanes.
  mlir::Value widen(mlir::Value value);
  /// The integer in 16 lanes.
  mlir::Value createSplat(mlir::Location loc, int64_t value, unsigned bits);
  /// The mask of the active lanes for which `other` (may be null) holds too.
  mlir::Value activeIf(mlir::Value other);
  bool isPrivate(mlir::Value memref) const { return privates.contains(memref); }

  mlir::OpBuilder &builder;
  mlir::Value base;
  mlir::IRMapping mapping;
  llvm::DenseSet<mlir::Value> privates;
  mlir::Value mask;
  /// The mask of the whole loop: lanes that are iterations at all.
  mlir::Value loopMask;
  bool started = false;
  bool maybeNone = false;
  mlir::Operation *culprit = nullptr;
  std::string reason;
  llvm::SmallVector<mlir::Operation *> apart;
};

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_LANEREWRITER_H
