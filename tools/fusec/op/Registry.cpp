// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/op/Registry.h"

#include "compiler/import/FunctionFiles.h"
#include "tools/CommandLine.h"
#include "tools/fusec/Steps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <fmt/format.h>

namespace fusec::tool::op {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {
/// What a file of a registry has.
struct Entry {
  std::string file; ///< its name in the folder
  /// Versions by name; functions have none, and are version 0.
  std::multimap<std::string, int64_t> operators;
  std::string content; ///< what tells it from others of its name
};
} // namespace

static llvm::Expected<Entry> readEntry(const std::string &file) {
  Entry entry;
  if (operators::isBodyFile(file)) {
    // Operators of other files that it calls are looked up once all are known.
    fop::Library bodies;
    if (llvm::Error error = bodies.add(file))
      return error;
    entry.file = path::filename(file).str();
    entry.content = bodies.getFiles()[0].text;
    for (const fop::Definition &definition : bodies.getFiles()[0].definitions)
      entry.operators.emplace(definition.name(), definition.version);
    return entry;
  }
  if (!operators::isFunctionFile(file)) {
    auto manifest = operators::readLibrary(file);
    if (!manifest)
      return manifest.takeError();
    entry.file = "lib" + manifest->library + ".so";
    entry.content = manifest->hash;
    for (const operators::Operator &op : manifest->operators)
      entry.operators.emplace(op.name(), op.version);
    return entry;
  }
  auto functions = readFunctionFile(file);
  if (!functions)
    return functions.takeError();
  entry.file = path::filename(file).str();
  for (const onnx::FunctionProto &function : (*functions)->proto().functions())
    entry.operators.emplace(nameFunction(function), 0);
  auto bytes = io::readFile(file);
  if (!bytes)
    return bytes.takeError();
  entry.content = (*bytes)->getBuffer().str();
  return entry;
}

/// "custom.Scale version 2", or the name of a function.
static std::string describe(const std::pair<const std::string, int64_t> &op) {
  return op.second ? fmt::format("{} version {}", op.first, op.second)
                   : op.first;
}

/// How the file of an operator says a version.
static std::string writeVersion(const std::string &file, int64_t version) {
  return operators::isBodyFile(file)
             ? fmt::format("v{} behind its name", version)
             : fmt::format(".version({})", version);
}

/// Whether `next`, which has other content, may take the place of `old`; or why
/// not.
static llvm::Error checkVersions(const std::string &file, const Entry &old,
                                 const Entry &next) {
  for (const auto &op : old.operators) {
    auto [begin, end] = next.operators.equal_range(op.first);
    const bool isHigher =
        begin != end && std::all_of(begin, end, [&](const auto &other) {
          return other.second > op.second;
        });
    if (!isHigher)
      return io::fileError(
          file, "is another " + old.file + " than the one in the registry, " +
                    "which has " + describe(op) +
                    (op.second ? "; give that a higher version, as in " +
                                     writeVersion(file, op.second + 1) +
                                     ", or add it with --replace"
                               : "; add it with --replace"));
  }
  return llvm::Error::success();
}

/// Whether one file has the text of an operator, and the other one its kernels.
static bool arePair(const std::string &some, const std::string &other,
                    const std::pair<const std::string, int64_t> &own,
                    const std::pair<const std::string, int64_t> &op) {
  return own.second && op.second &&
         operators::isBodyFile(some) != operators::isBodyFile(other);
}

/// Whether the registry may have `next`, which `file` holds; true if it has it.
static llvm::Expected<bool> check(const RegistryChange &change,
                                  const std::string &file, const Entry &next) {
  auto all = listOperatorFiles(change.folder);
  if (!all)
    return all.takeError();
  std::vector<std::string> libraries{file};
  for (const std::string &known : *all) {
    auto entry = readEntry(known);
    if (!entry)
      return entry.takeError();
    const bool isSame = path::filename(known) == next.file;
    if (isSame && entry->content == next.content)
      return true;
    if (isSame && !change.replaces)
      if (llvm::Error error = checkVersions(file, *entry, next))
        return error;
    if (isSame)
      continue;
    libraries.push_back(known);
    for (const auto &op : entry->operators)
      for (const auto &own : next.operators)
        if (own.first == op.first && !arePair(file, known, own, op) &&
            (own.second == op.second || !own.second || !op.second))
          return io::fileError(file, "has " + describe(own) + ", and so has " +
                                         known +
                                         "; remove that one first, by fusec "
                                         "op rm");
  }
  auto set = operators::OperatorSet::open(libraries);
  if (!set)
    return set.takeError();
  return false;
}

ExitCode addToRegistry(const RegistryChange &change) {
  auto next = readEntry(change.name);
  if (!next)
    return fail(next.takeError());
  if (fs::exists(change.folder) && !fs::is_directory(change.folder))
    return failOn(change.folder, "is no folder",
                  "a registry is one: name one, or one that is not there");
  if (std::error_code error = fs::create_directories(change.folder))
    return failOn(change.folder, "cannot be made: " + error.message());
  auto isThere = check(change, change.name, *next);
  if (!isThere)
    return fail(isThere.takeError());
  llvm::SmallString<128> place(change.folder);
  path::append(place, next->file);
  if (*isThere) {
    llvm::outs() << place << " is there already\n";
    return kExitFine;
  }
  auto bytes = io::readFile(change.name);
  if (!bytes)
    return fail(bytes.takeError());
  llvm::StringRef content = (*bytes)->getBuffer();
  if (llvm::Error error =
          io::writeFileAside(place, {content.data(), content.size()}))
    return fail(std::move(error));
  std::vector<std::string> names;
  for (const auto &op : next->operators)
    names.push_back(describe(op));
  llvm::outs() << "added " << llvm::join(names, ", ") << ", in " << place
               << "\n";
  return kExitFine;
}

ExitCode removeFromRegistry(const RegistryChange &change) {
  if (!fs::is_directory(change.folder))
    return failOn(change.folder, "is no folder",
                  "name a registry that fusec op add made");
  auto all = operators::expandFolders(change.folder);
  if (!all)
    return fail(all.takeError());
  std::vector<std::string> names;
  for (const std::string &file : *all) {
    const llvm::StringRef name = path::filename(file);
    names.push_back(name.str());
    if (name != change.name && name != "lib" + change.name + ".so" &&
        name != change.name + ".onnx" && name != change.name + ".fop")
      continue;
    if (std::error_code error = fs::remove(file))
      return failOn(file, "cannot be removed: " + error.message());
    llvm::outs() << "removed " << file << "\n";
    return kExitFine;
  }
  return failOn(change.folder,
                "has no " + change.name +
                    (names.empty() ? ", and nothing else"
                                   : "; it has " + llvm::join(names, ", ")));
}

} // namespace fusec::tool::op
