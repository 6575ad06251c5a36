// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/fop/Library.h"

#include "compiler/fop/Parser.h"
#include "compiler/io/MappedFile.h"

#include "llvm/ADT/STLExtras.h"

namespace fusec::fop {

llvm::Error errorAt(const File &file, const Mistake &mistake) {
  return io::fileError(file.path + ":" + std::to_string(mistake.place.line) +
                           ":" + std::to_string(mistake.place.column),
                       mistake.text);
}

llvm::Error Library::add(llvm::StringRef path) {
  auto file = io::MappedFile::open(path);
  if (!file)
    return file.takeError();
  llvm::ArrayRef<char> bytes = (*file)->bytes();
  if (bytes.size() > kMaxBytes)
    return io::fileError(path,
                         "has " + llvm::Twine(bytes.size()) +
                             " bytes; the text of operators has at most " +
                             llvm::Twine(kMaxBytes));
  return add(path, std::string(bytes.begin(), bytes.end()));
}

llvm::Error Library::add(llvm::StringRef path, std::string text) {
  File &file = files.emplace_back();
  file.path = path.str();
  file.text = std::move(text);
  try {
    file.definitions = Parser(readTokens(file.text)).parse();
  } catch (const Mistake &mistake) {
    return errorAt(file, mistake);
  }
  if (file.definitions.empty())
    return io::fileError(path, "defines no operator; write op acme.Double (x: "
                               "f32[*b]) -> (y: f32[*b]) { y = 2 * x }");
  for (const Definition &definition : file.definitions) {
    owners[&definition] = &file;
    const Definition *&best = newest[definition.name()];
    if (!best || best->version < definition.version)
      best = &definition;
  }
  return llvm::Error::success();
}

const Definition *Library::find(llvm::StringRef name,
                                const Definition &caller) const {
  const std::string full =
      name.contains('.') ? name.str() : caller.domain + "." + name.str();
  return newest.lookup(full);
}

namespace {
/// Calls among definitions, and who is being followed.
class Calls {
public:
  explicit Calls(const Library &library) : library(library) {}

  void collect(const Definition &definition) {
    checkNames(definition, library,
               [&](const Expr &call, const Definition &callee) {
                 made[&definition].push_back({&call, &callee});
               });
  }
  /// Throws where `definition` comes to call itself. Not recursive: calls may
  /// go as deep as there are definitions.
  void check(const Definition &definition);

private:
  using Call = std::pair<const Expr *, const Definition *>;
  const Library &library;
  llvm::DenseMap<const Definition *, std::vector<Call>> made;
  llvm::DenseMap<const Definition *, bool> isDone;
};
} // namespace

void Calls::check(const Definition &definition) {
  // Definitions that are entered, and which of their calls comes next.
  std::vector<std::pair<const Definition *, size_t>> path{{&definition, 0}};
  while (!path.empty()) {
    auto &[current, next] = path.back();
    const std::vector<Call> &calls = made[current];
    if (next == calls.size() || isDone.lookup(current)) {
      isDone[current] = true;
      path.pop_back();
      continue;
    }
    const auto [call, callee] = calls[next++];
    auto entered = llvm::find_if(path, [&, callee = callee](const auto &step) {
      return step.first == callee;
    });
    if (entered != path.end()) {
      std::string text;
      for (auto step = entered; step != path.end(); ++step)
        text += step->first->name() + ", ";
      refuse(call->place,
             "an operator that calls itself: " + text + callee->name());
    }
    path.push_back({callee, 0});
  }
}

llvm::Error Library::resolve() const {
  Calls calls(*this);
  const Definition *current = nullptr;
  try {
    for (const File &file : files)
      for (const Definition &definition : file.definitions) {
        current = &definition;
        calls.collect(definition);
        checkGradient(definition, *this);
      }
    for (const File &file : files)
      for (const Definition &definition : file.definitions) {
        current = &definition;
        calls.check(definition);
      }
  } catch (const Mistake &mistake) {
    return errorAt(fileOf(*current), mistake);
  }
  return llvm::Error::success();
}

} // namespace fusec::fop
