// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products.
#include "compiler/export/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

/// Operands of other types than the result's are converted first. ONNX Runtime
/// has Einsum of f32, f64, i32 and i64.
LogicalResult writeContract(fuse::ContractOp op, Writer &w) {
  constexpr unsigned kLetters = 26;
  SmallVector<AffineMap> maps =
      llvm::to_vector(op.getMaps().getAsValueRange<AffineMapAttr>());
  if (maps[0].getNumDims() > kLetters)
    return w.refuse(op, "sums over more than 26 dimensions, and Einsum has a "
                        "letter for each");
  auto letters = [](AffineMap map) {
    std::string text;
    for (AffineExpr expr : map.getResults())
      text += char('a' + cast<AffineDimExpr>(expr).getPosition());
    return text;
  };
  std::string equation =
      letters(maps[0]) + "," + letters(maps[1]) + "->" + letters(maps[2]);
  Type result = elementOf(op.getResult()), sum = getComputeType(result);
  Writer::Names operands;
  for (Value operand : {op.getLhs(), op.getRhs()}) {
    std::string name = w.name(operand);
    operands.push_back(elementOf(operand) == sum ? name : w.cast(name, sum));
  }
  if (sum == result) {
    w.node("Einsum", operands, op->getResults()).text("equation", equation);
    return success();
  }
  std::string wide =
      w.step("Einsum", operands).text("equation", equation).output();
  w.node("Cast", {wide}, op->getResults()).integer("to", w.codeOf(result));
  return success();
}

/// The bias repeats over the product.
LogicalResult writeGemm(fuse::GemmOp op, Writer &w) {
  Writer::Names operands{w.name(op.getLhs()), w.name(op.getRhs())};
  if (op.getBias())
    operands.push_back(w.repeated(op.getBias()));
  w.node("Gemm", operands, op->getResults())
      .real("alpha", op.getAlpha())
      .real("beta", op.getBeta())
      .flag("transA", op.getTransLhs())
      .flag("transB", op.getTransRhs());
  return success();
}

} // namespace

void registerExportContractions(ExportRegistry &r) {
  r.addPlain<fuse::MatmulOp>("MatMul");
  r.add<fuse::GemmOp>(writeGemm);
  r.add<fuse::ContractOp>(writeContract);
}

} // namespace fusec
