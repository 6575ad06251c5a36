// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a compilation decided, read from what the passes left in the module.
#include "passes/lock/Lock.h"

#include "dialects/TargetInfo.h"

#include "dialects/kernel/KernelOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using fusec::sched::toIdentifier;

namespace fusec::lock {

/// "8x32xf32".
static void printType(llvm::raw_ostream &os, Type type) {
  auto memref = cast<MemRefType>(type);
  for (int64_t extent : memref.getShape())
    os << extent << 'x';
  os << memref.getElementType();
}

/// The group's name in the model that is compiled, and its operands.
static std::string describe(kernel::FuncOp func) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "# " << toIdentifier(func.getGroup()) << ": ";
  auto types = func.getArgumentTypes();
  auto print = [&](Type type) { printType(os, type); };
  llvm::interleaveComma(types.take_front(func.getNumInputs()), os, print);
  os << " -> ";
  llvm::interleaveComma(
      types.drop_front(func.getNumInputs()).take_front(func.getNumOutputs()),
      os, print);
  os << '\n';
  return text;
}

static void collectChoice(DictionaryAttr taken, Location loc, Lock &lock,
                          std::string &conflict) {
  auto key = taken.getAs<StringAttr>(kKeyAttr);
  auto name = taken.getAs<StringAttr>("name");
  auto algorithm = taken.getAs<StringAttr>("algorithm");
  auto alternatives = taken.getAs<ArrayAttr>("alternatives");
  if (!key || !name || !algorithm || !alternatives)
    return; // of a text that was written by hand
  std::string comment;
  llvm::raw_string_ostream os(comment);
  os << "# " << toIdentifier(name.getValue()) << ": ";
  llvm::interleave(
      alternatives.getAsRange<StringAttr>(), os,
      [&](StringAttr one) { os << toIdentifier(one.getValue()); }, " or ");
  os << '\n';
  auto [place, isNew] = lock.choices.try_emplace(
      key.str(), Choice{comment, loc, algorithm.str()});
  if (place->second.algorithm != algorithm.getValue())
    conflict = ("choice @" + name.getValue() + " took '" +
                algorithm.getValue() + "', and one that is the same '" +
                place->second.algorithm + "'; a lock has one entry for both")
                   .str();
}

Lock collect(ModuleOp module, std::string &conflict) {
  Lock lock;
  lock.row = getTargetInfo(module).name.str();
  for (auto func : module.getOps<func::FuncOp>())
    if (auto choices = func->getAttrOfType<ArrayAttr>("kernel.choices"))
      for (auto taken : choices.getAsRange<DictionaryAttr>())
        collectChoice(taken, func.getLoc(), lock, conflict);

  llvm::DenseSet<StringAttr> launched;
  module.walk([&](kernel::LaunchOp launch) {
    launched.insert(launch.getKernelAttr().getAttr());
  });
  for (auto func : module.getOps<kernel::FuncOp>()) {
    auto key = func->getAttrOfType<StringAttr>(kKeyAttr);
    auto config = func->getAttrOfType<sched::ConfigAttr>(kernel::kConfigAttr);
    auto proposer = func->getAttrOfType<StringAttr>("proposer");
    // Where isl did not end, nobody proposed, and there is nothing to keep.
    if (!key || !config || !proposer ||
        (func.getVariant() == "default" && proposer == "program order"))
      continue;
    Group &group =
        lock.groups.try_emplace(key.str(), Group{describe(func), func.getLoc()})
            .first->second;
    if (launched.contains(func.getSymNameAttr()))
      group.variant = func.getVariant().str();
    if (func.getVariant() == "default") {
      group.config = config;
      group.proposer = proposer.str();
    }
  }
  // A text may have any variants.
  for (auto entry = lock.groups.begin(); entry != lock.groups.end();)
    if (!entry->second.config || entry->second.variant.empty())
      entry = lock.groups.erase(entry);
    else
      ++entry;
  return lock;
}

} // namespace fusec::lock
