// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec op: libraries of operators of users.
#include "tools/CommandLine.h"
#include "tools/fusec/Command.h"
#include "tools/fusec/ModelOptions.h"
#include "tools/fusec/Steps.h"
#include "tools/fusec/op/BuildLibrary.h"
#include "tools/fusec/op/GenCommand.h"
#include "tools/fusec/op/HostCommand.h"
#include "tools/fusec/op/Listing.h"
#include "tools/fusec/op/Registry.h"
#include "tools/fusec/op/TestAlgorithms.h"
#include "tools/fusec/op/TestBody.h"
#include "tools/fusec/op/Values.h"

#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fusec::tool::op {

using operators::Answer;
using operators::byteSize;
using operators::Call;
using operators::describe;
using operators::findElement;
using operators::Host;
using operators::isFunctionFile;
using operators::Manifest;
using operators::Operator;
using operators::Parameter;

namespace {
struct OpArguments {
  OpBuildOptions build;
  RegistryChange change;
  std::vector<std::string> libraries, shapes, types, parameters, quantized;
  std::string library, op, body;
  size_t units = 1;
  uint64_t seed = 0;
  uint64_t timeout = 60; ///< in seconds
};
} // namespace

static constexpr const char *kOpExamples = R"(
Examples:
  fusec op build scale.cpp -o libscale.so      a library of what scale.cpp declares
  fusec op test norms.fop --op LayerNorm --shapes 4x8,8,8
  fusec op info libscale.so                    its operators, their parameters
  fusec op ls libscale.so libother.so          a line for each operator
  fusec op add libscale.so --registry ops      a folder, for --ops ops
  fusec op test libscale.so --op Scale --shapes 4x8
  fusec compile model.onnx -o out --ops libscale.so

Exit codes: 1 op test has found a fault; 2 the operator does not support the call; 4
the source does not compile, the file is no library of operators, or code of its own
crashed, hung or failed.)";

//===- test ---------------------------------------------------------------===//

/// The operator that `--op` names, with or without its domain.
static std::optional<Operator> findOperator(const Manifest &manifest,
                                            const OpArguments &arguments) {
  std::optional<Operator> best;
  std::vector<std::string> names;
  for (const Operator &op : manifest.operators) {
    names.push_back(op.name());
    if ((arguments.op == op.type || arguments.op == op.name()) &&
        (!best || best->version < op.version))
      best = op;
  }
  if (!best)
    (void)failOn(arguments.library, "has no operator '" + arguments.op +
                                        "', only " + llvm::join(names, ", "));
  return best;
}

static std::vector<int64_t> parseShape(llvm::StringRef text) {
  std::vector<int64_t> shape;
  if (text.empty() || text == "scalar")
    return shape;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, 'x');
  for (llvm::StringRef part : parts) {
    int64_t &extent = shape.emplace_back();
    if (part.getAsInteger(10, extent) || extent < 0)
      throw UsageError{"--shapes: '" + text.str() +
                       "' is no shape; write 4x8, or scalar"};
  }
  return shape;
}

/// Gives an input what it stands for, as "x=0.5:3" and
/// "w=0.5,0.25:0,1:AXIS" have it.
static void setQuantization(const Operator &op, Call &call,
                            llvm::StringRef text) {
  const auto [name, value] = splitAssignment(text.str(), "--quantized");
  auto refuse = [&, &name = name](const std::string &reason) {
    throw UsageError{"--quantized " + name + ": " + reason};
  };
  size_t input = 0;
  while (input < op.inputs.size() && op.inputs[input].name != name)
    ++input;
  if (input == op.inputs.size() || !op.inputs[input].isQuantized)
    refuse(op.name() + " has no such input that is quantised");
  llvm::SmallVector<llvm::StringRef> parts, scales, zeros;
  llvm::StringRef(value).split(parts, ':');
  operators::Quantization made;
  bool isLegal = parts.size() == 2 || parts.size() == 3;
  if (isLegal) {
    parts[0].split(scales, ',');
    parts[1].split(zeros, ',');
    for (llvm::StringRef scale : scales)
      isLegal &= !scale.getAsDouble(made.scales.emplace_back());
    for (llvm::StringRef zero : zeros)
      isLegal &= !zero.getAsInteger(10, made.zeroPoints.emplace_back());
    if (parts.size() == 3)
      isLegal &= !parts[2].getAsInteger(10, made.axis);
  }
  if (!isLegal)
    refuse("write SCALE:ZERO, or lists of both and the axis, as in "
           "0.5,0.25:0,1:1");
  const std::vector<int64_t> &dims = call.inputs[input].dims;
  const bool hasAxis = made.axis >= 0 && made.axis < int64_t(dims.size());
  if (made.scales.size() != made.zeroPoints.size() ||
      (made.scales.size() > 1 &&
       (!hasAxis || int64_t(made.scales.size()) != dims[made.axis])))
    refuse("it takes one scale and zero point, or as many as the axis has");
  call.quantized[input] = std::move(made);
}

/// The call that the options describe. Throws UsageError.
static Call makeCall(const Operator &op, const OpArguments &arguments) {
  Call call{&op, {}, op.parameters};
  if (arguments.shapes.size() != op.inputs.size())
    throw UsageError{fmt::format("--shapes: {} has {} inputs, and these are {} "
                                 "shapes",
                                 op.name(), op.inputs.size(),
                                 arguments.shapes.size())};
  if (!arguments.types.empty() && arguments.types.size() != op.inputs.size())
    throw UsageError{"--types: name one for each input"};
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const std::vector<std::string> &legal = op.inputs[i].types;
    std::string type = !arguments.types.empty() ? arguments.types[i]
                       : legal.empty()
                           ? (op.inputs[i].isQuantized ? "u8" : "f32")
                           : legal.front();
    if (!findElement(type))
      throw UsageError{"--types: there is no type '" + type +
                       "'; write f32, i64, bool, ..."};
    call.inputs.push_back({type, parseShape(arguments.shapes[i])});
    if (!byteSize(call.inputs.back()))
      throw UsageError{"--shapes: " + arguments.shapes[i] + " is too large"};
    call.quantized.emplace_back();
    if (!op.inputs[i].isQuantized)
      continue;
    if (type != "u8" && type != "i8")
      throw UsageError{"--types: " + op.name() + " takes the input '" +
                       op.inputs[i].name + "' quantised, as u8 or i8"};
    call.quantized.back() = {{0.0625}, {type == "u8" ? 3 : -1}, 0};
  }
  if (op.scalar)
    for (const operators::TensorType &input : call.inputs)
      if (!(input == call.inputs.front()))
        throw UsageError{op.name() + " computes element by element, and takes "
                                     "inputs of one shape and type; those of "
                                     "a model are repeated before"};
  for (const std::string &text : arguments.quantized)
    setQuantization(op, call, text);
  setParameters(op, arguments.parameters, call.parameters);
  return call;
}

/// The same of text.
static ExitCode testText(const OpArguments &arguments) {
  auto set = operators::OperatorSet::open(arguments.library);
  if (!set)
    return fail(set.takeError());
  Manifest manifest;
  for (const fop::File &file : (*set)->getBodies().getFiles())
    for (const fop::Definition &definition : file.definitions)
      manifest.operators.push_back(operators::describeBody(definition));
  std::optional<Operator> op = findOperator(manifest, arguments);
  if (!op)
    return kExitBadInput;
  const Call call = makeCall(*op, arguments);
  const operators::Found found =
      *(*set)->find(op->domain, op->type, op->version);
  requireParameters(*found.body, arguments.parameters);
  return testBody(arguments.library, found, call, arguments.seed);
}

/// Compares kernels with the text that the operator has, too.
static ExitCode testAgainstBody(const OpArguments &arguments,
                                const Operator &op, const Call &call,
                                const Answer &answer) {
  auto set = operators::OperatorSet::open({arguments.library, arguments.body});
  if (!set)
    return fail(set.takeError());
  const std::optional<operators::Found> found =
      (*set)->find(op.domain, op.type, op.version);
  if (!found || !found->kernels)
    return failOn(arguments.body, fmt::format("has no text of {} version {}",
                                              op.name(), op.version));
  return testKernels(arguments.library + "," + arguments.body, *found, call,
                     answer, arguments.seed);
}

static ExitCode test(const OpArguments &arguments) {
  if (operators::isBodyFile(arguments.library))
    return testText(arguments);
  if (isFunctionFile(arguments.library))
    return failOn(arguments.library,
                  "holds functions, which become a part of the model",
                  "fusec verify MODEL --ops " + arguments.library +
                      " compares what becomes of them");
  std::optional<Manifest> manifest = openLibrary(arguments.library);
  if (!manifest)
    return kExitBadInput;
  std::optional<Operator> op = findOperator(*manifest, arguments);
  if (!op)
    return kExitBadInput;
  if (!op->hasDevice("cpu")) {
    (void)failOn(arguments.library,
                 op->name() + " has no form for CPUs, which is what is tested",
                 "add .compute(\"cpu\", ...)");
    return kExitUnsupported;
  }
  Call call = makeCall(*op, arguments);
  Host host(arguments.library, manifest->units.size());
  llvm::Expected<Answer> answer = host.ask(call);
  if (!answer)
    return failOn(arguments.library, op->name() + ", asked for its types: " +
                                         llvm::toString(answer.takeError()));
  if (!answer->isSupported()) {
    (void)failOn(arguments.library,
                 op->name() + " says that it does not support this call");
    return kExitUnsupported;
  }
  llvm::outs() << op->name() << ":";
  for (auto [output, type] : llvm::zip_equal(op->outputs, answer->outputs))
    llvm::outs() << " " << output.name << " is " << type.describe();
  if (answer->algorithms.size() == 1)
    llvm::outs() << fmt::format(", {} bytes of scratch memory",
                                answer->algorithms.front().workspaceBytes);
  llvm::outs() << "\n";
  ExitCode code =
      testAlgorithms(arguments.library, *manifest, call, *answer,
                     arguments.seed, std::chrono::seconds(arguments.timeout));
  if (code == kExitFine && op->block)
    code = testBlocks(arguments.library, host, call, arguments.seed);
  if (code != kExitFine || arguments.body.empty())
    return code;
  return testAgainstBody(arguments, *op, call, *answer);
}

static void addCommands(CLI::App &app, Action &chosen) {
  CLI::App &command = *app.add_subcommand(
      "op", "Build operators of your own, look at them, test them");
  command.footer(kOpExamples);
  command.require_subcommand(1);
  auto arguments = std::make_shared<OpArguments>();
  auto add = [&](const char *name, const char *what,
                 ExitCode (*run)(const OpArguments &)) -> CLI::App & {
    CLI::App &sub = *command.add_subcommand(name, what);
    sub.callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
    return sub;
  };
  CLI::App &build =
      add("build", "Compile C++ that declares operators",
          [](const OpArguments &given) { return buildOpLibrary(given.build); });
  build.add_option("SOURCE", arguments->build.sources, "C++17 sources")
      ->required();
  build
      .add_option("-o,--output", arguments->build.output,
                  "The library to write, as in -o libscale.so")
      ->required()
      ->type_name("FILE");
  build
      .add_option("--domain", arguments->build.domain,
                  "The domain of ONNX's operators that they are in which name "
                  "none themselves")
      ->type_name("NAME")
      ->capture_default_str();
  build
      .add_option("--flag", arguments->build.flags,
                  "A flag for the C++ compiler, here and wherever a program "
                  "compiles the sources: --flag=-mavx2")
      ->type_name("FLAG")
      ->allow_extra_args(false);
  build
      .add_option("--depfile", arguments->build.depfile,
                  "Writes which files the library is made of, as a rule of "
                  "make")
      ->type_name("FILE");
  addGen(command, chosen);
  CLI::App &ls =
      add("ls", "List operators, a line each", [](const OpArguments &given) {
        return listOperators(given.libraries);
      });
  ls.add_option("LIBRARY", arguments->libraries,
                "Libraries of operators, their text, files of functions, "
                "registries")
      ->required();
  CLI::App &adding =
      add("add", "Add a library to a folder that --ops names",
          [](const OpArguments &given) { return addToRegistry(given.change); });
  adding
      .add_option("LIBRARY", arguments->change.name,
                  "A library of operators, their text, or a file of functions")
      ->required();
  adding.add_flag("--replace", arguments->change.replaces,
                  "Also where its operators have no higher versions than "
                  "those that they replace");
  CLI::App &removing = add("rm", "Remove a library from such a folder",
                           [](const OpArguments &given) {
                             return removeFromRegistry(given.change);
                           });
  removing
      .add_option("NAME", arguments->change.name,
                  "What the library is called, or its file")
      ->required();
  for (CLI::App *sub : {&adding, &removing})
    sub->add_option("--registry", arguments->change.folder, "The folder")
        ->required()
        ->type_name("DIR");
  CLI::App &info =
      add("info", "Print all that a library says of itself",
          [](const OpArguments &given) { return printInfo(given.library); });
  CLI::App &testing = add(
      "test", "Run an operator and see whether it keeps to the rules", test);
  for (CLI::App *sub : {&info, &testing})
    sub->add_option(
           "LIBRARY", arguments->library,
           sub == &info
               ? "A library of operators, their text, a file of functions, or "
                 "a registry"
               : "A library of operators, or their text")
        ->required();
  testing
      .add_option("--op", arguments->op, "The operator, as Scale or acme.Scale")
      ->required()
      ->type_name("NAME");
  testing
      .add_option("--shapes", arguments->shapes,
                  "The shape of each input, as in --shapes 4x8,8x5")
      ->delimiter(',')
      ->type_name("SHAPE");
  testing
      .add_option("--types", arguments->types,
                  "The element type of each input, as in --types f32,i64 "
                  "(default: the first that it takes)")
      ->delimiter(',')
      ->type_name("TYPE");
  testing
      .add_option("--param", arguments->parameters,
                  "The value of a parameter, as in --param scale=2; lists have "
                  "commas")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  testing
      .add_option("--quantized", arguments->quantized,
                  "What a quantised input stands for, as in --quantized "
                  "x=0.0625:128: the scale and the zero point, or a list of "
                  "each and the axis that they are along")
      ->type_name("NAME=SCALES:ZEROS[:AXIS]")
      ->allow_extra_args(false);
  testing
      .add_option("--body", arguments->body,
                  "Text of the operator (.fop), with which the kernels of the "
                  "library are compared")
      ->type_name("FILE");
  testing.add_option("--seed", arguments->seed, "Of the inputs' numbers")
      ->type_name("N");
  testing
      .add_option("--timeout", arguments->timeout,
                  "How long all runs of an algorithm of a library may take")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  CLI::App &host = add("host", "Answer for a library, for fusec itself",
                       [](const OpArguments &given) {
                         return hostLibrary(given.library, given.units);
                       });
  host.group(""); // not for people
  host.add_option("LIBRARY", arguments->library)->required();
  host.add_option("UNITS", arguments->units)->required();
}

} // namespace fusec::tool::op

namespace fusec::tool {

void addOp(CLI::App &app, Action &chosen) { op::addCommands(app, chosen); }

} // namespace fusec::tool
