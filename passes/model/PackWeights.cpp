// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --model-pack-weights: see passes/model/Passes.td.
#include "dialects/fuse/FuseOps.h"
#include "passes/kernel/IndexRanges.h"
#include "passes/model/PackNibbles.h"
#include "passes/model/Passes.h"
#include "passes/model/Variants.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"
#include <deque>

namespace fusec::model {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "passes/model/Passes.h.inc"
} // namespace fusec::model

using namespace mlir;
using namespace fusec;
using fusec::kernel::kLanes;

namespace {

/// How a kernel loads an argument.
struct Loads {
  /// Loads of lanes go down the rows.
  bool wantsPanels = false;
  /// Why they cannot be of panels; empty if they can.
  std::string refusal = {};
};

/// One input of a group: the loads are those of its first variant, which the
/// others follow.
struct Argument {
  model::KernelGroup *group;
  unsigned number;
  Loads loads;

  MemRefType getType() const {
    return cast<MemRefType>(group->getFirst().getArgument(number).getType());
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
  LogicalResult pack(fuse::WeightOp weight, MemRefType rows);

  llvm::MapVector<StringAttr, model::KernelGroup> groups;
  std::deque<Argument> arguments;
  llvm::MapVector<StringAttr, Weight> weights;
};

} // namespace

/// [rows..., columns] to [panels, rows..., lanes].
static SmallVector<int64_t> getPackedShape(ArrayRef<int64_t> rows) {
  SmallVector<int64_t> shape{int64_t(llvm::divideCeil(rows.back(), kLanes))};
  llvm::append_range(shape, rows.drop_back());
  shape.push_back(kLanes);
  return shape;
}

/// How loops go through the elements of a weight.
enum class Way { along, down, downWhole };

/// Which way the innermost loop that moves the access takes it: along the rows,
/// or down, with one around it to other columns, or without: then rows are
/// loaded whole, or it is the copy for the columns at their ends.
static Way getWay(kernel::LoadOp load, const kernel::AffineForm &form) {
  bool down = false;
  for (auto loop = load->getParentOfType<kernel::ForOp>(); loop;
       loop = loop->getParentOfType<kernel::ForOp>()) {
    auto place = llvm::find(form.operands, loop.getIndex());
    if (loop.getMapping() == kernel::Mapping::unroll ||
        loop.getConstantTripCount() == 1 || place == form.operands.end())
      continue;
    unsigned dim = place - form.operands.begin();
    if (form.exprs.back().isFunctionOfDim(dim))
      return down ? Way::down : Way::along;
    down = true;
  }
  return down ? Way::downWhole : Way::along;
}

static Loads inspect(BlockArgument value) {
  auto type = cast<MemRefType>(value.getType());
  const TypeInfo *info = getTypeInfo(type.getElementType());
  if (type.getRank() < 2 || !type.hasStaticShape() ||
      type.getShape().back() <= kLanes || type.getNumElements() == 0 || !info ||
      info->storageBits % 8 != 0)
    return {false, "it has no rows that are longer than a vector"};
  Loads loads;
  bool isLoadedWhole = false;
  for (Operation *user : value.getUsers()) {
    auto load = dyn_cast<kernel::LoadOp>(user);
    if (!load)
      return {loads.wantsPanels, "a kernel does more than to load it"};
    if (!load.isVector())
      continue;
    kernel::AffineForm form(load.getMap(), load.getIndices());
    form.compose();
    auto ranges = kernel::rangesOf(form.operands);
    if (load.getStride() != 1 ||
        kernel::rangeOf(form.exprs.back(), ranges).divisor % kLanes != 0)
      return {loads.wantsPanels, "lanes are not loaded panel by panel"};
    Way way = getWay(load, form);
    if (way == Way::along)
      return {loads.wantsPanels, "lanes are loaded along its rows"};
    (way == Way::down ? loads.wantsPanels : isLoadedWhole) = true;
  }
  if (isLoadedWhole && !loads.wantsPanels)
    return {false, "rows are loaded whole"};
  return loads;
}

LogicalResult PackWeights::collectArguments(SymbolTable &symbols) {
  auto collected = model::collectGroups(getOperation(), symbols);
  if (failed(collected))
    return failure();
  groups = std::move(*collected);
  for (auto &[name, group] : groups)
    for (BlockArgument value : group.getFirst().getInputs()) {
      Loads loads = inspect(value);
      if (loads.refusal.empty() && !loads.wantsPanels)
        loads.refusal = "no lanes are loaded of it";
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
      Loads loads = inspect(func.getArgument(argument.number));
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
    Argument &own =
        arguments.emplace_back(Argument{argument.group, number, Loads{true}});
    for (kernel::LaunchOp launch : argument.group->launches) {
      kernel::WeightOp op = kernel::getWeight(launch.getOperand(number));
      weights[op.getWeightAttr().getAttr()].readers.push_back(&own);
    }
  }
}

/// Copies `bytes` row by row to panel after panel. Lanes of the last panel that
/// no column fills are left alone.
static void packRows(ArrayRef<char> bytes, int64_t columns, size_t elementBytes,
                     MutableArrayRef<char> packed) {
  size_t rowBytes = columns * elementBytes, panelRow = kLanes * elementBytes;
  size_t rows = bytes.size() / rowBytes;
  for (size_t row = 0; row < rows; ++row)
    for (size_t column = 0; column < rowBytes; column += panelRow)
      std::memcpy(packed.data() + column * rows + row * panelRow,
                  bytes.data() + row * rowBytes + column,
                  std::min(panelRow, rowBytes - column));
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

/// Packs the data of a weight whose readers see it as `rows`; frees it as it
/// was unless another weight has the same.
LogicalResult PackWeights::pack(fuse::WeightOp weight, MemRefType rows) {
  ArrayRef<char> bytes = weight.getBytes();
  size_t elementBytes = getTypeInfo(rows.getElementType())->storageBytes();
  if (bytes.size() != rows.getNumElements() * elementBytes)
    return weight.emitOpError("has no data: the resource that it names is "
                              "missing from the text; keep it");
  auto type = RankedTensorType::get(getPackedShape(rows.getShape()),
                                    rows.getElementType());
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(
      type.getNumElements() * elementBytes, /*align=*/64);
  MutableArrayRef<char> packed = blob.getMutableData();
  llvm::fill(packed, 0);
  packRows(bytes, rows.getShape().back(), elementBytes, packed);

  auto old = cast<DenseResourceElementsAttr>(weight.getValue()).getRawHandle();
  weight.setValueAttr(DenseResourceElementsAttr::get(type, weight.getSymName(),
                                                     std::move(blob)));
  free(old);
  return success();
}

/// Loads of a weight that is in panels now.
static void rewriteLoads(BlockArgument value, MemRefType packed) {
  model::setArgumentType(value, packed);
  for (Operation *user : llvm::to_vector(value.getUsers()))
    kernel::rewriteForms(user, [](kernel::AffineForm &form) {
      form.compose();
      SmallVector<AffineExpr> subscripts{form.exprs.back().floorDiv(kLanes)};
      llvm::append_range(subscripts, ArrayRef(form.exprs).drop_back());
      subscripts.push_back(form.exprs.back() % kLanes);
      auto ranges = kernel::rangesOf(form.operands);
      for (AffineExpr &subscript : subscripts)
        subscript = simplifyInRange(subscript, ranges);
      form.exprs = subscripts;
      form.compose();
    });
}

void PackWeights::runOnOperation() {
  SymbolTable symbols(getOperation());
  if (failed(collectArguments(symbols)))
    return signalPassFailure();
  collectWeights(symbols);
  eraseUnread(symbols);
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
    if (failed(pack(source, weight.readers.front()->getType())))
      return signalPassFailure();
    ++numPacked;
  }
  // What is packed has no refusal, and neither have its readers.
  SmallVector<Operation *> dead;
  for (Argument &argument : arguments) {
    if (!argument.isPacked())
      continue;
    auto packed = MemRefType::get(getPackedShape(argument.getType().getShape()),
                                  argument.getType().getElementType());
    for (kernel::FuncOp func : argument.group->variants)
      rewriteLoads(func.getArgument(argument.number), packed);
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
  if (failed(model::packNibbles(getOperation())))
    signalPassFailure();
}
