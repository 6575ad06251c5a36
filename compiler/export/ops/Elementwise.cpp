// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elementwise table. ONNX broadcasts operands itself.
#include "compiler/export/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

/// An operator of the same operands.
template <typename Op> void addSame(ExportRegistry &r, llvm::StringRef type) {
  r.add<Op>([type](Op op, Writer &w) {
    w.node(type, w.repeatedTo(op->getOperands(), shapeOf(op.getResult())),
           op->getResults());
    return success();
  });
}

/// One operator of booleans, and one of integers.
template <typename Op>
void addLogic(ExportRegistry &r, llvm::StringRef logic, llvm::StringRef bits) {
  r.add<Op>([=](Op op, Writer &w) {
    bool isBoolean = elementOf(op.getResult()).isInteger(1);
    w.node(isBoolean ? logic : bits,
           w.repeatedTo(op->getOperands(), shapeOf(op.getResult())),
           op->getResults());
    return success();
  });
}

/// Of booleans and short integers ONNX Runtime has none: they are bytes, or
/// integers of 32 bits, meanwhile.
LogicalResult writeSelect(fuse::SelectOp op, Writer &w) {
  Type element = elementOf(op.getResult());
  Writer::Names operands =
      w.repeatedTo(op->getOperands(), shapeOf(op.getResult()));
  auto integer = dyn_cast<IntegerType>(element);
  bool isByte = integer && integer.isUnsigned() && integer.getWidth() == 8;
  if (!integer || integer.getWidth() >= 32 || isByte || isPartOfByte(element)) {
    w.node("Where", operands, op->getResults());
    return success();
  }
  Type wide = IntegerType::get(op.getContext(), 32);
  for (std::string &operand : llvm::drop_begin(operands))
    operand = w.cast(operand, wide);
  std::string chosen = w.step("Where", operands).output();
  w.node("Cast", {chosen}, op->getResults()).integer("to", w.codeOf(element));
  return success();
}

/// 1 / sqrt x.
LogicalResult writeRsqrt(fuse::RsqrtOp op, Writer &w) {
  std::string root = w.step("Sqrt", {w.name(op.getOperand())}).output();
  w.node("Reciprocal", {root}, op->getResults());
  return success();
}

/// log(1 + x) = x log(u) / (u - 1) with u = 1 + x, or x where u is 1 (W. Kahan;
/// in D. Goldberg, What Every Computer Scientist Should Know About
/// Floating-Point Arithmetic, 1991, theorem 4). An infinity stays.
LogicalResult writeLog1p(fuse::Log1pOp op, Writer &w) {
  Type element = elementOf(op.getResult());
  std::string x = w.name(op.getOperand()), one = w.scalar(1, element);
  std::string u = w.step("Add", {x, one}).output();
  std::string below = w.step("Sub", {u, one}).output();
  std::string log = w.step("Log", {u}).output();
  std::string ratio = w.step("Div", {x, below}).output();
  std::string product = w.step("Mul", {log, ratio}).output();
  std::string isOne = w.step("Equal", {u, one}).output();
  std::string isInfinite =
      w.step("Equal", {u, w.scalar(INFINITY, element)}).output();
  std::string same = w.step("Or", {isOne, isInfinite}).output();
  w.node("Where", {same, x, product}, op->getResults());
  return success();
}

/// exp(x) - 1 = (u - 1) x / log(u) with u = exp(x), x where u is 1, and u - 1
/// where that is -1 or infinite (W. Kahan; in N. Higham, Accuracy and Stability
/// of Numerical Algorithms, 2002, section 1.14.1).
LogicalResult writeExpm1(fuse::Expm1Op op, Writer &w) {
  Type element = elementOf(op.getResult());
  std::string x = w.name(op.getOperand()), one = w.scalar(1, element);
  std::string u = w.step("Exp", {x}).output();
  std::string below = w.step("Sub", {u, one}).output();
  std::string log = w.step("Log", {u}).output();
  std::string ratio = w.step("Div", {x, log}).output();
  std::string product = w.step("Mul", {below, ratio}).output();
  std::string isEnd =
      w.step("Or",
             {w.step("Equal", {below, w.scalar(-1, element)}).output(),
              w.step("Equal", {below, w.scalar(INFINITY, element)}).output()})
          .output();
  std::string inner = w.step("Where", {isEnd, below, product}).output();
  std::string isOne = w.step("Equal", {u, one}).output();
  w.node("Where", {isOne, x, inner}, op->getResults());
  return success();
}

LogicalResult writeFmod(fuse::FmodOp op, Writer &w) {
  w.node("Mod", w.repeatedTo(op->getOperands(), shapeOf(op.getResult())),
         op->getResults())
      .integer("fmod", 1);
  return success();
}

/// ONNX has it for integers. Of floats it is C's remainder, and the divisor
/// more where that has the other sign.
LogicalResult writeMod(fuse::ModOp op, Writer &w) {
  Type element = elementOf(op.getResult());
  Writer::Names operands =
      w.repeatedTo(op->getOperands(), shapeOf(op.getResult()));
  if (!isa<FloatType>(element)) {
    w.node("Mod", operands, op->getResults());
    return success();
  }
  std::string zero = w.scalar(0, element);
  std::string rest = w.step("Mod", operands).integer("fmod", 1).output();
  std::string isNegative = w.step("Less", {rest, zero}).output();
  std::string isBelow = w.step("Less", {operands[1], zero}).output();
  std::string differs = w.step("Xor", {isNegative, isBelow}).output();
  std::string isZero = w.step("Equal", {rest, zero}).output();
  std::string moved = w.step("Add", {rest, operands[1]}).output();
  std::string other = w.step("Where", {differs, moved, rest}).output();
  w.node("Where", {isZero, rest, other}, op->getResults());
  return success();
}

template <typename Op>
LogicalResult writeShift(Op op, Writer &w, llvm::StringRef direction) {
  w.node("BitShift", w.repeatedTo(op->getOperands(), shapeOf(op.getResult())),
         op->getResults())
      .text("direction", direction);
  return success();
}

/// Booleans have no order in ONNX; as numbers they have.
LogicalResult writeCmp(fuse::CmpOp op, Writer &w) {
  using fuse::CmpPredicate;
  Writer::Names operands =
      w.repeatedTo(op->getOperands(), shapeOf(op.getResult()));
  CmpPredicate predicate = op.getPredicate();
  if (predicate == CmpPredicate::ne) {
    w.node("Not", {w.step("Equal", operands).output()}, op->getResults());
    return success();
  }
  if (predicate != CmpPredicate::eq && elementOf(op.getLhs()).isInteger(1))
    for (std::string &operand : operands)
      operand = w.cast(operand, IntegerType::get(op.getContext(), 32));
  llvm::StringRef type = predicate == CmpPredicate::eq   ? "Equal"
                         : predicate == CmpPredicate::lt ? "Less"
                         : predicate == CmpPredicate::le ? "LessOrEqual"
                         : predicate == CmpPredicate::gt ? "Greater"
                                                         : "GreaterOrEqual";
  w.node(type, operands, op->getResults());
  return success();
}

/// What is too large for a type of 8 bits becomes an infinity or NaN, and
/// powers of two round to the nearest.
LogicalResult writeCast(fuse::CastOp op, Writer &w) {
  Type to = elementOf(op.getResult());
  NodeHandle node = w.node("Cast", {w.name(op.getOperand())}, op->getResults());
  node.integer("to", w.codeOf(to));
  if (isa<Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type,
          Float8E5M2FNUZType, Float8E8M0FNUType>(to))
    node.integer("saturate", 0);
  if (isa<Float8E8M0FNUType>(to))
    node.text("round_mode", "nearest");
  return success();
}

LogicalResult writeBitcast(fuse::BitcastOp op, Writer &w) {
  constexpr int64_t kSince = 26;
  if (w.opset() < kSince)
    return failure();
  w.node("BitCast", {w.name(op.getOperand())}, op->getResults())
      .integer("to", w.codeOf(elementOf(op.getResult())));
  return success();
}

/// Indices that are negative are those of entries from the end on in ONNX, too.
LogicalResult writeLookUp(fuse::LookUpOp op, Writer &w) {
  SmallVector<int64_t> table(op.getTable().begin(), op.getTable().end());
  std::string codes =
      w.cast(w.name(op.getOperand()), Builder(op->getContext()).getI64Type());
  std::string entries = w.step("Gather", {w.integers(table), codes}).output();
  w.node("Cast", {entries}, op->getResults())
      .integer("to", w.codeOf(elementOf(op.getResult())));
  return success();
}

} // namespace

void registerExportElementwise(ExportRegistry &r) {
  addSame<fuse::AbsOp>(r, "Abs");
  addSame<fuse::AcosOp>(r, "Acos");
  addSame<fuse::AcoshOp>(r, "Acosh");
  addSame<fuse::AsinOp>(r, "Asin");
  addSame<fuse::AsinhOp>(r, "Asinh");
  addSame<fuse::AtanOp>(r, "Atan");
  addSame<fuse::AtanhOp>(r, "Atanh");
  addSame<fuse::CeilOp>(r, "Ceil");
  addSame<fuse::CosOp>(r, "Cos");
  addSame<fuse::CoshOp>(r, "Cosh");
  addSame<fuse::ErfOp>(r, "Erf");
  addSame<fuse::ExpOp>(r, "Exp");
  addSame<fuse::FloorOp>(r, "Floor");
  addSame<fuse::LogOp>(r, "Log");
  addSame<fuse::NegOp>(r, "Neg");
  addSame<fuse::RoundOp>(r, "Round");
  addSame<fuse::SignOp>(r, "Sign");
  addSame<fuse::SinOp>(r, "Sin");
  addSame<fuse::SinhOp>(r, "Sinh");
  addSame<fuse::SqrtOp>(r, "Sqrt");
  addSame<fuse::TanOp>(r, "Tan");
  addSame<fuse::TanhOp>(r, "Tanh");
  addSame<fuse::AddOp>(r, "Add");
  addSame<fuse::SubOp>(r, "Sub");
  addSame<fuse::MulOp>(r, "Mul");
  addSame<fuse::DivOp>(r, "Div");
  addSame<fuse::PowOp>(r, "Pow");
  addSame<fuse::MaximumOp>(r, "Max");
  addSame<fuse::MinimumOp>(r, "Min");
  r.add<fuse::SelectOp>(writeSelect);
  addLogic<fuse::AndOp>(r, "And", "BitwiseAnd");
  addLogic<fuse::OrOp>(r, "Or", "BitwiseOr");
  addLogic<fuse::XorOp>(r, "Xor", "BitwiseXor");
  addLogic<fuse::NotOp>(r, "Not", "BitwiseNot");
  r.add<fuse::RsqrtOp>(writeRsqrt);
  r.add<fuse::Log1pOp>(writeLog1p);
  r.add<fuse::Expm1Op>(writeExpm1);
  r.add<fuse::FmodOp>(writeFmod);
  r.add<fuse::ModOp>(writeMod);
  r.add<fuse::ShlOp>(
      [](fuse::ShlOp op, Writer &w) { return writeShift(op, w, "LEFT"); });
  r.add<fuse::ShrOp>(
      [](fuse::ShrOp op, Writer &w) { return writeShift(op, w, "RIGHT"); });
  r.add<fuse::CmpOp>(writeCmp);
  r.add<fuse::CastOp>(writeCast);
  r.add<fuse::BitcastOp>(writeBitcast);
  r.add<fuse::LookUpOp>(writeLookUp);
}

} // namespace fusec
