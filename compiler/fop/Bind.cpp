// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signatures: types and dimensions of operands give those of results.
#include "compiler/fop/Checker.h"

#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fusec::fop {

/// What no dimension and no tensor has more of.
static constexpr int64_t kMaxExtent = int64_t(1) << 40;

llvm::StringRef nameOf(io::ElementType type) { return io::getInfo(type).name; }

bool isInteger(io::ElementType type) {
  switch (type) {
  case io::ElementType::I8:
  case io::ElementType::I16:
  case io::ElementType::I32:
  case io::ElementType::I64:
  case io::ElementType::U8:
  case io::ElementType::U16:
  case io::ElementType::U32:
  case io::ElementType::U64:
    return true;
  default:
    return false;
  }
}

std::string TensorType::describe() const {
  return fmt::format("{}[{}]", nameOf(element).str(), fmt::join(dims, ", "));
}

TensorType TensorFact::type() const {
  TensorType type{element, {}};
  for (const Slot &slot : slots)
    type.dims.push_back(slot.extent);
  return type;
}

void Checker::bindParams(std::vector<ParamValue> params) {
  for (auto [param, value] : llvm::zip_equal(at.definition.params, params)) {
    auto setList = [&, &param = param](const auto &list) {
      if (param.length && int64_t(list.size()) != *param.length)
        refuse(param.place,
               fmt::format("the parameter '{}' has {} numbers, "
                           "and is given {}",
                           param.name, *param.length, list.size()));
      std::vector<Number> &own = at.lists[param.name];
      for (auto item : list)
        own.push_back(item);
    };
    if (const auto *ints = std::get_if<std::vector<int64_t>>(&value))
      setList(*ints);
    else if (const auto *reals = std::get_if<std::vector<double>>(&value))
      setList(*reals);
    else if (const auto *flag = std::get_if<bool>(&value))
      at.numbers[param.name] = *flag;
    else if (const auto *whole = std::get_if<int64_t>(&value))
      at.numbers[param.name] = *whole;
    else
      at.numbers[param.name] = std::get<double>(value);
  }
}

void Checker::bindType(const Tensor &tensor, io::ElementType element) {
  auto wrong = [&](const std::string &expected) {
    refuse(tensor.typePlace, fmt::format("'{}' is {}, expected {}", tensor.name,
                                         nameOf(element).str(), expected));
  };
  if (auto fixed = io::elementTypeFromName(tensor.type)) {
    if (*fixed != element)
      wrong(nameOf(*fixed).str());
    return;
  }
  auto [known, isNew] = at.types.try_emplace(tensor.type, element);
  if (!isNew && known->second != element)
    wrong(nameOf(known->second).str() + ", which " + tensor.type +
          " stands for");
  for (const TypeSet &set : at.definition.typeSets)
    if (set.name == tensor.type && !llvm::is_contained(set.types, element)) {
      std::vector<std::string> names;
      for (io::ElementType type : set.types)
        names.push_back(nameOf(type).str());
      wrong(fmt::format("{}", fmt::join(names, ", ")));
    }
}

unsigned Checker::declareIndex(const std::string &name, int64_t extent,
                               Place place) {
  auto [known, isNew] = at.indexOf.try_emplace(name, at.indices.size());
  if (isNew)
    at.indices.push_back({name, extent});
  else if (at.indices[known->second].extent != extent)
    refuse(place, fmt::format("the dimension '{}' has {} elements here, and {} "
                              "elsewhere",
                              name, extent, at.indices[known->second].extent));
  return known->second;
}

int64_t Checker::extentOf(const Expr &expr) {
  const int64_t extent =
      toInteger(numberOf(expr, "an extent"), expr.place, "an extent");
  if (extent < 0 || extent > kMaxExtent)
    refuse(expr.place, fmt::format("an extent of {}; it has to lie between 0 "
                                   "and {}",
                                   extent, kMaxExtent));
  return extent;
}

void Checker::bindDims(const Tensor &tensor, const TensorType &type) {
  const bool hasGroup =
      llvm::any_of(tensor.dims, [](const Dim &dim) { return dim.isGroup; });
  const size_t own = tensor.dims.size() - hasGroup, given = type.dims.size();
  if (hasGroup ? given < own : given != own)
    refuse(tensor.place,
           fmt::format("'{}' is {}, of {} dimensions; it has {}{}", tensor.name,
                       type.describe(), given, own,
                       hasGroup ? " or more" : ""));
  size_t d = 0;
  for (const Dim &dim : tensor.dims) {
    if (!dim.isGroup) {
      if (!dim.name.empty() && !dim.extent)
        declareIndex(dim.name, type.dims[d], dim.place);
      ++d;
      continue;
    }
    const size_t count = given - own;
    auto [group, isNew] = at.groups.try_emplace(dim.name);
    if (!isNew && group->second.size() != count)
      refuse(dim.place, fmt::format("'*{}' stands for {} dimensions here, and "
                                    "for {} elsewhere",
                                    dim.name, count, group->second.size()));
    for (size_t i = 0; i < count; ++i, ++d) {
      const unsigned index = declareIndex(fmt::format("{}.{}", dim.name, i),
                                          type.dims[d], dim.place);
      if (isNew)
        group->second.push_back(index);
    }
  }
}

/// The number of dimension `dim` of `type` for each that is no group.
template <typename F>
static void forEachDim(const Tensor &tensor, const TensorType &type, F f) {
  size_t d = 0;
  for (const Dim &dim : tensor.dims) {
    if (dim.isGroup)
      d += type.dims.size() + 1 - tensor.dims.size();
    else
      f(dim, type.dims[d++]);
  }
}

void Checker::bindExtents(const Tensor &tensor, const TensorType &type) {
  forEachDim(tensor, type, [&](const Dim &dim, int64_t given) {
    if (!dim.extent)
      return;
    const int64_t expected = extentOf(*dim.extent);
    if (given != expected)
      refuse(dim.place,
             fmt::format("a dimension of '{}', which is {}, has {} "
                         "elements, expected {}",
                         tensor.name, type.describe(), given, expected));
    if (!dim.name.empty())
      declareIndex(dim.name, given, dim.place);
  });
}

TensorFact Checker::describeTensor(const Tensor &tensor,
                                   const TensorType &type) const {
  TensorFact fact{type.element, {}};
  for (const Dim &dim : tensor.dims) {
    if (dim.isGroup) {
      for (unsigned index : at.groups.find(dim.name)->second)
        fact.slots.push_back({at.indices[index].extent, index});
      continue;
    }
    auto index = at.indexOf.find(dim.name);
    const size_t d = fact.slots.size();
    fact.slots.push_back({type.dims[d], index == at.indexOf.end()
                                            ? std::nullopt
                                            : std::optional(index->second)});
  }
  return fact;
}

void Checker::bindOutput(const Tensor &output) {
  TensorType type;
  auto fixed = at.findType(output.type);
  type.element = *fixed;
  for (const Dim &dim : output.dims) {
    if (dim.isGroup) {
      for (unsigned index : at.groups.find(dim.name)->second)
        type.dims.push_back(at.indices[index].extent);
      continue;
    }
    auto known = at.indexOf.find(dim.name);
    if (dim.extent)
      type.dims.push_back(extentOf(*dim.extent));
    else
      type.dims.push_back(at.indices[known->second].extent);
    if (!dim.name.empty())
      declareIndex(dim.name, type.dims.back(), dim.place);
  }
  at.outputs.push_back(std::move(type));
}

void Checker::bind(std::vector<ParamValue> params) {
  const Definition &op = at.definition;
  bindParams(std::move(params));
  for (auto [tensor, type] : llvm::zip_equal(op.inputs, at.inputs)) {
    bindType(tensor, type.element);
    bindDims(tensor, type);
  }
  for (auto [tensor, type] : llvm::zip_equal(op.inputs, at.inputs))
    bindExtents(tensor, type);
  for (const ExprPtr &condition : op.conditions) {
    Number number = numberOf(*condition, "a condition");
    const auto *holds = std::get_if<bool>(&number);
    if (!holds)
      refuse(condition->place, "expected a condition, not a number");
    if (!*holds)
      refuse(condition->place, "the condition here does not hold for these "
                               "operands");
  }
  for (const Tensor &output : op.outputs)
    bindOutput(output);
  for (auto [tensor, type] : llvm::zip_equal(op.inputs, at.inputs))
    at.tensors[tensor.name] = describeTensor(tensor, type);
}

std::optional<io::ElementType>
Instance::findType(const std::string &name) const {
  if (auto fixed = io::elementTypeFromName(name))
    return fixed;
  auto known = types.find(name);
  return known == types.end() ? std::nullopt : std::optional(known->second);
}

Indices Instance::indicesOf(const std::vector<IndexName> &names) const {
  Indices all;
  for (const IndexName &name : names) {
    if (name.isGroup)
      llvm::append_range(all, groups.find(name.name)->second);
    else
      all.push_back(indexOf.find(name.name)->second);
  }
  return all;
}

Instance::Instance(const Definition &definition, const Library &library,
                   std::vector<TensorType> inputs,
                   std::vector<ParamValue> params)
    : definition(definition), library(library), inputs(std::move(inputs)) {
  Budget budget;
  check(std::move(params), budget);
}

Instance::Instance(const Definition &definition, const Library &library,
                   std::vector<TensorType> inputs,
                   std::vector<ParamValue> params, Budget &budget)
    : definition(definition), library(library), inputs(std::move(inputs)) {
  check(std::move(params), budget);
}

void Instance::check(std::vector<ParamValue> params, Budget &budget) {
  Checker checker(*this, budget);
  checker.bind(std::move(params));
  checker.checkBody();
}

} // namespace fusec::fop
