// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the command line has, as its manual and the completions of shells tell
// it: read from CLI11, so that nothing else need be kept up to date.
#ifndef FUSEC_TOOLS_FUSEC_OPTIONTREE_H
#define FUSEC_TOOLS_FUSEC_OPTIONTREE_H

#include "tools/Cli11.h"
#include "llvm/ADT/StringRef.h"

namespace fusec::tool {

struct OptionText {
  std::vector<std::string> names; ///< "-o", "--output"; of a positional "MODEL"
  std::string value;              ///< "DIR"; empty: it takes none
  std::vector<std::string>
      values;                   ///< those that there are, where all are known
  bool isValueOptional = false; ///< only as in --flag=value
  bool isRequired = false;
  std::string description;
};

struct CommandText {
  std::string path; ///< "fusec cache ls"
  std::string name; ///< "ls"
  std::string description, footer;
  std::vector<OptionText> options, positionals;
  std::vector<CommandText> commands;
};

/// All of `app` and of its commands, but for what is hidden.
CommandText describe(const CLI::App &app, llvm::StringRef above = "");

/// Calls `visit` with `command` and all commands in it.
template <typename Visit>
void forEachCommand(const CommandText &command, Visit visit) {
  visit(command);
  for (const CommandText &next : command.commands)
    forEachCommand(next, visit);
}

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_OPTIONTREE_H
