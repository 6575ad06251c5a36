// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/FunctionFiles.h"

#include "compiler/import/FlatGraph.h"
#include "compiler/import/Importer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
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

/// Whether a file is a model of ONNX and has no functions. Of what is damaged
/// whoever uses it says so.
static bool isPlainModel(const std::string &path) {
  if (!operators::isFunctionFile(path))
    return false;
  auto file = ModelFile::read(path);
  if (file)
    return (*file)->proto().functions().empty();
  llvm::consumeError(file.takeError());
  return false;
}

llvm::Expected<std::vector<std::string>>
listOperatorFiles(llvm::ArrayRef<std::string> paths) {
  auto all = operators::expandFolders(paths);
  if (!all)
    return all;
  std::vector<std::string> files;
  std::vector<Problem> warnings;
  for (const std::string &path : *all) {
    if (llvm::is_contained(paths, path) || !isPlainModel(path)) {
      files.push_back(path);
      continue;
    }
    Problem &warning = warnings.emplace_back();
    warning.kind = ProblemKind::Warning;
    warning.file = path;
    warning.reason = "is a model without functions, which --ops leaves out";
    warning.hint = "keep it elsewhere: the folder is for libraries of "
                   "operators and files of functions";
  }
  printProblems(warnings, llvm::errs());
  return files;
}

/// What uses a value that nothing in the function defines, or "".
static std::string findUndefined(const onnx::FunctionProto &function) {
  llvm::StringSet<> known;
  for (const std::string &name : function.input())
    known.insert(name);
  for (const onnx::NodeProto &node : function.node())
    for (const std::string &name : node.output())
      known.insert(name);
  for (const onnx::NodeProto &node : function.node()) {
    std::string missing;
    auto use = [&](const std::string &name) {
      if (!name.empty() && !known.contains(name) && missing.empty())
        missing = name;
    };
    for (const std::string &name : node.input())
      use(name);
    visitCaptures(node, use);
    if (!missing.empty())
      return "whose node '" +
             (node.name().empty() ? node.op_type() : node.name()) +
             "' uses the value '" + missing + "', which nothing defines";
  }
  for (const std::string &name : function.output())
    if (!known.contains(name))
      return "whose output '" + name + "' nothing defines";
  return "";
}

namespace {
/// Calls among the functions of a file.
class CallGraph {
public:
  explicit CallGraph(const onnx::ModelProto &model) {
    for (const onnx::FunctionProto &function : model.functions())
      functions[keyOf(function)] = {&function, {}, false};
    for (auto &[key, row] : functions)
      for (const onnx::NodeProto &node : row.function->node())
        addCalls(node, row.calls);
  }

  /// "acme.A, acme.B, acme.A", of functions that call each other; or "".
  std::string findCycle();

private:
  struct Row {
    const onnx::FunctionProto *function = nullptr;
    std::vector<Row *> calls;
    bool isDone = false;
  };
  void addCalls(const onnx::NodeProto &node, std::vector<Row *> &calls) {
    auto found =
        functions.find({node.domain(), node.op_type(), node.overload()});
    if (found != functions.end())
      calls.push_back(&found->second);
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      for (const onnx::NodeProto &inner : attribute.g().node())
        addCalls(inner, calls);
      for (const onnx::GraphProto &graph : attribute.graphs())
        for (const onnx::NodeProto &inner : graph.node())
          addCalls(inner, calls);
    }
  }

  std::map<FunctionKey, Row> functions;
};
} // namespace

std::string CallGraph::findCycle() {
  for (auto &[key, start] : functions) {
    // Functions that are entered, and which of their calls comes next.
    std::vector<std::pair<Row *, size_t>> path{{&start, 0}};
    while (!path.empty() && !start.isDone) {
      auto &[row, next] = path.back();
      if (next == row->calls.size()) {
        row->isDone = true;
        path.pop_back();
        continue;
      }
      Row *callee = row->calls[next++];
      auto entered = llvm::find_if(
          path, [&](const auto &step) { return step.first == callee; });
      if (entered != path.end()) {
        std::string text;
        for (auto step = entered; step != path.end(); ++step)
          text += nameFunction(*step->first->function) + ", ";
        return text + nameFunction(*callee->function);
      }
      if (!callee->isDone)
        path.push_back({callee, 0});
    }
  }
  return "";
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
  for (const onnx::FunctionProto &function : (*file)->proto().functions())
    if (std::string what = findUndefined(function); !what.empty())
      return io::fileError(path.str(), "has the function " +
                                           nameFunction(function) + ", " +
                                           what);
  if (std::string cycle = CallGraph((*file)->proto()).findCycle();
      !cycle.empty())
    return io::fileError(path.str(), "has a function that calls itself, which "
                                     "ONNX does not allow: " +
                                         cycle);
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
