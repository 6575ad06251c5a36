// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/op/Library.h"

#include "dialects/TypeInfo.h"
#include "dialects/kernel/Choices.h"
#include "dialects/words/Words.h"
#include "passes/graph/Algorithms.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <set>
#include <stdexcept>

namespace fusec::tool::op {

using operators::getWords;
using operators::Manifest;
using operators::nameElement;
using operators::Operand;
using operators::Operator;
using operators::Parameter;
using operators::Value;

/// The version of the interface from which on a form is an algorithm.
static constexpr uint32_t kAlgorithmsAbi = 3;

LoadedLibrary::LoadedLibrary(const std::string &path, size_t count) {
  // A name without a slash would be looked up elsewhere.
  llvm::SmallString<256> real;
  if (std::error_code error = llvm::sys::fs::real_path(path, real))
    throw std::runtime_error("cannot be loaded: " + error.message());
  handle = dlopen(real.c_str(), RTLD_NOW | RTLD_LOCAL);
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

bool isReproducible(const fusec_op_form &form) {
  return !FUSEC_OP_HAS(&form, flags) || !(form.flags & FUSEC_OP_VARIES);
}

/// Whether a name says something else where algorithms are named: of products
/// of lower precision, of the kernel that says what is right, of the text of an
/// operator.
static bool isTaken(llvm::StringRef name) {
  return name == "naive" || name == kBodyAlternative ||
         name == kKernelAlternative || fuse::findLowerPrecision(name);
}

/// What a form says of itself, of a unit that knows of algorithms.
static operators::Algorithm readAlgorithm(const fusec_op_form &form,
                                          const char *device) {
  return {form.name, device, isReproducible(form),
          FUSEC_OP_HAS(&form, workspace) && form.workspace};
}

/// Whether nothing is to be said of an algorithm but that it is there.
static bool isPlain(const operators::Algorithm &one) {
  return one.name == "default" && one.isReproducible && !one.hasWorkspace;
}

/// Reads the forms for CPUs of a unit that knows of algorithms.
static void readAlgorithms(const fusec_op_desc &desc, Operator &op) {
  for (uint32_t i = 0; i < desc.num_forms; ++i) {
    if (desc.forms[i]->device == FUSEC_OP_CUDA)
      continue;
    operators::Algorithm one = readAlgorithm(*desc.forms[i], "cpu");
    if (!isWord(one.name) || isTaken(one.name))
      throw std::runtime_error("has the algorithm '" + one.name +
                               (isWord(one.name)
                                    ? "', a name that fusec gives"
                                    : "', which is no identifier"));
    if (op.findAlgorithm(one.device, one.name))
      throw std::runtime_error("has two algorithms '" + one.name + "' for " +
                               one.device);
    op.algorithms.push_back(std::move(one));
  }
  if (llvm::all_of(op.algorithms, isPlain))
    op.algorithms.clear();
}

namespace {
/// A unit that declares operators.
struct DeclaringUnit {
  unsigned number;
  bool knowsAlgorithms;
};
} // namespace

/// Adds the form for GPUs, of which an operator has one, that is no algorithm:
/// nobody here could measure it.
static void addCudaForm(const fusec_op_form &form, const DeclaringUnit &of,
                        Operator &op) {
  constexpr llvm::StringLiteral kRule = "; only those for cpu are algorithms";
  if (op.cudaUnit)
    throw std::runtime_error("has two forms for cuda" + kRule.str());
  if (of.knowsAlgorithms && (!isPlain(readAlgorithm(form, "cuda")) ||
                             (FUSEC_OP_HAS(&form, supports) && form.supports)))
    throw std::runtime_error(
        "has the form '" + std::string(form.name) +
        "' for cuda with a name or conditions of its own" + kRule.str() +
        ", and .workspace and .supports of the operator are asked for each "
        "device");
  op.cudaUnit = of.number;
  if (!op.hasDevice("cuda"))
    op.devices.push_back("cuda");
}

/// Reads a function of blocks, which kernels for GPUs call.
static void readBlock(const fusec_op_block &block, Operator &op) {
  op.block = operators::BlockFunction{block.file, block.function};
  if (!isScopedWord(op.block->name))
    throw std::runtime_error("names the function '" + op.block->name +
                             "'; it needs identifiers with :: between, as in "
                             "acme::row_softmax");
  for (const Parameter &parameter : op.parameters)
    if (std::holds_alternative<std::vector<std::string>>(parameter.value))
      throw std::runtime_error("has the parameter '" + parameter.name + "', " +
                               getWords(parameter.value).str() +
                               ", which functions of blocks do not take");
  for (const Operand &input : op.inputs)
    if (input.isQuantized)
      throw std::runtime_error("declares the operand '" + input.name +
                               "' quantised, which functions of blocks do not "
                               "take");
  if (!op.hasDevice("cuda"))
    op.devices.push_back("cuda");
}

static Operator readOperator(const fusec_op_desc &desc,
                             const DeclaringUnit &of) {
  Operator op;
  op.domain = desc.domain ? desc.domain : "";
  op.type = desc.name;
  op.version = desc.version;
  op.unit = of.number;
  op.inputs = readOperands(desc.inputs, desc.num_inputs);
  op.outputs = readOperands(desc.outputs, desc.num_outputs);
  for (uint32_t i = 0; i < desc.num_params; ++i) {
    op.parameters.push_back({desc.params[i]->name, readValue(*desc.params[i])});
    if (!isWord(op.parameters.back().name))
      throw std::runtime_error("has a parameter '" + op.parameters.back().name +
                               "', which is no identifier");
  }
  for (uint32_t i = 0; i < desc.num_forms; ++i) {
    const fusec_op_form &form = *desc.forms[i];
    if (form.device == FUSEC_OP_CUDA)
      addCudaForm(form, of, op);
    else if (!op.hasDevice("cpu"))
      op.devices.push_back("cpu");
  }
  if (of.knowsAlgorithms)
    readAlgorithms(desc, op);
  if (FUSEC_OP_HAS(&desc, scalar) && desc.scalar)
    readScalar(*desc.scalar, op);
  if (FUSEC_OP_HAS(&desc, block) && desc.block)
    readBlock(*desc.block, op);
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
static void addForms(const fusec_op_desc &desc, const DeclaringUnit &unit,
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
    addCudaForm(*desc.forms[i], unit, *of);
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
        body(op, DeclaringUnit{unsigned(unit),
                               units[unit]->least_abi >= kAlgorithmsAbi});
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
  forEach(units, [&](const fusec_op_desc &op, const DeclaringUnit &unit) {
    if (hasOperands(op))
      manifest.operators.push_back(readOperator(op, unit));
  });
  forEach(units, [&](const fusec_op_desc &op, const DeclaringUnit &unit) {
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
  return query ? query(FUSEC_OP_ABI_VERSION)->ops[0]->forms[0] : nullptr;
}

std::vector<const fusec_op_form *>
LoadedLibrary::listCpuForms(unsigned unit, const fusec_op_desc &op) const {
  std::vector<const fusec_op_form *> all;
  for (uint32_t i = 0; i < op.num_forms; ++i)
    if (op.forms[i]->device == FUSEC_OP_CPU)
      all.push_back(op.forms[i]);
  if (!all.empty() && units[unit]->least_abi < kAlgorithmsAbi)
    all.resize(1);
  return all;
}

} // namespace fusec::tool::op
