// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/FunctionFiles.h"

#include "llvm/ADT/Twine.h"

#include <map>
#include <tuple>

namespace fusec {

namespace {
/// What a call names a function by: domain, name and overload.
using FunctionKey = std::tuple<std::string, std::string, std::string>;
} // namespace

static FunctionKey keyOf(const onnx::FunctionProto &function) {
  return {function.domain(), function.name(), function.overload()};
}

std::string nameFunction(const onnx::FunctionProto &function) {
  std::string name = function.domain() + "." + function.name();
  return function.overload().empty() ? name : name + ":" + function.overload();
}

llvm::Expected<std::unique_ptr<ModelFile>>
readFunctionFile(llvm::StringRef path) {
  auto file = ModelFile::read(path);
  if (!file)
    return file.takeError();
  if ((*file)->proto().functions().empty())
    return io::fileError(path.str(), "has no functions; --ops takes those of a "
                                     "model, and libraries of operators");
  for (const onnx::FunctionProto &function : (*file)->proto().functions())
    if (operators::isReservedDomain(function.domain()))
      return io::fileError(path.str(),
                           "has the function " + nameFunction(function) +
                               ", in a domain of ONNX's own; give it another");
  if (auto files = (*file)->externalFiles(); !files.empty())
    return io::fileError(path.str(), "has a constant in the file " +
                                         files.begin()->first +
                                         "; keep it in the function itself");
  return file;
}

llvm::Error addFunctions(ModelFile &model, llvm::ArrayRef<std::string> paths,
                         const operators::OperatorSet &operators) {
  std::map<FunctionKey, std::string> known; // whose it is; empty: the model's
  for (const onnx::FunctionProto &function : model.proto().functions())
    known[keyOf(function)] = "";
  for (const std::string &path : paths) {
    if (!operators::isFunctionFile(path))
      continue;
    auto file = readFunctionFile(path);
    if (!file)
      return file.takeError();
    for (const onnx::FunctionProto &function : (*file)->proto().functions()) {
      if (operators.findFirst(function.domain(), function.name()))
        return io::fileError(path, "has the function " +
                                       nameFunction(function) +
                                       ", and a library has an operator of "
                                       "that name; name one of the two");
      auto [owner, isNew] = known.try_emplace(keyOf(function), path);
      if (isNew)
        model.addFunction(function);
      else if (!owner->second.empty())
        return io::fileError(path, "has the function " +
                                       nameFunction(function) +
                                       ", and so has " + owner->second +
                                       "; name one of the two");
    }
  }
  return llvm::Error::success();
}

} // namespace fusec
