// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named reductions.
#include "passes/graph/ExpandComposites.h"

#include <limits>

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

// m + log sum exp(x - m) with m = max x. Where the maximum is infinite, m is 0:
// infinity minus itself would be NaN.
static Value buildLogSumExp(Value x, ArrayRef<int64_t> dims, TensorBuilder &b) {
  Value max = b.reduce(Combiner::max, x, dims);
  Value magnitude = b.unary<AbsOp>(max);
  Value infinity =
      b.splatLike(std::numeric_limits<double>::infinity(), max);
  Value infinite = b.compare(CmpPredicate::eq, magnitude, infinity);
  Value m = b.select(infinite, b.splatLike(0, max), max);
  Value shifted = b.sub(x, b.broadcastBack(m, getTensorType(x).getShape(), dims));
  Value sum = b.reduce(Combiner::add, b.unary<ExpOp>(shifted), dims);
  return b.add(b.unary<LogOp>(sum), m);
}

/// The reduction of `x` over `dims`, which the result lacks.
static Value buildReduction(ReductionKind kind, Value x, ArrayRef<int64_t> dims,
                            TensorBuilder &b) {
  auto sum = [&](Value value) { return b.reduce(Combiner::add, value, dims); };
  switch (kind) {
  case ReductionKind::sum:
    return sum(x);
  case ReductionKind::mean:
    return b.mean(x, dims);
  case ReductionKind::max:
    return b.reduce(Combiner::max, x, dims);
  case ReductionKind::min:
    return b.reduce(Combiner::min, x, dims);
  case ReductionKind::prod:
    return b.reduce(Combiner::mul, x, dims);
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
  Value sum = b.cast(b.reduce(Combiner::add, wide, dims), type);
  return b.binary<DivOp>(sum, double(count));
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

void fusec::fuse::populateExpandReductions(RewritePatternSet &patterns) {
  patterns.add<Expansion<ReductionOp>>(patterns.getContext(), expandReduction);
}
