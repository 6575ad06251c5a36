// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/ops/DeviceForms.h"

#include "compiler/import/Node.h"
#include "compiler/import/ops/Declared.h"
#include "dialects/library/Declared.h"

using namespace mlir;

namespace fusec {

DictionaryAttr makeCudaForm(Builder &builder, const operators::Operator &op) {
  if (!op.cudaUnit)
    return {};
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("alone", builder.getBoolAttr(!op.hasDevice("cpu"))),
       builder.getNamedAttr("unit", builder.getI64IntegerAttr(*op.cudaUnit))});
}

DictionaryAttr makeBlockForm(Builder &builder, const operators::Operator &op) {
  if (!op.block)
    return {};
  SmallVector<StringRef> names;
  for (const operators::Parameter &parameter : op.parameters)
    names.push_back(parameter.name);
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("alone", builder.getBoolAttr(!op.hasDevice("cpu"))),
       builder.getNamedAttr("file", builder.getStringAttr(op.block->file)),
       builder.getNamedAttr("function", builder.getStringAttr(op.block->name)),
       builder.getNamedAttr("parameters", builder.getStrArrayAttr(names))});
}

void addDeviceForms(Node &node, const operators::Found &found,
                    operators::Call call, NamedAttrList &attributes) {
  const operators::Operator &op = *found.op;
  if (!op.block && !op.cudaUnit)
    return;
  call.device = "cuda";
  const operators::Answer answer = askLibrary(found, call);
  const bool isTaken = answer.isSupported() && (answer.grid || op.cudaUnit);
  if (!isTaken && !op.hasDevice("cpu"))
    node.unsupported("the operator " + op.name() +
                     " says that it does not support this call");
  if (!isTaken)
    return;
  if (!answer.grid) {
    attributes.set(library::kCudaWorkspaceParameter,
                   node.builder.getI64IntegerAttr(
                       answer.algorithms.front().workspaceBytes));
    return;
  }
  if (node.runsLaunchers() && answer.grid->sharedBytes > node.sharedBytes())
    node.unsupported("the operator " + op.name() + " asks for " +
                         std::to_string(answer.grid->sharedBytes) +
                         " bytes of shared memory in each block, and those of "
                         "the target have " +
                         std::to_string(node.sharedBytes()),
                     "ask for fewer in .sharedBytes, or let .supports of its "
                     "Grid refuse such calls");
  attributes.set(
      library::kBlockParameter,
      library::makeBlockGrid(node.builder.getContext(), *answer.grid));
}

} // namespace fusec
