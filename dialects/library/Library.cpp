// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/library/Library.h"

#include "dialects/TargetInfo.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace fusec::library {

static const Routine *const kRoutines[] = {
    &kMaxRoiPool, &kNonMaxSuppression, &kOneDnnGemm, &kOpenBlasGemm,
    &kRoiAlign,   &kScatterElements,   &kScatterNd,  &kTopK};
static const Vendor *const kVendors[] = {&kOneDnn, &kOpenBlas};

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

const Routine *find(llvm::StringRef name) {
  for (const Routine *routine : kRoutines)
    if (routine->name == name)
      return routine;
  return nullptr;
}

llvm::ArrayRef<const Vendor *> getVendors() { return kVendors; }

const Vendor *findVendor(llvm::StringRef name) {
  for (const Vendor *vendor : kVendors)
    if (vendor->name == name)
      return vendor;
  return nullptr;
}

llvm::SmallVector<const Routine *> getContractions(const Vendor &vendor) {
  llvm::SmallVector<const Routine *> found;
  for (const Routine *routine : kRoutines)
    if (routine->vendor == &vendor && routine->contracts)
      found.push_back(routine);
  return found;
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

static bool isOfKind(Attribute value, ParameterKind kind) {
  switch (kind) {
  case ParameterKind::Int: {
    auto number = dyn_cast_if_present<IntegerAttr>(value);
    return number && number.getType().isSignlessInteger(64);
  }
  case ParameterKind::Flag:
    return isa_and_present<BoolAttr>(value);
  case ParameterKind::Text:
    return isa_and_present<StringAttr>(value);
  }
  return false;
}

static Refusal refuseParameters(const Routine &routine, const Call &call) {
  static constexpr llvm::StringLiteral kKinds[] = {"a 64-bit integer",
                                                   "a boolean", "a string"};
  for (const Parameter &parameter : routine.parameters)
    if (!isOfKind(call.parameters.get(parameter.name), parameter.kind))
      return ("needs the parameter '" + parameter.name + "', " +
              kKinds[int(parameter.kind)])
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
    for (const Routine *row : kRoutines)
      known += (known.empty() ? "@" : ", @") + row->name.str();
    return "is not in the library, which has " + known;
  }
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
