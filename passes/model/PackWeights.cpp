// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --model-pack-weights: see passes/model/Passes.td.
#include "dialects/fuse/FuseOps.h"
#include "passes/kernel/IndexRanges.h"
#include "passes/model/PackNibbles.h"
#include "passes/model/Passes.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace fusec::model {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "passes/model/Passes.h.inc"
} // namespace fusec::model

using namespace mlir;
using namespace fusec;
using fusec::kernel::kLanes;

namespace {

/// One argument of a group's kernels: each variant has it.
struct Argument {
  SmallVector<BlockArgument> values;
  /// What the launches give for it.
  SmallVector<OpOperand *> operands;
  /// Loads of lanes go down the rows.
  bool wantsPanels = false;
  /// Why it stays as it is; empty if it does not.
  std::string refusal;

  MemRefType getType() const {
    return cast<MemRefType>(values.front().getType());
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
  void collectArguments(SymbolTable &symbols);
  void collectWeights(SymbolTable &symbols);
  void agree();
  /// Erases the weights that nothing reads any more, such as those that an
  /// earlier pass made others of, and frees their data.
  void eraseUnread();
  /// Frees data unless a weight of the module has it.
  void free(DenseResourceElementsHandle data);
  LogicalResult pack(fuse::WeightOp weight, MemRefType rows);

  /// By group and number.
  llvm::MapVector<std::pair<StringRef, unsigned>, Argument> arguments;
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

/// Whether the innermost loop that moves the access takes it down the rows, and
/// one around it to other columns: then rows are not loaded whole.
static bool goesDown(kernel::LoadOp load, const kernel::AffineForm &form) {
  bool down = false;
  for (auto loop = load->getParentOfType<kernel::ForOp>(); loop;
       loop = loop->getParentOfType<kernel::ForOp>()) {
    auto place = llvm::find(form.operands, loop.getIndex());
    if (loop.getMapping() == kernel::Mapping::unroll ||
        place == form.operands.end())
      continue;
    unsigned dim = place - form.operands.begin();
    if (form.exprs.back().isFunctionOfDim(dim))
      return down;
    down = true;
  }
  return false;
}

/// Decides by what the kernels of all variants do with an argument.
static void inspect(Argument &argument) {
  MemRefType type = argument.getType();
  const TypeInfo *info = getTypeInfo(type.getElementType());
  if (type.getRank() < 2 || !type.hasStaticShape() ||
      type.getShape().back() <= kLanes || type.getNumElements() == 0 || !info ||
      info->storageBits % 8 != 0) {
    argument.refusal = "it has no rows that are longer than a vector";
    return;
  }
  for (BlockArgument value : argument.values)
    for (Operation *user : value.getUsers()) {
      auto load = dyn_cast<kernel::LoadOp>(user);
      if (!load) {
        argument.refusal = "a kernel does more than to load it";
        return;
      }
      if (!load.isVector())
        continue;
      kernel::AffineForm form(load.getMap(), load.getIndices());
      form.compose();
      auto ranges = kernel::rangesOf(form.operands);
      if (load.getStride() != 1 ||
          kernel::rangeOf(form.exprs.back(), ranges).divisor % kLanes != 0) {
        argument.refusal = "lanes are not loaded panel by panel";
        return;
      }
      if (!goesDown(load, form)) {
        argument.refusal = "lanes are loaded along its rows, or rows whole";
        return;
      }
      argument.wantsPanels = true;
    }
  if (!argument.wantsPanels)
    argument.refusal = "no lanes are loaded of it";
}

void PackWeights::collectArguments(SymbolTable &symbols) {
  for (auto func : getOperation().getOps<kernel::FuncOp>())
    for (BlockArgument value : func.getInputs())
      arguments[{func.getGroup(), value.getArgNumber()}].values.push_back(
          value);
  getOperation().walk([&](kernel::LaunchOp launch) {
    auto func = symbols.lookup<kernel::FuncOp>(launch.getKernel());
    if (!func)
      return;
    for (OpOperand &operand : launch->getOpOperands())
      if (auto entry =
              arguments.find({func.getGroup(), operand.getOperandNumber()});
          entry != arguments.end())
        entry->second.operands.push_back(&operand);
  });
  for (auto &[key, argument] : arguments)
    inspect(argument);
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
  for (auto &[key, argument] : arguments)
    for (OpOperand *operand : argument.operands) {
      kernel::WeightOp op = kernel::getWeight(operand->get());
      if (op)
        weights[op.getWeightAttr().getAttr()].readers.push_back(&argument);
      else if (argument.refusal.empty())
        argument.refusal = "the same kernel reads what is computed there";
    }
}

/// All readers of a weight see it in panels, or none does.
void PackWeights::agree() {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[name, weight] : weights) {
      for (Argument *reader : weight.readers)
        if (weight.refusal.empty()) {
          if (!reader->refusal.empty())
            weight.refusal = reader->refusal;
          else if (reader->getType() != weight.readers.front()->getType())
            weight.refusal = "its readers see it by different shapes";
          changed |= !weight.refusal.empty();
        }
      for (Argument *reader : weight.readers)
        if (!weight.refusal.empty() && reader->refusal.empty()) {
          reader->refusal = ("the same kernel reads @" + name.getValue() +
                             ", of which " + weight.refusal)
                                .str();
          changed = true;
        }
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

void PackWeights::eraseUnread() {
  SymbolTableCollection tables;
  SymbolUserMap users(tables, getOperation());
  for (auto weight :
       llvm::make_early_inc_range(getOperation().getOps<fuse::WeightOp>())) {
    if (!users.useEmpty(weight))
      continue;
    auto data = dyn_cast<DenseResourceElementsAttr>(weight.getValue());
    weight.erase();
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

/// Loads of an argument that is in panels now.
static void rewriteLoads(Argument &argument, MemRefType packed) {
  for (BlockArgument value : argument.values) {
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
}

void PackWeights::runOnOperation() {
  SymbolTable symbols(getOperation());
  collectArguments(symbols);
  collectWeights(symbols);
  eraseUnread();
  agree();
  for (auto &[name, weight] : weights) {
    auto source = symbols.lookup<fuse::WeightOp>(name.getValue());
    if (!source || weight.readers.empty())
      continue;
    if (!weight.refusal.empty()) {
      if (llvm::any_of(weight.readers, [](const Argument *reader) {
            return reader->wantsPanels;
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
  for (auto &[key, argument] : arguments) {
    if (!argument.refusal.empty() || argument.operands.empty())
      continue;
    auto packed = MemRefType::get(getPackedShape(argument.getType().getShape()),
                                  argument.getType().getElementType());
    rewriteLoads(argument, packed);
    for (OpOperand *operand : argument.operands) {
      kernel::WeightOp weight = kernel::getWeight(operand->get());
      if (operand->get() != weight.getResult())
        dead.push_back(operand->get().getDefiningOp());
      operand->set(weight.getResult());
      weight.getResult().setType(packed);
    }
  }
  for (Operation *view : llvm::SetVector<Operation *>(dead.begin(), dead.end()))
    view->erase();
  model::packNibbles(getOperation());
}
