// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scalars that the elementwise table computes.
#include "dialects/fuse/FuseOps.h"

#include "dialects/NarrowFloats.h"
#include "dialects/Unoptimised.h"
#include "dialects/coded/CodedFloats.h"
#include "dialects/kernel/KernelOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// Builds `FloatOp` or `IntOp`, by the type of the scalars; `void` where the
/// operation has no such form (its verifier keeps such types out).
template <typename FloatOp, typename IntOp>
static Value buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  Type type = args.front().getType();
  if constexpr (!std::is_void_v<FloatOp>)
    if (isa<FloatType>(type))
      return FloatOp::create(b, loc, type, args);
  if constexpr (!std::is_void_v<IntOp>)
    if (isa<IntegerType>(type))
      return IntOp::create(b, loc, type, args);
  return {};
}

static Value constant(OpBuilder &b, Location loc, Type type, double value) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(floatType, value));
  return arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(type, static_cast<int64_t>(value)));
}

static Value buildNegation(OpBuilder &b, Location loc, ValueRange args) {
  Type type = args[0].getType();
  if (isa<FloatType>(type))
    return arith::NegFOp::create(b, loc, args[0]);
  return arith::SubIOp::create(b, loc, constant(b, loc, type, 0), args[0]);
}

static Value buildComplement(OpBuilder &b, Location loc, ValueRange args) {
  Type type = args[0].getType();
  return arith::XOrIOp::create(b, loc, args[0], constant(b, loc, type, -1));
}

/// Whether operand 0 has elements of 64 bits without a sign.
static bool computesUnsigned(Operation *op) {
  return isWideUnsigned(getTensorType(op->getOperand(0)).getElementType());
}

static Value buildComparison(OpBuilder &b, Location loc, CmpPredicate predicate,
                             ValueRange args, bool isUnsigned = false) {
  if (isa<FloatType>(args[0].getType())) {
    static constexpr arith::CmpFPredicate table[] = {
        arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE,
        arith::CmpFPredicate::OLT, arith::CmpFPredicate::OLE,
        arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE};
    return arith::CmpFOp::create(b, loc, table[unsigned(predicate)], args[0],
                                 args[1]);
  }
  // Narrow unsigned elements are zero-extended into a wider signed scalar;
  // booleans order false before true.
  isUnsigned |= args[0].getType().isInteger(1);
  static constexpr arith::CmpIPredicate ordered[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
      arith::CmpIPredicate::slt, arith::CmpIPredicate::sle,
      arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge};
  static constexpr arith::CmpIPredicate natural[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
      arith::CmpIPredicate::ult, arith::CmpIPredicate::ule,
      arith::CmpIPredicate::ugt, arith::CmpIPredicate::uge};
  return arith::CmpIOp::create(
      b, loc, (isUnsigned ? natural : ordered)[unsigned(predicate)], args[0],
      args[1]);
}

static Value buildAbsolute(OpBuilder &b, Location loc, ValueRange args,
                           bool isUnsigned) {
  return isUnsigned ? args[0]
                    : buildScalar<math::AbsFOp, math::AbsIOp>(b, loc, args);
}

static Value buildExtreme(OpBuilder &b, Location loc, ValueRange args,
                          bool isMaximum, bool isUnsigned) {
  if (isMaximum)
    return isUnsigned
               ? buildScalar<void, arith::MaxUIOp>(b, loc, args)
               : buildScalar<arith::MaximumFOp, arith::MaxSIOp>(b, loc, args);
  return isUnsigned
             ? buildScalar<void, arith::MinUIOp>(b, loc, args)
             : buildScalar<arith::MinimumFOp, arith::MinSIOp>(b, loc, args);
}

static Value buildSign(OpBuilder &b, Location loc, ValueRange args,
                       bool isUnsigned) {
  Type type = args[0].getType();
  if (isUnsigned) // 0 or 1.
    return buildExtreme(b, loc, {args[0], constant(b, loc, type, 1)},
                        /*isMaximum=*/false, isUnsigned);
  Value zero = constant(b, loc, type, 0);
  Value one = constant(b, loc, type, 1);
  Value minusOne = constant(b, loc, type, -1);
  Value less = buildComparison(b, loc, CmpPredicate::lt, {args[0], zero});
  Value greater = buildComparison(b, loc, CmpPredicate::gt, {args[0], zero});
  // Neither holds for zero and NaN: both stay what they are.
  Value positive = arith::SelectOp::create(b, loc, greater, one, args[0]);
  return arith::SelectOp::create(b, loc, less, minusOne, positive);
}

/// The divisor, or 1 where it is zero: an integer division traps otherwise.
static std::pair<Value, Value> guardDivisor(OpBuilder &b, Location loc,
                                            Value divisor) {
  Type type = divisor.getType();
  Value zero = constant(b, loc, type, 0);
  Value isZero =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, divisor, zero);
  Value guarded = arith::SelectOp::create(b, loc, isZero,
                                          constant(b, loc, type, 1), divisor);
  return {isZero, guarded};
}

static Value buildDivision(OpBuilder &b, Location loc, ValueRange args,
                           bool isUnsigned) {
  Type type = args[0].getType();
  if (isa<FloatType>(type))
    return arith::DivFOp::create(b, loc, args[0], args[1]);
  auto [isZero, divisor] = guardDivisor(b, loc, args[1]);
  Value quotient = isUnsigned
                       ? Value(arith::DivUIOp::create(b, loc, args[0], divisor))
                       : arith::DivSIOp::create(b, loc, args[0], divisor);
  return arith::SelectOp::create(b, loc, isZero, constant(b, loc, type, 0),
                                 quotient);
}

static Value buildRemainder(OpBuilder &b, Location loc, ValueRange args,
                            bool isUnsigned) {
  if (isa<FloatType>(args[0].getType()))
    return arith::RemFOp::create(b, loc, args[0], args[1]);
  Value divisor = guardDivisor(b, loc, args[1]).second;
  return isUnsigned ? Value(arith::RemUIOp::create(b, loc, args[0], divisor))
                    : arith::RemSIOp::create(b, loc, args[0], divisor);
}

static Value buildModulo(OpBuilder &b, Location loc, ValueRange args,
                         bool isUnsigned) {
  Type type = args[0].getType();
  bool isFloat = isa<FloatType>(type);
  Value remainder = buildRemainder(b, loc, args, isUnsigned);
  if (isUnsigned)
    return remainder;
  Value zero = constant(b, loc, type, 0), divisor = args[1];
  // A remainder whose sign differs from the divisor's moves by one divisor.
  Value nonZero = buildComparison(b, loc, CmpPredicate::ne, {remainder, zero});
  Value negative = buildComparison(b, loc, CmpPredicate::lt, {remainder, zero});
  Value divisorNegative =
      buildComparison(b, loc, CmpPredicate::lt, {divisor, zero});
  Value differs = arith::XOrIOp::create(b, loc, negative, divisorNegative);
  Value move = arith::AndIOp::create(b, loc, nonZero, differs);
  Value moved = isFloat
                    ? Value(arith::AddFOp::create(b, loc, remainder, divisor))
                    : arith::AddIOp::create(b, loc, remainder, divisor);
  return arith::SelectOp::create(b, loc, move, moved, remainder);
}

/// A distance of the scalar's width or more is none that arith defines; one
/// between the element's width and the scalar's shifts everything out.
static Value buildShift(OpBuilder &b, Location loc, ValueRange args,
                        bool left) {
  Type type = args[0].getType();
  Value width = constant(b, loc, type, type.getIntOrFloatBitWidth());
  Value zero = constant(b, loc, type, 0);
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, args[1], width);
  Value distance = arith::SelectOp::create(b, loc, inside, args[1], zero);
  Value shifted = left ? Value(arith::ShLIOp::create(b, loc, args[0], distance))
                       : arith::ShRUIOp::create(b, loc, args[0], distance);
  return arith::SelectOp::create(b, loc, inside, shifted, zero);
}

/// 64 unsigned bits as a float: half of them, whose lowest bit remembers what
/// was shifted out so that rounding is right, doubled.
static Value buildUnsignedToFloat(OpBuilder &b, Location loc, Type to,
                                  Value value) {
  Type from = value.getType();
  Value zero = constant(b, loc, from, 0), one = constant(b, loc, from, 1);
  Value half = arith::ShRUIOp::create(b, loc, value, one);
  Value rest = arith::AndIOp::create(b, loc, value, one);
  Value sticky = arith::OrIOp::create(b, loc, half, rest);
  Value large =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, value, zero);
  Value number = arith::SelectOp::create(b, loc, large, sticky, value);
  Value result = arith::SIToFPOp::create(b, loc, to, number);
  Value twice = arith::AddFOp::create(b, loc, result, result);
  return arith::SelectOp::create(b, loc, large, twice, result);
}

/// A float as 64 unsigned bits: from 2^63 on less 2^63, which is added as a
/// bit. Negative numbers have no defined result in ONNX; they wrap.
static Value buildFloatToUnsigned(OpBuilder &b, Location loc, Type to,
                                  Value value) {
  Type from = value.getType();
  Value limit = constant(b, loc, from, 0x1p63);
  Value large = buildComparison(b, loc, CmpPredicate::ge, {value, limit});
  Value less = arith::SubFOp::create(b, loc, value, limit);
  Value number = arith::FPToSIOp::create(
      b, loc, to, arith::SelectOp::create(b, loc, large, less, value));
  Value highest = constant(b, loc, to, -0x1p63), none = constant(b, loc, to, 0);
  Value bit = arith::SelectOp::create(b, loc, large, highest, none);
  return arith::XOrIOp::create(b, loc, number, bit);
}

/// Whether each number of `from`, of which `to` lacks some digits, has a place
/// in `to` though: integers of few bits, and most codes.
static bool fitsNarrowFloat(Type from, FloatType to) {
  if (auto number = dyn_cast<FloatType>(from))
    return APFloat::isRepresentableBy(number.getFloatSemantics(),
                                      to.getFloatSemantics());
  return from.isInteger(1) ||
         from.getIntOrFloatBitWidth() <= to.getFPMantissaWidth();
}

/// Converts a scalar between the compute types of two storage types. Narrow
/// floats are rounded here, once; narrow integers wrap where they are stored.
/// Codes go by way of f32, as do integers to floats of 16 bits.
static Value buildCast(OpBuilder &b, Location loc, Value value,
                       Type fromStorage, Type toStorage) {
  if (fromStorage == toStorage)
    return value;
  if (isCoded(toStorage))
    return buildEncode(b, loc, cast<FloatType>(toStorage),
                       buildCast(b, loc, value, fromStorage, b.getF32Type()));
  if (FloatType narrow = getNarrowFloat(toStorage);
      narrow && !fitsNarrowFloat(fromStorage, narrow)) {
    bool isNumber = isa<FloatType>(value.getType());
    Value number = isNumber ? value
                            : buildCast(b, loc, value, fromStorage,
                                        getComputeType(narrow));
    return buildRounding(b, loc, narrow, number);
  }
  if (isCoded(fromStorage))
    return buildCast(b, loc,
                     buildDecode(b, loc, cast<FloatType>(fromStorage), value),
                     b.getF32Type(), toStorage);
  Type from = value.getType(), to = getComputeType(toStorage);
  if (toStorage.isInteger(1)) {
    if (from.isInteger(1))
      return value;
    return buildComparison(b, loc, CmpPredicate::ne,
                           {value, constant(b, loc, from, 0)});
  }
  if (from == to)
    return value;
  if (isa<FloatType>(from) && isa<FloatType>(to))
    return from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth()
               ? Value(arith::ExtFOp::create(b, loc, to, value))
               : arith::TruncFOp::create(b, loc, to, value);
  if (isa<FloatType>(from))
    return isWideUnsigned(toStorage)
               ? buildFloatToUnsigned(b, loc, to, value)
               : arith::FPToSIOp::create(b, loc, to, value);
  if (isa<FloatType>(to) && isWideUnsigned(fromStorage))
    return buildUnsignedToFloat(b, loc, to, value);
  if (isa<FloatType>(to))
    return from.isInteger(1) ? Value(arith::UIToFPOp::create(b, loc, to, value))
                             : arith::SIToFPOp::create(b, loc, to, value);
  if (from.isInteger(1))
    return arith::ExtUIOp::create(b, loc, to, value);
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(b, loc, to, value);
  return arith::TruncIOp::create(b, loc, to, value);
}

/// The bits of an element as an integer scalar of at least its width.
static Value buildBits(OpBuilder &b, Location loc, Value value, Type storage) {
  auto type = dyn_cast<FloatType>(storage);
  if (!type || isCoded(type))
    return value;
  if (type.getWidth() == 16) // The scalar is an f32.
    return buildEncode(b, loc, type, value);
  return arith::BitcastOp::create(b, loc, b.getIntegerType(type.getWidth()),
                                  value);
}

/// Floats of 16 bits and codes are what an i32 holds, zero-extended.
static Value buildBitcast(OpBuilder &b, Location loc, Value value, Type from,
                          Type to) {
  Value bits = buildBits(b, loc, value, from);
  unsigned width = to.getIntOrFloatBitWidth();
  Type scalar = bits.getType();
  auto number = dyn_cast<FloatType>(to);
  // What is wider than the element holds a sign or its absence.
  if (width < scalar.getIntOrFloatBitWidth() && width < 32) {
    Value mask = constant(b, loc, scalar, double((int64_t(1) << width) - 1));
    bits = arith::AndIOp::create(b, loc, bits, mask);
  } else if (width < scalar.getIntOrFloatBitWidth()) {
    bits = arith::TruncIOp::create(b, loc, b.getIntegerType(width), bits);
  }
  if (number && isCoded(number))
    return bits;
  if (number)
    return width == 16 ? buildDecode(b, loc, number, bits)
                       : Value(arith::BitcastOp::create(b, loc, number, bits));
  Type compute = getComputeType(to);
  scalar = bits.getType();
  if (!to.isUnsignedInteger() && width < scalar.getIntOrFloatBitWidth()) {
    // Into the sign, and back with it.
    Value distance =
        constant(b, loc, scalar, scalar.getIntOrFloatBitWidth() - width);
    bits = arith::ShLIOp::create(b, loc, bits, distance);
    return arith::ShRSIOp::create(b, loc, bits, distance);
  }
  if (scalar == compute)
    return bits;
  return arith::ExtUIOp::create(b, loc, compute, bits); // ui32
}

static Value buildLookUp(OpBuilder &b, Location loc, ValueRange args,
                         ArrayRef<int32_t> table) {
  return kernel::LookUpOp::create(b, loc, args[0], table);
}

LogicalResult LookUpOp::verify() {
  auto from = dyn_cast<IntegerType>(getOperand().getType().getElementType());
  auto to = dyn_cast<IntegerType>(getType().getElementType());
  if (!from || !to || from.getWidth() != 8 || to.getWidth() != 8)
    return emitOpError() << "takes and gives integers of 8 bits";
  if (getTable().size() != 256)
    return emitOpError() << "has a table of " << getTable().size()
                         << " entries, needs 256";
  const bool isUnsigned = to.isUnsignedInteger();
  for (int32_t entry : getTable())
    if (isUnsigned ? !llvm::isUInt<8>(entry) : !llvm::isInt<8>(entry))
      return emitOpError() << "has the entry " << entry << ", which " << to
                           << " does not hold";
  return success();
}

LogicalResult BitcastOp::verify() {
  Type from = getOperand().getType().getElementType();
  Type to = getType().getElementType();
  if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOpError() << "takes the bits of " << from << " as " << to
                         << ", which is of another width";
  return success();
}

/// "[1.5, 0.1]", with all digits.
static void printNumbers(OpAsmPrinter &printer, Operation *,
                         DenseF64ArrayAttr numbers) {
  printer << '[';
  llvm::interleaveComma(numbers.asArrayRef(), printer, [&](double number) {
    printer.printFloat(APFloat(number));
  });
  printer << ']';
}

static ParseResult parseNumbers(OpAsmParser &parser,
                                DenseF64ArrayAttr &numbers) {
  SmallVector<double> all;
  auto parseOne = [&]() -> ParseResult {
    APFloat number(0.0);
    if (parser.parseFloat(APFloat::IEEEdouble(), number))
      return failure();
    all.push_back(number.convertToDouble());
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  numbers = DenseF64ArrayAttr::get(parser.getContext(), all);
  return success();
}

FUSEC_UNOPTIMISED_BEGIN
#define GET_OP_CLASSES
#include "dialects/fuse/FuseOps.defs.inc"
FUSEC_UNOPTIMISED_END
