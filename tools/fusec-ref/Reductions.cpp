// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named reductions by their formulas, and fuse.reduce by its combiner region.
#include "tools/fusec-ref/Evaluator.h"
#include "tools/fusec-ref/Indexing.h"
#include "tools/fusec-ref/Numbers.h"
#include "tools/fusec-ref/Scalars.h"

#include <limits>

using namespace fusec::fuse;
using fusec::io::OpClass;
using llvm::Error;

namespace fusec::ref {
namespace {

/// The elements that one result element is reduced from.
template <typename T> struct Row {
  const std::vector<T> &values; ///< of all rows
  int64_t start;
  const Offsets &along;

  T operator[](int64_t offset) const { return values[start + offset]; }

  /// Sum of f(element).
  template <typename F> T sum(F f) const {
    T total = 0;
    for (int64_t offset : along)
      total = add(total, f((*this)[offset]));
    return total;
  }
  /// `combine` over all elements, from `start`.
  template <typename F> T fold(T from, F combine) const {
    for (int64_t offset : along)
      from = combine(from, (*this)[offset]);
    return from;
  }
};

/// log sum exp(x) = m + log sum exp(x - m) with m = max x, which keeps exp in
/// range; an infinite m is left out, or inf - inf would make NaN.
double logSumExp(const Row<double> &row) {
  double largest =
      row.fold(-INFINITY, [](double a, double b) { return maximum(a, b); });
  double shift = std::isinf(largest) ? 0 : largest;
  return shift +
         std::log(row.sum([=](double x) { return std::exp(x - shift); }));
}

/// The least and the greatest value of an integer type: the maximum and the
/// minimum of nothing.
struct Range {
  int64_t lowest = INT64_MIN, highest = INT64_MAX;
  bool isUnsigned = false; ///< 64 bits without a sign
};

Range rangeOf(io::ElementType type) {
  if (io::isFloat(type))
    return {};
  Range range;
  unsigned bits = io::getInfo(type).bytes * 8;
  switch (type) {
  case io::ElementType::Bool:
    return {0, 1, false};
  case io::ElementType::U8:
  case io::ElementType::U16:
  case io::ElementType::U32:
    return {0, (int64_t(1) << bits) - 1, false};
  default: // u64 is reduced in the order of int64_t.
    return {range.lowest >> (64 - bits), range.highest >> (64 - bits),
            type == io::ElementType::U64};
  }
}

double reduceRow(ReductionKind kind, const Row<double> &row, Range) {
  auto identity = [](double x) { return x; };
  auto square = [](double x) { return x * x; };
  switch (kind) {
  case ReductionKind::sum:
    return row.sum(identity);
  case ReductionKind::mean:
    return row.sum(identity) / double(row.along.size());
  case ReductionKind::max:
    return row.fold(-INFINITY,
                    [](double a, double b) { return maximum(a, b); });
  case ReductionKind::min:
    return row.fold(INFINITY, [](double a, double b) { return minimum(a, b); });
  case ReductionKind::prod:
    return row.fold(1, [](double a, double b) { return a * b; });
  case ReductionKind::l1:
    return row.sum([](double x) { return std::fabs(x); });
  case ReductionKind::l2:
    return std::sqrt(row.sum(square));
  case ReductionKind::log_sum:
    return std::log(row.sum(identity));
  case ReductionKind::log_sum_exp:
    return logSumExp(row);
  case ReductionKind::sum_square:
    return row.sum(square);
  }
  llvm_unreachable("unknown reduction");
}

/// Sums wrap; what is no integer (a mean, a root, a logarithm) truncates.
int64_t reduceRow(ReductionKind kind, const Row<int64_t> &row, Range range) {
  auto identity = [](int64_t x) { return x; };
  auto square = [](int64_t x) { return multiply(x, x); };
  switch (kind) {
  case ReductionKind::sum:
    return row.sum(identity);
  case ReductionKind::mean:
    if (range.isUnsigned)
      return int64_t(uint64_t(row.sum(identity)) /
                     std::max<uint64_t>(row.along.size(), 1));
    return divide(row.sum(identity), int64_t(row.along.size()));
  case ReductionKind::max:
    return row.fold(range.lowest,
                    [](int64_t a, int64_t b) { return maximum(a, b); });
  case ReductionKind::min:
    return row.fold(range.highest,
                    [](int64_t a, int64_t b) { return minimum(a, b); });
  case ReductionKind::prod:
    return row.fold(1, [](int64_t a, int64_t b) { return multiply(a, b); });
  case ReductionKind::l1:
    return row.sum([](int64_t x) { return x < 0 ? subtract(0, x) : x; });
  case ReductionKind::l2:
    return int64_t(std::sqrt(double(row.sum(square))));
  case ReductionKind::log_sum:
    return int64_t(std::log(double(row.sum(identity))));
  case ReductionKind::log_sum_exp: {
    std::vector<double> values;
    for (int64_t offset : row.along)
      values.push_back(double(row[offset]));
    Offsets along = line(values.size(), 1);
    return int64_t(logSumExp({values, 0, along}));
  }
  case ReductionKind::sum_square:
    return row.sum(square);
  }
  llvm_unreachable("unknown reduction");
}

/// Maps the order of uint64_t to that of int64_t and back, for maxima and
/// minima.
template <typename T>
void flipOrder(ReductionKind kind, std::vector<T> &values) {
  if constexpr (std::is_same_v<T, int64_t>)
    if (kind == ReductionKind::max || kind == ReductionKind::min)
      for (T &value : values)
        value ^= INT64_MIN;
}

Error evaluateReduction(ReductionOp op, Evaluation &e) {
  const std::vector<int64_t> &shape = e.operands[0]->shape;
  Offsets along = offsetsAlong(shape, op.getDims());
  Offsets starts = offsetsAlong(shape, otherDims(shape.size(), op.getDims()));
  return e.withNumber([&](auto zero) {
    using T = decltype(zero);
    std::vector<T> values = e.load<T>(0), result;
    bool isUnsigned = e.resultType() == io::ElementType::U64;
    if (isUnsigned)
      flipOrder(op.getKind(), values);
    for (int64_t start : starts)
      result.push_back(reduceRow(op.getKind(), Row<T>{values, start, along},
                                 rangeOf(e.resultType())));
    if (isUnsigned)
      flipOrder(op.getKind(), result);
    return e.store(result);
  });
}

/// Whether `a` is more extreme than `b`; nothing is more extreme than NaN.
template <typename T> bool exceeds(T a, T b, bool isMax) {
  if constexpr (std::is_same_v<T, double>)
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) && !std::isnan(b);
  return isMax ? a > b : a < b;
}

/// The position of the extreme of each row along `axis`.
template <typename T>
Error findExtremes(Evaluation &e, int64_t axis, bool isMax, bool last) {
  std::vector<T> values = e.load<T>(0);
  if constexpr (std::is_same_v<T, int64_t>)
    if (e.operands[0]->type == io::ElementType::U64)
      for (T &value : values)
        value ^= INT64_MIN;
  const std::vector<int64_t> &shape = e.operands[0]->shape;
  Offsets along = offsetsAlong(shape, {axis});
  std::vector<int64_t> result;
  for (int64_t start : offsetsAlong(shape, otherDims(shape.size(), {axis}))) {
    size_t best = 0;
    for (size_t i = 1; i < along.size(); ++i) {
      T here = values[start + along[i]], there = values[start + along[best]];
      if (exceeds(here, there, isMax) || (last && !exceeds(there, here, isMax)))
        best = i;
    }
    result.push_back(int64_t(best));
  }
  return e.store(result);
}

template <typename Op> Error evaluateArg(Op op, Evaluation &e) {
  bool isMax = std::is_same_v<Op, ArgMaxOp>;
  int64_t axis = op.getAxis();
  return io::isFloat(e.operands[0]->type)
             ? findExtremes<double>(e, axis, isMax, op.getLast())
             : findExtremes<int64_t>(e, axis, isMax, op.getLast());
}

/// Elements of a tensor of either kind, as scalars of a combiner.
struct Scalars {
  std::vector<double> floats;
  std::vector<int64_t> ints;

  Scalar at(int64_t offset) const {
    Scalar scalar;
    if (ints.empty())
      scalar.f = floats[offset];
    else
      scalar.i = ints[offset];
    return scalar;
  }
};

Scalar initialScalar(mlir::Attribute init) {
  Scalar scalar;
  if (auto value = llvm::dyn_cast<mlir::FloatAttr>(init))
    scalar.f = value.getValueAsDouble();
  else
    scalar.i = llvm::cast<mlir::IntegerAttr>(init).getValue().getSExtValue();
  if (auto type = llvm::cast<mlir::TypedAttr>(init).getType();
      type.isInteger(1))
    scalar.i &= 1;
  return scalar;
}

Error storeScalars(Evaluation &e, unsigned index,
                   const std::vector<Scalar> &scalars) {
  if (io::isFloat(e.resultType(index))) {
    std::vector<double> values;
    for (Scalar scalar : scalars)
      values.push_back(scalar.f);
    return e.store(values, index);
  }
  std::vector<int64_t> values;
  for (Scalar scalar : scalars)
    values.push_back(scalar.i);
  return e.store(values, index);
}

Error evaluateReduce(ReduceOp op, Evaluation &e) {
  llvm::Expected<ScalarProgram> program =
      ScalarProgram::create(op.getCombiner().front());
  if (!program)
    return program.takeError();
  std::vector<Scalars> inputs;
  for (auto [index, operand] : llvm::enumerate(e.operands)) {
    bool isFloat = io::isFloat(operand->type);
    inputs.push_back(
        {isFloat ? e.load<double>(index) : std::vector<double>(),
         isFloat ? std::vector<int64_t>() : e.load<int64_t>(index)});
  }
  const std::vector<int64_t> &shape = e.operands[0]->shape;
  Offsets along = offsetsAlong(shape, op.getDims());
  Offsets starts = offsetsAlong(shape, otherDims(shape.size(), op.getDims()));
  size_t count = op.getResults().size();
  std::vector<std::vector<Scalar>> results(count);
  std::vector<Scalar> slots = program->makeSlots(), accumulators(count);
  for (int64_t start : starts) {
    for (size_t r = 0; r < count; ++r)
      accumulators[r] = initialScalar(op.getInits()[r]);
    for (int64_t offset : along) {
      llvm::copy(accumulators, slots.begin());
      for (size_t i = 0; i < inputs.size(); ++i)
        slots[count + i] = inputs[i].at(start + offset);
      program->run(slots);
      for (size_t r = 0; r < count; ++r)
        accumulators[r] = slots[program->yielded()[r]];
    }
    for (size_t r = 0; r < count; ++r)
      results[r].push_back(accumulators[r]);
  }
  for (size_t r = 0; r < count; ++r)
    if (Error error = storeScalars(e, r, results[r]))
      return error;
  return Error::success();
}

/// Each row, element after element, as the definition says.
Error evaluateCumulate(CumulateOp op, Evaluation &e) {
  return e.withNumber([&](auto number) -> Error {
    using T = decltype(number);
    std::vector<T> x = e.load<T>(0), y(x.size());
    std::vector<int64_t> shape = e.resultShape();
    Offsets along = offsetsAlong(shape, {int64_t(op.getAxis())});
    if (op.getReverse())
      std::reverse(along.begin(), along.end());
    bool isSum = op.getKind() == ReductionKind::sum;
    for (int64_t start : offsetsAlong(
             shape, otherDims(shape.size(), {int64_t(op.getAxis())}))) {
      T total = isSum ? 0 : 1;
      for (int64_t offset : along) {
        T before = total;
        total = isSum ? add(total, x[start + offset])
                      : multiply(total, x[start + offset]);
        y[start + offset] = op.getExclusive() ? before : total;
      }
    }
    return e.store(y);
  });
}

} // namespace

void addReductions(Registry &registry) {
  registry.add<ReductionOp>(OpClass::Reduction, evaluateReduction);
  registry.add<CumulateOp>(OpClass::Reduction, evaluateCumulate);
  registry.add<ReduceOp>(OpClass::Reduction, evaluateReduce);
  registry.add<ArgMaxOp>(OpClass::Exact, evaluateArg<ArgMaxOp>);
  registry.add<ArgMinOp>(OpClass::Exact, evaluateArg<ArgMinOp>);
}

} // namespace fusec::ref
