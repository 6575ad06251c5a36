// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of users have no other definition than their own: that of a library
// runs in a child process, and text is computed as it stands.
#include "compiler/import/ops/Declared.h"
#include "dialects/library/Declared.h"
#include "tools/fusec-ref/Bodies.h"
#include "tools/fusec-ref/Evaluator.h"

namespace fusec::ref {

/// The library's operator that `declared` was made of. Errors say which library
/// is missing.
static llvm::Expected<operators::Found> findOperator(fuse::OperatorOp declared,
                                                     Evaluation &e) {
  const llvm::StringRef name = declared.getSymName();
  auto [domain, type] = name.rsplit('.');
  std::optional<operators::Found> found;
  if (e.userOperators)
    found = e.userOperators->find(domain, type, int64_t(declared.getVersion()));
  if (!found)
    return e.fail("of @" + name +
                  " is an operator of a user's: name the library '" +
                  declared.getLibrary() + "' with --ops");
  auto getHash = [](const operators::Found &one) {
    return one.body ? operators::describeBodies(*one.bodies).hash
                    : one.library->manifest.hash;
  };
  // Of one that is text a module may call the kernels.
  if (found->kernels && getHash(*found) != declared.getHash())
    found = found->getKernels();
  const std::string hash = getHash(*found);
  if (hash != declared.getHash())
    return e.fail("of @" + name + " is declared as of hash " +
                  declared.getHash() + ", and " +
                  (found->body ? found->bodies->fileOf(*found->body).path
                               : found->library->path) +
                  " has " + hash +
                  ": compile the model with that library again");
  return *found;
}

static operators::TensorType describeType(mlir::Type tensor) {
  auto type = llvm::cast<mlir::RankedTensorType>(tensor);
  return {operators::nameElement(getTypeInfo(type.getElementType())->onnxCode),
          type.getShape().vec()};
}

static llvm::Error evaluateBody(fuse::CallOp op, const operators::Found &found,
                                Evaluation &e) {
  std::vector<fop::TensorType> types;
  std::vector<Array> inputs;
  for (const TensorPtr &operand : e.operands) {
    types.push_back({operand->type, operand->shape});
    Array &array = inputs.emplace_back(Array{types.back(), {}});
    if (io::isFloat(operand->type))
      for (double value : io::toDoubles(*operand))
        array.elements.emplace_back().f = value;
    else
      for (int64_t value : io::toInts(*operand))
        array.elements.emplace_back().i = value;
  }
  std::vector<fop::ParamValue> params;
  for (const fop::Param &param : found.body->params)
    params.push_back(operators::toParam(
        readOperatorValue(op.getParameters().get(param.name))));
  std::vector<Array> outputs;
  try {
    const fop::Instance instance(*found.body, *found.bodies, std::move(types),
                                 std::move(params));
    if (std::string reason = refuseHuge(instance); !reason.empty())
      return e.fail("of @" + op.getCallee() + " " + reason);
    outputs = BodyEvaluator(instance).run(std::move(inputs));
  } catch (const fop::Mistake &mistake) {
    return e.fail("of @" + op.getCallee() + ": " +
                  llvm::toString(fop::errorAt(found.bodies->fileOf(*found.body),
                                              mistake)));
  }
  for (auto [index, output] : llvm::enumerate(outputs)) {
    std::vector<double> floats;
    std::vector<int64_t> integers;
    for (Scalar element : output.elements) {
      if (io::isFloat(output.type.element))
        floats.push_back(element.f);
      else
        integers.push_back(element.i);
    }
    if (llvm::Error error = io::isFloat(output.type.element)
                                ? e.store(floats, index)
                                : e.store(integers, index))
      return error;
  }
  return llvm::Error::success();
}

/// Has the child compute the call of `found` with the operands at hand.
static llvm::Error computeInChild(mlir::Operation *op,
                                  const operators::Found &found,
                                  operators::Call call,
                                  const operators::CallAlgorithm &algorithm,
                                  Evaluation &e) {
  for (mlir::Type type : op->getOperandTypes())
    call.inputs.push_back(describeType(type));
  std::vector<operators::TensorType> outputs;
  for (mlir::Type type : op->getResultTypes())
    outputs.push_back(describeType(type));
  std::vector<std::vector<char>> operands;
  for (const TensorPtr &operand : e.operands)
    operands.emplace_back(operand->bytes.begin(), operand->bytes.end());
  auto results =
      found.library->host->compute(call, outputs, algorithm, operands);
  if (!results)
    return e.fail("of @" + found.op->name() + ": it " +
                  llvm::toString(results.takeError()) + "; " +
                  operators::describeTest(found, call) + " repeats it");
  for (auto [index, bytes] : llvm::enumerate(*results)) {
    io::Tensor tensor =
        io::Tensor::zeros(e.resultType(index), e.resultShape(index));
    tensor.bytes.assign(bytes.begin(), bytes.end());
    if (llvm::Error error = e.store(std::move(tensor), index))
      return error;
  }
  return llvm::Error::success();
}

/// The algorithm that a call takes, or the first that it may take.
static operators::CallAlgorithm findAlgorithm(mlir::DictionaryAttr parameters) {
  for (const library::Algorithm &one : library::getAlgorithms(parameters))
    return {one.name, one.workspaceBytes};
  operators::CallAlgorithm taken;
  if (auto name =
          parameters.getAs<mlir::StringAttr>(library::kAlgorithmParameter))
    taken.name = name.str();
  if (auto bytes =
          parameters.getAs<mlir::IntegerAttr>(library::kWorkspaceParameter))
    taken.workspaceBytes = bytes.getInt();
  return taken;
}

llvm::Error evaluateUserOperator(fuse::CallOp op, Evaluation &e) {
  auto declared = mlir::SymbolTable::lookupNearestSymbolFrom<fuse::OperatorOp>(
      op, op.getCalleeAttr());
  if (!declared)
    return e.fail("of @" + op.getCallee() + " has no declaration");
  llvm::Expected<operators::Found> found = findOperator(declared, e);
  if (!found)
    return found.takeError();
  if (found->body)
    return evaluateBody(op, *found, e);
  operators::Call call{found->op, {}, {}};
  for (size_t index = 0; index < op.getNumOperands(); ++index) {
    library::Quantization known =
        library::getQuantization(op.getParameters(), index);
    call.quantized.push_back(
        {{known.scales.begin(), known.scales.end()},
         {known.zeroPoints.begin(), known.zeroPoints.end()},
         known.axis});
  }
  for (const operators::Parameter &parameter : found->op->parameters)
    call.parameters.push_back(
        {parameter.name,
         readOperatorValue(op.getParameters().get(parameter.name))});
  return computeInChild(op, *found, std::move(call),
                        findAlgorithm(op.getParameters()), e);
}

llvm::Error evaluateMap(fuse::MapOp op, Evaluation &e) {
  auto declared = mlir::SymbolTable::lookupNearestSymbolFrom<fuse::OperatorOp>(
      op, op.getCalleeAttr());
  llvm::Expected<operators::Found> found = findOperator(declared, e);
  if (!found)
    return found.takeError();
  operators::Call call{found->op, {}, found->op->parameters};
  for (auto [parameter, number] :
       llvm::zip_equal(call.parameters, op.getParameters()))
    std::visit(
        [&, number = number](auto &held) {
          using T = std::decay_t<decltype(held)>;
          if constexpr (std::is_arithmetic_v<T>)
            held = T(number);
        },
        parameter.value);
  return computeInChild(op, *found, std::move(call), {}, e);
}

} // namespace fusec::ref
