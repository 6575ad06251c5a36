// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The section of a library: its text, and how it is read out of the file.
#include "compiler/io/MappedFile.h"
#include "compiler/operators/Manifest.h"
#include "dialects/Nesting.h"
#include "fusec/op_abi.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include <fmt/format.h>

namespace json = llvm::json;

namespace fusec::operators {

/// How members of the section are to be read. New ones may come beside them.
static constexpr int64_t kFormat = 1;

llvm::Error checkAbi(int64_t leastAbi) {
  if (leastAbi <= int64_t(FUSEC_OP_ABI_VERSION))
    return llvm::Error::success();
  return llvm::createStringError(fmt::format(
      "needs version {} of fusec/op_abi.h, and this fusec has {}: take a newer "
      "fusec, or build the library with this one",
      leastAbi, FUSEC_OP_ABI_VERSION));
}

std::string print(const Manifest &manifest) {
  json::Array operators;
  for (const Operator &op : manifest.operators)
    operators.push_back(toJson(op));
  json::Object sources;
  for (const auto &[path, text] : manifest.sources)
    sources[path] = text;
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(
      json::Object{{"format", kFormat},
                   {"least_abi", manifest.leastAbi},
                   {"library", manifest.library},
                   {"hash", manifest.hash},
                   {"compiler", json::fixUTF8(manifest.compiler)},
                   {"units", json::Array(manifest.units)},
                   {"flags", json::Array(manifest.flags)},
                   {"sources", std::move(sources)},
                   {"bodies", json::Array(manifest.bodies)},
                   {"cuda_units", json::Array(manifest.cudaUnits)},
                   {"operators", std::move(operators)}});
  return text;
}

static llvm::Error refuseSection() {
  return llvm::createStringError("has no legal section " + kSection);
}

llvm::Expected<Manifest> parse(llvm::StringRef text) {
  llvm::Expected<json::Value> parsed = parseJson(text);
  if (!parsed)
    return parsed.takeError();
  json::Path::Root root;
  json::ObjectMapper map(*parsed, root);
  Manifest manifest;
  int64_t format = 0;
  if (!map || !map.map("format", format) ||
      !map.map("least_abi", manifest.leastAbi))
    return refuseSection();
  if (llvm::Error error = checkAbi(manifest.leastAbi))
    return error;
  if (format != kFormat)
    return llvm::createStringError(
        fmt::format("has format {} of the section {}, and this fusec reads {}: "
                    "take a newer fusec, or build the library with this one",
                    format, kSection.str(), kFormat));
  if (!map.map("library", manifest.library) ||
      !map.map("hash", manifest.hash) ||
      !map.map("compiler", manifest.compiler) ||
      !map.map("units", manifest.units) || !map.map("flags", manifest.flags) ||
      !map.map("sources", manifest.sources) ||
      !map.mapOptional("bodies", manifest.bodies) ||
      !map.mapOptional("cuda_units", manifest.cudaUnits))
    return refuseSection();
  for (const auto *list : {&manifest.bodies, &manifest.cudaUnits})
    for (const std::string &path : *list)
      if (!manifest.sources.count(path))
        return refuseSection();
  const json::Array *operators = parsed->getAsObject()->getArray("operators");
  if (!operators)
    return refuseSection();
  for (const json::Value &item : *operators) {
    auto op = operatorOfJson(item);
    if (!op)
      return op.takeError();
    const size_t count = manifest.units.size() + manifest.cudaUnits.size();
    if ((op->scalar && !manifest.sources.count(op->scalar->file)) ||
        (op->cudaUnit && (*op->cudaUnit < 0 || size_t(*op->cudaUnit) >= count)))
      return refuseSection();
    manifest.operators.push_back(std::move(*op));
  }
  if (hashOf(manifest) != manifest.hash)
    return llvm::createStringError("is not what it was built as: its sources "
                                   "have another hash; build it again");
  return manifest;
}

llvm::Expected<Manifest> readLibrary(llvm::StringRef path) {
  auto file = io::MappedFile::open(path);
  if (!file)
    return file.takeError();
  auto fail = [&](llvm::Error error, const llvm::Twine &what) {
    return io::fileError(path, what + llvm::toString(std::move(error)));
  };
  llvm::StringRef bytes((*file)->bytes().data(), (*file)->bytes().size());
  auto object = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(bytes, path));
  if (!object)
    return fail(object.takeError(), "is no library of operators: ");
  for (const llvm::object::SectionRef &section : (*object)->sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    if (!name)
      return fail(name.takeError(), "is damaged: ");
    if (*name != kSection)
      continue;
    llvm::Expected<llvm::StringRef> text = section.getContents();
    if (!text)
      return fail(text.takeError(), "is damaged: ");
    llvm::Expected<Manifest> manifest = parse(*text);
    if (!manifest)
      return fail(manifest.takeError(), "");
    return manifest;
  }
  return io::fileError(path, "is no library of operators: it has no section " +
                                 kSection + "; fusec op build makes them");
}

} // namespace fusec::operators
