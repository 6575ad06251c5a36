// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/op/Generator.h"

#include "codegen/Names.h"
#include "compiler/Driver.h"
#include "compiler/io/MappedFile.h"
#include "compiler/operators/OperatorSet.h"
#include "tools/fusec/Build.h"
#include "tools/fusec/Cache.h"
#include "tools/fusec/Interrupt.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/Steps.h"
#include "tools/fusec/op/BuildLibrary.h"
#include "tools/fusec/op/Values.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <fmt/format.h>

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace fusec::tool::op {

using operators::OperatorSet;

namespace {
class LibraryGenerator {
public:
  LibraryGenerator(const GenOptions &options, HostCompiler compiler,
                   const OperatorSet &set, std::string scratch)
      : options(options), compiler(std::move(compiler)), set(set),
        scratch(std::move(scratch)) {}

  /// Which operators there will be, for which calls. Throws.
  void choose();
  /// Which of them compute gradients of others. Throws.
  void findGradients();
  ExitCode run();

private:
  std::string inScratch(const llvm::Twine &name) const {
    return scratch + "/" + name.str();
  }
  std::string nameLibrary() const {
    llvm::StringRef stem = path::stem(options.output);
    stem.consume_front("lib");
    return stem.str();
  }
  CompileOptions describe(const GeneratedOperator &op,
                          const GeneratedModel &model) const;
  /// Refuses rows that are not computed each by itself.
  ExitCode proveRows(const GeneratedOperator &op,
                     const CompileOptions &compile) const;
  ExitCode compileModel(const GeneratedOperator &op, GeneratedModel &model);
  ExitCode addRuntime();
  ExitCode link();
  ExitCode write(const std::string &name, const std::string &text) const;

  const GenOptions &options;
  const HostCompiler compiler;
  const OperatorSet &set;
  const std::string scratch;
  std::string headers;
  std::vector<GeneratedOperator> all;
  std::vector<CompilerCall> calls;
};
} // namespace

std::string nameTorchFace(llvm::StringRef library) {
  llvm::StringRef stem = path::stem(library);
  stem.consume_front("lib");
  llvm::SmallString<128> name(path::parent_path(library));
  path::append(name, codegen::toIdentifier(stem) + "_torch.py");
  return name.str().str();
}

ExitCode LibraryGenerator::write(const std::string &name,
                                 const std::string &text) const {
  if (llvm::Error error = io::writeFileAside(name, {text.data(), text.size()}))
    return fail(std::move(error));
  return kExitFine;
}

void LibraryGenerator::choose() {
  std::vector<std::string> names;
  std::set<std::string> wanted(options.ops.begin(), options.ops.end()), inputs;
  for (const fop::File &file : set.getBodies().getFiles())
    for (const fop::Definition &definition : file.definitions) {
      names.push_back(definition.name());
      const bool isNamed = llvm::is_contained(options.ops, definition.type) ||
                           llvm::is_contained(options.ops, definition.name());
      wanted.erase(definition.type);
      wanted.erase(definition.name());
      if (isNamed || options.ops.empty())
        all.push_back({&definition, nullptr, {}, {}});
    }
  if (!wanted.empty())
    throw UsageError{"--op: there is no operator '" + *wanted.begin() +
                     "', only " + llvm::join(names, ", ")};
  std::set<std::string> parameters(options.parameters.begin(),
                                   options.parameters.end());
  for (GeneratedOperator &op : all) {
    const fop::Definition &definition = *op.definition;
    op.parameters = operators::describeBody(definition).parameters;
    for (const std::string &text : options.parameters)
      if (setParameter(text, op.parameters))
        parameters.erase(text);
    requireParameters(definition, options.parameters);
    std::vector<fop::ParamValue> values;
    for (const operators::Parameter &parameter : op.parameters)
      values.push_back(operators::toParam(parameter.value));
    for (const fop::Tensor &input : definition.inputs)
      inputs.insert(input.name);
    try {
      for (const GivenShapes &given : options.shapes)
        for (Specialization &call : specialize(definition, set.getBodies(),
                                               given, options.types, values))
          op.models.push_back({"", std::move(call)});
    } catch (const fop::Mistake &mistake) {
      throw InputError{"fusec",
                       llvm::toString(fop::errorAt(
                           set.getBodies().fileOf(definition), mistake)),
                       ""};
    }
  }
  if (!parameters.empty())
    throw UsageError{"--param " + *parameters.begin() +
                     ": no operator has this parameter"};
  for (const GivenShapes &given : options.shapes)
    for (const auto &[name, shape] : given)
      if (!inputs.count(name))
        throw UsageError{"--shapes: no operator has an input '" + name + "'"};
  std::map<std::string, std::string> functions;
  for (const GeneratedOperator &op : all) {
    auto [known, isNew] =
        functions.try_emplace(op.definition->type, op.definition->domain);
    if (!isNew && known->second != op.definition->domain &&
        options.faces.hasFunctions())
      throw UsageError{"--face: two operators have a function called '" +
                       known->first + "', of " + known->second + " and of " +
                       op.definition->domain + "; take one of them by --op"};
  }
}

/// "(f32[*, 48], f32[48])".
static std::string describeTensors(const std::vector<BodyTensor> &tensors) {
  std::vector<std::string> all;
  for (const BodyTensor &tensor : tensors) {
    std::vector<std::string> dims;
    for (int64_t extent : tensor.type.dims)
      dims.push_back(std::to_string(extent));
    if (tensor.hasRows)
      dims.front() = "*";
    all.push_back(fop::nameOf(tensor.type.element).str() + "[" +
                  llvm::join(dims, ", ") + "]");
  }
  return "(" + llvm::join(all, ", ") + ")";
}

/// What the gradient of a call takes and gives.
static std::string describeGradient(const fop::Definition &definition,
                                    const Specialization &call) {
  std::vector<BodyTensor> inputs = call.inputs, results;
  for (size_t number : fop::findFloats(definition.outputs, definition))
    inputs.push_back(call.outputs[number]);
  for (size_t number : fop::findFloats(definition.inputs, definition))
    results.push_back(call.inputs[number]);
  return describeTensors(inputs) + " -> " + describeTensors(results);
}

void LibraryGenerator::findGradients() {
  for (GeneratedOperator &op : all) {
    const fop::Definition &definition = *op.definition;
    if (definition.gradient.empty())
      continue;
    const fop::Definition *gradient =
        set.getBodies().find(definition.gradient, definition);
    auto made = llvm::find_if(all, [&](const GeneratedOperator &other) {
      return other.definition == gradient;
    });
    if (made != all.end())
      op.gradient = gradient;
    if (!options.faces.torch)
      continue;
    if (!op.gradient)
      throw UsageError{"--op: PyTorch needs the gradient of " +
                       definition.name() + ", which is " + gradient->name() +
                       "; take that, too"};
    for (const GeneratedModel &model : op.models) {
      const std::string needed = describeGradient(definition, model.call);
      if (llvm::none_of(made->models, [&](const GeneratedModel &other) {
            return describeTensors(other.call.inputs) + " -> " +
                       describeTensors(other.call.outputs) ==
                   needed;
          }))
        throw InputError{"fusec",
                         llvm::toString(fop::errorAt(
                             set.getBodies().fileOf(definition),
                             {definition.gradientPlace,
                              "the gradient is to be " + needed +
                                  ", and there are no such "
                                  "kernels of " +
                                  gradient->name() +
                                  ": its types, or --shapes, are others"})),
                         ""};
    }
  }
}

CompileOptions LibraryGenerator::describe(const GeneratedOperator &op,
                                          const GeneratedModel &model) const {
  CompileOptions compile;
  compile.input = set.getBodies().fileOf(*op.definition).path;
  compile.memory = io::MappedFile::hold(
      llvm::MemoryBuffer::getMemBufferCopy(
          makeBodyModel(operators::describeBody(*op.definition), op.parameters,
                        model.call.inputs, model.call.outputs)),
      compile.input);
  compile.name = model.name;
  compile.import.ops = options.files;
  compile.variants = 1;
  compile.emit.bundleRuntime = false;
  compile.emit.embedWeights = true;
  if (model.call.entries.empty())
    return compile;
  compile.symbols = {kRows.str()};
  for (int64_t rows : model.call.entries)
    compile.entries.push_back({rows});
  compile.import.dims[kRows.str()] = model.call.entries.front();
  return compile;
}

ExitCode LibraryGenerator::proveRows(const GeneratedOperator &op,
                                     const CompileOptions &compile) const {
  CompileOptions proof = compile;
  proof.entries = {{1}, {3}};
  proof.padded = proof.symbols;
  if (!proveEntries(proof).empty())
    return failOn(compile.input,
                  op.definition->name() +
                      " does not compute each row by itself, where * in "
                      "--shapes stands for rows",
                  "give these dimensions numbers in --shapes");
  return kExitFine;
}

ExitCode LibraryGenerator::compileModel(const GeneratedOperator &op,
                                        GeneratedModel &model) {
  const CompileOptions compile = describe(op, model);
  const std::string folder = inScratch(model.name);
  Driver driver(compile);
  if (ExitCode code = compileInto(driver, folder); code != kExitFine)
    return code;
  // What is wrong with the operator itself has been said by now.
  if (!compile.entries.empty())
    if (ExitCode code = proveRows(op, compile); code != kExitFine)
      return code;
  llvm::Expected<EmittedModel> emitted = readEmittedModel(folder);
  if (!emitted)
    return fail(emitted.takeError());
  model.name = emitted->name;
  const std::string place = inScratch(model.name + ".objects");
  (void)fs::create_directory(place);
  return addEmitted(folder, compiler, headers, place, calls);
}

/// Adds the runtime's sources as one, which sessions of models need.
ExitCode LibraryGenerator::addRuntime() {
  std::string unit;
  for (const codegen::EmittedFile &file : codegen::runtimeFiles()) {
    llvm::StringRef name = file.path;
    if (!name.starts_with("src/") && !name.starts_with("fast_run/"))
      continue;
    const std::string place = inScratch("runtime/" + name);
    (void)fs::create_directories(path::parent_path(place));
    if (ExitCode code = write(place, file.text); code != kExitFine)
      return code;
    if (name.ends_with(".cpp"))
      unit += "#include \"runtime/" + name.str() + "\"\n";
  }
  const std::string source = inScratch("runtime.cpp");
  if (ExitCode code = write(source, unit); code != kExitFine)
    return code;
  CompilerCall call{compiler.command, inScratch("runtime.o"), inScratch("log")};
  llvm::append_range(call.arguments, getOpFlags(compiler.isGnu));
  llvm::append_range(call.arguments, std::vector<std::string>{
                                         "-w", "-I" + scratch, "-I" + headers,
                                         "-c", source, "-o", call.output});
  // It takes longest.
  calls.insert(calls.begin(), std::move(call));
  return kExitFine;
}

ExitCode LibraryGenerator::link() {
  std::vector<std::string> files;
  OpBuildOptions build;
  for (const fop::File &file : set.getBodies().getFiles()) {
    files.push_back(path::filename(file.path).str());
    build.bodies[files.back()] = file.text;
  }
  const std::string origin = llvm::join(files, ", "),
                    source = inScratch(codegen::toIdentifier(nameLibrary()) +
                                       "_faces.cpp");
  if (ExitCode code = write(source, writeFaces(all, options.faces, origin));
      code != kExitFine)
    return code;
  build.sources = {source};
  build.output = options.output;
  for (const CompilerCall &call : calls)
    build.objects.push_back(call.output);
  build.exports = listExports(options.faces);
  if (ExitCode code = buildOpLibrary(build); code != kExitFine)
    return code;
  if (!options.faces.torch)
    return kExitFine;
  return write(nameTorchFace(options.output),
               writeTorchFace(all, path::filename(options.output), origin));
}

ExitCode LibraryGenerator::run() {
  llvm::Expected<std::string> found = findHeaders("", scratch);
  if (!found)
    return fail(found.takeError());
  headers = *found;
  size_t number = 0;
  for (GeneratedOperator &op : all)
    for (GeneratedModel &model : op.models) {
      model.name =
          codegen::toIdentifier(nameLibrary() + "_" + op.definition->type) +
          "_" + std::to_string(number++);
      if (ExitCode code = compileModel(op, model); code != kExitFine)
        return code;
    }
  if (ExitCode code = addRuntime(); code != kExitFine)
    return code;
  reportProgress("compiling with " + compiler.name());
  if (ExitCode code = runCompiler(compiler, calls); code != kExitFine)
    return code;
  return link();
}

ExitCode generateLibrary(const GenOptions &options) {
  for (const std::string &file : options.files)
    if (!operators::isBodyFile(file))
      return failOn(file, "is no text of operators",
                    "name files of text, as in norms.fop");
  if (ExitCode code = checkPlace(options.output, "-o"); code != kExitFine)
    return code;
  auto set = OperatorSet::open(options.files);
  if (!set)
    return fail(set.takeError());
  llvm::Expected<HostCompiler> compiler = findCompiler();
  if (!compiler)
    return fail(compiler.takeError(), kCompilerHint);
  llvm::SmallString<128> scratch;
  if (std::error_code error = fs::createUniqueDirectory("fusec-gen", scratch))
    return fail("cannot make a temporary folder: " + error.message());
  ExitCode code = kExitBadInput;
  try {
    LibraryGenerator generator(options, *compiler, **set, scratch.str().str());
    generator.choose();
    generator.findGradients();
    code = generator.run();
  } catch (...) {
    (void)fs::remove_directories(scratch);
    throw;
  }
  (void)fs::remove_directories(scratch);
  return code;
}

} // namespace fusec::tool::op
