// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/padding/Positions.h"

#include "dialects/fuse/Growing.h"
#include "passes/graph/ConstantData.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace fusec::padding {

/// The elements of a constant that is looked at.
static constexpr int64_t kMostElements = 1 << 20;

SmallVector<IndexRange> rangesOf(ArrayRef<int64_t> extents) {
  return llvm::map_to_vector(
      extents, [](int64_t extent) { return IndexRange{0, extent - 1}; });
}

AffineExpr simplify(AffineExpr expr, ArrayRef<int64_t> extents) {
  MLIRContext *context = expr.getContext();
  SmallVector<AffineExpr> dims;
  for (auto [d, extent] : llvm::enumerate(extents))
    dims.push_back(extent == 1 ? getAffineConstantExpr(0, context)
                               : getAffineDimExpr(d, context));
  return simplifyInRange(expr.replaceDims(dims), rangesOf(extents));
}

namespace {
/// What a body makes of numbers that are known at a point.
class Point {
public:
  Point(ArrayRef<int64_t> extents, MLIRContext *context)
      : extents(extents), ranges(rangesOf(extents)), context(context) {}

  void set(Value value, AffineExpr expr) {
    numbers[value] = simplify(expr, extents);
  }
  AffineExpr get(Value value) const { return numbers.lookup(value); }
  void run(Operation &op);
  /// The value where each number that it may be has the type; nothing where
  /// some do not. Booleans are numbers other than 0, and 0.
  AffineExpr cast(AffineExpr value, Type type) const;

private:
  AffineExpr compute(Operation &op);
  AffineExpr multiply(AffineExpr lhs, AffineExpr rhs) const;
  /// Whether lhs - rhs is never less than `least` (true) or always (false);
  /// nothing if it depends on the point.
  std::optional<bool> isAtLeast(AffineExpr lhs, AffineExpr rhs,
                                int64_t least) const;
  AffineExpr compare(arith::CmpIOp op) const;

  ArrayRef<int64_t> extents;
  SmallVector<IndexRange> ranges;
  MLIRContext *context;
  llvm::DenseMap<Value, AffineExpr> numbers;
};
} // namespace

/// The integers of `value` if it is a constant that is looked at.
static std::optional<SmallVector<int64_t>> getNumbers(Value value) {
  auto type = fuse::getTensorType(value);
  std::optional<fuse::ConstantData> data = fuse::getFixedData(value);
  if (!data || !data->isWhole(type) || type.getNumElements() == 0 ||
      type.getNumElements() > kMostElements)
    return std::nullopt;
  return fuse::getIntegers(*data);
}

/// The elements of a tensor of this shape, which has some, if they grow by the
/// same step along each dimension.
static AffineExpr findSteps(ArrayRef<int64_t> numbers, ArrayRef<int64_t> shape,
                            MLIRContext *context) {
  AffineExpr expr = getAffineConstantExpr(numbers.front(), context);
  SmallVector<int64_t> steps(shape.size(), 0);
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) {
    if (shape[axis] > 1)
      steps[axis] = numbers[stride] - numbers.front();
    expr = expr + getAffineDimExpr(axis, context) * steps[axis];
  }
  for (auto [at, number] : llvm::enumerate(numbers)) {
    int64_t expected = numbers.front(), rest = at;
    for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
      expected += rest % shape[axis] * steps[axis];
    if (number != expected)
      return {};
  }
  return expr;
}

SmallVector<AffineExpr> getReshapedIndices(fuse::ReshapeOp op) {
  MLIRContext *context = op.getContext();
  ArrayRef<int64_t> from = fuse::getTensorType(op.getOperand()).getShape(),
                    to = op.getType().getShape();
  SmallVector<AffineExpr> dims;
  for (unsigned d = 0; d < to.size(); ++d)
    dims.push_back(getAffineDimExpr(d, context));
  SmallVector<AffineExpr> indices = delinearize(
      linearize(context, dims, computeStrides(to)), computeStrides(from));
  for (AffineExpr &index : indices)
    index = simplify(index, to);
  return indices;
}

AffineExpr Positions::find(Value value, unsigned steps) {
  auto type = fuse::getTensorType(value);
  if (steps == 0 || !type.getElementType().isInteger())
    return {};
  auto [place, isNew] = known.try_emplace(value);
  if (isNew) {
    AffineExpr found = compute(value, steps);
    known[value] = found; // `place` may be gone
    return found;
  }
  return place->second;
}

AffineExpr Positions::findPart(Value value, unsigned axis, int64_t index) {
  MLIRContext *context = value.getContext();
  SmallVector<int64_t> shape(fuse::getTensorType(value).getShape());
  const int64_t extent = shape[axis];
  if (std::optional<SmallVector<int64_t>> all = getNumbers(value)) {
    shape.erase(shape.begin() + axis);
    int64_t inner =
        ShapedType::getNumElements(ArrayRef(shape).drop_front(axis));
    SmallVector<int64_t> part;
    for (auto [at, number] : llvm::enumerate(*all))
      if (int64_t(at) / inner % extent == index)
        part.push_back(number);
    return findSteps(part, shape, context);
  }
  auto concat = value.getDefiningOp<fuse::ConcatOp>();
  if (concat && concat.getAxis() == axis)
    for (Value operand : concat.getOperands()) {
      const int64_t own = fuse::getTensorType(operand).getDimSize(axis);
      if (index < own) {
        value = operand;
        break;
      }
      index -= own;
    }
  AffineExpr expr = find(value);
  SmallVector<AffineExpr> dims;
  for (unsigned d = 0; d + 1 < shape.size(); ++d)
    dims.push_back(getAffineDimExpr(d, context));
  dims.insert(dims.begin() + axis, getAffineConstantExpr(index, context));
  return expr ? expr.replaceDims(dims) : expr;
}

/// Of an argument that says how many rows the caches of a model hold, the
/// number for which the model is written: where a model counts the rows of a
/// flattened mask by it, it is the extent that the mask has here. What follows
/// from it only there is no repetition at other lengths, and refused.
static std::optional<int64_t> getLength(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto main = argument
                  ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                  : func::FuncOp();
  auto room = main ? main.getArgAttrOfType<DenseI64ArrayAttr>(
                         argument.getArgNumber(), fuse::kRoomAttr)
                   : DenseI64ArrayAttr();
  return room ? std::optional(room[1] - room[0]) : std::nullopt;
}

AffineExpr Positions::compute(Value value, unsigned steps) {
  MLIRContext *context = value.getContext();
  auto type = fuse::getTensorType(value);
  if (std::optional<int64_t> length = getLength(value))
    return getAffineConstantExpr(*length, context);
  if (std::optional<int64_t> number = fuse::getUniformInteger(value))
    return getAffineConstantExpr(*number, context);
  if (std::optional<SmallVector<int64_t>> numbers = getNumbers(value))
    return findSteps(*numbers, type.getShape(), context);
  if (auto reshape = value.getDefiningOp<fuse::ReshapeOp>()) {
    AffineExpr expr = find(reshape.getOperand(), steps - 1);
    if (!expr || type.getNumElements() == 0)
      return {};
    return simplify(expr.replaceDims(getReshapedIndices(reshape)),
                    type.getShape());
  }
  if (auto slice = value.getDefiningOp<fuse::SliceOp>())
    if (auto concat = slice.getOperand().getDefiningOp<fuse::ConcatOp>())
      return computePart(slice, concat, steps);
  auto op = value.getDefiningOp<fuse::PrimitiveOpInterface>();
  return op ? computeBody(op, steps) : AffineExpr();
}

/// An extent among those that a shape is put together of.
AffineExpr Positions::computePart(fuse::SliceOp slice, fuse::ConcatOp concat,
                                  unsigned steps) {
  const unsigned axis = concat.getAxis();
  const int64_t first = slice.getOffsets()[axis],
                last = first + (slice.getType().getDimSize(axis) - 1) *
                                   slice.getStrides()[axis];
  int64_t begin = 0;
  for (Value operand : concat.getOperands()) {
    const int64_t end = begin + fuse::getTensorType(operand).getDimSize(axis);
    if (first >= begin && last < end) {
      AffineExpr expr = find(operand, steps - 1);
      SmallVector<AffineExpr> indices;
      for (auto [d, offset] : llvm::enumerate(slice.getOffsets()))
        indices.push_back(getAffineDimExpr(d, slice.getContext()) *
                              slice.getStrides()[d] +
                          (offset - (d == axis ? begin : 0)));
      return expr ? simplify(expr.replaceDims(indices),
                             slice.getType().getShape())
                  : expr;
    }
    begin = end;
  }
  return {};
}

AffineExpr Positions::computeBody(fuse::PrimitiveOpInterface op,
                                  unsigned steps) {
  if (op.hasReduction() || op->getNumResults() != 1 ||
      !op.getResultMap(0).isIdentity())
    return {};
  const SmallVector<int64_t> extents = op.getIterationExtents();
  Block body;
  const SmallVector<Value> results = fuse::buildBodyIn(body, op);
  Point point(extents, op.getContext());
  unsigned argument = 0;
  for (; argument < extents.size(); ++argument)
    point.set(body.getArgument(argument),
              getAffineDimExpr(argument, op.getContext()));
  for (OpOperand &operand : op->getOpOperands()) {
    const unsigned number = operand.getOperandNumber();
    if (!op.getIndirect(number).empty() || op.getPadding(number))
      return {};
    if (AffineExpr expr = find(operand.get(), steps - 1))
      point.set(body.getArgument(argument + number),
                expr.replaceDims(op.getOperandMap(number).getResults()));
  }
  for (Operation &inner : body)
    point.run(inner);
  // What is stored may have fewer bits than what is computed.
  Type stored = fuse::getTensorType(op->getResult(0)).getElementType();
  return point.cast(point.get(results.front()), stored);
}

void Point::run(Operation &op) {
  if (op.getNumResults() != 1)
    return;
  // A number that the type does not have is another one.
  if (AffineExpr expr = cast(compute(op), op.getResult(0).getType()))
    numbers[op.getResult(0)] = simplify(expr, extents);
}

std::optional<bool> Point::isAtLeast(AffineExpr lhs, AffineExpr rhs,
                                     int64_t least) const {
  const IndexRange range = rangeOf(lhs - rhs, ranges);
  if (range.low && *range.low >= least)
    return true;
  if (range.high && *range.high < least)
    return false;
  return std::nullopt;
}

AffineExpr Point::compare(arith::CmpIOp op) const {
  AffineExpr lhs = get(op.getLhs()), rhs = get(op.getRhs());
  if (!lhs || !rhs)
    return {};
  const arith::CmpIPredicate predicate = op.getPredicate();
  if (predicate == arith::CmpIPredicate::sle ||
      predicate == arith::CmpIPredicate::slt)
    std::swap(lhs, rhs);
  else if (predicate != arith::CmpIPredicate::sge &&
           predicate != arith::CmpIPredicate::sgt)
    return {};
  const bool isStrict = predicate == arith::CmpIPredicate::slt ||
                        predicate == arith::CmpIPredicate::sgt;
  const std::optional<bool> holds = isAtLeast(lhs, rhs, isStrict);
  return holds ? getAffineConstantExpr(*holds, context) : AffineExpr();
}

/// Zero times anything is zero.
AffineExpr Point::multiply(AffineExpr lhs, AffineExpr rhs) const {
  for (AffineExpr factor : {lhs, rhs})
    if (factor && rangeOf(factor, ranges).isConstant() &&
        *rangeOf(factor, ranges).low == 0)
      return getAffineConstantExpr(0, context);
  if (!lhs || !rhs ||
      !(lhs.isSymbolicOrConstant() || rhs.isSymbolicOrConstant()))
    return {};
  return lhs * rhs;
}

AffineExpr Point::cast(AffineExpr value, Type type) const {
  if (!value || isa<IndexType>(type) || type.isInteger(1))
    return value;
  if (!type.isInteger())
    return {};
  const IndexRange range = rangeOf(value, ranges);
  const unsigned bits = type.getIntOrFloatBitWidth();
  return range.low && range.high && llvm::isIntN(bits, *range.low) &&
                 llvm::isIntN(bits, *range.high)
             ? value
             : AffineExpr();
}

AffineExpr Point::compute(Operation &op) {
  return llvm::TypeSwitch<Operation *, AffineExpr>(&op)
      .Case([&](arith::ConstantOp constant) {
        auto number = dyn_cast<IntegerAttr>(constant.getValue());
        return number ? getAffineConstantExpr(number.getInt(), context)
                      : AffineExpr();
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(
          [&](auto cast) {
            // A boolean that is extended is 0 or -1.
            return cast.getIn().getType().isInteger(1) ? AffineExpr()
                                                       : get(cast.getIn());
          })
      .Case([&](arith::AddIOp add) {
        AffineExpr lhs = get(add.getLhs()), rhs = get(add.getRhs());
        return lhs && rhs ? lhs + rhs : AffineExpr();
      })
      .Case([&](arith::SubIOp sub) {
        AffineExpr lhs = get(sub.getLhs()), rhs = get(sub.getRhs());
        return lhs && rhs ? lhs - rhs : AffineExpr();
      })
      .Case([&](arith::MulIOp mul) {
        return multiply(get(mul.getLhs()), get(mul.getRhs()));
      })
      .Case([&](arith::CmpIOp compared) { return compare(compared); })
      .Case([&](arith::SelectOp select) {
        auto condition =
            dyn_cast_or_null<AffineConstantExpr>(get(select.getCondition()));
        if (!condition)
          return AffineExpr();
        return get(condition.getValue() ? select.getTrueValue()
                                        : select.getFalseValue());
      })
      .Case<arith::MaxSIOp, arith::MinSIOp>([&](auto extreme) {
        AffineExpr lhs = get(extreme.getLhs()), rhs = get(extreme.getRhs());
        if (!lhs || !rhs)
          return AffineExpr();
        const bool isMax = isa<arith::MaxSIOp>(op);
        if (isAtLeast(lhs, rhs, 0).value_or(false))
          return isMax ? lhs : rhs;
        if (isAtLeast(rhs, lhs, 0).value_or(false))
          return isMax ? rhs : lhs;
        return AffineExpr();
      })
      .Default([](Operation *) { return AffineExpr(); });
}

} // namespace fusec::padding
