// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/StaleKernels.h"

#include "dialects/kernel/KernelOps.h"
#include "passes/lock/Lock.h"
#include "tools/fusec/TunedChoices.h"

using namespace mlir;

namespace fusec::tool {

/// Whether sessions of the threads that `answer` is about take `func`.
static bool isSelected(kernel::FuncOp func, const TunedAnswer &answer) {
  auto selected = func->getAttrOfType<DictionaryAttr>(kernel::kSelectedAttr);
  auto threads =
      selected ? selected.getAs<DenseI64ArrayAttr>(answer.isa) : nullptr;
  return threads && llvm::is_contained(threads.asArrayRef(), answer.threads);
}

/// The kernel that a session takes of the group with that key, or null.
static kernel::FuncOp findDefault(ModuleOp module, const TunedAnswer &answer) {
  for (auto func : module.getOps<kernel::FuncOp>()) {
    auto key = func->getAttrOfType<StringAttr>(lock::kKeyAttr);
    if (key && key == answer.key &&
        (!func.getIsa() || *func.getIsa() == answer.isa) &&
        (!answer.threads || isSelected(func, answer)))
      return func;
  }
  return {};
}

void warnOfStale(ModuleOp module, const TunedChoices &choices) {
  for (const TunedAnswer &answer : choices.getAnswers()) {
    kernel::FuncOp func = findDefault(module, answer);
    // The naive one reads weights as the default beside it wants them, so that
    // it is never what it was where that was another one.
    if (answer.algorithm.empty() || answer.algorithm == "naive" || !func)
      continue;
    auto hash = func->getAttrOfType<StringAttr>(kernel::kHashAttr);
    if (!hash || hash != answer.kernel)
      func.emitWarning() << "group @" << answer.name << ": " << answer.source
                         << " has times of another kernel than this version of "
                            "fusec makes of "
                         << answer.algorithm << "; fusec tune --retune "
                         << answer.key << " measures it again";
  }
}

} // namespace fusec::tool
