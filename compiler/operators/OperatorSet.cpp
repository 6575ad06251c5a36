// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/operators/OperatorSet.h"

#include "compiler/io/MappedFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fusec::operators {

bool isFunctionFile(llvm::StringRef path) { return path.ends_with(".onnx"); }

llvm::Expected<std::vector<std::string>>
expandFolders(llvm::ArrayRef<std::string> paths) {
  namespace fs = llvm::sys::fs;
  std::vector<std::string> files;
  for (const std::string &path : paths) {
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> own;
    std::error_code error;
    for (fs::directory_iterator it(path, error), end; !error && it != end;
         it.increment(error))
      if (llvm::StringRef file = it->path();
          file.ends_with(".so") || isFunctionFile(file))
        own.push_back(file.str());
    if (error)
      return io::fileError(path, error.message());
    llvm::sort(own);
    llvm::append_range(files, own);
  }
  return files;
}

bool isReservedDomain(llvm::StringRef domain) {
  return domain.empty() || domain == "ai.onnx" ||
         domain.starts_with("ai.onnx.") || domain == "com.microsoft" ||
         domain.starts_with("com.microsoft.") ||
         domain.starts_with("com.ms.internal.");
}

llvm::Expected<std::unique_ptr<OperatorSet>>
OperatorSet::open(llvm::ArrayRef<std::string> paths) {
  auto set = std::make_unique<OperatorSet>();
  for (const std::string &path : paths) {
    if (isFunctionFile(path))
      continue;
    llvm::Expected<Manifest> manifest = readLibrary(path);
    if (!manifest)
      return manifest.takeError();
    for (const Operator &op : manifest->operators) {
      if (isReservedDomain(op.domain))
        return io::fileError(path, "declares " + op.name() +
                                       ", in a domain of ONNX's own; give it "
                                       "another with fusec op build --domain");
      for (const Library &other : set->libraries) {
        for (const Operator &known : other.manifest.operators)
          if (known.name() == op.name() && known.version == op.version)
            return io::fileError(
                path, fmt::format("declares {} version {}, and so does {}; "
                                  "name one of the two",
                                  op.name(), op.version, other.path));
      }
    }
    for (const Library &other : set->libraries)
      if (other.manifest.library == manifest->library)
        return io::fileError(path, "is called '" + manifest->library +
                                       "', and so is " + other.path +
                                       "; rename one of the two, and build it "
                                       "again");
    auto host = std::make_unique<Host>(path, manifest->units.size());
    set->libraries.push_back({path, std::move(*manifest), std::move(host), {}});
  }
  return set;
}

std::optional<Found> OperatorSet::find(llvm::StringRef domain,
                                       llvm::StringRef type, int64_t opset) {
  std::optional<Found> best;
  for (Library &library : libraries)
    for (const Operator &op : library.manifest.operators)
      if (domain == op.domain && type == op.type && op.version <= opset &&
          (!best || best->op->version < op.version))
        best = Found{&op, &library};
  return best;
}

std::optional<int64_t> OperatorSet::findFirst(llvm::StringRef domain,
                                              llvm::StringRef type) const {
  std::optional<int64_t> first;
  for (const Library &library : libraries)
    for (const Operator &op : library.manifest.operators)
      if (domain == op.domain && type == op.type &&
          (!first || op.version < *first))
        first = op.version;
  return first;
}

bool OperatorSet::takeQuantized() const {
  for (const Library &library : libraries)
    for (const Operator &op : library.manifest.operators)
      if (llvm::any_of(op.inputs,
                       [](const Operand &input) { return input.isQuantized; }))
        return true;
  return false;
}

llvm::Expected<Answer> OperatorSet::ask(const Found &found, const Call &call) {
  std::string question =
      fmt::format("{} {}", found.op->name(), found.op->version);
  llvm::raw_string_ostream os(question);
  for (const TensorType &type : call.inputs)
    os << " " << type.describe();
  os << toJson(call.parameters);
  for (const Quantization &input : call.quantized)
    os << toJson(input);
  auto known = found.library->answers.find(question);
  if (known != found.library->answers.end())
    return known->second;
  llvm::Expected<Answer> answer = found.library->host->ask(call);
  if (answer)
    found.library->answers[question] = *answer;
  return answer;
}

/// A value of a parameter, as `fusec op test --param` takes it.
static std::string writeValue(bool flag) { return flag ? "true" : "false"; }
static std::string writeValue(const std::string &text) { return text; }
static std::string writeValue(int64_t number) { return std::to_string(number); }
static std::string writeValue(double number) {
  return fmt::format("{}", number);
}
template <typename T>
static std::string writeValue(const std::vector<T> &list) {
  std::vector<std::string> all;
  for (const T &item : list)
    all.push_back(writeValue(item));
  return llvm::join(all, ",");
}

/// " OPTION NAME=VALUE", where a shell reads it as that.
static std::string writeOption(llvm::StringRef option, llvm::StringRef name,
                               const std::string &value) {
  const bool isPlain = llvm::all_of(value, [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("_.,:+-/").contains(c);
  });
  std::string quoted = value;
  if (!isPlain) {
    quoted = "'";
    for (char c : value)
      quoted += c == '\'' ? "'\\''" : std::string(1, c);
    quoted += "'";
  }
  return fmt::format(" {} {}={}", option.str(), name.str(), quoted);
}

std::string describeTest(const Found &found, const Call &call) {
  std::vector<std::string> shapes, types;
  for (const TensorType &type : call.inputs) {
    shapes.push_back(type.dims.empty()
                         ? "scalar"
                         : fmt::format("{}", fmt::join(type.dims, "x")));
    types.push_back(type.element);
  }
  std::string text = fmt::format(
      "fusec op test {} --op {} --shapes {} --types {}", found.library->path,
      found.op->name(), llvm::join(shapes, ","), llvm::join(types, ","));
  for (auto [declared, given] :
       llvm::zip(found.op->parameters, call.parameters))
    if (declared.value != given.value)
      text += writeOption(
          "--param", given.name,
          std::visit([](const auto &held) { return writeValue(held); },
                     given.value));
  for (auto [input, known] : llvm::zip(found.op->inputs, call.quantized))
    if (known.isThere())
      text +=
          writeOption("--quantized", input.name,
                      fmt::format("{}:{}:{}", writeValue(known.scales),
                                  writeValue(known.zeroPoints), known.axis));
  return text;
}

} // namespace fusec::operators
