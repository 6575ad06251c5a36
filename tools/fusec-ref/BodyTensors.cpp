// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators whose bodies are text: where elements lie, statements, calls.
#include "compiler/fop/Functions.h"
#include "compiler/io/ElementValue.h"
#include "tools/fusec-ref/Bodies.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

namespace fusec::ref {

using fop::Expr;
using fop::Fact;
using fop::Indices;
using io::ElementType;

static std::vector<int64_t> stridesOf(const std::vector<int64_t> &dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;)
    strides[d - 1] = strides[d] * dims[d];
  return strides;
}

BodyEvaluator::Value BodyEvaluator::read(const Array &array,
                                         const Indices &indices) const {
  const std::vector<int64_t> strides = stridesOf(array.type.dims);
  const std::vector<Scalar> *elements = &array.elements;
  return [=](Places &places) {
    int64_t offset = 0;
    for (auto [index, stride] : llvm::zip_equal(indices, strides))
      offset += places[index] * stride;
    return (*elements)[offset];
  };
}

std::function<int64_t(BodyEvaluator::Places &)>
BodyEvaluator::makePosition(const fop::Entry &entry, int64_t extent,
                            bool hasFill) {
  if (!entry.expr) {
    const unsigned index = *entry.plain;
    return [index](Places &places) { return places[index]; };
  }
  const Fact &fact = at.get(*entry.expr);
  const ElementType type = fact.number ? ElementType::I64 : fact.element;
  Value value = makeAs(*entry.expr, type);
  return [=](Places &places) -> int64_t {
    const Scalar position = value(places);
    bool isBelow, isAbove;
    if (io::isFloat(type)) {
      isBelow = !(position.f >= 0);
      isAbove = position.f > double(extent - 1);
    } else {
      isBelow = type != ElementType::U64 && position.i < 0;
      isAbove = uint64_t(position.i) >= uint64_t(extent);
    }
    if (hasFill && (isBelow || isAbove))
      return -1;
    if (isBelow)
      return 0;
    if (isAbove)
      return extent - 1;
    return io::isFloat(type) ? int64_t(position.f) : position.i;
  };
}

BodyEvaluator::Value BodyEvaluator::makeSubscript(const Expr &expr) {
  const Array &array = tensors.at(expr.text);
  const std::vector<int64_t> strides = stridesOf(array.type.dims);
  std::vector<std::function<int64_t(Places &)>> positions;
  for (auto [entry, extent] :
       llvm::zip_equal(at.entriesOf(expr), array.type.dims))
    positions.push_back(makePosition(entry, extent, bool(expr.fill)));
  Value fill;
  if (expr.fill)
    fill = makeAs(*expr.fill, array.type.element);
  const std::vector<Scalar> *elements = &array.elements;
  return [=](Places &places) {
    int64_t offset = 0;
    for (auto [position, stride] : llvm::zip_equal(positions, strides)) {
      const int64_t place = position(places);
      if (place < 0)
        return fill(places);
      offset += place * stride;
    }
    return (*elements)[offset];
  };
}

Array BodyEvaluator::tabulate(const Value &value, ElementType element,
                              const Indices &indices) {
  Array array{{element, {}}, {}};
  for (unsigned index : indices)
    array.type.dims.push_back(at.indices[index].extent);
  Places places(at.indices.size(), 0);
  forEachPoint(array.type.dims, [&](const std::vector<int64_t> &point) {
    for (auto [index, place] : llvm::zip_equal(indices, point))
      places[index] = place;
    array.elements.push_back(value(places));
  });
  return array;
}

const std::vector<Array> &BodyEvaluator::compute(const Expr &expr) {
  auto known = calls.find(&expr);
  if (known != calls.end())
    return known->second;
  const fop::CallFact &call = at.callOf(expr);
  std::vector<Array> arguments;
  for (auto [i, indices] : llvm::enumerate(call.arguments)) {
    const Expr &given = *expr.operands[i];
    arguments.push_back(
        indices ? tabulate(make(given), at.get(given).element, *indices)
                : tensors.at(given.text));
  }
  return calls[&expr] = BodyEvaluator(*call.callee).run(std::move(arguments));
}

/// How many numbers an expression computes at each point.
static double countSteps(const Expr &expr, const fop::Instance &at) {
  double steps = 1;
  for (const fop::ExprPtr &operand : expr.operands)
    if (!operand->isGroup && operand->kind != fop::ExprKind::Number)
      steps += countSteps(*operand, at);
  if (expr.fill)
    steps += countSteps(*expr.fill, at);
  if (expr.kind == fop::ExprKind::Reduce)
    for (unsigned index : at.indicesOf(expr.indices))
      steps *= double(at.indices[index].extent);
  return steps;
}

static double countPoints(const Indices &indices, const fop::Instance &at) {
  double points = 1;
  for (unsigned index : indices)
    points *= double(at.indices[index].extent);
  return points;
}

double countSteps(const fop::Instance &at) {
  double steps = 0;
  for (auto [statement, fact] :
       llvm::zip_equal(at.definition.body, at.statements))
    if (fact.target)
      steps += countSteps(*statement.value, at) * countPoints(*fact.target, at);
  for (const auto &call : at.getCalls()) {
    steps += countSteps(*call.second.callee);
    for (auto [argument, expr] :
         llvm::zip(call.second.arguments, call.first->operands))
      if (argument)
        steps += countSteps(*expr, at) * countPoints(*argument, at);
  }
  return steps;
}

std::string refuseHuge(const fop::Instance &at) {
  constexpr double kMostSteps = 1e11, kMostElements = 1e9;
  for (const fop::StatementFact &fact : at.statements)
    if (fact.target && countPoints(*fact.target, at) > kMostElements)
      return "has a tensor of more than 10^9 elements, which is not "
             "interpreted";
  if (countSteps(at) > kMostSteps)
    return "computes more than 10^11 numbers, which is not interpreted";
  return "";
}

std::vector<Array> BodyEvaluator::run(std::vector<Array> inputs) {
  for (auto [tensor, array] :
       llvm::zip_equal(at.definition.inputs, std::move(inputs)))
    tensors[tensor.name] = array;
  for (auto [statement, fact] :
       llvm::zip_equal(at.definition.body, at.statements)) {
    const Expr &value = *statement.value;
    if (fact.isNumber)
      continue;
    if (!fact.target) {
      for (auto [name, result] : llvm::zip(statement.names, compute(value)))
        tensors[name] = result;
      continue;
    }
    const std::string &name = statement.names[0];
    const ElementType element = at.tensors.at(name).element;
    tensors[name] = tabulate(makeAs(value, element), element, *fact.target);
  }
  std::vector<Array> outputs;
  for (const fop::Tensor &output : at.definition.outputs)
    outputs.push_back(tensors.at(output.name));
  return outputs;
}

} // namespace fusec::ref
