// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic, comparison and logic, with NumPy's broadcasting.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using fusec::fuse::CmpPredicate;

namespace fusec {
namespace {

//===- Unary --------------------------------------------------------------===//

template <typename Op> void convertUnary(Node &node) {
  node.requireInputs(1, 1);
  node.ignoreAttributes({"consumed_inputs"});
  node.setOutput(0, node.make<Op>(node.type(0), node.input(0)));
}

template <typename Op> void convertFloatUnary(Node &node) {
  node.requireInputs(1, 1);
  node.requireFloat(0);
  convertUnary<Op>(node);
}

void convertNot(Node &node) {
  node.requireInputs(1, 1);
  if (!node.elementType(0).isInteger(1))
    node.invalid("needs booleans, has " + typeText(node.elementType(0)));
  convertUnary<fuse::NotOp>(node);
}

void convertBitwiseNot(Node &node) {
  node.requireInputs(1, 1);
  if (isa<FloatType>(node.elementType(0)))
    node.invalid("needs integers, has " + typeText(node.elementType(0)));
  convertUnary<fuse::NotOp>(node);
}

//===- Binary -------------------------------------------------------------===//

/// Both operands, repeated to the common shape.
std::pair<Value, Value> broadcastPair(Node &node, unsigned a = 0,
                                      unsigned b = 1) {
  auto shape = node.broadcastShape({node.shape(a), node.shape(b)});
  return {node.broadcast(node.input(a), shape),
          node.broadcast(node.input(b), shape)};
}

/// Before opset 7 the second operand was repeated on demand only, its
/// dimensions laid from `axis` on (by default at the end).
std::pair<Value, Value> broadcastLegacy(Node &node) {
  node.ignoreAttributes({"consumed_inputs"});
  bool enabled = node.flag("broadcast");
  ArrayRef<int64_t> to = node.shape(0), from = node.shape(1);
  int64_t axis =
      node.intAttribute("axis", int64_t(to.size()) - int64_t(from.size()));
  if (axis < 0)
    axis += to.size();
  if (from == to)
    return {node.input(0), node.input(1)};
  if (!enabled)
    node.invalid("has operands of the shapes " + shapeText(to) + " and " +
                 shapeText(from) + " without broadcast=1");
  if (axis < 0 || axis + from.size() > to.size())
    node.invalid("cannot lay " + shapeText(from) + " into " + shapeText(to) +
                 " from axis " + llvm::Twine(axis));
  SmallVector<int64_t> padded(to.size(), 1);
  llvm::copy(from, padded.begin() + axis);
  if (node.broadcastShape({to, padded}) != to)
    node.invalid("cannot broadcast " + shapeText(from) + " to " +
                 shapeText(to));
  return {node.input(0),
          node.broadcast(node.reshape(node.input(1), padded), to)};
}

std::pair<Value, Value> binaryOperands(Node &node) {
  node.requireInputs(2, 2);
  node.requireSameElementType(0, 1);
  return node.opset() < 7 ? broadcastLegacy(node) : broadcastPair(node);
}

template <typename Op> void convertBinary(Node &node) {
  auto [lhs, rhs] = binaryOperands(node);
  node.setOutput(0, node.make<Op>(lhs.getType(), lhs, rhs));
}

template <typename Op> void convertArithmetic(Node &node) {
  node.requireInputs(2, 2);
  if (node.elementType(0).isInteger(1))
    node.invalid("needs numbers, has booleans");
  convertBinary<Op>(node);
}

template <typename Op, bool Booleans> void convertLogic(Node &node) {
  node.requireInputs(2, 2);
  if (node.elementType(0).isInteger(1) != Booleans ||
      isa<FloatType>(node.elementType(0)))
    node.invalid((Booleans ? "needs booleans, has " : "needs integers, has ") +
                 typeText(node.elementType(0)));
  convertBinary<Op>(node);
}

template <CmpPredicate Predicate> void convertComparison(Node &node) {
  auto [lhs, rhs] = binaryOperands(node);
  node.setOutput(0, node.compare(Predicate, lhs, rhs));
}

/// From opset 12 on the exponent may have a type of its own; the result has
/// the base's.
void convertPow(Node &node) {
  node.requireInputs(2, 2);
  if (node.opset() < 7 || node.elementType(0) == node.elementType(1))
    return convertArithmetic<fuse::PowOp>(node);
  auto [base, exponent] = broadcastPair(node);
  // An integer's power by a float is computed in f64, by an integer in the
  // base's type; a float's where the exponent is not rounded to 16 bits.
  Type result = node.elementType(0);
  bool isReal = isa<FloatType>(node.elementType(1));
  Type compute = isa<FloatType>(result) ? getComputeType(result)
                 : isReal               ? Type(node.builder.getF64Type())
                                        : result;
  base = node.cast(base, compute);
  exponent = node.cast(exponent, compute);
  Value power = node.binary<fuse::PowOp>(base, exponent);
  node.setOutput(0, node.cast(power, result));
}

/// Shifts; the direction is an attribute. Signed integers came with opset 28:
/// their bits are shifted as unsigned ones, where a negative distance is a huge
/// one, and to the right the sign moves in. x >> y = ~(~x >> y), so that
/// negative x are shifted as what is not.
void convertBitShift(Node &node) {
  node.requireInputs(2, 2);
  std::string direction = node.stringAttribute("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    node.invalid("has the unknown direction '" + direction + "'");
  bool left = direction == "LEFT";
  Type element = node.elementType(0);
  bool isInteger = !isa<FloatType>(element) && !element.isInteger(1);
  if (!isInteger || (!element.isUnsignedInteger() && node.opset() < 28))
    node.invalid("needs unsigned integers, has " + typeText(element));
  if (element.isUnsignedInteger())
    return left ? convertBinary<fuse::ShlOp>(node)
                : convertBinary<fuse::ShrOp>(node);
  auto [lhs, rhs] = binaryOperands(node);
  Type bits =
      IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth(),
                       IntegerType::Unsigned);
  Value distance = node.cast(rhs, bits);
  if (left) {
    Value shifted = node.binary<fuse::ShlOp>(node.cast(lhs, bits), distance);
    return node.setOutput(0, node.cast(shifted, element));
  }
  Value negative = node.compare(CmpPredicate::lt, lhs, 0);
  auto flipIfNegative = [&](Value value) {
    Value flipped = node.unary<fuse::NotOp>(value);
    return node.select(negative, flipped, value);
  };
  Value shifted =
      node.binary<fuse::ShrOp>(node.cast(flipIfNegative(lhs), bits), distance);
  node.setOutput(0, flipIfNegative(node.cast(shifted, element)));
}

void convertMod(Node &node) {
  bool fmod = node.flag("fmod");
  if (!fmod && isa<FloatType>(node.elementType(0)) && node.opset() < 28)
    node.invalid("needs fmod=1 for floating-point operands");
  fmod ? convertArithmetic<fuse::FmodOp>(node)
       : convertArithmetic<fuse::ModOp>(node);
}

//===- Variadic -----------------------------------------------------------===//

template <typename Op> Value foldOperands(Node &node) {
  if (node.numInputs() == 0)
    node.invalid("has no operands");
  node.ignoreAttributes({"consumed_inputs"});
  SmallVector<ArrayRef<int64_t>> shapes;
  for (unsigned i = 0; i < node.numInputs(); ++i) {
    node.requireSameElementType(0, i);
    shapes.push_back(node.shape(i));
  }
  auto shape = node.broadcastShape(shapes);
  Value result = node.broadcast(node.input(0), shape);
  for (unsigned i = 1; i < node.numInputs(); ++i)
    result = node.make<Op>(result.getType(), result,
                           node.broadcast(node.input(i), shape));
  return result;
}

template <typename Op> void convertVariadic(Node &node) {
  node.setOutput(0, foldOperands<Op>(node));
}

void convertMean(Node &node) {
  node.requireFloat(0);
  Value sum = foldOperands<fuse::AddOp>(node);
  node.setOutput(0, node.div(sum, node.numInputs()));
}

} // namespace

void registerElementwise(Registry &r) {
  r.add("Abs", 1, convertUnary<fuse::AbsOp>);
  r.add("Neg", 1, convertUnary<fuse::NegOp>);
  r.add("Sign", 9, convertUnary<fuse::SignOp>);
  r.add("Not", 1, convertNot);
  r.add("BitwiseNot", 18, convertBitwiseNot);
  r.add("Acos", 7, convertFloatUnary<fuse::AcosOp>);
  r.add("Acosh", 9, convertFloatUnary<fuse::AcoshOp>);
  r.add("Asin", 7, convertFloatUnary<fuse::AsinOp>);
  r.add("Asinh", 9, convertFloatUnary<fuse::AsinhOp>);
  r.add("Atan", 7, convertFloatUnary<fuse::AtanOp>);
  r.add("Atanh", 9, convertFloatUnary<fuse::AtanhOp>);
  r.add("Ceil", 1, convertFloatUnary<fuse::CeilOp>);
  r.add("Cos", 7, convertFloatUnary<fuse::CosOp>);
  r.add("Cosh", 9, convertFloatUnary<fuse::CoshOp>);
  r.add("Erf", 9, convertFloatUnary<fuse::ErfOp>);
  r.add("Exp", 1, convertFloatUnary<fuse::ExpOp>);
  r.add("Floor", 1, convertFloatUnary<fuse::FloorOp>);
  r.add("Log", 1, convertFloatUnary<fuse::LogOp>);
  r.add("Round", 11, convertFloatUnary<fuse::RoundOp>);
  r.add("Sin", 7, convertFloatUnary<fuse::SinOp>);
  r.add("Sinh", 9, convertFloatUnary<fuse::SinhOp>);
  r.add("Sqrt", 1, convertFloatUnary<fuse::SqrtOp>);
  r.add("Tan", 7, convertFloatUnary<fuse::TanOp>);
  r.add("Tanh", 1, convertFloatUnary<fuse::TanhOp>);

  r.add("Add", 1, convertArithmetic<fuse::AddOp>);
  r.add("Sub", 1, convertArithmetic<fuse::SubOp>);
  r.add("Mul", 1, convertArithmetic<fuse::MulOp>);
  r.add("Div", 1, convertArithmetic<fuse::DivOp>);
  r.add("Mod", 10, convertMod);
  r.add("Pow", 1, convertPow);
  r.add("And", 1, convertLogic<fuse::AndOp, true>);
  r.add("Or", 1, convertLogic<fuse::OrOp, true>);
  r.add("Xor", 1, convertLogic<fuse::XorOp, true>);
  r.add("BitShift", 11, convertBitShift);
  r.add("BitwiseAnd", 18, convertLogic<fuse::AndOp, false>);
  r.add("BitwiseOr", 18, convertLogic<fuse::OrOp, false>);
  r.add("BitwiseXor", 18, convertLogic<fuse::XorOp, false>);

  r.add("Equal", 1, convertComparison<CmpPredicate::eq>);
  r.add("Less", 1, convertComparison<CmpPredicate::lt>);
  r.add("LessOrEqual", 12, convertComparison<CmpPredicate::le>);
  r.add("Greater", 1, convertComparison<CmpPredicate::gt>);
  r.add("GreaterOrEqual", 12, convertComparison<CmpPredicate::ge>);

  r.add("Max", 1, convertVariadic<fuse::MaximumOp>);
  r.add("Min", 1, convertVariadic<fuse::MinimumOp>);
  r.add("Sum", 1, convertVariadic<fuse::AddOp>);
  r.add("Mean", 1, convertMean);
}

} // namespace fusec
