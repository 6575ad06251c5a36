// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Depfile.h"

#include "compiler/io/MappedFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

namespace path = llvm::sys::path;

namespace fusec::tool {

/// What neither of make and ninja reads as a part of a name, or one of them as
/// something else: a recipe, a pattern, another rule.
static bool isUnwritable(llvm::StringRef name) {
  return name.starts_with(" ") || name.ends_with(" ") ||
         llvm::any_of(name, [](char c) {
           return uint8_t(c) < 0x20 || c == 0x7f ||
                  llvm::StringRef(";|*?\\").contains(c);
         });
}

/// As both of them read it.
static llvm::Expected<std::string> escapeForMake(llvm::StringRef name) {
  if (isUnwritable(name))
    return llvm::createStringError(
        "'" + name +
        "' cannot be named in a depfile: make and ninja take control "
        "characters, ; | * ? and backslashes, and spaces at the ends, for "
        "something else; rename the file or its folder");
  std::string text;
  for (char c : name) {
    if (c == ' ' || c == '#' || c == ':')
      text += '\\';
    if (c == '$')
      text += '$';
    text += c;
  }
  return text;
}

llvm::Error writeDepfile(llvm::StringRef file, llvm::StringRef folder,
                         const CompileOptions &options,
                         llvm::ArrayRef<std::string> external,
                         llvm::ArrayRef<std::string> others) {
  // The first one is a name that the user gave: make takes a=b there for a
  // variable.
  std::vector<std::string> names;
  if (!options.memory)
    names.push_back(options.input);
  for (const std::string &location : external) {
    llvm::SmallString<128> name(path::parent_path(options.input));
    path::append(name, location);
    names.push_back(name.str().str());
  }
  for (const auto &bind : options.import.binds)
    names.push_back(bind.second);
  llvm::append_range(names, options.import.ops);
  llvm::append_range(names, options.ruleLibraries);
  for (const std::string &file : {options.entriesFile, options.lock})
    if (!file.empty())
      names.push_back(file);
  llvm::append_range(names, others);

  auto target = escapeForMake((folder.rtrim('/') + "/model.json").str());
  if (!target)
    return target.takeError();
  std::string text = *target + ":";
  for (const std::string &name : names) {
    auto escaped = escapeForMake(name);
    if (!escaped)
      return escaped.takeError();
    text += " \\\n  " + *escaped;
  }
  text += "\n";
  return io::writeFileAside(file, {text.data(), text.size()});
}

} // namespace fusec::tool
