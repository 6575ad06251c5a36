// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/ResultRecord.h"

#include "compiler/io/MappedFile.h"
#include "dialects/words/Plain.h"
#include "tools/fusec/Command.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <fmt/format.h>

namespace json = llvm::json;

namespace fusec::tool {

static constexpr int64_t kFormat = 1;
static constexpr const char *kFile = "/record.json";
static constexpr const char *kHowToRecord =
    "write one with fusec verify MODEL --bisect --record DIR";

static std::string hashInputs(llvm::ArrayRef<io::Tensor> inputs) {
  uint64_t hash = 0;
  for (const io::Tensor &input : inputs) {
    const std::string type = io::describe(input.type, input.shape);
    hash = hash * 31 + llvm::xxh3_64bits(input.name) * 7 +
           llvm::xxh3_64bits(type) * 3 +
           llvm::xxh3_64bits(llvm::ArrayRef(
               reinterpret_cast<const uint8_t *>(input.bytes.data()),
               input.bytes.size()));
  }
  return llvm::utohexstr(hash, /*LowerCase=*/true, /*Width=*/16);
}

/// What results are looked up by.
static std::string getKey(llvm::StringRef name, const io::Tensor &tensor) {
  return json::fixUTF8(
      (name + "\n" + io::describe(tensor.type, tensor.shape)).str());
}

//===- Writing ------------------------------------------------------------===//

void RecordWriter::checkPlace(llvm::StringRef folder) {
  std::error_code error;
  llvm::sys::fs::directory_iterator first(folder, error), none;
  if (llvm::sys::fs::exists(folder) && (error || first != none))
    throw InputError{folder.str(), "is there already",
                     "--record writes a new folder: name another one, or "
                     "remove this one"};
  llvm::SmallString<128> parent(llvm::sys::path::parent_path(folder));
  if (!parent.empty() && !llvm::sys::fs::is_directory(parent))
    throw InputError{folder.str(),
                     "cannot be made: " + parent.str().str() + " is no folder",
                     "--record writes a new folder into one that is there"};
}

llvm::Expected<std::unique_ptr<RecordWriter>>
RecordWriter::create(llvm::StringRef folder, std::string build,
                     llvm::ArrayRef<io::Tensor> inputs) {
  auto aside = codegen::FolderAside::create(folder);
  if (!aside)
    return aside.takeError();
  return std::unique_ptr<RecordWriter>(new RecordWriter(
      std::move(*aside), std::move(build), hashInputs(inputs)));
}

llvm::Error RecordWriter::add(const KernelResult &result,
                              const io::Tensor &actual,
                              const io::Tensor &expected) {
  const std::string file = std::to_string(results.size());
  results.push_back(json::Object{{"key", getKey(result.name, actual)},
                                 {"kernel", json::fixUTF8(result.kernel)},
                                 {"file", file}});
  const std::string path = aside.path() + "/" + file;
  return llvm::joinErrors(io::writeTensor(path + ".npy", actual),
                          io::writeTensor(path + "_expected.npy", expected));
}

llvm::Error RecordWriter::finish() {
  std::string text;
  llvm::raw_string_ostream(text)
      << json::Value(json::Object{{"format", kFormat},
                                  {"build", json::fixUTF8(build)},
                                  {"inputs", inputs},
                                  {"results", std::move(results)}})
      << "\n";
  if (llvm::Error error =
          io::writeFileAside(aside.path() + kFile, {text.data(), text.size()}))
    return error;
  return aside.moveIntoPlace();
}

//===- Reading ------------------------------------------------------------===//

RecordReader RecordReader::open(llvm::StringRef folder) {
  auto refuse = [&](std::string reason) -> InputError {
    return {folder.str(), std::move(reason), kHowToRecord};
  };
  auto bytes = io::readFile((folder + kFile).str());
  if (!bytes)
    throw refuse("is no record of results: " +
                 llvm::toString(bytes.takeError()));
  auto parsed = json::parse((*bytes)->getBuffer());
  if (!parsed)
    throw refuse("has a record.json that is damaged: " +
                 llvm::toString(parsed.takeError()));
  RecordReader reader;
  reader.folder = folder.str();
  const json::Object *root = parsed->getAsObject();
  if (!root || !root->getInteger("format"))
    throw refuse("is no record of results: its record.json has no format");
  if (root->getInteger("format") != kFormat)
    throw refuse("has a record.json of another version of fusec");
  const json::Array *results = root->getArray("results");
  auto build = root->getString("build"), inputs = root->getString("inputs");
  if (!results || !build || !inputs)
    throw refuse("has a record.json without its results");
  reader.found.build = build->str();
  reader.inputs = inputs->str();
  for (const json::Value &value : *results) {
    const json::Object *result = value.getAsObject();
    auto member = [&](llvm::StringRef name) {
      return result ? result->getString(name) : std::nullopt;
    };
    auto key = member("key"), kernel = member("kernel"), file = member("file");
    if (!key || !kernel || !file)
      throw refuse("is damaged: a result in its record.json lacks its name, "
                   "kernel or file");
    if (!llvm::all_of(*file, llvm::isDigit))
      throw refuse("is damaged: a file in its record.json is called '" +
                   onOneLine(file->str()) + "'");
    reader.entries[key->str()].push_back({kernel->str(), file->str()});
  }
  return reader;
}

void RecordReader::expectInputs(llvm::ArrayRef<io::Tensor> tensors) const {
  if (hashInputs(tensors) != inputs)
    throw InputError{folder, "is of a run with other inputs",
                     "give the same model, --input and --seed to both"};
}

llvm::Expected<io::Tensor> RecordReader::read(const std::string &file,
                                              const io::Tensor &like) const {
  const io::TensorSpec spec{like.type, like.shape};
  return io::readTensor(folder + "/" + file + ".npy", &spec);
}

llvm::Error RecordReader::note(llvm::Error error) {
  damage = llvm::toString(std::move(error));
  return llvm::createStringError(damage);
}

void RecordReader::expectIntact() const {
  if (!damage.empty())
    throw InputError{folder, "is damaged: " + damage, kHowToRecord};
}

llvm::Expected<RecordReader::Entry *>
RecordReader::find(const std::string &key, const io::Tensor &expected,
                   const io::Tolerance &tolerance) {
  for (Entry &entry : entries[key]) {
    if (entry.isTaken)
      continue;
    auto there = read(entry.file + "_expected", expected);
    if (!there)
      return note(there.takeError());
    auto comparison = io::compare(*there, expected, tolerance);
    if (!comparison)
      return comparison.takeError();
    if (comparison->passed())
      return &entry;
  }
  return nullptr;
}

llvm::Error RecordReader::compare(const KernelResult &result,
                                  const io::Tensor &actual,
                                  const io::Tensor &expected,
                                  const io::Tolerance &alike,
                                  const io::Tolerance &tolerance) {
  const std::string key = getKey(result.name, actual);
  auto entry = find(key, expected, alike);
  if (!entry)
    return entry.takeError();
  if (!*entry) {
    ++(entries[key].empty() ? found.alone : found.others);
    return llvm::Error::success();
  }
  (*entry)->isTaken = true;
  auto there = read((*entry)->file, actual);
  if (!there)
    return note(there.takeError());
  auto between = io::compare(actual, *there, tolerance);
  if (!between)
    return between.takeError();
  ++found.compared;
  if (there->bytes == actual.bytes)
    ++found.equal;
  else if (found.firstOther.empty())
    found.firstOther = result.name;
  if (between->maxAbsError > found.maxAbsError) {
    found.maxAbsError = between->maxAbsError;
    found.worst = result.name;
  }
  if (between->passed() || found.first)
    return llvm::Error::success();
  auto away = io::compare(*there, expected, tolerance);
  if (!away)
    return away.takeError();
  found.first =
      BuildDifference{result, (*entry)->kernel, *between, away->maxAbsError};
  return llvm::Error::success();
}

std::string describe(const RecordComparison &comparison) {
  if (comparison.compared == 0)
    return fmt::format(
        "nothing is compared with the record ({}): {} results of this build "
        "are not in it, and of {} it has other values; it is another model's, "
        "or rules make other values, as wrong ones do; a record at -O1 has "
        "most results",
        onOneLine(comparison.build), comparison.alone, comparison.others);
  std::string text = fmt::format(
      "results that are also in the record ({}): {}, of which {} with the same "
      "bits",
      onOneLine(comparison.build), comparison.compared, comparison.equal);
  if (!comparison.firstOther.empty())
    text += fmt::format("; the first with others is '{}'",
                        onOneLine(comparison.firstOther));
  if (!comparison.worst.empty())
    text += fmt::format("; the largest difference is {:.3g}, in '{}'",
                        comparison.maxAbsError, onOneLine(comparison.worst));
  if (comparison.others)
    text += fmt::format("; of other values there: {}", comparison.others);
  if (comparison.alone)
    text += fmt::format("; not in the record: {}", comparison.alone);
  if (!comparison.first)
    return text;
  const BuildDifference &first = *comparison.first;
  return text +
         fmt::format("\nthe builds differ first in the result '{}' of the "
                     "nodes {}, which is of kernel '{}' here and '{}' there: "
                     "{}; the interpreter is {:.3g} away from this build, and "
                     "{:.3g} from the record",
                     onOneLine(first.here.name),
                     onOneLine(llvm::join(first.here.nodes, ", ")),
                     onOneLine(first.here.kernel), onOneLine(first.kernelThere),
                     first.between.describe(),
                     first.here.comparison.maxAbsError, first.errorThere);
}

} // namespace fusec::tool
