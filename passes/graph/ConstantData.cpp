// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/ConstantData.h"

#include "dialects/fuse/SwappableWeights.h"
#include "passes/graph/Domain.h"
#include "passes/graph/Elements.h"

#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

//===- Finding constants -------------------------------------------------===//

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
    bool isSigned = type.isSignlessInteger() && !type.isInteger(1);
    uint64_t bits =
        isSigned ? uint64_t(value.getSExtValue()) : value.getZExtValue();
    std::memcpy(to, &bits, size);
    to += size;
  }
  return bytes;
}

std::optional<ConstantData> fusec::fuse::getWeightData(WeightOp weight) {
  if (!weight || weight.getBytes().empty())
    return std::nullopt;
  RankedTensorType type = weight.getTensorType();
  return ConstantData{
      type, weight.getBytes(), nullptr,
      AffineMap::getMultiDimIdentityMap(type.getRank(), type.getContext()),
      weight};
}

/// By the name's address: to compare texts is slow where there are many
/// weights.
static WeightOp findWeight(GetWeightOp get) {
  StringAttr name = get.getWeightAttr().getAttr();
  for (auto weight : get->getParentOfType<ModuleOp>().getOps<WeightOp>())
    if (weight.getSymNameAttr() == name)
      return weight;
  return {};
}

static std::optional<ConstantData> getDirectData(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements)
      return std::nullopt;
    return ownData(constant.getType(), getBytes(elements));
  }
  auto get = dyn_cast<GetWeightOp>(op);
  return get ? getWeightData(findWeight(get)) : std::nullopt;
}

std::optional<ConstantData> fusec::fuse::lookThrough(Operation *op,
                                                     ConstantData data) {
  if (isa<BroadcastOp, TransposeOp, SliceOp>(op)) {
    data.map =
        data.map.compose(cast<PrimitiveOpInterface>(op).getOperandMap(0));
    return data;
  }
  auto reshape = dyn_cast<ReshapeOp>(op);
  if (!reshape || !data.isWhole(getTensorType(reshape.getOperand())))
    return std::nullopt;
  data.type = reshape.getType();
  data.map =
      AffineMap::getMultiDimIdentityMap(data.type.getRank(), op->getContext());
  return data;
}

/// Data without its bytes.
static std::optional<ConstantData> describeDirectData(Operation *op) {
  auto constant = dyn_cast<ConstantOp>(op);
  if (constant ? !isa<DenseElementsAttr>(constant.getValue())
               : !isa<GetWeightOp>(op))
    return std::nullopt;
  RankedTensorType type = getTensorType(op->getResult(0));
  if (!constant && type.getNumElements() == 0)
    return std::nullopt;
  return ConstantData{
      type,
      {},
      nullptr,
      AffineMap::getMultiDimIdentityMap(type.getRank(), type.getContext()),
      {}};
}

static std::optional<ConstantData>
getDataThroughAccesses(Value value,
                       std::optional<ConstantData> (*getDirect)(Operation *)) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (!isa<BroadcastOp, TransposeOp, SliceOp, ReshapeOp>(op))
    return getDirect(op);
  std::optional<ConstantData> data =
      getDataThroughAccesses(op->getOperand(0), getDirect);
  return data ? lookThrough(op, std::move(*data)) : std::nullopt;
}

std::optional<ConstantData> fusec::fuse::getConstantData(Value value) {
  return getDataThroughAccesses(value, getDirectData);
}

std::optional<ConstantData> fusec::fuse::getFixedData(Value value) {
  std::optional<ConstantData> data = getConstantData(value);
  if (data && data->weight && hasSwappableWeights(data->weight))
    return std::nullopt;
  return data;
}

bool fusec::fuse::hasConstantData(Value value) {
  return getDataThroughAccesses(value, describeDirectData).has_value();
}

bool fusec::fuse::isWholeConstant(Value value) {
  auto data = getDataThroughAccesses(value, describeDirectData);
  return data && data->isWhole(getTensorType(value));
}

ConstantData fusec::fuse::ownData(RankedTensorType type,
                                  std::vector<char> bytes) {
  auto owned = std::make_shared<std::vector<char>>(std::move(bytes));
  return {type,
          *owned,
          owned,
          AffineMap::getMultiDimIdentityMap(type.getRank(), type.getContext()),
          {}};
}

ConstantData fusec::fuse::packData(const ConstantData &data,
                                   RankedTensorType type) {
  if (data.isWhole(type))
    return data;
  SmallVector<Linear> indices = *getLinear(data.map);
  size_t size = getTypeInfo(type.getElementType())->storageBytes();
  std::vector<char> bytes(type.getNumElements() * size);
  char *to = bytes.data();
  for (Cursor cursor(type.getShape()); !cursor.isAtEnd(); cursor.advance(1)) {
    int64_t from = 0;
    for (auto [index, extent] : llvm::zip(indices, data.type.getShape()))
      from = from * extent + index.at(cursor.point());
    std::copy_n(data.bytes.data() + from * size, size, to);
    to += size;
  }
  return ownData(type, std::move(bytes));
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
  if (!constant || getTensorType(constant).getNumElements() == 0)
    return {};
  return dyn_cast<SplatElementsAttr>(constant.getValue());
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

static Column readColumn(const ConstantData &data, bool isFloat) {
  Column column{isFloat, {}, {}};
  size_t count = data.type.getNumElements();
  column.resize(count);
  ElementAccess(data.type.getElementType())
      .read(data.bytes.data(), /*stride=*/1, count, column, 0);
  return column;
}

SmallVector<int64_t> fusec::fuse::getIntegers(const ConstantData &data) {
  return llvm::to_vector(readColumn(data, /*isFloat=*/false).ints);
}

bool fusec::fuse::fitsIntegers(const ConstantData &data, IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  double end = std::ldexp(1.0, int(type.getWidth()) - (isUnsigned ? 0 : 1));
  double least = isUnsigned ? 0 : -end;
  return llvm::all_of(readColumn(data, /*isFloat=*/true).floats,
                      [&](double value) {
                        double whole = std::trunc(value);
                        return whole >= least && whole < end;
                      });
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
                                  StringRef hint, WeightOp from) {
  const bool mayChange = from && !bytes.empty() && hasSwappableWeights(from);
  if (type.getNumElements() <= ConstantOp::kMaxElements && !mayChange)
    return ConstantOp::create(builder, loc, type, getElements(type, bytes));
  MLIRContext *context = builder.getContext();
  auto module =
      builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  llvm::StringSet<> taken;
  // Models have thousands of weights: as little as possible is asked of each.
  for (Operation &symbol : *module.getBody()) {
    auto weight = dyn_cast<WeightOp>(symbol);
    StringRef other = weight ? weight.getSymName()
                             : SymbolTable::getSymbolName(&symbol).getValue();
    if (other.starts_with(hint))
      taken.insert(other);
  }
  std::string name = hint.str();
  for (unsigned i = 2; taken.contains(name); ++i)
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
