// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// If. Shapes are static, so what a branch computes has one shape; where the
// model's own constants decide, only one branch is imported.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

void convertIf(Node &node) {
  node.requireInputs(1, 1);
  const onnx::GraphProto &thenGraph = node.graphAttribute("then_branch");
  const onnx::GraphProto &elseGraph = node.graphAttribute("else_branch");
  for (const auto *graph : {&thenGraph, &elseGraph})
    if (graph->output_size() < int(node.numOutputs()))
      node.invalid("has a branch with " + llvm::Twine(graph->output_size()) +
                   " outputs for its " + llvm::Twine(node.numOutputs()));
  Value condition = node.typedScalar(0, node.builder.getI1Type(), "condition");
  if (const HostTensor *known = node.constant(0)) {
    auto outputs =
        node.importInline(known->ints[0] ? thenGraph : elseGraph, {});
    for (unsigned i = 0; i < node.numOutputs(); ++i)
      node.setOutput(i, outputs[i]);
    return;
  }
  auto noArguments = [](Block &) { return std::vector<TensorValue>(); };
  NodeBody bodies[] = {node.importBody(thenGraph, noArguments),
                       node.importBody(elseGraph, noArguments)};
  SmallVector<Type> types;
  for (unsigned i = 0; i < node.numOutputs(); ++i) {
    types.push_back(bodies[0].outputs[i].type);
    if (!types.back() || !bodies[1].outputs[i].type)
      node.unsupported("chooses sequences or optional values at run time",
                       "export the model so that the condition is a constant");
    if (types.back() != bodies[1].outputs[i].type)
      node.unsupported(
          "the branches compute different types for result " + llvm::Twine(i) +
              ": " + typeText(types.back()) + " and " +
              typeText(bodies[1].outputs[i].type),
          "export the model so that the condition is a constant or the shapes "
          "agree");
  }
  SmallVector<Value> yielded[2];
  for (auto [body, values] : llvm::zip(bodies, yielded)) {
    OpBuilder::InsertionGuard guard(node.builder);
    node.builder.setInsertionPointToEnd(&body.region->front());
    for (unsigned i = 0; i < node.numOutputs(); ++i)
      values.push_back(node.bodyOutput(body, i));
    fuse::YieldOp::create(node.builder, node.loc, values);
  }
  auto op = fuse::IfOp::create(node.builder, node.loc, types, condition);
  op.getThenBody().takeBody(*bodies[0].region);
  op.getElseBody().takeBody(*bodies[1].region);
  for (unsigned i = 0; i < node.numOutputs(); ++i)
    node.setOutput(i, op.getResult(i));
}

} // namespace

void registerControl(Registry &r) {
  r.add("If", 1, convertIf).takesCodes = true;
}

} // namespace fusec
