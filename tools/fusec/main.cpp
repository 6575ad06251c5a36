// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec: compiles neural networks to readable C++.
#include "tools/CommandLine.h"
#include "tools/StandardStreams.h"
#include "tools/fusec/Command.h"
#include "tools/fusec/HelpCommands.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/Progress.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <cstdlib>

using namespace fusec;

static constexpr const char *kFooter = R"(
Examples:
  fusec compile model.onnx -o model      a folder of C++ that builds on its own
  fusec check model.onnx                 can fusec compile it? what is missing?
  fusec run model.onnx --repeat 100      compile, build, run on random inputs
  fusec verify model.onnx                compare with the reference interpreter
  fusec tune model.onnx -o tuned         measure what is fastest on this machine
  fusec bench model.onnx --cache tuned   what that gains
  fusec advise model.onnx                where time goes, and what could touch it

Exit codes: 0 fine; 1 a check or verification failed; 2 the model uses something
unsupported; 3 a --frozen lock lacks a decision; 4 bad input or environment; 64
wrong usage; 70 a bug of fusec; 130 tune was ended by ^C.
fusec COMMAND --help has each command's options and examples.)";

/// Something wrong that lies in no file.
static Problem problemOfFusec(ProblemKind kind, std::string reason) {
  Problem problem;
  problem.kind = kind;
  problem.file = "fusec";
  problem.reason = std::move(reason);
  if (kind == ProblemKind::Internal)
    problem.hint = "this is a bug of fusec; please report it with the model";
  return problem;
}

/// What LLVM said before it gave up.
static std::string fatal;

/// Runs `action` so that a crash inside is an exit code too.
static int runGuarded(const tool::Action &action) {
  int code = kExitInternal;
  llvm::CrashRecoveryContext::Enable();
  llvm::install_fatal_error_handler([](void *, const char *reason, bool) {
    fatal = reason;
    std::abort(); // which the recovery catches
  });
  llvm::CrashRecoveryContext recovery;
  bool finished = recovery.RunSafely([&] {
    try {
      code = action();
    } catch (const tool::UsageError &error) {
      tool::say(problemOfFusec(ProblemKind::BadInput, error.text));
      code = kExitUsage;
    } catch (const std::exception &error) {
      tool::say(problemOfFusec(ProblemKind::Internal, error.what()));
    }
  });
  if (!finished) {
    tool::clearProgress();
    tool::say(problemOfFusec(ProblemKind::Internal,
                             fatal.empty() ? "it crashed" : fatal));
  }
  return finished ? code : int(kExitInternal);
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
  tool::addAlgos(app, chosen);
  tool::addVerify(app, chosen);
  tool::addTune(app, chosen);
  tool::addBench(app, chosen);
  tool::addAdvise(app, chosen);
  tool::addCache(app, chosen);
  tool::addCompletion(app, chosen);
  tool::addManual(app, chosen);
  int code = kExitFine;
  try {
    app.parse(argc, argv);
    code = runGuarded(chosen);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // help was asked for
      return tool::printHelp(app, error);
    tool::say(tool::usageProblem(app, error));
    code = kExitUsage;
  }
  if (code != kExitFine && wantsJson(app, {argv, size_t(argc)}))
    tool::printErrorAsJson(code);
  llvm::outs().flush();
  if (code == kExitInternal) {
    // What a crash left behind is not fit for destructors.
    std::fflush(nullptr);
    std::_Exit(code);
  }
  return code;
}
