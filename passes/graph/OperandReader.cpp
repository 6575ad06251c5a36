// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/OperandReader.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

OperandReader::OperandReader(PrimitiveOpInterface op, unsigned index,
                             ConstantData source, unsigned along)
    : data(std::move(source)), access(data.type.getElementType()),
      map(op.getOperandMap(index)),
      shape(getTensorType(op->getOperand(index)).getShape()),
      fill(op.getPadding(index)), indirect(op.getIndirect(index)),
      along(along) {
  if (map.getNumSymbols())
    return;
  std::optional<SmallVector<Linear>> place = getLinear(data.map.compose(map));
  std::optional<SmallVector<Linear>> functions = getLinear(map);
  if (!place || !functions)
    return;
  isLinear = true;
  indices = std::move(*functions);
  offset.steps.assign(map.getNumDims(), 0);
  for (auto [function, extent] : llvm::zip(*place, data.type.getShape())) {
    offset.origin = offset.origin * extent + function.origin;
    for (auto [sum, step] : llvm::zip(offset.steps, function.steps))
      sum = sum * extent + step;
  }
}

/// An integer as columns hold it.
static int64_t widen(IntegerAttr value) {
  Type type = value.getType();
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  return isUnsigned ? int64_t(value.getValue().getZExtValue())
                    : value.getValue().getSExtValue();
}

static void fillWith(TypedAttr fill, Column &to, size_t begin, size_t end) {
  if (auto number = dyn_cast<FloatAttr>(fill))
    std::fill(to.floats.begin() + begin, to.floats.begin() + end,
              number.getValueAsDouble());
  else
    std::fill(to.ints.begin() + begin, to.ints.begin() + end,
              widen(cast<IntegerAttr>(fill)));
}

bool OperandReader::read(ArrayRef<int64_t> point, size_t count, Column &to,
                         size_t at, ArrayRef<const Column *> symbols) const {
  if (!isLinear)
    return readEach(point, count, to, at, symbols);
  readLinear(point, count, to, at);
  return true;
}

void OperandReader::readLinear(ArrayRef<int64_t> point, size_t count,
                               Column &to, size_t at) const {
  auto [begin, end] =
      fill ? insideOf(point, count) : std::pair(size_t(0), count);
  int64_t slope = offset.steps.empty() ? 0 : offset.steps[along];
  int64_t first = offset.at(point) + int64_t(begin) * slope;
  if (begin < end)
    access.read(data.bytes.data() + first * access.size(), slope, end - begin,
                to, at + begin);
  if (!fill)
    return;
  fillWith(fill, to, at, at + begin);
  fillWith(fill, to, at + end, at + count);
}

/// The positions [begin, end) of a run whose indices lie inside.
std::pair<size_t, size_t> OperandReader::insideOf(ArrayRef<int64_t> point,
                                                  size_t count) const {
  int64_t begin = 0, end = count;
  for (auto [index, extent] : llvm::zip(indices, shape)) {
    int64_t first = index.at(point);
    int64_t slope = index.steps.empty() ? 0 : index.steps[along];
    if (slope == 0 && (first < 0 || first >= extent))
      return {0, 0};
    // 0 <= first + i * slope < extent, solved for i.
    if (slope > 0) {
      begin = std::max(begin, llvm::divideCeilSigned(-first, slope));
      end = std::min(end, llvm::divideCeilSigned(extent - first, slope));
    } else if (slope < 0) {
      begin =
          std::max(begin, llvm::divideFloorSigned(first - extent, -slope) + 1);
      end = std::min(end, llvm::divideFloorSigned(first, -slope) + 1);
    }
  }
  return begin < end ? std::pair(size_t(begin), size_t(end))
                     : std::pair(size_t(0), size_t(0));
}

static int64_t compute(AffineExpr expr, ArrayRef<int64_t> dims,
                       ArrayRef<int64_t> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = compute(binary.getLHS(), dims, symbols);
  int64_t rhs = compute(binary.getRHS(), dims, symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(lhs, rhs);
  case AffineExprKind::CeilDiv:
    return llvm::divideCeilSigned(lhs, rhs);
  default:
    return llvm::mod(lhs, rhs);
  }
}

bool OperandReader::readEach(ArrayRef<int64_t> point, size_t count, Column &to,
                             size_t at,
                             ArrayRef<const Column *> symbols) const {
  SmallVector<int64_t> dims(point), values(symbols.size()),
      inside(shape.size());
  for (size_t i = 0; i < count; ++i, ++at) {
    for (auto [value, column] : llvm::zip(values, symbols))
      value = column->ints[at];
    bool isInside = true;
    for (auto [index, expr, extent] :
         llvm::zip(inside, map.getResults(), shape)) {
      index = compute(expr, dims, values);
      isInside &= index >= 0 && index < extent;
    }
    if (isInside) {
      int64_t place = 0;
      for (auto [expr, extent] :
           llvm::zip(data.map.getResults(), data.type.getShape()))
        place = place * extent + compute(expr, inside, {});
      access.read(data.bytes.data() + place * access.size(), 0, 1, to, at);
    } else if (fill) {
      fillWith(fill, to, at, at + 1);
    } else {
      return false;
    }
    if (!dims.empty())
      ++dims[along];
  }
  return true;
}
