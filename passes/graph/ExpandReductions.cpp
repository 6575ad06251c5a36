// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named reductions, running ones, and where an extreme lies.
#include "passes/graph/ExpandComposites.h"

#include <limits>

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

// m + log sum exp(x - m) with m = max x. Where the maximum is infinite, m is 0:
// infinity minus itself would be NaN.
static Value buildLogSumExp(Value x, ArrayRef<int64_t> dims, TensorBuilder &b) {
  Value max = b.reduce(Combiner::Max, x, dims);
  Value magnitude = b.unary<AbsOp>(max);
  Value infinity = b.splatLike(std::numeric_limits<double>::infinity(), max);
  Value infinite = b.compare(CmpPredicate::eq, magnitude, infinity);
  Value m = b.select(infinite, b.splatLike(0, max), max);
  Value shifted =
      b.sub(x, b.broadcastBack(m, getTensorType(x).getShape(), dims));
  Value sum = b.reduce(Combiner::Add, b.unary<ExpOp>(shifted), dims);
  return b.add(b.unary<LogOp>(sum), m);
}

/// The reduction of `x` over `dims`, which the result lacks.
static Value buildReduction(ReductionKind kind, Value x, ArrayRef<int64_t> dims,
                            TensorBuilder &b) {
  auto sum = [&](Value value) { return b.reduce(Combiner::Add, value, dims); };
  switch (kind) {
  case ReductionKind::sum:
    return sum(x);
  case ReductionKind::mean:
    return b.mean(x, dims);
  case ReductionKind::max:
    return b.reduce(Combiner::Max, x, dims);
  case ReductionKind::min:
    return b.reduce(Combiner::Min, x, dims);
  case ReductionKind::prod:
    return b.reduce(Combiner::Mul, x, dims);
  case ReductionKind::l1: // sum |x|
    return sum(b.unary<AbsOp>(x));
  case ReductionKind::l2: // sqrt(sum x^2)
    return b.unary<SqrtOp>(sum(b.mul(x, x)));
  case ReductionKind::log_sum: // log(sum x)
    return b.unary<LogOp>(sum(x));
  case ReductionKind::log_sum_exp: // log(sum exp x)
    return buildLogSumExp(x, dims, b);
  case ReductionKind::sum_square: // sum x^2
    return sum(b.mul(x, x));
  }
  llvm_unreachable("unknown reduction");
}

/// Where 64 bits have no sign but the scalars that compute them do: flipping
/// the highest bit maps one order to the other, and a mean divides as unsigned.
static Value buildUnsignedReduction(ReductionKind kind, Value x,
                                    ArrayRef<int64_t> dims, TensorBuilder &b) {
  Type type = getTensorType(x).getElementType();
  Value wide = b.castToCompute(x);
  if (kind == ReductionKind::max || kind == ReductionKind::min) {
    Value reduced =
        buildReduction(kind, b.binary<XorOp>(wide, -0x1p63), dims, b);
    return b.cast(b.binary<XorOp>(reduced, -0x1p63), type);
  }
  if (kind != ReductionKind::mean)
    return buildReduction(kind, wide, dims, b);
  int64_t count = 1;
  for (int64_t d : dims)
    count *= getTensorType(x).getDimSize(d);
  Value sum = b.cast(b.reduce(Combiner::Add, wide, dims), type);
  return b.div(sum, double(count));
}

static SmallVector<Value> expandReduction(ReductionOp op, TensorBuilder &b) {
  auto type = getTensorType(op.getResult());
  Value x = op.getOperand();
  Value reduced =
      isWideUnsigned(type.getElementType())
          ? buildUnsignedReduction(op.getKind(), x, op.getDims(), b)
          : buildReduction(op.getKind(), b.castToCompute(x), op.getDims(), b);
  return {b.cast(b.reshape(reduced, type.getShape()), type.getElementType())};
}

//===- cumulate ----------------------------------------------------------===//

/// Longer rows than this are cut into blocks: of any machine the same, for what
/// is added first decides how sums round.
static constexpr int64_t kMaxDirect = 64, kBlock = 32;

/// What a cumulation combines, and which elements j it takes for the i-th.
struct Cumulation {
  Combiner combiner;
  CmpPredicate takes;
};

// y[.., i, ..] = combine of x[.., j, ..] over the j that i takes: a reduction
// over all j, in which the others count as the neutral element. No step depends
// on the one before, so that rows fill vectors however short they are.
static Value buildDirect(Value x, int64_t axis, const Cumulation &c,
                         TensorBuilder &b) {
  auto type = getTensorType(x);
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + axis, shape[axis]);
  auto all = type.clone(shape), places = all.clone(b.builder.getI32Type());
  Value own = b.iota(places, axis), other = b.iota(places, axis + 1);
  Value taken = b.compare(c.takes, other, own);
  Value repeated = b.broadcastBack(x, shape, {axis});
  Value neutral = b.splat(c.combiner == Combiner::Mul, all);
  Value summand = b.select(taken, repeated, neutral);
  return b.reduce(c.combiner, summand, {axis + 1});
}

// Along a row longer than kMaxDirect: what the whole blocks before (or behind)
// this one amount to, a shorter exclusive cumulation, combined with what the
// elements of this block do. About kBlock operations per element.
static Value buildCumulation(Value x, const Cumulation &c, TensorBuilder &b) {
  auto type = getTensorType(x);
  int64_t outer = type.getDimSize(0), length = type.getDimSize(1),
          inner = type.getDimSize(2);
  if (length <= kMaxDirect)
    return buildDirect(x, 1, c, b);
  int64_t blocks = (length + kBlock - 1) / kBlock, padded = blocks * kBlock;
  if (padded != length)
    x = b.make<PadOp>(type.clone({outer, padded, inner}), x,
                      ArrayRef<int64_t>{0, 0, 0},
                      ArrayRef<int64_t>{0, padded - length, 0},
                      getNeutral(c.combiner, type.getElementType()));
  Value cut = b.reshape(x, {outer, blocks, kBlock, inner});
  bool isForward = c.takes == CmpPredicate::le || c.takes == CmpPredicate::lt;
  Cumulation ofBlocks = {c.combiner,
                         isForward ? CmpPredicate::lt : CmpPredicate::gt};
  Value totals = b.reduce(c.combiner, cut, {2});
  Value before = buildCumulation(totals, ofBlocks, b);
  Value within = buildDirect(cut, 2, c, b);
  before = b.broadcast(before, getTensorType(within).getShape(), {0, 1, 3});
  Value whole = c.combiner == Combiner::Add ? b.add(before, within)
                                            : b.mul(before, within);
  whole = b.reshape(whole, {outer, padded, inner});
  if (padded == length)
    return whole;
  return b.make<SliceOp>(type, whole, ArrayRef<int64_t>{0, 0, 0},
                         ArrayRef<int64_t>{1, 1, 1});
}

static SmallVector<Value> expandCumulate(CumulateOp op, TensorBuilder &b) {
  auto type = op.getType();
  int64_t outer = 1, inner = 1, axis = op.getAxis();
  for (int64_t extent : type.getShape().take_front(axis))
    outer *= extent;
  for (int64_t extent : type.getShape().drop_front(axis + 1))
    inner *= extent;
  CmpPredicate takes =
      op.getReverse()
          ? (op.getExclusive() ? CmpPredicate::gt : CmpPredicate::ge)
          : (op.getExclusive() ? CmpPredicate::lt : CmpPredicate::le);
  Cumulation c = {op.getKind() == ReductionKind::sum ? Combiner::Add
                                                     : Combiner::Mul,
                  takes};
  Value x = b.castToCompute(op.getOperand());
  x = b.reshape(x, {outer, type.getDimSize(axis), inner});
  Value y = b.reshape(buildCumulation(x, c, b), type.getShape());
  return {b.cast(y, type.getElementType())};
}

//===- arg_max, arg_min --------------------------------------------------===//

/// Whether the pair `next` of element and position comes before `best`: it is
/// more extreme, or alike and (for `last`: behind) in front of it. NaN is more
/// extreme than any number. As an order of pairs this is a combiner whose steps
/// may be taken in any order.
static Value precedes(bool isMax, bool last, ValueRange next, ValueRange best,
                      OpBuilder &b, Location loc) {
  using Int = arith::CmpIPredicate;
  using Float = arith::CmpFPredicate;
  auto both = [&](Value lhs, Value rhs) -> Value {
    return arith::AndIOp::create(b, loc, lhs, rhs);
  };
  auto either = [&](Value lhs, Value rhs) -> Value {
    return arith::OrIOp::create(b, loc, lhs, rhs);
  };
  auto compareInts = [&](Int predicate, unsigned part) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, next[part], best[part]);
  };
  Value closer = compareInts(last ? Int::sgt : Int::slt, 1);
  if (!isa<FloatType>(next[0].getType())) {
    Value more = compareInts(isMax ? Int::sgt : Int::slt, 0);
    Value alike = compareInts(Int::eq, 0);
    return either(more, both(alike, closer));
  }
  auto compare = [&](Float predicate, Value lhs, Value rhs) -> Value {
    return arith::CmpFOp::create(b, loc, predicate, lhs, rhs);
  };
  Value more = compare(isMax ? Float::OGT : Float::OLT, next[0], best[0]);
  Value alike = compare(Float::OEQ, next[0], best[0]);
  Value isNan = compare(Float::UNE, next[0], next[0]);
  Value overNumber = compare(Float::OEQ, best[0], best[0]);
  Value amongNumbers = either(more, both(alike, closer));
  Value byNan = both(isNan, either(overNumber, closer));
  return either(amongNumbers, byNan);
}

// One reduction of pairs, of element and position. It starts behind (for
// `last`: in front of) all positions, so that the first element always comes
// before.
template <typename Op>
static SmallVector<Value> expandArg(Op op, TensorBuilder &b) {
  constexpr bool isMax = std::is_same_v<Op, ArgMaxOp>;
  int64_t axis = op.getAxis();
  auto type = getTensorType(op.getResult());
  if (getTensorType(op.getOperand()).getDimSize(axis) == 1)
    return {b.splat(0, type)};
  bool isUnsigned =
      isWideUnsigned(getTensorType(op.getOperand()).getElementType());
  Value x = b.castToCompute(op.getOperand());
  if (isUnsigned) // the highest bit flipped, the order is that of signed
                  // numbers
    x = b.binary<XorOp>(x, -0x1p63);
  auto from = getTensorType(x);
  int64_t extent = from.getDimSize(axis);
  Type number = b.getInteger(extent);
  Value position = b.iota(from.clone(number), axis);
  bool last = op.getLast();
  TypedAttr inits[] = {
      getNeutral(isMax ? Combiner::Max : Combiner::Min, from.getElementType()),
      b.builder.getIntegerAttr(number, last ? -1 : extent)};
  auto reduce = ReduceOp::create(
      b.builder, b.loc, ValueRange{x, position}, inits, {axis},
      [&](OpBuilder &builder, Location loc, ValueRange best,
          ValueRange next) -> SmallVector<Value> {
        Value takes = precedes(isMax, last, next, best, builder, loc);
        SmallVector<Value> results;
        for (auto [taken, kept] : llvm::zip(next, best))
          results.push_back(
              arith::SelectOp::create(builder, loc, takes, taken, kept));
        return results;
      });
  Value result = b.cast(reduce.getResult(1), type.getElementType());
  return {b.reshape(result, type.getShape())};
}

void fusec::fuse::populateExpandReductions(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Expansion<ReductionOp>>(context, expandReduction);
  patterns.add<Expansion<CumulateOp>>(context, expandCumulate);
  patterns.add<Expansion<ArgMaxOp>>(context, expandArg<ArgMaxOp>);
  patterns.add<Expansion<ArgMinOp>>(context, expandArg<ArgMinOp>);
}
