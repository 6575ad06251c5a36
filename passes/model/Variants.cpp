// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/model/Variants.h"

using namespace mlir;

namespace fusec::model {

bool KernelGroup::isWeight(unsigned number) const {
  return llvm::all_of(launches, [&](kernel::LaunchOp launch) {
    return kernel::getWeight(launch.getOperand(number)) != nullptr;
  });
}

static void putFirst(KernelGroup &group) {
  auto &variants = group.variants;
  auto *first = llvm::find_if(variants, [](kernel::FuncOp func) {
    return func.getVariant() == "default";
  });
  if (first == variants.end())
    first = llvm::find_if(variants, [&](kernel::FuncOp func) {
      return llvm::any_of(group.launches, [&](kernel::LaunchOp launch) {
        return launch.getKernel() == func.getSymName();
      });
    });
  if (first != variants.end())
    std::rotate(variants.begin(), first, std::next(first));
}

FailureOr<llvm::MapVector<StringAttr, KernelGroup>>
collectGroups(ModuleOp module, const SymbolTable &symbols) {
  llvm::MapVector<StringAttr, KernelGroup> groups;
  for (auto func : module.getOps<kernel::FuncOp>())
    groups[func.getGroupAttr()].variants.push_back(func);
  module.walk([&](kernel::LaunchOp launch) {
    if (auto func = symbols.lookup<kernel::FuncOp>(launch.getKernel()))
      groups[func.getGroupAttr()].launches.push_back(launch);
  });
  for (auto &entry : groups) {
    KernelGroup &group = entry.second;
    putFirst(group);
    kernel::FuncOp first = group.getFirst();
    for (kernel::FuncOp func : group.variants)
      if (func.getFunctionType() != first.getFunctionType() ||
          func.getNumInputs() != first.getNumInputs()) {
        InFlightDiagnostic diagnostic = func.emitOpError(
            "takes other operands than another variant of its group");
        diagnostic.attachNote(first.getLoc()) << "which is here";
        return diagnostic;
      }
  }
  return groups;
}

unsigned WeightCopies::separate(KernelGroup &group, unsigned number,
                                ArrayRef<kernel::FuncOp> readers, Type form) {
  unsigned place = group.getFirst().getNumInputs();
  for (kernel::FuncOp func : group.variants) {
    BlockArgument argument = func.getArgument(number);
    Location loc = argument.getLoc();
    if (StringRef name = kernel::getNameOf(loc); !name.empty())
      loc = NameLoc::get(StringAttr::get(func.getContext(), name + suffix));
    (void)func.insertArgument(place, argument.getType(), {}, loc);
    func.setNumInputs(place + 1);
    if (llvm::is_contained(readers, func))
      argument.replaceAllUsesWith(func.getArgument(place));
  }
  for (kernel::LaunchOp launch : group.launches)
    launch->insertOperands(place, copy(launch.getOperand(number), form));
  return place;
}

Value WeightCopies::copy(Value operand, Type form) {
  if (Value known = operands.lookup({operand, form}))
    return known;
  Operation *op = operand.getDefiningOp();
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto *result = builder.clone(*op);
  if (auto view = dyn_cast<kernel::ViewOp>(result)) {
    Value source = copy(view.getSource(), form);
    view.getSourceMutable().assign(source);
  } else {
    auto weight = cast<kernel::WeightOp>(result);
    fuse::WeightOp &data = weights[{weight.getWeightAttr().getAttr(), form}];
    if (auto original = symbols.lookup<fuse::WeightOp>(weight.getWeight());
        original && !data) {
      data = original.clone();
      data.setSymName((original.getSymName() + suffix).str());
      symbols.insert(data, std::next(Block::iterator(original)));
    }
    if (data)
      weight.setWeightAttr(FlatSymbolRefAttr::get(data.getSymNameAttr()));
  }
  return operands[{operand, form}] = result->getResult(0);
}

void setArgumentType(BlockArgument argument, MemRefType type) {
  argument.setType(type);
  auto func = cast<kernel::FuncOp>(argument.getOwner()->getParentOp());
  func.setFunctionType(FunctionType::get(
      func.getContext(), argument.getOwner()->getArgumentTypes(), {}));
}

} // namespace fusec::model
