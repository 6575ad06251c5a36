// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of constants, weights and groups.
#include "dialects/fuse/FuseOps.h"
#include "dialects/fuse/ValueLocation.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

LogicalResult ConstantOp::verify() {
  if (getType().getNumElements() <= kMaxElements)
    return success();
  return emitOpError() << "has " << getType().getNumElements()
                       << " elements; more than " << kMaxElements
                       << " are a fuse.weight";
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

ArrayRef<char> WeightOp::getBytes() {
  auto resource = dyn_cast<DenseResourceElementsAttr>(getValue());
  if (!resource)
    return {};
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  return blob ? blob->getData() : ArrayRef<char>();
}

LogicalResult WeightOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getValue().getType());
  const TypeInfo *info = type ? getTypeInfo(type.getElementType()) : nullptr;
  if (!info)
    return emitOpError() << "has unsupported type " << getValue().getType();
  auto resource = dyn_cast<DenseResourceElementsAttr>(getValue());
  if (!resource)
    return emitOpError("needs a dense_resource; element attributes are uniqued "
                       "and never freed");
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob) // Declared before the resource section is read.
    return success();
  size_t expected = type.getNumElements() * info->storageBytes();
  if (blob->getData().size() == expected)
    return success();
  return emitOpError() << "of type " << type << " needs " << expected
                       << " bytes, its resource has "
                       << blob->getData().size();
}

LogicalResult GetWeightOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto weight =
      tables.lookupNearestSymbolFrom<WeightOp>(*this, getWeightAttr());
  if (!weight)
    return emitOpError() << "names " << getWeightAttr()
                         << ", which is no fuse.weight";
  if (weight.getTensorType() == getType())
    return success();
  InFlightDiagnostic diagnostic = emitOpError() << "has type " << getType();
  diagnostic.attachNote(weight.getLoc())
      << "but the weight is " << weight.getTensorType();
  return diagnostic;
}

Location fusec::fuse::getValueLocation(Value value) {
  auto group = value.getDefiningOp<GroupOp>();
  if (!group)
    return value.getLoc();
  Operation *yield = group.getBody().front().getTerminator();
  Location inside = getValueLocation(
      yield->getOperand(cast<OpResult>(value).getResultNumber()));
  return inside->findInstanceOf<NameLoc>() ? inside : value.getLoc();
}

LogicalResult GroupOp::verify() {
  Block &block = getBody().front();
  if (TypeRange(block.getArgumentTypes()) != TypeRange(getOperands()))
    return emitOpError("needs one body argument of the same type per operand");
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || TypeRange(yield.getValues()) != TypeRange(getResultTypes()))
    return emitOpError("needs a body that yields one value of the same type "
                       "per result");
  return success();
}
