// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structures are texts: generic form, locations and names left out.
#include "passes/lock/GroupKey.h"

#include "dialects/TargetInfo.h"
#include "dialects/library/Declared.h"
#include "passes/lock/Lock.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace fusec::lock {

static std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, OpPrintingFlags().printGenericOpForm().assumeVerified());
  return text;
}

std::string getStructure(Operation *kernel) {
  OwningOpRef<Operation *> copy(kernel->clone());
  auto none = StringAttr::get(kernel->getContext(), "");
  SymbolTable::setSymbolName(*copy, none);
  if (auto func = dyn_cast<kernel::FuncOp>(*copy))
    func.setGroupAttr(none);
  copy->walk([&](sched::StmtOp stmt) {
    stmt.setSymNameAttr(none);
    Builder builder(stmt);
    SmallVector<StringRef> names(stmt.getNumIterators(), "");
    stmt.setDimsAttr(builder.getStrArrayAttr(names));
  });
  return print(*copy);
}

std::string hash(StringRef text) {
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true,
                         /*Width=*/16);
}

llvm::DenseSet<StringAttr> getLaunched(ModuleOp module) {
  llvm::DenseSet<StringAttr> launched;
  module->walk([&](kernel::LaunchOp launch) {
    for (Region *region = launch->getParentRegion(); region;
         region = region->getParentRegion())
      if (auto choice = dyn_cast<kernel::ChoiceOp>(region->getParentOp());
          choice && region != &choice.getAlternatives().front())
        return;
    launched.insert(launch.getKernelAttr().getAttr());
  });
  return launched;
}

std::string getModelKey(StringRef row, const std::set<std::string> &keys) {
  return hash(("model " + row + "\n").str() + llvm::join(keys, "\n"));
}

std::string GroupKeys::get(sched::ScopOp scop) const {
  std::string operands;
  for (int64_t number : scop.getWeights().value_or(ArrayRef<int64_t>()))
    operands += "weight " + std::to_string(number) + "\n";
  OwningOpRef<sched::ScopOp> copy(scop.clone());
  copy->removeWeightsAttr();
  copy->removeGroupAttr();
  copy->removeIsaAttr();
  copy->removeProposerAttr();
  copy->removeConfigAttr();
  copy->removeScheduleAttr();
  (*copy)->setDiscardableAttrs(DictionaryAttr::get(scop.getContext()));
  return hash(operands + getStructure(*copy));
}

std::string GroupKeys::get(kernel::ChoiceOp choice,
                           const SymbolTable &symbols) const {
  MLIRContext *context = choice.getContext();
  // Alone in a function: how the values around it are numbered is their place
  // in the model.
  llvm::SetVector<Value> around;
  getUsedValuesDefinedAbove(choice->getRegions(), around);
  OwningOpRef<func::FuncOp> alone(func::FuncOp::create(
      choice.getLoc(), "",
      FunctionType::get(context, TypeRange(around.getArrayRef()), {})));
  Block *block = alone->addEntryBlock();
  IRMapping mapping;
  for (auto [value, argument] : llvm::zip(around, block->getArguments()))
    mapping.map(value, argument);
  block->push_back(choice->clone(mapping));

  auto none = FlatSymbolRefAttr::get(context, "");
  alone->walk([&](Operation *op) {
    if (auto inner = dyn_cast<kernel::ChoiceOp>(op)) {
      inner.setSymName("");
    } else if (auto weight = dyn_cast<kernel::WeightOp>(op)) {
      weight.setWeightAttr(none);
    } else if (auto launch = dyn_cast<kernel::LaunchOp>(op)) {
      auto scop = symbols.lookup<sched::ScopOp>(launch.getKernel());
      launch.setKernelAttr(scop ? FlatSymbolRefAttr::get(context, get(scop))
                                : none);
    }
  });
  // Of operators of users the module alone says what they are.
  std::string text = print(*alone);
  choice->walk([&](kernel::CallOp call) {
    text += library::getDeclaredHash(call, call.getCalleeAttr());
  });
  return hash(text);
}

std::string GroupKeys::get(ModuleOp module) const {
  if (auto known = module->getAttrOfType<StringAttr>(kernel::kModelKeyAttr))
    return known.str();
  SymbolTable symbols(module);
  std::set<std::string> keys;
  llvm::SetVector<sched::ScopOp> scops;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto choice = dyn_cast<kernel::ChoiceOp>(op)) {
      auto key = choice->getAttrOfType<StringAttr>(kKeyAttr);
      keys.insert(key ? key.str() : get(choice, symbols));
      return WalkResult::skip();
    }
    if (auto launch = dyn_cast<kernel::LaunchOp>(op))
      if (auto scop = symbols.lookup<sched::ScopOp>(launch.getKernel()))
        scops.insert(scop);
    return WalkResult::advance();
  });
  // The text of a kernel alone has no program that launches it.
  if (keys.empty() && scops.empty())
    scops.insert_range(module.getOps<sched::ScopOp>());
  for (sched::ScopOp scop : scops)
    keys.insert(get(scop));
  return getModelKey(getTargetInfo(module).name, keys);
}

} // namespace fusec::lock
