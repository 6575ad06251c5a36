// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs whose values are known at import (--bind), and which ones would have
// to be.
#include "compiler/import/GraphImporter.h"

#include "compiler/import/Hints.h"
#include "compiler/io/TensorFile.h"

using namespace mlir;

namespace fusec {

TensorValue GraphImporter::boundInput(const onnx::ValueInfoProto &info) {
  auto refuse = [&](const llvm::Twine &reason) {
    report(ProblemKind::BadInput, optionName(options.hints, "bind") +
                                      " for input '" + info.name() +
                                      "': " + reason);
    return TensorValue();
  };
  const onnx::TypeProto::Tensor &declared = info.type().tensor_type();
  std::optional<io::ElementType> elementType =
      io::elementTypeFromOnnx(declared.elem_type());
  if (!info.type().has_tensor_type() || !elementType)
    return refuse("is not a tensor of a supported element type");
  // Without a shape, what the file has is taken; raw files have none.
  std::optional<io::TensorSpec> expected;
  RankedTensorType fixed = declaredType(info, nullptr);
  if (declared.has_shape() && fixed)
    expected = {*elementType, fixed.getShape().vec()};
  const std::string &file = options.binds.at(info.name());
  llvm::Expected<io::Tensor> tensor =
      io::readTensor(file, expected ? &*expected : nullptr);
  if (!tensor)
    return refuse(llvm::toString(tensor.takeError()));
  if (tensor->type != *elementType)
    return refuse(file + " has elements of " + io::getInfo(tensor->type).name +
                  ", the input of " + io::getInfo(*elementType).name);
  TensorValue value;
  value.type = tensorType(tensor->shape,
                          elementTypeFromOnnx(declared.elem_type(), &context));
  value.constant = std::make_shared<HostTensor>(
      HostTensor::fromBytes(value.type, tensor->bytes));
  return value;
}

void GraphImporter::addInputsBehind(llvm::StringRef name,
                                    std::vector<std::string> &inputs) {
  llvm::StringMap<const onnx::NodeProto *> producers;
  for (const FlatNode &node : graph.nodes())
    for (const std::string &output : node.proto->output())
      producers[output] = node.proto;
  llvm::StringSet<> seen;
  SmallVector<std::string> open{name.str()};
  while (!open.empty()) {
    std::string next = open.pop_back_val();
    // What a body takes is no input of the model.
    auto found = scopes.front().find(next);
    if (next.empty() || found == scopes.front().end() ||
        !seen.insert(next).second)
      continue;
    if (found->second->constant || found->second->initializer >= 0)
      continue;
    auto producer = producers.find(next);
    if (producer != producers.end()) {
      open.append(producer->second->input().begin(),
                  producer->second->input().end());
      visitCaptures(*producer->second, [&](const std::string &captured) {
        open.push_back(captured);
      });
    } else if (!llvm::is_contained(inputs, next))
      inputs.push_back(next);
  }
}

} // namespace fusec
