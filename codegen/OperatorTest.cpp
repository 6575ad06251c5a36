// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a call of an operator of a user's is repeated by itself.
#include "codegen/UserOperators.h"
#include "dialects/TypeInfo.h"
#include "dialects/library/Declared.h"
#include "dialects/words/TestLine.h"

using namespace mlir;

namespace fusec::codegen {

static std::string write(Attribute value) {
  using library::ValueKind;
  switch (*library::getValueKind(value)) {
  case ValueKind::flag:
    return TestLine::write(cast<BoolAttr>(value).getValue());
  case ValueKind::integer:
    return TestLine::write(cast<IntegerAttr>(value).getInt());
  case ValueKind::number:
    return TestLine::write(cast<FloatAttr>(value).getValueAsDouble());
  case ValueKind::text:
    return cast<StringAttr>(value).str();
  case ValueKind::integers:
    return TestLine::write(cast<DenseI64ArrayAttr>(value).asArrayRef());
  case ValueKind::numbers:
    return TestLine::write(cast<DenseF64ArrayAttr>(value).asArrayRef());
  case ValueKind::texts: {
    SmallVector<std::string> texts;
    for (StringRef item : cast<ArrayAttr>(value).getAsValueRange<StringAttr>())
      texts.push_back(item.str());
    return TestLine::write(texts);
  }
  }
  llvm_unreachable("covers all kinds");
}

std::string describeTest(const CallInfo &call) {
  fuse::OperatorOp declared = call.declared;
  kernel::CallOp op(call.op);
  TestLine line(declared.getSymName());
  for (Value input : op.getInputs()) {
    auto type = cast<MemRefType>(input.getType());
    line.addInput(getTypeInfo(type.getElementType())->name, type.getShape());
  }
  for (NamedAttribute parameter : declared.getParameters())
    if (Attribute given = op.getParameters().get(parameter.getName());
        given && given != parameter.getValue())
      line.addParameter(parameter.getName(), write(given));
  for (auto [index, name] :
       llvm::enumerate(declared.getInputs().getAsValueRange<StringAttr>()))
    if (library::Quantization known =
            library::getQuantization(op.getParameters(), index);
        known.isThere())
      line.addQuantized(
          name, SmallVector<double>(known.scales.begin(), known.scales.end()),
          known.zeroPoints, known.axis);
  return line.text();
}

} // namespace fusec::codegen
