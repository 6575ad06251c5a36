// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls in the C interface of operators.
#include "dialects/TypeInfo.h"
#include "tools/fusec/op/Library.h"

namespace fusec::tool::op {

using operators::findElement;
using operators::Parameter;
using operators::Quantization;
using operators::TensorType;
using operators::Value;

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

} // namespace fusec::tool::op
