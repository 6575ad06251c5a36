// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/RoundCodes.h"

#include "dialects/kernel/KernelOps.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

namespace {

/// min(max(round(x / scale) + zero, 0), high), each read by the next alone.
struct Codes {
  arith::DivFOp quotient;
  math::RoundEvenOp rounded;
  arith::AddFOp moved; ///< null where zero is 0
  arith::MaximumFOp cutBelow;
  arith::MinimumFOp cutAbove;
  float scale = 0, zero = 0, high = 0;

  Value getResult() { return moved ? moved.getResult() : rounded.getResult(); }
};

std::optional<float> getConstant(Value value) {
  FloatAttr attribute;
  if (!value.getType().isF32() || !matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  return attribute.getValue().convertToFloat();
}

/// The one reader of `op`, if it is an `Op` whose other operand is a constant.
template <typename Op> Op getReader(Operation *op, float &constant) {
  if (!op->hasOneUse())
    return {};
  auto reader = dyn_cast<Op>(*op->getUsers().begin());
  if (!reader || reader.getLhs() != op->getResult(0))
    return {};
  std::optional<float> found = getConstant(reader.getRhs());
  if (!found)
    return {};
  constant = *found;
  return reader;
}

std::optional<Codes> matchCodes(math::RoundEvenOp op) {
  Codes codes;
  codes.rounded = op;
  codes.quotient = op.getOperand().getDefiningOp<arith::DivFOp>();
  if (!codes.quotient || !codes.quotient->hasOneUse())
    return std::nullopt;
  std::optional<float> scale = getConstant(codes.quotient.getRhs());
  if (!scale)
    return std::nullopt;
  codes.scale = *scale;
  Operation *last = op;
  if ((codes.moved = getReader<arith::AddFOp>(last, codes.zero)))
    last = codes.moved;
  float low = 0;
  codes.cutBelow = getReader<arith::MaximumFOp>(last, low);
  if (!codes.cutBelow || low != 0)
    return std::nullopt;
  codes.cutAbove = getReader<arith::MinimumFOp>(codes.cutBelow, codes.high);
  return codes.cutAbove ? std::optional(codes) : std::nullopt;
}

/// a / b in two roundings, as kernel.quotient has it (Brisebarre, Muller,
/// Raina: "Accelerating correctly rounded floating-point division when the
/// divisor is known in advance").
float divide(float a, float b) {
  const float high = 1.0f / b;
  const float low = float(1.0 / double(b) - double(high));
  return std::fma(a, high, a * low);
}

/// Whether the quotients of both kinds round to the same codes. Both grow with
/// the dividend, so those next to where a code ends decide.
bool isExact(const Codes &codes) {
  auto isWhole = [](float number) {
    return std::fabs(number) <= 0x1p16f && number == std::nearbyint(number);
  };
  if (!isWhole(codes.zero) || !isWhole(codes.high) || codes.high < 0 ||
      codes.high > 0x1p16f || !(codes.scale > 0x1p-60f) ||
      !(codes.scale < 0x1p60f))
    return false;
  constexpr int kNeighbours = 4;
  for (float code = -codes.zero; code < codes.high - codes.zero; ++code) {
    float x = (code + 0.5f) * codes.scale;
    for (int i = 0; i < kNeighbours; ++i)
      x = std::nextafter(x, -INFINITY);
    for (int i = 0; i <= 2 * kNeighbours; ++i) {
      if (std::nearbyint(x / codes.scale) !=
          std::nearbyint(divide(x, codes.scale)))
        return false;
      x = std::nextafter(x, INFINITY);
    }
  }
  return true;
}

/// Has those who read the codes as integers convert them in one step.
void convertAtOnce(Codes &codes) {
  Value result = codes.getResult();
  const bool isMoved =
      codes.moved &&
      llvm::all_of(result.getUsers(), llvm::IsaPred<arith::FPToSIOp>);
  for (Operation *reader : llvm::make_early_inc_range(result.getUsers())) {
    auto integers = dyn_cast<arith::FPToSIOp>(reader);
    if (!integers || !integers.getType().isInteger(32))
      continue;
    OpBuilder builder(integers);
    Value number =
        isMoved || !codes.moved ? codes.rounded.getOperand() : result;
    Value nearest = kernel::NearestOp::create(builder, integers.getLoc(),
                                              builder.getI32Type(), number);
    if (isMoved) {
      auto zero = arith::ConstantOp::create(
          builder, integers.getLoc(),
          builder.getI32IntegerAttr(int32_t(codes.zero)));
      nearest =
          arith::AddIOp::create(builder, integers.getLoc(), nearest, zero);
    }
    integers.replaceAllUsesWith(nearest);
    integers.erase();
  }
  if (codes.moved && codes.moved->use_empty())
    codes.moved.erase();
  if (codes.rounded->use_empty())
    codes.rounded.erase();
}

/// Has those who read the codes as integers and then as floats again read them
/// as they are.
void readAsFloats(Codes &codes) {
  OpBuilder builder(codes.rounded);
  auto makeFloat = [&](arith::SIToFPOp op, float zero) {
    if (!op.getType().isF32())
      return;
    builder.setInsertionPoint(op);
    // Less the zero point, it is what was rounded. The sum with 0 has no sign
    // where that is -0, as integers have none.
    const bool isRounded = zero == codes.zero;
    Value number = isRounded ? codes.rounded.getResult() : codes.getResult();
    Value term = arith::ConstantOp::create(
        builder, op.getLoc(), builder.getF32FloatAttr(isRounded ? 0 : -zero));
    op.replaceAllUsesWith(
        arith::AddFOp::create(builder, op.getLoc(), number, term).getResult());
    op.erase();
  };
  auto eraseIfDead = [](Operation *op) {
    if (op->use_empty())
      op->erase();
  };
  for (Operation *reader :
       llvm::make_early_inc_range(codes.getResult().getUsers())) {
    auto integers = dyn_cast<arith::FPToSIOp>(reader);
    if (!integers)
      continue;
    // They need not be brought back into their range.
    auto isMask = [&](Operation *user) {
      APInt bits;
      auto mask = dyn_cast<arith::AndIOp>(user);
      return mask && mask.getLhs() == integers.getResult() &&
             matchPattern(mask.getRhs(), m_ConstantInt(&bits)) &&
             bits.isMask() && bits.roundToDouble() >= codes.high;
    };
    for (auto mask = llvm::find_if(integers->getUsers(), isMask);
         mask != integers->user_end();
         mask = llvm::find_if(integers->getUsers(), isMask)) {
      Operation *op = *mask;
      op->getResult(0).replaceAllUsesWith(integers.getResult());
      op->erase();
    }
    for (Operation *user : llvm::make_early_inc_range(integers->getUsers())) {
      if (auto number = dyn_cast<arith::SIToFPOp>(user)) {
        makeFloat(number, 0);
        continue;
      }
      APInt zero;
      auto difference = dyn_cast<arith::SubIOp>(user);
      if (!difference || difference.getLhs() != integers.getResult() ||
          !matchPattern(difference.getRhs(), m_ConstantInt(&zero)) ||
          zero.abs().getActiveBits() > 16)
        continue;
      for (Operation *next : llvm::make_early_inc_range(difference->getUsers()))
        if (auto number = dyn_cast<arith::SIToFPOp>(next))
          makeFloat(number, float(zero.getSExtValue()));
      eraseIfDead(difference);
    }
    eraseIfDead(integers);
  }
}

} // namespace

void fusec::sched::roundCodes(ScopOp scop) {
  SmallVector<Codes> found;
  scop.walk([&](math::RoundEvenOp op) {
    if (std::optional<Codes> codes = matchCodes(op); codes && isExact(*codes))
      found.push_back(*codes);
  });
  for (Codes &codes : found) {
    OpBuilder builder(codes.quotient);
    Location loc = codes.quotient.getLoc();
    auto makeConstant = [&](float number) {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getF32FloatAttr(number));
    };
    // What is no number becomes the code 0, as a conversion has it.
    Value x =
        arith::MaxNumFOp::create(builder, loc, codes.quotient.getLhs(),
                                 makeConstant((0 - codes.zero) * codes.scale));
    x = arith::MinimumFOp::create(
        builder, loc, x, makeConstant((codes.high - codes.zero) * codes.scale));
    codes.rounded.getOperandMutable().assign(
        kernel::QuotientOp::create(builder, loc, x, codes.quotient.getRhs()));
    codes.quotient.erase();
    codes.cutAbove.replaceAllUsesWith(codes.getResult());
    codes.cutAbove.erase();
    codes.cutBelow.erase();
    readAsFloats(codes);
    convertAtOnce(codes);
  }
}
