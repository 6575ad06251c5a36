// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/rules/RuleAttributes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace fusec::rules {

/// Adds the elements of a list of one kind, which is returned; 0 for others.
static fusec_rule_kind addList(ArrayAttr list, OwnedAttribute &owned) {
  if (list.empty())
    return 0; // of which kind, nobody knows
  for (Attribute element : list)
    if (auto number = dyn_cast<IntegerAttr>(element);
        number && number.getValue().getSignificantBits() <= 64)
      owned.ints.push_back(number.getValue().getSExtValue());
    else if (auto number = dyn_cast<FloatAttr>(element))
      owned.floats.push_back(number.getValueAsDouble());
    else if (auto text = dyn_cast<StringAttr>(element))
      owned.texts.push_back(text.getValue().str());
  if (owned.ints.size() == list.size())
    return FUSEC_RULE_LIST | FUSEC_RULE_INT;
  if (owned.floats.size() == list.size())
    return FUSEC_RULE_LIST | FUSEC_RULE_FLOAT;
  if (owned.texts.size() == list.size())
    return FUSEC_RULE_LIST | FUSEC_RULE_TEXT;
  owned.ints.clear();
  owned.floats.clear();
  owned.texts.clear();
  return 0;
}

/// Adds what the attribute holds, and returns its kind.
static fusec_rule_kind addContent(Attribute attribute, OwnedAttribute &owned) {
  if (isa<UnitAttr>(attribute)) {
    owned.ints = {1};
    return FUSEC_RULE_FLAG;
  }
  if (auto flag = dyn_cast<BoolAttr>(attribute)) {
    owned.ints = {flag.getValue()};
    return FUSEC_RULE_FLAG;
  }
  if (auto number = dyn_cast<IntegerAttr>(attribute);
      number && number.getValue().getSignificantBits() <= 64) {
    owned.ints = {number.getValue().getSExtValue()};
    return FUSEC_RULE_INT;
  }
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    owned.floats = {number.getValueAsDouble()};
    return FUSEC_RULE_FLOAT;
  }
  if (auto text = dyn_cast<StringAttr>(attribute)) {
    owned.texts = {text.getValue().str()};
    return FUSEC_RULE_TEXT;
  }
  if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute)) {
    owned.ints.assign(list.asArrayRef().begin(), list.asArrayRef().end());
    return FUSEC_RULE_LIST | FUSEC_RULE_INT;
  }
  if (auto list = dyn_cast<DenseI32ArrayAttr>(attribute)) {
    owned.ints.assign(list.asArrayRef().begin(), list.asArrayRef().end());
    return FUSEC_RULE_LIST | FUSEC_RULE_INT;
  }
  if (auto list = dyn_cast<DenseF64ArrayAttr>(attribute)) {
    owned.floats.assign(list.asArrayRef().begin(), list.asArrayRef().end());
    return FUSEC_RULE_LIST | FUSEC_RULE_FLOAT;
  }
  if (auto list = dyn_cast<ArrayAttr>(attribute))
    if (fusec_rule_kind kind = addList(list, owned))
      return kind;
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  owned.texts = {text};
  return FUSEC_RULE_SYNTAX;
}

void describeAttribute(StringRef name, Attribute attribute,
                       OwnedAttribute &owned) {
  owned.name = name.str();
  fusec_rule_kind kind = addContent(attribute, owned);
  for (const std::string &text : owned.texts)
    owned.textPointers.push_back(text.c_str());
  owned.view = {sizeof(fusec_rule_attribute),
                kind,
                owned.name.c_str(),
                std::max({owned.ints.size(), owned.floats.size(),
                          owned.textPointers.size()}),
                owned.ints.data(),
                owned.floats.data(),
                owned.textPointers.data()};
}

/// The attributes of MLIR that `given` may mean: an operation takes one of
/// them.
static SmallVector<Attribute> listForms(MLIRContext *context,
                                        const fusec_rule_attribute &given) {
  Builder builder(context);
  SmallVector<Attribute> forms;
  ArrayRef<int64_t> ints;
  ArrayRef<double> floats;
  ArrayRef<const char *> texts;
  const fusec_rule_kind element =
      given.kind & ~fusec_rule_kind(FUSEC_RULE_LIST);
  if (element == FUSEC_RULE_FLAG || element == FUSEC_RULE_INT)
    ints = ArrayRef(given.ints, given.ints ? given.count : 0);
  else if (element == FUSEC_RULE_FLOAT)
    floats = ArrayRef(given.floats, given.floats ? given.count : 0);
  else
    texts = ArrayRef(given.texts, given.texts ? given.count : 0);
  if (llvm::is_contained(texts, nullptr))
    return forms;
  if (given.kind & FUSEC_RULE_LIST) {
    SmallVector<int32_t> narrow(ints.begin(), ints.end());
    SmallVector<StringRef> words(texts.begin(), texts.end());
    // MLIR's own, which operations do not verify.
    const bool areSegments =
        llvm::StringRef(given.name).ends_with("SegmentSizes");
    if (element == FUSEC_RULE_INT && areSegments)
      forms = {builder.getDenseI32ArrayAttr(narrow)};
    else if (element == FUSEC_RULE_INT)
      forms = {builder.getDenseI64ArrayAttr(ints),
               builder.getDenseI32ArrayAttr(narrow),
               builder.getI64ArrayAttr(ints)};
    else if (element == FUSEC_RULE_FLOAT)
      forms = {builder.getDenseF64ArrayAttr(floats),
               builder.getF64ArrayAttr(floats)};
    else if (element == FUSEC_RULE_TEXT)
      forms = {builder.getStrArrayAttr(words)};
    return forms;
  }
  if (given.count != 1 || ints.size() + floats.size() + texts.size() != 1)
    return forms;
  if (element == FUSEC_RULE_FLAG)
    forms = {builder.getUnitAttr(), builder.getBoolAttr(ints[0] != 0)};
  else if (element == FUSEC_RULE_INT)
    forms = {builder.getI64IntegerAttr(ints[0]),
             builder.getI32IntegerAttr(int32_t(ints[0])),
             builder.getIndexAttr(ints[0])};
  else if (element == FUSEC_RULE_FLOAT)
    forms = {builder.getF64FloatAttr(floats[0]),
             builder.getF32FloatAttr(float(floats[0]))};
  else if (element == FUSEC_RULE_TEXT)
    forms = {builder.getStringAttr(texts[0])};
  else if (element == FUSEC_RULE_SYNTAX)
    if (Attribute parsed = parseAttribute(texts[0], context))
      forms = {parsed};
  return forms;
}

Attribute buildAttribute(RegisteredOperationName op,
                         const fusec_rule_attribute &given,
                         std::string &fault) {
  if (given.struct_bytes < sizeof(fusec_rule_attribute) || !given.name) {
    fault = "gives an attribute that is no fusec_rule_attribute";
    return {};
  }
  StringRef name = given.name;
  std::string of =
      "attribute '" + name.str() + "' of " + op.getStringRef().str();
  SmallVector<StringRef> known;
  for (StringAttr other : op.getAttributeNames())
    known.push_back(other.getValue());
  if (!llvm::is_contained(known, name)) {
    fault = "gives an " + of + ", which has " +
            (known.empty() ? "none" : llvm::join(known, ", "));
    return {};
  }
  MLIRContext *context = op.getDialect().getContext();
  std::string reason;
  ScopedDiagnosticHandler quiet(context, [&](Diagnostic &diagnostic) {
    reason = diagnostic.str();
    return success();
  });
  for (Attribute form : listForms(context, given)) {
    NamedAttrList alone;
    alone.append(name, form);
    if (succeeded(op.verifyInherentAttrs(
            alone, [&] { return emitError(UnknownLoc::get(context)); })))
      return form;
  }
  fault = "gives the " + of + " a value that it does not take" +
          (reason.empty() ? "" : ": " + reason);
  return {};
}

} // namespace fusec::rules
