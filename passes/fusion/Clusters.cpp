// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/fusion/Clusters.h"

#include "passes/Expansion.h"
#include "passes/fusion/BandAnalysis.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// Constants of rank 0 live in groups, other constants outside.
static bool isScalarConstant(Operation *op) {
  auto constant = dyn_cast<ConstantOp>(op);
  return constant && getTensorType(constant).getRank() == 0;
}

Clusters::Clusters(Block &block, BodyInfos &infos, GroupLimits limits)
    : block(block), infos(infos), rules(infos, limits), graph(block) {
  for (Operation *op : graph.getProgram()) {
    bool isMember = isa<PrimitiveOpInterface>(op) || isScalarConstant(op);
    if (isMember)
      fusible.insert(op);
    summaries.push_back(isMember ? rules.summarise(op) : GroupSummary());
  }
}

std::optional<std::string> Clusters::refuseByRules(unsigned a, unsigned b) {
  GroupSummary summary = summaries[a].unite(summaries[b]);
  if (rules.allows(summary))
    return std::nullopt;
  return rules.refuse(graph.getUnion(a, b), summary);
}

bool Clusters::tryMerge(Operation *first, Operation *second) {
  if (!isFusible(first) || !isFusible(second))
    return false;
  unsigned a = graph.find(first), b = graph.find(second);
  if (a == b || refuseByRules(a, b) || !graph.join(a, b))
    return false;
  summaries[a] = summaries[a].unite(summaries[b]);
  return true;
}

/// Whether `op` combines values that are repeated along some of the points that
/// it computes, and what is not computed at all: to read those once more takes
/// no more memory than to read the result.
static bool spreads(Operation *op) {
  auto primitive = dyn_cast<PrimitiveOpInterface>(op);
  if (!primitive || !primitive.isElementwise() || op->getNumOperands() < 2)
    return false;
  bool repeats = false;
  for (Value operand : op->getOperands()) {
    auto broadcast = operand.getDefiningOp<BroadcastOp>();
    Value source = broadcast ? broadcast.getOperand() : operand;
    const bool isRepeated = getTensorType(source).getNumElements() <
                            getTensorType(operand).getNumElements();
    if (!isRepeated &&
        isa_and_present<PrimitiveOpInterface>(source.getDefiningOp()))
      return false;
    repeats |= isRepeated;
  }
  return repeats;
}

void Clusters::joinMoves() {
  for (Operation *op : llvm::reverse(graph.getProgram())) {
    auto primitive = dyn_cast<PrimitiveOpInterface>(op);
    bool moves = !primitive ||
                 (op->getNumOperands() <= 1 && infos.get(primitive).isAccess);
    // Expressions of constants have been cloned for their one reader.
    bool ofConstants = llvm::all_of(op->getOperands(), [&](Value operand) {
      Operation *producer = operand.getDefiningOp();
      return producer && isFusible(producer) && areTogether(producer, op);
    });
    if ((moves || ofConstants || standsForCodes(op) || widensFloats(op) ||
         spreads(op)) &&
        op->hasOneUse())
      tryMerge(op, *op->getUsers().begin());
  }
}

void Clusters::growEpilogue(Operation *contraction) {
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<Operation *> users;
    for (Operation *op : graph.getOps(graph.find(contraction)))
      llvm::append_range(users, op->getUsers());
    llvm::sort(users, [&](Operation *x, Operation *y) {
      return graph.getPlace(x) < graph.getPlace(y);
    });
    for (Operation *user : users)
      changed |= tryMerge(contraction, user);
  }
}

bool Clusters::joinProducers() {
  bool changed = false;
  for (Operation *op : graph.getProgram())
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        changed |= tryMerge(producer, op);
  return changed;
}

void Clusters::grow() {
  joinMoves();
  for (Operation *op : graph.getProgram())
    if (auto primitive = dyn_cast<PrimitiveOpInterface>(op);
        primitive && isFusible(op) && isContraction(primitive))
      growEpilogue(op);
  while (joinProducers())
    ;
}

/// The most points that one operation of the cluster iterates over.
static int64_t countPoints(ArrayRef<Operation *> ops) {
  int64_t most = 0;
  for (Operation *op : ops)
    if (auto primitive = dyn_cast<PrimitiveOpInterface>(op))
      most = std::max(
          most, ShapedType::getNumElements(primitive.getIterationExtents()));
  return most;
}

/// Whether the cluster only moves data, also from operands that it
/// concatenates.
bool Clusters::moves(ArrayRef<Operation *> ops) {
  return llvm::all_of(ops, [&](Operation *op) {
    auto primitive = dyn_cast<PrimitiveOpInterface>(op);
    if (!primitive ||
        (!primitive.hasReduction() && infos.get(primitive).isAccess))
      return true;
    for (unsigned i = 0, e = op->getNumOperands(); i < e; ++i)
      if (!primitive.getPlacement(i))
        return false;
    return op->getNumOperands() > 0;
  });
}

/// Large clusters that move parts of one value are one pass over it: keys and
/// values out of a product that makes both.
void Clusters::joinMovesOf(Operation *first,
                           llvm::DenseMap<Value, Operation *> &open) {
  for (Operation *op : graph.getOps(graph.find(first)))
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && graph.contains(producer) && areTogether(producer, first))
        continue;
      Operation *&last = open[operand];
      if (last && !areTogether(last, first))
        tryMerge(last, first);
      last = first;
    }
}

void Clusters::fuseHorizontally(int64_t maxPoints) {
  // The last small cluster of each band is open for the next one.
  std::map<SmallVector<int64_t>, Operation *> open;
  llvm::DenseMap<Value, Operation *> openMoves;
  for (Operation *op : graph.getProgram()) {
    unsigned cluster = graph.find(op);
    if (op != graph.getFirst(cluster) || !isFusible(op))
      continue;
    SmallVector<Operation *> ops = graph.getOps(cluster);
    bool contracts = llvm::any_of(ops, [](Operation *member) {
      auto primitive = dyn_cast<PrimitiveOpInterface>(member);
      return primitive && isContraction(primitive);
    });
    if (contracts || llvm::none_of(ops, llvm::IsaPred<PrimitiveOpInterface>))
      continue;
    if (countPoints(ops) > maxPoints) {
      if (moves(ops))
        joinMovesOf(op, openMoves);
      continue;
    }
    Operation *&last = open[SmallVector<int64_t>(BandAnalysis(ops).getBand())];
    if (!last || !tryMerge(last, op))
      last = op;
  }
}

void Clusters::reorder() {
  Operation *terminator = block.getTerminator();
  for (unsigned c : graph.getTopologicalOrder())
    for (Operation *op : graph.getOps(c))
      if (op != terminator)
        op->moveBefore(terminator);
}

SmallVector<SmallVector<Operation *>> Clusters::getGroups() {
  SmallVector<SmallVector<Operation *>> groups;
  for (unsigned c : graph.getTopologicalOrder()) {
    SmallVector<Operation *> ops = graph.getOps(c);
    if (isFusible(ops.front()) &&
        llvm::any_of(ops, llvm::IsaPred<PrimitiveOpInterface>))
      groups.push_back(std::move(ops));
  }
  return groups;
}

std::string Clusters::explain(Operation *producer, Operation *consumer) {
  unsigned a = graph.find(producer), b = graph.find(consumer);
  if (std::optional<std::string> reason = refuseByRules(a, b))
    return *reason;
  return graph.isConvex(a, b) ? "the order of decisions left them apart"
                              : "another group between the two reads one and "
                                "feeds the other";
}
