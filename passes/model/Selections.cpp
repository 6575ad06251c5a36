// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/model/Selections.h"

#include "passes/graph/Algorithms.h"
#include "passes/lock/Lock.h"

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
  return record.getDictionary(choice.getContext());
}

} // namespace fusec::model
