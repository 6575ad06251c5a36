// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/operators/Manifest.h"

#include "dialects/TypeInfo.h"
#include "fusec/op_abi.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace json = llvm::json;

namespace fusec::operators {

//===- Values -------------------------------------------------------------===//

namespace {
/// A kind of values: its name in the section, and words for people; in the
/// order of `Value`.
struct Kind {
  llvm::StringLiteral name, words;
};
} // namespace

static constexpr Kind kKinds[] = {
    {"flag", "a boolean"},
    {"integer", "an integer"},
    {"number", "a number"},
    {"text", "a string"},
    {"integers", "a list of integers"},
    {"numbers", "a list of numbers"},
    {"texts", "a list of strings"},
};

llvm::StringRef getWords(const Value &value) {
  return kKinds[value.index()].words;
}

static std::string describeOne(bool flag) { return flag ? "true" : "false"; }
static std::string describeOne(int64_t number) {
  return std::to_string(number);
}
static std::string describeOne(double number) {
  return fmt::format("{:g}", number);
}
static std::string describeOne(const std::string &text) {
  return "\"" + text + "\"";
}
template <typename T>
static std::string describeOne(const std::vector<T> &list) {
  std::vector<std::string> all;
  for (const T &item : list)
    all.push_back(describeOne(item));
  return "{" + llvm::join(all, ", ") + "}";
}

std::string describe(const Value &value) {
  return std::visit([](const auto &held) { return describeOne(held); }, value);
}

// JSON knows no infinity and no NaN, and not all of 64 bits: numbers are texts.
static json::Value write(bool flag) { return flag; }
static json::Value write(int64_t number) { return std::to_string(number); }
static json::Value write(double number) { return fmt::format("{:a}", number); }
static json::Value write(const std::string &text) {
  return json::fixUTF8(text);
}
template <typename T> static json::Value write(const std::vector<T> &list) {
  json::Array all;
  for (const T &item : list)
    all.push_back(write(item));
  return all;
}

static llvm::Error malformed(const llvm::Twine &what) {
  return llvm::createStringError("has no legal " + what);
}

static bool read(const json::Value &from, bool &flag) {
  auto known = from.getAsBoolean();
  flag = known.value_or(false);
  return known.has_value();
}
static bool read(const json::Value &from, std::string &text) {
  auto known = from.getAsString();
  text = known.value_or("").str();
  return known.has_value();
}
static bool read(const json::Value &from, int64_t &number) {
  std::string text;
  return read(from, text) && !llvm::StringRef(text).getAsInteger(10, number);
}
static bool read(const json::Value &from, double &number) {
  std::string text;
  if (!read(from, text) || text.empty())
    return false;
  char *end = nullptr;
  number = std::strtod(text.c_str(), &end);
  return !*end;
}
template <typename T>
static bool read(const json::Value &from, std::vector<T> &list) {
  const json::Array *items = from.getAsArray();
  if (!items)
    return false;
  for (const json::Value &item : *items)
    if (!read(item, list.emplace_back()))
      return false;
  return true;
}

template <size_t I = 0>
static bool readValue(llvm::StringRef kind, const json::Value &from,
                      Value &value) {
  if constexpr (I < std::variant_size_v<Value>) {
    if (kind != kKinds[I].name)
      return readValue<I + 1>(kind, from, value);
    return read(from, value.emplace<I>());
  } else {
    return false;
  }
}

json::Value toJson(const std::vector<Parameter> &parameters) {
  json::Array all;
  for (const Parameter &parameter : parameters)
    all.push_back(json::Object{
        {"name", parameter.name},
        {"kind", kKinds[parameter.value.index()].name},
        {"value", std::visit([](const auto &held) { return write(held); },
                             parameter.value)}});
  return all;
}

llvm::Expected<std::vector<Parameter>>
parametersOfJson(const json::Value *from) {
  std::vector<Parameter> all;
  const json::Array *items = from ? from->getAsArray() : nullptr;
  if (!items)
    return malformed("parameters");
  for (const json::Value &item : *items) {
    const json::Object *object = item.getAsObject();
    auto name = object ? object->getString("name") : std::nullopt;
    auto kind = object ? object->getString("kind") : std::nullopt;
    const json::Value *value = object ? object->get("value") : nullptr;
    Parameter parameter;
    if (!name || !kind || !value || !readValue(*kind, *value, parameter.value))
      return malformed("parameter");
    parameter.name = name->str();
    all.push_back(std::move(parameter));
  }
  return all;
}

//===- Types and operands -------------------------------------------------===//

/// Those that the C interface has (fusec_op_dtype), which are ONNX's codes.
static constexpr int kElements[] = {
    FUSEC_OP_F32, FUSEC_OP_U8,  FUSEC_OP_I8,   FUSEC_OP_U16, FUSEC_OP_I16,
    FUSEC_OP_I32, FUSEC_OP_I64, FUSEC_OP_BOOL, FUSEC_OP_F16, FUSEC_OP_F64,
    FUSEC_OP_U32, FUSEC_OP_U64, FUSEC_OP_BF16};

std::string nameElement(int onnxCode) {
  if (!llvm::is_contained(kElements, onnxCode))
    return "";
  llvm::StringRef name = getTypeInfoForOnnx(onnxCode)->name;
  if (name == "i1")
    return "bool";
  return name.consume_front("ui") ? "u" + name.str() : name.str();
}

const TypeInfo *findElement(llvm::StringRef name) {
  for (int code : kElements)
    if (nameElement(code) == name)
      return getTypeInfoForOnnx(code);
  return nullptr;
}

std::string TensorType::describe() const {
  return fmt::format("{}[{}]", element, fmt::join(dims, ", "));
}

json::Value toJson(const TensorType &type) {
  return json::Object{{"type", type.element}, {"dims", write(type.dims)}};
}

llvm::Expected<TensorType> typeOfJson(const json::Value &from) {
  TensorType type;
  const json::Object *object = from.getAsObject();
  const json::Value *dims = object ? object->get("dims") : nullptr;
  auto element = object ? object->getString("type") : std::nullopt;
  if (!dims || !element || !read(*dims, type.dims))
    return malformed("tensor type");
  type.element = element->str();
  return type;
}

json::Value toJson(const Quantization &quantization) {
  return json::Object{{"scales", write(quantization.scales)},
                      {"zero_points", write(quantization.zeroPoints)},
                      {"axis", write(quantization.axis)}};
}

llvm::Expected<Quantization> quantizationOfJson(const json::Value &from) {
  Quantization made;
  const json::Object *object = from.getAsObject();
  const json::Value *scales = object ? object->get("scales") : nullptr;
  const json::Value *zeros = object ? object->get("zero_points") : nullptr;
  const json::Value *axis = object ? object->get("axis") : nullptr;
  if (!scales || !zeros || !axis || !read(*scales, made.scales) ||
      !read(*zeros, made.zeroPoints) || !read(*axis, made.axis) ||
      made.scales.size() != made.zeroPoints.size())
    return malformed("quantisation");
  return made;
}

std::string Operand::describe() const {
  std::string text = name;
  if (isQuantized)
    text += ": quantised";
  if (!types.empty())
    text += ": " + llvm::join(types, " or ");
  if (leastRank == mostRank)
    text += " of rank " + std::to_string(leastRank);
  else if (leastRank > 0 || mostRank < FUSEC_OP_MAX_RANK)
    text += fmt::format(" of rank {} to {}", leastRank, mostRank);
  if (mayAlias || mustAlias)
    text += fmt::format(", {} lie where input {} does",
                        mustAlias ? "must" : "may", aliasOf);
  return text;
}

static json::Value toJson(const std::vector<Operand> &operands) {
  json::Array all;
  for (const Operand &operand : operands)
    all.push_back(json::Object{{"name", operand.name},
                               {"types", write(operand.types)},
                               {"least_rank", operand.leastRank},
                               {"most_rank", operand.mostRank},
                               {"quantized", operand.isQuantized},
                               {"may_alias", operand.mayAlias},
                               {"must_alias", operand.mustAlias},
                               {"alias_of", operand.aliasOf}});
  return all;
}

static bool read(const json::Value *from, std::vector<Operand> &operands) {
  const json::Array *items = from ? from->getAsArray() : nullptr;
  if (!items)
    return false;
  for (const json::Value &item : *items) {
    json::Path::Root root;
    json::ObjectMapper map(item, root);
    Operand &operand = operands.emplace_back();
    if (!map || !map.map("name", operand.name) ||
        !map.map("types", operand.types) ||
        !map.map("least_rank", operand.leastRank) ||
        !map.map("most_rank", operand.mostRank) ||
        !map.map("quantized", operand.isQuantized) ||
        !map.map("may_alias", operand.mayAlias) ||
        !map.map("must_alias", operand.mustAlias) ||
        !map.map("alias_of", operand.aliasOf))
      return false;
  }
  return true;
}

//===- Operators ----------------------------------------------------------===//

std::string nameScalarQuery(unsigned unit, unsigned index) {
  return fmt::format("fusec_op_query_scalar_{}_{}", unit, index);
}

bool Operator::hasDevice(llvm::StringRef device) const {
  return llvm::is_contained(devices, device);
}

const Algorithm *Operator::findAlgorithm(llvm::StringRef device,
                                         llvm::StringRef name) const {
  for (const Algorithm &one : algorithms)
    if (one.device == device && one.name == name)
      return &one;
  return nullptr;
}

static json::Value toJson(const Algorithm &algorithm) {
  return json::Object{{"name", algorithm.name},
                      {"device", algorithm.device},
                      {"reproducible", algorithm.isReproducible},
                      {"workspace", algorithm.hasWorkspace}};
}

static bool fromJSON(const json::Value &from, Algorithm &algorithm,
                     json::Path path) {
  json::ObjectMapper map(from, path);
  return map && map.map("name", algorithm.name) &&
         map.map("device", algorithm.device) &&
         map.map("reproducible", algorithm.isReproducible) &&
         map.map("workspace", algorithm.hasWorkspace);
}

static json::Value toJson(const ScalarFunction &scalar) {
  return json::Object{{"file", scalar.file},
                      {"name", scalar.name},
                      {"steps", scalar.steps},
                      {"lanes", scalar.takesLanes}};
}

json::Value toJson(const Operator &op) {
  json::Object object{{"domain", op.domain},
                      {"type", op.type},
                      {"version", op.version},
                      {"unit", op.unit},
                      {"inputs", toJson(op.inputs)},
                      {"outputs", toJson(op.outputs)},
                      {"parameters", toJson(op.parameters)},
                      {"devices", write(op.devices)}};
  if (op.scalar)
    object["scalar"] = toJson(*op.scalar);
  if (!op.gradient.empty())
    object["gradient"] = op.gradient;
  if (op.cudaUnit)
    object["cuda_unit"] = *op.cudaUnit;
  if (!op.algorithms.empty()) {
    json::Array all;
    for (const Algorithm &one : op.algorithms)
      all.push_back(toJson(one));
    object["algorithms"] = std::move(all);
  }
  if (op.block)
    object["block"] =
        json::Object{{"file", op.block->file}, {"name", op.block->name}};
  return object;
}

llvm::Expected<Operator> operatorOfJson(const json::Value &from) {
  json::Path::Root root;
  json::ObjectMapper map(from, root);
  Operator op;
  if (!map || !map.map("domain", op.domain) || !map.map("type", op.type) ||
      !map.map("version", op.version) || !map.map("unit", op.unit) ||
      !map.map("devices", op.devices) ||
      !map.mapOptional("gradient", op.gradient) ||
      !map.map("cuda_unit", op.cudaUnit) ||
      !map.mapOptional("algorithms", op.algorithms))
    return malformed("operator");
  const json::Object &object = *from.getAsObject();
  if (!read(object.get("inputs"), op.inputs) ||
      !read(object.get("outputs"), op.outputs))
    return malformed("operands of an operator");
  auto parameters = parametersOfJson(object.get("parameters"));
  if (!parameters)
    return parameters.takeError();
  op.parameters = std::move(*parameters);
  if (const json::Value *scalar = object.get("scalar")) {
    json::ObjectMapper inner(*scalar, root);
    ScalarFunction &function = op.scalar.emplace();
    if (!inner || !inner.map("file", function.file) ||
        !inner.map("name", function.name) ||
        !inner.map("steps", function.steps) ||
        !inner.map("lanes", function.takesLanes))
      return malformed("function of an operator");
  }
  if (const json::Value *block = object.get("block")) {
    json::ObjectMapper inner(*block, root);
    BlockFunction &function = op.block.emplace();
    if (!inner || !inner.map("file", function.file) ||
        !inner.map("name", function.name))
      return malformed("function of an operator");
  }
  return op;
}

} // namespace fusec::operators
