// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/op/Specialize.h"

#include "tools/fusec/Command.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <fmt/format.h>

namespace fusec::tool::op {

using fop::Definition;
using fop::Dim;
using fop::refuse;
using fop::Tensor;

/// Where extents stand for rows, before there is a number of them.
static constexpr int64_t kOpen = -1;

GivenShapes parseGivenShapes(llvm::StringRef text) {
  GivenShapes shapes;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    auto refuseShape = [&] {
      throw UsageError{"--shapes: '" + part.str() +
                       "' is no input and its shape; write x=*x768, where * "
                       "stands for any dimensions, or x=4x8, or x=scalar"};
    };
    auto [name, value] = part.split('=');
    if (name.empty() || value.empty())
      refuseShape();
    auto [known, isNew] = shapes.try_emplace(name.str());
    if (!isNew)
      throw UsageError{"--shapes: '" + name.str() +
                       "' twice; a further choice of shapes is a further "
                       "--shapes"};
    if (value == "scalar")
      continue;
    llvm::SmallVector<llvm::StringRef> extents;
    value.split(extents, 'x');
    for (auto [axis, extent] : llvm::enumerate(extents)) {
      int64_t number = 0;
      if (axis == 0 && extent == "*")
        known->second.hasRows = true;
      else if (extent.getAsInteger(10, number) || number < 1)
        refuseShape();
      else
        known->second.dims.push_back(number);
    }
  }
  return shapes;
}

namespace {
/// Finds the extents of all inputs.
class Binder {
public:
  Binder(const Definition &definition, const GivenShapes &given)
      : op(definition), given(given) {}

  std::vector<std::vector<int64_t>> run();

private:
  void take(const Tensor &tensor, const GivenShape &shape);
  std::vector<int64_t> derive(const Tensor &tensor) const;

  const Definition &op;
  const GivenShapes &given;
  std::map<std::string, std::vector<int64_t>> known; ///< by name, and by *name
};
} // namespace

/// Remembers what the names of an input's dimensions are.
void Binder::take(const Tensor &tensor, const GivenShape &shape) {
  std::vector<int64_t> dims = shape.dims;
  if (shape.hasRows)
    dims.insert(dims.begin(), kOpen);
  const bool hasGroup =
      llvm::any_of(tensor.dims, [](const Dim &dim) { return dim.isGroup; });
  const size_t own = tensor.dims.size() - hasGroup;
  if (hasGroup ? dims.size() < own : dims.size() != own)
    refuse(tensor.place,
           fmt::format("--shapes gives '{}' {} dimensions; it has {}{}",
                       tensor.name, dims.size(), own,
                       hasGroup ? " or more" : ""));
  if (shape.hasRows && (!tensor.dims.front().isGroup || dims.size() == own))
    refuse(tensor.place,
           fmt::format("--shapes has * for the first dimension of '{}', which "
                       "stands for the dimensions of a group, as *b is; give "
                       "it a number",
                       tensor.name));
  auto next = dims.begin();
  for (const Dim &dim : tensor.dims) {
    const auto end = next + (dim.isGroup ? dims.size() - own : 1);
    if (!dim.name.empty())
      known.try_emplace((dim.isGroup ? "*" : "") + dim.name, next, end);
    next = end;
  }
}

/// What follows for an input that is not given.
std::vector<int64_t> Binder::derive(const Tensor &tensor) const {
  std::vector<int64_t> dims;
  for (const Dim &dim : tensor.dims) {
    auto found = known.find((dim.isGroup ? "*" : "") + dim.name);
    const auto *number = dim.extent && dim.extent->kind == fop::ExprKind::Number
                             ? std::get_if<int64_t>(&dim.extent->number)
                             : nullptr;
    if (number)
      dims.push_back(*number);
    else if (!dim.name.empty() && found != known.end())
      llvm::append_range(dims, found->second);
    else
      throw UsageError{"--shapes: the shape of '" + tensor.name + "' of " +
                       op.name() +
                       " is not there, and does not follow from those of "
                       "other inputs; give it, or take other operators alone "
                       "by --op"};
  }
  return dims;
}

std::vector<std::vector<int64_t>> Binder::run() {
  for (const Tensor &tensor : op.inputs)
    if (auto shape = given.find(tensor.name); shape != given.end())
      take(tensor, shape->second);
  std::vector<std::vector<int64_t>> all;
  for (const Tensor &tensor : op.inputs) {
    auto shape = given.find(tensor.name);
    if (shape == given.end()) {
      all.push_back(derive(tensor));
      continue;
    }
    all.push_back(shape->second.dims);
    if (shape->second.hasRows)
      all.back().insert(all.back().begin(), kOpen);
  }
  return all;
}

/// The element types of all inputs, in each way.
static std::vector<std::vector<io::ElementType>>
listTypes(const Definition &op, const std::vector<std::string> &wanted) {
  std::vector<std::map<std::string, io::ElementType>> all(1);
  for (const fop::TypeSet &set : op.typeSets) {
    std::vector<std::map<std::string, io::ElementType>> next;
    for (const auto &chosen : all)
      for (io::ElementType type : set.types)
        if (wanted.empty() ||
            llvm::is_contained(wanted, fop::nameOf(type).str())) {
          next.push_back(chosen);
          next.back()[set.name] = type;
        }
    all = std::move(next);
  }
  if (all.empty())
    throw UsageError{"--types: " + op.name() + " takes none of them"};
  std::vector<std::vector<io::ElementType>> types;
  for (const auto &chosen : all) {
    std::vector<io::ElementType> &row = types.emplace_back();
    for (const Tensor &tensor : op.inputs) {
      auto fixed = io::elementTypeFromName(tensor.type);
      row.push_back(fixed ? *fixed : chosen.find(tensor.type)->second);
    }
  }
  return types;
}

/// How many rows kernels are for: about as many at once as make a thread busy
/// for some time and fit into its cache, and fewer for calls that have not as
/// many.
static std::vector<int64_t> chooseEntries(const Specialization &call,
                                          int64_t rows) {
  static constexpr int64_t kElements = 32768, kRatio = 8;
  int64_t most = 1; // elements of a row
  for (const auto *tensors : {&call.inputs, &call.outputs})
    for (const BodyTensor &tensor : *tensors) {
      if (!tensor.hasRows)
        continue;
      int64_t elements = 1;
      for (int64_t extent : tensor.type.dims)
        elements *= extent;
      most = std::max(most, elements / rows);
    }
  std::vector<int64_t> entries;
  int64_t chunk = 1;
  while (chunk * 2 * most <= kElements)
    chunk *= 2;
  for (; chunk > 1; chunk /= kRatio)
    entries.push_back(chunk);
  entries.push_back(1);
  std::reverse(entries.begin(), entries.end());
  return entries;
}

namespace {
/// The operator with some number of rows.
struct Probe {
  int64_t rows;
  fop::Instance instance;
};
} // namespace

static Probe probe(const Definition &op, const fop::Library &library,
                   const std::vector<std::vector<int64_t>> &dims,
                   const std::vector<io::ElementType> &types,
                   const std::vector<fop::ParamValue> &params, int64_t rows) {
  std::vector<fop::TensorType> inputs;
  for (auto [shape, type] : llvm::zip_equal(dims, types)) {
    inputs.push_back({type, shape});
    std::replace(inputs.back().dims.begin(), inputs.back().dims.end(), kOpen,
                 rows);
  }
  return {rows, fop::Instance(op, library, std::move(inputs), params)};
}

/// What of tensors has rows: those whose extents differ between two numbers of
/// them.
static std::vector<BodyTensor>
compare(const std::vector<Tensor> &declared,
        const std::vector<fop::TensorType> &one,
        const std::vector<fop::TensorType> &other) {
  std::vector<BodyTensor> tensors;
  for (auto [tensor, a, b] : llvm::zip_equal(declared, one, other)) {
    BodyTensor &made = tensors.emplace_back(BodyTensor{a});
    for (size_t axis = 0; axis < a.dims.size(); ++axis) {
      if (a.dims[axis] == b.dims[axis])
        continue;
      if (axis > 0)
        refuse(tensor.place,
               fmt::format("'{}' does not begin with the dimensions that * "
                           "stands for in --shapes; give them numbers",
                           tensor.name));
      made.hasRows = true;
    }
  }
  return tensors;
}

std::vector<Specialization>
specialize(const Definition &definition, const fop::Library &library,
           const GivenShapes &given, const std::vector<std::string> &types,
           const std::vector<fop::ParamValue> &params) {
  const std::vector<std::vector<int64_t>> dims =
      Binder(definition, given).run();
  const bool hasRows = llvm::any_of(
      dims, [](const auto &shape) { return llvm::is_contained(shape, kOpen); });
  std::vector<Specialization> all;
  for (const std::vector<io::ElementType> &row : listTypes(definition, types)) {
    const Probe two = probe(definition, library, dims, row, params, 2);
    const Probe three =
        probe(definition, library, dims, row, params, hasRows ? 3 : 2);
    Specialization &made = all.emplace_back();
    made.inputs =
        compare(definition.inputs, two.instance.inputs, three.instance.inputs);
    made.outputs = compare(definition.outputs, two.instance.outputs,
                           three.instance.outputs);
    if (!hasRows)
      continue;
    for (auto [tensor, output] :
         llvm::zip_equal(definition.outputs, made.outputs))
      if (!output.hasRows)
        refuse(tensor.place,
               fmt::format("'{}' has none of the dimensions that * stands for "
                           "in --shapes; give them numbers",
                           tensor.name));
    made.entries = chooseEntries(made, two.rows);
  }
  return all;
}

} // namespace fusec::tool::op
