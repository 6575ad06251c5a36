// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of users (--ops): calls whose types and scratch memory the library
// says, in a child process. Attributes are parameters, by name.
#include "compiler/import/ops/Declared.h"

#include "compiler/import/Node.h"
#include "compiler/operators/OperatorSet.h"
#include "dialects/library/Declared.h"

#include "llvm/ADT/StringExtras.h"
#include <cmath>

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
          held = node.floatAttribute(name, 0);
        else if constexpr (std::is_same_v<T, std::string>)
          held = node.stringAttribute(name, "");
        else if constexpr (std::is_same_v<T, std::vector<int64_t>>)
          held = node.intsAttribute(name);
        else if constexpr (std::is_same_v<T, std::vector<double>>)
          held = node.floatsAttribute(name);
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

static DictionaryAttr
makeAttributes(Builder &builder, ArrayRef<operators::Parameter> parameters,
               int64_t workspaceBytes = 0,
               ArrayRef<library::Quantization> quantized = {}) {
  SmallVector<NamedAttribute> attributes;
  for (const operators::Parameter &parameter : parameters)
    attributes.push_back(builder.getNamedAttr(
        parameter.name, makeAttribute(builder, parameter.value)));
  if (workspaceBytes > 0)
    attributes.push_back(
        builder.getNamedAttr(library::kWorkspaceParameter,
                             builder.getI64IntegerAttr(workspaceBytes)));
  if (llvm::any_of(quantized, [](const library::Quantization &operand) {
        return operand.isThere();
      }))
    attributes.push_back(builder.getNamedAttr(
        library::kQuantizedParameter,
        library::makeQuantized(builder.getContext(), quantized)));
  return builder.getDictionaryAttr(attributes);
}

DictionaryAttr makeParameters(Builder &builder,
                              ArrayRef<operators::Parameter> parameters) {
  return makeAttributes(builder, parameters);
}

static ArrayAttr getNames(Builder &builder,
                          ArrayRef<operators::Operand> operands) {
  SmallVector<StringRef> names;
  for (const operators::Operand &operand : operands)
    names.push_back(operand.name);
  return builder.getStrArrayAttr(names);
}

/// What the module says of an operator's function of elements; null if it has
/// none.
static DictionaryAttr makeScalar(Builder &builder,
                                 const operators::Operator &op) {
  if (!op.scalar)
    return {};
  SmallVector<StringRef> names;
  for (const operators::Parameter &parameter : op.parameters)
    names.push_back(parameter.name);
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("file", builder.getStringAttr(op.scalar->file)),
       builder.getNamedAttr("function", builder.getStringAttr(op.scalar->name)),
       builder.getNamedAttr("lanes",
                            builder.getBoolAttr(op.scalar->takesLanes)),
       builder.getNamedAttr("parameters", builder.getStrArrayAttr(names))});
}

/// What the module says of its form for GPUs; null if it has none.
static DictionaryAttr makeCuda(Builder &builder,
                               const operators::Operator &op) {
  if (!op.cudaUnit)
    return {};
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("alone", builder.getBoolAttr(!op.hasDevice("cpu"))),
       builder.getNamedAttr("unit", builder.getI64IntegerAttr(*op.cudaUnit))});
}

void declareOperator(OpBuilder &builder, Location loc,
                     const operators::Found &found) {
  const operators::Operator &op = *found.op;
  const operators::Manifest bodies =
      found.body ? operators::describeBodies(*found.bodies)
                 : operators::Manifest();
  const operators::Manifest &manifest =
      found.body ? bodies : found.library->manifest;
  SmallVector<NamedAttribute> sources;
  for (const auto &[path, text] : manifest.sources)
    sources.push_back(builder.getNamedAttr(path, builder.getStringAttr(text)));
  auto texts = [&](const std::vector<std::string> &list) {
    return builder.getStrArrayAttr(
        SmallVector<StringRef>(list.begin(), list.end()));
  };
  fuse::OperatorOp::create(
      builder, loc, op.name(), /*sym_visibility=*/nullptr, uint64_t(op.version),
      getNames(builder, op.inputs), getNames(builder, op.outputs),
      makeAttributes(builder, op.parameters), manifest.library, manifest.hash,
      texts(manifest.flags), builder.getDictionaryAttr(sources),
      uint64_t(op.unit), texts(manifest.units), makeScalar(builder, op),
      makeCuda(builder, op),
      manifest.cudaUnits.empty() ? ArrayAttr() : texts(manifest.cudaUnits));
}

/// The elements of `value`, which the model has to know.
static HostTensor readConstant(fuse::Evaluator &evaluator, Node &node,
                               Value value, const Twine &what) {
  auto type = cast<RankedTensorType>(value.getType());
  std::optional<fuse::ConstantData> data = evaluator.get(value);
  if (!data)
    node.unsupported("needs " + what + " that is a constant",
                     "give it as an initializer");
  return HostTensor::fromBytes(type, fuse::packData(*data, type).bytes);
}

/// The codes that operand `index` is dequantised from, which the operator takes
/// in its place, and what they stand for.
static Value readQuantized(Node &node, unsigned index, StringRef name,
                           library::Quantization &known) {
  const std::string what =
      "takes the operand '" + name.str() +
      "' quantised: the result of a DequantizeLinear of int8 or uint8";
  constexpr llvm::StringLiteral kHint =
      "put QuantizeLinear and DequantizeLinear with constant scales in front "
      "of the node";
  Value value = node.input(index);
  const auto reshape = value.getDefiningOp<fuse::ReshapeOp>(); // of blocks
  auto dequantize = (reshape ? reshape->getOperand(0) : value)
                        .getDefiningOp<fuse::DequantizeOp>();
  if (!dequantize)
    node.unsupported(what + ", and this one is none", kHint);
  auto type = cast<RankedTensorType>(dequantize.getInput().getType());
  if (!type.getElementType().isInteger(8))
    node.unsupported(what + ", and this one is of " +
                         typeText(type.getElementType()),
                     kHint);
  fuse::Evaluator evaluator = node.makeEvaluator();
  HostTensor scale = readConstant(evaluator, node, dequantize.getScale(),
                                  "a scale of operand '" + name + "'");
  // Laid out so that it broadcasts: a scalar, or a vector and ones behind it.
  ArrayRef<int64_t> shape = scale.shape();
  known.axis = shape.empty() ? 0 : type.getRank() - int64_t(shape.size());
  const bool isVector =
      llvm::all_of(shape.drop_front(!shape.empty()),
                   [](int64_t extent) { return extent == 1; });
  if (!isVector || reshape)
    node.unsupported(what + " with one scale, or one for each index of a "
                            "dimension, and this one has blocks",
                     kHint);
  known.scales.assign(scale.floats.begin(), scale.floats.end());
  known.zeroPoints.assign(known.scales.size(), 0);
  if (Value zero = dequantize.getZeroPoint()) {
    HostTensor zeros = readConstant(evaluator, node, zero,
                                    "a zero point of operand '" + name + "'");
    for (auto [i, point] : llvm::enumerate(known.zeroPoints))
      point = zeros.ints[zeros.size() == 1 ? 0 : i];
  }
  return dequantize.getInput();
}

/// Refuses operands that the operator does not declare.
static void checkOperands(Node &node, const operators::Operator &op,
                          ArrayRef<operators::TensorType> inputs) {
  for (auto [declared, given] : llvm::zip_equal(op.inputs, inputs)) {
    bool isLegal = declared.types.empty() ||
                   llvm::is_contained(declared.types, given.element);
    if (!isLegal || given.dims.size() < declared.leastRank ||
        given.dims.size() > declared.mostRank)
      node.invalid("has " + given.describe() + " as operand '" + declared.name +
                   "', and declares " + declared.describe());
  }
}

/// For each result the operand that it must, or may, lie where; or -1. Refuses
/// one that must and is of another type.
static std::vector<int64_t> findAliases(Node &node,
                                        const operators::Operator &op,
                                        const operators::Call &call,
                                        const operators::Answer &answer,
                                        bool operators::Operand::*kind) {
  std::vector<int64_t> all;
  for (auto [output, type] : llvm::zip_equal(op.outputs, answer.outputs)) {
    all.push_back(output.*kind ? int64_t(output.aliasOf) : -1);
    if (all.back() < 0 || call.inputs[output.aliasOf] == type)
      continue;
    if (output.mustAlias)
      node.invalid("says that the output '" + output.name + "' is " +
                   type.describe() + ", and declares that it must lie where '" +
                   op.inputs[output.aliasOf].name + "' does, which is " +
                   call.inputs[output.aliasOf].describe());
    all.back() = -1;
  }
  return all;
}

/// Repeats the operands of a function of elements to one shape.
static void broadcastOperands(Node &node, SmallVectorImpl<Value> &operands) {
  SmallVector<ArrayRef<int64_t>> shapes;
  for (Value operand : operands)
    shapes.push_back(cast<RankedTensorType>(operand.getType()).getShape());
  const SmallVector<int64_t> shape = node.broadcastShape(shapes);
  for (Value &operand : operands)
    operand = node.broadcast(operand, shape);
}

/// A function of elements, as a primitive like those of the compiler's own.
static Value makeMap(Node &node, const operators::Found &found,
                     const operators::Call &call, ArrayRef<Value> operands) {
  const operators::ScalarFunction &scalar = *found.op->scalar;
  auto type = cast<RankedTensorType>(operands.front().getType());
  SmallVector<double> numbers;
  for (const operators::Parameter &parameter : call.parameters) {
    double &number = numbers.emplace_back();
    std::visit(
        [&](const auto &held) {
          if constexpr (std::is_arithmetic_v<std::decay_t<decltype(held)>>)
            number = double(held);
        },
        parameter.value);
    if (!isa<FloatType>(type.getElementType()) && number != std::rint(number))
      node.invalid("has " + operators::describe(parameter.value) +
                   " as parameter '" + parameter.name +
                   "', which its function takes as an element, and those are " +
                   typeText(type.getElementType()));
  }
  Builder &builder = node.builder;
  const std::string hash = operators::hashOf(
      scalar, found.library->manifest.sources.at(scalar.file));
  return fuse::MapOp::create(
      node.builder, node.loc, type, found.op->name(), operands, numbers, hash,
      scalar.steps ? builder.getI64IntegerAttr(scalar.steps) : IntegerAttr());
}

/// Refuses what is not elementwise.
static void checkElements(Node &node, const operators::Call &call,
                          const operators::Answer &answer) {
  for (const operators::TensorType &input : call.inputs)
    if (input.element != call.inputs.front().element)
      node.invalid("has operands of " + call.inputs.front().element + " and " +
                   input.element +
                   ", and computes element by element in one type; cast one of "
                   "them");
  if (!(answer.outputs.front() == call.inputs.front()))
    node.invalid("says that its result is " +
                 answer.outputs.front().describe() +
                 ", and computes element by element, so that it is " +
                 call.inputs.front().describe());
}

/// OperatorSet::ask; throws where the library fails.
static operators::Answer ask(const operators::Found &found,
                             const operators::Call &call) {
  llvm::Expected<operators::Answer> answer =
      operators::OperatorSet::ask(found, call);
  if (answer)
    return std::move(*answer);
  throw NodeError{
      ProblemKind::BadInput,
      "the operator " + found.op->name() + " of " + found.library->path +
          ", asked for its types: " + llvm::toString(answer.takeError()),
      operators::describeTest(found, call) + " repeats it"};
}

void convertDeclared(Node &node) {
  const operators::Found found = node.userOperator();
  if (found.body)
    return convertBody(node, found);
  const operators::Operator &op = *found.op;
  if (!op.hasDevice("cpu") && !(op.cudaUnit && node.runsLaunchers()))
    node.unsupported("is an operator without a form for CPUs; it has one for " +
                         llvm::join(op.devices, ", "),
                     "add .compute(\"cpu\", ...), and build " +
                         found.library->path + " again");
  node.requireInputs(op.inputs.size(), op.inputs.size());
  operators::Call call{&op, {}, {}, {}};
  SmallVector<Value> operands;
  SmallVector<library::Quantization> quantized(op.inputs.size());
  for (auto [index, declared] : llvm::enumerate(op.inputs))
    operands.push_back(
        declared.isQuantized
            ? readQuantized(node, index, declared.name, quantized[index])
            : node.input(index));
  if (op.scalar)
    broadcastOperands(node, operands);
  for (auto [index, declared] : llvm::enumerate(op.inputs)) {
    auto tensor = cast<RankedTensorType>(operands[index].getType());
    const TypeInfo *info = getTypeInfo(tensor.getElementType());
    operators::TensorType type{info ? operators::nameElement(info->onnxCode)
                                    : "",
                               tensor.getShape().vec()};
    if (type.element.empty())
      node.unsupported("has the operand '" + declared.name + "' of " +
                       typeText(tensor.getElementType()) +
                       ", which operators of users do not take");
    call.inputs.push_back(std::move(type));
    const library::Quantization &known = quantized[index];
    call.quantized.push_back(
        {{known.scales.begin(), known.scales.end()},
         {known.zeroPoints.begin(), known.zeroPoints.end()},
         known.axis});
  }
  for (const operators::Parameter &parameter : op.parameters)
    call.parameters.push_back(
        {parameter.name, readParameter(node, parameter.name, parameter.value)});
  checkOperands(node, op, call.inputs);

  call.device = op.hasDevice("cpu") ? "cpu" : "cuda";
  const operators::Answer answer = ask(found, call);
  if (!answer.isSupported)
    node.unsupported("the operator " + op.name() +
                     " says that it does not support this call");
  if (op.scalar)
    checkElements(node, call, answer);
  if (op.scalar && !node.keepsBodies())
    return node.setOutput(0, makeMap(node, found, call, operands));
  SmallVector<Type> results;
  for (const operators::TensorType &type : answer.outputs) {
    results.push_back(tensorType(
        type.dims,
        operators::findElement(type.element)->get(node.builder.getContext())));
    node.requireSize(cast<RankedTensorType>(results.back()));
  }
  NamedAttrList attributes(makeAttributes(
      node.builder, call.parameters,
      op.hasDevice("cpu") ? answer.workspaceBytes : 0, quantized));
  if (op.cudaUnit) {
    call.device = "cuda";
    if (const operators::Answer onGpu = ask(found, call); onGpu.isSupported)
      attributes.set(library::kCudaWorkspaceParameter,
                     node.builder.getI64IntegerAttr(onGpu.workspaceBytes));
  }
  for (auto [name, kind] :
       {std::pair(library::kMustAliasParameter, &operators::Operand::mustAlias),
        std::pair(library::kMayAliasParameter, &operators::Operand::mayAlias)})
    if (std::vector<int64_t> all = findAliases(node, op, call, answer, kind);
        llvm::any_of(all, [](int64_t operand) { return operand >= 0; }))
      attributes.set(name, node.builder.getDenseI64ArrayAttr(all));
  fuse::CallOp made = fuse::CallOp::create(
      node.builder, node.loc, results, node.builder.getStringAttr(op.name()),
      attributes.getDictionary(node.builder.getContext()), operands);
  for (auto [index, result] : llvm::enumerate(made.getResults()))
    if (index < node.numOutputs())
      node.setOutput(index, result);
}

} // namespace fusec
