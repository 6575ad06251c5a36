// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of 4 bits, two to a byte. Behind the panels of --model-pack-weights,
// which have lanes begin at whole groups.
#include "passes/model/PackNibbles.h"

#include "dialects/fuse/FuseOps.h"
#include "dialects/kernel/Nibbles.h"
#include "passes/kernel/IndexRanges.h"
#include "passes/model/Variants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusec;
using fusec::kernel::kLanes;

/// Whether lanes of an access begin at whole groups of lanes, whatever the
/// run-time values are that its symbols stand for.
static bool beginsGroup(AffineMap map, ValueRange indices, MemRefType type) {
  kernel::AffineForm form(map, indices);
  form.compose();
  MLIRContext *context = type.getContext();
  AffineExpr place = form.linearize(type.getShape());
  for (unsigned symbol = 0; symbol < form.numSymbols; ++symbol) {
    AffineExpr rest = place.replace(getAffineSymbolExpr(symbol, context),
                                    getAffineConstantExpr(0, context));
    AffineExpr part =
        simplifyAffineExpr(place - rest, form.operands.size(), form.numSymbols);
    if (!part.isMultipleOf(kLanes))
      return false;
    place = rest;
  }
  auto ranges = kernel::rangesOf(form.operands);
  return kernel::rangeOf(place, ranges).divisor % kLanes == 0;
}

/// Of terms that lie side by side, the first one's lanes begin at whole groups.
static bool beginsGroup(kernel::LoadOp load, MemRefType type) {
  if (!load.isVector())
    return true;
  if (kernel::isReadWithOthers(load)) {
    auto terms = cast<kernel::TermsOp>(*load->user_begin());
    if (terms.getTerms().size() != 4)
      return false;
    load = terms.getTerms().front().getDefiningOp<kernel::LoadOp>();
  } else if (load.getStride() != 1) {
    return false;
  }
  return beginsGroup(load.getMap(), load.getIndices(), type);
}

/// Of lanes that lie anywhere each is read by itself.
static bool beginsGroup(kernel::GatherOp gather, MemRefType type) {
  bool isInLanes = llvm::any_of(gather.getDynamic(), [](Value value) {
    return isa<VectorType>(value.getType());
  });
  return !isa<VectorType>(gather.getType()) || isInLanes ||
         beginsGroup(gather.getMap(), gather.getIndices(), type);
}

/// Whether all that a kernel does with `value` can be done two to a byte.
static bool takesNibbles(BlockArgument value) {
  auto type = cast<MemRefType>(value.getType());
  if (!isPartOfByte(type) || type.getElementTypeBitWidth() != 4 ||
      !type.hasStaticShape())
    return false;
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (auto gather = dyn_cast<kernel::GatherOp>(user))
      return beginsGroup(gather, type);
    auto load = dyn_cast<kernel::LoadOp>(user);
    return load && beginsGroup(load, type);
  });
}

/// `bytes`, one element each.
static void pairUp(ArrayRef<char> bytes, MutableArrayRef<char> nibbles) {
  constexpr size_t kGroup = kLanes / 2, kWord = kGroup / 2;
  auto at = [&](size_t place) {
    return place < bytes.size() ? unsigned(bytes[place]) & 15u : 0u;
  };
  for (auto [number, byte] : llvm::enumerate(nibbles)) {
    const size_t place = number % kGroup, low = number / kGroup * kLanes +
                                                place % kWord * 4 +
                                                place / kWord;
    byte = char(at(low) | at(low + 2) << 4);
  }
}

namespace {
/// An input of a group, and what launches give for it.
struct Parameter {
  model::KernelGroup *group;
  unsigned number;
  SmallVector<kernel::WeightOp> weights;
  /// Whether the first variant that reads it does.
  bool takesNibbles;
};
} // namespace

/// Whether only launches read `value`, which is a weight or a view of one.
static bool isForKernels(Value value) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    auto view = dyn_cast<kernel::ViewOp>(user);
    return isa<kernel::LaunchOp>(user) ||
           (view && !view.getIndex() && isForKernels(view.getResult()));
  });
}

static kernel::FuncOp getFirstReader(model::KernelGroup &group,
                                     unsigned number) {
  for (kernel::FuncOp func : group.variants)
    if (!func.getArgument(number).use_empty())
      return func;
  return group.getFirst();
}

/// The inputs that are weights wherever their groups are launched.
static std::vector<Parameter>
collectParameters(llvm::MapVector<StringAttr, model::KernelGroup> &groups) {
  std::vector<Parameter> parameters;
  for (auto &[name, group] : groups)
    for (unsigned number = 0; number < group.getFirst().getNumInputs();
         ++number) {
      BlockArgument value = getFirstReader(group, number).getArgument(number);
      Parameter parameter = {
          &group, number, {}, group.isWeight(number) && takesNibbles(value)};
      for (kernel::LaunchOp launch : group.launches)
        if (auto weight = kernel::getWeight(launch.getOperand(number)))
          parameter.weights.push_back(weight);
      if (!parameter.weights.empty())
        parameters.push_back(std::move(parameter));
    }
  return parameters;
}

/// Gives variants that cannot take nibbles, where the first one does, copies of
/// bytes.
static void separateVariants(std::vector<Parameter> &parameters,
                             SymbolTable &symbols) {
  model::WeightCopies bytes(symbols, "_bytes");
  for (Parameter &parameter : parameters) {
    SmallVector<kernel::FuncOp> others;
    for (kernel::FuncOp func : parameter.group->variants)
      if (parameter.takesNibbles &&
          !takesNibbles(func.getArgument(parameter.number)))
        others.push_back(func);
    if (!others.empty())
      bytes.separate(*parameter.group, parameter.number, others, {});
  }
}

/// Replaces the data of `weight`, one byte for each element.
static void pack(fuse::WeightOp weight) {
  ArrayRef<char> bytes = weight.getBytes();
  auto type = RankedTensorType::get(
      {int64_t(llvm::divideCeil(bytes.size(), kLanes) * kLanes / 2)},
      IntegerType::get(weight.getContext(), 8, IntegerType::Unsigned));
  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocate(type.getNumElements(), /*align=*/64);
  pairUp(bytes, blob.getMutableData());
  weight.setValueAttr(DenseResourceElementsAttr::get(type, weight.getSymName(),
                                                     std::move(blob)));
}

/// Has loads of lanes from `value` give floats where nothing reads them but
/// conversions to these.
static void loadAsFloats(BlockArgument value) {
  auto isConversion = [](Operation *user) {
    return isa<arith::SIToFPOp>(user) &&
           getElementTypeOrSelf(user->getResult(0)).isF32();
  };
  for (Operation *user : value.getUsers()) {
    auto load = dyn_cast<kernel::LoadOp>(user);
    if (!load || !load.isVector() || load.getFillAttr() ||
        !llvm::all_of(load->getUsers(), isConversion))
      continue;
    for (Operation *conversion : llvm::make_early_inc_range(load->getUsers())) {
      load.getResult().setType(conversion->getResult(0).getType());
      conversion->replaceAllUsesWith(load->getResults());
      conversion->erase();
    }
  }
}

LogicalResult fusec::model::packNibbles(ModuleOp module) {
  SymbolTable symbols(module);
  auto groups = collectGroups(module, symbols);
  if (failed(groups))
    return failure();
  std::vector<Parameter> parameters = collectParameters(*groups);
  llvm::DenseSet<StringRef> plain;
  auto nameOf = [](kernel::WeightOp op) { return op.getWeight(); };
  llvm::MapVector<StringRef, SmallVector<kernel::WeightOp>> uses;
  module.walk([&](kernel::WeightOp op) {
    uses[nameOf(op)].push_back(op);
    auto weight = symbols.lookup<fuse::WeightOp>(nameOf(op));
    if (!weight || !isPartOfByte(op.getType()) ||
        int64_t(weight.getBytes().size()) !=
            cast<MemRefType>(op.getType()).getNumElements() ||
        !isForKernels(op.getResult()))
      plain.insert(nameOf(op));
  });
  // All readers of a weight agree, and so do all weights of a reader.
  for (bool changed = true; changed;) {
    changed = false;
    for (Parameter &parameter : parameters) {
      auto isPlain = [&](kernel::WeightOp op) {
        return plain.contains(nameOf(op));
      };
      parameter.takesNibbles &= llvm::none_of(parameter.weights, isPlain);
      if (!parameter.takesNibbles)
        for (kernel::WeightOp op : parameter.weights)
          changed |= plain.insert(nameOf(op)).second;
    }
  }
  separateVariants(parameters, symbols);
  for (auto &[name, ops] : uses) {
    if (plain.contains(name))
      continue;
    pack(symbols.lookup<fuse::WeightOp>(name));
    for (kernel::WeightOp op : ops) {
      auto retype = [](Value value) {
        value.setType(kernel::asNibbles(cast<MemRefType>(value.getType())));
      };
      retype(op.getResult());
      for (Operation *user : op->getUsers())
        if (auto view = dyn_cast<kernel::ViewOp>(user))
          retype(view.getResult());
    }
  }
  for (Parameter &parameter : parameters)
    if (parameter.takesNibbles)
      for (kernel::FuncOp func : parameter.group->variants) {
        BlockArgument value = func.getArgument(parameter.number);
        setArgumentType(value,
                        kernel::asNibbles(cast<MemRefType>(value.getType())));
        loadAsFloats(value);
      }
  return success();
}
