// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/fusion/Clusters.h"

#include "passes/fusion/BandAnalysis.h"

#include <algorithm>
#include <queue>

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// Constants of rank 0 live in groups, other constants outside.
static bool isScalarConstant(Operation *op) {
  auto constant = dyn_cast<ConstantOp>(op);
  return constant && getTensorType(constant).getRank() == 0;
}

Clusters::Clusters(Block &block, BodyInfos &infos, GroupLimits limits)
    : block(block), infos(infos), rules(infos, limits) {
  for (Operation &op : block) {
    unsigned index = program.size();
    program.push_back(&op);
    position[&op] = clusterOf[&op] = index;
    members.push_back({&op});
    if (isa<PrimitiveOpInterface>(op) || isScalarConstant(&op))
      fusible.insert(&op);
  }
}

Clusters::Ops Clusters::unite(unsigned a, unsigned b) const {
  Ops merged;
  std::merge(members[a].begin(), members[a].end(), members[b].begin(),
             members[b].end(), std::back_inserter(merged),
             [&](Operation *x, Operation *y) {
               return position.lookup(x) < position.lookup(y);
             });
  return merged;
}

/// Whether no path leads out of the two clusters and back into them.
bool Clusters::isConvex(unsigned a, unsigned b) const {
  std::vector<bool> seen(members.size());
  SmallVector<unsigned> worklist;
  auto visitUsers = [&](unsigned from, bool fromUnion) {
    for (Operation *op : members[from])
      for (Operation *user : op->getUsers()) {
        // Users may sit in regions of the block's operations.
        unsigned to = find(block.findAncestorOpInBlock(*user));
        bool inUnion = to == a || to == b;
        if (inUnion && !fromUnion)
          return false;
        if (inUnion || seen[to])
          continue;
        seen[to] = true;
        worklist.push_back(to);
      }
    return true;
  };
  if (!visitUsers(a, true) || !visitUsers(b, true))
    return false;
  while (!worklist.empty())
    if (!visitUsers(worklist.pop_back_val(), false))
      return false;
  return true;
}

std::optional<std::string> Clusters::refuse(unsigned a, unsigned b) {
  if (std::optional<std::string> reason = rules.refuse(unite(a, b)))
    return reason;
  if (!isConvex(a, b))
    return "another group between the two reads one and feeds the other";
  return std::nullopt;
}

bool Clusters::tryMerge(Operation *first, Operation *second) {
  if (!isFusible(first) || !isFusible(second))
    return false;
  unsigned a = find(first), b = find(second);
  if (a == b || refuse(a, b))
    return false;
  members[a] = unite(a, b);
  for (Operation *op : members[b])
    clusterOf[op] = a;
  members[b].clear();
  return true;
}

void Clusters::joinMoves() {
  for (Operation *op : llvm::reverse(program)) {
    auto primitive = dyn_cast<PrimitiveOpInterface>(op);
    bool moves = !primitive ||
                 (op->getNumOperands() <= 1 && infos.get(primitive).isAccess);
    // Expressions of constants have been cloned for their one reader.
    bool ofConstants = llvm::all_of(op->getOperands(), [&](Value operand) {
      Operation *producer = operand.getDefiningOp();
      return producer && isFusible(producer) && find(producer) == find(op);
    });
    if ((moves || ofConstants) && op->hasOneUse())
      tryMerge(op, *op->getUsers().begin());
  }
}

void Clusters::growEpilogue(Operation *contraction) {
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<Operation *> users;
    for (Operation *op : members[find(contraction)])
      llvm::append_range(users, op->getUsers());
    llvm::sort(users, [&](Operation *x, Operation *y) {
      return position.lookup(x) < position.lookup(y);
    });
    for (Operation *user : users)
      changed |= tryMerge(contraction, user);
  }
}

bool Clusters::joinProducers() {
  bool changed = false;
  for (Operation *op : program)
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        changed |= tryMerge(producer, op);
  return changed;
}

void Clusters::grow() {
  joinMoves();
  for (Operation *op : program)
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
  for (Operation *op : Ops(members[find(first)]))
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && find(producer) == find(first))
        continue;
      Operation *&last = open[operand];
      if (last && find(last) != find(first))
        tryMerge(last, first);
      last = first;
    }
}

void Clusters::fuseHorizontally(int64_t maxPoints) {
  // The last small cluster of each band is open for the next one.
  std::map<SmallVector<int64_t>, Operation *> open;
  llvm::DenseMap<Value, Operation *> openMoves;
  for (Operation *op : program) {
    unsigned cluster = find(op);
    ArrayRef<Operation *> ops = members[cluster];
    bool contracts = llvm::any_of(ops, [](Operation *member) {
      auto primitive = dyn_cast<PrimitiveOpInterface>(member);
      return primitive && isContraction(primitive);
    });
    if (op != ops.front() || !isFusible(op) || contracts ||
        llvm::none_of(ops, llvm::IsaPred<PrimitiveOpInterface>))
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

SmallVector<unsigned> Clusters::getTopologicalOrder() const {
  std::vector<unsigned> missing(members.size());
  std::vector<SmallVector<unsigned>> users(members.size());
  for (Operation *op : program)
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *producer = operand.getDefiningOp();
        if (!producer || producer->getBlock() != &block ||
            find(producer) == find(op))
          continue;
        users[find(producer)].push_back(find(op));
        ++missing[find(op)];
      }
    });
  // Of the clusters that are ready, the one that begins first: the order stays
  // close to the program's.
  using Entry = std::pair<unsigned, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  auto push = [&](unsigned c) {
    ready.push({position.lookup(members[c].front()), c});
  };
  for (unsigned c = 0; c < members.size(); ++c)
    if (!members[c].empty() && missing[c] == 0)
      push(c);
  SmallVector<unsigned> order;
  while (!ready.empty()) {
    unsigned c = ready.top().second;
    ready.pop();
    order.push_back(c);
    for (unsigned user : users[c])
      if (--missing[user] == 0)
        push(user);
  }
  return order;
}

void Clusters::reorder() {
  Operation *terminator = block.getTerminator();
  for (unsigned c : getTopologicalOrder())
    for (Operation *op : members[c])
      if (op != terminator)
        op->moveBefore(terminator);
}

SmallVector<SmallVector<Operation *>> Clusters::getGroups() {
  SmallVector<SmallVector<Operation *>> groups;
  for (unsigned c : getTopologicalOrder())
    if (isFusible(members[c].front()) &&
        llvm::any_of(members[c], llvm::IsaPred<PrimitiveOpInterface>))
      groups.push_back(members[c]);
  return groups;
}

std::string Clusters::explain(Operation *producer, Operation *consumer) {
  return refuse(find(producer), find(consumer))
      .value_or("the order of decisions left them apart");
}
