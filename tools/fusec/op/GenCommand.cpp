// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/op/GenCommand.h"

#include "tools/fusec/op/Generator.h"

#include "compiler/Driver.h"

namespace fusec::tool::op {

static constexpr const char *kGenExamples = R"(
Examples:
  fusec op gen norms.fop -o libnorms.so --shapes x=*x768
  fusec op gen norms.fop -o libnorms.so --shapes x=*x768 --face onnxruntime,torch
  fusec op gen conv.fop -o libconv.so --shapes x=1x64x56x56,w=64x64x3x3 --op Conv

* stands for any number of dimensions in front, also none. Exit codes: 2 the text uses
what fusec does not support; 4 it is not legal, or does not take these shapes.)";

namespace {
struct GenArguments {
  GenOptions options;
  std::vector<std::string> shapes, faces;
};
} // namespace

static ExitCode generate(const GenArguments &arguments) {
  GenOptions options = arguments.options;
  for (const std::string &text : arguments.shapes)
    options.shapes.push_back(parseGivenShapes(text));
  for (const std::string &face : arguments.faces) {
    options.faces.onnxRuntime |= face == "onnxruntime";
    options.faces.tvmFfi |= face == "tvm-ffi";
    options.faces.torch |= face == "torch";
  }
  if (ExitCode code = generateLibrary(options); code != kExitFine)
    return code;
  llvm::outs() << "wrote " << options.output;
  if (options.faces.torch)
    llvm::outs() << " and " << nameTorchFace(options.output);
  llvm::outs() << "\n";
  return kExitFine;
}

void addGen(CLI::App &op, Action &chosen) {
  auto arguments = std::make_shared<GenArguments>();
  GenOptions &options = arguments->options;
  CLI::App &command = *op.add_subcommand(
      "gen", "Make a library for other programs of operators that are text");
  command.footer(kGenExamples);
  command.add_option("TEXT", options.files, "Files of text, as norms.fop")
      ->required();
  command
      .add_option("-o,--output", options.output,
                  "The library to write, as in -o libnorms.so")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--shapes", arguments->shapes,
                  "The shapes of inputs, as in --shapes x=*x768; those that "
                  "follow may be left out. Again for further choices")
      ->required()
      ->type_name("NAME=SHAPE,...")
      ->allow_extra_args(false);
  command
      .add_option("--face", arguments->faces,
                  "Who calls the library beside fusec: onnxruntime, tvm-ffi, "
                  "torch")
      ->delimiter(',')
      ->check(CLI::IsMember({"onnxruntime", "tvm-ffi", "torch"}))
      ->type_name("NAME");
  command
      .add_option("--op", options.ops,
                  "The operators, as LayerNorm or acme.LayerNorm (default: all "
                  "of the text)")
      ->delimiter(',')
      ->type_name("NAME");
  command
      .add_option("--types", options.types,
                  "What type variables stand for, as in --types f32 (default: "
                  "all that they may)")
      ->delimiter(',')
      ->type_name("TYPE");
  command
      .add_option("--param", options.parameters,
                  "The value of a parameter, for which the kernels are made, "
                  "as in --param eps=1e-6; lists have commas")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.callback(
      [=, &chosen] { chosen = [=] { return generate(*arguments); }; });
}

} // namespace fusec::tool::op
