// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/HostCompiler.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/StringSaver.h"

namespace fs = llvm::sys::fs;

namespace fusec::tool {

std::string HostCompiler::name() const { return llvm::join(command, " "); }

/// Where the program of this name is; empty if there is none.
static std::string findProgram(llvm::StringRef name) {
  auto found = llvm::sys::findProgramByName(name);
  return found && fs::can_execute(*found) ? *found : "";
}

/// The file behind a program, which an upgrade exchanges.
static std::string identityOf(const std::string &program) {
  llvm::SmallString<128> file;
  fs::file_status status;
  if (fs::real_path(program, file) || fs::status(file, status))
    return program;
  return (file + " " + llvm::Twine(status.getSize()) + " " +
          llvm::Twine(
              status.getLastModificationTime().time_since_epoch().count()))
      .str();
}

/// What it says about itself, if it answers at all: the file may be a script,
/// or one program under the names of many, as ccache is.
static std::string versionOf(std::vector<std::string> command) {
  llvm::SmallString<128> log;
  if (fs::createTemporaryFile("fusec", "version", log))
    return "";
  command.push_back("--version");
  llvm::SmallVector<llvm::StringRef> arguments(command.begin(), command.end());
  std::optional<llvm::StringRef> redirects[] = {
      llvm::StringRef(), llvm::StringRef(log), llvm::StringRef()};
  constexpr unsigned kSeconds = 20;
  int code = llvm::sys::ExecuteAndWait(command.front(), arguments, std::nullopt,
                                       redirects, kSeconds);
  auto text = llvm::MemoryBuffer::getFile(log);
  (void)fs::remove(log);
  return code == 0 && text ? (*text)->getBuffer().str() : "";
}

llvm::Expected<HostCompiler> findCompiler() {
  HostCompiler compiler;
  std::string chosen = llvm::sys::Process::GetEnv("CXX").value_or("");
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char *> words;
  // The path of a program may have spaces in it.
  if (!chosen.empty() && !findProgram(chosen).empty())
    words.push_back(chosen.c_str());
  else
    llvm::cl::TokenizeGNUCommandLine(chosen, saver, words);
  if (words.empty())
    for (const char *name : {"c++", "g++", "clang++", "clang++-22"})
      if (words.empty() && !findProgram(name).empty())
        words.push_back(name);
  if (words.empty())
    return llvm::createStringError("there is no C++ compiler on this machine");
  compiler.command.assign(words.begin(), words.end());
  compiler.command.front() = findProgram(words.front());
  if (compiler.command.front().empty())
    return llvm::createStringError("there is no program '" +
                                   llvm::Twine(words.front()) +
                                   "', which the variable CXX names");
  // The words behind a launcher, too: the compiler is one of them.
  for (const std::string &word : compiler.command) {
    std::string program = findProgram(word);
    compiler.identity += (program.empty() ? word : identityOf(program)) + "\n";
  }
  std::string version = versionOf(compiler.command);
  compiler.identity += version;
  compiler.version = llvm::StringRef(version).split('\n').first.str();
  compiler.isGnu =
      llvm::StringRef(version).contains("Free Software Foundation");
  return compiler;
}

} // namespace fusec::tool
