// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/model/Selections.h"

#include "dialects/library/Declared.h"
#include "passes/graph/Algorithms.h"
#include "passes/lock/Lock.h"
#include "passes/model/Launches.h"

using namespace mlir;

namespace fusec::model {

Decision settle(ArrayRef<Selection> known, unsigned byDefault,
                const TargetInfo &target) {
  auto isAny = [](const Selection &one) { return one.threads == 0; };
  auto any = llvm::make_filter_range(known, isAny);
  if (!any.empty() && llvm::all_of(any, [&](const Selection &one) {
        return one.number == (*any.begin()).number;
      }))
    byDefault = (*any.begin()).number;
  Decision decision{byDefault, ""};
  // The weakest one first, whose default is that of all; each goes before
  // those that are there.
  for (const InstructionSet *set : target.sets) {
    SmallVector<Selection> own;
    unsigned before = byDefault;
    for (const Selection &one : known)
      if (one.isa == set->name && isAny(one))
        before = one.number;
    if (set == target.sets.front())
      decision.number = before;
    else if (before != decision.number || !decision.selections.empty())
      own.push_back({set->name, 0, before});
    for (const Selection &one : known)
      if (one.isa == set->name && !isAny(one) && one.number != before) {
        own.insert(own.begin(), one);
        before = one.number;
      }
    decision.selections.insert(decision.selections.begin(), own.begin(),
                               own.end());
  }
  return decision;
}

ArrayAttr describeSelections(kernel::ChoiceOp choice,
                             const Decision &decision) {
  Builder builder(choice.getContext());
  SmallVector<Attribute> all;
  for (const Selection &one : decision.selections)
    all.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("algorithm", choice.getAlgorithms()[one.number]),
         builder.getNamedAttr("isa", builder.getStringAttr(one.isa)),
         builder.getNamedAttr("threads",
                              builder.getI64IntegerAttr(one.threads))}));
  return builder.getArrayAttr(all);
}

/// Whether a product of lower precision than the model has is taken anywhere.
static bool takesLowerPrecision(kernel::ChoiceOp choice,
                                const Decision &decision) {
  auto isLower = [&](unsigned number) {
    auto name = cast<StringAttr>(choice.getAlgorithms()[number]);
    return fuse::findLowerPrecision(name) != nullptr;
  };
  return isLower(decision.number) ||
         llvm::any_of(decision.selections, [&](const Selection &one) {
           return isLower(one.number);
         });
}

bool callsOperator(Region &alternative) {
  return alternative
      .walk([](kernel::CallOp call) {
        return library::isDeclared(call.getCallee()) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Adds to `record` what users declared of the alternatives.
static void describeOperators(kernel::ChoiceOp choice, NamedAttrList &record) {
  Builder builder(choice.getContext());
  SmallVector<int64_t> bytes;
  SmallVector<StringRef> varying;
  for (auto [number, region] : llvm::enumerate(choice.getAlternatives())) {
    bytes.push_back(getArenaBytes(region));
    if (!choice.isReproducible(number))
      varying.push_back(
          cast<StringAttr>(choice.getAlgorithms()[number]).getValue());
  }
  record.set(kWorkspacesAttr, builder.getDenseI64ArrayAttr(bytes));
  if (!varying.empty())
    record.set(kVaryingAttr, builder.getStrArrayAttr(varying));
}

DictionaryAttr describeTaken(kernel::ChoiceOp choice, const Decision &decision,
                             StringRef key) {
  Builder builder(choice.getContext());
  NamedAttrList record;
  record.set("name", choice.getSymNameAttr());
  record.set(lock::kKeyAttr, builder.getStringAttr(key));
  record.set("algorithm", choice.getAlgorithms()[decision.number]);
  record.set("alternatives", choice.getAlgorithms());
  record.set("reason", builder.getStringAttr(decision.reason));
  if (takesLowerPrecision(choice, decision))
    record.set(kernel::kLowerPrecisionAttr, builder.getUnitAttr());
  if (!decision.selections.empty())
    record.set(kernel::kSelectedAttr, describeSelections(choice, decision));
  if (llvm::any_of(choice.getAlternatives(), callsOperator))
    describeOperators(choice, record);
  return record.getDictionary(choice.getContext());
}

} // namespace fusec::model
