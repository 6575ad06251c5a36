// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --model-insert-fills: see Passes.td.
#include "dialects/TypeInfo.h"
#include "dialects/fuse/FuseOps.h"
#include "dialects/fuse/SwappableWeights.h"
#include "passes/model/Launches.h"
#include "passes/model/Passes.h"
#include "passes/model/Variants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace fusec::model {
#define GEN_PASS_DEF_INSERTFILLS
#include "passes/model/Passes.h.inc"
} // namespace fusec::model

using namespace mlir;
using namespace fusec;

namespace {
struct InsertFills : fusec::model::impl::InsertFillsBase<InsertFills> {
  using Base::Base;
  void runOnOperation() override;

private:
  /// Whether the memory that `use` is may be written by its owner.
  bool isWritten(Value memory);

  /// Fills what a loop that data may end early writes a part at a time.
  void fillStacks(kernel::RepeatOp loop);
  /// Fills instead of launching a kernel that writes the same everywhere.
  void fillOutputs(kernel::LaunchOp launch, SetVector<Operation *> &unused);
  /// Fills what the kernels of a group add to, where it is launched.
  LogicalResult fillSums();
  /// Fills instead of copying what is filled, or a weight of equal elements.
  void fillTarget(kernel::CopyOp copy);
  /// The number that all elements of `memory` are when `reader` reads it, or
  /// null.
  TypedAttr findNumber(Value memory, Operation *reader);
  TypedAttr findNumber(fuse::WeightOp weight);
  bool eraseUnread(Operation *memory);
  kernel::FillOp fill(OpBuilder &builder, Location loc, Value target,
                      TypedAttr value);

  SymbolTable *symbols = nullptr;
};
} // namespace

/// Whether an element lies in memory as its value's bits do.
static bool isPlain(Type type) {
  return type.isInteger(1) ||
         type.getIntOrFloatBitWidth() == getTypeInfo(type)->storageBits;
}

/// `number` of a compute type as an element of `type`, or null if it changes.
static TypedAttr convert(Attribute number, Type type) {
  if (!isPlain(type))
    return {};
  if (auto value = dyn_cast<FloatAttr>(number)) {
    auto to = dyn_cast<FloatType>(type);
    if (!to)
      return {};
    APFloat converted = value.getValue();
    bool isChanged = false;
    converted.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                      &isChanged);
    return isChanged ? TypedAttr() : FloatAttr::get(to, converted);
  }
  auto value = dyn_cast<IntegerAttr>(number);
  auto to = dyn_cast<IntegerType>(type);
  if (!value || !to)
    return {};
  APInt bits = value.getValue(), narrow = bits.sextOrTrunc(to.getWidth());
  APInt back = to.isUnsigned() || to.getWidth() == 1
                   ? narrow.zextOrTrunc(bits.getBitWidth())
                   : narrow.sextOrTrunc(bits.getBitWidth());
  return back == bits ? IntegerAttr::get(to, narrow) : TypedAttr();
}

/// The memory that a view of all of it shows.
static Value skipWholeViews(Value memory) {
  while (auto view = memory.getDefiningOp<kernel::ViewOp>()) {
    if (view.getIndex())
      break;
    memory = view.getSource();
  }
  return memory;
}

bool InsertFills::isWritten(Value memory) {
  return llvm::any_of(memory.getUses(), [&](OpOperand &use) {
    auto view = dyn_cast<kernel::ViewOp>(use.getOwner());
    return view ? isWritten(view) : model::mayWrite(use, *symbols);
  });
}

kernel::FillOp InsertFills::fill(OpBuilder &builder, Location loc, Value target,
                                 TypedAttr value) {
  ++numFills;
  return kernel::FillOp::create(builder, loc, target, value);
}

void InsertFills::fillStacks(kernel::RepeatOp loop) {
  if (!loop.getCount() && !loop.getCondition())
    return;
  SetVector<Value> stacks;
  for (Operation *user : loop.getIndex().getUsers())
    if (auto row = dyn_cast<kernel::ViewOp>(user); row && isWritten(row))
      stacks.insert(row.getSource());
  OpBuilder builder(loop);
  for (Value stack : stacks)
    fill(builder, loop.getLoc(), stack,
         cast<TypedAttr>(builder.getZeroAttr(
             cast<MemRefType>(stack.getType()).getElementType())));
}

/// What the one statement that writes `output` writes, wherever it does: a
/// number, or null with `reason`.
static Attribute findStored(sched::ScopOp scop, BlockArgument output,
                            StringRef &reason) {
  Attribute number;
  for (auto stmt : scop.getBody().getOps<sched::StmtOp>()) {
    for (auto [place, value] : llvm::zip_equal(
             stmt.getWrites(),
             stmt.getBody().front().getTerminator()->getOperands())) {
      if (place != output)
        continue;
      Attribute stored;
      if (!matchPattern(value, m_Constant(&stored))) {
        reason = "what it writes is computed";
        return {};
      }
      if (number && number != stored) {
        reason = "it writes more than one number";
        return {};
      }
      number = stored;
    }
  }
  return number;
}

void InsertFills::fillOutputs(kernel::LaunchOp launch,
                              SetVector<Operation *> &unused) {
  auto scop = dyn_cast<sched::ScopOp>(symbols->lookup(launch.getKernel()));
  if (!scop || scop.getNumInputs())
    return;
  // Outputs are written whole, by the contract of a group.
  SmallVector<TypedAttr> numbers;
  for (BlockArgument output : scop.getOutputs()) {
    StringRef reason = "its elements do not hold the number";
    Attribute stored = findStored(scop, output, reason);
    TypedAttr number;
    if (stored)
      number =
          convert(stored, cast<MemRefType>(output.getType()).getElementType());
    if (!number) {
      if (remarks)
        launch.emitRemark()
            << "@" << launch.getKernel() << " is not a fill: " << reason;
      return;
    }
    numbers.push_back(number);
  }
  OpBuilder builder(launch);
  for (auto [target, number] : llvm::zip_equal(launch.getOperands(), numbers))
    fill(builder, launch.getLoc(), target, number);
  unused.insert(scop);
  launch.erase();
}

TypedAttr InsertFills::findNumber(fuse::WeightOp weight) {
  if (fuse::hasSwappableWeights(weight))
    return {};
  Type type = weight.getTensorType().getElementType();
  ArrayRef<char> bytes = weight.getBytes();
  size_t size = getTypeInfo(type)->storageBytes();
  if (!isPlain(type) || bytes.size() < size ||
      bytes.drop_front(size) != bytes.drop_back(size))
    return {};
  if (type.isInteger(1))
    return BoolAttr::get(type.getContext(), bytes.front());
  auto number = DenseElementsAttr::getFromRawBuffer(
      RankedTensorType::get({}, type), bytes.take_front(size));
  return cast<TypedAttr>(number.getSplatValue<Attribute>());
}

TypedAttr InsertFills::findNumber(Value memory, Operation *reader) {
  memory = skipWholeViews(memory);
  if (auto weight = memory.getDefiningOp<kernel::WeightOp>())
    return findNumber(symbols->lookup<fuse::WeightOp>(weight.getWeight()));
  auto buffer = memory.getDefiningOp<kernel::BufferOp>();
  if (!buffer)
    return {};
  // Filled once, on the way to the reader, and never written again.
  kernel::FillOp only;
  SmallVector<Value> shown = {memory};
  while (!shown.empty())
    for (OpOperand &use : shown.pop_back_val().getUses()) {
      auto view = dyn_cast<kernel::ViewOp>(use.getOwner());
      if (view && !view.getIndex()) {
        shown.push_back(view);
      } else if (auto found = dyn_cast<kernel::FillOp>(use.getOwner());
                 found && !only) {
        only = found;
      } else if (view ? isWritten(view) : model::mayWrite(use, *symbols)) {
        return {};
      }
    }
  if (!only)
    return {};
  Operation *inBlock = only->getBlock()->findAncestorOpInBlock(*reader);
  return inBlock && only->isBeforeInBlock(inBlock) ? only.getValue()
                                                   : TypedAttr();
}

void InsertFills::fillTarget(kernel::CopyOp copy) {
  TypedAttr number = findNumber(copy.getSource(), copy);
  if (!number)
    return;
  OpBuilder builder(copy);
  fill(builder, copy.getLoc(), copy.getTarget(), number);
  copy.erase();
}

/// Erases a buffer or weight if it is filled at most, perhaps through views;
/// whether it did.
bool InsertFills::eraseUnread(Operation *memory) {
  SetVector<Operation *> users;
  users.insert(memory);
  for (size_t i = 0; i < users.size(); ++i)
    for (Operation *user : users[i]->getUsers()) {
      if (!isa<kernel::FillOp, kernel::ViewOp>(user))
        return false;
      users.insert(user);
    }
  for (Operation *user : llvm::reverse(users)) {
    numFills -= isa<kernel::FillOp>(user);
    user->erase();
  }
  return true;
}

LogicalResult InsertFills::fillSums() {
  auto groups = model::collectGroups(getOperation(), *symbols);
  if (failed(groups))
    return failure();
  for (auto &[name, group] : *groups)
    for (BlockArgument output : group.getFirst().getOutputs()) {
      unsigned number = output.getArgNumber();
      if (llvm::none_of(group.variants, [&](kernel::FuncOp variant) {
            return variant.getArgAttr(number, kernel::kZeroedAttr);
          }))
        continue;
      for (kernel::LaunchOp launch : group.launches) {
        OpBuilder builder(launch);
        fill(builder, launch.getLoc(), launch.getOperands()[number],
             cast<TypedAttr>(builder.getZeroAttr(
                 cast<MemRefType>(output.getType()).getElementType())));
      }
    }
  return success();
}

void InsertFills::runOnOperation() {
  ModuleOp module = getOperation();
  SymbolTable table(module);
  symbols = &table;
  if (sums) {
    if (failed(fillSums()))
      signalPassFailure();
    return;
  }
  SmallVector<kernel::LaunchOp> launches;
  SmallVector<kernel::CopyOp> copies;
  SmallVector<kernel::RepeatOp> loops;
  module.walk([&](Operation *op) {
    if (auto launch = dyn_cast<kernel::LaunchOp>(op))
      launches.push_back(launch);
    else if (auto copy = dyn_cast<kernel::CopyOp>(op))
      copies.push_back(copy);
    else if (auto loop = dyn_cast<kernel::RepeatOp>(op))
      loops.push_back(loop);
  });
  for (kernel::LaunchOp launch : launches)
    if (failed(model::findKernel(launch, *symbols)))
      return signalPassFailure();

  for (kernel::RepeatOp loop : loops)
    fillStacks(loop);
  SetVector<Operation *> unused;
  for (kernel::LaunchOp launch : launches)
    fillOutputs(launch, unused);
  for (kernel::CopyOp copy : copies)
    fillTarget(copy);

  SmallVector<kernel::BufferOp> buffers;
  module.walk([&](kernel::BufferOp buffer) { buffers.push_back(buffer); });
  for (kernel::BufferOp buffer : buffers)
    eraseUnread(buffer);
  SmallVector<kernel::WeightOp> weights;
  module.walk([&](kernel::WeightOp weight) { weights.push_back(weight); });
  for (kernel::WeightOp weight : weights) {
    Operation *data = symbols->lookup(weight.getWeight());
    if (eraseUnread(weight))
      unused.insert(data);
  }
  for (Operation *symbol : unused)
    if (SymbolTable::symbolKnownUseEmpty(symbol, module))
      symbols->erase(symbol);
}
