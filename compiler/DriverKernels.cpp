// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that have a text and kernels of a library. What the text says fuses
// with its neighbours, which it cannot as an alternative of a choice. So where
// somebody may decide for kernels, the stages run twice: in the first round
// such operators are choices, and in the second what was taken of them.
#include "compiler/Driver.h"

#include "dialects/fuse/FuseOps.h"
#include "dialects/kernel/Choices.h"
#include "dialects/kernel/KernelOps.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace fusec {

/// Whether anybody may take kernels, or is to be told what was taken.
static bool mayTakeKernels(const CompileOptions &options) {
  return options.comparesKernels || !options.choices.empty() ||
         !options.lock.empty() || !options.writeLock.empty() || options.advisor;
}

llvm::StringSet<> listKernelChoices(ModuleOp module) {
  llvm::StringSet<> names;
  module->walk([&](fuse::ChoiceOp choice) {
    auto first = cast<StringAttr>(choice.getAlgorithms()[0]);
    if (first == kBodyAlternative)
      names.insert(choice.getSymName());
  });
  return names;
}

/// The first round.
ExitCode Driver::decideKernels() {
  const ImportOptions &import = options.import;
  if (import.ops.empty() || import.keepBodies || import.offersKernels ||
      !import.decidedKernels.empty() || !mayTakeKernels(options))
    return kExitFine;
  CompileOptions first = options;
  first.import.offersKernels = true;
  first.until = "model-apply-choices";
  first.remarks = Remarks::None;
  first.timing = first.trace = false;
  first.writeLock.clear();
  first.variants = 2; // of a choice the one that is taken
  Driver round(std::move(first));
  ExitCode code = round.import();
  llvm::StringSet<> offers;
  if (code == kExitFine && !round.isText)
    offers = listKernelChoices(round.module());
  if (code == kExitFine && offers.empty())
    return kExitFine; // what there is to say the second round says
  if (code == kExitFine)
    code = round.lower();
  problems.addRemarksOf(round.problems);
  if (code != kExitFine) {
    problems.addAll(round.problems.getProblems());
    return code;
  }
  for (auto func : round.module().getOps<func::FuncOp>())
    if (auto taken = func->getAttrOfType<ArrayAttr>(kChoicesAttr))
      for (auto record : taken.getAsRange<DictionaryAttr>()) {
        const std::string name = record.getAs<StringAttr>("name").str();
        if (!offers.contains(name))
          continue;
        // Where it depends on who runs the program it stays a choice.
        std::string &decided = options.import.decidedKernels[name];
        if (record.contains(kernel::kSelectedAttr))
          continue;
        decided = record.getAs<StringAttr>("algorithm").str();
        llvm::raw_string_ostream(decidedKernels.emplace_back()) << record;
      }
  if (auto key =
          round.module()->getAttrOfType<StringAttr>(kernel::kModelKeyAttr))
    decidedKey = key.str();
  return kExitFine;
}

/// Keeps in the module what was decided, as if the choices had been there.
void Driver::keepDecided() {
  if (decidedKernels.empty())
    return;
  Builder builder(context.get());
  SmallVector<Attribute> records;
  for (const std::string &text : decidedKernels)
    records.push_back(parseAttribute(text, context.get()));
  for (auto func : op->getOps<func::FuncOp>()) {
    func->setAttr(kChoicesAttr, builder.getArrayAttr(records));
    break;
  }
  if (!decidedKey.empty())
    (*op)->setAttr(kernel::kModelKeyAttr, builder.getStringAttr(decidedKey));
}

} // namespace fusec
