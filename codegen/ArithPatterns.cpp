// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the scalar arithmetic of upstream's arith dialect prints.
#include "codegen/KernelEmitter.h"

#include "dialects/NarrowFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallString.h"

using namespace mlir;

namespace fusec::codegen {

Expr floatLiteral(const APFloat &value) {
  bool isDouble = &value.getSemantics() == &APFloat::IEEEdouble();
  if (!value.isFinite()) {
    std::string name = value.isNaN() ? "FUSEC_NAN" : "FUSEC_INF";
    if (isDouble)
      name = "double(" + name + ")";
    return Expr::number((value.isInfinity() && value.isNegative() ? "-" : "") +
                        name);
  }
  SmallString<32> text;
  value.toString(text);
  // "1.5E-7", "3": a C++ float needs a point or an exponent.
  if (!StringRef(text).contains_insensitive('e') &&
      !StringRef(text).contains('.'))
    text += ".0";
  for (char &c : text)
    c = c == 'E' ? 'e' : c;
  return Expr::number(text.str().str() + (isDouble ? "" : "f"));
}

Expr integerLiteral(const APInt &value) {
  if (value.getBitWidth() == 1)
    return Expr::number(value.isZero() ? "false" : "true");
  if (value.isMinSignedValue() && value.getBitWidth() == 32)
    return Expr::name("INT32_MIN");
  if (value.isMinSignedValue() && value.getBitWidth() == 64)
    return Expr::name("INT64_MIN");
  return Expr::number(value.getSExtValue());
}

static std::optional<Expr> constant(arith::ConstantOp op, KernelEmitter &) {
  Attribute value = op.getValue();
  bool splat = false;
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (!dense.isSplat())
      return std::nullopt;
    value = dense.getSplatValue<Attribute>();
    splat = true;
  }
  Expr result;
  if (auto number = dyn_cast<FloatAttr>(value))
    result = floatLiteral(number.getValue());
  else if (auto number = dyn_cast<IntegerAttr>(value))
    result = integerLiteral(number.getValue());
  else
    return std::nullopt;
  result.splat = splat;
  // Masks have no scalar that converts to them.
  return getElementTypeOrSelf(op.getType()).isInteger(1) ? asVector(result)
                                                         : result;
}

/// `lhs op rhs`, for scalars and vectors alike.
static Expr infix(Operation *op, KernelEmitter &emitter, StringRef text,
                  Precedence precedence) {
  Expr lhs = emitter.use(op->getOperand(0)),
       rhs = emitter.use(op->getOperand(1));
  // Masks have no scalar that converts to them.
  auto vector = dyn_cast<VectorType>(op->getOperand(0).getType());
  if (vector && vector.getElementType().isInteger(1)) {
    lhs = asVector(lhs);
    rhs = asVector(rhs);
  }
  return binary(lhs, text, rhs, precedence);
}

static Expr function(Operation *op, KernelEmitter &emitter, StringRef name) {
  return call(name, emitter.arguments(op->getOperands()));
}

static bool isBool(Type type) { return type.isInteger(1); }

static Expr negated(const Expr &expr, bool isVector) {
  return unary(isVector && !expr.splat ? "~" : "!", expr);
}

/// Comparison of floats; the unordered ones are the ordered opposite, negated.
static Expr compareFloats(arith::CmpFOp op, KernelEmitter &emitter) {
  using P = arith::CmpFPredicate;
  bool vector = isa<VectorType>(op.getLhs().getType());
  auto compare = [&](StringRef text, Precedence precedence) {
    return infix(op, emitter, text, precedence);
  };
  auto relational = [&](StringRef text) {
    return compare(text, Precedence::Relational);
  };
  auto anyNaN = [&] {
    Expr left = call("isnan", emitter.arguments(op.getLhs()));
    Expr right = call("isnan", emitter.arguments(op.getRhs()));
    return vector ? binary(left, "|", right, Precedence::BitOr)
                  : binary(left, "||", right, Precedence::Or);
  };
  switch (op.getPredicate()) {
  case P::AlwaysFalse:
  case P::AlwaysTrue: {
    Expr result =
        Expr::number(op.getPredicate() == P::AlwaysTrue ? "true" : "false");
    result.splat = vector;
    return result;
  }
  case P::OEQ:
    return compare("==", Precedence::Equality);
  case P::UNE:
    return compare("!=", Precedence::Equality);
  case P::OGT:
    return relational(">");
  case P::OGE:
    return relational(">=");
  case P::OLT:
    return relational("<");
  case P::OLE:
    return relational("<=");
  case P::UGT:
    return negated(relational("<="), vector);
  case P::UGE:
    return negated(relational("<"), vector);
  case P::ULT:
    return negated(relational(">="), vector);
  case P::ULE:
    return negated(relational(">"), vector);
  case P::ONE:
  case P::UEQ: {
    Expr less = relational("<"), greater = relational(">");
    Expr differ = vector ? binary(less, "|", greater, Precedence::BitOr)
                         : binary(less, "||", greater, Precedence::Or);
    return op.getPredicate() == P::ONE ? differ : negated(differ, vector);
  }
  case P::UNO:
    return anyNaN();
  case P::ORD:
    return negated(anyNaN(), vector);
  }
  llvm_unreachable("all predicates are handled");
}

static std::optional<Expr> compareIntegers(arith::CmpIOp op,
                                           KernelEmitter &emitter) {
  using P = arith::CmpIPredicate;
  auto vector = dyn_cast<VectorType>(op.getLhs().getType());
  bool boolean = isBool(getElementTypeOrSelf(op.getLhs().getType()));
  bool isUnsigned = op.getPredicate() >= P::ult;
  auto relational = [&](StringRef text) -> std::optional<Expr> {
    if (vector && boolean) {
      // a < b of bits: ~a & b.
      SmallVector<Expr> args = emitter.arguments(op->getOperands());
      Expr lhs = asVector(args[0]), rhs = asVector(args[1]);
      if (text.starts_with(">"))
        std::swap(lhs, rhs);
      return text.ends_with("=")
                 ? binary(unary("~", lhs), "|", rhs, Precedence::BitOr)
                 : binary(unary("~", lhs), "&", rhs, Precedence::BitAnd);
    }
    if (!isUnsigned || boolean)
      return infix(op, emitter, text, Precedence::Relational);
    if (vector)
      return std::nullopt;
    std::string type = "u" + emitter.typeName(op.getLhs().getType());
    return binary(call(type, emitter.use(op.getLhs())), text,
                  call(type, emitter.use(op.getRhs())), Precedence::Relational);
  };
  switch (op.getPredicate()) {
  case P::eq:
    return infix(op, emitter, "==", Precedence::Equality);
  case P::ne:
    return infix(op, emitter, "!=", Precedence::Equality);
  case P::slt:
  case P::ult:
    return relational("<");
  case P::sle:
  case P::ule:
    return relational("<=");
  case P::sgt:
  case P::ugt:
    return relational(">");
  case P::sge:
  case P::uge:
    return relational(">=");
  }
  llvm_unreachable("all predicates are handled");
}

/// and, or, xor: logical on scalar booleans, bitwise elsewhere.
static Expr logical(Operation *op, KernelEmitter &emitter, StringRef forBool,
                    Precedence boolPrecedence, StringRef text,
                    Precedence precedence) {
  if (isBool(op->getOperand(0).getType()))
    return infix(op, emitter, forBool, boolPrecedence);
  return infix(op, emitter, text, precedence);
}

static Expr exclusiveOr(arith::XOrIOp op, KernelEmitter &emitter) {
  Expr lhs = emitter.use(op.getLhs()), rhs = emitter.use(op.getRhs());
  bool vector = isa<VectorType>(op.getType());
  if (isBool(getElementTypeOrSelf(op.getType())) && rhs.text == "true")
    return negated(lhs, vector);
  if (rhs.text == "-1")
    return unary("~", lhs);
  return logical(op, emitter, "!=", Precedence::Equality, "^",
                 Precedence::BitXor);
}

/// A conversion between value types, or nothing where both are one C++ type.
static Expr convert(Operation *op, KernelEmitter &emitter) {
  Value from = op->getOperand(0);
  if (FloatType narrow = getNarrowFloat(op->getResult(0).getType()))
    return function(op, emitter, narrow.isF16() ? "to_f16" : "to_bf16");
  Expr value = emitter.useAsInteger(from);
  std::string to = emitter.typeName(op->getResult(0).getType());
  if (to == emitter.typeName(from.getType()))
    return value;
  if (value.splat) {
    std::string scalar =
        emitter.typeName(getElementTypeOrSelf(op->getResult(0).getType()));
    Expr result = call("to<" + scalar + ">", value);
    result.splat = true;
    return result;
  }
  return call("to<" + to + ">", value);
}

/// The same bits as another type of the same width.
static Expr reinterpret(arith::BitcastOp op, KernelEmitter &emitter) {
  Type to = getElementTypeOrSelf(op.getType());
  return function(op, emitter,
                  to.isF32()   ? "f32_from_bits"
                  : to.isF64() ? "f64_from_bits"
                               : "bits_of");
}

template <typename Op>
static void addInfix(PatternSet &patterns, StringRef text,
                     Precedence precedence) {
  patterns.expression<Op>([=](Op op, KernelEmitter &emitter) {
    return infix(op, emitter, text, precedence);
  });
}

/// Of integers: where the operator does not wrap on overflow, a function does.
template <typename Op>
static void addWrapping(PatternSet &patterns, StringRef text, StringRef name,
                        Precedence precedence) {
  patterns.expression<Op>([=](Op op, KernelEmitter &emitter) {
    bool isIndex = getElementTypeOrSelf(op.getType()).isIndex();
    return isIndex || emitter.syntax.integersWrap
               ? infix(op, emitter, text, precedence)
               : function(op, emitter, name);
  });
}

template <typename... Ops>
static void addFunction(PatternSet &patterns, StringRef name) {
  (patterns.expression<Ops>([=](Ops op, KernelEmitter &emitter) {
    return function(op, emitter, name);
  }),
   ...);
}

template <typename... Ops> static void addConversion(PatternSet &patterns) {
  (patterns.expression<Ops>(
       [](Ops op, KernelEmitter &emitter) { return convert(op, emitter); }),
   ...);
}

void addArithPatterns(PatternSet &patterns) {
  using namespace arith;
  patterns.expression<ConstantOp>(constant);
  patterns.expression<CmpFOp>(compareFloats);
  patterns.expression<CmpIOp>(compareIntegers);
  patterns.expression<XOrIOp>(exclusiveOr);
  patterns.expression<AndIOp>([](AndIOp op, KernelEmitter &emitter) {
    return logical(op, emitter, "&&", Precedence::And, "&", Precedence::BitAnd);
  });
  patterns.expression<OrIOp>([](OrIOp op, KernelEmitter &emitter) {
    return logical(op, emitter, "||", Precedence::Or, "|", Precedence::BitOr);
  });
  patterns.expression<NegFOp>([](NegFOp op, KernelEmitter &emitter) {
    return unary("-", emitter.use(op.getOperand()));
  });
  addInfix<AddFOp>(patterns, "+", Precedence::Additive);
  addWrapping<AddIOp>(patterns, "+", "add", Precedence::Additive);
  addInfix<SubFOp>(patterns, "-", Precedence::Additive);
  addWrapping<SubIOp>(patterns, "-", "sub", Precedence::Additive);
  addInfix<MulFOp>(patterns, "*", Precedence::Multiplicative);
  addWrapping<MulIOp>(patterns, "*", "mul", Precedence::Multiplicative);
  addInfix<DivFOp>(patterns, "/", Precedence::Multiplicative);
  // C's own integer division traps where the vocabulary's gives 0.
  addFunction<DivSIOp>(patterns, "div");
  addFunction<FloorDivSIOp>(patterns, "div_floor");
  addFunction<RemFOp, RemSIOp>(patterns, "fmod");
  addFunction<DivUIOp>(patterns, "div_unsigned");
  addFunction<RemUIOp>(patterns, "fmod_unsigned");
  addFunction<MaximumFOp, MaxSIOp>(patterns, "max");
  addFunction<MinimumFOp, MinSIOp>(patterns, "min");
  addFunction<MaxNumFOp>(patterns, "maxnum");
  addFunction<MinNumFOp>(patterns, "minnum");
  addFunction<ShLIOp>(patterns, "shl");
  addFunction<ShRSIOp>(patterns, "shr_arith");
  addFunction<ShRUIOp>(patterns, "shr_logic");
  patterns.expression<BitcastOp>(reinterpret);
  patterns.expression<SelectOp>([](SelectOp op, KernelEmitter &emitter) {
    SmallVector<Expr> values =
        emitter.arguments({op.getTrueValue(), op.getFalseValue()});
    // A splat condition is one decision for all lanes: select(bool, ...).
    Expr condition = emitter.use(op.getCondition());
    return call("select", {condition, values[0], values[1]});
  });
  addConversion<ExtFOp, ExtSIOp, ExtUIOp, TruncFOp, TruncIOp, SIToFPOp,
                UIToFPOp, FPToSIOp, IndexCastOp, IndexCastUIOp>(patterns);
}

} // namespace fusec::codegen
