// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/ModelTensors.h"

#include "codegen/Names.h"
#include "dialects/fuse/State.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace fusec::codegen {

/// The numbers of the arguments that are a state's value and its next one.
static LogicalResult
collectStates(func::FuncOp main,
              SmallVectorImpl<std::pair<unsigned, unsigned>> &states) {
  unsigned numOutputs =
      main->getAttrOfType<IntegerAttr>("fuse.outputs").getInt();
  unsigned numInputs = main.getNumArguments() - numOutputs;
  llvm::DenseSet<int64_t> taken;
  for (unsigned input = 0; input < numInputs; ++input) {
    auto output = main.getArgAttrOfType<IntegerAttr>(input, fuse::kStateAttr);
    if (!output)
      continue;
    int64_t number = output.getInt();
    if (number < 0 || number >= numOutputs || !taken.insert(number).second ||
        main.getArgument(numInputs + number).getType() !=
            main.getArgument(input).getType())
      return main.emitOpError("argument ")
             << input << " has " << fuse::kStateAttr << " = " << number
             << ", which is not the number of an output of the same type that "
                "is no other one's";
    states.emplace_back(input, numInputs + number);
  }
  return success();
}

LogicalResult collectTensors(ModelInfo &model) {
  func::FuncOp main = model.main;
  auto count = main->getAttrOfType<IntegerAttr>("fuse.outputs");
  if (!count || count.getInt() < 0 || count.getInt() > main.getNumArguments())
    return main.emitOpError("has a fuse.outputs that is not the number of its "
                            "trailing output arguments");
  unsigned numInputs = main.getNumArguments() - count.getInt();
  SmallVector<std::pair<unsigned, unsigned>> states;
  if (failed(collectStates(main, states)))
    return failure();
  Names inputNames(Names::Reserved::Keywords);
  Names outputNames(Names::Reserved::Keywords);
  // The structs that they are members of.
  inputNames.declare("Inputs", "x");
  outputNames.declare("Outputs", "y");
  std::vector<TensorInfo> all;
  for (BlockArgument argument : main.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || !getTypeInfo(type.getElementType()) || !type.hasStaticShape())
      return main.emitOpError("argument ")
             << number << " is " << argument.getType()
             << ", expected a memref of static shape and known element type";
    bool isInput = number < numInputs;
    std::string name;
    if (auto attr = main.getArgAttrOfType<StringAttr>(number, "fuse.name"))
      name = attr.getValue().str();
    std::string fallback = isInput ? "x" + std::to_string(number)
                                   : "y" + std::to_string(number - numInputs);
    if (name.empty())
      name = fallback;
    Names &scope = isInput ? inputNames : outputNames;
    all.push_back({name, scope.declare(name, fallback), type, argument});
    if (auto note = main.getArgAttrOfType<StringAttr>(number, "fuse.note"))
      all.back().note = note.getValue().str();
  }
  llvm::DenseSet<unsigned> taken;
  for (auto [past, present] : states) {
    model.states.push_back({all[past], all[present]});
    taken.insert(past);
    taken.insert(present);
  }
  for (const TensorInfo &tensor : all)
    if (unsigned number = tensor.argument.getArgNumber();
        !taken.contains(number))
      (number < numInputs ? model.inputs : model.outputs).push_back(tensor);
  return success();
}

} // namespace fusec::codegen
