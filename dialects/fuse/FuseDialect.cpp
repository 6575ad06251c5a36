// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/TargetInfo.h"
#include "dialects/fuse/FuseOps.h"
#include "dialects/kernel/KernelOps.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

#include "dialects/fuse/FuseDialect.defs.inc"
#include "dialects/fuse/FuseEnums.defs.inc"
#include "dialects/fuse/FuseInterfaces.defs.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/fuse/FuseAttrs.defs.inc"

void FuseDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/fuse/FuseOps.defs.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/fuse/FuseAttrs.defs.inc"
      >();
}

Operation *FuseDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type ||
      elements.getNumElements() > ConstantOp::kMaxElements)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

LogicalResult FuseDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (attribute.getName() == kTargetAttr)
    return verifyTarget(op, attribute.getValue());
  if (attribute.getName() == kPreciseAttr &&
      !isa<UnitAttr>(attribute.getValue()))
    return op->emitOpError() << "has " << kPreciseAttr << " = "
                             << attribute.getValue() << ", which has no value";
  return success();
}

SmallVector<Value> fusec::fuse::buildBodyIn(Block &block,
                                            PrimitiveOpInterface op) {
  Location loc = op->getLoc();
  // A block that nothing holds has no context of its own.
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToStart(&block);
  for (size_t i = 0, e = op.getIterationExtents().size(); i < e; ++i)
    block.addArgument(builder.getIndexType(), loc);
  size_t rank = block.getNumArguments(), operands = op->getNumOperands();
  auto addElements = [&](TypeRange types) {
    for (Type type : types)
      block.addArgument(
          getComputeType(cast<RankedTensorType>(type).getElementType()), loc);
  };
  addElements(op->getOperandTypes());
  if (op.hasReduction())
    addElements(op->getResultTypes());
  ValueRange all = block.getArguments();
  return op.buildBody(builder, loc, all.take_front(rank),
                      all.slice(rank, operands),
                      all.drop_front(rank + operands));
}
