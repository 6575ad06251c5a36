// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/fusion/GroupNames.h"

#include "dialects/fuse/FuseOps.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

using Tokens = SmallVector<std::string>;

/// Splits a node's name at everything that an identifier lacks:
/// "/encoder/layer.0/MatMul" is encoder, layer, 0, matmul.
static Tokens tokenise(StringRef name) {
  Tokens tokens;
  std::string current;
  for (char c : (name + "_").str()) {
    if (llvm::isAlnum(c)) {
      current += llvm::toLower(c);
      continue;
    }
    if (!current.empty())
      tokens.push_back(std::move(current));
    current.clear();
  }
  return tokens;
}

static void collectNames(Location loc, llvm::SetVector<StringRef> &names) {
  if (auto name = dyn_cast<NameLoc>(loc)) {
    names.insert(name.getName());
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location part : fused.getLocations())
      collectNames(part, names);
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    collectNames(call.getCallee(), names);
  }
}

static std::string join(const Tokens &tokens) {
  return llvm::join(tokens, "_");
}

static size_t countCommonPrefix(ArrayRef<Tokens> names) {
  size_t length = 0;
  for (; length < names.front().size(); ++length)
    for (const Tokens &name : names)
      if (length == name.size() || name[length] != names.front()[length])
        return length;
  return length;
}

/// The common prefix, then what the listed names add to it.
static std::string joinTails(ArrayRef<Tokens> names, size_t prefix) {
  Tokens all(names.front().begin(), names.front().begin() + prefix);
  for (const Tokens &name : names)
    all.append(name.begin() + prefix, name.end());
  return join(all);
}

/// The operations, in program order, that say what a group is: its primitives
/// but for those that depend on nothing but its constants. A constant is one
/// for the whole model, and its place that of whichever node used it first.
static SmallVector<Operation *> findTelling(ArrayRef<Operation *> ops) {
  llvm::DenseSet<Operation *> constant;
  SmallVector<Operation *> primitives, telling;
  for (Operation *op : ops) {
    bool computes = isa<PrimitiveOpInterface>(op);
    bool ofConstants = (!computes || op->getNumOperands()) &&
                       llvm::all_of(op->getOperands(), [&](Value operand) {
                         return constant.contains(operand.getDefiningOp());
                       });
    if (ofConstants)
      constant.insert(op);
    if (computes)
      primitives.push_back(op);
    if (computes && !ofConstants)
      telling.push_back(op);
  }
  return telling.empty() ? primitives : telling;
}

static std::string propose(ArrayRef<Operation *> ops,
                           const llvm::StringSet<> &taken) {
  llvm::SetVector<StringRef> named;
  Operation *last = ops.back();
  for (Operation *op : findTelling(ops)) {
    collectNames(op->getLoc(), named);
    last = op;
  }
  SmallVector<Tokens> names;
  for (StringRef name : named)
    if (Tokens tokens = tokenise(name); !tokens.empty())
      names.push_back(std::move(tokens));
  if (names.empty())
    return last->getName().stripDialect().str();
  if (names.size() == 1)
    return join(names.front());
  size_t prefix = countCommonPrefix(names);
  if (names.size() <= 3)
    return joinTails(names, prefix);
  std::string common =
      join(Tokens(names.front().begin(), names.front().begin() + prefix));
  if (!common.empty() && !taken.contains(common))
    return common;
  return joinTails({names.front(), names.back()}, prefix);
}

std::string fusec::fuse::nameGroup(ArrayRef<Operation *> ops,
                                   llvm::StringSet<> &names) {
  std::string base = propose(ops, names);
  // Alternatives of a choice are of the same nodes.
  Region *region = ops.front()->getParentRegion();
  if (auto choice = dyn_cast<ChoiceOp>(region->getParentOp()))
    base += "_" +
            cast<StringAttr>(choice.getAlgorithms()[region->getRegionNumber()])
                .str();
  if (llvm::isDigit(base.front()))
    base = "node_" + base;
  std::string name = base;
  for (unsigned i = 2; !names.insert(name).second; ++i)
    name = base + "_" + std::to_string(i);
  return name;
}

Location fusec::fuse::fuseLocations(ArrayRef<Operation *> ops) {
  llvm::SetVector<Location> locations;
  for (Operation *op : findTelling(ops))
    locations.insert(op->getLoc());
  return FusedLoc::get(ops.front()->getContext(), locations.getArrayRef());
}
