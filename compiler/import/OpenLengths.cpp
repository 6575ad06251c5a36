// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/OpenLengths.h"

#include "compiler/import/Presence.h"

using namespace mlir;

namespace fusec {

/// On the select that leaves a length open: its dimension and the refusal.
constexpr llvm::StringLiteral kLengthAttr = "fuse.open_length";
/// On the select in front of a reduction: the dimensions that this reduces.
constexpr llvm::StringLiteral kFilledAttr = "fuse.filled";

Value leaveLengthOpen(Node &node, Value value, int64_t dim, Value length,
                      const NodeError &refusal) {
  node.leaveOpen();
  Builder &b = node.builder;
  const FlatNode &flat = node.flat();
  Value open = leaveRowsOpen(node, value, dim, length);
  auto text = [&](llvm::StringRef name, llvm::StringRef what) {
    return b.getNamedAttr(name, b.getStringAttr(what));
  };
  llvm::SmallVector<llvm::StringRef> bind(refusal.bind.begin(),
                                          refusal.bind.end());
  open.getDefiningOp()->setAttr(
      kLengthAttr,
      b.getDictionaryAttr(
          {b.getNamedAttr("dim", b.getI64IntegerAttr(dim)),
           text("node", flat.name), text("op", flat.proto->op_type()),
           b.getNamedAttr("opset", b.getI64IntegerAttr(flat.opset())),
           text("reason", refusal.reason), text("hint", refusal.hint),
           b.getNamedAttr("bind", b.getStrArrayAttr(bind))}));
  return open;
}

bool hasOpenLength(Value value) {
  return comesFrom(value,
                   [](Operation *op) { return op->hasAttr(kLengthAttr); });
}

Value fillAbsent(Node &node, Value value, Value presence, double neutral,
                 ArrayRef<int64_t> dims) {
  Value filled = node.select(presence, value, neutral);
  filled.getDefiningOp()->setAttr(kFilledAttr,
                                  node.builder.getDenseI64ArrayAttr(dims));
  return filled;
}

/// The dimension of the one result that dimension `dim` of the operand becomes,
/// row by row, or nothing if the rows do not stay apart.
static std::optional<int64_t> carryDim(OpOperand &use, int64_t dim) {
  Operation *op = use.getOwner();
  if (op->getNumResults() != 1)
    return std::nullopt;
  auto from = fuse::getTensorType(use.get());
  auto to = fuse::getTensorType(op->getResult(0));
  if (isa<fuse::ReshapeOp>(op)) {
    auto countBefore = [](ArrayRef<int64_t> shape) {
      return ShapedType::getNumElements(shape);
    };
    int64_t outer = countBefore(from.getShape().take_front(dim));
    for (int64_t d = 0; d < to.getRank(); ++d)
      if (to.getDimSize(d) == from.getDimSize(dim) &&
          countBefore(to.getShape().take_front(d)) == outer)
        return d;
    return std::nullopt;
  }
  if (auto reduction = dyn_cast<fuse::ReductionOp>(op)) {
    if (llvm::is_contained(reduction.getDims(), dim))
      return std::nullopt;
    return dim;
  }
  auto primitive = dyn_cast<fuse::PrimitiveOpInterface>(op);
  if (!primitive || primitive.hasReduction())
    return std::nullopt;
  AffineMap map = primitive.getOperandMap(use.getOperandNumber());
  auto iterator = dyn_cast<AffineDimExpr>(map.getResult(dim));
  if (!iterator)
    return std::nullopt;
  for (auto [d, expr] : llvm::enumerate(primitive.getResultMap(0).getResults()))
    if (expr == iterator && to.getDimSize(d) == from.getDimSize(dim))
      return int64_t(d);
  return std::nullopt;
}

/// Whether only reductions see that rows of `dim` are not there. `readers` are
/// the operations before these.
static bool isReduced(Value value, int64_t dim,
                      const llvm::DenseSet<Value> &outputs,
                      SmallVectorImpl<Operation *> &readers) {
  llvm::DenseSet<std::pair<Value, int64_t>> seen;
  SmallVector<std::pair<Value, int64_t>> open{{value, dim}};
  while (!open.empty()) {
    auto [next, at] = open.pop_back_val();
    if (outputs.contains(next))
      return false;
    for (OpOperand &use : next.getUses()) {
      Operation *op = use.getOwner();
      auto filled = op->getAttrOfType<DenseI64ArrayAttr>(kFilledAttr);
      if (filled && llvm::is_contained(filled.asArrayRef(), at))
        continue;
      std::optional<int64_t> after = carryDim(use, at);
      if (!after)
        return false;
      readers.push_back(op);
      if (std::pair<Value, int64_t> result{op->getResult(0), *after};
          seen.insert(result).second)
        open.push_back(result);
    }
  }
  return true;
}

std::vector<Problem> closeLengths(ModuleOp module,
                                  const llvm::DenseSet<Value> &outputs) {
  std::vector<Problem> problems;
  SmallVector<Operation *> slices, fills;
  module.walk([&](fuse::SelectOp select) {
    if (select->hasAttr(kLengthAttr))
      slices.push_back(select);
    if (select->hasAttr(kFilledAttr))
      fills.push_back(select);
  });
  for (Operation *op : slices) {
    auto about = op->getAttrOfType<DictionaryAttr>(kLengthAttr);
    auto text = [&](llvm::StringRef name) {
      return about.getAs<StringAttr>(name).str();
    };
    int64_t dim = about.getAs<IntegerAttr>("dim").getInt();
    SmallVector<Operation *> readers{op};
    if (!isReduced(op->getResult(0), dim, outputs, readers)) {
      problems.push_back({ProblemKind::Unsupported, "", text("node"),
                          text("op"), "",
                          about.getAs<IntegerAttr>("opset").getInt(),
                          text("reason"), text("hint")});
      for (StringRef input :
           about.getAs<ArrayAttr>("bind").getAsValueRange<StringAttr>())
        problems.back().bind.push_back(input.str());
    }
    op->removeAttr(kLengthAttr);
    llvm::for_each(readers, forgetPresence);
  }
  for (Operation *op : fills)
    op->removeAttr(kFilledAttr);
  return problems;
}

} // namespace fusec
