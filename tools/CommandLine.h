// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the programs' command lines have in common.
#ifndef FUSEC_TOOLS_COMMANDLINE_H
#define FUSEC_TOOLS_COMMANDLINE_H

#include <CLI/CLI.hpp>

namespace fusec::tool {

/// Prints what is wrong with the command line, or the help that was asked for;
/// whether it is wrong. What is missing may be so because of what is misspelt:
/// options that do not exist are named first.
inline bool explainUsage(const CLI::App &app, const CLI::ParseError &error) {
  std::vector<std::string> unknown = app.remaining(/*recurse=*/true);
  bool isHelp = error.get_exit_code() == 0;
  if (!isHelp && !unknown.empty())
    return app.exit(CLI::ExtrasError(unknown)) != 0;
  return app.exit(error) != 0;
}

} // namespace fusec::tool

#endif // FUSEC_TOOLS_COMMANDLINE_H
