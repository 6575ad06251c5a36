// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs inside of nodes: scopes within the graph's.
#include "compiler/import/GraphImporter.h"
#include "dialects/Limits.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace fusec {

void GraphImporter::defineBody(const onnx::GraphProto &body,
                               std::vector<TensorValue> arguments) {
  for (const onnx::TensorProto &tensor : body.initializer())
    define(tensor.name(), readConstant(tensor, tensor.name()));
  for (const onnx::SparseTensorProto &tensor : body.sparse_initializer())
    define(tensor.values().name(), readSparse(tensor, tensor.values().name()));
  for (auto [input, value] : llvm::zip(body.input(), arguments))
    define(input.name(), std::move(value));
}

std::vector<TensorValue>
GraphImporter::importGraph(const FlatNode &owner, const onnx::GraphProto &body,
                           std::vector<TensorValue> arguments) {
  auto refuse = [](const llvm::Twine &reason) {
    throw NodeError{ProblemKind::BadInput, reason.str(), ""};
  };
  if (scopes.size() > kMaxGraphDepth)
    refuse("is nested deeper than " + llvm::Twine(kMaxGraphDepth) + " graphs");
  if (body.input_size() != int(arguments.size()))
    refuse("has a graph that takes " + llvm::Twine(body.input_size()) +
           " inputs where it gets " + llvm::Twine(arguments.size()));
  size_t before = problems.size();
  FlatGraph flat;
  inlineFunctions(file.proto(), body, owner, flat, path, problems);
  if (problems.size() == before)
    checkGraph(body, flat, path, problems,
               [&](llvm::StringRef name) { return find(name) != nullptr; });
  if (problems.size() != before)
    throw ReportedError();
  numInnerNodes += flat.nodes().size();
  if (numInnerNodes > kMaxInnerNodes)
    throw NodeError{ProblemKind::Unsupported,
                    "is one of graphs that hold more than " +
                        std::to_string(kMaxInnerNodes) +
                        " nodes in all, a loop's once for each iteration",
                    "export the model with fewer iterations"};

  scopes.emplace_back();
  llvm::scope_exit leave([&] { scopes.pop_back(); });
  defineBody(body, std::move(arguments));
  for (const FlatNode &node : flat.nodes())
    addNode(node);
  if (problems.size() != before)
    throw ReportedError();
  std::vector<TensorValue> outputs;
  for (const onnx::ValueInfoProto &output : body.output()) {
    TensorValue &value = *find(output.name());
    if (!value.isKnown()) // Refused further out, and reported there.
      throw ReportedError();
    // A copy would be built a second time; large ones are built here.
    if (value.initializer >= 0 && !value.value && !value.constant)
      materialize(value);
    outputs.push_back(value);
  }
  return outputs;
}

} // namespace fusec
