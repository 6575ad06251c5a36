// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the graphs inside of a node use from around it.
#include "compiler/import/FlatGraph.h"

#include "llvm/ADT/StringSet.h"

namespace fusec {

/// Calls `visit` with each use in `graph` of a name that neither it nor
/// `defined`, the graphs between it and the node, define.
template <typename Graph, typename Visit>
static void visitGraph(Graph &graph, llvm::StringSet<> defined, Visit visit) {
  for (const onnx::ValueInfoProto &input : graph.input())
    defined.insert(input.name());
  for (const onnx::TensorProto &tensor : graph.initializer())
    defined.insert(tensor.name());
  for (const onnx::SparseTensorProto &tensor : graph.sparse_initializer())
    defined.insert(tensor.values().name());
  for (const onnx::NodeProto &node : graph.node())
    for (const std::string &output : node.output())
      defined.insert(output);
  auto use = [&](auto &name) {
    if (!name.empty() && !defined.contains(name))
      visit(name);
  };
  constexpr bool isMutable = !std::is_const_v<Graph>;
  if constexpr (isMutable) {
    for (onnx::NodeProto &node : *graph.mutable_node()) {
      for (std::string &name : *node.mutable_input())
        use(name);
      for (onnx::AttributeProto &attribute : *node.mutable_attribute())
        if (attribute.has_g())
          visitGraph(*attribute.mutable_g(), defined, visit);
    }
    for (onnx::ValueInfoProto &output : *graph.mutable_output())
      use(*output.mutable_name());
  } else {
    for (const onnx::NodeProto &node : graph.node()) {
      for (const std::string &name : node.input())
        use(name);
      for (const onnx::AttributeProto &attribute : node.attribute())
        if (attribute.has_g())
          visitGraph(attribute.g(), defined, visit);
    }
    for (const onnx::ValueInfoProto &output : graph.output())
      use(output.name());
  }
}

void visitCaptures(const onnx::NodeProto &node,
                   llvm::function_ref<void(const std::string &)> visit) {
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (attribute.has_g())
      visitGraph(attribute.g(), {}, visit);
}

void renameCaptures(
    onnx::NodeProto &node,
    llvm::function_ref<std::string(const std::string &)> rename) {
  for (onnx::AttributeProto &attribute : *node.mutable_attribute())
    if (attribute.has_g())
      visitGraph(*attribute.mutable_g(), {},
                 [&](std::string &name) { name = rename(name); });
}

} // namespace fusec
