// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/op/BlockFunctions.h"

#include "compiler/io/MappedFile.h"
#include "tools/fusec/Steps.h"
#include "tools/fusec/op/SourceFiles.h"
#include "tools/ptx-sim/Module.h"
#include "tools/ptx-sim/Nvrtc.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <fmt/format.h>

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace fusec::tool::op {

/// Calls `visit` with each directive of the preprocessor and what follows it.
static void forEachDirective(
    llvm::StringRef text,
    llvm::function_ref<void(llvm::StringRef, llvm::StringRef)> visit) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    line = line.trim();
    if (!line.consume_front("#"))
      continue;
    line = line.ltrim();
    const size_t end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz");
    visit(line.take_front(end), line.substr(std::min(end, line.size())).trim());
  }
}

/// Whether a file may include the text twice.
static bool isGuarded(llvm::StringRef text) {
  bool isFirst = true, isGuarded = false;
  forEachDirective(text, [&](llvm::StringRef word, llvm::StringRef rest) {
    isGuarded |= word == "pragma" && rest == "once";
    isGuarded |= isFirst && (word == "ifndef" || word == "if");
    isFirst = false;
  });
  return isGuarded;
}

/// Adds what `file` includes in quotes of the user's, and what that does.
static void addIncluded(const std::string &file, llvm::StringRef text,
                        std::set<std::string> &files) {
  forEachDirective(text, [&](llvm::StringRef word, llvm::StringRef rest) {
    if (word != "include" || !rest.consume_front("\""))
      return;
    llvm::SmallString<128> beside(path::parent_path(file));
    path::append(beside, rest.split('"').first);
    const std::string real = makeReal(beside);
    if (!fs::is_regular_file(real) || !files.insert(real).second)
      return; // of fusec's or CUDA's, or known
    if (auto included = llvm::MemoryBuffer::getFile(real))
      addIncluded(real, (*included)->getBuffer(), files);
  });
}

/// Compiles the header, and asks it for the function.
static ExitCode compileHeader(const std::string &named,
                              const std::string &function,
                              const std::string &header,
                              const BlockSource &where) {
  std::string text = "#include \"fusec/op_block.h\"\n#include \"";
  for (char c : header)
    text += c == '\\' ? std::string("\\\\") : std::string(1, c);
  text += "\"\nnamespace {\nusing ::" + function + ";\n}\n";
  const std::string check = where.scratch + "/block.cu";
  if (llvm::Error error = io::writeFileAside(check, {text.data(), text.size()}))
    return fail(std::move(error));
  try {
    if (ptx::describeCudaCompiler().empty())
      return kExitFine; // who builds programs has one
    (void)ptx::compileInProcess(check, where.architecture, {where.headers});
  } catch (const ptx::Error &error) {
    return failOn(header, named + " does not compile: " + error.what());
  }
  return kExitFine;
}

ExitCode addBlockFunction(operators::Operator &op, const BlockSource &where,
                          std::set<std::string> &files) {
  operators::BlockFunction &block = *op.block;
  llvm::SmallString<128> beside(path::parent_path(where.source));
  path::append(beside, block.file);
  const std::string header = makeReal(beside);
  const std::string named = "the function " + block.name + " of " + op.name();
  auto text = io::readFile(header);
  if (!text) {
    llvm::consumeError(text.takeError());
    return failOn(beside,
                  "cannot be read, where " + where.source + " has " + named,
                  "the path in .block begins at the folder of the source");
  }
  if (!isGuarded((*text)->getBuffer()))
    return failOn(beside, "has " + named + ", and may be included twice",
                  "begin it with #pragma once");
  files.insert(header);
  addIncluded(header, (*text)->getBuffer(), files);
  block.file = header;
  return compileHeader(named, block.name, header, where);
}

} // namespace fusec::tool::op
