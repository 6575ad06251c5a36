// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds one statement: collects its reads while the body grows.
#ifndef FUSEC_PASSES_SCHEDULE_STATEMENTBUILDER_H
#define FUSEC_PASSES_SCHEDULE_STATEMENTBUILDER_H

#include "dialects/Combiner.h"
#include "dialects/sched/SchedOps.h"
#include "passes/schedule/GroupPlan.h"

#include "llvm/ADT/SetVector.h"

namespace fusec::sched {

/// Where the values of a group live in its scop.
using ArrayMap = llvm::DenseMap<mlir::Value, mlir::Value>;

/// A statement under construction, over the box [0, extents). Values of the
/// group are computed at points given by maps from the statement's iterators;
/// what is not stored is computed in the body, from the arrays it depends on.
class StatementBuilder {
public:
  StatementBuilder(const GroupPlan &plan, const ArrayMap &arrays,
                   llvm::ArrayRef<int64_t> extents, bool rounds,
                   mlir::Location loc)
      : plan(plan), arrays(arrays), extents(extents), rounds(rounds),
        builder(loc.getContext()) {
    locations.insert(loc);
    builder.setInsertionPointToEnd(&body);
  }

  /// The scalar `value[map(iterators)]`; null after an error.
  mlir::Value read(mlir::Value value, mlir::AffineMap map);
  /// The scalar that `op` computes at that point of its iteration domain for
  /// its result number `result`; null after an error.
  mlir::Value compute(mlir::OpResult result, mlir::AffineMap map);
  /// Reads an array of the scop. The first reads of a reducing statement are
  /// its accumulators.
  mlir::Value readArray(mlir::Value array, mlir::AffineMap map,
                        mlir::TypedAttr padding = {});
  /// The results of `primitive`'s body at that point of its iteration domain,
  /// given the accumulators; empty after an error.
  llvm::SmallVector<mlir::Value> computeBody(const Primitive &primitive,
                                             mlir::AffineMap map,
                                             mlir::ValueRange accumulators);
  mlir::Value constant(mlir::TypedAttr value);
  /// Two values of an accumulator as one.
  mlir::Value combine(Combiner combiner, mlir::Value a, mlir::Value b) {
    return createCombination(builder, a.getLoc(), combiner, a, b);
  }
  /// Creates the statement, which yields `values` to `writes`.
  StmtOp create(mlir::OpBuilder &at, llvm::StringRef name,
                llvm::ArrayRef<int64_t> reduced, llvm::ArrayRef<Access> writes,
                llvm::ArrayRef<mlir::Value> values);

private:
  /// Subscripts that have to lie in [0, extent) each.
  using Bounds = llvm::SmallVector<std::pair<mlir::AffineExpr, int64_t>>;
  /// Outside `bounds`, `padding` takes the place of a value. Inactive if
  /// `padding` is null.
  struct Guard {
    Bounds bounds;
    mlir::TypedAttr padding;
  };

  mlir::Value emit(mlir::Value value, mlir::AffineMap map, const Guard &guard);
  /// Reads an input at `map`, which has symbols.
  mlir::Value gather(mlir::Value array, mlir::AffineMap map);
  mlir::Value emitArray(mlir::Value array, mlir::AffineMap map,
                        const Guard &guard);
  mlir::Value emitAccess(const Primitive &primitive, mlir::AffineMap map,
                         const Guard &guard);
  /// The map of an operand's element, with data-dependent subscripts as
  /// `symbols`; null after an error.
  mlir::AffineMap mapOperand(const Primitive &primitive, unsigned operand,
                             mlir::AffineMap map);
  /// `value` inside the guard's bounds, its padding outside.
  mlir::Value select(mlir::Value value, const Guard &guard);
  /// The subscripts that may lead outside of `shape`.
  Bounds getOpenBounds(mlir::AffineMap map, llvm::ArrayRef<int64_t> shape);
  /// Whether a point inside `inner` is always inside `outer`.
  bool implies(const Bounds &inner, const Bounds &outer) const;
  /// Brings `value` of a narrow integer type back into its range. What computes
  /// it follows `before` (null: begins the body); where that `keeps` values of
  /// the type in its range, nothing is done.
  mlir::Value wrap(mlir::Value value, mlir::Type storage,
                   mlir::Operation *before, bool keeps);
  /// Rounds `value` to elements of `storage`, if these are narrow floats and it
  /// is not one of them already. What a cast made is: only a needless rounding
  /// of it goes.
  mlir::Value round(mlir::Value value, mlir::Type storage, bool isCast = false);
  bool isLoadedAs(mlir::Type storage, mlir::Value value);
  mlir::Value emitIndex(mlir::AffineExpr expr);

  const GroupPlan &plan;
  const ArrayMap &arrays;
  llvm::SmallVector<int64_t> extents;
  /// Whether operations on narrow floats round, not only casts.
  bool rounds;
  mlir::Block body;
  mlir::OpBuilder builder;
  llvm::SmallVector<Access> reads;
  /// The values of the body that symbols of maps stand for.
  llvm::SmallVector<mlir::Value> symbols;
  llvm::SetVector<mlir::Location> locations;
  llvm::DenseMap<std::pair<mlir::Value, mlir::AffineMap>, mlir::Value> computed,
      gathered;
  llvm::DenseMap<mlir::AffineExpr, mlir::Value> indices;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
};

/// The map without unused symbols at its end.
mlir::AffineMap makeMap(unsigned numDims,
                        llvm::ArrayRef<mlir::AffineExpr> exprs,
                        mlir::MLIRContext *context);

} // namespace fusec::sched

#endif // FUSEC_PASSES_SCHEDULE_STATEMENTBUILDER_H
