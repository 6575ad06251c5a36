// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/configs/GroupVariants.h"

#include "dialects/TargetInfo.h"
#include "dialects/kernel/KernelOps.h"
#include "passes/poly/Steps.h"
#include "passes/poly/configs/SerialReason.h"
#include "passes/poly/schedules/Propose.h"
#include "passes/poly/schedules/Proposers.h"

using namespace mlir;
using fusec::sched::ScopOp;

namespace fusec::poly {

bool takesSame(ScopOp a, ScopOp b) {
  return a.getConfigAttr() == b.getConfigAttr() &&
         a.getScheduleAttr() == b.getScheduleAttr();
}

ScopOp cloneBehind(ScopOp scop) {
  OpBuilder builder(scop->getContext());
  builder.setInsertionPointAfter(scop);
  auto clone = cast<ScopOp>(builder.clone(*scop));
  clone->removeAttr(kSingleTileAttr); // which is of another config
  clone->removeAttr(kernel::kSelectedAttr);
  return clone;
}

ScopOp cloneForConfig(ScopOp scop) {
  ScopOp clone = cloneBehind(scop);
  clone.removeConfigAttr();
  return clone;
}

ScopOp makeNaive(ScopOp scop) {
  ScopOp clone = cloneBehind(scop);
  clone.setProposer(StringRef(kProgramOrder));
  clone.removeIsaAttr();
  IslContext context;
  PolyScop poly(context.get(), clone);
  isl::schedule inOrder = proposeNaively(poly);
  clone.setConfigAttr(makeNaiveConfig(poly, inOrder));
  setSchedule(clone, inOrder);
  return clone;
}

/// Adds to the numbers of threads for which `scop` is selected on `isa`.
static void note(ScopOp scop, StringRef isa, int64_t threads) {
  Builder builder(scop->getContext());
  NamedAttrList all(scop->getAttrOfType<DictionaryAttr>(kernel::kSelectedAttr));
  SmallVector<int64_t> numbers;
  if (auto known = dyn_cast_or_null<DenseI64ArrayAttr>(all.get(isa)))
    numbers.append(known.asArrayRef().begin(), known.asArrayRef().end());
  numbers.push_back(threads);
  all.set(isa, builder.getDenseI64ArrayAttr(numbers));
  scop->setAttr(kernel::kSelectedAttr, all.getDictionary(scop->getContext()));
}

/// The fewest threads that `scop` is selected for, on any instruction set.
static int64_t getFewest(ScopOp scop) {
  int64_t fewest = INT64_MAX;
  for (NamedAttribute one :
       scop->getAttrOfType<DictionaryAttr>(kernel::kSelectedAttr))
    for (int64_t threads : cast<DenseI64ArrayAttr>(one.getValue()).asArrayRef())
      fewest = std::min(fewest, threads);
  return fewest;
}

SmallVector<ScopOp> placeSelections(ArrayRef<ScopOp> defaults, ScopOp naive,
                                    ArrayRef<Selection> selections) {
  struct Selected {
    ScopOp scop;
    SmallVector<StringRef> sets;
  };
  SmallVector<Selected> all;
  for (const Selection &selection : selections) {
    if (!selection.scop) {
      note(naive, selection.isa, selection.threads);
      continue;
    }
    const auto *byDefault = llvm::find_if(defaults, [&](ScopOp one) {
      return (!one.getIsa() || *one.getIsa() == selection.isa) &&
             takesSame(one, selection.scop);
    });
    auto *known = llvm::find_if(all, [&](const Selected &one) {
      bool isOfSet = llvm::is_contained(one.sets, selection.isa);
      return takesSame(one.scop, selection.scop) &&
             (isOfSet || getFewest(one.scop) == selection.threads);
    });
    ScopOp place = byDefault != defaults.end() ? *byDefault
                   : known != all.end()        ? known->scop
                                               : selection.scop;
    note(place, selection.isa, selection.threads);
    if (place == selection.scop) {
      all.push_back({place, {selection.isa}});
      continue;
    }
    if (byDefault == defaults.end() &&
        !llvm::is_contained(known->sets, selection.isa))
      known->sets.push_back(selection.isa);
    ScopOp(selection.scop).erase();
  }
  SmallVector<ScopOp> scops;
  for (Selected &one : all) {
    scops.push_back(one.scop);
    if (one.sets.size() == getTargetInfo(one.scop).sets.size()) {
      one.scop.removeIsaAttr();
      continue;
    }
    for (StringRef set : ArrayRef(one.sets).drop_front()) {
      scops.push_back(cloneBehind(one.scop));
      scops.back().setIsa(set);
      scops.back()->setAttr(kernel::kSelectedAttr,
                            one.scop->getAttr(kernel::kSelectedAttr));
    }
  }
  return scops;
}

void nameSelected(ArrayRef<ScopOp> selected) {
  for (ScopOp scop : selected)
    scop.setConfigAttr(scop.getConfigAttr().withName(
        "threads_" + std::to_string(getFewest(scop))));
}

void arrangeVariants(StringAttr group, ArrayRef<ScopOp> variants,
                     SymbolTable &symbols) {
  ScopOp before;
  for (ScopOp scop : variants) {
    std::string name = group.str();
    if (before) {
      scop->moveAfter(before);
      StringRef variant = scop.getConfigAttr().getName();
      if (variant != "default" || !scop.getIsa())
        name += ("_" + variant).str();
      if (scop.getIsa())
        name += ("_" + *scop.getIsa()).str();
    }
    scop.setSymName(name);
    symbols.insert(scop);
    before = scop;
  }
}

} // namespace fusec::poly
