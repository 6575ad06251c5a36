// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of single elements, of operators of users.
#include "dialects/fuse/FuseOps.h"
#include "dialects/kernel/KernelOps.h"
#include "dialects/words/Words.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// Whether functions take elements of `type`: floats of 16 bits and more, and
/// integers that their compute type holds with their sign.
static bool isTaken(Type type) {
  if (auto number = dyn_cast<FloatType>(type))
    return number.getWidth() >= 16;
  return !type.isInteger(1) && type.getIntOrFloatBitWidth() >= 8 &&
         !isWideUnsigned(type);
}

LogicalResult MapOp::verify() {
  Type element = getType().getElementType();
  if (!isTaken(element))
    return emitOpError() << "is of " << element
                         << "; functions take floats of 16 bits and more, and "
                            "integers but for booleans and ui64";
  if (getSteps() && *getSteps() < 1)
    return emitOpError() << "takes " << *getSteps()
                         << " steps; there is at least one";
  return verifyHash(*this, "hash");
}

LogicalResult MapOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto declared =
      tables.lookupNearestSymbolFrom<OperatorOp>(*this, getCalleeAttr());
  if (!declared || !declared.getScalar())
    return emitOpError() << "of @" << getCallee()
                         << ", which no fuse.op of the module declares with a "
                            "function of elements";
  if (declared.getInputs().size() != getNumOperands())
    return emitOpError() << "of @" << getCallee() << " has " << getNumOperands()
                         << " operands, needs " << declared.getInputs().size();
  if (declared.getScalarParameters().size() != getParameters().size())
    return emitOpError() << "of @" << getCallee() << " has "
                         << getParameters().size() << " parameters, needs "
                         << declared.getScalarParameters().size();
  return success();
}

SmallVector<Value> MapOp::buildBody(OpBuilder &b, Location loc, ValueRange,
                                    ValueRange args, ValueRange) {
  SmallVector<Value> arguments(args);
  Type scalar = args.front().getType();
  for (double number : getParameters()) {
    TypedAttr value;
    if (isa<FloatType>(scalar))
      value = b.getFloatAttr(scalar, number);
    else
      value = b.getIntegerAttr(scalar, int64_t(number));
    arguments.push_back(arith::ConstantOp::create(b, loc, value));
  }
  return {kernel::ScalarOp::create(b, loc, scalar, getCalleeAttr(), arguments,
                                   getHashAttr(), getStepsAttr())};
}
