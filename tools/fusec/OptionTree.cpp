// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/OptionTree.h"

#include "llvm/ADT/SmallVector.h"

namespace fusec::tool {

/// "TEXT:{a,b}": a and b.
static std::vector<std::string> findValues(llvm::StringRef type) {
  llvm::StringRef list = type.split('{').second.split('}').first;
  llvm::SmallVector<llvm::StringRef> parts;
  list.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return {parts.begin(), parts.end()};
}

static OptionText describeOption(const CLI::Option &option) {
  OptionText text;
  for (const std::string &name : option.get_snames())
    text.names.push_back("-" + name);
  for (const std::string &name : option.get_lnames())
    text.names.push_back("--" + name);
  if (option.get_positional())
    text.names.push_back(option.get_name(/*positional=*/true));
  text.description = option.get_description();
  text.isRequired = option.get_required();
  std::string type = option.get_type_name();
  text.values = findValues(type);
  // A flag may have a value that it stands for: CLI11 shows it as --flag{one}.
  bool isFlag = option.get_items_expected_max() == 0;
  text.isValueOptional = isFlag && !text.values.empty();
  if (!isFlag || text.isValueOptional)
    text.value = llvm::StringRef(type).split(':').first.split(' ').first.str();
  if (text.value.empty() && (!isFlag || text.isValueOptional))
    text.value = "TEXT";
  return text;
}

CommandText describe(const CLI::App &app, llvm::StringRef above) {
  CommandText text;
  text.name = app.get_name();
  text.path = above.empty() ? text.name : (above + " " + text.name).str();
  text.description = app.get_description();
  text.footer = llvm::StringRef(app.get_footer()).trim('\n').str();
  for (const CLI::Option *option : app.get_options())
    if (option->get_positional())
      text.positionals.push_back(describeOption(*option));
    else if (!option->get_group().empty())
      text.options.push_back(describeOption(*option));
  for (const CLI::App *command : app.get_subcommands(nullptr))
    if (!command->get_group().empty())
      text.commands.push_back(describe(*command, text.path));
  return text;
}

} // namespace fusec::tool
