// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/ChoiceSite.h"
#include "dialects/kernel/Choices.h"

#include "passes/graph/SplitReduction.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

std::string fuse::nameChoice(Location loc, StringRef fallback,
                             llvm::StringSet<> &taken) {
  std::string base;
  if (auto named = loc->findInstanceOf<NameLoc>()) {
    StringRef text = named.getName().getValue();
    for (char c : text.drop_front(text.rfind('/') + 1))
      base += llvm::isAlnum(c) ? llvm::toLower(c) : '_';
  }
  if (base.empty())
    base = fallback.str();
  std::string name = base;
  for (unsigned i = 2; !taken.insert(name).second; ++i)
    name = base + "_" + std::to_string(i);
  return name;
}

llvm::StringSet<> fuse::collectChoiceNames(Operation *function) {
  llvm::StringSet<> names;
  // What was decided before has its name, too.
  if (auto decided = function->getAttrOfType<ArrayAttr>(kChoicesAttr))
    for (auto one : decided.getAsRange<DictionaryAttr>())
      if (auto name = one.getAs<StringAttr>("name"))
        names.insert(name);
  function->walk([&](ChoiceOp choice) { names.insert(choice.getSymName()); });
  return names;
}

/// Whether `value` is there before the reductions, or can be: adds what has to
/// be moved there.
bool ChoiceSite::isAvailable(Value value,
                             llvm::SetVector<Operation *> &moved) const {
  Operation *op = value.getDefiningOp(), *first = reductions.front();
  if (!op || op->getBlock() != first->getBlock() || op->isBeforeInBlock(first))
    return true;
  if (members.contains(op) || op->getNumRegions() || !isMemoryEffectFree(op))
    return false;
  for (Value operand : op->getOperands())
    if (!isAvailable(operand, moved))
      return false;
  moved.insert(op);
  return true;
}

ChoiceSite::ChoiceSite(ArrayRef<PrimitiveOpInterface> ops) : reductions(ops) {
  int64_t most = 0;
  for (Operation *op : ops) {
    members.insert(op);
    most = std::max(most, getTensorType(op->getResult(0)).getNumElements());
  }
  for (Operation *next = members.back()->getNextNode(); next;
       next = next->getNextNode()) {
    auto primitive = dyn_cast<PrimitiveOpInterface>(next);
    if (!primitive || primitive.hasReduction() ||
        ShapedType::getNumElements(primitive.getIterationExtents()) > most)
      continue;
    bool reads = false, fits = true;
    llvm::SetVector<Operation *> moved;
    for (Value operand : next->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      bool isMember = producer && members.contains(producer);
      reads |= isMember;
      fits &= isMember || isAvailable(operand, moved);
    }
    if (!reads || !fits)
      continue;
    for (Operation *op : moved)
      op->moveBefore(reductions.front());
    members.insert(next);
  }
  // Who reads a result elsewhere makes the accesses that it needs.
  SmallVector<Operation *> all = llvm::to_vector(members.getArrayRef());
  for (Operation *op : llvm::reverse(all))
    if (!cast<PrimitiveOpInterface>(op).hasReduction() &&
        !isPointwise(cast<PrimitiveOpInterface>(op)) &&
        llvm::none_of(op->getUsers(),
                      [&](Operation *user) { return members.contains(user); }))
      members.remove(op);
}

SmallVector<Value> ChoiceSite::getResults() const {
  SmallVector<Value> results;
  for (Operation *op : members)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !members.contains(user);
          }))
        results.push_back(result);
  return results;
}
