// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/AffineRanges.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace fusec {

using llvm::divideCeilSigned;
using llvm::divideFloorSigned;

static std::optional<int64_t> add(std::optional<int64_t> a,
                                  std::optional<int64_t> b) {
  return a && b ? llvm::checkedAdd(*a, *b) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Ranges of expressions
//===----------------------------------------------------------------------===//

static IndexRange rangeOfDivision(IndexRange value, int64_t by, bool up) {
  IndexRange range;
  auto divide = [&](int64_t n) {
    return up ? divideCeilSigned(n, by) : divideFloorSigned(n, by);
  };
  if (value.low)
    range.low = divide(*value.low);
  if (value.high)
    range.high = divide(*value.high);
  range.divisor = value.divisor % by == 0 ? value.divisor / by : 1;
  return range;
}

static IndexRange rangeOfModulo(IndexRange value, int64_t by) {
  IndexRange range{0, by - 1, std::gcd(value.divisor, by)};
  if (value.low && value.high &&
      divideFloorSigned(*value.low, by) == divideFloorSigned(*value.high, by)) {
    int64_t offset = divideFloorSigned(*value.low, by) * by;
    range.low = *value.low - offset;
    range.high = *value.high - offset;
  }
  return range;
}

static IndexRange scale(IndexRange value, int64_t by) {
  if (by == 0)
    return IndexRange::constant(0);
  auto multiply = [&](std::optional<int64_t> bound) {
    return bound ? llvm::checkedMul(*bound, by) : std::nullopt;
  };
  IndexRange range{
      multiply(value.low), multiply(value.high),
      llvm::checkedMul(value.divisor, std::abs(by)).value_or(value.divisor)};
  if (by < 0)
    std::swap(range.low, range.high);
  return range;
}

IndexRange rangeOf(AffineExpr expr, ArrayRef<IndexRange> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return IndexRange::constant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return {};
  IndexRange left = rangeOf(binary.getLHS(), dims);
  if (expr.getKind() == AffineExprKind::Add) {
    IndexRange right = rangeOf(binary.getRHS(), dims);
    return {add(left.low, right.low), add(left.high, right.high),
            std::gcd(left.divisor, right.divisor)};
  }
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!by)
    return {};
  if (expr.getKind() == AffineExprKind::Mul)
    return scale(left, by.getValue());
  if (by.getValue() <= 0)
    return {};
  if (expr.getKind() == AffineExprKind::Mod)
    return rangeOfModulo(left, by.getValue());
  return rangeOfDivision(left, by.getValue(),
                         expr.getKind() == AffineExprKind::CeilDiv);
}

namespace {

/// Sums of any of an expression's terms are in [-below, above]; `most` is the
/// largest number on the way to them, without its sign.
struct Reach {
  int64_t above, below, most;
};

} // namespace

static Reach reachOf(int64_t low, int64_t high) {
  int64_t above = std::max<int64_t>(high, 0),
          below = std::max<int64_t>(-low, 0);
  return {above, below, std::max(above, below)};
}

static std::optional<Reach> scale(Reach reach, int64_t by) {
  if (by < 0)
    std::swap(reach.above, reach.below);
  auto above = llvm::checkedMul(reach.above, std::abs(by)),
       below = llvm::checkedMul(reach.below, std::abs(by));
  if (!above || !below)
    return std::nullopt;
  return Reach{*above, *below, std::max({reach.most, *above, *below})};
}

static std::optional<Reach> add(const Reach &a, const Reach &b) {
  auto above = llvm::checkedAdd(a.above, b.above),
       below = llvm::checkedAdd(a.below, b.below);
  if (!above || !below)
    return std::nullopt;
  return Reach{*above, *below, std::max({a.most, b.most, *above, *below})};
}

static std::optional<Reach> getReach(AffineExpr expr,
                                     ArrayRef<IndexRange> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return reachOf(constant.getValue(), constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    const IndexRange &range = dims[dim.getPosition()];
    if (!range.low || !range.high)
      return std::nullopt;
    return reachOf(*range.low, *range.high);
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  std::optional<Reach> left;
  if (!binary || !(left = getReach(binary.getLHS(), dims)))
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    std::optional<Reach> right = getReach(binary.getRHS(), dims);
    return right ? add(*left, *right) : std::nullopt;
  }
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!constant)
    return std::nullopt;
  int64_t by = constant.getValue();
  if (expr.getKind() == AffineExprKind::Mul)
    return scale(*left, by);
  if (by <= 0)
    return std::nullopt;
  // Rounding up adds to the dividend first.
  if (expr.getKind() == AffineExprKind::CeilDiv &&
      !(left = add(*left, reachOf(0, by - 1))))
    return std::nullopt;
  int64_t most = std::max(left->most, by);
  if (expr.getKind() == AffineExprKind::Mod)
    return Reach{by - 1, 0, most};
  // Where a quotient is multiplied by the divisor again, all of the dividend
  // may be left.
  return Reach{left->above / by + 1, left->below / by + 1, most};
}

std::optional<int64_t> getLargestPart(AffineExpr expr,
                                      ArrayRef<IndexRange> dims) {
  std::optional<Reach> reach = getReach(expr, dims);
  return reach ? std::optional(reach->most) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Simplification
//===----------------------------------------------------------------------===//

static void collectTerms(AffineExpr expr, SmallVectorImpl<AffineExpr> &terms,
                         int64_t &constant) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    constant += number.getValue();
  } else if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
             binary && expr.getKind() == AffineExprKind::Add) {
    collectTerms(binary.getLHS(), terms, constant);
    collectTerms(binary.getRHS(), terms, constant);
  } else {
    terms.push_back(expr);
  }
}

namespace {

/// A sum as quotient * divisor + remainder.
struct Quotient {
  AffineExpr quotient, remainder;
};

/// Divides sums by one positive constant.
class Divider {
public:
  Divider(int64_t divisor, ArrayRef<IndexRange> dims, MLIRContext *context)
      : divisor(divisor), dims(dims), zero(getAffineConstantExpr(0, context)) {}

  /// Floor division of `sum`, as far as possible without floordiv and mod.
  Quotient divide(AffineExpr sum) {
    SmallVector<AffineExpr> terms;
    int64_t constant = 0;
    collectTerms(sum, terms, constant);
    // Multiples of the divisor leave.
    AffineExpr whole = zero + divideFloorSigned(constant, divisor);
    AffineExpr rest =
        zero + (constant - divideFloorSigned(constant, divisor) * divisor);
    for (AffineExpr term : terms) {
      if (rangeOf(term, dims).divisor % divisor == 0)
        whole = whole + term.floorDiv(divisor);
      else
        rest = rest + term;
    }
    Quotient inner = divideRest(rest);
    return {whole + inner.quotient, inner.remainder};
  }

private:
  Quotient divideRest(AffineExpr rest) {
    IndexRange range = rangeOf(rest, dims);
    if (range.low && range.high) {
      int64_t quotient = divideFloorSigned(*range.low, divisor);
      if (quotient == divideFloorSigned(*range.high, divisor))
        return {zero + quotient, rest - quotient * divisor};
    }
    return divideByParts(rest);
  }

  /// With g a divisor of the divisor c: a multiple p of g plus an r in [0, g)
  /// has the quotient p floordiv c and the remainder p mod c + r.
  Quotient divideByParts(AffineExpr rest) {
    SmallVector<AffineExpr> terms;
    int64_t constant = 0;
    collectTerms(rest, terms, constant);
    SmallVector<int64_t> candidates;
    for (AffineExpr term : terms)
      candidates.push_back(std::gcd(rangeOf(term, dims).divisor, divisor));
    llvm::sort(candidates, std::greater<int64_t>());
    for (int64_t g : candidates) {
      if (g <= 1)
        continue;
      int64_t low = constant - divideFloorSigned(constant, g) * g;
      AffineExpr multiple = zero + (constant - low), small = zero + low;
      for (AffineExpr term : terms) {
        if (rangeOf(term, dims).divisor % g == 0)
          multiple = multiple + term;
        else
          small = small + term;
      }
      IndexRange range = rangeOf(small, dims);
      if (!range.low || !range.high || *range.low < 0 || *range.high >= g)
        continue;
      if (small == zero)
        break;
      Quotient inner = divideRest(multiple);
      return {inner.quotient, inner.remainder + small};
    }
    return {rest.floorDiv(divisor), rest % divisor};
  }

  int64_t divisor;
  ArrayRef<IndexRange> dims;
  AffineExpr zero;
};

} // namespace

/// Products; (x floordiv c) * c is x where x is a multiple of c.
static AffineExpr multiply(AffineExpr left, AffineExpr right,
                           ArrayRef<IndexRange> dims) {
  auto quotient = dyn_cast<AffineBinaryOpExpr>(left);
  auto factor = dyn_cast<AffineConstantExpr>(right);
  if (!quotient || !factor || left.getKind() != AffineExprKind::FloorDiv)
    return left * right;
  auto divisor = dyn_cast<AffineConstantExpr>(quotient.getRHS());
  if (!divisor || divisor.getValue() <= 0 ||
      factor.getValue() % divisor.getValue() != 0 ||
      rangeOf(quotient.getLHS(), dims).divisor % divisor.getValue() != 0)
    return left * right;
  return quotient.getLHS() * (factor.getValue() / divisor.getValue());
}

static AffineExpr simplifyTree(AffineExpr expr, ArrayRef<IndexRange> dims) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return expr;
  AffineExpr left = simplifyTree(binary.getLHS(), dims);
  AffineExpr right = simplifyTree(binary.getRHS(), dims);
  if (expr.getKind() == AffineExprKind::Add)
    return left + right;
  if (expr.getKind() == AffineExprKind::Mul)
    return multiply(left, right, dims);
  auto by = dyn_cast<AffineConstantExpr>(right);
  if (!by || by.getValue() <= 0)
    return getAffineBinaryOpExpr(expr.getKind(), left, right);
  Divider divider(by.getValue(), dims, expr.getContext());
  if (expr.getKind() == AffineExprKind::CeilDiv)
    return divider.divide(left + (by.getValue() - 1)).quotient;
  Quotient result = divider.divide(left);
  return expr.getKind() == AffineExprKind::Mod ? result.remainder
                                               : result.quotient;
}

AffineExpr simplifyInRange(AffineExpr expr, ArrayRef<IndexRange> dims,
                           unsigned numSymbols) {
  expr = simplifyAffineExpr(expr, dims.size(), numSymbols);
  // What one division leaves may let another one resolve.
  for (int round = 0; round < 4; ++round) {
    AffineExpr next =
        simplifyAffineExpr(simplifyTree(expr, dims), dims.size(), numSymbols);
    if (next == expr)
      break;
    expr = next;
  }
  return expr;
}

std::optional<int64_t> getSlope(AffineExpr expr, unsigned position) {
  if (!expr.isFunctionOfDim(position))
    return 0;
  if (isa<AffineDimExpr>(expr))
    return 1;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<int64_t> left = getSlope(binary.getLHS(), position);
  if (expr.getKind() == AffineExprKind::Add)
    return add(left, getSlope(binary.getRHS(), position));
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() != AffineExprKind::Mul || !by || !left)
    return std::nullopt;
  return *left * by.getValue();
}

} // namespace fusec
