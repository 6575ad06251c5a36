// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/op/Faces.h"

#include "fusec/op_abi.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fusec::tool::op {

std::vector<std::string> listExports(const FaceSet &faces) {
  std::vector<std::string> all;
  if (faces.onnxRuntime)
    all.push_back("RegisterCustomOps");
  if (faces.hasFunctions())
    for (const char *name : {"__tvm_ffi_*", "fusec_op_error"})
      all.push_back(name);
  return all;
}

//===- Values -------------------------------------------------------------===//

static std::string writeNumber(bool flag) { return flag ? "true" : "false"; }
static std::string writeNumber(int64_t number) {
  return number == INT64_MIN ? "INT64_MIN" : fmt::format("int64_t({})", number);
}
static std::string writeNumber(double number) {
  if (std::isfinite(number))
    return fmt::format("{:a}", number);
  return std::isnan(number) ? "double(NAN)"
         : number < 0       ? "-double(INFINITY)"
                            : "double(INFINITY)";
}

/// A parameter's value in C++.
static std::string writeValue(const operators::Value &value) {
  return std::visit(
      [](const auto &held) -> std::string {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_arithmetic_v<T>) {
          return writeNumber(held);
        } else if constexpr (std::is_same_v<T, std::vector<int64_t>> ||
                             std::is_same_v<T, std::vector<double>>) {
          std::vector<std::string> items;
          for (auto item : held)
            items.push_back(writeNumber(item));
          return fmt::format("std::vector<{}>{{{}}}",
                             std::is_same_v<T, std::vector<double>> ? "double"
                                                                    : "int64_t",
                             fmt::join(items, ", "));
        } else {
          llvm_unreachable("text is no parameter of a body");
        }
      },
      value);
}

/// {true, false}: which have rows.
static std::string writeRows(const std::vector<BodyTensor> &tensors) {
  std::vector<std::string> items;
  for (const BodyTensor &tensor : tensors)
    items.push_back(tensor.hasRows ? "true" : "false");
  return fmt::format("{{{}}}", fmt::join(items, ", "));
}

/// The operands number `index` of all calls, as one is declared.
static std::string writeOperand(const fop::Tensor &declared,
                                const GeneratedOperator &op,
                                std::vector<BodyTensor> Specialization::*side,
                                size_t index) {
  std::vector<std::string> types;
  size_t least = FUSEC_OP_MAX_RANK, most = 0;
  for (const GeneratedModel &model : op.models) {
    const BodyTensor &tensor = (model.call.*side)[index];
    const std::string type =
        "\"" + fop::nameOf(tensor.type.element).str() + "\"";
    if (!llvm::is_contained(types, type))
      types.push_back(type);
    const size_t rank = tensor.type.dims.size();
    least = std::min(least, rank - (tensor.hasRows ? 1 : 0));
    most = tensor.hasRows ? FUSEC_OP_MAX_RANK : std::max(most, rank);
  }
  return fmt::format("Operand(\"{}\").types({{{}}}).ranks({}, {})",
                     declared.name, fmt::join(types, ", "), least, most);
}

static std::string
writeOperands(const std::vector<fop::Tensor> &declared,
              const GeneratedOperator &op,
              std::vector<BodyTensor> Specialization::*side) {
  std::vector<std::string> items;
  for (auto [index, tensor] : llvm::enumerate(declared))
    items.push_back(writeOperand(tensor, op, side, index));
  return fmt::format("{}", fmt::join(items, ",\n       "));
}

//===- The translation unit -----------------------------------------------===//

static std::string writeOperator(const GeneratedOperator &op, size_t number) {
  std::string text;
  const fop::Definition &definition = *op.definition;
  std::vector<std::string> values, rows;
  for (const operators::Parameter &parameter : op.parameters)
    values.push_back(fmt::format("{{\"{}\", {}}}", parameter.name,
                                 writeValue(parameter.value)));
  for (const GeneratedModel &model : op.models) {
    text += fmt::format(
        "extern \"C\" const fusec_model_desc *fusec_{}_query(uint32_t);\n",
        model.name);
    rows.push_back(fmt::format("    {{fusec_{}_query, {}, {}}}", model.name,
                               writeRows(model.call.inputs),
                               writeRows(model.call.outputs)));
  }
  text += fmt::format("static Generated op{}(\"{}\", \"{}\", {}, {{{}}}, {{\n"
                      "{}}});\n",
                      number, definition.domain, definition.type,
                      definition.version, fmt::join(values, ", "),
                      fmt::join(rows, ",\n"));
  text += fmt::format(
      "[[maybe_unused]] static const bool isDeclared{0} = [] {{\n"
      "  Op &op = thisUnit().add(\"{1}\");\n"
      "  op.inputs(\n      {{{2}}});\n"
      "  op.outputs(\n      {{{3}}});\n",
      number, definition.type,
      writeOperands(definition.inputs, op, &Specialization::inputs),
      writeOperands(definition.outputs, op, &Specialization::outputs));
  for (const operators::Parameter &parameter : op.parameters)
    text += fmt::format("  op.param(\"{}\", {});\n", parameter.name,
                        writeValue(parameter.value));
  if (op.gradient)
    text += fmt::format("  op.gradient(\"{}\");\n", op.gradient->name());
  return text +
         fmt::format("  op{}.declare(op);\n  return true;\n}}();\n\n", number);
}

std::string writeFaces(const std::vector<GeneratedOperator> &operators,
                       const FaceSet &faces, llvm::StringRef origin) {
  std::string text = fmt::format("// Written by `fusec op gen`, for {}: its "
                                 "operators, whose kernels are models.\n"
                                 "#include \"fusec/op_generated.h\"\n",
                                 origin.str());
  if (faces.onnxRuntime)
    text += "#include \"fusec/op_onnxruntime.h\"\n";
  if (faces.hasFunctions())
    text += "#include \"fusec/op_dlpack.h\"\n";
  text += "#include <cmath>\n\nusing namespace fusec::op;\n\n";
  std::vector<std::string> all;
  // The function of a name is that of its highest version.
  std::map<std::string, size_t> functions;
  for (auto [number, op] : llvm::enumerate(operators)) {
    text += writeOperator(op, number);
    all.push_back(fmt::format("&op{}", number));
    auto [known, isNew] = functions.try_emplace(op.definition->type, number);
    if (!isNew &&
        operators[known->second].definition->version < op.definition->version)
      known->second = number;
  }
  if (faces.onnxRuntime)
    text += fmt::format("FUSEC_OP_ONNXRUNTIME((std::vector<Generated *>{{{}}}))"
                        "\n",
                        fmt::join(all, ", "));
  if (faces.hasFunctions()) {
    text += "FUSEC_OP_DLPACK()\n";
    for (const auto &[name, number] : functions)
      text += fmt::format("FUSEC_OP_DLPACK_FUNCTION({}, op{})\n", name, number);
  }
  return text;
}

//===- PyTorch ------------------------------------------------------------===//

/// What all such modules have.
static constexpr const char *kTorchHead = R"(
import ctypes
import os

import torch


class _Tensor(ctypes.Structure):  # of DLPack
    _fields_ = [
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32),
        ("device_id", ctypes.c_int32), ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64)]


class _Any(ctypes.Structure):  # 7: a pointer to a tensor
    _fields_ = [("kind", ctypes.c_int32), ("zero", ctypes.c_uint32),
                ("pointer", ctypes.c_void_p)]


_CODES = {
    torch.float32: (2, 32), torch.float16: (2, 16), torch.float64: (2, 64),
    torch.bfloat16: (4, 16), torch.int8: (0, 8), torch.int16: (0, 16),
    torch.int32: (0, 32), torch.int64: (0, 64), torch.uint8: (1, 8),
    torch.bool: (6, 8)}


def _results(name, kernels, inputs):
    """The results, not yet computed, for inputs that there are kernels for."""
    for known, made in kernels:
        lead = None
        for x, (dtype, has_rows, tail) in zip(inputs, known):
            split = x.dim() - len(tail)
            if x.dtype != dtype or split < 0 or (split and not has_rows):
                break
            if tuple(x.shape[split:]) != tail:
                break
            if has_rows and lead not in (None, tuple(x.shape[:split])):
                break
            if has_rows:
                lead = tuple(x.shape[:split])
        else:
            return [inputs[0].new_empty((lead if has_rows else ()) + tail, dtype=dtype)
                    for dtype, has_rows, tail in made]
    given = ", ".join(f"{x.dtype}{list(x.shape)}" for x in inputs)
    raise ValueError(f"{name} has no kernels for ({given}); it has {kernels}")


def _call(name, kernels, inputs):
    inputs = [x.contiguous() for x in inputs]
    results = _results(name, kernels, inputs)
    tensors = []
    for x in inputs + results:
        if x.device.type != "cpu":
            raise ValueError(f"{name} takes tensors on the CPU")
        code, bits = _CODES[x.dtype]
        dims = (ctypes.c_int64 * max(x.dim(), 1))(*x.shape)
        tensors.append(_Tensor(x.data_ptr(), 1, 0, x.dim(), code, bits, 1, dims,
                               None, 0))
    arguments = (_Any * len(tensors))(
        *[_Any(7, 0, ctypes.addressof(tensor)) for tensor in tensors])
    result = _Any()
    function = getattr(_library, "__tvm_ffi_" + name)
    if function(None, arguments, len(tensors), ctypes.byref(result)):
        raise ValueError(_library.fusec_op_error().decode())
    return results

)";

static std::string writeTorchTensors(const std::vector<BodyTensor> &tensors) {
  std::string text = "[";
  for (const BodyTensor &tensor : tensors) {
    std::string type = fop::nameOf(tensor.type.element).str();
    if (type != "bool") {
      // f32 is float32, bf16 bfloat16, i8 int8, u8 uint8.
      const size_t digits = type.find_first_of("0123456789");
      const std::string head = type.substr(0, digits);
      type = (head == "f"    ? "float"
              : head == "bf" ? "bfloat"
              : head == "i"  ? "int"
                             : "uint") +
             type.substr(digits);
    }
    std::string tail;
    for (size_t d = tensor.hasRows ? 1 : 0; d < tensor.type.dims.size(); ++d)
      tail += fmt::format("{},", tensor.type.dims[d]);
    text += fmt::format("{}(torch.{}, {}, ({}))", text == "[" ? "" : ", ", type,
                        tensor.hasRows ? "True" : "False", tail);
  }
  return text + "]";
}

/// What PyTorch calls for the gradient of an operator.
static std::string writeTorchGradient(const fop::Definition &definition,
                                      const fop::Definition &gradient) {
  std::vector<std::string> taken, given(definition.inputs.size(), "None");
  for (size_t number : fop::findFloats(definition.outputs, definition))
    taken.push_back(fmt::format("gradients[{}]", number));
  const bool isOne = gradient.outputs.size() == 1;
  size_t next = 0;
  for (size_t number : fop::findFloats(definition.inputs, definition))
    given[number] = isOne ? "made" : fmt::format("made[{}]", next++);
  return fmt::format(
      "\n\n"
      "def _keep_{0}(ctx, inputs, output):\n"
      "    ctx.save_for_backward(*inputs)\n\n\n"
      "def _gradient_{0}(ctx, *gradients):\n"
      "    made = {1}(*ctx.saved_tensors, {2})\n"
      "    return {3}\n\n\n"
      "{0}.register_autograd(_gradient_{0}, setup_context=_keep_{0})\n",
      definition.type, gradient.type, fmt::join(taken, ", "),
      fmt::join(given, ", "));
}

std::string writeTorchFace(const std::vector<GeneratedOperator> &operators,
                           llvm::StringRef library, llvm::StringRef origin) {
  std::string text =
      fmt::format("\"\"\"Written by `fusec op gen`, for {}: the operators of "
                  "{} as those of PyTorch.\"\"\"\n",
                  origin.str(), library.str());
  text += kTorchHead;
  text +=
      fmt::format("\n_library = ctypes.CDLL(os.path.join(\n"
                  "    os.path.dirname(os.path.abspath(__file__)), \"{}\"))\n"
                  "_library.fusec_op_error.restype = ctypes.c_char_p\n",
                  library.str());
  for (const GeneratedOperator &op : operators) {
    const fop::Definition &definition = *op.definition;
    if (llvm::any_of(operators, [&](const GeneratedOperator &other) {
          return other.definition->type == definition.type &&
                 other.definition->version > definition.version;
        }))
      continue;
    std::vector<std::string> arguments, typed, results;
    for (const fop::Tensor &input : definition.inputs) {
      // No keyword ends so.
      arguments.push_back(input.name + "_");
      typed.push_back(input.name + "_: torch.Tensor");
    }
    results.resize(definition.outputs.size(), "torch.Tensor");
    const bool isOne = results.size() == 1;
    std::string domain = definition.domain;
    std::replace(domain.begin(), domain.end(), '.', '_');
    const std::string list = fmt::format("[{}]", fmt::join(arguments, ", "));
    text += fmt::format("\n_kernels_{} = [\n", definition.type);
    for (const GeneratedModel &model : op.models)
      text += fmt::format("    ({},\n     {}),\n",
                          writeTorchTensors(model.call.inputs),
                          writeTorchTensors(model.call.outputs));
    text += fmt::format(
        "]\n\n\n@torch.library.custom_op(\"{0}::{1}\", mutates_args=())\n"
        "def {1}({2}) -> {3}:\n"
        "    made = _call(\"{1}\", _kernels_{1}, {4})\n"
        "    return {5}\n\n\n"
        "@{1}.register_fake\n"
        "def _fake_{1}({6}):\n"
        "    made = _results(\"{1}\", _kernels_{1}, {4})\n"
        "    return {5}\n",
        domain, definition.type, fmt::join(typed, ", "),
        isOne ? results.front()
              : fmt::format("tuple[{}]", fmt::join(results, ", ")),
        list, isOne ? "made[0]" : "tuple(made)", fmt::join(arguments, ", "));
    if (op.gradient)
      text += writeTorchGradient(definition, *op.gradient);
  }
  return text;
}

} // namespace fusec::tool::op
