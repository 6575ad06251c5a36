// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec: compiles neural networks to readable C++.
#include "tools/CommandLine.h"
#include "tools/Guard.h"
#include "tools/StandardStreams.h"
#include "tools/fusec/Command.h"
#include "tools/fusec/HelpCommands.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/Progress.h"

#include "llvm/Support/raw_ostream.h"

using namespace fusec;

static constexpr const char *kFooter = R"(
Examples:
  fusec compile model.onnx -o model      a folder of C++ that builds on its own
  fusec check model.onnx                 can fusec compile it? what is missing?
  fusec run model.onnx --repeat 100      compile, build, run on random inputs
  fusec verify model.onnx                compare with the reference interpreter
  fusec convert model.onnx -o opt.onnx   the optimised model as ONNX
  fusec quantize model.onnx --calib samples -o q.onnx
                                         with products of 8 bits
  fusec compress model.onnx --sparsity 0.8 -o small.onnx
                                         with fewer weights
  fusec tune model.onnx -o tuned         measure what is fastest on this machine
  fusec bench model.onnx --cache tuned   what that gains
  fusec advise model.onnx                where time goes, and what could touch it

Exit codes: 0 fine; 1 a check or verification failed; 2 the model uses something
unsupported; 3 a --frozen lock lacks a decision; 4 bad input or environment; 64
wrong usage; 70 a bug of fusec; 130 tune was ended by ^C.
fusec COMMAND --help has each command's options and examples.)";

/// What `action` returns; what it throws is said.
static int runAction(const tool::Action &action) {
  Problem problem;
  problem.file = "fusec";
  try {
    return action();
  } catch (const tool::UsageError &error) {
    problem.reason = error.text;
    tool::say(problem);
    return kExitUsage;
  } catch (const tool::UnsupportedError &error) {
    problem.kind = ProblemKind::Unsupported;
    problem.file = error.file;
    problem.reason = error.text;
    problem.hint = error.hint;
    tool::say(problem);
    return kExitUnsupported;
  } catch (const tool::InputError &error) {
    problem.file = error.file;
    problem.reason = error.text;
    problem.hint = error.hint;
    tool::say(problem);
    return kExitBadInput;
  } catch (const std::exception &error) {
    problem.kind = ProblemKind::Internal;
    problem.reason = error.what();
    problem.hint = "this is a bug of fusec; please report it with the model";
    tool::say(problem);
    return kExitInternal;
  }
}

/// Whether the command that was chosen has --json, and the user gave it; the
/// line need not have been understood.
static bool wantsJson(const CLI::App &app, llvm::ArrayRef<char *> arguments) {
  const CLI::App *chosen = &app;
  while (!chosen->get_subcommands().empty())
    chosen = chosen->get_subcommands().front();
  return chosen->get_option_no_throw("--json") != nullptr &&
         llvm::is_contained(
             llvm::map_range(arguments,
                             [](char *text) { return llvm::StringRef(text); }),
             "--json");
}

int main(int argc, char **argv) {
  tool::guardStreams("fusec");
  CLI::App app(
      "fusec compiles neural networks (.onnx) to fused, readable C++.");
  app.name("fusec");
  app.footer(kFooter);
  app.set_version_flag("--version", "fusec " FUSEC_VERSION);
  app.require_subcommand(1);
  app.formatter(std::make_shared<tool::HelpFormatter>());
  tool::Action chosen;
  tool::addCompile(app, chosen);
  tool::addRun(app, chosen);
  tool::addCheck(app, chosen);
  tool::addInspect(app, chosen);
  tool::addConvert(app, chosen);
  tool::addQuantize(app, chosen);
  tool::addCompress(app, chosen);
  tool::addAlgos(app, chosen);
  tool::addVerify(app, chosen);
  tool::addTune(app, chosen);
  tool::addBench(app, chosen);
  tool::addAdvise(app, chosen);
  tool::addCache(app, chosen);
  tool::addOp(app, chosen);
  tool::addCompletion(app, chosen);
  tool::addManual(app, chosen);
  int code = kExitFine;
  auto printError = [&](int code) {
    if (code != kExitFine && wantsJson(app, {argv, size_t(argc)}))
      tool::printErrorAsJson(code);
  };
  try {
    app.parse(argc, argv);
    code = tool::runGuarded(
        "fusec", [&] { return runAction(chosen); },
        [&](const Problem &crash, int code) {
          tool::clearProgress();
          tool::say(crash);
          printError(code);
        });
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // help was asked for
      return tool::printHelp(app, error);
    tool::say(tool::usageProblem(app, error));
    code = kExitUsage;
  }
  printError(code);
  llvm::outs().flush();
  return code;
}
