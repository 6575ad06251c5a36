// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec manual: the page of man, from the options and their help.
#include "tools/fusec/HelpCommands.h"
#include "tools/fusec/OptionTree.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace fusec::tool {

static constexpr const char *kEnvironment = R"(.SH ENVIRONMENT
.TP
.B CXX
The C++ compiler of what
.B run
and its like build, perhaps with arguments.
.TP
.B XDG_CACHE_HOME
Where what they build is kept, in a folder fusec; else in ~/.cache.
.TP
.B FUSEC_CACHE_LIMIT
How much of that is kept, as in 500M; by default 2 GB.
.SH SEE ALSO
.BR fusec\-opt ,
.BR fusec\-ref :
their \-\-help. What is not said here stands in share/doc/fusec, beside bin.
)";

/// As troff reads it as it is.
static std::string escapeForMan(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n'))
      result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

static void printOption(const OptionText &option, std::string &out) {
  out += ".TP\n";
  std::string names;
  for (const std::string &name : option.names)
    names += (names.empty() ? "\\fB" : ", \\fB") + escapeForMan(name) + "\\fR";
  std::string value =
      option.values.empty() ? option.value : llvm::join(option.values, "|");
  if (option.isValueOptional)
    names += "[=\\fI" + escapeForMan(value) + "\\fR]";
  else if (!option.value.empty() &&
           llvm::StringRef(option.names.back()).starts_with("-"))
    names += " \\fI" + escapeForMan(value) + "\\fR";
  out += names + "\n" + escapeForMan(option.description) + "\n";
}

/// Examples and tables, as they stand.
static void printFooter(const CommandText &command, std::string &out) {
  if (!command.footer.empty())
    out += ".PP\n.nf\n" + escapeForMan(command.footer) + "\n.fi\n";
}

static std::string printManual(const CommandText &command,
                               const std::string &version) {
  std::string out = ".\\\" Written by `fusec manual`.\n.TH FUSEC 1 \"\" \"" +
                    version +
                    "\" \"User Commands\"\n.SH NAME\nfusec \\- ahead-of-time "
                    "fusion compiler for neural networks\n.SH SYNOPSIS\n";
  forEachCommand(command, [&](const CommandText &next) {
    if (!next.commands.empty())
      return;
    out += ".B " + escapeForMan(next.path) + "\n[\\fIOPTION\\fR]...";
    for (const OptionText &positional : next.positionals) {
      std::string name =
          "\\fI" + escapeForMan(positional.names.front()) + "\\fR";
      out += " " + (positional.isRequired ? name : "[" + name + "]");
    }
    out += "\n.br\n";
  });
  out += ".SH DESCRIPTION\n" + escapeForMan(command.description) + "\n";
  printFooter(command, out);
  forEachCommand(command, [&](const CommandText &next) {
    out += next.path == command.path
               ? ".SH OPTIONS\n"
               : ".SH " + escapeForMan(llvm::StringRef(next.path).upper()) +
                     "\n" + escapeForMan(next.description) + ".\n";
    for (const OptionText &positional : next.positionals)
      printOption(positional, out);
    for (const OptionText &option : next.options)
      printOption(option, out);
    if (next.path != command.path)
      printFooter(next, out);
  });
  return out + kEnvironment;
}

void addManual(CLI::App &app, Action &chosen) {
  CLI::App &command =
      *app.add_subcommand("manual", "Print all of this as a page of man");
  command.footer("\nExample:\n  fusec manual | man -l -");
  command.callback([&app, &chosen] {
    chosen = [&app] {
      llvm::outs() << printManual(describe(app), app.version());
      return kExitFine;
    };
  });
}

} // namespace fusec::tool
