// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators whose bodies are text (.fop): nodes become what the text says, and
// nothing distinguishes that from nodes of the model.
#include "compiler/fop/Functions.h"
#include "compiler/import/Node.h"
#include "compiler/import/bodies/Expansion.h"
#include "compiler/import/ops/Declared.h"
#include "compiler/io/ElementValue.h"
#include "dialects/kernel/Choices.h"

#include <fmt/format.h>

using namespace mlir;

namespace fusec {
namespace {

/// The operands' types, of element types that bodies may have.
std::vector<fop::TensorType> readTypes(Node &node,
                                       const operators::Operator &op) {
  std::vector<fop::TensorType> types;
  for (unsigned i = 0; i < op.inputs.size(); ++i) {
    RankedTensorType type = node.type(i);
    const TypeInfo *info = getTypeInfo(type.getElementType());
    auto element =
        info ? io::elementTypeFromOnnx(info->onnxCode) : std::nullopt;
    if (!element || io::isCoded(*element) || io::getInfo(*element).packedBits)
      node.unsupported("has the operand '" + op.inputs[i].name + "' of " +
                       typeText(type.getElementType()) +
                       ", which the text of operators does not compute with");
    types.push_back({*element, type.getShape().vec()});
  }
  return types;
}

/// Whether an expression computes each element from those at the same place.
bool isPointwise(const fop::Expr &expr) {
  const bool isOperator = expr.kind == fop::ExprKind::Call &&
                          !fop::findFunction(expr.text) &&
                          !io::elementTypeFromName(expr.text);
  if (expr.kind == fop::ExprKind::Reduce ||
      expr.kind == fop::ExprKind::Subscript || isOperator)
    return false;
  return llvm::all_of(expr.operands, [](const fop::ExprPtr &operand) {
    return isPointwise(*operand);
  });
}

/// Refuses operands of which the run time counts the rows, where these would be
/// reduced or picked: the text says nothing of rows that are not there.
void requirePresent(Node &node, const fop::Definition &body) {
  if (llvm::all_of(body.body, [](const fop::Statement &statement) {
        return isPointwise(*statement.value);
      }))
    return;
  for (auto [index, input] : llvm::enumerate(body.inputs))
    if (node.presence(index))
      node.unsupported("reads rows of '" + input.name +
                           "' that only the run time counts, and reduces or "
                           "picks elements",
                       "write that part with ONNX's operators, which pass over "
                       "rows that are not there");
}

/// Whether only the run time counts rows of an operand.
bool readsOpenRows(Node &node) {
  for (unsigned i = 0; i < node.numInputs(); ++i)
    if (node.presence(i))
      return true;
  return false;
}

/// The node as a call, which the module declares.
void keepCall(Node &node, const operators::Operator &op,
              const fop::Instance &instance,
              ArrayRef<operators::Parameter> parameters,
              ArrayRef<Value> operands) {
  SmallVector<Type> results;
  for (const fop::TensorType &type : instance.outputs) {
    Type element =
        getTypeInfoForOnnx(int(type.element))->get(node.builder.getContext());
    results.push_back(tensorType(type.dims, element));
    node.requireSize(cast<RankedTensorType>(results.back()));
  }
  auto made = fuse::CallOp::create(
      node.builder, node.loc, results, node.builder.getStringAttr(op.name()),
      makeParameters(node.builder, parameters), operands);
  for (auto [index, result] : llvm::enumerate(made.getResults()))
    node.setOutput(index, result);
}

/// Whether the operands are all constants, from which shapes may follow.
bool areConstants(ArrayRef<Value> operands) {
  return llvm::all_of(operands, [](Value operand) {
    return isa_and_present<fuse::ConstantOp, fuse::GetWeightOp>(
        operand.getDefiningOp());
  });
}

/// The call of the kernels that the operator has besides its body, and what
/// they say of it; nothing where they do not take it. Throws NodeError where
/// they give other results than the body.
std::optional<std::pair<operators::Call, operators::Answer>> askKernels(
    Node &node, const operators::Found &found, const fop::Instance &instance,
    ArrayRef<operators::Parameter> parameters, ArrayRef<Value> operands) {
  const operators::Operator &op = *found.kernels;
  operators::Call call{&op, describeOperands(node, op, operands), {}, {}};
  if (!mayRun(node, op) || !findIllegal(op, call.inputs).empty())
    return std::nullopt;
  for (const operators::Parameter &declared : op.parameters)
    call.parameters.push_back(
        *llvm::find_if(parameters, [&](const operators::Parameter &parameter) {
          return parameter.name == declared.name;
        }));
  const operators::Answer answer = askOperator(found.getKernels(), call);
  if (!answer.isSupported())
    return std::nullopt;
  for (auto [declared, said, type] :
       llvm::zip_equal(op.outputs, answer.outputs, instance.outputs))
    if (said.element != io::getInfo(type.element).name ||
        said.dims != type.dims)
      throw NodeError{
          ProblemKind::BadInput,
          "the operator " + op.name() + " of " + found.library->path +
              " says that its output '" + declared.name + "' is " +
              said.describe() + ", and its text that it is " + type.describe(),
          operators::describeTest(found.getKernels(), call) + " repeats it"};
  return std::pair(std::move(call), answer);
}

/// The results of an operator that has kernels besides its body, where somebody
/// compares them: of a choice between both, or of what was decided.
std::vector<Value> compareKernels(Node &node, const operators::Found &found,
                                  const fop::Instance &instance,
                                  ArrayRef<operators::Parameter> parameters,
                                  ArrayRef<Value> operands) {
  auto expand = [&] { return Expansion(node, instance).run(operands); };
  std::string name;
  const std::string decided = node.findDecided(name);
  if (decided == kBodyAlternative)
    return expand();
  auto asked = askKernels(node, found, instance, parameters, operands);
  if (!asked)
    return expand();
  auto &[call, answer] = *asked;
  node.declare(found.getKernels());
  auto callKernels = [&, &call = call, &answer = answer] {
    fuse::CallOp made =
        buildCall(node, found.getKernels(), call, answer, operands);
    return std::vector<Value>(made.result_begin(), made.result_end());
  };
  if (!decided.empty()) {
    llvm::erase_if(answer.algorithms, [&](const operators::CallAlgorithm &one) {
      return decided != kKernelAlternative && one.name != decided;
    });
    return callKernels();
  }
  SmallVector<Type> types;
  for (const operators::TensorType &type : answer.outputs)
    types.push_back(tensorType(
        type.dims,
        operators::findElement(type.element)->get(node.builder.getContext())));
  auto choice = fuse::ChoiceOp::create(
      node.builder, node.loc, types, name,
      node.builder.getStrArrayAttr({kBodyAlternative, kKernelAlternative}), 2);
  OpBuilder::InsertionGuard guard(node.builder);
  for (Region &alternative : choice.getAlternatives()) {
    node.builder.setInsertionPointToStart(&alternative.emplaceBlock());
    const std::vector<Value> results =
        alternative.getRegionNumber() == 0 ? expand() : callKernels();
    fuse::YieldOp::create(node.builder, node.loc, results);
  }
  return {choice.result_begin(), choice.result_end()};
}

} // namespace

void convertBody(Node &node, const operators::Found &found) {
  const operators::Operator &op = *found.op;
  const fop::Definition &body = *found.body;
  const std::string &path = found.bodies->fileOf(body).path;
  node.requireInputs(op.inputs.size(), op.inputs.size());
  std::vector<operators::Parameter> parameters;
  std::vector<fop::ParamValue> values;
  for (auto [declared, param] : llvm::zip_equal(op.parameters, body.params)) {
    if (!param.value && !node.hasAttribute(param.name))
      node.invalid("lacks the attribute '" + param.name + "', " +
                   operators::getWords(declared.value) +
                   fmt::format(", for which the operator {}, {}:{}:{}, has no "
                               "default",
                               op.name(), path, param.place.line,
                               param.place.column));
    parameters.push_back(
        {param.name, readParameter(node, param.name, declared.value)});
    values.push_back(operators::toParam(parameters.back().value));
  }
  std::optional<fop::Instance> instance;
  try {
    instance.emplace(body, *found.bodies, readTypes(node, op),
                     std::move(values));
  } catch (const fop::Mistake &mistake) {
    throw NodeError{ProblemKind::BadInput,
                    fmt::format("the operator {}, {}:{}:{}: {}", op.name(),
                                path, mistake.place.line, mistake.place.column,
                                mistake.text),
                    ""};
  }
  requirePresent(node, body);
  SmallVector<Value> operands;
  for (unsigned i = 0; i < op.inputs.size(); ++i)
    operands.push_back(node.input(i));
  if (node.keepsBodies())
    return keepCall(node, op, *instance, parameters, operands);
  const bool offersKernels = found.kernels && node.offersKernels() &&
                             !areConstants(operands) && !readsOpenRows(node);
  std::vector<Value> results =
      offersKernels
          ? compareKernels(node, found, *instance, parameters, operands)
          : Expansion(node, *instance).run(operands);
  for (auto [index, result] : llvm::enumerate(results))
    node.setOutput(index, result);
}

} // namespace fusec
