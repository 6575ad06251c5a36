// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec-ref/ModelIo.h"

#include "compiler/import/Message.h"
#include "compiler/io/ElementValue.h"
#include "compiler/io/RandomTensor.h"
#include "dialects/words/Plain.h"
#include "tools/fusec-ref/Interpreter.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>
#include <set>

using namespace mlir;

namespace fusec::ref {

static Port makePort(Type type, StringAttr name, const char *fallback,
                     unsigned index) {
  return {name ? name.str() : fallback + std::to_string(index),
          {getElementType(type), getShape(type)}};
}

std::vector<Port> getInputs(func::FuncOp function) {
  std::vector<Port> ports;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    ports.push_back(makePort(
        type, function.getArgAttrOfType<StringAttr>(index, "fuse.name"),
        "input", index));
  return ports;
}

std::vector<Port> getOutputs(func::FuncOp function) {
  std::vector<Port> ports;
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    ports.push_back(makePort(
        type, function.getResultAttrOfType<StringAttr>(index, "fuse.name"),
        "output", index));
  return ports;
}

/// What `argument` should have named.
static llvm::Error unknownPort(llvm::StringRef option, llvm::StringRef argument,
                               PortKind kind, llvm::ArrayRef<Port> ports) {
  std::vector<std::string> names;
  for (const Port &port : ports)
    names.push_back(port.name);
  auto [name, file] = argument.split('=');
  bool named = name.size() < argument.size();
  std::string noun = kind == PortKind::Input ? "input" : "output";
  std::string reason = (option + " " + argument + ": ").str();
  if (names.empty())
    reason += "the model has no " + noun + "s";
  else
    reason += (named ? "the model has no " + noun + " '" + name.str() +
                           "'; its " + noun + "s are '"
                     : "expected NAME=FILE; the model's " + noun + "s are '") +
              llvm::join(names, "', '") + "'";
  if (std::string nearest = didYouMean(name, names); named && !nearest.empty())
    reason += "; " + nearest;
  return llvm::createStringError(reason);
}

llvm::Expected<std::vector<PortFile>>
resolvePortFiles(llvm::StringRef option, llvm::ArrayRef<std::string> arguments,
                 PortKind kind, llvm::ArrayRef<Port> ports) {
  std::vector<PortFile> files;
  std::set<size_t> seen;
  for (const std::string &argument : arguments) {
    auto it = llvm::find_if(ports, [&](const Port &port) {
      return llvm::StringRef(argument).starts_with(port.name + "=");
    });
    bool bare = argument.find('=') == std::string::npos && ports.size() == 1;
    if (it == ports.end() && !bare)
      return unknownPort(option, argument, kind, ports);
    size_t port = bare ? 0 : it - ports.begin();
    if (!seen.insert(port).second)
      return llvm::createStringError(option + " " + ports[port].name +
                                     " is given twice");
    files.push_back(
        {port, bare ? argument : argument.substr(it->name.size() + 1)});
  }
  return files;
}

const PortFile *findFile(llvm::ArrayRef<PortFile> files, size_t port) {
  for (const PortFile &file : files)
    if (file.port == port)
      return &file;
  return nullptr;
}

llvm::Expected<io::Tensor> readPort(const Port &port, llvm::StringRef path) {
  llvm::Expected<io::Tensor> tensor = io::readTensor(path, &port.spec);
  if (!tensor)
    return llvm::createStringError("'" + port.name + "' from " +
                                   llvm::toString(tensor.takeError()));
  return tensor;
}

llvm::Expected<std::vector<io::Tensor>>
makeInputs(llvm::ArrayRef<Port> ports, llvm::ArrayRef<PortFile> files,
           uint64_t seed) {
  std::vector<io::Tensor> inputs;
  for (auto [index, port] : llvm::enumerate(ports)) {
    const PortFile *file = findFile(files, index);
    if (!file) {
      inputs.push_back(io::randomTensor(port.spec.type, port.spec.shape,
                                        io::inputSeed(seed, index)));
      continue;
    }
    llvm::Expected<io::Tensor> tensor = readPort(port, file->path);
    if (!tensor)
      return tensor.takeError();
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}

void printTensor(llvm::raw_ostream &os, llvm::StringRef name,
                 const io::Tensor &tensor, int64_t limit) {
  os << onOneLine(name) << ": " << io::describe(tensor.type, tensor.shape)
     << " = [";
  int64_t count = tensor.numElements();
  std::vector<double> floats;
  std::vector<int64_t> ints;
  if (io::isFloat(tensor.type))
    floats = io::toDoubles(tensor);
  else
    ints = io::toInts(tensor);
  for (int64_t i = 0; i < std::min(count, limit); ++i) {
    os << (i ? ", " : "");
    if (tensor.type == io::ElementType::Bool)
      os << (ints[i] ? "true" : "false");
    else if (tensor.type == io::ElementType::U64)
      os << static_cast<uint64_t>(ints[i]);
    else if (floats.empty())
      os << ints[i];
    else if (std::isnan(floats[i])) // Whatever its sign.
      os << "nan";
    else if (tensor.type == io::ElementType::F64)
      os << fmt::format("{:.17g}", floats[i]);
    else
      os << fmt::format("{:.9g}", floats[i]);
  }
  os << (count > limit ? ", ...]\n" : "]\n");
}

} // namespace fusec::ref
