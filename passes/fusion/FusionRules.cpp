// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/fusion/FusionRules.h"

#include "dialects/AffineRanges.h"
#include "dialects/TargetInfo.h"
#include "passes/IndexMasks.h"
#include "passes/MatrixWeights.h"
#include "passes/fusion/BandAnalysis.h"
#include "passes/fusion/Rows.h"
#include "passes/schedule/GroupCost.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

using OpSet = llvm::DenseSet<Operation *>;

bool fusec::fuse::isNeededOutside(Operation *op, const OpSet &set) {
  return llvm::any_of(op->getUsers(),
                      [&](Operation *user) { return !set.contains(user); });
}

/// Whether `op` is a primitive that reduces.
static bool reduces(Operation *op) {
  auto primitive = dyn_cast<PrimitiveOpInterface>(op);
  return primitive && primitive.hasReduction();
}

/// Whether the operation may read what lies outside of an operand.
static bool mayNeedPadding(PrimitiveOpInterface op, unsigned operand) {
  if (!op.getPadding(operand))
    return false;
  SmallVector<IndexRange> points;
  for (int64_t extent : op.getIterationExtents())
    points.push_back({0, extent - 1});
  auto shape = getTensorType(op->getOperand(operand)).getShape();
  return !llvm::all_of(llvm::zip(op.getOperandMap(operand).getResults(), shape),
                       [&](auto pair) {
                         auto [expr, extent] = pair;
                         IndexRange range = rangeOf(expr, points);
                         return range.low.value_or(-1) >= 0 &&
                                range.high.value_or(extent) < extent;
                       });
}

/// Whether `value` is no result of `set`, or comes from one that is none
/// `through` operations of the set.
bool FusionRules::readsArgument(Value value, const OpSet &set,
                                Through through) {
  Operation *op = value.getDefiningOp();
  while (op && set.contains(op)) {
    auto primitive = dyn_cast<PrimitiveOpInterface>(op);
    bool moves =
        primitive && op->getNumOperands() == 1 && !primitive.hasReduction() &&
        infos.get(primitive).isAccess &&
        (through != Through::accesses || !mayNeedPadding(primitive, 0));
    if (!moves && !(through == Through::loads && widensBytes(op)))
      return false;
    value = op->getOperand(0);
    op = value.getDefiningOp();
  }
  return true;
}

/// Whether `value` is rows of an argument that another argument picks: along
/// the last dimension, elements of both lie in the same order. To pick the row
/// again for each vector that a contraction reads of it takes less than to copy
/// all.
bool FusionRules::picksRows(Value value, const OpSet &set) {
  auto op = dyn_cast_if_present<PrimitiveOpInterface>(value.getDefiningOp());
  if (!op || !set.contains(op) || op.hasReduction() ||
      !infos.get(op).isAccess || op.getPadding(0) ||
      !readsArgument(op->getOperand(0), set, Through::accesses))
    return false;
  AffineMap map = op.getOperandMap(0);
  SmallVector<unsigned> indices = op.getIndirect(0);
  if (indices.empty() || map.getNumResults() == 0)
    return false;
  unsigned last = map.getNumDims() - 1;
  auto moves = [&](AffineExpr expr) { return expr.isFunctionOfDim(last); };
  return map.getResults().back() == getAffineDimExpr(last, map.getContext()) &&
         llvm::none_of(map.getResults().drop_back(), moves) &&
         llvm::all_of(indices, [&](unsigned index) {
           return llvm::none_of(op.getOperandMap(index).getResults(), moves);
         });
}

/// How operand `number` of `contraction` is computed where it is what codes in
/// rows that are picked stand for, to be expanded where it is read.
std::optional<Picked>
FusionRules::findPickedCodes(PrimitiveOpInterface contraction, unsigned number,
                             const OpSet &set) {
  Value value = contraction->getOperand(number);
  int64_t elements = getTensorType(value).getNumElements();
  auto isInside = [&](Operation *op) { return set.contains(op); };
  Picked picked;
  if (!isForFewRows(contraction, number) ||
      !readsPicked(value, elements, isInside, picked) || !picked.hasCodes)
    return std::nullopt;
  // Of numbers that a row has, or a part of it, any are picked.
  for (PrimitiveOpInterface pick : picked.picks) {
    Value result = pick->getResult(0);
    if (!picksRows(result, set) &&
        (getTensorType(result).getNumElements() >= elements ||
         !infos.get(pick).isAccess ||
         !readsArgument(pick->getOperand(0), set, Through::accesses)))
      return std::nullopt;
  }
  return picked;
}

/// Whether lanes of `contraction` run along rows that are picked of operand
/// `number`, in its group or in another one.
bool FusionRules::picksLanes(PrimitiveOpInterface contraction,
                             unsigned number) {
  Value operand = contraction->getOperand(number);
  Operation *producer = operand.getDefiningOp();
  if (!producer || !picksRows(operand, {producer}))
    return false;
  auto last = dyn_cast<AffineDimExpr>(
      contraction.getOperandMap(number).getResults().back());
  return last && contraction.getIterators()[last.getPosition()] ==
                     utils::IteratorType::parallel;
}

/// Whether `value` is what an operation in `set` reduces: it has an array,
/// which takes padding like any argument.
static bool readsReduced(Value value, const OpSet &set) {
  Operation *op = value.getDefiningOp();
  return op && set.contains(op) && reduces(op);
}

/// Whether `op` lays an argument, or a part of one, out anew that others in
/// `set` read as it was.
bool FusionRules::isReadAsItWas(Operation *op, const OpSet &set) {
  auto transpose = dyn_cast<TransposeOp>(op);
  if (!transpose || !transpose.getStored())
    return false;
  return readsArgument(transpose.getOperand(), set, Through::padding) &&
         llvm::any_of(op->getUsers(),
                      [&](Operation *user) { return set.contains(user); });
}

/// Rules 1 to 4: operands that must be arguments of the group.
FusionRules::Reason FusionRules::refuseAccesses(ArrayRef<Operation *> ops,
                                                const OpSet &set,
                                                const Rows &rows,
                                                const BandAnalysis &bands) {
  if (ops.empty())
    return std::nullopt;
  const TargetInfo &target = getTargetInfo(ops.front());
  bool turns = false, picks = false;
  for (Operation *op : ops) {
    auto primitive = dyn_cast<PrimitiveOpInterface>(op);
    if (!primitive)
      continue;
    auto transpose = dyn_cast<TransposeOp>(op);
    turns |= transpose && transpose.getTurned();
    if (isReadAsItWas(op, set))
      return "an operand would be read as it was before it was laid out anew";
    bool contraction = isContraction(primitive);
    for (unsigned i = 0, e = op->getNumOperands(); i < e; ++i) {
      Value operand = op->getOperand(i);
      Operation *producer = operand.getDefiningOp();
      // A row is there before it is multiplied.
      bool isRow = producer && rows.reads(producer);
      if (set.contains(producer) && isExpandedOnce(primitive, i))
        return "a unit multiplies matrices, of what its weights stand for";
      if (contraction && !isRow && !isExpansion(producer) &&
          !readsArgument(operand, set, Through::loads) &&
          (target.hasBlocks() || !picksRows(operand, set)) &&
          !findPickedCodes(primitive, i, set))
        return "a contraction would compute its operand again and again";
      picks |= contraction && !target.hasBlocks() && picksLanes(primitive, i);
      if (mayNeedPadding(primitive, i) && infos.get(primitive).isAccess &&
          !readsArgument(operand, set, Through::accesses) &&
          !(bands.hasWindows() && readsReduced(operand, set)))
        return "a computed value would be padded";
      if (!primitive.getIndirect(i).empty() &&
          !readsArgument(operand, set, Through::accesses))
        return "a data-dependent access would read computed values";
    }
  }
  // Its lanes run along the rows that it picks, and few sums are at hand beside
  // them: they would fill each cache line of the other order in several steps.
  if (turns && picks)
    return "a contraction that picks rows would store them apart";
  return std::nullopt;
}

/// Whether computing a point of `op` from what is stored costs more than
/// `budget`, which its cost is taken from: operations in `set` that do not
/// reduce are computed along with it, shared ones once per use.
static bool exceeds(unsigned &budget, Operation *op, const OpSet &set,
                    BodyInfos &infos) {
  auto primitive = dyn_cast<PrimitiveOpInterface>(op);
  if (!set.contains(op) || !primitive || primitive.hasReduction())
    return false;
  unsigned steps = infos.get(primitive).steps;
  if (steps > budget)
    return true;
  budget -= steps;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Operation *producer = operand.getDefiningOp();
    return producer && exceeds(budget, producer, set, infos);
  });
}

/// A value that does not depend on the band is computed at each read.
FusionRules::Reason
FusionRules::refuseRecomputation(ArrayRef<Operation *> ops, const OpSet &set,
                                 const BandAnalysis &bands) {
  if (ops.empty())
    return std::nullopt;
  const OperationCosts &costs = getTargetInfo(ops.front()).costs;
  unsigned cheap = costs.getCheapSteps();
  // An index is computed once for a row of what it picks, in most loops: it may
  // be a quotient.
  unsigned cheapIndex = costs.countSteps(costs.intDivision);
  const bool hasReduction = llvm::any_of(ops, reduces);
  // Which row is picked is computed before the loops over it.
  OpSet picked;
  for (Operation *op : ops) {
    auto contraction = dyn_cast<PrimitiveOpInterface>(op);
    if (!contraction || !isContraction(contraction))
      continue;
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      if (picksRows(operand, set))
        picked.insert(operand.getDefiningOp());
      else if (auto found = findPickedCodes(contraction, i, set))
        picked.insert(found->ops.begin(), found->ops.end());
    }
  }
  for (Operation *op : ops) {
    auto reader = dyn_cast<PrimitiveOpInterface>(op);
    if (!reader)
      continue;
    int64_t reads = ShapedType::getNumElements(reader.getIterationExtents());
    llvm::SmallDenseSet<Value> indices;
    for (unsigned i = 0, e = op->getNumOperands(); i < e; ++i)
      for (unsigned index : reader.getIndirect(i))
        indices.insert(op->getOperand(index));
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || !set.contains(producer) ||
          bands.dependsOnBand(producer) || isExpansion(producer) ||
          picked.contains(producer))
        continue;
      // Concatenated operands are computed where they stand; within a reduction
      // all of them are.
      if (!hasReduction && reader.getPlacement(i))
        continue;
      int64_t points = getTensorType(operand).getNumElements();
      unsigned budget = indices.contains(operand) ? cheapIndex : cheap;
      if (isIndexMask(operand))
        budget = std::max(budget, getMaskSteps(costs));
      if (reads > points && exceeds(budget, producer, set, infos))
        return "an expensive value would be computed " +
               std::to_string(reads / std::max<int64_t>(points, 1)) + " times";
    }
  }
  return std::nullopt;
}

/// The values of the group that depend on its band and are read among their
/// neighbours, by windows or at offsets: through accesses, which have no array.
llvm::SmallSetVector<Value, 4>
FusionRules::findWaiting(ArrayRef<Operation *> ops, const BandAnalysis &bands) {
  llvm::SmallSetVector<Value, 4> waiting;
  for (Operation *op : ops) {
    auto reader = dyn_cast<PrimitiveOpInterface>(op);
    for (unsigned i = 0, e = reader ? op->getNumOperands() : 0; i < e; ++i) {
      if (llvm::all_of(reader.getOperandMap(i).getResults(),
                       llvm::IsaPred<AffineDimExpr, AffineConstantExpr>))
        continue;
      Value value = op->getOperand(i);
      auto producer =
          dyn_cast_if_present<PrimitiveOpInterface>(value.getDefiningOp());
      while (producer && bands.dependsOnBand(producer) &&
             infos.get(producer).isAccess) {
        value = producer->getOperand(0);
        producer =
            dyn_cast_if_present<PrimitiveOpInterface>(value.getDefiningOp());
      }
      if (producer && bands.dependsOnBand(producer))
        waiting.insert(value);
    }
  }
  return waiting;
}

/// Together, only the loops of the band run on threads, in tiles of several
/// vectors. Apart, all loops do, but what waits goes through memory.
FusionRules::Reason FusionRules::refuseWindows(ArrayRef<Operation *> ops,
                                               const BandAnalysis &bands) {
  if (!limits.weighs || !bands.hasWindows())
    return std::nullopt;
  const TargetInfo &target = getTargetInfo(ops.front());
  double work = 0, moved = 0;
  int64_t most = 1;
  for (Operation *op : ops)
    if (auto primitive = dyn_cast<PrimitiveOpInterface>(op)) {
      const BodyInfo &info = infos.get(primitive);
      int64_t points =
          ShapedType::getNumElements(primitive.getIterationExtents());
      if (!info.isAccess)
        work += double(points * (1 + info.steps)) / double(target.lanes) *
                target.costs.simple;
      most = std::max(most, points);
    }
  int64_t lane = getLaneBytes(Float32Type::get(ops.front()->getContext()));
  llvm::SmallSetVector<Value, 4> waiting = findWaiting(ops, bands);
  for (Value value : waiting) {
    auto type = getTensorType(value);
    lane = std::max(lane, getLaneBytes(type));
    double bytes =
        double(type.getNumElements() * type.getElementTypeBitWidth()) / 8;
    moved += 2 * bytes / double(target.cacheLine) * target.getLineCost(bytes);
  }
  auto getShare = [&](int64_t points) {
    int64_t tile = target.getVectorsInFlight(lane) * target.lanes;
    return target.getLargestShare(std::max<int64_t>(1, points / tile));
  };
  int64_t bandPoints = ShapedType::getNumElements(bands.getBand());
  double together = work * getShare(bandPoints);
  double apart = (work + moved) * getShare(most) +
                 double(waiting.size()) * target.forkNanoseconds;
  if (together <= apart)
    return std::nullopt;
  return "windows of reduced values would leave a band of " +
         std::to_string(bandPoints) +
         " points, with which it is expected to "
         "take " +
         std::to_string(int64_t(together)) + " ns, not " +
         std::to_string(int64_t(apart));
}

FusionRules::Reason FusionRules::refuseOperands(ArrayRef<Operation *> ops,
                                                const OpSet &set,
                                                int64_t &results) {
  llvm::DenseSet<Value> operands;
  results = 0;
  for (Operation *op : ops) {
    results += isNeededOutside(op, set);
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp() || !set.contains(operand.getDefiningOp()))
        operands.insert(operand);
  }
  int64_t tensors = results + operands.size();
  if (tensors <= limits.maxOperands)
    return std::nullopt;
  return "the group would have " + std::to_string(tensors) +
         " operands and results, more than " +
         std::to_string(limits.maxOperands);
}

FusionRules::Reason FusionRules::refuseLimits(ArrayRef<Operation *> ops,
                                              const OpSet &set,
                                              const BandAnalysis &bands) {
  int64_t computing = 0, results = 0;
  int64_t bandPoints = ShapedType::getNumElements(bands.getBand());
  bool longReduction = false, follows = false;
  for (Operation *op : ops) {
    auto primitive = dyn_cast<PrimitiveOpInterface>(op);
    if (!primitive)
      continue;
    computing += !infos.get(primitive).isAccess;
    int64_t points =
        ShapedType::getNumElements(primitive.getIterationExtents());
    if (primitive.hasReduction())
      longReduction |= points >= limits.longReduction;
    else
      follows |= bands.dependsOnBand(op) && points > bandPoints;
  }
  if (limits.apart && computing > 1)
    return "each operation is to be a kernel by itself";
  if (Reason reason = refuseOperands(ops, set, results))
    return reason;
  if (bandPoints < limits.minParallel && longReduction && follows)
    return "what follows a long reduction would run over a band of " +
           std::to_string(bandPoints) + " points";
  return std::nullopt;
}

FusionRules::Reason FusionRules::refuseOperations() const {
  return "its statements would hold more than " +
         std::to_string(std::min(limits.maxOperations, limits.mostCounted)) +
         " operations, counting what is computed again";
}

/// What the group costs the compilers and the kernel: long bodies take
/// registers and the C++ compiler's time, statements isl's.
FusionRules::Reason FusionRules::refuseCost(ArrayRef<Operation *> ops,
                                            const OpSet &set) {
  constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
  if (limits.maxOperations == kNoLimit && limits.maxStatements == kNoLimit)
    return std::nullopt;
  SmallVector<Value> yielded;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !set.contains(user); }))
        yielded.push_back(result);
  sched::GroupCost cost =
      sched::measureGroup(ops, yielded, bodies, limits.maxOperations);
  if (cost.operations > limits.maxOperations)
    return refuseOperations();
  if (cost.statements > limits.maxStatements)
    return "isl would have to schedule " + std::to_string(cost.statements) +
           " statements, more than " + std::to_string(limits.maxStatements);
  return std::nullopt;
}

std::optional<std::string> FusionRules::refuse(ArrayRef<Operation *> ops) {
  OpSet set(ops.begin(), ops.end());
  Rows rows(ops);
  if (Reason reason = rows.refuse())
    return reason;
  if (!limits.rowsApart.empty() && rows.areMade())
    return limits.rowsApart;
  BandAnalysis bands(ops);
  if (Reason reason = refuseAccesses(ops, set, rows, bands))
    return reason;
  if (Reason reason = bands.getRefusal())
    return reason;
  if (Reason reason = refuseRecomputation(ops, set, bands))
    return reason;
  if (Reason reason = refuseWindows(ops, bands))
    return reason;
  if (Reason reason = refuseLimits(ops, set, bands))
    return reason;
  return refuseCost(ops, set);
}

std::optional<std::string> FusionRules::refuse(ArrayRef<Operation *> ops,
                                               const GroupSummary &summary) {
  if (summary.operations > limits.mostCounted)
    return refuseOperations();
  if (!summary.isPlain || summary.isShared || limits.apart)
    return refuse(ops);
  OpSet set(ops.begin(), ops.end());
  int64_t results = 0;
  if (Reason reason = refuseOperands(ops, set, results))
    return reason;
  // One result is one statement, which computes each value once.
  if (results != 1)
    return refuse(ops);
  return summary.operations > limits.maxOperations ? refuseOperations()
                                                   : Reason();
}
