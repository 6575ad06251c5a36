// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/PerNode.h"

#include "codegen/Names.h"
#include "dialects/fuse/FuseOps.h"
#include "tools/fusec-ref/Interpreter.h"

using namespace mlir;

namespace fusec::tool {

llvm::Expected<std::vector<NodeResult>> exposeNodes(ModuleOp module) {
  llvm::Expected<func::FuncOp> found = ref::findFunction(module, "");
  if (!found)
    return found.takeError();
  func::FuncOp function = *found;
  Block &body = function.getBody().front();
  std::vector<NodeResult> nodes;
  SmallVector<Value> results;
  for (Operation &op : body.without_terminator()) {
    if (isa<fuse::ConstantOp, fuse::GetWeightOp>(op))
      continue;
    for (Value result : op.getResults()) {
      if (!isa<RankedTensorType>(result.getType()))
        continue;
      StringRef name = codegen::firstName(op.getLoc());
      nodes.push_back(
          {name.empty() ? "number " + std::to_string(nodes.size()) : name.str(),
           op.getName().getStringRef().str()});
      results.push_back(result);
    }
  }
  Location location = body.getTerminator()->getLoc();
  body.getTerminator()->erase();
  OpBuilder builder = OpBuilder::atBlockEnd(&body);
  func::ReturnOp::create(builder, location, results);
  function.setFunctionType(builder.getFunctionType(
      body.getArgumentTypes(), ValueRange(results).getTypes()));
  SmallVector<Attribute> attributes;
  for (size_t number = 0; number < nodes.size(); ++number)
    attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
        "fuse.name", builder.getStringAttr("node" + std::to_string(number)))));
  function.setResAttrsAttr(builder.getArrayAttr(attributes));
  return nodes;
}

} // namespace fusec::tool
