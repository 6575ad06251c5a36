// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Depfile.h"

#include "compiler/import/ModelFile.h"
#include "compiler/io/MappedFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

namespace path = llvm::sys::path;

namespace fusec::tool {

/// As make reads it.
static std::string escape(llvm::StringRef name) {
  std::string text;
  for (char c : name) {
    if (c == ' ' || c == '#' || c == '\\')
      text += '\\';
    if (c == '$')
      text += '$';
    text += c;
  }
  return text;
}

llvm::Error writeDepfile(llvm::StringRef file, llvm::StringRef folder,
                         const CompileOptions &options,
                         llvm::ArrayRef<std::string> others) {
  std::string text = escape((folder.rtrim('/') + "/model.json").str()) + ":";
  auto add = [&](llvm::StringRef name) { text += " \\\n  " + escape(name); };
  if (!options.memory)
    add(options.input);
  if (!options.memory && llvm::StringRef(options.input).ends_with(".onnx")) {
    auto model = ModelFile::read(options.input);
    if (!model)
      return model.takeError();
    for (const auto &external : (*model)->externalFiles()) {
      llvm::SmallString<128> name(path::parent_path(options.input));
      path::append(name, external.first);
      add(name);
    }
  }
  for (const auto &bind : options.import.binds)
    add(bind.second);
  if (!options.lock.empty())
    add(options.lock);
  for (const std::string &other : others)
    add(other);
  text += "\n";
  return io::writeFileAside(file, {text.data(), text.size()});
}

} // namespace fusec::tool
