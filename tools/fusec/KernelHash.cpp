// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/KernelHash.h"

#include "passes/lock/GroupKey.h"
#include "passes/lock/Lock.h"
#include "runtime/fast_run/RecordText.h"
#include "tools/fusec/TunedChoices.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace fusec::tool {

/// Leaves `func` the arguments that its body uses, in the order of their first
/// use: variants beside it that want weights stored otherwise have more.
static void keepUsedArguments(kernel::FuncOp func) {
  llvm::SetVector<BlockArgument> used;
  Block &body = func.getBody().front();
  func.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand);
          argument && argument.getOwner() == &body)
        used.insert(argument);
  });
  unsigned before = body.getNumArguments();
  SmallVector<Type> types;
  for (BlockArgument argument : used) {
    types.push_back(argument.getType());
    argument.replaceAllUsesWith(
        body.addArgument(argument.getType(), argument.getLoc()));
  }
  body.eraseArguments(0, before);
  func.setFunctionType(FunctionType::get(func.getContext(), types, {}));
  func.removeArgAttrsAttr();
  func.setNumInputs(0);
  func.setNumOutputs(0);
}

std::string hashKernel(kernel::FuncOp func) {
  OwningOpRef<kernel::FuncOp> copy(func.clone());
  keepUsedArguments(*copy);
  copy->setVariant("");
  copy->removeIsaAttr();
  for (llvm::StringRef name :
       {llvm::StringRef(lock::kKeyAttr), llvm::StringRef(lock::kLockedAttr),
        llvm::StringRef(kernel::kConfigAttr), llvm::StringRef("proposer"),
        llvm::StringRef("schedule")})
    (*copy)->removeAttr(name);
  return fast_run::hash(lock::getStructure(copy->getOperation()));
}

/// The kernel that a session takes of the group with that key, or null.
static kernel::FuncOp findDefault(ModuleOp module, const TunedAnswer &answer) {
  for (auto func : module.getOps<kernel::FuncOp>()) {
    auto key = func->getAttrOfType<StringAttr>(lock::kKeyAttr);
    if (key && key == answer.key &&
        (!func.getIsa() || *func.getIsa() == answer.isa))
      return func;
  }
  return {};
}

void warnOfStale(ModuleOp module, const TunedChoices &choices) {
  for (const TunedAnswer &answer : choices.getAnswers()) {
    if (answer.algorithm.empty())
      continue;
    if (kernel::FuncOp func = findDefault(module, answer);
        func && hashKernel(func) != answer.kernel)
      func.emitWarning() << "group @" << answer.group << ": " << answer.source
                         << " has times of another kernel than this version of "
                            "fusec makes of "
                         << answer.algorithm << "; fusec tune --retune "
                         << answer.key << " measures it again";
  }
}

} // namespace fusec::tool
