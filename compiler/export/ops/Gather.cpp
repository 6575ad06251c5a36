// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements at positions that tensors hold.
#include "compiler/export/Registry.h"

#include "mlir/IR/AffineExpr.h"

using namespace mlir;

namespace fusec {
namespace {

/// Writes affine expressions of the points of a gather's result as tensors of
/// i64 that broadcast to it.
class Subscripts {
public:
  Subscripts(fuse::GatherOp op, Writer &w)
      : op(op), w(w), shape(shapeOf(op.getResult())),
        i64(IntegerType::get(op.getContext(), 64)) {}

  std::string write(AffineExpr expr);

private:
  std::string writeSymbol(unsigned number);
  fuse::GatherOp op;
  Writer &w;
  ArrayRef<int64_t> shape;
  Type i64;
  std::map<unsigned, std::string> symbols;
};

/// The elements of index tensor `number`, each where the result needs it.
std::string Subscripts::writeSymbol(unsigned number) {
  auto [found, isNew] = symbols.try_emplace(number);
  if (!isNew)
    return found->second;
  Value indices = op.getIndices()[number];
  AffineMap map = cast<AffineMapAttr>(op.getMaps()[1 + number]).getValue();
  std::string values = w.name(indices);
  if (elementOf(indices) != i64)
    values = w.cast(values, i64);
  // A scalar, or the result's own dimensions in order: it broadcasts.
  bool isProjection = map.isProjectedPermutation();
  int64_t last = -1;
  SmallVector<int64_t> laid(shape.size(), 1);
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    isProjection &= dim && int64_t(dim.getPosition()) > last;
    if (!isProjection)
      break;
    last = dim.getPosition();
    laid[last] = shape[last];
  }
  if (isProjection) {
    values = w.reshape(values, laid);
  } else {
    Writer::Names subscripts;
    for (AffineExpr expr : map.getResults())
      subscripts.push_back(
          w.reshape(w.expand(write(expr), shape),
                    llvm::to_vector(llvm::concat<const int64_t>(
                        shape, ArrayRef<int64_t>{1}))));
    std::string all = w.step("Concat", subscripts).integer("axis", -1).output();
    values = w.step("GatherND", {values, all}).output();
  }
  return symbols[number] = values;
}

std::string Subscripts::write(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return w.integer(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return writeSymbol(symbol.getPosition());
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    SmallVector<int64_t> laid(shape.size() - dim.getPosition(), 1);
    laid[0] = shape[dim.getPosition()];
    return w.numbers(laid, i64);
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::string lhs = write(binary.getLHS()), rhs = write(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return w.step("Add", {lhs, rhs}).output();
  case AffineExprKind::Mul:
    return w.step("Mul", {lhs, rhs}).output();
  case AffineExprKind::Mod:
    return w.step("Mod", {lhs, rhs}).output();
  default: {
    // Rounds down, or up, where ONNX cuts off: (x - x mod d) / d.
    if (expr.getKind() == AffineExprKind::CeilDiv) {
      std::string below = w.step("Sub", {rhs, w.integer(1)}).output();
      lhs = w.step("Add", {lhs, below}).output();
    }
    std::string rest = w.step("Mod", {lhs, rhs}).output();
    std::string whole = w.step("Sub", {lhs, rest}).output();
    return w.step("Div", {whole, rhs}).output();
  }
  }
}

LogicalResult writeGather(fuse::GatherOp op, Writer &w) {
  Type i64 = IntegerType::get(op.getContext(), 64);
  if (std::optional<int64_t> axis = op.getAxis()) {
    Value indices = op.getIndices()[0];
    std::string values = w.name(indices);
    if (!elementOf(indices).isInteger(32) && !elementOf(indices).isInteger(64))
      values = w.cast(values, i64);
    w.node("Gather", {w.name(op.getOperand()), values}, op->getResults())
        .integer("axis", *axis);
    return success();
  }
  Subscripts subscripts(op, w);
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  SmallVector<int64_t> single(shape);
  single.push_back(1);
  Writer::Names all;
  for (AffineExpr expr :
       cast<AffineMapAttr>(op.getMaps()[0]).getValue().getResults())
    all.push_back(w.reshape(w.expand(subscripts.write(expr), shape), single));
  std::string points = w.step("Concat", all).integer("axis", -1).output();
  w.node("GatherND", {w.name(op.getOperand()), points}, op->getResults());
  return success();
}

} // namespace

void registerExportGather(ExportRegistry &r) {
  r.add<fuse::GatherOp>(writeGather);
}

} // namespace fusec
