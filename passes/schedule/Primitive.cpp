// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/Primitive.h"

#include "dialects/OperationCost.h"
#include "dialects/coded/CodedFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;
using fusec::fuse::PrimitiveOpInterface;

AffineMap fusec::sched::getReshapeMap(RankedTensorType from,
                                      RankedTensorType to) {
  MLIRContext *context = from.getContext();
  SmallVector<AffineExpr> exprs(from.getRank(),
                                getAffineConstantExpr(0, context));
  int64_t source = 0, target = 0;
  while (source < from.getRank()) {
    if (from.getDimSize(source) == 1) { // Its index is 0.
      ++source;
      continue;
    }
    // A run of dimensions on each side with equal products.
    int64_t sourceEnd = source + 1, targetEnd = target;
    int64_t sourceSize = from.getDimSize(source), targetSize = 1;
    while (sourceSize != targetSize || targetEnd == target) {
      if (targetSize < sourceSize && targetEnd < to.getRank())
        targetSize *= to.getDimSize(targetEnd++);
      else if (sourceEnd < from.getRank())
        sourceSize *= from.getDimSize(sourceEnd++);
      else
        break; // Empty tensors: any index is right.
    }
    AffineExpr linear = getAffineConstantExpr(0, context);
    for (int64_t d = target; d < targetEnd; ++d)
      if (to.getDimSize(d) != 1)
        linear = linear * to.getDimSize(d) + getAffineDimExpr(d, context);
    int64_t stride = 1;
    for (int64_t d = sourceEnd - 1; d >= source; --d) {
      int64_t extent = from.getDimSize(d);
      if (extent == 1 || sourceSize == 0)
        continue;
      AffineExpr index = linear.floorDiv(stride);
      exprs[d] = stride * extent == sourceSize ? index : index % extent;
      stride *= extent;
    }
    source = sourceEnd;
    target = targetEnd;
  }
  return simplifyAffineMap(AffineMap::get(to.getRank(), 0, exprs, context));
}

std::optional<Primitive> Primitive::get(Operation *op) {
  if (isa<PrimitiveOpInterface, fuse::ReshapeOp>(op))
    return Primitive(op);
  return std::nullopt;
}

SmallVector<int64_t> Primitive::getExtents() const {
  if (auto primitive = dyn_cast<PrimitiveOpInterface>(op))
    return primitive.getIterationExtents();
  return llvm::to_vector(fuse::getTensorType(op->getResult(0)).getShape());
}

SmallVector<int64_t> Primitive::getReduced() const {
  SmallVector<int64_t> reduced;
  if (auto primitive = dyn_cast<PrimitiveOpInterface>(op))
    for (auto [index, kind] : llvm::enumerate(primitive.getIterators()))
      if (kind == utils::IteratorType::reduction)
        reduced.push_back(index);
  return reduced;
}

AffineMap Primitive::getOperandMap(unsigned operand) const {
  if (auto primitive = dyn_cast<PrimitiveOpInterface>(op))
    return primitive.getOperandMap(operand);
  return getReshapeMap(fuse::getTensorType(op->getOperand(0)),
                       fuse::getTensorType(op->getResult(0)));
}

AffineMap Primitive::getResultMap(unsigned result) const {
  if (auto primitive = dyn_cast<PrimitiveOpInterface>(op))
    return primitive.getResultMap(result);
  return AffineMap::getMultiDimIdentityMap(getExtents().size(),
                                           op->getContext());
}

SmallVector<unsigned> Primitive::getIndirect(unsigned operand) const {
  if (auto primitive = dyn_cast<PrimitiveOpInterface>(op))
    return primitive.getIndirect(operand);
  return {};
}

TypedAttr Primitive::getPadding(unsigned operand) const {
  auto primitive = dyn_cast<PrimitiveOpInterface>(op);
  TypedAttr padding = primitive ? primitive.getPadding(operand) : TypedAttr();
  return padding ? toComputeType(padding) : padding;
}

AffineMap Primitive::getPlacement(unsigned operand) const {
  if (auto primitive = dyn_cast<PrimitiveOpInterface>(op))
    return primitive.getPlacement(operand);
  return {};
}

SmallVector<TypedAttr> Primitive::getInits() const {
  SmallVector<TypedAttr> inits;
  if (auto primitive = dyn_cast<PrimitiveOpInterface>(op))
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      if (TypedAttr init = primitive.getInit(i))
        inits.push_back(init);
  return inits;
}

SmallVector<Value> Primitive::buildBody(OpBuilder &builder, ValueRange indices,
                                        ValueRange elements,
                                        ValueRange accumulators) const {
  if (auto primitive = dyn_cast<PrimitiveOpInterface>(op))
    return primitive.buildBody(builder, op->getLoc(), indices, elements,
                               accumulators);
  return {elements[0]};
}

/// Operations that a C++ compiler sees: of any machine the same, as a function
/// of the vocabulary is some of them.
static unsigned countOperations(Operation *op) {
  return isFunction(op) ? 8 : !isa<arith::ConstantOp>(op);
}

static StringRef getVerb(Operation *last, StringRef mnemonic) {
  return llvm::TypeSwitch<Operation *, StringRef>(last)
      .Case<arith::AddFOp, arith::AddIOp, math::FmaOp>(
          [](auto) { return "sum"; })
      .Case<arith::MaximumFOp, arith::MaxSIOp, arith::MaxNumFOp>(
          [](auto) { return "max"; })
      .Case<arith::MinimumFOp, arith::MinSIOp, arith::MinNumFOp>(
          [](auto) { return "min"; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return "prod"; })
      .Default([&](Operation *) { return mnemonic; });
}

/// Whether a conversion within one compute type drops bits: to an integer in
/// which not all integers of the other type fit.
static bool dropsBits(Type from, Type to) {
  if (from == to || !isa<IntegerType>(from) || !isa<IntegerType>(to) ||
      getComputeType(to) == to || isWideUnsigned(to))
    return false;
  bool losesSign = to.isUnsignedInteger() && !from.isUnsignedInteger();
  bool needsSign = from.isUnsignedInteger() && !to.isUnsignedInteger();
  unsigned width = from.getIntOrFloatBitWidth() + needsSign;
  return losesSign || width > to.getIntOrFloatBitWidth();
}

Primitive::Body Primitive::analyseBody() const {
  Body body;
  body.verb = op->getName().stripDialect();
  auto primitive = dyn_cast<PrimitiveOpInterface>(op);
  if (!primitive) { // A reshape.
    body.isIdentity = true;
    return body;
  }
  Block scratch;
  SmallVector<Value> results = fuse::buildBodyIn(scratch, primitive);
  size_t rank = primitive.getIterationExtents().size();
  body.isIdentity = results.size() == 1 && op->getNumOperands() > 0 &&
                    results[0] == scratch.getArgument(rank) && scratch.empty();
  body.wraps =
      body.isIdentity &&
      dropsBits(fuse::getTensorType(op->getOperand(0)).getElementType(),
                fuse::getTensorType(op->getResult(0)).getElementType());
  body.isIdentity &= !body.wraps;
  if (reduces() && !scratch.empty())
    body.verb = getVerb(&scratch.back(), body.verb);
  body.steps = countSteps(scratch, getTargetInfo(op).costs);
  for (Operation &inner : scratch)
    body.operations += countOperations(&inner);
  return body;
}

const Primitive::Body &Bodies::get(const Primitive &primitive) {
  auto [entry, isNew] = bodies.try_emplace(primitive.getOperation());
  if (isNew)
    entry->second = primitive.analyseBody();
  return entry->second;
}

TypedAttr fusec::sched::toComputeType(TypedAttr attr) {
  Type type = getComputeType(attr.getType());
  if (type == attr.getType())
    return attr;
  auto code = dyn_cast<FloatAttr>(attr);
  if (code && isCoded(attr.getType()))
    return IntegerAttr::get(type,
                            code.getValue().bitcastToAPInt().getZExtValue());
  if (auto number = dyn_cast<FloatAttr>(attr))
    return FloatAttr::get(type, number.getValueAsDouble());
  auto number = cast<IntegerAttr>(attr);
  bool isUnsigned = attr.getType().isUnsignedInteger();
  return IntegerAttr::get(type, isUnsigned ? number.getValue().getZExtValue()
                                           : number.getValue().getSExtValue());
}
