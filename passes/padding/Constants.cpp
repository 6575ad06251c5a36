// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/padding/Constants.h"

#include "passes/graph/Elements.h"
#include "passes/padding/Pairing.h"

using namespace mlir;

namespace fusec::padding {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The elements of a constant, in order; nothing where it takes too long to
/// know them.
static std::optional<fuse::ConstantData> evaluate(fuse::Evaluator &evaluator,
                                                  Value value) {
  std::optional<fuse::ConstantData> data = evaluator.get(value);
  if (!data)
    return std::nullopt;
  return fuse::packData(*data, typeOf(value));
}

/// The numbers of a constant.
static Column readAll(const fuse::ConstantData &data) {
  Type element = data.type.getElementType();
  Column column{isa<FloatType>(element), {}, {}};
  const size_t count = data.type.getNumElements();
  column.resize(count);
  fuse::ElementAccess(element).read(data.bytes.data(), /*stride=*/1, count,
                                    column, 0);
  return column;
}

/// If all elements of a constant are one number, this one.
Scalar Constants::getUniform(fuse::Evaluator &evaluator, Value value) {
  Type element = typeOf(value).getElementType();
  std::optional<double> number;
  if (isa<FloatType>(element))
    number = fuse::getUniformFloat(value);
  else if (auto integer = fuse::getUniformInteger(value))
    number = double(*integer);
  if (number)
    return Scalar::of(element, *number);
  if (typeOf(value).getNumElements() != 1)
    return {};
  std::optional<fuse::ConstantData> data = evaluate(evaluator, value);
  if (!data)
    return {};
  Column all = readAll(*data);
  return Scalar::of(element, all.isFloat ? all.floats[0] : double(all.ints[0]));
}

SmallVector<int64_t, 2> Constants::findFree(Value value) {
  SmallVector<int64_t, 2> free;
  const bool isUniform = getUniform(evaluator, value).kind == Scalar::Known;
  std::optional<fuse::ConstantData> data = fuse::getConstantData(value);
  for (int64_t axis = 0; axis < typeOf(value).getRank(); ++axis)
    if (isUniform || (data && !data->map.isFunctionOfDim(axis)))
      free.push_back(axis);
  return free;
}

/// Calls `visit` with the position of each element of `shape` and its indices.
static void
forEach(ArrayRef<int64_t> shape,
        llvm::function_ref<void(int64_t, ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  for (int64_t at = 0; at < count; ++at) {
    visit(at, index);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis])
        break;
      index[axis] = 0;
    }
  }
}

Facts Constants::describe(Value value, ArrayRef<Coordinate> coordinates) {
  Facts facts;
  facts.kept = getUniform(evaluator, value);
  facts.free = findFree(value);
  for (const Coordinate &coordinate : coordinates)
    facts.add(coordinate, facts.kept);
  if (coordinates.empty() || facts.kept.kind == Scalar::Known)
    return facts;
  std::optional<fuse::ConstantData> data = evaluate(evaluator, value);
  if (!data)
    return facts;
  Column numbers = readAll(*data);
  Type element = data->type.getElementType();
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  SmallVector<int64_t> axes;
  for (const Coordinate &coordinate : facts.coordinates)
    axes.push_back(findPlace(coordinate, shape)->axis);
  SmallVector<std::optional<Scalar>> same(axes.size());
  // Which elements one coordinate can drop while the others keep them, at some
  // extent of the run.
  forEach(shape, [&](int64_t at, ArrayRef<int64_t> index) {
    for (auto [number, coordinate] : llvm::enumerate(facts.coordinates)) {
      int64_t first = symbols[coordinate.symbol].least;
      for (auto [other, axis] : llvm::zip_equal(facts.coordinates, axes))
        if (other.symbol == coordinate.symbol && !(other == coordinate))
          first = std::max(first, index[axis] + 1);
      if (index[axes[number]] < first)
        continue;
      Scalar known =
          Scalar::of(element, numbers.isFloat ? numbers.floats[at]
                                              : double(numbers.ints[at]));
      if (same[number].value_or(known) == known)
        same[number] = known;
      else
        same[number] = Scalar();
    }
  });
  for (auto [tail, scalar] : llvm::zip_equal(facts.tails, same))
    tail = scalar.value_or(Scalar());
  return facts;
}

/// Whether `value` and `other` are computed alike, so that each element that
/// both have is the same.
bool Constants::areAlike(Value value, Value other) {
  Operation *op = value.getDefiningOp(), *with = other.getDefiningOp();
  if (op->getName() != with->getName() ||
      op->getNumOperands() != with->getNumOperands() || op->getNumRegions())
    return false;
  if (auto weight = dyn_cast<fuse::GetWeightOp>(op)) {
    auto find = [](fuse::GetWeightOp get) {
      return SymbolTable::lookupNearestSymbolFrom<fuse::WeightOp>(
          get, get.getWeightAttr());
    };
    return value.getType() == other.getType() &&
           find(weight).getBytes() ==
               find(cast<fuse::GetWeightOp>(with)).getBytes();
  }
  if (op->getAttrDictionary() != with->getAttrDictionary())
    return false;
  auto primitive = dyn_cast<fuse::PrimitiveOpInterface>(op);
  if (primitive
          ? !accessAlike(primitive, cast<fuse::PrimitiveOpInterface>(with))
          : value.getType() != other.getType())
    return false;
  return llvm::all_of(llvm::zip_equal(op->getOperands(), with->getOperands()),
                      [&](auto pair) {
                        return areAlike(std::get<0>(pair), std::get<1>(pair));
                      });
}

bool Constants::agree(Value value, const Facts &facts, Value other,
                      ArrayRef<int64_t> extents) {
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  SmallVector<int64_t> kept = getKeptShape(shape, facts.coordinates, extents);
  fuse::Evaluator otherEvaluator;
  if (typeOf(other).getRank() == typeOf(value).getRank())
    for (int64_t axis : facts.free)
      kept[axis] = typeOf(other).getDimSize(axis);
  if (typeOf(other) !=
      RankedTensorType::get(kept, typeOf(value).getElementType()))
    return false;
  if (facts.kept.kind == Scalar::Known)
    return getUniform(otherEvaluator, other) == facts.kept;
  if (areAlike(value, other))
    return true;
  if (llvm::any_of(facts.free,
                   [&](int64_t axis) { return kept[axis] > shape[axis]; }))
    return false;
  std::optional<fuse::ConstantData> mine = evaluate(evaluator, value);
  std::optional<fuse::ConstantData> theirs = evaluate(otherEvaluator, other);
  if (!mine || !theirs)
    return false;
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * shape[axis];
  const int64_t count = typeOf(other).getNumElements();
  const size_t bytes = theirs->bytes.size() / std::max<int64_t>(count, 1);
  bool isSame = true;
  forEach(kept, [&](int64_t at, ArrayRef<int64_t> index) {
    int64_t place = 0;
    for (auto [i, stride] : llvm::zip_equal(index, strides))
      place += i * stride;
    isSame &= std::memcmp(mine->bytes.data() + place * bytes,
                          theirs->bytes.data() + at * bytes, bytes) == 0;
  });
  return isSame;
}

} // namespace fusec::padding
