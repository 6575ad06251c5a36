// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/op/TestBody.h"

#include "compiler/fop/Instance.h"
#include "compiler/import/OnnxProto.h"
#include "compiler/import/Registry.h"
#include "compiler/io/MappedFile.h"
#include "tools/fusec/Steps.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

namespace fusec::tool::op {

static void addValue(onnx::ValueInfoProto &info, const std::string &name,
                     const fop::TensorType &type) {
  info.set_name(name);
  onnx::TypeProto::Tensor &tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(int(type.element));
  (void)tensor.mutable_shape();
  for (int64_t extent : type.dims)
    tensor.mutable_shape()->add_dim()->set_dim_value(extent);
}

/// A parameter as an attribute. Throws nothing: text is none of a body's.
static void setAttribute(onnx::AttributeProto &attribute,
                         const operators::Parameter &parameter) {
  attribute.set_name(parameter.name);
  std::visit(
      [&](const auto &held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, double>) {
          attribute.set_type(onnx::AttributeProto::FLOAT);
          attribute.set_f(float(held));
        } else if constexpr (std::is_integral_v<T>) {
          attribute.set_type(onnx::AttributeProto::INT);
          attribute.set_i(held);
        } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
          attribute.set_type(onnx::AttributeProto::INTS);
          for (int64_t item : held)
            attribute.add_ints(item);
        } else if constexpr (std::is_same_v<T, std::vector<double>>) {
          attribute.set_type(onnx::AttributeProto::FLOATS);
          for (double item : held)
            attribute.add_floats(float(item));
        }
      },
      parameter.value);
}

/// A model that makes the call, and nothing else.
static std::string makeModel(const fop::Instance &instance,
                             const operators::Call &call) {
  onnx::ModelProto model;
  model.set_ir_version(onnx::IR_VERSION);
  onnx::OperatorSetIdProto &own = *model.add_opset_import();
  own.set_domain("");
  own.set_version(kNewestOpset);
  onnx::OperatorSetIdProto &opset = *model.add_opset_import();
  opset.set_domain(call.op->domain);
  opset.set_version(call.op->version);
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.set_name(call.op->type);
  onnx::NodeProto &node = *graph.add_node();
  node.set_domain(call.op->domain);
  node.set_op_type(call.op->type);
  for (const operators::Parameter &parameter : call.parameters)
    setAttribute(*node.add_attribute(), parameter);
  for (auto [declared, type] :
       llvm::zip_equal(call.op->inputs, instance.inputs)) {
    node.add_input(declared.name);
    addValue(*graph.add_input(), declared.name, type);
  }
  for (auto [declared, type] :
       llvm::zip_equal(call.op->outputs, instance.outputs)) {
    node.add_output(declared.name);
    addValue(*graph.add_output(), declared.name, type);
  }
  return model.SerializeAsString();
}

/// `fusec verify` of the model, by this program in a process of its own.
static ExitCode verifyModel(const std::string &path, const std::string &model,
                            uint64_t seed) {
  namespace fs = llvm::sys::fs;
  llvm::SmallString<128> folder;
  if (std::error_code error = fs::createUniqueDirectory("fusec-op", folder))
    return fail("no folder to work in: " + error.message());
  llvm::SmallString<128> file = folder;
  llvm::sys::path::append(file, "model.onnx");
  ExitCode code = kExitBadInput;
  if (llvm::Error error =
          io::writeFileAside(file, {model.data(), model.size()})) {
    code = fail(std::move(error));
  } else {
    const std::string self = fs::getMainExecutable(nullptr, nullptr);
    const std::string number = std::to_string(seed);
    llvm::SmallVector<llvm::StringRef> arguments = {
        self, "verify", "-", "--ops", path, "--seed", number};
    const std::optional<llvm::StringRef> redirects[] = {
        llvm::StringRef(file), std::nullopt, std::nullopt};
    llvm::outs().flush();
    std::string message;
    const int result = llvm::sys::ExecuteAndWait(self, arguments, std::nullopt,
                                                 redirects, 0, 0, &message);
    code = result < 0 ? fail("fusec verify did not run: " + message)
                      : ExitCode(result);
  }
  (void)fs::remove_directories(folder);
  return code;
}

ExitCode testBody(const std::string &path, const operators::Found &found,
                  const operators::Call &call, uint64_t seed) {
  std::vector<fop::TensorType> types;
  for (const operators::TensorType &type : call.inputs)
    types.push_back({*io::elementTypeFromName(type.element), type.dims});
  std::vector<fop::ParamValue> params;
  for (const operators::Parameter &parameter : call.parameters)
    params.push_back(operators::toParam(parameter.value));
  try {
    const fop::Instance instance(*found.body, *found.bodies, std::move(types),
                                 std::move(params));
    llvm::outs() << found.op->name() << ":";
    for (auto [output, type] :
         llvm::zip_equal(found.op->outputs, instance.outputs))
      llvm::outs() << " " << output.name << " is " << type.describe();
    llvm::outs() << "\n";
    return verifyModel(path, makeModel(instance, call), seed);
  } catch (const fop::Mistake &mistake) {
    return fail(fop::errorAt(found.bodies->fileOf(*found.body), mistake));
  }
}

} // namespace fusec::tool::op
