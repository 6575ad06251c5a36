// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/DataShapes.h"

#include "compiler/import/ModelFile.h"
#include "compiler/io/TensorFile.h"

#include "llvm/ADT/StringSet.h"

namespace fusec::tool {

/// The inputs that a run is given, in order: not those with a value.
static std::vector<const onnx::ValueInfoProto *>
listInputs(const onnx::GraphProto &graph, const ImportOptions &options) {
  llvm::StringSet<> values;
  for (const onnx::TensorProto &tensor : graph.initializer())
    values.insert(tensor.name());
  for (const auto &[name, file] : options.binds)
    values.insert(name);
  std::vector<const onnx::ValueInfoProto *> inputs;
  for (const onnx::ValueInfoProto &input : graph.input())
    if (!values.contains(input.name()))
      inputs.push_back(&input);
  return inputs;
}

/// The file that `input`, one of `count`, is read from; empty: none is named.
static std::string findFile(llvm::StringRef input, size_t number, size_t count,
                            llvm::ArrayRef<std::string> arguments,
                            llvm::StringRef testData) {
  for (llvm::StringRef argument : arguments) {
    llvm::StringRef file = argument;
    if (file.consume_front((input + "=").str()) ||
        (count == 1 && !argument.contains('=')))
      return file.str();
  }
  if (testData.empty())
    return "";
  return (testData + "/input_" + llvm::Twine(number) + ".pb").str();
}

void takeShapes(CompileOptions &options, llvm::ArrayRef<std::string> arguments,
                llvm::StringRef testData) {
  if ((arguments.empty() && testData.empty()) ||
      (!options.memory && !llvm::StringRef(options.input).ends_with(".onnx")))
    return;
  auto model = options.memory ? ModelFile::parse(options.memory)
                              : ModelFile::read(options.input);
  if (!model) // The importer says why.
    return llvm::consumeError(model.takeError());
  // What is bound, also by the inputs before.
  std::map<std::string, int64_t> dims = options.import.dims;
  auto inputs = listInputs((*model)->proto().graph(), options.import);
  for (auto [number, input] : llvm::enumerate(inputs)) {
    const onnx::TensorShapeProto &shape = input->type().tensor_type().shape();
    auto getExtent = [&](const onnx::TensorShapeProto::Dimension &dim) {
      auto bound = dims.find(dim.dim_param());
      return dim.has_dim_value()   ? dim.dim_value()
             : bound != dims.end() ? bound->second
                                   : -1;
    };
    bool isOpen = llvm::any_of(
        shape.dim(), [&](const auto &dim) { return getExtent(dim) < 0; });
    std::string file =
        findFile(input->name(), number, inputs.size(), arguments, testData);
    if (!isOpen || file.empty() || options.import.shapes.count(input->name()))
      continue;
    llvm::Expected<io::Tensor> tensor = io::readTensor(file);
    if (!tensor) {
      llvm::consumeError(tensor.takeError());
      continue;
    }
    if (int(tensor->shape.size()) != shape.dim_size())
      continue;
    for (auto [dim, extent] : llvm::zip(shape.dim(), tensor->shape)) {
      if (getExtent(dim) >= 0)
        extent = getExtent(dim);
      else if (!dim.dim_param().empty())
        dims[dim.dim_param()] = extent;
    }
    options.import.shapes[input->name()] = tensor->shape;
  }
}

} // namespace fusec::tool
