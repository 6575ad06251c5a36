// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/op/Library.h"

#include "dialects/TypeInfo.h"
#include "dialects/words/Words.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <set>
#include <stdexcept>

namespace fusec::tool::op {

using operators::findElement;
using operators::getWords;
using operators::Manifest;
using operators::nameElement;
using operators::Operand;
using operators::Operator;
using operators::Parameter;
using operators::Quantization;
using operators::TensorType;
using operators::Value;

LoadedLibrary::LoadedLibrary(const std::string &path, size_t count) {
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw std::runtime_error("cannot be loaded: " + std::string(dlerror()));
  bool any = false;
  for (size_t unit = 0; unit < count; ++unit) {
    std::string symbol = "fusec_op_query";
    if (unit > 0)
      symbol += "_" + std::to_string(unit);
    auto query =
        reinterpret_cast<fusec_op_query_fn>(dlsym(handle, symbol.c_str()));
    units.push_back(query ? query(FUSEC_OP_ABI_VERSION) : nullptr);
    any |= query != nullptr;
  }
  if (!any)
    throw std::runtime_error("declares no operators: no source of it includes "
                             "fusec/op.h");
}

/// Whether quantised tensors may have elements of this type.
static bool isByte(llvm::StringRef type) {
  return type == "i8" || type == "u8";
}

static std::vector<Operand> readOperands(const fusec_op_operand *const *rows,
                                         uint32_t count) {
  std::vector<Operand> all;
  for (uint32_t i = 0; i < count; ++i) {
    const fusec_op_operand &row = *rows[i];
    Operand operand;
    operand.name = row.name;
    for (uint32_t t = 0; t < row.num_dtypes; ++t) {
      operand.types.push_back(nameElement(int(row.dtypes[t])));
      if (operand.types.back().empty())
        throw std::runtime_error("has the unknown element type " +
                                 std::to_string(row.dtypes[t]));
    }
    operand.leastRank = row.least_rank;
    operand.mostRank = row.most_rank;
    operand.isQuantized = row.quantized != 0;
    if (operand.isQuantized && !operand.types.empty() &&
        llvm::none_of(operand.types, isByte))
      throw std::runtime_error("declares the operand '" + operand.name +
                               "' quantised, and takes neither i8 nor u8 "
                               "there");
    operand.mayAlias = row.alias == FUSEC_OP_MAY_ALIAS;
    operand.mustAlias = row.alias == FUSEC_OP_MUST_ALIAS;
    operand.aliasOf = row.alias_of;
    if (!isWord(operand.name))
      throw std::runtime_error("names an operand '" + operand.name +
                               "', which is no identifier");
    all.push_back(std::move(operand));
  }
  return all;
}

/// Throws where the kind is none.
static Value readValue(const fusec_op_value &value) {
  const bool isList = value.kind & FUSEC_OP_LIST;
  if (!isList && value.count != 1)
    throw std::runtime_error(fmt::format("has the parameter '{}' of {} values",
                                         value.name, value.count));
  switch (value.kind & ~fusec_op_kind(FUSEC_OP_LIST)) {
  case FUSEC_OP_FLAG:
    if (!isList)
      return *value.ints != 0;
    break;
  case FUSEC_OP_INT:
    if (!isList)
      return *value.ints;
    return std::vector<int64_t>(value.ints, value.ints + value.count);
  case FUSEC_OP_FLOAT:
    if (!isList)
      return *value.floats;
    return std::vector<double>(value.floats, value.floats + value.count);
  case FUSEC_OP_TEXT:
    if (!isList)
      return std::string(*value.texts);
    return std::vector<std::string>(value.texts, value.texts + value.count);
  }
  throw std::runtime_error(fmt::format(
      "has the parameter '{}' of the unknown kind {}", value.name, value.kind));
}

/// Reads a function of elements, of which a form for CPUs is made.
static void readScalar(const fusec_op_scalar &scalar, Operator &op) {
  op.scalar.emplace();
  op.scalar->file = scalar.file;
  op.scalar->name = scalar.function;
  op.scalar->steps = scalar.steps;
  if (!isScopedWord(op.scalar->name))
    throw std::runtime_error("names the function '" + op.scalar->name +
                             "'; it needs identifiers with :: between, as in "
                             "acme::swish");
  for (const Parameter &parameter : op.parameters)
    if (!std::holds_alternative<bool>(parameter.value) &&
        !std::holds_alternative<int64_t>(parameter.value) &&
        !std::holds_alternative<double>(parameter.value))
      throw std::runtime_error("has the parameter '" + parameter.name + "', " +
                               getWords(parameter.value).str() +
                               ", and computes elements by a function, which "
                               "takes numbers only");
  for (const Operand &input : op.inputs)
    for (llvm::StringRef type : {"bool", "u64"})
      if (llvm::is_contained(input.types, type))
        throw std::runtime_error(
            "takes " + type.str() + " as '" + input.name +
            "', and computes elements by a function, which takes floats and "
            "other integers");
  if (!op.hasDevice("cpu"))
    op.devices.push_back("cpu");
}

static Operator readOperator(const fusec_op_desc &desc, unsigned unit) {
  Operator op;
  op.domain = desc.domain ? desc.domain : "";
  op.type = desc.name;
  op.version = desc.version;
  op.unit = unit;
  op.inputs = readOperands(desc.inputs, desc.num_inputs);
  op.outputs = readOperands(desc.outputs, desc.num_outputs);
  for (uint32_t i = 0; i < desc.num_params; ++i) {
    op.parameters.push_back({desc.params[i]->name, readValue(*desc.params[i])});
    if (!isWord(op.parameters.back().name))
      throw std::runtime_error("has a parameter '" + op.parameters.back().name +
                               "', which is no identifier");
  }
  for (uint32_t i = 0; i < desc.num_forms; ++i) {
    const bool isCuda = desc.forms[i]->device == FUSEC_OP_CUDA;
    op.devices.push_back(isCuda ? "cuda" : "cpu");
    if (isCuda)
      op.cudaUnit = unit;
  }
  if (FUSEC_OP_HAS(&desc, scalar) && desc.scalar)
    readScalar(*desc.scalar, op);
  if (FUSEC_OP_HAS(&desc, gradient) && desc.gradient)
    op.gradient = desc.gradient;
  std::set<uint32_t> taken;
  for (const Operand &output : op.outputs) {
    if (!output.mayAlias && !output.mustAlias)
      continue;
    if (output.aliasOf >= op.inputs.size())
      throw std::runtime_error(
          fmt::format("says that the output '{}' aliases input {}, which there "
                      "is not",
                      output.name, output.aliasOf));
    if (!taken.insert(output.aliasOf).second)
      throw std::runtime_error(
          fmt::format("says that two outputs lie where the input '{}' does",
                      op.inputs[output.aliasOf].name));
  }
  if (op.inputs.size() + op.outputs.size() > 64)
    throw std::runtime_error("has more than 64 inputs and outputs");
  return op;
}

/// Adds the forms of `desc`, which says nothing else, to the operator of
/// another unit that it is of.
static void addForms(const fusec_op_desc &desc, unsigned unit,
                     std::vector<Operator> &operators) {
  const llvm::StringRef domain = desc.domain ? desc.domain : "";
  auto of = llvm::find_if(operators, [&](const Operator &op) {
    return op.type == desc.name && op.version == int64_t(desc.version) &&
           (domain.empty() || domain == op.domain);
  });
  if (of == operators.end())
    throw std::runtime_error(
        fmt::format("only has forms, and no other source declares version {} "
                    "of it, with inputs and outputs",
                    desc.version));
  for (uint32_t i = 0; i < desc.num_forms; ++i) {
    if (desc.forms[i]->device != FUSEC_OP_CUDA)
      throw std::runtime_error("has a form for cpu beside the source that "
                               "declares it, where only those for cuda may be");
    if (of->cudaUnit)
      throw std::runtime_error("has two forms for cuda");
    of->cudaUnit = unit;
    of->devices.push_back("cuda");
  }
}

/// Calls `body` with each operator and its unit; what it throws names the
/// operator.
template <typename Body>
static void forEach(const std::vector<const fusec_op_unit *> &units,
                    Body body) {
  for (size_t unit = 0; unit < units.size(); ++unit)
    for (uint32_t i = 0; units[unit] && i < units[unit]->num_ops; ++i) {
      const fusec_op_desc &op = *units[unit]->ops[i];
      try {
        body(op, unsigned(unit));
      } catch (const std::runtime_error &error) {
        throw std::runtime_error(
            std::string("declares an operator that is not legal: ") + op.name +
            " " + error.what());
      }
    }
}

Manifest LoadedLibrary::describe() const {
  Manifest manifest;
  for (size_t unit = 0; unit < units.size(); ++unit) {
    if (!units[unit])
      continue;
    const fusec_op_unit &known = *units[unit];
    manifest.leastAbi = std::max<int64_t>(manifest.leastAbi, known.least_abi);
    if (known.least_abi <= FUSEC_OP_ABI_VERSION && known.problem)
      throw std::runtime_error("declares an operator that is not legal: " +
                               std::string(known.problem));
  }
  if (manifest.leastAbi > int64_t(FUSEC_OP_ABI_VERSION))
    return manifest; // which is refused
  const auto hasOperands = [](const fusec_op_desc &op) {
    return op.num_inputs + op.num_outputs > 0;
  };
  forEach(units, [&](const fusec_op_desc &op, unsigned unit) {
    if (hasOperands(op))
      manifest.operators.push_back(readOperator(op, unit));
  });
  forEach(units, [&](const fusec_op_desc &op, unsigned unit) {
    if (!hasOperands(op))
      addForms(op, unit, manifest.operators);
  });
  return manifest;
}

const fusec_op_desc *LoadedLibrary::find(unsigned unit, llvm::StringRef domain,
                                         llvm::StringRef type,
                                         int64_t version) const {
  if (unit >= units.size() || !units[unit])
    return nullptr;
  for (uint32_t i = 0; i < units[unit]->num_ops; ++i) {
    const fusec_op_desc &op = *units[unit]->ops[i];
    if (type == op.name && version == int64_t(op.version) &&
        (!op.domain || domain == op.domain))
      return &op;
  }
  return nullptr;
}

const fusec_op_form *
LoadedLibrary::findScalarForm(unsigned unit, const fusec_op_desc &op) const {
  uint32_t index = 0;
  while (units[unit]->ops[index] != &op)
    ++index;
  auto query = reinterpret_cast<fusec_op_query_fn>(
      dlsym(handle, operators::nameScalarQuery(unit, index).c_str()));
  return query ? findCpuForm(*query(FUSEC_OP_ABI_VERSION)->ops[0]) : nullptr;
}

//===- Calls --------------------------------------------------------------===//

static void serialFor(void *, int64_t n, int64_t, fusec_op_range_fn body,
                      void *ctx) {
  if (n > 0)
    body(ctx, 0, n);
}

AbiCall::AbiCall(const std::vector<TensorType> &inputs,
                 const std::vector<TensorType> &outputs,
                 const std::vector<Parameter> &parameters,
                 const std::vector<Quantization> &quantized) {
  for (const auto *types : {&inputs, &outputs})
    for (const TensorType &type : *types) {
      fusec_op_tensor tensor = {};
      tensor.struct_bytes = sizeof(tensor);
      tensor.dtype = fusec_op_dtype(findElement(type.element)->onnxCode);
      tensor.rank = uint32_t(type.dims.size());
      tensor.dims = type.dims.data();
      tensors.push_back(tensor);
    }
  scales.resize(quantized.size()); // which does not move any more
  for (size_t i = 0; i < quantized.size(); ++i) {
    scales[i].assign(quantized[i].scales.begin(), quantized[i].scales.end());
    tensors[i].scales = scales[i].data();
    tensors[i].zero_points = quantized[i].zeroPoints.data();
    tensors[i].num_scales = scales[i].size();
    tensors[i].quantized_axis = int32_t(quantized[i].axis);
  }
  for (const fusec_op_tensor &tensor : tensors)
    tensorPointers.push_back(&tensor);
  // Neither list moves once a value points into it.
  ints.resize(parameters.size());
  floats.resize(parameters.size());
  texts.resize(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    fusec_op_value value = {};
    auto add = [&](const auto &one) {
      using T = std::decay_t<decltype(one)>;
      if constexpr (std::is_same_v<T, double>) {
        value.kind |= FUSEC_OP_FLOAT;
        floats[i].push_back(one);
      } else if constexpr (std::is_same_v<T, std::string>) {
        value.kind |= FUSEC_OP_TEXT;
        texts[i].push_back(one.c_str());
      } else {
        value.kind |= std::is_same_v<T, bool> ? FUSEC_OP_FLAG : FUSEC_OP_INT;
        ints[i].push_back(one);
      }
      ++value.count;
    };
    auto addList = [&](const auto &list, fusec_op_kind kind) {
      for (const auto &one : list)
        add(one);
      value.kind = kind | FUSEC_OP_LIST; // also of an empty one
    };
    const Value &held = parameters[i].value;
    if (auto *list = std::get_if<std::vector<int64_t>>(&held))
      addList(*list, FUSEC_OP_INT);
    else if (auto *list = std::get_if<std::vector<double>>(&held))
      addList(*list, FUSEC_OP_FLOAT);
    else if (auto *list = std::get_if<std::vector<std::string>>(&held))
      addList(*list, FUSEC_OP_TEXT);
    else if (auto *flag = std::get_if<bool>(&held))
      add(*flag);
    else if (auto *number = std::get_if<int64_t>(&held))
      add(*number);
    else if (auto *number = std::get_if<double>(&held))
      add(*number);
    else
      add(std::get<std::string>(held));
    value.struct_bytes = sizeof(value);
    value.name = parameters[i].name.c_str();
    value.ints = ints[i].data();
    value.floats = floats[i].data();
    value.texts = texts[i].data();
    values.push_back(value);
  }
  for (const fusec_op_value &value : values)
    valuePointers.push_back(&value);
  call.struct_bytes = sizeof(call);
  call.device = FUSEC_OP_CPU;
  call.num_inputs = uint32_t(inputs.size());
  call.num_outputs = uint32_t(outputs.size());
  call.num_params = uint32_t(parameters.size());
  call.threads = 1;
  call.inputs = tensorPointers.data();
  call.outputs = tensorPointers.data() + inputs.size();
  call.params = valuePointers.data();
  call.parallel_for = serialFor;
  call.fail = [](void *self, const char *text) {
    *static_cast<std::string *>(self) = text;
  };
  call.fail_self = &failure;
}

const fusec_op_form *findCpuForm(const fusec_op_desc &op) {
  for (uint32_t i = 0; i < op.num_forms; ++i)
    if (op.forms[i]->device == FUSEC_OP_CPU)
      return op.forms[i];
  return nullptr;
}

} // namespace fusec::tool::op
