// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the programs' command lines have in common.
#ifndef FUSEC_TOOLS_COMMANDLINE_H
#define FUSEC_TOOLS_COMMANDLINE_H

#include "compiler/import/Message.h"
#include "compiler/import/Problem.h"
#include "tools/Cli11.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <sstream>

namespace fusec::tool {

/// What `command` calls its options, or its commands.
inline std::vector<std::string> namesIn(const CLI::App &command, bool options) {
  std::vector<std::string> names;
  if (options)
    for (const CLI::Option *option : command.get_options())
      for (const std::string &name : option->get_lnames())
        names.push_back("--" + name);
  else
    for (const CLI::App *sub : command.get_subcommands(nullptr))
      names.push_back(sub->get_name());
  return names;
}

/// As CLI11's, but for flags that take a value: --flag[=one|other].
class HelpFormatter : public CLI::Formatter {
public:
  std::string make_option_name(const CLI::Option *option,
                               bool positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, positional);
    if (!takesValueAsFlag(name))
      return name;
    // ":{one,other}"
    std::string type = option->get_type_name();
    std::string list = llvm::StringRef(type).trim(":{}").str();
    std::replace(list.begin(), list.end(), ',', '|');
    return name.substr(0, name.find('{')) + "[=" + list + "]";
  }
  std::string make_option_opts(const CLI::Option *option) const override {
    return takesValueAsFlag(CLI::Formatter::make_option_name(option, false))
               ? ""
               : CLI::Formatter::make_option_opts(option);
  }

private:
  /// CLI11 shows the value that such a flag has by itself: --flag{one}.
  static bool takesValueAsFlag(llvm::StringRef name) {
    return name.contains('{');
  }
};

/// Prints the help or the version that was asked for.
inline int printHelp(const CLI::App &app, const CLI::ParseError &error) {
  std::ostringstream text;
  int code = app.exit(error, text, text);
  llvm::outs() << text.str();
  return code;
}

/// Which of `names` is for GPUs of the architecture that `text` names, as in
/// cuda-sm86 or sm_86: that of the latest one before it; "" where there is
/// none.
inline std::string suggestForGpu(llvm::StringRef text,
                                 llvm::ArrayRef<std::string> names) {
  auto getNumber = [](llvm::StringRef name, unsigned &number) {
    name.consume_front("cuda-");
    if (!name.consume_front("sm"))
      return false;
    name.consume_front("_");
    return !name.getAsInteger(10, number);
  };
  unsigned asked = 0, number = 0, best = 0, first = UINT_MAX;
  std::string found;
  if (!getNumber(text, asked))
    return "";
  for (const std::string &name : names) {
    if (!getNumber(name, number))
      continue;
    first = std::min(first, number);
    if (number <= asked && number > best) {
      best = number;
      found = name;
    }
  }
  if (first == UINT_MAX)
    return "";
  if (found.empty())
    return "the first GPUs that there is a target for are of sm_" +
           std::to_string(first);
  if (best == asked)
    return "did you mean " + found + "?";
  return found + " is for GPUs of sm_" + std::to_string(asked) + ", too";
}

/// As didYouMean; "gpu" is nearly spelled as "cpu", and means the opposite.
inline std::string didYouMeanPlace(llvm::StringRef text,
                                   llvm::ArrayRef<std::string> names) {
  if (std::string suggested = suggestForGpu(text, names); !suggested.empty())
    return suggested;
  std::vector<std::string> gpus;
  for (llvm::StringRef name : names)
    if (name.starts_with("cuda"))
      gpus.push_back(name.str());
  bool isAny =
      text.equals_insensitive("gpu") || text.equals_insensitive("cuda");
  if (!isAny || gpus.empty())
    return didYouMean(text, names);
  return "did you mean " + CLI::detail::join(gpus, " or ") + "?";
}

/// As CLI::IsMember, and says what was probably meant.
inline CLI::Validator oneOf(std::vector<std::string> names) {
  std::string all = "{" + CLI::detail::join(names, ",") + "}";
  return CLI::Validator(
      [=](std::string &text) {
        if (llvm::is_contained(names, text))
          return std::string();
        if (names.size() == 1)
          return "there is no '" + text + "', only " + names.front();
        std::string nearest = didYouMeanPlace(text, names);
        return "'" + text + "' is none of " + all +
               (nearest.empty() ? "" : "; " + nearest);
      },
      all);
}

/// What is wrong with the command line. What is missing may be so because of
/// what is misspelt: what does not exist is named first.
inline Problem usageProblem(const CLI::App &app, const CLI::ParseError &error) {
  auto chosen = app.get_subcommands();
  const CLI::App &command = chosen.empty() ? app : *chosen.front();
  std::string help = app.get_name();
  if (&command != &app)
    help += " " + command.get_name();
  help += " --help";

  auto explain = [&](const std::string &reason, const std::string &hint) {
    Problem problem;
    problem.file = app.get_name();
    problem.reason = reason;
    problem.hint = hint;
    return problem;
  };
  std::vector<std::string> unknown = app.remaining(/*recurse=*/true);
  if (unknown.empty() && chosen.empty() && !namesIn(app, false).empty())
    return explain("name a command: " +
                       CLI::detail::join(namesIn(app, false), ", "),
                   help + " says what each does");
  if (unknown.empty())
    return explain(error.what(), "see " + help);
  // As in --dim=4.
  std::string text = llvm::StringRef(unknown.front()).split('=').first.str();
  bool isOption = llvm::StringRef(text).starts_with("-");
  if (isOption && command.get_option_no_throw(text) != nullptr)
    return explain("'" + text + "' stands behind --, where options end",
                   "put it before --");
  bool isCommand = !isOption && !command.get_subcommands(nullptr).empty();
  std::string nearest;
  if (isOption || isCommand)
    nearest = didYouMean(text, namesIn(command, isOption));
  return explain(
      (isOption    ? "there is no option '"
       : isCommand ? "there is no command '"
                   : "too many arguments, from '") +
          text + "'",
      joinHints(nearest, help + (isOption    ? " lists the options"
                                 : isCommand ? " lists the commands"
                                             : " shows what belongs where")));
}

} // namespace fusec::tool

#endif // FUSEC_TOOLS_COMMANDLINE_H
