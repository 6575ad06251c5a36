// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/ConstantData.h"

#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

//===- Elements in memory ------------------------------------------------===//

template <typename T> static T readAt(const char *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

static double readNarrowFloat(const char *bytes, Type type) {
  APFloat value(cast<FloatType>(type).getFloatSemantics(),
                APInt(16, readAt<uint16_t>(bytes)));
  return value.convertToDouble();
}

static double readFloat(const char *bytes, Type type) {
  if (type.isF64())
    return readAt<double>(bytes);
  return type.isF32() ? readAt<float>(bytes) : readNarrowFloat(bytes, type);
}

static int64_t readInteger(const char *bytes, Type type) {
  switch (getTypeInfo(type)->storageBytes()) {
  case 1:
    if (type.isInteger(1) || type.isUnsignedInteger())
      return readAt<uint8_t>(bytes);
    return readAt<int8_t>(bytes);
  case 2:
    return type.isUnsignedInteger() ? int64_t(readAt<uint16_t>(bytes))
                                    : readAt<int16_t>(bytes);
  case 4:
    return type.isUnsignedInteger() ? int64_t(readAt<uint32_t>(bytes))
                                    : readAt<int32_t>(bytes);
  default:
    return readAt<int64_t>(bytes);
  }
}

static void writeElement(std::vector<char> &bytes, Type type, size_t index,
                         const Column &column, size_t at) {
  unsigned size = getTypeInfo(type)->storageBytes();
  char *to = bytes.data() + index * size;
  if (type.isF64()) {
    std::memcpy(to, &column.floats[at], size);
  } else if (type.isF32()) {
    float value = column.floats[at];
    std::memcpy(to, &value, size);
  } else if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat value(column.floats[at]);
    bool losesInfo;
    value.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    uint16_t bits = value.bitcastToAPInt().getZExtValue();
    std::memcpy(to, &bits, size);
  } else {
    int64_t value = column.ints[at];
    if (type.isInteger(1))
      value = value != 0;
    std::memcpy(to, &value, size);
  }
}

void fusec::fuse::loadElements(const ConstantData &data, int64_t first,
                               int64_t stride, size_t count, Column &column) {
  Type type = data.type.getElementType();
  int64_t size = getTypeInfo(type)->storageBytes();
  const char *from = data.bytes.data() + first * size;
  column.resize(count);
  for (size_t i = 0; i < count; ++i, from += stride * size) {
    if (column.isFloat)
      column.floats[i] = readFloat(from, type);
    else
      column.ints[i] = readInteger(from, type);
  }
}

static std::vector<char> getBytes(DenseElementsAttr elements) {
  Type type = elements.getElementType();
  size_t size = getTypeInfo(type)->storageBytes();
  std::vector<char> bytes(elements.getNumElements() * size);
  char *to = bytes.data();
  if (auto floatType = dyn_cast<FloatType>(type)) {
    for (APFloat value : elements.getValues<APFloat>()) {
      uint64_t bits = value.bitcastToAPInt().getZExtValue();
      std::memcpy(to, &bits, size);
      to += size;
    }
    return bytes;
  }
  for (APInt value : elements.getValues<APInt>()) {
    uint64_t bits = value.getZExtValue();
    std::memcpy(to, &bits, size);
    to += size;
  }
  return bytes;
}

//===- Finding constants -------------------------------------------------===//

static std::optional<ConstantData> getDirectData(Operation *op) {
  ConstantData data;
  data.type = getTensorType(op->getResult(0));
  data.map =
      AffineMap::getMultiDimIdentityMap(data.type.getRank(), op->getContext());
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements)
      return std::nullopt;
    data.owned = std::make_shared<std::vector<char>>(getBytes(elements));
    data.bytes = *data.owned;
    return data;
  }
  auto get = dyn_cast<GetWeightOp>(op);
  if (!get)
    return std::nullopt;
  data.weight =
      SymbolTable::lookupNearestSymbolFrom<WeightOp>(op, get.getWeightAttr());
  if (!data.weight)
    return std::nullopt;
  data.bytes = data.weight.getBytes();
  if (data.bytes.empty())
    return std::nullopt;
  return data;
}

std::optional<ConstantData> fusec::fuse::getConstantData(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<BroadcastOp, TransposeOp, SliceOp>(op)) {
    std::optional<ConstantData> data = getConstantData(op->getOperand(0));
    if (data)
      data->map =
          data->map.compose(cast<PrimitiveOpInterface>(op).getOperandMap(0));
    return data;
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    std::optional<ConstantData> data = getConstantData(reshape.getOperand());
    if (!data || !data->isWhole(getTensorType(reshape.getOperand())))
      return std::nullopt;
    data->type = reshape.getType();
    data->map = AffineMap::getMultiDimIdentityMap(data->type.getRank(),
                                                  op->getContext());
    return data;
  }
  return getDirectData(op);
}

/// The operand of a chain of broadcasts and reshapes.
static Value skipRepetition(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<BroadcastOp, ReshapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

static SplatElementsAttr getSplat(Value value) {
  auto constant = skipRepetition(value).getDefiningOp<ConstantOp>();
  return constant && getTensorType(constant).getNumElements() ? dyn_cast<SplatElementsAttr>(constant.getValue())
                  : SplatElementsAttr();
}

std::optional<double> fusec::fuse::getUniformFloat(Value value) {
  SplatElementsAttr splat = getSplat(value);
  if (!splat || !isa<FloatType>(splat.getElementType()))
    return std::nullopt;
  return splat.getSplatValue<APFloat>().convertToDouble();
}

std::optional<int64_t> fusec::fuse::getUniformInteger(Value value) {
  SplatElementsAttr splat = getSplat(value);
  if (!splat || !isa<IntegerType>(splat.getElementType()))
    return std::nullopt;
  APInt number = splat.getSplatValue<APInt>();
  bool isSigned =
      number.getBitWidth() != 1 && !splat.getElementType().isUnsignedInteger();
  return isSigned ? number.getSExtValue() : int64_t(number.getZExtValue());
}

SmallVector<int64_t> fusec::fuse::getIntegers(const ConstantData &data) {
  SmallVector<int64_t> values;
  Type type = data.type.getElementType();
  size_t size = getTypeInfo(type)->storageBytes();
  for (size_t at = 0; at < data.bytes.size(); at += size)
    values.push_back(readInteger(data.bytes.data() + at, type));
  return values;
}

//===- Creating constants ------------------------------------------------===//

static DenseElementsAttr getElements(RankedTensorType type,
                                     ArrayRef<char> bytes) {
  Type element = type.getElementType();
  size_t size = getTypeInfo(element)->storageBytes();
  unsigned width = element.getIntOrFloatBitWidth();
  SmallVector<Attribute> values;
  for (size_t at = 0; at < bytes.size(); at += size) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, size);
    APInt raw(width, bits, /*isSigned=*/false, /*implicitTrunc=*/true);
    if (auto floatType = dyn_cast<FloatType>(element))
      values.push_back(FloatAttr::get(
          floatType, APFloat(floatType.getFloatSemantics(), raw)));
    else
      values.push_back(IntegerAttr::get(element, raw));
  }
  return DenseElementsAttr::get(type, values);
}

Value fusec::fuse::createConstant(OpBuilder &builder, Location loc,
                                  RankedTensorType type, ArrayRef<char> bytes,
                                  StringRef hint) {
  if (type.getNumElements() <= ConstantOp::kMaxElements)
    return ConstantOp::create(builder, loc, type, getElements(type, bytes));
  MLIRContext *context = builder.getContext();
  auto module =
      builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  std::string name = hint.str();
  for (unsigned i = 2; module.lookupSymbol(name); ++i)
    name = hint.str() + "_" + std::to_string(i);
  // Readers go by bytes; 64 suits whoever looks closer.
  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, /*align=*/64);
  auto handle =
      DenseResourceElementsHandle::getManagerInterface(context).insert(
          name, std::move(blob));
  OpBuilder::InsertionGuard guard(builder);
  Location weightLoc = NameLoc::get(builder.getStringAttr(name));
  OpBuilder moduleBuilder = OpBuilder::atBlockBegin(module.getBody());
  WeightOp::create(moduleBuilder, weightLoc, name, StringAttr(),
                   DenseResourceElementsAttr::get(type, handle));
  return GetWeightOp::create(builder, loc, type, name);
}

//===- Evaluation --------------------------------------------------------===//

namespace {
/// Reads an operand at points of the iteration domain.
class OperandReader {
public:
  /// `fill` (or null) is read where `map` leads outside of `shape`.
  OperandReader(ConstantData data, AffineMap map, ArrayRef<int64_t> shape,
                TypedAttr fill, size_t rank)
      : data(std::move(data)), map(map), shape(shape), fill(fill) {
    AffineMap whole = this->data.map.compose(map);
    // Affine without division: the value at the origin, and what each iterator
    // adds.
    origin = offsetAt(whole, SmallVector<int64_t>(rank, 0));
    for (size_t d = 0; d < rank; ++d) {
      SmallVector<int64_t> unit(rank, 0);
      unit[d] = 1;
      steps.push_back(offsetAt(whole, unit) - origin);
    }
  }

  /// Fills a column along the last iterator from `point`, whose last entry is
  /// where it begins.
  void load(ArrayRef<int64_t> point, size_t count, Column &column) const {
    int64_t first = origin;
    for (auto [index, step] : llvm::zip(point, steps))
      first += index * step;
    int64_t step = steps.empty() ? 0 : steps.back();
    auto [begin, end] =
        fill ? insideOf(point, count) : std::pair(size_t(0), count);
    if (begin == 0 && end == count)
      return loadElements(data, first, step, count, column);
    Column inside;
    inside.isFloat = column.isFloat;
    loadElements(data, first + int64_t(begin) * step, step, end - begin,
                 inside);
    column.resize(count);
    auto place = [&, begin = begin](auto &to, const auto &from, auto value) {
      std::fill(to.begin(), to.end(), value);
      std::copy(from.begin(), from.end(), to.begin() + begin);
    };
    if (auto number = dyn_cast<FloatAttr>(fill))
      place(column.floats, inside.floats, number.getValueAsDouble());
    else
      place(column.ints, inside.ints, readFill(cast<IntegerAttr>(fill)));
  }

private:
  /// An integer as readInteger widens it.
  static int64_t readFill(IntegerAttr value) {
    Type type = value.getType();
    bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
    return isUnsigned ? int64_t(value.getValue().getZExtValue())
                      : value.getValue().getSExtValue();
  }

  /// The positions [begin, end) of a column from `point` on that lie inside.
  std::pair<size_t, size_t> insideOf(ArrayRef<int64_t> point,
                                     size_t count) const {
    auto isInside = [&](size_t i) {
      SmallVector<int64_t> at(point);
      if (!at.empty())
        at.back() += i;
      return llvm::all_of(llvm::zip(map.compose(at), shape), [](auto pair) {
        auto [index, extent] = pair;
        return index >= 0 && index < extent;
      });
    };
    // Indices are linear in i: what is inside is one run.
    size_t begin = 0, end = count;
    while (begin < count && !isInside(begin))
      ++begin;
    while (end > begin && !isInside(end - 1))
      --end;
    return {begin, end};
  }

  int64_t offsetAt(AffineMap map, ArrayRef<int64_t> point) const {
    SmallVector<int64_t> index = map.compose(point);
    int64_t offset = 0;
    for (auto [i, extent] : llvm::zip(index, data.type.getShape()))
      offset = offset * extent + i;
    return offset;
  }

  ConstantData data;
  AffineMap map;
  ArrayRef<int64_t> shape;
  TypedAttr fill;
  int64_t origin;
  SmallVector<int64_t> steps;
};

/// Steps through a domain in rows along its last iterator.
class Rows {
public:
  explicit Rows(ArrayRef<int64_t> extents)
      : extents(extents), point(extents.size(), 0) {
    done = llvm::is_contained(extents, 0);
  }
  static constexpr int64_t kMaxCount = 4096;
  int64_t count() const {
    return point.empty() ? 1
                         : std::min(extents.back() - point.back(), kMaxCount);
  }
  void next() {
    if (point.empty()) {
      done = true;
      return;
    }
    point.back() += count();
    for (size_t d = point.size(); d-- > 0 && point[d] >= extents[d];) {
      if (d == 0) {
        done = true;
        return;
      }
      point[d] = 0;
      ++point[d - 1];
    }
  }

  bool done;
  ArrayRef<int64_t> extents;
  SmallVector<int64_t> point;
};
} // namespace

/// The row-major position of the point's indices under `map` in `shape`.
static size_t getPosition(AffineMap map, ArrayRef<int64_t> point,
                          ArrayRef<int64_t> shape) {
  size_t position = 0;
  for (auto [index, extent] : llvm::zip(map.compose(point), shape))
    position = position * extent + index;
  return position;
}

static void fillIndices(ScalarProgram &program, const Rows &rows) {
  for (size_t d = 0, rank = rows.point.size(); d < rank; ++d) {
    Column &column = program.input(d);
    column.resize(rows.count());
    for (int64_t i = 0; i < rows.count(); ++i)
      column.ints[i] = rows.point[d] + (d + 1 == rank ? i : 0);
  }
}

std::optional<std::vector<std::vector<char>>>
fusec::fuse::evaluate(PrimitiveOpInterface op) {
  SmallVector<int64_t> extents = op.getIterationExtents();
  size_t rank = extents.size(), operands = op->getNumOperands();
  if (op.hasReduction())
    return std::nullopt;
  std::vector<OperandReader> readers;
  for (size_t i = 0; i < operands; ++i) {
    std::optional<ConstantData> data = getConstantData(op->getOperand(i));
    if (!data || !op.getIndirect(i).empty())
      return std::nullopt;
    readers.emplace_back(*data, op.getOperandMap(i),
                         getTensorType(op->getOperand(i)).getShape(),
                         op.getFill(i), rank);
  }
  std::optional<ScalarProgram> program = ScalarProgram::compile(op);
  if (!program)
    return std::nullopt;

  std::vector<std::vector<char>> results;
  for (Value result : op->getResults()) {
    auto type = getTensorType(result);
    results.emplace_back(type.getNumElements() *
                         getTypeInfo(type.getElementType())->storageBytes());
  }
  for (Rows rows(extents); !rows.done; rows.next()) {
    fillIndices(*program, rows);
    for (size_t i = 0; i < operands; ++i)
      readers[i].load(rows.point, rows.count(), program->input(rank + i));
    program->run(rows.count());
    for (auto [r, result] : llvm::enumerate(op->getResults())) {
      auto type = getTensorType(result);
      size_t first =
          getPosition(op.getResultMap(r), rows.point, type.getShape());
      for (int64_t i = 0; i < rows.count(); ++i)
        writeElement(results[r], type.getElementType(), first + i,
                     program->result(r), i);
    }
  }
  return results;
}
