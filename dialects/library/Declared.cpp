// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/library/Declared.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;

namespace fusec::library {

bool isInnerPath(StringRef path) {
  SmallVector<StringRef> parts;
  path.split(parts, '/');
  return llvm::all_of(parts, [](StringRef part) {
    return !part.empty() && part.front() != '.' && part.front() != '-' &&
           llvm::all_of(part, [](char c) {
             return llvm::isAlnum(c) || StringRef("_.+-").contains(c);
           });
  });
}

static int64_t getWorkspace(const Call &call) {
  auto bytes = call.parameters.getAs<IntegerAttr>(kWorkspaceParameter);
  return bytes ? bytes.getInt() : 0;
}

/// What holds for all of them; the declaration says the rest.
static Refusal refuseDeclared(const Call &call) {
  Attribute bytes = call.parameters.get(kWorkspaceParameter);
  if (bytes && (!kInt.holds(bytes) || getWorkspace(call) <= 0))
    return "has " + kWorkspaceParameter.str() +
           " that is no number of bytes above 0";
  return std::nullopt;
}

const Routine &getDeclaredRoutine() {
  static const Routine routine = [] {
    Routine made = {"op",
                    /*numOperands=*/0,
                    /*numResults=*/0,
                    /*parameters=*/{},
                    refuseDeclared,
                    {"fusec::call_op", "fusec/op_call.h",
                     [](const Call &) { return std::vector<Argument>(); }}};
    made.getWorkspaceBytes = getWorkspace;
    return made;
  }();
  return routine;
}

std::optional<ValueKind> getValueKind(Attribute value) {
  if (kFlag.holds(value))
    return ValueKind::flag;
  if (kInt.holds(value))
    return ValueKind::integer;
  if (auto number = dyn_cast_if_present<FloatAttr>(value))
    return number.getType().isF64() ? std::optional(ValueKind::number)
                                    : std::nullopt;
  if (kText.holds(value))
    return ValueKind::text;
  if (isa_and_present<DenseI64ArrayAttr>(value))
    return ValueKind::integers;
  if (isa_and_present<DenseF64ArrayAttr>(value))
    return ValueKind::numbers;
  if (auto list = dyn_cast_if_present<ArrayAttr>(value);
      list && llvm::all_of(list, llvm::IsaPred<StringAttr>))
    return ValueKind::texts;
  return std::nullopt;
}

llvm::StringRef getWords(ValueKind kind) {
  switch (kind) {
  case ValueKind::flag:
    return "a boolean";
  case ValueKind::integer:
    return "an integer";
  case ValueKind::number:
    return "a number";
  case ValueKind::text:
    return "a string";
  case ValueKind::integers:
    return "a list of integers";
  case ValueKind::numbers:
    return "a list of numbers";
  case ValueKind::texts:
    return "a list of strings";
  }
  llvm_unreachable("covers all kinds");
}

Refusal refuseParameters(DictionaryAttr defaults, DictionaryAttr given) {
  for (NamedAttribute parameter : defaults) {
    ValueKind kind = *getValueKind(parameter.getValue());
    if (getValueKind(given.get(parameter.getName())) != kind)
      return ("needs the parameter '" + parameter.getName().getValue() + "', " +
              getWords(kind))
          .str();
  }
  for (NamedAttribute parameter : given)
    if (parameter.getName() != kWorkspaceParameter &&
        !defaults.contains(parameter.getName()))
      return "has no parameter '" + parameter.getName().str() + "'";
  return std::nullopt;
}

LogicalResult verifyDeclaredCall(Operation *call, StringAttr callee,
                                 DictionaryAttr parameters, size_t numOperands,
                                 size_t numResults,
                                 SymbolTableCollection &tables) {
  if (!isDeclared(callee))
    return success();
  Operation *declared = tables.lookupNearestSymbolFrom(call, callee);
  if (!declared || declared->getName().getStringRef() != "fuse.op")
    return call->emitOpError() << "of @" << callee.getValue()
                               << ", which no fuse.op of the module declares";
  auto refuse = [&](const Twine &reason) -> LogicalResult {
    InFlightDiagnostic error = call->emitOpError()
                               << "of @" << callee.getValue() << " " << reason;
    error.attachNote(declared->getLoc()) << "the operator is declared here";
    return error;
  };
  size_t inputs = declared->getAttrOfType<ArrayAttr>("inputs").size();
  if (numOperands != inputs)
    return refuse("has " + Twine(numOperands) + " operands, needs " +
                  Twine(inputs));
  size_t outputs = declared->getAttrOfType<ArrayAttr>("outputs").size();
  if (numResults != outputs)
    return refuse("has " + Twine(numResults) + " results, needs " +
                  Twine(outputs));
  if (Refusal reason = refuseParameters(
          declared->getAttrOfType<DictionaryAttr>("parameters"), parameters))
    return refuse(*reason);
  return success();
}

} // namespace fusec::library
