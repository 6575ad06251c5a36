// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operation of a fusion group as statement formation sees it.
#ifndef FUSEC_PASSES_SCHEDULE_PRIMITIVE_H
#define FUSEC_PASSES_SCHEDULE_PRIMITIVE_H

#include "dialects/fuse/FuseOps.h"

#include "llvm/ADT/DenseMap.h"

namespace fusec::sched {

/// Index into the operand of a reshape for each index into its result. Extents
/// that both shapes share map one to one; others through division and
/// remainder.
mlir::AffineMap getReshapeMap(mlir::RankedTensorType from,
                              mlir::RankedTensorType to);

/// `PrimitiveOpInterface`, also over fuse.reshape (an access like a transpose
/// here). Cheap to copy.
class Primitive {
public:
  /// Null if `op` is neither.
  static std::optional<Primitive> get(mlir::Operation *op);

  mlir::Operation *getOperation() const { return op; }
  llvm::SmallVector<int64_t> getExtents() const;
  /// Positions of the reduction iterators.
  llvm::SmallVector<int64_t> getReduced() const;
  bool reduces() const { return !getReduced().empty(); }
  mlir::AffineMap getOperandMap(unsigned operand) const;
  mlir::AffineMap getResultMap(unsigned result) const;
  llvm::SmallVector<unsigned> getIndirect(unsigned operand) const;
  /// What is read outside the operand, in its compute type, or null.
  mlir::TypedAttr getPadding(unsigned operand) const;
  /// Index into the operand -> index into the result, if the result is its
  /// operands, concatenated; null otherwise.
  mlir::AffineMap getPlacement(unsigned operand) const;
  /// Initial accumulators in compute types, empty without accumulators.
  llvm::SmallVector<mlir::TypedAttr> getInits() const;
  llvm::SmallVector<mlir::Value> buildBody(mlir::OpBuilder &builder,
                                           mlir::ValueRange indices,
                                           mlir::ValueRange elements,
                                           mlir::ValueRange accumulators) const;

  /// What the scalar body computes, found by building it once.
  struct Body {
    /// Its one result is its first element.
    bool isIdentity = false;
    /// It is, but for bits that the result's integer type lacks.
    bool wraps = false;
    /// What one execution takes on the target, in steps of simple arithmetic.
    unsigned steps = 0;
    /// How much text it is.
    unsigned operations = 0;
    /// A word for what it does: "sum", "max", or the operation's mnemonic.
    llvm::StringRef verb;
  };
  Body analyseBody() const;

private:
  explicit Primitive(mlir::Operation *op) : op(op) {}
  mlir::Operation *op;
};

/// The bodies of operations, each analysed once. Entries stay valid while their
/// operation does.
class Bodies {
public:
  const Primitive::Body &get(const Primitive &primitive);

private:
  llvm::DenseMap<mlir::Operation *, Primitive::Body> bodies;
};

/// `attr` (a number in a storage type) in the compute type of its type.
mlir::TypedAttr toComputeType(mlir::TypedAttr attr);

} // namespace fusec::sched

#endif // FUSEC_PASSES_SCHEDULE_PRIMITIVE_H
