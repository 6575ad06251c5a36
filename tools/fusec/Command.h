// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The subcommands of fusec. Each file adds one to the program and returns what
// runs it.
#ifndef FUSEC_TOOLS_FUSEC_COMMAND_H
#define FUSEC_TOOLS_FUSEC_COMMAND_H

#include "compiler/Diagnostics.h"
#include "tools/Cli11.h"
#include <functional>

namespace fusec::tool {

/// Runs a subcommand whose options have been parsed.
using Action = std::function<ExitCode()>;

/// Thrown for options that do not fit together; the text says what to do.
struct UsageError {
  std::string text;
};

/// Thrown for what a model uses and fusec does not support.
struct UnsupportedError {
  std::string file, text, hint;
};

/// Thrown for what is wrong with a file that an option names.
struct InputError {
  std::string file, text, hint;
};

void addCompile(CLI::App &app, Action &chosen);
void addRun(CLI::App &app, Action &chosen);
void addCheck(CLI::App &app, Action &chosen);
void addAlgos(CLI::App &app, Action &chosen);
void addCompress(CLI::App &app, Action &chosen);
void addConvert(CLI::App &app, Action &chosen);
void addQuantize(CLI::App &app, Action &chosen);
void addInspect(CLI::App &app, Action &chosen);
void addVerify(CLI::App &app, Action &chosen);
void addTune(CLI::App &app, Action &chosen);
void addBench(CLI::App &app, Action &chosen);
void addAdvise(CLI::App &app, Action &chosen);
void addCache(CLI::App &app, Action &chosen);
void addOp(CLI::App &app, Action &chosen);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_COMMAND_H
