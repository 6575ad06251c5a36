// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/OnlineTuning.h"

#include "compiler/import/Message.h"
#include "compiler/io/MappedFile.h"
#include "compiler/io/TensorFile.h"
#include "dialects/Nesting.h"
#include "tools/CommandLine.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/Steps.h"

#include "llvm/Support/JSON.h"

namespace fusec::tool {

TuningRange TuningRange::parse(llvm::StringRef text) {
  TuningRange range;
  auto [begin, end] = text.split(':');
  if (begin.getAsInteger(10, range.begin) || end.getAsInteger(10, range.end))
    throw UsageError{"'" + text.str() +
                     "' is no range of runs: expected BEGIN:END, as in 2:12"};
  if (range.begin >= range.end)
    throw UsageError{"the range " + text.str() +
                     " has no run: its end must be greater than its begin"};
  return range;
}

void OnlineTuning::add(CLI::App &command) {
  command
      .add_option(
          "--tuning-range", range,
          "Runs the model END times first; from run BEGIN on each tries "
          "other variants of its kernels (--variants, or 5), and then the "
          "fastest stay, of those that all ran 3 times. With --cache, what "
          "it finds is kept there, and what is known is not searched")
      ->type_name("BEGIN:END");
  command
      .add_option("--tuning-report", report,
                  "Write what the search found, and how many launches of each "
                  "run were of groups that are known, as JSON")
      ->type_name("FILE");
  command
      .add_option("--search", search,
                  "In the tuning range: heuristic leaves variants early that "
                  "take twice the time of the fastest, exhaustive tries all "
                  "alike, and compiles the model with all that there are, up "
                  "to 64")
      ->check(oneOf({"heuristic", "exhaustive"}))
      ->capture_default_str();
  CLI::Option *full = command.add_flag(
      "--full-run", fullRun, "In the tuning range: try the naive kernels, too");
  command
      .add_flag("--fast-run", fastRun,
                "In the tuning range: leave naive kernels out (the default)")
      ->excludes(full);
  command
      .add_option(
          "--autotune", config,
          "Takes the tuning range, and a cache, from section \"kernel\" "
          "of this JSON file; options of the command line go before it")
      ->type_name("FILE");
}

namespace {
/// Reads a file of --autotune: an object of sections, each with fields.
class ConfigReader {
public:
  explicit ConfigReader(const std::string &file) : file(file) {}

  ExitCode read(OnlineTuning &tuning, CacheOptions &caches);

private:
  using Value = llvm::json::Value;

  ExitCode refuse(const llvm::Twine &reason) {
    return failOn(
        file, reason,
        "it is an object like {\"kernel\": {\"enable\": true, "
        "\"tuning_range\": [2, 30], \"cache\": \"tuned\"}, \"layout\": "
        "{\"enable\": false}, \"dataloader\": {\"enable\": false, "
        "\"tuning_steps\": 1000}}");
  }
  /// A section; `setField` takes one of its fields besides "enable", or says
  /// what it should be ("" where there is no such field).
  ExitCode
  readSection(llvm::StringRef name, const Value &section, bool &isEnabled,
              llvm::function_ref<const char *(llvm::StringRef, const Value &)>
                  setField);
  void noteMissing(llvm::StringRef name);

  const std::string &file;
};
} // namespace

ExitCode ConfigReader::readSection(
    llvm::StringRef name, const Value &section, bool &isEnabled,
    llvm::function_ref<const char *(llvm::StringRef, const Value &)> setField) {
  const llvm::json::Object *fields = section.getAsObject();
  if (!fields)
    return refuse("section '" + name + "' is no object");
  for (const auto &[field, value] : *fields) {
    const char *expected = nullptr;
    if (field == "enable") {
      if (auto on = value.getAsBoolean())
        isEnabled = *on;
      else
        expected = "true or false";
    } else {
      expected = setField(field, value);
    }
    if (expected && !*expected)
      return refuse("section '" + name + "' has no field '" +
                    llvm::StringRef(field) + "'");
    if (expected)
      return refuse(name + "." + llvm::StringRef(field) + " is not " +
                    expected);
  }
  return kExitFine;
}

/// What can be asked for, and is not there yet.
void ConfigReader::noteMissing(llvm::StringRef name) {
  printMessage(llvm::errs(), file + ": remark: section '" + name.str() +
                                 "' does nothing yet: this version of fusec "
                                 "tunes kernels only");
}

ExitCode ConfigReader::read(OnlineTuning &tuning, CacheOptions &caches) {
  auto text = io::readFile(file);
  if (!text) {
    std::string error = llvm::toString(text.takeError());
    llvm::StringRef reason(error);
    reason.consume_front(file + ": ");
    return failOn(file, reason);
  }
  llvm::Expected<Value> json = parseJson((*text)->getBuffer());
  if (!json)
    return refuse("cannot be read as JSON: " +
                  llvm::toString(json.takeError()));
  const llvm::json::Object *sections = json->getAsObject();
  if (!sections)
    return refuse("is no object of sections");
  bool tunesKernels = false;
  std::string range, cache;
  auto setKernelField = [&](llvm::StringRef field,
                            const Value &value) -> const char * {
    if (field == "tuning_range") {
      const llvm::json::Array *runs = value.getAsArray();
      if (!runs || runs->size() != 2 || !(*runs)[0].getAsUINT64() ||
          !(*runs)[1].getAsUINT64() ||
          *(*runs)[0].getAsUINT64() >= *(*runs)[1].getAsUINT64())
        return "a list of two runs, the first before the second";
      range = std::to_string(*(*runs)[0].getAsUINT64()) + ":" +
              std::to_string(*(*runs)[1].getAsUINT64());
      return nullptr;
    }
    if (field != "cache")
      return "";
    auto path = value.getAsString();
    if (!path)
      return "the path of a folder";
    cache = path->str();
    return nullptr;
  };
  auto noField = [](llvm::StringRef, const Value &) { return ""; };
  auto checkLoaderField = [](llvm::StringRef field, const Value &value) {
    if (field != "tuning_steps")
      return "";
    const auto steps = value.getAsUINT64();
    return steps && *steps > 0 ? nullptr : "a number of steps, 1 or more";
  };
  for (const auto &[name, section] : *sections) {
    bool isEnabled = false;
    ExitCode code = kExitFine;
    if (name == "kernel")
      code = readSection(name, section, tunesKernels, setKernelField);
    else if (name == "layout")
      code = readSection(name, section, isEnabled, noField);
    else if (name == "dataloader")
      code = readSection(name, section, isEnabled, checkLoaderField);
    else
      code = refuse("there is no section '" + llvm::StringRef(name) + "'");
    if (code != kExitFine)
      return code;
    if (isEnabled)
      noteMissing(name);
  }
  if (!tunesKernels)
    return kExitFine;
  if (range.empty())
    return refuse("section 'kernel' is enabled and has no tuning_range");
  if (tuning.range.empty())
    tuning.range = range;
  if (caches.cache.empty())
    caches.cache = cache;
  return kExitFine;
}

ExitCode OnlineTuning::readConfig(CacheOptions &caches) {
  return config.empty() ? kExitFine : ConfigReader(config).read(*this, caches);
}

/// Prints what the runtime says is amiss, of a cache with its file in front.
static void printLog(void *self, const char *message) {
  const auto &caches = *static_cast<const CacheOptions *>(self);
  Problem warning;
  warning.kind = ProblemKind::Warning;
  warning.file = "fusec";
  warning.reason = message;
  for (llvm::StringRef path : {caches.cache, caches.readOnly}) {
    llvm::StringRef rest = message;
    if (path.empty() || !rest.consume_front(path))
      continue;
    auto [place, reason] = rest.split(": ");
    // Said already, when the caches were read for the compilation.
    if (reason.starts_with("is left out: "))
      return;
    warning.file = (path + place).str();
    warning.reason = reason.str();
  }
  printProblems({warning}, llvm::errs());
}

/// Whether what is found can be kept, before anything is searched.
ExitCode OnlineTuning::checkPlaces(const CacheOptions &caches) const {
  if (!caches.cache.empty()) {
    fast_run::Writer writer(fast_run::getFileSystem(), caches.cache);
    if (std::string error = writer.probe(); !error.empty())
      return failOn(caches.cache, error,
                    "name a folder that may be written with --cache; one that "
                    "may not be, with --cache-readonly");
  }
  return report.empty() ? kExitFine : checkPlace(report, "--tuning-report");
}

ExitCode OnlineTuning::makeTuner(const CacheOptions &caches, bool reproducible,
                                 const std::string &compiler,
                                 std::optional<fusec::Tuner> &tuner) const {
  if (!isAsked()) {
    if (!report.empty())
      throw UsageError{"--tuning-report is about what a search finds; name its "
                       "runs with --tuning-range, as in --tuning-range 2:12"};
    return kExitFine;
  }
  TuningRange runs = TuningRange::parse(range);
  if (fast_run::getFileSystem().getKind(caches.cache) ==
      fast_run::FileSystem::Kind::file)
    return failOn(caches.cache, "is a file, and a search writes to a folder",
                  "name it with --cache-readonly, or another cache with "
                  "--cache");
  if (ExitCode code = checkPlaces(caches); code != kExitFine)
    return code;
  fusec_tuner_options options = {};
  options.begin = runs.begin;
  options.end = runs.end;
  options.cache = caches.cache.empty() ? nullptr : caches.cache.c_str();
  options.read_only =
      caches.readOnly.empty() ? nullptr : caches.readOnly.c_str();
  options.flags = (reproducible ? FUSEC_TUNER_REPRODUCIBLE : 0) |
                  (fullRun ? FUSEC_TUNER_FULL_RUN : 0) |
                  (search == "exhaustive" ? FUSEC_TUNER_EXHAUSTIVE : 0);
  if (caches.workspaceLimit) {
    options.workspace_limit = *caches.workspaceLimit;
    options.flags |= FUSEC_TUNER_LIMIT_WORKSPACE;
  }
  options.compiler = compiler.c_str();
  options.log = printLog;
  options.log_self = const_cast<CacheOptions *>(&caches);
  tuner.emplace(options);
  if (!*tuner)
    return fail(tuner->error());
  return kExitFine;
}

llvm::Error OnlineTuning::writeReport(const fusec::Tuner &tuner) const {
  if (report.empty())
    return llvm::Error::success();
  std::string text = tuner.report() + "\n";
  return io::writeFileAside(report, {text.data(), text.size()});
}

} // namespace fusec::tool
