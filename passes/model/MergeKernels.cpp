// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/lock/GroupKey.h"
#include "passes/model/Launches.h"
#include "passes/model/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

namespace fusec::model {
#define GEN_PASS_DEF_MERGEKERNELS
#include "passes/model/Passes.h.inc"
} // namespace fusec::model

using namespace mlir;
using namespace fusec;

/// The parts of a name without their indices: "encoder_12_layer4" gives
/// "encoder", "layer".
static SmallVector<StringRef> getWords(StringRef name) {
  SmallVector<StringRef> parts, words;
  name.split(parts, '_', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts)
    if (StringRef word = part.rtrim("0123456789"); !word.empty())
      words.push_back(word);
  return words;
}

/// The longest sequence of words that both have, in order.
static SmallVector<StringRef> getCommonWords(ArrayRef<StringRef> a,
                                             ArrayRef<StringRef> b) {
  size_t columns = b.size() + 1;
  std::vector<unsigned> length((a.size() + 1) * columns);
  for (size_t i = a.size(); i-- > 0;)
    for (size_t j = b.size(); j-- > 0;)
      length[i * columns + j] = a[i] == b[j]
                                    ? length[(i + 1) * columns + j + 1] + 1
                                    : std::max(length[(i + 1) * columns + j],
                                               length[i * columns + j + 1]);
  SmallVector<StringRef> common;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) {
      common.push_back(a[i]);
      ++i, ++j;
    } else if (length[(i + 1) * columns + j] >= length[i * columns + j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  return common;
}

/// The name that equal kernels share; the first one's if there is none.
static std::string getCommonName(ArrayRef<Operation *> kernels) {
  StringRef first = SymbolTable::getSymbolName(kernels.front());
  SmallVector<StringRef> words = getWords(first);
  for (Operation *kernel : kernels.drop_front())
    words = getCommonWords(words, getWords(SymbolTable::getSymbolName(kernel)));
  std::string name = llvm::join(words, "_");
  return name.empty() || llvm::isDigit(name.front()) ? first.str() : name;
}

/// Why two kernels whose names differ in indices only are two.
static std::string getDifference(Operation *a, Operation *b) {
  auto types = [](Operation *kernel) {
    return kernel->getRegion(0).front().getArgumentTypes();
  };
  if (a->getName() == b->getName() && types(a).size() == types(b).size())
    for (auto [number, from, to] : llvm::enumerate(types(a), types(b)))
      if (from != to) {
        std::string text;
        llvm::raw_string_ostream(text)
            << "argument " << number << " is " << from << " in one and " << to
            << " in the other";
        return text;
      }
  return "their bodies differ";
}

namespace {
struct MergeKernels : fusec::model::impl::MergeKernelsBase<MergeKernels> {
  using Base::Base;
  void runOnOperation() override;

private:
  void merge(ArrayRef<Operation *> kernels, SymbolTable &symbols,
             llvm::StringMap<FlatSymbolRefAttr> &renamed);
  void reportLookalikes(ArrayRef<Operation *> kernels);
};
} // namespace

/// The group of a kernel: variants of one group have the same.
static StringRef getGroup(Operation *kernel) {
  if (auto func = dyn_cast<kernel::FuncOp>(kernel))
    return func.getGroup();
  auto group = cast<sched::ScopOp>(kernel).getGroup();
  return group ? *group : cast<sched::ScopOp>(kernel).getSymName();
}

void MergeKernels::merge(ArrayRef<Operation *> kernels, SymbolTable &symbols,
                         llvm::StringMap<FlatSymbolRefAttr> &renamed) {
  std::string name = getCommonName(kernels);
  Operation *kept = kernels.front();
  SmallVector<Location> locations;
  SmallVector<std::string> oldNames;
  for (Operation *kernel : kernels) {
    locations.push_back(kernel->getLoc());
    oldNames.push_back(SymbolTable::getSymbolName(kernel).str());
  }
  kept->setLoc(FusedLoc::get(&getContext(), locations));
  for (Operation *kernel : kernels.drop_front())
    symbols.erase(kernel);
  symbols.remove(kept);
  SymbolTable::setSymbolName(kept, name);
  symbols.insert(kept); // Makes the name unique.
  StringAttr unique = SymbolTable::getSymbolName(kept);
  if (auto func = dyn_cast<kernel::FuncOp>(kept))
    func.setGroupAttr(unique);
  else if (auto scop = cast<sched::ScopOp>(kept); scop.getGroup())
    scop.setGroupAttr(unique);
  for (const std::string &old : oldNames)
    renamed[old] = FlatSymbolRefAttr::get(unique);
  numMerged += kernels.size() - 1;
}

void MergeKernels::reportLookalikes(ArrayRef<Operation *> kernels) {
  llvm::StringMap<Operation *> byWords;
  for (Operation *kernel : kernels) {
    StringRef name = SymbolTable::getSymbolName(kernel);
    auto [place, isNew] =
        byWords.try_emplace(llvm::join(getWords(name), "_"), kernel);
    if (!isNew)
      mlir::emitRemark(kernel->getLoc())
          << "@" << name << " is not merged with @"
          << SymbolTable::getSymbolName(place->second).getValue() << ": "
          << getDifference(place->second, kernel);
  }
}

void MergeKernels::runOnOperation() {
  ModuleOp module = getOperation();
  SymbolTable symbols(module);
  llvm::SetVector<Operation *> launched;
  bool isBroken = false;
  module.walk([&](kernel::LaunchOp launch) {
    FailureOr<Operation *> kernel = model::findKernel(launch, symbols);
    if (succeeded(kernel))
      launched.insert(*kernel);
    else
      isBroken = true;
  });
  if (isBroken)
    return signalPassFailure();
  llvm::StringMap<unsigned> numVariants;
  for (Operation &op : *module.getBody())
    if (isa<kernel::FuncOp, sched::ScopOp>(op))
      ++numVariants[getGroup(&op)];
  llvm::MapVector<StringAttr, SmallVector<Operation *>> classes;
  for (Operation *kernel : launched)
    if (numVariants[getGroup(kernel)] == 1)
      classes[StringAttr::get(&getContext(), lock::getStructure(kernel))]
          .push_back(kernel);

  llvm::StringMap<FlatSymbolRefAttr> renamed;
  SmallVector<Operation *> left;
  for (auto &[key, kernels] : classes) {
    left.push_back(kernels.front());
    if (kernels.size() > 1)
      merge(kernels, symbols, renamed);
  }
  module.walk([&](kernel::LaunchOp launch) {
    if (auto name = renamed.lookup(launch.getKernel()))
      launch.setKernelAttr(name);
  });
  if (remarks)
    reportLookalikes(left);
}
