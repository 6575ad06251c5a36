// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --model-pack-weights: see passes/model/Passes.td.
#include "dialects/fuse/FuseOps.h"
#include "passes/model/PackNibbles.h"
#include "passes/model/Passes.h"
#include "passes/model/Variants.h"
#include "passes/model/WeightPanels.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/MapVector.h"
#include <deque>

namespace fusec::model {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "passes/model/Passes.h.inc"
} // namespace fusec::model

using namespace mlir;
using namespace fusec;

// Rules are the same on any machine; the order of loads is not.
const Rule model::kPanelsRule = {
    "packing.panels", RuleArea::Layout, /*level=*/3, Bits::Kept,
    "Stores weights in panels, in the order in which kernels load them."};
static constexpr Rule kNibblesRule = {
    "packing.nibbles", RuleArea::Layout, /*level=*/3, Bits::Kept,
    "Stores weights of 4 bits two to a byte."};

void model::listPackingRules(SmallVectorImpl<Rule> &rules) {
  rules.append({model::kPanelsRule, kNibblesRule});
}

namespace {

/// One input of a group: the loads are those of its first variant, which the
/// others follow.
struct Argument {
  model::KernelGroup *group;
  unsigned number;
  model::Loads loads;

  MemRefType getType() const {
    return cast<MemRefType>(group->getFirst().getArgument(number).getType());
  }
  SmallVector<int64_t> getPackedShape() const {
    return model::getPackedShape(getType().getShape(), loads);
  }
  bool isPacked() const {
    return loads.refusal.empty() && !group->launches.empty();
  }
};

struct Weight {
  SmallVector<Argument *> readers;
  std::string refusal;
};

struct PackWeights : fusec::model::impl::PackWeightsBase<PackWeights> {
  using Base::Base;
  void runOnOperation() override;

private:
  LogicalResult packPanels(SymbolTable &symbols);
  LogicalResult collectArguments(SymbolTable &symbols);
  void collectWeights(SymbolTable &symbols);
  void agree();
  /// Gives variants that take a weight in another form than the first one a
  /// copy in that form.
  void separateVariants(SymbolTable &symbols);
  /// Erases the weights that nothing reads any more, such as those that an
  /// earlier pass made others of, and frees their data.
  void eraseUnread(SymbolTable &symbols);
  /// Frees data unless a weight of the module has it.
  void free(DenseResourceElementsHandle data);
  LogicalResult pack(fuse::WeightOp weight, const Argument &reader);

  llvm::MapVector<StringAttr, model::KernelGroup> groups;
  std::deque<Argument> arguments;
  llvm::MapVector<StringAttr, Weight> weights;
};

} // namespace

LogicalResult PackWeights::collectArguments(SymbolTable &symbols) {
  auto collected = model::collectGroups(getOperation(), symbols);
  if (failed(collected))
    return failure();
  groups = std::move(*collected);
  for (auto &[name, group] : groups)
    for (BlockArgument value : group.getFirst().getInputs()) {
      model::Loads loads = model::findLoads(value);
      if (loads.refusal.empty() && !loads.wantsPanels)
        loads.refusal = "no lanes are loaded of it";
      // Of instruction sets, the one with the widest tiles has its columns.
      for (kernel::FuncOp func : group.variants)
        if (func.getVariant() == group.getFirst().getVariant())
          loads.columns = std::max(
              loads.columns,
              model::findLoads(func.getArgument(value.getArgNumber())).columns);
      arguments.push_back({&group, value.getArgNumber(), loads});
    }
  return success();
}

void PackWeights::collectWeights(SymbolTable &symbols) {
  getOperation().walk([&](kernel::WeightOp op) {
    Weight &weight = weights[op.getWeightAttr().getAttr()];
    SmallVector<Operation *> users(op->getUsers());
    while (!users.empty()) {
      Operation *user = users.pop_back_val();
      if (auto view = dyn_cast<kernel::ViewOp>(user);
          view && kernel::getWeight(view.getResult()) == op)
        llvm::append_range(users, view->getUsers());
      else if (auto launch = dyn_cast<kernel::LaunchOp>(user);
               !launch || !symbols.lookup<kernel::FuncOp>(launch.getKernel()))
        weight.refusal =
            ("'" + user->getName().getStringRef() + "' reads it as it is")
                .str();
    }
  });
  for (Argument &argument : arguments)
    for (kernel::LaunchOp launch : argument.group->launches) {
      kernel::WeightOp op =
          kernel::getWeight(launch.getOperand(argument.number));
      if (op)
        weights[op.getWeightAttr().getAttr()].readers.push_back(&argument);
      else if (argument.loads.refusal.empty())
        argument.loads.refusal = "the same kernel reads what is computed there";
    }
}

/// Whether `readers` differ in a `part` of how they load a weight: it is
/// `least` for all of them then.
static bool settle(ArrayRef<Argument *> readers, int64_t model::Loads::*part,
                   int64_t least) {
  auto isAsFirst = [&](const Argument *reader) {
    return reader->loads.*part == readers.front()->loads.*part;
  };
  if (llvm::all_of(readers, isAsFirst))
    return false;
  for (Argument *reader : readers)
    reader->loads.*part = least;
  return true;
}

/// All readers of a weight see it in panels, or none does.
void PackWeights::agree() {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[name, weight] : weights) {
      for (Argument *reader : weight.readers)
        if (weight.refusal.empty()) {
          if (!reader->loads.refusal.empty())
            weight.refusal = reader->loads.refusal;
          else if (reader->getType() != weight.readers.front()->getType())
            weight.refusal = "its readers see it by different shapes";
          changed |= !weight.refusal.empty();
        }
      // Terms lie side by side for all readers, or for none, and so do the
      // columns of tiles.
      changed |= settle(weight.readers, &model::Loads::terms, 1);
      changed |= settle(weight.readers, &model::Loads::columns, kernel::kLanes);
      for (Argument *reader : weight.readers)
        if (!weight.refusal.empty() && reader->loads.refusal.empty()) {
          reader->loads.refusal = ("the same kernel reads @" + name.getValue() +
                                   ", of which " + weight.refusal)
                                      .str();
          changed = true;
        }
    }
  }
}

void PackWeights::separateVariants(SymbolTable &symbols) {
  model::WeightCopies rows(symbols, "_rows"), panels(symbols, "_panels");
  for (size_t i = 0, count = arguments.size(); i < count; ++i) {
    Argument &argument = arguments[i];
    bool isPacked = argument.isPacked();
    SmallVector<kernel::FuncOp> others;
    for (kernel::FuncOp func :
         ArrayRef(argument.group->variants).drop_front()) {
      model::Loads loads = model::findLoads(func.getArgument(argument.number));
      if (isPacked ? !loads.refusal.empty()
                   : loads.refusal.empty() && loads.wantsPanels)
        others.push_back(func);
    }
    if (others.empty() || argument.group->launches.empty() ||
        !argument.group->isWeight(argument.number))
      continue;
    // Of panels there are as many kinds as shapes that a weight is seen by.
    MemRefType type = argument.getType();
    unsigned number =
        isPacked
            ? rows.separate(*argument.group, argument.number, others, {})
            : panels.separate(*argument.group, argument.number, others, type);
    if (isPacked)
      continue;
    Argument &own = arguments.emplace_back(
        Argument{argument.group, number, model::Loads{true}});
    for (kernel::LaunchOp launch : argument.group->launches) {
      kernel::WeightOp op = kernel::getWeight(launch.getOperand(number));
      weights[op.getWeightAttr().getAttr()].readers.push_back(&own);
    }
  }
}

void PackWeights::free(DenseResourceElementsHandle data) {
  auto hasIt = [&](fuse::WeightOp weight) {
    auto value = dyn_cast<DenseResourceElementsAttr>(weight.getValue());
    return value && value.getRawHandle().getResource() == data.getResource();
  };
  if (llvm::none_of(getOperation().getOps<fuse::WeightOp>(), hasIt))
    data.getResource()->setBlob(AsmResourceBlob());
}

void PackWeights::eraseUnread(SymbolTable &symbols) {
  SymbolTableCollection tables;
  SymbolUserMap users(tables, getOperation());
  for (auto weight :
       llvm::make_early_inc_range(getOperation().getOps<fuse::WeightOp>())) {
    if (!users.useEmpty(weight))
      continue;
    auto data = dyn_cast<DenseResourceElementsAttr>(weight.getValue());
    symbols.erase(weight);
    if (data)
      free(data.getRawHandle());
  }
}

/// Packs the data of a weight whose readers all see it as `reader` does; frees
/// it as it was unless another weight has the same.
LogicalResult PackWeights::pack(fuse::WeightOp weight, const Argument &reader) {
  MemRefType rows = reader.getType();
  ArrayRef<char> bytes = weight.getBytes();
  size_t elementBytes = getTypeInfo(rows.getElementType())->storageBytes();
  if (bytes.size() != rows.getNumElements() * elementBytes)
    return weight.emitOpError("has no data: the resource that it names is "
                              "missing from the text; keep it");
  auto type =
      RankedTensorType::get(reader.getPackedShape(), rows.getElementType());
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(
      type.getNumElements() * elementBytes, /*align=*/64);
  MutableArrayRef<char> packed = blob.getMutableData();
  llvm::fill(packed, 0);
  model::packRows(bytes, rows.getShape(), reader.loads, elementBytes, packed);

  auto old = cast<DenseResourceElementsAttr>(weight.getValue()).getRawHandle();
  weight.setValueAttr(DenseResourceElementsAttr::get(type, weight.getSymName(),
                                                     std::move(blob)));
  free(old);
  return success();
}

void PackWeights::runOnOperation() {
  SymbolTable symbols(getOperation());
  eraseUnread(symbols);
  if (!isDisabled(model::kPanelsRule.name, disabled) &&
      failed(packPanels(symbols)))
    return signalPassFailure();
  if (!isDisabled(kNibblesRule.name, disabled) &&
      failed(model::packNibbles(getOperation())))
    signalPassFailure();
}

LogicalResult PackWeights::packPanels(SymbolTable &symbols) {
  if (failed(collectArguments(symbols)))
    return failure();
  collectWeights(symbols);
  agree();
  separateVariants(symbols);
  for (auto &[name, weight] : weights) {
    auto source = symbols.lookup<fuse::WeightOp>(name.getValue());
    if (!source || weight.readers.empty())
      continue;
    if (!weight.refusal.empty()) {
      if (llvm::any_of(weight.readers, [](const Argument *reader) {
            return reader->loads.wantsPanels;
          }))
        source.emitRemark("not packed in panels: ") << weight.refusal;
      continue;
    }
    if (failed(pack(source, *weight.readers.front())))
      return failure();
    ++numPacked;
  }
  // What is packed has no refusal, and neither have its readers.
  SmallVector<Operation *> dead;
  for (Argument &argument : arguments) {
    if (!argument.isPacked())
      continue;
    auto packed = MemRefType::get(argument.getPackedShape(),
                                  argument.getType().getElementType());
    for (kernel::FuncOp func : argument.group->variants)
      model::rewriteLoads(func.getArgument(argument.number), packed,
                          argument.loads);
    for (kernel::LaunchOp launch : argument.group->launches) {
      OpOperand &operand = launch->getOpOperand(argument.number);
      kernel::WeightOp weight = kernel::getWeight(operand.get());
      if (operand.get() != weight.getResult())
        dead.push_back(operand.get().getDefiningOp());
      operand.set(weight.getResult());
      weight.getResult().setType(packed);
    }
  }
  for (Operation *view : llvm::SetVector<Operation *>(dead.begin(), dead.end()))
    view->erase();
  return success();
}
