// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Cache.h"

#include "codegen/Names.h"
#include "compiler/Driver.h"
#include "compiler/import/ModelFile.h"
#include "compiler/io/MappedFile.h"
#include "dialects/Nesting.h"
#include "dialects/library/Declared.h"
#include "dialects/words/Plain.h"
#include "passes/graph/Algorithms.h"
#include "passes/lock/Advisor.h"
#include "tools/fusec/CudaCompiler.h"
#include "tools/fusec/DeviceTools.h"
#include "tools/fusec/Machine.h"
#include "tools/fusec/TestData.h"
#include "tools/ptx-sim/Module.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace fusec::tool {

namespace {
/// A running hash over labelled parts.
class KeyHash {
public:
  void add(llvm::StringRef text) {
    parts.push_back(llvm::xxh3_64bits(text));
    parts.push_back(text.size());
  }
  llvm::Error addFile(llvm::StringRef name) {
    auto file = io::MappedFile::open(name);
    if (!file)
      return file.takeError();
    llvm::ArrayRef<char> bytes = (*file)->bytes();
    add({bytes.data(), bytes.size()});
    return llvm::Error::success();
  }
  std::string text() const {
    llvm::ArrayRef<uint8_t> bytes(
        reinterpret_cast<const uint8_t *>(parts.data()), 8 * parts.size());
    llvm::XXH128_hash_t hash = llvm::xxh3_128bits(bytes);
    return llvm::utohexstr(hash.high64, true, 16) +
           llvm::utohexstr(hash.low64, true, 16);
  }

private:
  std::vector<uint64_t> parts;
};
} // namespace

/// All files of a folder, by relative name, but for `except`.
static llvm::Error addFolder(llvm::StringRef folder, KeyHash &hash,
                             llvm::StringRef except = "") {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end;
       entry != end && !error; entry.increment(error))
    if (!fs::is_directory(entry->path()))
      names.push_back(entry->path());
  if (error)
    return llvm::createStringError(error, folder + ": " + error.message());
  llvm::sort(names);
  for (const std::string &name : names) {
    llvm::StringRef relative = llvm::StringRef(name).drop_front(folder.size());
    if (!except.empty() && relative.ltrim('/') == except)
      continue;
    hash.add(relative);
    if (llvm::Error failure = hash.addFile(name))
      return failure;
  }
  return llvm::Error::success();
}

/// The files that hold weights of an ONNX model. What is wrong with the model
/// or with them is left to the importer, which says it better.
static void addExternalData(llvm::StringRef name, llvm::StringRef bytes,
                            KeyHash &hash) {
  // The field's key would be in the bytes of the model; most have no such files
  // and need not be parsed.
  if (!bytes.contains("location"))
    return;
  auto model = ModelFile::read(name);
  if (!model)
    return llvm::consumeError(model.takeError());
  for (const auto &[location, file] : (*model)->externalFiles()) {
    hash.add(location);
    if (file)
      hash.add({file->bytes().data(), file->bytes().size()});
  }
}

llvm::Expected<std::string> hashOfFolder(llvm::StringRef folder,
                                         llvm::StringRef except) {
  KeyHash hash;
  if (llvm::Error error = addFolder(folder, hash, except))
    return error;
  return hash.text();
}

/// Whether an emitted folder has operators in CUDA.
static bool hasCudaSources(llvm::StringRef folder) {
  llvm::SmallString<128> ops(folder);
  path::append(ops, "ops");
  std::error_code error;
  for (fs::directory_iterator entry(ops, error), end; entry != end && !error;
       entry.increment(error))
    if (isCudaSource(entry->path()))
      return true;
  return false;
}

llvm::Expected<std::string> contentKey(const CompileOptions &options,
                                       const HostCompiler &compiler) {
  KeyHash hash;
  // Another build of fusec may emit something else.
  if (llvm::Error error = hash.addFile("/proc/self/exe"))
    return error;
  hash.add(rt::isaName(rt::detectIsa()));
  hash.add(compiler.identity);
  std::vector<std::string> rows = options.furtherRows;
  rows.push_back(options.row);
  llvm::SetVector<const Platform *> platforms;
  for (const std::string &name : rows)
    if (const TargetInfo *row = getTargetInfo(name);
        row && row->platform->isDevice)
      platforms.insert(row->platform);
  for (const Platform *platform : platforms) {
    try {
      hash.add(getDeviceTools(*platform).describeCompiler());
    } catch (const ptx::Error &error) {
      return llvm::createStringError(error.what());
    }
  }
  std::string name;
  if (fs::is_directory(options.input)) {
    llvm::SmallString<128> folder(options.input);
    path::remove_dots(folder, true);
    if (llvm::Error error = addFolder(folder, hash))
      return error;
    name = path::filename(folder).str();
  } else {
    std::shared_ptr<const io::MappedFile> file = options.memory;
    if (!file) {
      auto opened = io::MappedFile::open(options.input);
      if (!opened)
        return opened.takeError();
      file = *opened;
    }
    llvm::StringRef bytes(file->bytes().data(), file->bytes().size());
    hash.add(bytes);
    if (!options.memory)
      addExternalData(options.input, bytes, hash);
    name = modelNameOf(options);
  }
  hash.add(name);
  hash.add(options.name);
  for (const std::string &choice : options.choices)
    hash.add("choice " + choice);
  if (llvm::sys::fs::exists(options.lock)) // Else it is refused.
    if (llvm::Error error = hash.addFile(options.lock))
      return error;
  if (options.advisor) // One that knows nothing changes nothing.
    if (std::string digest = options.advisor->getDigest(); !digest.empty())
      hash.add("advice " + digest);
  if (options.frozen) // Refused or the same; what is there says neither.
    hash.add("frozen");
  hash.add(options.proposer);
  hash.add("precision " + options.precision);
  hash.add("numerics " + options.numerics);
  for (const std::string &vendor : options.vendors)
    hash.add("vendor " + vendor);
  for (const std::string &precision : options.allowed)
    hash.add("allow " + precision);
  hash.add("variants " + std::to_string(options.variants));
  if (options.workspaceLimit)
    hash.add("workspace " + std::to_string(*options.workspaceLimit));
  if (options.verifySchedules) // What is there was not proved.
    hash.add("sched-verify");
  hash.add(options.row);
  for (const std::string &row : options.furtherRows)
    hash.add("target " + row);
  hash.add(options.defaultCpu);
  hash.add(options.noFuse ? "no-fuse" : "fuse");
  hash.add("level " + std::to_string(options.level));
  for (const std::string &rule : options.disabledRules)
    hash.add("disabled " + rule);
  for (const std::string &library : options.ruleLibraries) {
    hash.add("rules");
    if (llvm::Error error = hash.addFile(library))
      return error;
  }
  for (const auto &[dim, extent] : options.import.dims)
    hash.add(dim + "=" + std::to_string(extent));
  for (const std::vector<int64_t> &entry : options.entries)
    hash.add("entry " + describeEntry(options.symbols, entry));
  for (const std::string &symbol : options.padded)
    hash.add("pad " + symbol);
  for (const auto &[input, shape] : options.import.shapes) {
    hash.add(input);
    for (int64_t extent : shape)
      hash.add(std::to_string(extent));
  }
  for (const std::string &output : options.import.counts)
    hash.add("count " + output);
  for (const std::string &state : options.import.states)
    hash.add("state " + state);
  if (options.import.swappableWeights)
    hash.add("swappable-weights");
  if (options.import.maxTrips)
    hash.add("max-trips " + std::to_string(*options.import.maxTrips));
  for (const std::string &library : options.import.ops)
    if (llvm::Error error = hash.addFile(library))
      return error;
  // Where there is one, what operators launch there is compiled, too.
  const bool mayLaunch = hasCudaSources(options.input) ||
                         (!options.import.ops.empty() &&
                          llvm::any_of(rows, [](const std::string &name) {
                            const TargetInfo *row = getTargetInfo(name);
                            return row && library::runsLaunchers(*row);
                          }));
  if (mayLaunch && hasGpu())
    hash.add("launchers");
  for (const auto &[input, file] : options.import.binds) {
    hash.add(input);
    if (llvm::Error error = hash.addFile(file))
      return error;
  }
  std::string label = codegen::toIdentifier(name);
  return (label.empty() ? "model" : label) + "-" + hash.text();
}

/// The translation units of operators of users, and their flags.
static void addOperators(const llvm::json::Object &object,
                         EmittedModel &model) {
  const llvm::json::Array *units = object.getArray("operator_units");
  if (!units)
    return;
  for (const llvm::json::Value &item : *units) {
    const llvm::json::Object *unit = item.getAsObject();
    if (!unit)
      continue;
    EmittedOperators one;
    one.file = unit->getString("file").value_or("").str();
    one.architecture = unit->getInteger("architecture").value_or(0);
    if (const llvm::json::Array *flags = unit->getArray("flags"))
      for (const llvm::json::Value &flag : *flags)
        one.flags.push_back(flag.getAsString().value_or("").str());
    model.operators.push_back(std::move(one));
  }
}

/// Adds the operators of users that entry `entry` calls.
static void addOperatorCalls(const llvm::json::Object &object, size_t entry,
                             EmittedModel &model) {
  const llvm::json::Array *calls = object.getArray("calls");
  if (!calls)
    return;
  for (auto [number, item] : llvm::enumerate(*calls)) {
    const llvm::json::Object *call = item.getAsObject();
    const llvm::json::Object *op = call ? call->getObject("operator") : nullptr;
    if (!op)
      continue;
    auto get = [](const llvm::json::Object &from, llvm::StringRef name) {
      return from.getString(name).value_or("").str();
    };
    model.operatorCalls.push_back({entry, number, get(*call, "routine"),
                                   get(*op, "library"), get(*op, "algorithm"),
                                   get(*op, "test")});
    const llvm::json::Array *forms = op->getArray("forms");
    if (forms && llvm::is_contained(*forms, llvm::json::Value("cuda")) &&
        !llvm::is_contained(*forms, llvm::json::Value("cpu")))
      model.cudaAlone.insert(model.operatorCalls.back().name);
  }
}

/// Adds `algorithm`, which `choice` takes, if its precision is a lower one.
static void addLowered(const llvm::json::Object &choice,
                       std::optional<llvm::StringRef> algorithm,
                       EmittedModel &model) {
  const fuse::LowerPrecisionName *lower =
      fuse::findLowerPrecision(algorithm.value_or(""));
  if (!lower)
    return;
  model.lowered.insert(
      {choice.getString("name").value_or("").str(), lower->allowed.str()});
  model.opClass = lowerClass(model.opClass, *algorithm);
}

/// Adds what choices take that have a lower precision, in any session.
static void addLowered(const llvm::json::Object &object, EmittedModel &model) {
  const llvm::json::Array *choices = object.getArray("choices");
  if (!choices)
    return;
  for (const llvm::json::Value &item : *choices) {
    const llvm::json::Object *choice = item.getAsObject();
    if (!choice)
      continue;
    addLowered(*choice, choice->getString("algorithm"), model);
    if (const llvm::json::Array *selected = choice->getArray("selected"))
      for (const llvm::json::Value &one : *selected)
        if (const llvm::json::Object *selection = one.getAsObject())
          addLowered(*choice, selection->getString("algorithm"), model);
  }
}

static void addTarget(const llvm::json::Object &object, size_t entry,
                      EmittedModel &model) {
  const std::string row = object.getString("cpu").value_or("").str();
  // Entries for one target lie behind the first one's, whose files they are in.
  const bool isNew = model.targets.empty() || model.targets.back().row != row;
  if (isNew)
    model.targets.push_back({object.getString("name").value_or("").str(), row});
  EmittedTarget &target = model.targets.back();
  ++target.entries;
  if (const llvm::json::Array *groups = object.getArray("groups"))
    for (const llvm::json::Value &group : *groups)
      if (const llvm::json::Object *named = group.getAsObject())
        target.kernels.insert(named->getString("name").value_or("").str());
  if (const llvm::json::Array *calls = object.getArray("calls"))
    target.calls += calls->size();
  addLowered(object, model);
  addOperatorCalls(object, entry, model);
  if (const llvm::json::Array *isas = object.getArray("further_isas"))
    for (const llvm::json::Value &isa : *isas)
      if (auto text = isa.getAsString())
        model.furtherIsas.insert(text->str());
  if (const llvm::json::Array *vendors = object.getArray("vendors"))
    for (const llvm::json::Value &vendor : *vendors)
      if (auto text = vendor.getAsString())
        model.vendors.insert(text->str());
}

llvm::Expected<EmittedModel> readEmittedModel(llvm::StringRef folder) {
  std::string name = (folder + "/model.json").str();
  auto buffer = io::readFile(name);
  if (!buffer)
    return buffer.takeError();
  llvm::Expected<llvm::json::Value> json = parseJson((*buffer)->getBuffer());
  if (!json)
    return llvm::createStringError(name + ": " +
                                   llvm::toString(json.takeError()));
  const llvm::json::Object *object = json->getAsObject();
  auto model = object ? object->getString("name") : std::nullopt;
  if (!model)
    return llvm::createStringError(name + ": has no member 'name'");
  EmittedModel result;
  result.name = model->str();
  result.text = (*buffer)->getBuffer().str();
  size_t entry = 0;
  addTarget(*object, entry++, result);
  addOperators(*object, result);
  if (const llvm::json::Array *others = object->getArray("others"))
    for (const llvm::json::Value &other : *others)
      if (const llvm::json::Object *target = other.getAsObject())
        addTarget(*target, entry++, result);
  if (const llvm::json::Array *further = object->getArray("further_panels"))
    for (const llvm::json::Value &panels : *further)
      if (const llvm::json::Object *one = panels.getAsObject())
        result.furtherBytes += one->getInteger("bytes").value_or(0);
  if (fs::file_size(folder + "/weights.bin", result.weightsBytes))
    result.weightsBytes = 0; // a model without weights has no such file
  return result;
}

std::string summarize(const EmittedModel &model) {
  auto count = [](int64_t number, const char *what) {
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
  };
  std::string text;
  for (const EmittedTarget &target : model.targets) {
    text += text.empty() ? "" : ", ";
    if (target.entries > 1)
      text += std::to_string(target.entries) + " entries with ";
    text += count(target.kernels.size(), "kernel");
    if (target.calls)
      text += ", " + count(target.calls, "library call");
    if (model.targets.size() > 1)
      text += " for " + target.row;
  }
  text += " and " + std::to_string(model.weightsBytes) + " bytes of weights";
  if (model.furtherBytes)
    text += ", " + std::to_string(model.furtherBytes) +
            " of them for entries other than the largest";
  return text;
}

std::string describeLowered(const EmittedModel &model) {
  const size_t count = model.lowered.size();
  if (count == 0)
    return "";
  std::string text = std::to_string(count) +
                     (count == 1 ? " product has" : " products have") +
                     " a lower precision than the model: ";
  llvm::ListSeparator comma;
  for (const auto &[choice, algorithm] : model.lowered)
    text += llvm::StringRef(comma).str() + onOneLine(choice) + " (" +
            algorithm + ")";
  return text;
}

llvm::Error printLowered(llvm::StringRef folder, llvm::raw_ostream &os) {
  llvm::Expected<EmittedModel> model = readEmittedModel(folder);
  if (!model)
    return model.takeError();
  if (std::string text = describeLowered(*model); !text.empty())
    os << model->name << ": " << text << "\n";
  return llvm::Error::success();
}

} // namespace fusec::tool
