// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/op/BuildLibrary.h"

#include "codegen/Names.h"
#include "compiler/io/MappedFile.h"
#include "compiler/operators/OperatorSet.h"
#include "dialects/fuse/FuseOps.h"
#include "dialects/library/Declared.h"
#include "tools/fusec/Build.h"
#include "tools/fusec/CudaCompiler.h"
#include "tools/fusec/Interrupt.h"
#include "tools/fusec/Steps.h"
#include "tools/fusec/op/BlockFunctions.h"
#include "tools/fusec/op/ScalarForms.h"
#include "tools/fusec/op/SourceFiles.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <set>

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace fusec::tool::op {

using operators::Manifest;
using operators::Operator;

std::vector<std::string> getOpFlags(bool isGnu) {
  // A unique symbol, which GCC makes of the statics of inline functions, would
  // keep the library in the process for ever.
  std::vector<std::string> flags = {"-std=c++17", "-fPIC", "-O2",
                                    "-fvisibility=hidden"};
  if (isGnu)
    flags.push_back("-fno-gnu-unique");
  return flags;
}

std::string nameOpQuery(llvm::StringRef first, size_t unit) {
  return unit ? (first + "_" + llvm::Twine(unit)).str() : first.str();
}

/// What sources in CUDA are compiled for here, to see what they declare: the
/// oldest architecture that there is a target for.
static constexpr llvm::StringLiteral kLeastArchitecture = "sm_80";

namespace {
class LibraryMaker {
public:
  LibraryMaker(const OpBuildOptions &options, HostCompiler compiler,
               std::string scratch, std::string headers)
      : options(options), compiler(std::move(compiler)),
        scratch(std::move(scratch)), headers(std::move(headers)) {}

  ExitCode run();

private:
  std::string inScratch(const llvm::Twine &name) const {
    return scratch + "/" + name.str();
  }
  ExitCode compile(const std::vector<std::string> &arguments,
                   llvm::StringRef what);
  ExitCode orderSources();
  ExitCode compileSources();
  ExitCode embedSources();
  ExitCode link(const std::string &output, const std::string &section);
  ExitCode describe(const std::string &library);
  ExitCode addFunctions();
  ExitCode addScalar(Operator &op, unsigned index);
  /// Whether the compiler takes what calls the function of `op`.
  bool takesCalls(const Operator &op, llvm::StringRef header,
                  std::vector<std::string> &arguments);
  ExitCode writeDepfile();

  const OpBuildOptions &options;
  const HostCompiler compiler;
  const std::string scratch, headers;
  /// The sources in C++, and behind them those in CUDA.
  std::vector<std::string> sources;
  size_t numHostUnits = 0;
  CudaCompiler cuda; ///< where there are such
  std::vector<std::string> objects, cudaObjects;
  /// Sources and what they include of the user's, as real paths.
  std::set<std::string> files;
  Manifest manifest;
};
} // namespace

/// The command that failed, and what it has said.
static std::string describeFailure(const std::vector<std::string> &arguments,
                                   const std::string &log) {
  std::string reason = "does not compile: " + llvm::join(arguments, " ");
  if (auto text = llvm::MemoryBuffer::getFile(log))
    reason += "\n" + (*text)->getBuffer().take_front(8000).rtrim().str();
  return reason;
}

ExitCode LibraryMaker::compile(const std::vector<std::string> &arguments,
                               llvm::StringRef what) {
  std::string log = inScratch("log");
  if (runProgram(arguments, log) == 0)
    return kExitFine;
  if (mustStop())
    return kExitInterrupted;
  return failOn(what, describeFailure(arguments, log));
}

ExitCode LibraryMaker::compileSources() {
  const std::string own = makeReal(headers) + "/";
  for (size_t unit = 0; unit < sources.size(); ++unit) {
    const std::string &source = sources[unit];
    std::string object = inScratch(llvm::Twine(unit) + ".o");
    std::string depfile = inScratch(llvm::Twine(unit) + ".d");
    std::vector<std::string> arguments = compiler.command;
    if (unit < numHostUnits) {
      llvm::append_range(arguments, getOpFlags(compiler.isGnu));
      llvm::append_range(arguments, options.flags);
      llvm::append_range(
          arguments,
          std::vector<std::string>{"-c", "-x", "c++", source, "-o", object});
    } else {
      arguments =
          cuda.getArguments(source, object, kLeastArchitecture, options.flags);
    }
    llvm::append_range(arguments, std::vector<std::string>{
                                      "-DFUSEC_OP_QUERY=" +
                                          nameOpQuery("fusec_op_query", unit),
                                      "-I" + headers, "-MMD", "-MF", depfile});
    if (ExitCode code = compile(arguments, source); code != kExitFine)
      return code;
    (unit < numHostUnits ? objects : cudaObjects).push_back(object);
    for (const std::string &file : readDepfile(depfile)) {
      const std::string real = makeReal(file);
      const bool isOthers =
          llvm::StringRef(real).starts_with(own) ||
          (!cuda.toolkit.empty() &&
           llvm::StringRef(real).starts_with(cuda.toolkit + "/"));
      if (fs::exists(real) && !isOthers)
        files.insert(real);
    }
    files.erase(makeReal(object));
  }
  return kExitFine;
}

ExitCode LibraryMaker::embedSources() {
  manifest.sources = options.bodies;
  for (const auto &[name, text] : options.bodies)
    manifest.bodies.push_back(name);
  const std::string root = findRoot(files);
  for (const std::string &file : files) {
    auto text = io::readFile(file);
    if (!text)
      return fail(text.takeError());
    if (!llvm::json::isUTF8((*text)->getBuffer()))
      return failOn(file, "is not UTF-8, which sources that are put into the "
                          "library must be");
    std::string inner = file.substr(root.size() + 1);
    if (!library::isInnerPath(inner))
      return failOn(file,
                    "would be '" + inner +
                        "' in a program's folder; paths there have "
                        "letters, digits and _.+- only",
                    "rename it");
    manifest.sources[inner] = (*text)->getBuffer().str();
  }
  for (auto [unit, source] : llvm::enumerate(sources))
    (unit < numHostUnits ? manifest.units : manifest.cudaUnits)
        .push_back(makeReal(source).substr(root.size() + 1));
  for (Operator &op : manifest.operators)
    for (std::string *file : {op.scalar ? &op.scalar->file : nullptr,
                              op.block ? &op.block->file : nullptr})
      if (file)
        *file = file->substr(root.size() + 1);
  manifest.flags = options.flags;
  manifest.compiler = compiler.version;
  llvm::StringRef stem = path::stem(options.output);
  stem.consume_front("lib");
  manifest.library = codegen::toIdentifier(stem);
  if (manifest.library.empty())
    return failOn(options.output, "is no name for a library",
                  "call it libNAME.so");
  manifest.hash = operators::hashOf(manifest);
  return kExitFine;
}

ExitCode LibraryMaker::link(const std::string &output,
                            const std::string &section) {
  std::string map = inScratch("exports.map");
  std::string exports = "{ global: fusec_op_query*;";
  for (const std::string &pattern : options.exports)
    exports += " " + pattern + ";";
  exports += " local: *; };\n";
  if (llvm::Error error =
          io::writeFileAside(map, {exports.data(), exports.size()}))
    return fail(std::move(error));
  std::vector<std::string> arguments = compiler.command;
  llvm::append_range(arguments,
                     std::vector<std::string>{"-shared", "-o", output,
                                              "-Wl,--version-script=" + map});
  llvm::append_range(arguments, objects);
  if (section.empty()) { // to see what they declare; programs are made of text
    llvm::append_range(arguments, cudaObjects);
    llvm::append_range(arguments, cuda.libraries);
  }
  if (!options.objects.empty()) {
    llvm::append_range(arguments, options.objects);
    llvm::append_range(arguments, std::vector<std::string>{"-pthread", "-ldl"});
  }
  if (!section.empty())
    arguments.push_back(section);
  return compile(arguments, options.output);
}

/// Asks what the library declares, and checks what it lets others name.
ExitCode LibraryMaker::describe(const std::string &library) {
  operators::Host host(library, sources.size());
  llvm::Expected<Manifest> described = host.describe();
  if (!described)
    return failOn(options.output, "cannot be asked for its operators: it " +
                                      llvm::toString(described.takeError()));
  manifest.leastAbi = described->leastAbi;
  manifest.operators = std::move(described->operators);
  std::set<std::string> known;
  for (Operator &op : manifest.operators) {
    if (op.domain.empty())
      op.domain = options.domain;
    if (op.unit >= numHostUnits)
      return failOn(sources[op.unit],
                    "declares " + op.name() +
                        ", and programs for CPUs have no sources in CUDA",
                    "declare it in a source in C++, and add the form here: "
                    "FUSEC_OP(" +
                        op.type + ").compute(\"cuda\", ...)");
    if (!fuse::isOperatorName(op.name()))
      return failOn(options.output,
                    "declares '" + op.name() +
                        "'; a domain is identifiers with points between");
    if (operators::isReservedDomain(op.domain))
      return failOn(options.output,
                    "declares " + op.name() + " in a domain of ONNX's own",
                    "choose another with --domain or .domain");
    if (!known.insert(op.name() + " " + std::to_string(op.version)).second)
      return failOn(options.output,
                    "declares " + op.name() + " version " +
                        std::to_string(op.version) + " twice",
                    "give one of the two another name or .version");
  }
  if (manifest.operators.empty())
    return failOn(options.output, "declares no operators",
                  "declare one with FUSEC_OP(Name)...");
  if (llvm::Error error = operators::checkGradients(manifest.operators))
    return failOn(options.output,
                  "declares " + llvm::toString(std::move(error)));
  return kExitFine;
}

bool LibraryMaker::takesCalls(const Operator &op, llvm::StringRef header,
                              std::vector<std::string> &arguments) {
  const std::string source = inScratch("scalar.cpp"),
                    text = writeScalarCheck(op, header);
  if (llvm::Error error =
          io::writeFileAside(source, {text.data(), text.size()})) {
    llvm::consumeError(std::move(error));
    return false;
  }
  arguments = compiler.command;
  llvm::append_range(
      arguments, std::vector<std::string>{"-std=c++17", "-fsyntax-only",
                                          "-fno-exceptions", "-fno-rtti",
                                          "-I" + headers, "-x", "c++", source});
  return runProgram(arguments, inScratch("log")) == 0;
}

/// Adds the form of the function of `op`, number `index` of its unit, and the
/// file that has the function.
ExitCode LibraryMaker::addScalar(Operator &op, unsigned index) {
  operators::ScalarFunction &scalar = *op.scalar;
  const std::string &source = sources[op.unit];
  llvm::SmallString<128> beside(path::parent_path(source));
  path::append(beside, scalar.file);
  const std::string header = makeReal(beside);
  const std::string named = "the function " + scalar.name + " of " + op.name();
  auto bytes = io::readFile(header);
  if (!bytes) {
    llvm::consumeError(bytes.takeError());
    return failOn(beside, "cannot be read, where " + source + " has " + named,
                  "the path in .scalar begins at the folder of the source");
  }
  if (std::string reason = refuseScalarText((*bytes)->getBuffer());
      !reason.empty())
    return failOn(beside, reason);
  if (listScalarTypes(op).empty())
    return failOn(options.output, op.name() +
                                      " takes no type for all of its "
                                      "inputs, which " +
                                      named + " needs");
  std::vector<std::string> arguments;
  scalar.takesLanes = takesCalls(op, header, arguments);
  if (!scalar.takesLanes && !takesCalls(op, header, arguments)) {
    if (mustStop())
      return kExitInterrupted;
    return failOn(beside, named + " for " +
                              llvm::join(listScalarTypes(op), ", ") + " " +
                              describeFailure(arguments, inScratch("log")));
  }
  const std::string
      unit = inScratch("form.cpp"),
      text = writeScalarForm(op, header),
      object =
          inScratch(llvm::formatv("scalar_{0}_{1}.o", op.unit, index).str());
  if (llvm::Error error = io::writeFileAside(unit, {text.data(), text.size()}))
    return fail(std::move(error));
  arguments = compiler.command;
  llvm::append_range(arguments, getOpFlags(compiler.isGnu));
  llvm::append_range(arguments, options.flags);
  llvm::append_range(
      arguments,
      std::vector<std::string>{
          "-DFUSEC_OP_QUERY=" + operators::nameScalarQuery(op.unit, index),
          "-I" + headers, "-c", "-x", "c++", unit, "-o", object});
  if (ExitCode code = compile(arguments, beside); code != kExitFine)
    return code;
  objects.push_back(object);
  files.insert(header);
  scalar.file = header;
  return kExitFine;
}

ExitCode LibraryMaker::addFunctions() {
  std::map<unsigned, unsigned> counts;
  for (Operator &op : manifest.operators) {
    const unsigned index = counts[op.unit]++;
    if (op.block)
      if (ExitCode code = addBlockFunction(
              op,
              {sources[op.unit], headers, scratch, kLeastArchitecture.str()},
              files);
          code != kExitFine)
        return code;
    if (!op.scalar)
      continue;
    if (ExitCode code = addScalar(op, index); code != kExitFine)
      return code;
  }
  return kExitFine;
}

ExitCode LibraryMaker::writeDepfile() {
  if (options.depfile.empty())
    return kExitFine;
  const std::string text = describeRule(options.output, files);
  if (llvm::Error error =
          io::writeFileAside(options.depfile, {text.data(), text.size()}))
    return fail(std::move(error));
  return kExitFine;
}

ExitCode LibraryMaker::orderSources() {
  for (bool inCuda : {false, true})
    for (const std::string &source : options.sources)
      if (isCudaSource(source) == inCuda)
        sources.push_back(source);
  numHostUnits = llvm::count_if(options.sources, [](const std::string &source) {
    return !isCudaSource(source);
  });
  if (numHostUnits == sources.size())
    return kExitFine;
  llvm::Expected<CudaCompiler> found = findCudaCompiler();
  if (!found)
    return failOn(sources.back(), llvm::toString(found.takeError()));
  cuda = std::move(*found);
  return kExitFine;
}

ExitCode LibraryMaker::run() {
  if (ExitCode code = orderSources(); code != kExitFine)
    return code;
  if (ExitCode code = compileSources(); code != kExitFine)
    return code;
  std::string bare = inScratch("bare.so");
  if (ExitCode code = link(bare, ""); code != kExitFine)
    return code;
  if (ExitCode code = describe(bare); code != kExitFine)
    return code;
  if (ExitCode code = addFunctions(); code != kExitFine)
    return code;
  if (ExitCode code = embedSources(); code != kExitFine)
    return code;
  // The assembler takes any bytes into a section.
  std::string json = operators::print(manifest), data = inScratch("ops.json"),
              assembly = inScratch("ops.s");
  std::string text = ".section " + operators::kSection.str() +
                     ",\"\",@progbits\n.incbin \"" + data +
                     "\"\n.section .note.GNU-stack,\"\",@progbits\n";
  for (const auto &[name, bytes] :
       {std::pair(&data, &json), std::pair(&assembly, &text)})
    if (llvm::Error error =
            io::writeFileAside(*name, {bytes->data(), bytes->size()}))
      return fail(std::move(error));
  std::string whole = inScratch("whole.so");
  if (ExitCode code = link(whole, assembly); code != kExitFine)
    return code;
  auto bytes = io::readFile(whole);
  if (!bytes)
    return fail(bytes.takeError());
  if (llvm::Error error =
          io::writeFileAside(options.output, {(*bytes)->getBufferStart(),
                                              (*bytes)->getBufferSize()}))
    return fail(std::move(error));
  return writeDepfile();
}

ExitCode buildOpLibrary(const OpBuildOptions &options) {
  for (const std::string &source : options.sources)
    if (operators::isBodyFile(source))
      return failOn(source, "is text of operators, which needs no building",
                    "name it with --ops as it is");
  for (const std::string &flag : options.flags)
    if (!fuse::isOperatorFlag(flag) || llvm::StringRef(flag).starts_with("-I"))
      return failOn(options.output,
                    "cannot be built with the flag '" + flag +
                        "', which a program's build has to repeat",
                    "flags have letters, digits and _.+-=,/:, and include "
                    "folders are none: write quoted includes relative to the "
                    "source");
  for (const std::string &source : options.sources)
    if (!fs::is_regular_file(source))
      return failOn(source, "no such file");
  llvm::Expected<HostCompiler> compiler = findCompiler();
  if (!compiler)
    return fail(compiler.takeError(), kCompilerHint);
  llvm::SmallString<128> scratch;
  if (std::error_code error = fs::createUniqueDirectory("fusec-op", scratch))
    return fail("cannot make a temporary folder: " + error.message());
  ExitCode code = kExitFine;
  llvm::Expected<std::string> headers = findHeaders("", scratch);
  if (headers)
    code =
        LibraryMaker(options, *compiler, scratch.str().str(), *headers).run();
  else
    code = fail(headers.takeError());
  (void)fs::remove_directories(scratch);
  return code;
}

} // namespace fusec::tool::op
