// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which names a definition has, and whether each that it uses is one of them.
#include "compiler/fop/Functions.h"
#include "compiler/fop/Library.h"
#include "compiler/fop/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace fusec::fop {

namespace {
enum class NameKind { Tensor, Output, Param, Dim, Group, Type };

class NameChecker {
public:
  NameChecker(const Definition &op, const Library &library,
              llvm::function_ref<void(const Expr &, const Definition &)> visit)
      : op(op), library(library), visitCall(visit) {}
  void run();

private:
  static llvm::StringRef getWords(NameKind kind);
  void declare(const std::string &name, NameKind kind, Place place);
  void declareDims(const Tensor &tensor, bool isOutput);
  void checkType(const Tensor &tensor);
  void checkIndices(const std::vector<IndexName> &indices);
  void checkStatement(const Statement &statement);
  void checkCall(const Expr &call);
  void check(const Expr &expr, bool isSubscript = false);
  /// What is known, in words, for who has misspelt one.
  [[noreturn]] void refuseUnknown(const std::string &name, Place place);

  const Definition &op;
  const Library &library;
  llvm::function_ref<void(const Expr &, const Definition &)> visitCall;
  llvm::StringMap<NameKind> names;
  llvm::StringSet<> defined; ///< tensors that have a value
};
} // namespace

llvm::StringRef NameChecker::getWords(NameKind kind) {
  switch (kind) {
  case NameKind::Tensor:
    return "a tensor";
  case NameKind::Output:
    return "an output";
  case NameKind::Param:
    return "a parameter";
  case NameKind::Dim:
    return "a dimension";
  case NameKind::Group:
    return "a group of dimensions";
  case NameKind::Type:
    return "a type";
  }
  llvm_unreachable("covers all kinds");
}

void NameChecker::declare(const std::string &name, NameKind kind, Place place) {
  if (isReduction(name) || io::elementTypeFromName(name))
    refuse(place, "'" + name + "' is a word of the language; choose another");
  auto [known, isNew] = names.try_emplace(name, kind);
  const bool isDim = kind == NameKind::Dim || kind == NameKind::Group;
  if (!isNew && !(isDim && known->second == kind))
    refuse(place, "'" + name + "' is " + getWords(known->second).str() +
                      " already; each name stands for one thing");
}

void NameChecker::declareDims(const Tensor &tensor, bool isOutput) {
  bool hasGroup = false;
  for (const Dim &dim : tensor.dims) {
    if (dim.isGroup && !isOutput && std::exchange(hasGroup, true))
      refuse(dim.place, "'" + tensor.name +
                            "' has two groups of dimensions, and nothing says "
                            "where the second one begins");
    if (dim.name.empty())
      continue;
    if (isOutput && !dim.extent && !names.count(dim.name))
      refuse(dim.place, "no input has the dimension '" + dim.name +
                            "'; write its extent, as in " + dim.name +
                            " = 2 * n");
    declare(dim.name, dim.isGroup ? NameKind::Group : NameKind::Dim, dim.place);
  }
}

void NameChecker::checkType(const Tensor &tensor) {
  if (io::elementTypeFromName(tensor.type))
    return;
  auto known = names.find(tensor.type);
  if (known == names.end() || known->second != NameKind::Type)
    refuse(tensor.typePlace, "'" + tensor.type +
                                 "' is no element type, and no 'where' says "
                                 "which it stands for, as in where " +
                                 tensor.type + " in f32, f16");
}

void NameChecker::refuseUnknown(const std::string &name, Place place) {
  std::vector<std::string> all;
  for (const auto &known : names)
    if (known.second != NameKind::Type)
      all.push_back(known.first().str());
  llvm::sort(all);
  refuse(place, "nothing is called '" + name + "'; there is " +
                    (all.empty() ? "nothing" : llvm::join(all, ", ")));
}

void NameChecker::checkIndices(const std::vector<IndexName> &indices) {
  llvm::StringSet<> own;
  for (const IndexName &index : indices) {
    if (!own.insert(index.name).second)
      refuse(index.place, "the dimension '" + index.name + "' twice");
    if (index.extent) {
      check(*index.extent);
      declare(index.name, NameKind::Dim, index.place);
      continue;
    }
    auto known = names.find(index.name);
    const NameKind kind = index.isGroup ? NameKind::Group : NameKind::Dim;
    if (known == names.end())
      refuse(index.place,
             "no dimension is called '" + index.name + "'" +
                 (index.isGroup ? ""
                                : "; say how many values it takes, "
                                  "as in " +
                                      index.name + ": 3"));
    if (known->second != kind)
      refuse(index.place, "'" + index.name + "' is " + getWords(known->second) +
                              ", not " + getWords(kind));
  }
}

void NameChecker::checkCall(const Expr &call) {
  auto needs = [&](size_t least, size_t most, llvm::StringRef words) {
    if (call.operands.size() < least || call.operands.size() > most)
      refuse(call.place, "'" + call.text + "' takes " + words + ", not " +
                             llvm::Twine(call.operands.size()));
  };
  const Function *function = findFunction(call.text);
  if (function && (function->kind == FunctionKind::Index ||
                   function->kind == FunctionKind::Size)) {
    needs(1, 1, "one dimension");
    const Expr &name = *call.operands[0];
    auto known = names.find(name.text);
    if (name.kind != ExprKind::Name || known == names.end() ||
        known->second != NameKind::Dim)
      refuse(name.place, "'" + call.text + "' takes the name of a dimension");
    return;
  }
  auto type = names.find(call.text);
  const bool isCast = io::elementTypeFromName(call.text).has_value() ||
                      (type != names.end() && type->second == NameKind::Type);
  if (isCast)
    needs(1, 1, "one operand");
  else if (function && function->kind == FunctionKind::Fold)
    needs(2, SIZE_MAX, "two operands or more");
  else if (function && function->kind == FunctionKind::Select)
    needs(3, 3, "a condition and two operands");
  else if (function && function->kind == FunctionKind::Pair)
    needs(2, 2, "two operands");
  else if (function)
    needs(1, 1, "one operand");
  else if (const Definition *callee = library.find(call.text, op)) {
    const size_t inputs = callee->inputs.size();
    needs(inputs, inputs + callee->params.size(),
          llvm::Twine(inputs).str() + " inputs and up to " +
              llvm::Twine(callee->params.size()).str() + " parameters");
    visitCall(call, *callee);
  } else {
    refuse(call.place,
           "there is no function or operator '" + call.text + "'" +
               (names.count(call.text) ? "; subscripts stand in [ ]" : ""));
  }
  for (const ExprPtr &operand : call.operands)
    check(*operand);
}

void NameChecker::check(const Expr &expr, bool isSubscript) {
  switch (expr.kind) {
  case ExprKind::Number:
    return;
  case ExprKind::Name: {
    auto known = names.find(expr.text);
    if (known == names.end())
      refuseUnknown(expr.text, expr.place);
    const bool isTensor =
        known->second == NameKind::Tensor || known->second == NameKind::Output;
    if (isTensor && !defined.contains(expr.text))
      refuse(expr.place, "'" + expr.text + "' has no value yet");
    if (known->second == NameKind::Type)
      refuse(expr.place, "'" + expr.text + "' is a type; to cast, write " +
                             expr.text + "(x)");
    if ((known->second == NameKind::Group) != expr.isGroup)
      refuse(expr.place,
             expr.isGroup ? "'" + expr.text + "' is no group of dimensions"
             : isSubscript
                 ? "'" + expr.text + "' is a group of dimensions; write *" +
                       expr.text
                 : "'" + expr.text +
                       "' is a group of dimensions, which has no number");
    return;
  }
  case ExprKind::Call:
    return checkCall(expr);
  case ExprKind::Reduce:
    checkIndices(expr.indices);
    return check(*expr.operands[0]);
  case ExprKind::Subscript: {
    auto known = names.find(expr.text);
    if (known == names.end())
      refuseUnknown(expr.text, expr.place);
    if (known->second != NameKind::Param && !defined.contains(expr.text))
      refuse(expr.place, "'" + expr.text + "' " +
                             (known->second == NameKind::Output
                                  ? "has no value yet"
                                  : "is " + getWords(known->second).str() +
                                        ", which has no elements"));
    for (const ExprPtr &operand : expr.operands)
      check(*operand, /*isSubscript=*/true);
    if (expr.fill)
      check(*expr.fill);
    return;
  }
  case ExprKind::Unary:
  case ExprKind::Binary:
    for (const ExprPtr &operand : expr.operands)
      check(*operand, isSubscript);
    return;
  }
}

void NameChecker::checkStatement(const Statement &statement) {
  for (auto [name, place] :
       llvm::zip_equal(statement.names, statement.namePlaces)) {
    auto known = names.find(name);
    const bool isOutput =
        known != names.end() && known->second == NameKind::Output;
    if (defined.contains(name))
      refuse(place, "'" + name + "' has a value already");
    if (!isOutput)
      declare(name, NameKind::Tensor, place);
  }
  if (statement.hasIndices) {
    // Dimensions of outputs, and of what a call gives, get names here.
    const bool isNaming =
        llvm::any_of(op.outputs,
                     [&](const Tensor &tensor) {
                       return tensor.name == statement.names.front();
                     }) ||
        (statement.value->kind == ExprKind::Call &&
         library.find(statement.value->text, op));
    for (const IndexName &index : statement.indices)
      if (isNaming && !index.isGroup && !index.extent &&
          !names.count(index.name))
        declare(index.name, NameKind::Dim, index.place);
    checkIndices(statement.indices);
  }
  check(*statement.value);
  if (statement.names.size() > 1 && (statement.value->kind != ExprKind::Call ||
                                     !library.find(statement.value->text, op)))
    refuse(statement.value->place,
           "several names take the results of one call of an operator");
  if (statement.names.size() > 1 && statement.hasIndices)
    refuse(statement.place, "names of dimensions go with one result");
  for (const std::string &name : statement.names)
    defined.insert(name);
}

void NameChecker::run() {
  for (const TypeSet &set : op.typeSets) {
    if (findFunction(set.name))
      refuse(set.place, "'" + set.name + "' is a function");
    declare(set.name, NameKind::Type, set.place);
  }
  for (const Tensor &input : op.inputs) {
    declare(input.name, NameKind::Tensor, input.place);
    defined.insert(input.name);
  }
  for (const Param &param : op.params)
    declare(param.name, NameKind::Param, param.place);
  for (const Tensor &output : op.outputs)
    declare(output.name, NameKind::Output, output.place);
  for (const Tensor &input : op.inputs)
    declareDims(input, /*isOutput=*/false);
  for (const Tensor &output : op.outputs)
    declareDims(output, /*isOutput=*/true);
  for (const auto *tensors : {&op.inputs, &op.outputs})
    for (const Tensor &tensor : *tensors) {
      checkType(tensor);
      for (const Dim &dim : tensor.dims)
        if (dim.extent)
          check(*dim.extent);
    }
  for (const ExprPtr &condition : op.conditions)
    check(*condition);
  for (const TypeSet &set : op.typeSets)
    if (llvm::none_of(op.inputs, [&](const Tensor &input) {
          return input.type == set.name;
        }))
      refuse(set.place, "no input is of type '" + set.name + "'");
  for (const Statement &statement : op.body)
    checkStatement(statement);
  for (const Tensor &output : op.outputs)
    if (!defined.contains(output.name))
      refuse(output.place, "the output '" + output.name +
                               "' gets no value; add " + output.name +
                               " = ... to the body");
}

void checkNames(
    const Definition &definition, const Library &library,
    llvm::function_ref<void(const Expr &, const Definition &)> visitCall) {
  NameChecker(definition, library, visitCall).run();
}

} // namespace fusec::fop
