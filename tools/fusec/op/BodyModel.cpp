// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/op/BodyModel.h"

#include "compiler/import/OnnxProto.h"
#include "compiler/import/Registry.h"

#include "llvm/ADT/STLExtras.h"

namespace fusec::tool::op {

static void addValue(onnx::ValueInfoProto &info, const std::string &name,
                     const BodyTensor &tensor) {
  info.set_name(name);
  onnx::TypeProto::Tensor &type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(int(tensor.type.element));
  (void)type.mutable_shape();
  for (auto [axis, extent] : llvm::enumerate(tensor.type.dims)) {
    onnx::TensorShapeProto::Dimension &dim = *type.mutable_shape()->add_dim();
    if (axis == 0 && tensor.hasRows)
      dim.set_dim_param(kRows.str());
    else
      dim.set_dim_value(extent);
  }
}

/// A parameter as an attribute.
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
        } else if constexpr (std::is_same_v<T, std::string>) {
          attribute.set_type(onnx::AttributeProto::STRING);
          attribute.set_s(held);
        } else {
          attribute.set_type(onnx::AttributeProto::STRINGS);
          for (const std::string &item : held)
            attribute.add_strings(item);
        }
      },
      parameter.value);
}

std::string makeBodyModel(const operators::Operator &op,
                          const std::vector<operators::Parameter> &parameters,
                          const std::vector<BodyTensor> &inputs,
                          const std::vector<BodyTensor> &outputs) {
  onnx::ModelProto model;
  model.set_ir_version(onnx::IR_VERSION);
  onnx::OperatorSetIdProto &own = *model.add_opset_import();
  own.set_domain("");
  own.set_version(kNewestOpset);
  onnx::OperatorSetIdProto &opset = *model.add_opset_import();
  opset.set_domain(op.domain);
  opset.set_version(op.version);
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.set_name(op.type);
  onnx::NodeProto &node = *graph.add_node();
  node.set_domain(op.domain);
  node.set_op_type(op.type);
  for (const operators::Parameter &parameter : parameters)
    setAttribute(*node.add_attribute(), parameter);
  for (auto [declared, tensor] : llvm::zip_equal(op.inputs, inputs)) {
    node.add_input(declared.name);
    addValue(*graph.add_input(), declared.name, tensor);
  }
  for (auto [declared, tensor] : llvm::zip_equal(op.outputs, outputs)) {
    node.add_output(declared.name);
    addValue(*graph.add_output(), declared.name, tensor);
  }
  return model.SerializeAsString();
}

} // namespace fusec::tool::op
