// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec completion: what shells complete of a command line, from its options.
#include "tools/CommandLine.h"
#include "tools/fusec/HelpCommands.h"
#include "tools/fusec/OptionTree.h"

#include "llvm/ADT/StringExtras.h"

namespace fusec::tool {

/// Between single quotes, for any of these shells.
static std::string quote(llvm::StringRef text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

static bool namesFolder(const OptionText &option) {
  return option.value == "DIR";
}

/// fusec_cache_ls, of "fusec cache ls".
static std::string functionName(const CommandText &command) {
  std::string name = "_" + command.path;
  std::replace(name.begin(), name.end(), ' ', '_');
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// ------------------------------------------------------------------------ bash

/// What may follow an option that takes a value, as cases of "PATH OPTION"; "="
/// is a word of its own.
static void printValuesForBash(const CommandText &command, std::string &out) {
  for (const OptionText &option : command.options) {
    if (option.value.empty())
      continue;
    std::vector<std::string> cases;
    for (const std::string &name : option.names) {
      if (!option.isValueOptional)
        cases.push_back(quote(command.path + " " + name));
      cases.push_back(quote(command.path + " " + name + " ="));
    }
    out += "    " + llvm::join(cases, "|") + ")\n      ";
    if (!option.values.empty())
      out += "COMPREPLY=($(compgen -W " +
             quote(llvm::join(option.values, " ")) + " -- \"$word\"))";
    else
      out += namesFolder(option) ? "compopt -o dirnames" : "compopt -o default";
    out += "; return ;;\n";
  }
}

static std::string printForBash(const CommandText &command) {
  std::vector<std::string> paths;
  std::string values, words;
  forEachCommand(command, [&](const CommandText &next) {
    paths.push_back(quote(next.path));
    printValuesForBash(next, values);
    std::vector<std::string> options, commands;
    for (const OptionText &option : next.options)
      llvm::append_range(options, option.names);
    for (const CommandText &inner : next.commands)
      commands.push_back(inner.name);
    for (const OptionText &positional : next.positionals)
      llvm::append_range(commands, positional.values);
    words += "    " + quote(next.path) +
             ") options=" + quote(llvm::join(options, " ")) +
             " commands=" + quote(llvm::join(commands, " ")) + " ;;\n";
  });
  return R"(# What bash completes of fusec's command line, by `fusec completion bash`.
_fusec() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local path=fusec assigned='' options='' commands='' i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$path ${COMP_WORDS[i]}" in
    )" + llvm::join(paths, "|") +
         R"()
      path="$path ${COMP_WORDS[i]}" ;;
    esac
  done
  if [[ $word == '=' ]]; then
    word='' assigned=' ='
  elif [[ $before == '=' ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]} assigned=' ='
  fi
  COMPREPLY=()
  case "$path $before$assigned" in
)" + values +
         R"(  esac
  case "$path" in
)" + words +
         R"(  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ $commands ]]; then
    COMPREPLY=($(compgen -W "$commands" -- "$word"))
  else
    compopt -o default
  fi
}
complete -F _fusec fusec
)";
}

// ------------------------------------------------------------------------- zsh

/// As _arguments has it: what stands in brackets, and behind colons.
static std::string escapeForZsh(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\')
      result += '\\';
    result += c;
  }
  return result;
}

/// ":DIR:_files -/".
static std::string valueForZsh(const OptionText &option) {
  std::string action = "_files";
  if (!option.values.empty())
    action = "(" + llvm::join(option.values, " ") + ")";
  else if (namesFolder(option))
    action = "_files -/";
  return ":" + escapeForZsh(option.value) + ":" + action;
}

static std::string optionForZsh(const OptionText &option) {
  std::string result;
  for (const std::string &name : option.names) {
    bool isLong = llvm::StringRef(name).starts_with("--");
    std::string text = "*" + name;
    if (!option.value.empty())
      text += option.isValueOptional ? "=-" : isLong ? "=" : "+";
    text += "[" + escapeForZsh(option.description) + "]";
    if (!option.value.empty())
      text += (option.isValueOptional ? ":" : "") + valueForZsh(option);
    result += " \\\n    " + quote(text);
  }
  return result;
}

/// What stands behind the options.
static std::string restForZsh(const CommandText &command) {
  for (const OptionText &positional : command.positionals)
    if (!positional.values.empty())
      return " \\\n    " + quote("1" + valueForZsh(positional));
  return " \\\n    '*:file:_files'";
}

static std::string printForZsh(const CommandText &command) {
  std::string out =
      "#compdef fusec\n# What zsh completes of fusec's command line, by `fusec "
      "completion zsh`.\n";
  forEachCommand(command, [&](const CommandText &next) {
    std::string arguments, commands, cases;
    for (const OptionText &option : next.options)
      arguments += optionForZsh(option);
    for (const CommandText &inner : next.commands) {
      commands += " \\\n      " +
                  quote(inner.name + ":" + escapeForZsh(inner.description));
      cases += "    " + inner.name + ") " + functionName(inner) + " ;;\n";
    }
    out += "\n" + functionName(next) + "() {\n";
    if (next.commands.empty())
      out += "  _arguments" + arguments + restForZsh(next) + "\n";
    else
      out += "  local state line commands\n  _arguments -C" + arguments +
             " \\\n    '1: :->command' '*:: :->rest'\n"
             "  case $state in\n  command)\n    commands=(" +
             commands +
             ")\n    _describe command commands ;;\n"
             "  rest)\n    case $line[1] in\n" +
             cases + "    esac ;;\n  esac\n";
    out += "}\n";
  });
  return out + "\n_fusec \"$@\"\n";
}

// ------------------------------------------------------------------------ fish

/// The commands of "fusec cache ls", as fish asks for them.
static std::string conditionForFish(const CommandText &command) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(command.path).split(words, ' ');
  std::string condition;
  for (llvm::StringRef word : llvm::ArrayRef(words).drop_front())
    condition += (condition.empty() ? "" : "; and ") +
                 ("__fish_seen_subcommand_from " + word).str();
  std::string inner;
  for (const CommandText &next : command.commands)
    inner += " " + next.name;
  if (!inner.empty())
    condition += (condition.empty() ? "" : "; and ") +
                 ("not __fish_seen_subcommand_from" + inner);
  return quote(condition);
}

static std::string optionForFish(const OptionText &option) {
  std::string result;
  for (llvm::StringRef name : option.names)
    result += name.starts_with("--") ? (" -l " + name.drop_front(2)).str()
                                     : (" -s " + name.drop_front(1)).str();
  if (!option.values.empty())
    result += std::string(option.isValueOptional ? " -f" : " -x") + " -a " +
              quote(llvm::join(option.values, " "));
  else if (!option.value.empty())
    result += namesFolder(option) ? " -x -a '(__fish_complete_directories)'"
                                  : " -r -F";
  return result;
}

static std::string printForFish(const CommandText &command) {
  std::string out = "# What fish completes of fusec's command line, by `fusec "
                    "completion fish`.\n";
  forEachCommand(command, [&](const CommandText &next) {
    std::string start = "complete -c fusec -n " + conditionForFish(next);
    for (const CommandText &inner : next.commands)
      out += start + " -f -a " + inner.name + " -d " +
             quote(inner.description) + "\n";
    for (const OptionText &option : next.options)
      out += start + optionForFish(option) + " -d " +
             quote(option.description) + "\n";
    for (const OptionText &positional : next.positionals)
      if (!positional.values.empty())
        out += start + " -f -a " + quote(llvm::join(positional.values, " ")) +
               " -d " + quote(positional.description) + "\n";
  });
  return out;
}

void addCompletion(CLI::App &app, Action &chosen) {
  auto shell = std::make_shared<std::string>();
  CLI::App &command = *app.add_subcommand(
      "completion", "Print what a shell needs to complete command lines");
  command.footer(R"(
Examples:
  source <(fusec completion bash)
  fusec completion zsh > ~/.zfunc/_fusec        a folder of $fpath
  fusec completion fish > ~/.config/fish/completions/fusec.fish

An installed fusec has them where shells look.)");
  command.add_option("SHELL", *shell, "Which shell")
      ->check(oneOf({"bash", "zsh", "fish"}))
      ->required();
  command.callback([&app, &chosen, shell] {
    chosen = [&app, shell] {
      CommandText text = describe(app);
      llvm::outs() << (*shell == "bash"  ? printForBash(text)
                       : *shell == "zsh" ? printForZsh(text)
                                         : printForFish(text));
      return kExitFine;
    };
  });
}

} // namespace fusec::tool
