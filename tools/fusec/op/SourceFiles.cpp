// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/op/SourceFiles.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace fusec::tool::op {

std::vector<std::string> readDepfile(const std::string &name) {
  std::vector<std::string> all;
  auto text = llvm::MemoryBuffer::getFile(name);
  if (!text)
    return all;
  std::string word;
  auto end = [&] {
    if (!word.empty() && word.back() != ':')
      all.push_back(word);
    word.clear();
  };
  llvm::StringRef rest = (*text)->getBuffer();
  for (size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '\\' && i + 1 < rest.size() &&
        (rest[i + 1] == ' ' || rest[i + 1] == '#' || rest[i + 1] == '\\'))
      word += rest[++i];
    else if (rest[i] == '\\' || llvm::isSpace(rest[i]))
      end();
    else
      word += rest[i];
  }
  end();
  return all;
}

static std::string escape(llvm::StringRef name) {
  std::string text;
  for (char c : name)
    text += c == ' ' ? std::string("\\ ") : std::string(1, c);
  return text;
}

std::string describeRule(llvm::StringRef output,
                         const std::set<std::string> &files) {
  std::string text = escape(output) + ":";
  for (const std::string &file : files)
    text += " \\\n  " + escape(file);
  return text + "\n";
}

std::string makeReal(llvm::StringRef file) {
  llvm::SmallString<256> real;
  return fs::real_path(file, real) ? file.str() : real.str().str();
}

std::string findRoot(const std::set<std::string> &files) {
  std::string root = path::parent_path(*files.begin()).str();
  for (const std::string &file : files)
    while (!llvm::StringRef(file).starts_with(root + "/") && root != "/")
      root = path::parent_path(root).str();
  return root == "/" ? "" : root;
}

} // namespace fusec::tool::op
