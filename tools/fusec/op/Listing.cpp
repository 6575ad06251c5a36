// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec op ls and info: what libraries and files of functions say of
// themselves.
#include "tools/fusec/op/Listing.h"

#include "compiler/import/FunctionFiles.h"
#include "tools/fusec/Steps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fusec::tool::op {

using operators::describe;
using operators::getWords;
using operators::isFunctionFile;
using operators::Manifest;
using operators::Operand;
using operators::Operator;
using operators::Parameter;
using operators::readLibrary;

std::optional<Manifest> openLibrary(const std::string &path) {
  llvm::Expected<Manifest> manifest = readLibrary(path);
  if (manifest)
    return std::move(*manifest);
  (void)fail(manifest.takeError());
  return std::nullopt;
}

static std::string join(const std::vector<Operand> &operands) {
  std::vector<std::string> names;
  for (const Operand &operand : operands)
    names.push_back(operand.name);
  return llvm::join(names, ", ");
}

/// The functions of a file that holds some.
static std::unique_ptr<ModelFile> openFunctions(const std::string &path) {
  auto file = readFunctionFile(path);
  if (file)
    return std::move(*file);
  (void)fail(file.takeError());
  return nullptr;
}

static ExitCode listFunctions(const std::string &path) {
  std::unique_ptr<ModelFile> file = openFunctions(path);
  if (!file)
    return kExitBadInput;
  for (const onnx::FunctionProto &function : file->proto().functions())
    llvm::outs() << fmt::format("{}  ({}) -> ({})  a function  {}\n",
                                nameFunction(function),
                                fmt::join(function.input(), ", "),
                                fmt::join(function.output(), ", "), path);
  return kExitFine;
}

static ExitCode printFunctions(const std::string &path) {
  std::unique_ptr<ModelFile> file = openFunctions(path);
  if (!file)
    return kExitBadInput;
  llvm::raw_ostream &out = llvm::outs();
  for (const onnx::FunctionProto &function : file->proto().functions()) {
    out << fmt::format("{}, a function of {} nodes\n", nameFunction(function),
                       function.node_size());
    for (const std::string &name : function.input())
      out << "  input      " << name << "\n";
    for (const std::string &name : function.output())
      out << "  output     " << name << "\n";
    for (const std::string &name : function.attribute())
      out << "  parameter  " << name << "\n";
    for (const onnx::AttributeProto &attribute : function.attribute_proto())
      out << "  parameter  " << attribute.name() << ", with a default\n";
  }
  return kExitFine;
}

/// Calls `visit` with the definitions of a file of text, which may call those
/// of others among `files`.
static ExitCode
visitBodies(const std::string &path, const std::vector<std::string> &files,
            llvm::function_ref<void(const fop::Definition &)> visit) {
  std::vector<std::string> texts;
  llvm::copy_if(files, std::back_inserter(texts), operators::isBodyFile);
  auto set = operators::OperatorSet::open(texts);
  if (!set)
    return fail(set.takeError());
  for (const fop::File &file : (*set)->getBodies().getFiles())
    if (file.path == path)
      for (const fop::Definition &definition : file.definitions)
        visit(definition);
  return kExitFine;
}

static ExitCode listBodies(const std::string &path,
                           const std::vector<std::string> &files) {
  return visitBodies(path, files, [&](const fop::Definition &definition) {
    const Operator op = operators::describeBody(definition);
    llvm::outs() << fmt::format("{}  version {}  ({}) -> ({})  text  {}\n",
                                op.name(), op.version, join(op.inputs),
                                join(op.outputs), path);
  });
}

static void printOperands(const Operator &op) {
  for (const Operand &operand : op.inputs)
    llvm::outs() << "  input      " << operand.describe() << "\n";
  for (const Operand &operand : op.outputs)
    llvm::outs() << "  output     " << operand.describe() << "\n";
}

static void printGradient(const Operator &op) {
  if (!op.gradient.empty())
    llvm::outs() << "  gradient   " << op.gradient << "\n";
}

/// The ways to compute an operator, where there is something to say of them.
static void printAlgorithms(const Operator &op) {
  for (const operators::Algorithm &one : op.algorithms)
    llvm::outs() << fmt::format(
        "  algorithm  {}, for {}{}{}\n", one.name, one.device,
        one.hasWorkspace ? ", with scratch memory of its own" : "",
        one.isReproducible ? "" : ", not reproducible");
}

static ExitCode printBodies(const std::string &path,
                            const std::vector<std::string> &files) {
  llvm::raw_ostream &out = llvm::outs();
  return visitBodies(path, files, [&](const fop::Definition &definition) {
    const Operator op = operators::describeBody(definition);
    out << fmt::format("{} version {}, text at {}:{}\n", op.name(), op.version,
                       path, definition.place.line);
    printOperands(op);
    printGradient(op);
    for (auto [parameter, declared] :
         llvm::zip_equal(op.parameters, definition.params))
      out << fmt::format("  parameter  {}: {}, {}\n", parameter.name,
                         getWords(parameter.value).str(),
                         declared.value
                             ? "by default " + describe(parameter.value)
                             : "which a node has to give");
  });
}

ExitCode listOperators(const std::vector<std::string> &paths) {
  auto files = listOperatorFiles(paths);
  if (!files)
    return fail(files.takeError());
  for (const std::string &path : *files) {
    if (isFunctionFile(path) || operators::isBodyFile(path)) {
      if (ExitCode code = isFunctionFile(path) ? listFunctions(path)
                                               : listBodies(path, *files);
          code != kExitFine)
        return code;
      continue;
    }
    std::optional<Manifest> manifest = openLibrary(path);
    if (!manifest)
      return kExitBadInput;
    for (const Operator &op : manifest->operators)
      llvm::outs() << fmt::format(
          "{}  version {}  ({}) -> ({})  {}  {}\n", op.name(), op.version,
          join(op.inputs), join(op.outputs), llvm::join(op.devices, ","), path);
  }
  return kExitFine;
}

/// Of whom an operator of a library is for, and what models get of it.
static std::string describeDevices(const Manifest &manifest,
                                   const Operator &op) {
  return llvm::join(op.devices, ", ") +
         (manifest.bodies.empty() ? "" : ", as text in models");
}

/// All that one of `files` says of itself.
static ExitCode printInfoOf(const std::string &path,
                            const std::vector<std::string> &files) {
  if (isFunctionFile(path))
    return printFunctions(path);
  if (operators::isBodyFile(path))
    return printBodies(path, files);
  std::optional<Manifest> manifest = openLibrary(path);
  if (!manifest)
    return kExitBadInput;
  std::vector<std::string> sources;
  for (const auto &[path, text] : manifest->sources)
    sources.push_back(path);
  llvm::raw_ostream &out = llvm::outs();
  out << fmt::format(
      "library   {}\nneeds     version {} of fusec/op_abi.h\n"
      "made of   {}\nflags     {}\nhash      {}\nbuilt by  {}\n",
      manifest->library, manifest->leastAbi, llvm::join(sources, ", "),
      manifest->flags.empty() ? "none" : llvm::join(manifest->flags, " "),
      manifest->hash, manifest->compiler);
  for (const Operator &op : manifest->operators) {
    out << fmt::format("\n{} version {}, for {}\n", op.name(), op.version,
                       describeDevices(*manifest, op));
    if (op.scalar)
      out << fmt::format(
          "  inline     {} of {}, {}\n", op.scalar->name, op.scalar->file,
          op.scalar->takesLanes ? "16 elements at once" : "element by element");
    printAlgorithms(op);
    if (op.block)
      out << fmt::format("  block      {} of {}\n", op.block->name,
                         op.block->file);
    printOperands(op);
    printGradient(op);
    for (const Parameter &parameter : op.parameters)
      out << fmt::format("  parameter  {}: {}, by default {}\n", parameter.name,
                         getWords(parameter.value).str(),
                         describe(parameter.value));
  }
  return kExitFine;
}

ExitCode printInfo(const std::string &path) {
  if (!llvm::sys::fs::is_directory(path))
    return printInfoOf(path, {path});
  auto files = listOperatorFiles(path);
  if (!files)
    return fail(files.takeError());
  if (files->empty())
    return failOn(path,
                  "has no libraries of operators, no text of operators and no "
                  "files of functions",
                  "fusec op add LIBRARY --registry " + path + " adds one");
  for (const std::string &file : *files) {
    llvm::outs() << (file == files->front() ? "" : "\n") << file << ":\n";
    if (ExitCode code = printInfoOf(file, *files); code != kExitFine)
      return code;
  }
  return kExitFine;
}

} // namespace fusec::tool::op
