// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of passes/fusion/README.md, as a check on a set of operations.
#ifndef FUSEC_PASSES_FUSION_FUSIONRULES_H
#define FUSEC_PASSES_FUSION_FUSIONRULES_H

#include "passes/Expansion.h"
#include "passes/fusion/BodyInfo.h"
#include "passes/schedule/Primitive.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <optional>
#include <string>

namespace fusec::fuse {

/// What a group may cost. Aggregation sets no limits, splitting does.
struct GroupLimits {
  /// Fewest points of the band for which operations may follow a long
  /// reduction.
  int64_t minParallel = 0;
  /// Elements from which a reduction over a band below `minParallel` is long.
  int64_t longReduction = std::numeric_limits<int64_t>::max();
  /// Most operations of its bodies, and most statements, once it is a scop
  /// (passes/schedule/GroupCost.h).
  int64_t maxOperations = std::numeric_limits<int64_t>::max();
  int64_t maxStatements = std::numeric_limits<int64_t>::max();
  /// Most operations of its bodies, each counted once. Less than the group is
  /// found to cost, and known without looking at all of it.
  int64_t mostCounted = std::numeric_limits<int64_t>::max();
  /// Whether windows of reduced values are fused only where that is expected to
  /// take less time.
  bool weighs = false;
  /// Each operation that computes (accesses and constants do not) is a group.
  bool apart = false;
  /// Most operands and results together.
  int64_t maxOperands = std::numeric_limits<int64_t>::max();
  /// Why what reduces rows of a contraction is apart from it; empty where it
  /// need not be.
  std::string rowsApart = {};
};

/// What is known of a set of operations without looking at each again.
struct GroupSummary {
  /// In the bodies, each counted once.
  int64_t operations = 0;
  /// Whether all of them compute one point of their result from the same point
  /// of what others compute, without padding: all of the shape of `type`, where
  /// that is not null. Such operations are a group whatever they compute.
  bool isPlain = false;
  mlir::RankedTensorType type;
  /// Whether a value is used more than once.
  bool isShared = false;

  /// That of two sets together.
  GroupSummary unite(const GroupSummary &other) const;
};

class BandAnalysis;
class Rows;

/// Decides whether operations of one block can be one group.
class FusionRules {
public:
  FusionRules(BodyInfos &infos, GroupLimits limits)
      : infos(infos), limits(limits) {}

  /// Why `ops` (in program order, distinct) cannot become one group; nothing if
  /// they can. Convexity is the caller's business.
  std::optional<std::string> refuse(llvm::ArrayRef<mlir::Operation *> ops);
  /// The same, faster where the summary of `ops` says enough.
  std::optional<std::string> refuse(llvm::ArrayRef<mlir::Operation *> ops,
                                    const GroupSummary &summary);
  /// Whether that would refuse nothing, as the summary says alone.
  bool allows(const GroupSummary &summary) const;
  GroupSummary summarise(mlir::Operation *op);

private:
  using OpSet = llvm::DenseSet<mlir::Operation *>;
  using Reason = std::optional<std::string>;

  Reason refuseAccesses(llvm::ArrayRef<mlir::Operation *> ops, const OpSet &set,
                        const Rows &rows, const BandAnalysis &bands);
  Reason refuseRecomputation(llvm::ArrayRef<mlir::Operation *> ops,
                             const OpSet &set, const BandAnalysis &bands);
  llvm::SmallSetVector<mlir::Value, 4>
  findWaiting(llvm::ArrayRef<mlir::Operation *> ops, const BandAnalysis &bands);
  Reason refuseWindows(llvm::ArrayRef<mlir::Operation *> ops,
                       const BandAnalysis &bands);
  Reason refuseLimits(llvm::ArrayRef<mlir::Operation *> ops, const OpSet &set,
                      const BandAnalysis &bands);

  Reason refuseOperands(llvm::ArrayRef<mlir::Operation *> ops, const OpSet &set,
                        int64_t &results);
  Reason refuseCost(llvm::ArrayRef<mlir::Operation *> ops, const OpSet &set);
  Reason refuseOperations() const;

  bool isReadAsItWas(mlir::Operation *op, const OpSet &set);
  /// Which operations move an argument to where it is read: accesses that stay
  /// inside of it, those that pad too, or all that a load does, conversions
  /// among them.
  enum class Through { accesses, padding, loads };
  bool readsArgument(mlir::Value value, const OpSet &set, Through through);
  bool picksRows(mlir::Value value, const OpSet &set);
  std::optional<Picked> findPickedCodes(PrimitiveOpInterface contraction,
                                        unsigned number, const OpSet &set);
  bool picksLanes(PrimitiveOpInterface contraction, unsigned number);

  BodyInfos &infos;
  GroupLimits limits;
  sched::Bodies bodies;
};

/// Whether a value of `op` is used by an operation outside `set`.
bool isNeededOutside(mlir::Operation *op,
                     const llvm::DenseSet<mlir::Operation *> &set);

} // namespace fusec::fuse

#endif // FUSEC_PASSES_FUSION_FUSIONRULES_H
