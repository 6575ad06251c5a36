// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements, and calls of operators in them.
#include "compiler/fop/Checker.h"

#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

namespace fusec::fop {

/// Calls of operators within operators.
static constexpr unsigned kMaxCalls = 64;

void Checker::declareIndices(const std::vector<IndexName> &names) {
  for (const IndexName &name : names) {
    if (name.extent)
      declareIndex(name.name, extentOf(*name.extent), name.place);
    else if (!name.isGroup && !at.indexOf.count(name.name))
      refuse(name.place,
             "how many elements '" + name.name + "' has is not known here");
  }
}

//===- Calls --------------------------------------------------------------===//

TensorFact Checker::checkArgument(const Expr &expr) {
  auto tensor = at.tensors.find(expr.text);
  if (expr.kind == ExprKind::Name && tensor != at.tensors.end())
    return tensor->second;
  Fact fact = check(expr);
  if (fact.number)
    refuse(expr.place, "a number has no type of its own; cast it, as in "
                       "f32(2)");
  TensorFact argument{fact.element, {}};
  for (unsigned index : fact.indices)
    argument.slots.push_back({at.indices[index].extent, index});
  return argument;
}

/// Whether an input is of any dimensions, all in one group.
static bool isElementwise(const Tensor &input) {
  return input.dims.size() == 1 && input.dims[0].isGroup;
}

/// A number as the value of a parameter.
static ParamValue toParam(const Param &param, const Number &number,
                          Place place) {
  if (param.kind == ParamKind::Flag) {
    if (const auto *flag = std::get_if<bool>(&number))
      return *flag;
    refuse(place, "the parameter '" + param.name + "' is true or false, not " +
                      describe(number));
  }
  if (param.kind == ParamKind::Integer)
    return toInteger(number, place, "the parameter '" + param.name + "'");
  if (param.kind == ParamKind::Number)
    return toDouble(number, place);
  refuse(place, "the parameter '" + param.name + "' is a list");
}

/// The numbers of a list as the value of a parameter.
static ParamValue toParam(const Param &param, const std::vector<Number> &list,
                          Place place) {
  std::vector<int64_t> integers;
  std::vector<double> reals;
  for (const Number &number : list)
    if (param.kind == ParamKind::Integers)
      integers.push_back(
          toInteger(number, place, "each number of '" + param.name + "'"));
    else
      reals.push_back(toDouble(number, place));
  if (param.kind == ParamKind::Integers)
    return integers;
  if (param.kind == ParamKind::Numbers)
    return reals;
  refuse(place, "the parameter '" + param.name + "' is no list");
}

CallFact &Checker::checkCall(const Expr &expr) {
  const Definition &callee = *at.library.find(expr.text, at.definition);
  CallFact call;
  std::vector<TensorFact> arguments;
  Indices shared; // of those that go element by element
  const size_t count = callee.inputs.size();
  for (size_t i = 0; i < count; ++i) {
    arguments.push_back(checkArgument(*expr.operands[i]));
    if (isElementwise(callee.inputs[i]))
      for (const Slot &slot : arguments.back().slots)
        if (slot.index)
          shared = merge(shared, {*slot.index});
  }
  std::vector<TensorType> types;
  for (size_t i = 0; i < count; ++i) {
    TensorFact &argument = arguments[i];
    Indices own;
    for (const Slot &slot : argument.slots)
      if (slot.index)
        own.push_back(*slot.index);
    const bool isNamed = own.size() == argument.slots.size();
    if (isElementwise(callee.inputs[i]) && isNamed && own != shared) {
      own = shared;
      argument.slots.clear();
      for (unsigned index : shared)
        argument.slots.push_back({at.indices[index].extent, index});
      (void)check(*expr.operands[i]);
      call.arguments.push_back(own);
    } else if (expr.operands[i]->kind == ExprKind::Name) {
      call.arguments.push_back(std::nullopt);
    } else {
      call.arguments.push_back(own);
    }
    types.push_back(argument.type());
  }
  std::vector<ParamValue> params;
  for (auto [i, param] : llvm::enumerate(callee.params)) {
    if (count + i < expr.operands.size()) {
      const Expr &given = *expr.operands[count + i];
      auto list = at.lists.find(given.text);
      if (given.kind == ExprKind::Name && list != at.lists.end())
        params.push_back(toParam(param, list->second, given.place));
      else
        params.push_back(toParam(
            param, numberOf(given, "the parameter '" + param.name + "'"),
            given.place));
    } else if (param.value) {
      params.push_back(*param.value);
    } else {
      refuse(expr.place, "'" + expr.text + "' needs the parameter '" +
                             param.name + "', which has no default");
    }
  }
  if (++budget.depth > kMaxCalls)
    refuse(expr.place, fmt::format("more than {} calls of operators within "
                                   "each other",
                                   kMaxCalls));
  try {
    call.callee.reset(new Instance(callee, at.library, std::move(types),
                                   std::move(params), budget));
  } catch (const Mistake &mistake) {
    // The innermost call says where.
    if (llvm::StringRef(mistake.text).starts_with("in "))
      refuse(expr.place, mistake.text);
    refuse(expr.place,
           fmt::format("in {} ({}:{}:{}): {}", callee.name(),
                       at.library.fileOf(callee).path, mistake.place.line,
                       mistake.place.column, mistake.text));
  }
  --budget.depth;
  // Dimensions of results are called as those of the arguments that they
  // follow.
  std::map<unsigned, unsigned> names;
  for (auto [input, argument] : llvm::zip_equal(callee.inputs, arguments))
    for (auto [inner, outer] : llvm::zip_equal(
             call.callee->tensors.at(input.name).slots, argument.slots))
      if (inner.index && outer.index)
        names.try_emplace(*inner.index, *outer.index);
  for (const Tensor &output : callee.outputs) {
    TensorFact result = call.callee->tensors.at(output.name);
    for (Slot &slot : result.slots) {
      auto name = slot.index ? names.find(*slot.index) : names.end();
      slot.index =
          name == names.end() ? std::nullopt : std::optional(name->second);
    }
    call.results.push_back(std::move(result));
  }
  return at.calls[&expr] = std::move(call);
}

//===- Statements ---------------------------------------------------------===//

void Checker::setTensor(const Statement &statement, unsigned number,
                        TensorFact fact) {
  const std::string &name = statement.names[number];
  for (auto [output, type] :
       llvm::zip_equal(at.definition.outputs, at.outputs)) {
    if (output.name != name)
      continue;
    if (!(fact.type() == type))
      refuse(statement.namePlaces[number],
             fmt::format("'{}' is {}, and is given {}", name, type.describe(),
                         fact.type().describe()));
    // What its dimensions are called in the signature goes first.
    size_t d = 0;
    for (const Dim &dim : output.dims) {
      if (dim.isGroup) {
        for (unsigned index : at.groups.find(dim.name)->second)
          fact.slots[d++].index = index;
        continue;
      }
      if (auto index = at.indexOf.find(dim.name); index != at.indexOf.end())
        fact.slots[d].index = index->second;
      ++d;
    }
  }
  at.tensors[name] = std::move(fact);
}

/// Where `tensor` lacks a name for a dimension, or has one twice.
static bool isUnnamed(const TensorFact &tensor) {
  Indices seen;
  for (const Slot &slot : tensor.slots) {
    if (!slot.index || llvm::is_contained(seen, *slot.index))
      return true;
    seen.push_back(*slot.index);
  }
  return false;
}

void Checker::checkStatement(const Statement &statement) {
  const Expr &value = *statement.value;
  const std::string &name = statement.names[0];
  const Tensor *output = nullptr;
  TensorType outputType;
  for (auto [tensor, type] : llvm::zip_equal(at.definition.outputs, at.outputs))
    if (tensor.name == name) {
      output = &tensor;
      outputType = type;
    }
  const bool isCall = value.kind == ExprKind::Call &&
                      !at.findType(value.text) && !findFunction(value.text);
  StatementFact made;
  if (isCall && (statement.names.size() > 1 || statement.hasIndices)) {
    CallFact &call = checkCall(value);
    if (call.results.size() < statement.names.size())
      refuse(value.place, fmt::format("'{}' has {} results, and these are {} "
                                      "names",
                                      value.text, call.results.size(),
                                      statement.names.size()));
    if (statement.hasIndices) {
      TensorFact &result = call.results[0];
      // Names that are new take the extents of the result.
      size_t d = 0;
      for (const IndexName &index : statement.indices) {
        if (index.isGroup)
          d += at.groups.find(index.name)->second.size();
        else if (d < result.slots.size())
          declareIndex(index.name, result.slots[d++].extent, index.place);
      }
      const Indices names = at.indicesOf(statement.indices);
      if (names.size() != result.slots.size())
        refuse(statement.place,
               fmt::format("'{}' gives {} dimensions, and "
                           "these are {}",
                           value.text, result.slots.size(), names.size()));
      for (auto [slot, index] : llvm::zip_equal(result.slots, names)) {
        if (slot.extent != at.indices[index].extent)
          refuse(statement.place,
                 fmt::format("the dimension '{}' has {} elements, and '{}' "
                             "gives {}",
                             at.indices[index].name, at.indices[index].extent,
                             value.text, slot.extent));
        slot.index = index;
      }
    }
    for (unsigned i = 0; i < statement.names.size(); ++i)
      setTensor(statement, i, call.results[i]);
    at.statements.push_back(made);
    return;
  }
  if (output && statement.hasIndices) {
    size_t d = 0;
    for (const IndexName &index : statement.indices) {
      if (index.isGroup)
        d += at.groups.find(index.name)->second.size();
      else if (d < outputType.dims.size() && !index.extent)
        declareIndex(index.name, outputType.dims[d++], index.place);
      else
        ++d;
    }
  }
  if (statement.hasIndices)
    declareIndices(statement.indices);
  Fact fact = check(value);
  if (fact.number && !output && !statement.hasIndices) {
    at.numbers[name] = *fact.number;
    made.isNumber = true;
    at.statements.push_back(made);
    return;
  }
  TensorFact tensor{fact.element, {}};
  if (output) {
    tensor.element = outputType.element;
    Fact own;
    own.element = outputType.element;
    if (fact.number)
      requireFit(*fact.number, outputType.element, value.place);
    else if (fact.element != outputType.element)
      refuse(value.place,
             fmt::format("'{}' is of {}, and this is of {}; cast it, as in "
                         "{}(...)",
                         name, nameOf(outputType.element).str(),
                         nameOf(fact.element).str(), output->type));
  } else if (fact.number) {
    refuse(value.place, "a number has no type of its own; cast it, as in "
                        "f32(0)");
  }
  if (statement.hasIndices) {
    made.target = at.indicesOf(statement.indices);
  } else if (output) {
    TensorFact declared{outputType.element, {}};
    for (int64_t extent : outputType.dims)
      declared.slots.push_back({extent, std::nullopt});
    size_t d = 0;
    for (const Dim &dim : output->dims) {
      if (dim.isGroup) {
        for (unsigned index : at.groups.find(dim.name)->second)
          declared.slots[d++].index = index;
        continue;
      }
      auto index = at.indexOf.find(dim.name);
      if (!dim.name.empty() && index != at.indexOf.end())
        declared.slots[d].index = index->second;
      ++d;
    }
    if (isUnnamed(declared))
      refuse(statement.place, "'" + name +
                                  "' has dimensions without a name, or "
                                  "two of one; name them here, as in " +
                                  name + "[i, j] = ...");
    made.target.emplace();
    for (const Slot &slot : declared.slots)
      made.target->push_back(*slot.index);
  } else {
    made.target = fact.indices;
  }
  for (unsigned index : *made.target)
    tensor.slots.push_back({at.indices[index].extent, index});
  if (isUnnamed(tensor))
    refuse(statement.place, "'" + name + "' has a dimension twice");
  for (unsigned index : fact.indices)
    if (!llvm::is_contained(*made.target, index))
      refuse(value.place,
             fmt::format("this depends on the dimension '{}', which '{}' does "
                         "not have; reduce it, as in sum[{}](...), or give it "
                         "a subscript",
                         at.indices[index].name, name, at.indices[index].name));
  setTensor(statement, 0, std::move(tensor));
  at.statements.push_back(std::move(made));
}

void Checker::checkBody() {
  for (const Statement &statement : at.definition.body)
    checkStatement(statement);
}

} // namespace fusec::fop
