// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of operators of users: what nodes and modules have, and what
// libraries take.
#include "compiler/import/Node.h"
#include "compiler/import/ops/Declared.h"

using namespace mlir;

namespace fusec {

operators::Value readParameter(Node &node, const std::string &name,
                               operators::Value value) {
  if (!node.hasAttribute(name))
    return value;
  std::visit(
      [&](auto &held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, bool>)
          held = node.flag(name, false);
        else if constexpr (std::is_same_v<T, int64_t>)
          held = node.intAttribute(name);
        else if constexpr (std::is_same_v<T, double>)
          held = node.numberAttribute(name);
        else if constexpr (std::is_same_v<T, std::string>)
          held = node.stringAttribute(name, "");
        else if constexpr (std::is_same_v<T, std::vector<int64_t>>)
          held = node.intsAttribute(name);
        else if constexpr (std::is_same_v<T, std::vector<double>>)
          held = node.numbersAttribute(name);
        else
          held = node.stringsAttribute(name);
      },
      value);
  return value;
}

/// A parameter's value in the module.
static Attribute makeAttribute(Builder &builder,
                               const operators::Value &value) {
  return std::visit(
      [&](const auto &held) -> Attribute {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, bool>)
          return builder.getBoolAttr(held);
        else if constexpr (std::is_same_v<T, int64_t>)
          return builder.getI64IntegerAttr(held);
        else if constexpr (std::is_same_v<T, double>)
          return builder.getF64FloatAttr(held);
        else if constexpr (std::is_same_v<T, std::string>)
          return builder.getStringAttr(held);
        else if constexpr (std::is_same_v<T, std::vector<int64_t>>)
          return builder.getDenseI64ArrayAttr(held);
        else if constexpr (std::is_same_v<T, std::vector<double>>)
          return DenseF64ArrayAttr::get(builder.getContext(), held);
        else
          return builder.getStrArrayAttr(
              SmallVector<StringRef>(held.begin(), held.end()));
      },
      value);
}

operators::Value readOperatorValue(Attribute attribute) {
  using library::ValueKind;
  switch (*library::getValueKind(attribute)) {
  case ValueKind::flag:
    return cast<BoolAttr>(attribute).getValue();
  case ValueKind::integer:
    return cast<IntegerAttr>(attribute).getInt();
  case ValueKind::number:
    return cast<FloatAttr>(attribute).getValueAsDouble();
  case ValueKind::text:
    return cast<StringAttr>(attribute).str();
  case ValueKind::integers:
    return cast<DenseI64ArrayAttr>(attribute).asArrayRef().vec();
  case ValueKind::numbers:
    return cast<DenseF64ArrayAttr>(attribute).asArrayRef().vec();
  case ValueKind::texts: {
    std::vector<std::string> texts;
    for (StringRef text :
         cast<ArrayAttr>(attribute).getAsValueRange<StringAttr>())
      texts.push_back(text.str());
    return texts;
  }
  }
  llvm_unreachable("covers all kinds");
}

DictionaryAttr makeParameters(Builder &builder,
                              ArrayRef<operators::Parameter> parameters) {
  SmallVector<NamedAttribute> attributes;
  for (const operators::Parameter &parameter : parameters)
    attributes.push_back(builder.getNamedAttr(
        parameter.name, makeAttribute(builder, parameter.value)));
  return builder.getDictionaryAttr(attributes);
}

} // namespace fusec
