// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of users (--ops): calls whose types and scratch memory the library
// says, in a child process. Attributes are parameters, by name.
#include "compiler/import/ops/Declared.h"

#include "compiler/import/Node.h"
#include "compiler/import/ops/DeviceForms.h"
#include "compiler/operators/OperatorSet.h"
#include "dialects/library/Declared.h"

#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;

namespace fusec {

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
      makeParameters(builder, op.parameters), manifest.library, manifest.hash,
      texts(manifest.flags), builder.getDictionaryAttr(sources),
      uint64_t(op.unit), texts(manifest.units), makeScalar(builder, op),
      makeCudaForm(builder, op),
      manifest.cudaUnits.empty() ? ArrayAttr() : texts(manifest.cudaUnits),
      makeBlockForm(builder, op));
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

std::string findIllegal(const operators::Operator &op,
                        ArrayRef<operators::TensorType> inputs) {
  for (auto [declared, given] : llvm::zip_equal(op.inputs, inputs)) {
    bool isLegal = declared.types.empty() ||
                   llvm::is_contained(declared.types, given.element);
    if (!isLegal || given.dims.size() < declared.leastRank ||
        given.dims.size() > declared.mostRank)
      return "has " + given.describe() + " as operand '" + declared.name +
             "', and declares " + declared.describe();
  }
  return "";
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

operators::Answer askLibrary(const operators::Found &found,
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

/// Gives a call the algorithms that it may take on CPUs, or the only one's
/// scratch memory.
static void addAlgorithms(Node &node, const operators::Operator &op,
                          const operators::Answer &answer,
                          NamedAttrList &attributes) {
  SmallVector<library::Algorithm> all;
  for (const operators::CallAlgorithm &one : answer.algorithms) {
    const operators::Algorithm *declared = op.findAlgorithm("cpu", one.name);
    all.push_back(
        {one.name, one.workspaceBytes, !declared || declared->isReproducible});
  }
  if (!op.algorithms.empty())
    attributes.set(library::kAlgorithmsParameter,
                   library::makeAlgorithms(node.builder.getContext(), all));
  else if (const int64_t bytes = all.front().workspaceBytes; bytes > 0)
    attributes.set(library::kWorkspaceParameter,
                   node.builder.getI64IntegerAttr(bytes));
}

std::vector<operators::TensorType>
describeOperands(Node &node, const operators::Operator &op,
                 ValueRange operands) {
  std::vector<operators::TensorType> types;
  for (auto [declared, operand] : llvm::zip_equal(op.inputs, operands)) {
    auto tensor = cast<RankedTensorType>(operand.getType());
    const TypeInfo *info = getTypeInfo(tensor.getElementType());
    types.push_back({info ? operators::nameElement(info->onnxCode) : "",
                     tensor.getShape().vec()});
    if (types.back().element.empty())
      node.unsupported("has the operand '" + declared.name + "' of " +
                       typeText(tensor.getElementType()) +
                       ", which operators of users do not take");
  }
  return types;
}

bool mayRun(Node &node, const operators::Operator &op) {
  return op.hasDevice("cpu") || (op.hasDevice("cuda") && node.runsLaunchers());
}

operators::Answer askOperator(const operators::Found &found,
                              operators::Call &call) {
  call.device = found.op->hasDevice("cpu") ? "cpu" : "cuda";
  return askLibrary(found, call);
}

fuse::CallOp buildCall(Node &node, const operators::Found &found,
                       operators::Call call, const operators::Answer &answer,
                       ValueRange operands,
                       ArrayRef<library::Quantization> quantized) {
  const operators::Operator &op = *found.op;
  SmallVector<Type> results;
  for (const operators::TensorType &type : answer.outputs) {
    results.push_back(tensorType(
        type.dims,
        operators::findElement(type.element)->get(node.builder.getContext())));
    node.requireSize(cast<RankedTensorType>(results.back()));
  }
  NamedAttrList attributes(makeParameters(node.builder, call.parameters));
  if (call.device == "cpu")
    addAlgorithms(node, op, answer, attributes);
  addDeviceForms(node, found, call, attributes);
  if (llvm::any_of(quantized, [](const library::Quantization &operand) {
        return operand.isThere();
      }))
    attributes.set(
        library::kQuantizedParameter,
        library::makeQuantized(node.builder.getContext(), quantized));
  for (auto [name, kind] :
       {std::pair(library::kMustAliasParameter, &operators::Operand::mustAlias),
        std::pair(library::kMayAliasParameter, &operators::Operand::mayAlias)})
    if (std::vector<int64_t> all = findAliases(node, op, call, answer, kind);
        llvm::any_of(all, [](int64_t operand) { return operand >= 0; }))
      attributes.set(name, node.builder.getDenseI64ArrayAttr(all));
  return fuse::CallOp::create(
      node.builder, node.loc, results, node.builder.getStringAttr(op.name()),
      attributes.getDictionary(node.builder.getContext()), operands);
}

void convertDeclared(Node &node) {
  const operators::Found found = node.userOperator();
  if (found.body)
    return convertBody(node, found);
  const operators::Operator &op = *found.op;
  if (!mayRun(node, op))
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
  call.inputs = describeOperands(node, op, operands);
  for (const library::Quantization &known : quantized)
    call.quantized.push_back(
        {{known.scales.begin(), known.scales.end()},
         {known.zeroPoints.begin(), known.zeroPoints.end()},
         known.axis});
  for (const operators::Parameter &parameter : op.parameters)
    call.parameters.push_back(
        {parameter.name, readParameter(node, parameter.name, parameter.value)});
  if (std::string reason = findIllegal(op, call.inputs); !reason.empty())
    node.invalid(reason);
  const operators::Answer answer = askOperator(found, call);
  if (!answer.isSupported())
    node.unsupported("the operator " + op.name() +
                     " says that it does not support this call");
  if (op.scalar)
    checkElements(node, call, answer);
  if (op.scalar && !node.keepsBodies())
    return node.setOutput(0, makeMap(node, found, call, operands));
  fuse::CallOp made = buildCall(node, found, call, answer, operands, quantized);
  for (auto [index, result] : llvm::enumerate(made.getResults()))
    if (index < node.numOutputs())
      node.setOutput(index, result);
}

} // namespace fusec
