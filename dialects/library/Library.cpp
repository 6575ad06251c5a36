// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/library/Library.h"

#include "dialects/TargetInfo.h"
#include "dialects/library/Declared.h"
#include "dialects/library/Registry.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace fusec::library {

Call::Call(TypeRange operandTypes, TypeRange resultTypes,
           DictionaryAttr parameters)
    : parameters(parameters) {
  for (Type type : operandTypes)
    operands.push_back(cast<ShapedType>(type));
  for (Type type : resultTypes)
    results.push_back(cast<ShapedType>(type));
}

int64_t Call::getInt(llvm::StringRef name) const {
  return parameters.getAs<IntegerAttr>(name).getInt();
}

bool Call::getFlag(llvm::StringRef name) const {
  return parameters.getAs<BoolAttr>(name).getValue();
}

llvm::StringRef Call::getText(llvm::StringRef name) const {
  return parameters.getAs<StringAttr>(name).getValue();
}

Argument::Argument(llvm::StringRef name, int64_t value)
    : name(name), text(std::to_string(value)) {}
Argument::Argument(llvm::StringRef name, bool value)
    : name(name), text(value ? "true" : "false") {}
Argument::Argument(llvm::StringRef name, std::string text)
    : name(name), text(std::move(text)) {}
Argument::Argument(llvm::StringRef name, llvm::ArrayRef<int64_t> values)
    : name(name), text("{") {
  for (auto [index, value] : llvm::enumerate(values))
    text += (index ? ", " : "") + std::to_string(value);
  text += "}";
}

double Routine::steps(const Call &call, const TargetInfo &target) const {
  if (getSteps)
    return getSteps(call, target);
  double steps = double(target.launchSteps);
  for (const auto *types : {&call.operands, &call.results})
    for (ShapedType type : *types)
      steps += double(type.getNumElements());
  return steps;
}

const ParameterKind kInt = {
    "a 64-bit integer", [](Attribute value) {
      auto number = dyn_cast_if_present<IntegerAttr>(value);
      return number && number.getType().isSignlessInteger(64);
    }};
const ParameterKind kFlag = {"a boolean", [](Attribute value) {
                               return isa_and_present<BoolAttr>(value);
                             }};
const ParameterKind kText = {"a string", [](Attribute value) {
                               return isa_and_present<StringAttr>(value);
                             }};

static Refusal refuseParameters(const Routine &routine, const Call &call) {
  for (const Parameter &parameter : routine.parameters)
    if (!parameter.kind.holds(call.parameters.get(parameter.name)))
      return ("needs the parameter '" + parameter.name + "', " +
              parameter.kind.words)
          .str();
  for (NamedAttribute given : call.parameters)
    if (llvm::none_of(routine.parameters, [&](const Parameter &parameter) {
          return parameter.name == given.getName();
        }))
      return "has no parameter '" + given.getName().str() + "'";
  return std::nullopt;
}

Refusal refuse(llvm::StringRef name, const Call &call) {
  const Routine *routine = find(name);
  if (!routine) {
    std::string known;
    for (const auto &[routine, row] : getRegistry().getRoutines())
      known += (known.empty() ? "@" : ", @") + routine.str();
    return "is not in the library, which has " + known;
  }
  if (isDeclared(name)) // The module's declaration is checked against.
    return routine->refuse(call);
  auto refuseCount = [](size_t actual, unsigned expected,
                        llvm::StringRef what) -> Refusal {
    if (actual == expected)
      return std::nullopt;
    return ("has " + llvm::Twine(actual) + " " + what + ", needs " +
            llvm::Twine(expected))
        .str();
  };
  if (Refusal reason =
          refuseCount(call.operands.size(), routine->numOperands, "operands"))
    return reason;
  if (Refusal reason =
          refuseCount(call.results.size(), routine->numResults, "results"))
    return reason;
  if (Refusal reason = refuseParameters(*routine, call))
    return reason;
  return routine->refuse(call);
}

std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  return "[" +
         llvm::join(llvm::map_range(
                        shape, [](int64_t d) { return std::to_string(d); }),
                    ", ") +
         "]";
}

int64_t getBlockThreads(int64_t work, const TargetInfo &target) {
  const Multiprocessor &mp = *target.multiprocessor;
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(work), mp.warp,
                             mp.blockThreads);
}

Refusal refuseOtherThan(ShapedType actual, llvm::ArrayRef<int64_t> shape,
                        Type elementType, llvm::StringRef what) {
  if (actual.getShape() == shape && actual.getElementType() == elementType)
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream(text)
      << what << " is " << actual.getElementType()
      << shapeText(actual.getShape()) << ", expected " << elementType
      << shapeText(shape);
  return text;
}

} // namespace fusec::library
