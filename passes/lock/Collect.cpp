// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a compilation decided, read from what the passes left in the module.
#include "passes/lock/GroupKey.h"
#include "passes/lock/Lock.h"

#include "dialects/TargetInfo.h"
#include "dialects/kernel/Choices.h"

#include "dialects/kernel/KernelOps.h"
#include "dialects/words/Words.h"

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

/// What a choice took, by instruction set and threads; "algorithm" is what all
/// took that `selected` does not name.
static std::vector<Choice> listChoices(DictionaryAttr taken, Location loc,
                                       const TargetInfo &target) {
  auto algorithm = taken.getAs<StringAttr>("algorithm");
  auto selected = kernel::readSelections(taken.get(kernel::kSelectedAttr));
  Choice byDefault{{"", loc}, algorithm.str()};
  if (!selected || selected->empty())
    return {byDefault};
  std::vector<Choice> entries;
  for (const InstructionSet *set : target.sets) {
    byDefault.isa = set->name.str();
    entries.push_back(byDefault);
    const size_t own = entries.size() - 1;
    for (const kernel::ChoiceSelection &one : *selected) {
      if (one.isa != set->name)
        continue;
      Choice entry = byDefault;
      entry.algorithm = one.algorithm.str();
      entry.threads = unsigned(one.threads);
      if (entry.threads)
        entries.push_back(entry);
      else
        entries[own] = entry;
    }
  }
  sortEntries(entries, target.name);
  return entries;
}

static void collectChoice(DictionaryAttr taken, Location loc,
                          const TargetInfo &target, Lock &lock,
                          std::string &conflict) {
  auto key = taken.getAs<StringAttr>(kKeyAttr);
  auto name = taken.getAs<StringAttr>("name");
  auto algorithm = taken.getAs<StringAttr>("algorithm");
  auto alternatives = taken.getAs<ArrayAttr>("alternatives");
  // A text that was written by hand may have anything.
  if (!key || !name || !algorithm || !alternatives || !isHash(key.getValue()) ||
      !isWord(algorithm.getValue()))
    return;
  std::vector<Choice> entries = listChoices(taken, loc, target);
  llvm::raw_string_ostream os(entries.front().comment);
  os << "# " << toIdentifier(name.getValue()) << ": ";
  llvm::interleave(
      alternatives.getAsRange<StringAttr>(), os,
      [&](StringAttr one) { os << toIdentifier(one.getValue()); }, " or ");
  os << '\n';
  auto [place, isNew] = lock.choices.try_emplace(key.str(), entries);
  StringRef first = place->second.front().algorithm;
  if (first != algorithm.getValue())
    conflict = ("choice @" + name.getValue() + " took '" +
                algorithm.getValue() + "', and one that is the same '" + first +
                "'; a lock has one entry for both")
                   .str();
}

/// What was decided for the instruction set `isa`, or for all of them: the
/// default is the first of `variants` that serves it.
static Group collectEntry(ArrayRef<kernel::FuncOp> variants, StringRef isa) {
  Group entry{{"", kernel::FuncOp(variants.front()).getLoc(), isa.str()}};
  for (kernel::FuncOp func : variants) {
    if (func.getIsa() && *func.getIsa() != isa)
      continue;
    if (entry.variant.empty())
      entry.variant = func.getVariant().str();
    if (func.getVariant() != "default" || entry.config)
      continue;
    entry.config = func->getAttrOfType<sched::ConfigAttr>(kernel::kConfigAttr);
    entry.proposer = func->getAttrOfType<StringAttr>("proposer").str();
  }
  return entry;
}

/// What was selected for `isa` and more threads than those of `byDefault`, the
/// fewest first.
static std::vector<Group> collectByThreads(ArrayRef<kernel::FuncOp> variants,
                                           StringRef isa,
                                           const Group &byDefault) {
  std::vector<Group> entries;
  for (kernel::FuncOp func : variants) {
    auto selected = func->getAttrOfType<DictionaryAttr>(kernel::kSelectedAttr);
    auto threads = selected ? selected.getAs<DenseI64ArrayAttr>(isa) : nullptr;
    if (!threads || (func.getIsa() && *func.getIsa() != isa))
      continue;
    Group entry = byDefault;
    entry.isa = isa.str();
    entry.variant = func.getVariant() == "naive" ? "naive" : "default";
    if (entry.variant == "default")
      entry.config = func->getAttrOfType<sched::ConfigAttr>(kernel::kConfigAttr)
                         .withName("default");
    for (int64_t number : threads.asArrayRef()) {
      entry.threads = unsigned(number);
      entries.push_back(entry);
    }
  }
  llvm::sort(entries, [](const Group &a, const Group &b) {
    return a.threads < b.threads;
  });
  return entries;
}

static bool saySame(ArrayRef<Group> some, ArrayRef<Group> others) {
  return llvm::equal(some, others, [](const Group &a, const Group &b) {
    return a.threads == b.threads && a.variant == b.variant &&
           a.config == b.config;
  });
}

/// Adds to the entries of a group, which are for any number of threads, those
/// for more: for all instruction sets where these agree.
static void addByThreads(ArrayRef<kernel::FuncOp> variants,
                         std::vector<Group> &entries) {
  kernel::FuncOp first = variants.front();
  std::vector<std::vector<Group>> bySet;
  for (auto [number, set] : llvm::enumerate(getTargetInfo(first).sets))
    bySet.push_back(collectByThreads(variants, set->name,
                                     entries[entries.size() > 1 ? number : 0]));
  const bool areForAll = entries.front().isa.empty() &&
                         llvm::all_of(bySet, [&](ArrayRef<Group> own) {
                           return saySame(own, bySet.front());
                         });
  if (areForAll)
    bySet.resize(1);
  for (std::vector<Group> &own : bySet)
    for (Group &entry : own) {
      if (areForAll)
        entry.isa.clear();
      entries.push_back(std::move(entry));
    }
}

/// The entries of a group: one, or one for each instruction set, and those for
/// more threads. None where something is missing, and where isl was stopped
/// with a schedule for one set only: a lock has one proposer for all.
static std::vector<Group> collectGroup(ArrayRef<kernel::FuncOp> variants) {
  kernel::FuncOp first = variants.front();
  std::vector<Group> entries;
  if (llvm::any_of(variants, [](kernel::FuncOp func) {
        return func.getIsa().has_value();
      }))
    for (const InstructionSet *set : getTargetInfo(first).sets)
      entries.push_back(collectEntry(variants, set->name));
  else
    entries.push_back(collectEntry(variants, ""));
  if (llvm::any_of(entries, [&](const Group &entry) {
        return !entry.config || entry.proposer != entries.front().proposer;
      }))
    return {};
  addByThreads(variants, entries);
  sortEntries(entries, getTargetInfo(first).name);
  entries.front().comment = describe(first);
  return entries;
}

Lock collect(ModuleOp module, std::string &conflict) {
  Lock lock;
  lock.row = getTargetInfo(module).name.str();
  for (auto func : module.getOps<func::FuncOp>())
    if (auto choices = func->getAttrOfType<ArrayAttr>(kChoicesAttr))
      for (auto taken : choices.getAsRange<DictionaryAttr>())
        collectChoice(taken, func.getLoc(), getTargetInfo(module), lock,
                      conflict);

  llvm::DenseSet<StringAttr> launched = getLaunched(module);
  std::map<std::string, SmallVector<kernel::FuncOp>> groups;
  for (auto func : module.getOps<kernel::FuncOp>()) {
    auto key = func->getAttrOfType<StringAttr>(kKeyAttr);
    auto config = func->getAttrOfType<sched::ConfigAttr>(kernel::kConfigAttr);
    auto proposer = func->getAttrOfType<StringAttr>("proposer");
    // Where isl did not end, nobody proposed, and there is nothing to keep.
    if (!key || !config || !proposer ||
        (func.getVariant() == "default" && proposer == "program order"))
      continue;
    SmallVector<kernel::FuncOp> &variants = groups[key.str()];
    variants.insert(launched.contains(func.getSymNameAttr()) ? variants.begin()
                                                             : variants.end(),
                    func);
  }
  // A text may have any variants.
  for (auto &[key, variants] : groups)
    if (launched.contains(variants.front().getSymNameAttr()))
      if (std::vector<Group> entries = collectGroup(variants); !entries.empty())
        lock.groups.try_emplace(key, std::move(entries));
  return lock;
}

} // namespace fusec::lock
