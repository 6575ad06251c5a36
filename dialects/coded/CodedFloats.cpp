// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A code is a sign, an exponent field and a mantissa field, as in IEEE 754, but
// with other meanings of its highest codes; LLVM's APFloat knows them. Moved to
// the place of the fields of an f32, exponent and mantissa are a number whose
// exponent is off by a constant; one multiplication corrects it, for subnormal
// numbers too.
#include "dialects/coded/CodedFloats.h"

#include "dialects/TypeInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;

namespace fusec {
namespace {

/// What the codes of a type mean.
struct Format {
  int64_t sign;     ///< the bit of the sign
  int mantissa;     ///< stored bits of the mantissa
  int bias;         ///< of the exponent
  int64_t largest;  ///< the code of the largest finite number
  int64_t overflow; ///< the code of what is larger
  int64_t nan;      ///< the code of NaN; 0 where the type has none
  bool hasInfinity;
  bool hasNan;
  bool hasNegativeZero;

  explicit Format(FloatType type);
};

int64_t codeOf(const APFloat &value) {
  return int64_t(value.bitcastToAPInt().getZExtValue());
}

Format::Format(FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  sign = int64_t(1) << (type.getWidth() - 1);
  mantissa = int(APFloat::semanticsPrecision(semantics)) - 1;
  bias = 1 - int(APFloat::semanticsMinExponent(semantics));
  largest = codeOf(APFloat::getLargest(semantics));
  hasInfinity = APFloat::semanticsHasInf(semantics);
  hasNan = APFloat::semanticsHasNaN(semantics);
  nan = hasNan ? codeOf(APFloat::getQNaN(semantics)) : 0;
  overflow = hasInfinity ? codeOf(APFloat::getInf(semantics))
             : hasNan    ? nan
                         : largest;
  // Where the code of -0 is that of NaN, there is no -0.
  hasNegativeZero = nan != sign;
}

/// Operations of one place, with numbers for constants.
struct Scalars {
  OpBuilder &b;
  Location loc;

  Value integer(int64_t value) {
    return arith::ConstantOp::create(b, loc,
                                     b.getI32IntegerAttr(int32_t(value)));
  }
  Value number(double value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(float(value)));
  }
  Value bits(Value number) {
    return arith::BitcastOp::create(b, loc, b.getI32Type(), number);
  }
  Value fromBits(Value bits) {
    return arith::BitcastOp::create(b, loc, b.getF32Type(), bits);
  }
  Value bitAnd(Value a, int64_t c) {
    return arith::AndIOp::create(b, loc, a, integer(c));
  }
  Value bitOr(Value a, Value c) { return arith::OrIOp::create(b, loc, a, c); }
  Value add(Value a, Value c) { return arith::AddIOp::create(b, loc, a, c); }
  Value left(Value a, int distance) {
    return arith::ShLIOp::create(b, loc, a, integer(distance));
  }
  Value right(Value a, int distance) {
    return arith::ShRUIOp::create(b, loc, a, integer(distance));
  }
  Value compare(arith::CmpIPredicate predicate, Value a, int64_t c) {
    return arith::CmpIOp::create(b, loc, predicate, a, integer(c));
  }
  Value select(Value condition, Value a, Value c) {
    return arith::SelectOp::create(b, loc, condition, a, c);
  }
  /// `taken` where a compares so with c, `otherwise` elsewhere.
  Value replace(arith::CmpIPredicate predicate, Value a, int64_t c,
                int64_t taken, Value otherwise) {
    Value condition = compare(predicate, a, c);
    return select(condition, integer(taken), otherwise);
  }
};

constexpr int kMantissa = 23, kBias = 127; // of an f32
constexpr int64_t kInfinity = 0x7f800000, kNan = 0x7fc00000;

/// A code e of f8E8M0FNU is 2^(e - 127): the exponent field of an f32, but
/// for the lowest, which is subnormal there.
constexpr int64_t kExponentNan = 255, kLowestPower = int64_t(1) << 22,
                  kLowestNormal = int64_t(1) << 23;

Value buildPower(Scalars s, Value code) {
  using P = arith::CmpIPredicate;
  Value bits = s.left(code, kMantissa);
  bits = s.replace(P::eq, code, 0, kLowestPower, bits);
  return s.fromBits(s.replace(P::eq, code, kExponentNan, kNan, bits));
}

Value buildExponent(Scalars s, Value number) {
  using P = arith::CmpIPredicate;
  Value all = s.bits(number);
  // Between the lowest two powers a mantissa has a bit less.
  Value twice = s.left(all, 1);
  Value spread = s.add(twice, s.integer(-kLowestNormal));
  spread = s.replace(P::slt, spread, 0, 0, spread);
  spread = s.select(s.compare(P::slt, all, kLowestNormal), spread, all);
  Value code = s.right(s.add(spread, s.integer(kLowestPower)), kMantissa);
  code = s.replace(P::sgt, code, kExponentNan, kExponentNan, code);
  return s.replace(P::slt, all, 0, kExponentNan, code);
}

} // namespace

bool isCoded(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<FloatType>(element) && getTypeInfo(element) &&
         isa<IntegerType>(getComputeType(element));
}

bool isExponent(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element &&
         !APFloat::semanticsHasSignedRepr(element.getFloatSemantics());
}

bool isQuantizedType(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<FloatType>(element) ? isCoded(element) && !isExponent(element)
                                 : !element.isInteger(1);
}

Value buildDecode(OpBuilder &b, Location loc, FloatType type, Value code) {
  Scalars s{b, loc};
  if (isExponent(type))
    return buildPower(s, code);
  Format format(type);
  using P = arith::CmpIPredicate;
  Value magnitude = s.bitAnd(code, format.sign - 1);
  Value shifted = s.fromBits(s.left(magnitude, kMantissa - format.mantissa));
  Value bits = s.bits(arith::MulFOp::create(
      b, loc, shifted, s.number(std::ldexp(1.0, kBias - format.bias))));
  if (format.hasInfinity)
    bits = s.replace(P::eq, magnitude, format.overflow, kInfinity, bits);
  if (format.hasNan && format.hasNegativeZero)
    bits = s.replace(P::sgt, magnitude,
                     format.hasInfinity ? format.overflow : format.largest,
                     kNan, bits);
  Value sign = s.left(s.bitAnd(code, format.sign), 32 - int(type.getWidth()));
  Value number = s.bitOr(bits, sign);
  if (format.hasNan && !format.hasNegativeZero)
    number = s.replace(P::eq, code, format.nan, kNan, number);
  return s.fromBits(number);
}

Value buildEncode(OpBuilder &b, Location loc, FloatType type, Value number) {
  Scalars s{b, loc};
  if (isExponent(type))
    return buildExponent(s, number);
  Format format(type);
  using P = arith::CmpIPredicate;
  int shift = kMantissa - format.mantissa;
  Value all = s.bits(number);
  Value magnitude = s.bitAnd(all, 0x7fffffff);
  // Normal: round at the last place that stays, and move the exponent; a carry
  // is wanted.
  Value odd = s.bitAnd(s.right(magnitude, shift), 1);
  int64_t half = (int64_t(1) << (shift - 1)) - 1;
  int64_t rebias = int64_t(kBias - format.bias) << kMantissa;
  Value moved = s.add(magnitude, s.integer(half - rebias));
  Value normal = s.right(s.add(moved, odd), shift);
  // Subnormal: added to a number whose last place is that of a subnormal code.
  double place = std::ldexp(1.0, kMantissa + 1 - format.bias - format.mantissa);
  Value anchor = s.number(place);
  Value sum =
      s.bits(arith::AddFOp::create(b, loc, s.fromBits(magnitude), anchor));
  Value subnormal = arith::SubIOp::create(b, loc, sum, s.bits(anchor));
  Value isNormal = s.compare(P::sge, magnitude,
                             int64_t(kBias + 1 - format.bias) << kMantissa);
  Value finite = s.select(isNormal, normal, subnormal);
  Value code =
      s.replace(P::sgt, finite, format.largest, format.overflow, finite);
  // Where there is only NaN, it has passed for what is too large.
  if (format.hasInfinity || !format.hasNan)
    code = s.replace(P::sgt, magnitude, kInfinity, format.nan, code);
  Value sign = s.bitAnd(s.right(all, 32 - int(type.getWidth())), format.sign);
  if (!format.hasNegativeZero)
    sign = s.replace(P::eq, code, 0, 0, sign);
  return s.bitOr(code, sign);
}

} // namespace fusec
