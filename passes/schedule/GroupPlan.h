// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values of a fusion group are stored in arrays.
#ifndef FUSEC_PASSES_SCHEDULE_GROUPPLAN_H
#define FUSEC_PASSES_SCHEDULE_GROUPPLAN_H

#include "passes/schedule/Primitive.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace fusec::sched {

/// The decision, for each value of a group, whether it gets an array or is
/// computed again wherever it is used. The rules, with their reasons, are in
/// passes/schedule/README.md.
class GroupPlan {
public:
  /// The plan for operations of one block (in program order, distinct), of
  /// which `yielded` are the results. Fails, with an error at the operation, on
  /// one that is no primitive. `bodies` outlives the plan.
  static mlir::FailureOr<GroupPlan>
  create(llvm::ArrayRef<mlir::Operation *> ops,
         llvm::ArrayRef<mlir::Value> yielded, Bodies &bodies);
  static mlir::FailureOr<GroupPlan> create(fuse::GroupOp group, Bodies &bodies);

  /// Whether a statement writes `value` into an array.
  bool isStored(mlir::Value value) const { return stored.contains(value); }
  /// Whether statements that need `value` read its array. A stored value that
  /// is only an access of another is read at its source instead.
  bool isRead(mlir::Value value) const { return read.contains(value); }
  /// Whether anything in the group depends on `op`.
  bool isUsed(mlir::Operation *op) const { return used.contains(op); }
  const Primitive::Body &getBody(mlir::Operation *op) const {
    return bodies->get(*Primitive::get(op));
  }

private:
  explicit GroupPlan(Bodies &bodies) : bodies(&bodies) {}

  /// How often a value would be computed if it were not stored.
  struct Demand {
    /// Points of the statements that need it.
    int64_t points = 0;
    /// Read at a data-dependent index somewhere.
    bool isDynamic = false;
    /// Needed for indices of gathers only.
    bool isIndex = true;
    /// Multiplied by a contraction somewhere.
    bool isFactor = false;
    /// Read by windows somewhere.
    bool isWindow = false;
  };

  void planReduction(const Primitive &primitive);
  void planPointwise(const Primitive &primitive);
  /// Whether storing `value` saves more work than it costs.
  bool paysToStore(mlir::Value value, const Demand &demand);
  /// Whether constants and indices are all that `value` is computed from.
  bool dependsOnIndicesOnly(mlir::Value value);
  /// Whether `value` follows, point by point, from a reduction that nothing
  /// else reads.
  bool endsReduction(mlir::Value value);
  /// Cost of computing one element from arrays.
  unsigned getChainSteps(mlir::Value value);
  void demandOperands(const Primitive &primitive, Demand demand);

  llvm::DenseSet<mlir::Value> stored, read, yielded;
  /// The operations of the group, and those of them that are used.
  llvm::DenseSet<mlir::Operation *> members, used;
  llvm::DenseMap<mlir::Value, Demand> demands;
  llvm::DenseMap<mlir::Value, unsigned> chainSteps;
  Bodies *bodies;
};

} // namespace fusec::sched

#endif // FUSEC_PASSES_SCHEDULE_GROUPPLAN_H
