// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec tune: measures what the algorithms of a model's groups take.
#include "codegen/FolderAside.h"
#include "dialects/words/Plain.h"
#include "tools/CommandLine.h"
#include "tools/fusec/CacheFolder.h"
#include "tools/fusec/Command.h"
#include "tools/fusec/Interrupt.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/RunOptions.h"
#include "tools/fusec/Steps.h"
#include "tools/fusec/tune/TuneReport.h"

#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>

namespace fusec::tool {

namespace {
struct TuneArguments {
  ModelOptions model;
  std::vector<std::string> models;
  std::string cache, search = "heuristic", budget, shard, writeLock, trace;
  std::string plant = "none";
  bool fullRun = false, fastRun = false, strict = false, json = false;
  bool verbose = false;
  std::string retune;
  unsigned threads = 0;
};
} // namespace

static constexpr const char *kTuneExamples = R"(
Each group of the model is compiled with its most promising algorithms, which are
held against the naive one, timed in turns, and remembered. Then each choice
between graphs is, its alternatives in the fastest kernels. What is known is not
measured again, so that the same command goes on where it was stopped.

Examples:
  fusec tune model.onnx -o tuned
  fusec compile model.onnx -o out --cache tuned
  fusec tune model.onnx -o tuned --search=exhaustive --budget 10m --verbose
  fusec tune model.onnx -o tuned --write-lock fusec.lock
  fusec tune model.onnx -o tuned --shard 2/4     a part of it; fusec cache merge
                                                 puts parts together)";

/// "30s", "10m", "2h", or seconds. Throws UsageError.
static std::chrono::seconds parseBudget(const std::string &text) {
  llvm::StringRef number(text);
  unsigned unit = number.consume_back("h")   ? 3600
                  : number.consume_back("m") ? 60
                                             : 1;
  (void)number.consume_back("s");
  unsigned count = 0;
  if (number.getAsInteger(10, count) || count == 0 || count > 1000000)
    throw UsageError{"--budget " + text +
                     ": is no time; expected a number with s, m or h, as in "
                     "30s"};
  return std::chrono::seconds(uint64_t(count) * unit);
}

/// "2/4". Throws UsageError.
static Shard parseShard(const std::string &text) {
  Shard shard;
  auto [number, count] = llvm::StringRef(text).split('/');
  if (number.getAsInteger(10, shard.number) ||
      count.getAsInteger(10, shard.count) || shard.number == 0 ||
      shard.number > shard.count)
    throw UsageError{"--shard " + text +
                     ": expected I/N, the I-th of N parts, with I from 1 to N"};
  return shard;
}

static Plant parsePlant(const std::string &text) {
  return text == "wrong"       ? Plant::wrong
         : text == "crash"     ? Plant::crash
         : text == "hang"      ? Plant::hang
         : text == "all-wrong" ? Plant::allWrong
                               : Plant::none;
}

static void printJson(const TuneArguments &arguments, const Tuner &tuner,
                      llvm::ArrayRef<TunedModel> models,
                      const std::vector<std::string> &notBegun) {
  printAsJson([&](llvm::json::OStream &json) {
    json.attribute("format", 1); // tools/fusec/schemas
    json.attribute("cache", llvm::json::fixUTF8(arguments.cache));
    json.attribute("search", arguments.search);
    json.attribute("timings", tuner.countTimings());
    json.attribute("compilations", tuner.countCompilations());
    json.attribute("interrupted", isInterrupted());
    addCosts(json, tuner);
    json.attribute("not_begun", llvm::json::Array(notBegun));
    json.attributeArray("models", [&] {
      for (const TunedModel &model : models)
        json.object([&] { addModel(json, model); });
    });
  });
}

/// Writes what the tuned model decides.
static ExitCode writeLock(CompileOptions options, const Tuner &tuner,
                          const std::string &file) {
  auto choices =
      std::make_shared<TunedChoices>(tuner.getBackend(), getWish(options));
  choices->add("records", tuner.getRecords());
  options.advisor = choices;
  options.writeLock = file;
  llvm::Expected<std::string> cache = openCache();
  if (!cache)
    return fail(cache.takeError(), kCacheHint);
  auto aside = codegen::FolderAside::create(*cache + "/tune");
  if (!aside)
    return fail(aside.takeError());
  Driver driver(options);
  return compileInto(driver, aside->path() + "/model");
}

namespace {
/// One run of the command.
class Command {
public:
  Command(const TuneArguments &arguments, const SearchOptions &search)
      : arguments(arguments), workbench(makeWorkbench()),
        tuner(search, *workbench, fast_run::getFileSystem()) {
    if (!arguments.trace.empty())
      trace.emplace();
  }

  ExitCode run();

private:
  ExitCode tuneAll();
  /// Says what came of the last model, and writes its lock.
  ExitCode endModel();
  /// Says what came of everything.
  ExitCode end();
  /// The last words where what is under way is given up.
  ExitCode giveUp();
  /// The models, or entries, that there was no time for at all.
  std::vector<std::string> listNotBegun() const;
  bool isOfOne(const std::string &key) const {
    return !key.empty() && key != "all";
  }

  const TuneArguments &arguments;
  std::unique_ptr<Workbench> workbench;
  Tuner tuner;
  std::optional<CompileTrace> trace;
  std::vector<TunedModel> models;    ///< a model's entries one after another
  size_t numTaken = 0;               ///< of the models that are named
  std::vector<std::string> notBegun; ///< of the last one's entries
  CompileOptions options;            ///< of the last model
  bool isModelOpen = false;
};
} // namespace

ExitCode Command::endModel() {
  isModelOpen = false;
  clearProgress();
  printModel(models.back(), arguments.verbose,
             arguments.json ? llvm::errs() : llvm::outs());
  if (arguments.writeLock.empty() || isInterrupted() || !models.back().isListed)
    return kExitFine;
  // What is asked for besides the search is not a matter of its time.
  setDeadline(std::nullopt);
  ExitCode code = writeLock(options, tuner, arguments.writeLock);
  tuner.resumeBudget();
  return code;
}

std::vector<std::string> Command::listNotBegun() const {
  std::vector<std::string> names;
  for (const auto &list :
       {notBegun, llvm::ArrayRef(arguments.models).drop_front(numTaken).vec()})
    for (const std::string &name : list)
      names.push_back(llvm::json::fixUTF8(name));
  return names;
}

ExitCode Command::tuneAll() {
  for (const std::string &name : arguments.models) {
    if (mustStop())
      break;
    ModelOptions one = arguments.model;
    one.compile.input = name;
    CompileOptions all = one.get();
    all.trace = !arguments.trace.empty();
    refuseOverwriting(all, "--write-lock", arguments.writeLock);
    if (ExitCode code = readStdin(all); code != kExitFine)
      return code;
    if (ExitCode code = refuseUnprovenPadding(all); code != kExitFine)
      return code;
    // What one entry has in common with another is measured once.
    std::vector<CompileOptions> shapes = all.forEachShape();
    notBegun.clear();
    for (size_t number = 0; number < shapes.size(); ++number)
      notBegun.push_back(
          all.input +
          (all.hasEntries()
               ? " (" + describeEntry(all.symbols, all.entries[number]) + ")"
               : ""));
    ++numTaken;
    for (const CompileOptions &shape : shapes) {
      if (mustStop())
        return kExitFine;
      options = shape;
      models.emplace_back().name = notBegun.front();
      notBegun.erase(notBegun.begin());
      isModelOpen = true;
      if (ExitCode code = tuner.tune(options, models.back()); code != kExitFine)
        return code;
      if (ExitCode code = endModel(); code != kExitFine)
        return code;
    }
  }
  return kExitFine;
}

ExitCode Command::end() {
  tuner.end();
  const std::string &key = arguments.retune;
  if (isOfOne(key) && !tuner.hasFoundRetuned() && !isInterrupted())
    throw UsageError{"--retune " + key +
                     ": no group or choice of the models has that key; "
                     "fusec cache ls lists those that are known"};
  if (trace)
    if (llvm::Error error = trace->write(arguments.trace))
      return fail(std::move(error));
  llvm::raw_ostream &human = arguments.json ? llvm::errs() : llvm::outs();
  for (const std::string &name : listNotBegun())
    human << onOneLine(name) << ": there was no time to begin with it\n";
  if (arguments.verbose)
    printCosts(tuner, human);
  if (arguments.json)
    printJson(arguments, tuner, models, listNotBegun());
  if (!isInterrupted())
    return kExitFine;
  llvm::errs() << "fusec: interrupted; what was measured is in "
               << arguments.cache << "\n";
  return kExitInterrupted;
}

ExitCode Command::giveUp() {
  if (isModelOpen)
    if (ExitCode code = endModel(); code != kExitFine)
      return code;
  return end();
}

ExitCode Command::run() {
  if (ExitCode code = tuner.begin(); code != kExitFine)
    return code;
  // Before anything is measured.
  if (isOfOne(arguments.retune) &&
      tuner.getRecords()
          .find(fast_run::RecordKind::group, arguments.retune)
          .empty())
    throw UsageError{"--retune " + arguments.retune +
                     ": the cache has no record of that key; fusec cache ls "
                     "lists those that it has"};
  setFarewell([this] { return giveUp(); });
  ExitCode code = tuneAll();
  setFarewell(nullptr);
  return code == kExitFine || isInterrupted() ? giveUp() : code;
}

static ExitCode tune(const TuneArguments &arguments) {
  SearchOptions search;
  search.cache = arguments.cache;
  search.exhaustive = arguments.search == "exhaustive";
  search.fullRun = arguments.fullRun;
  search.strict = arguments.strict;
  if (!arguments.budget.empty())
    search.budget = parseBudget(arguments.budget);
  if (!arguments.shard.empty())
    search.shard = parseShard(arguments.shard);
  search.retune = arguments.retune;
  search.threads = arguments.threads;
  search.plant = parsePlant(arguments.plant);
  watchInterrupts();
  if (const TargetInfo *row = getTargetInfo(arguments.model.get().row);
      row && row->platform->isDevice)
    search.gpu = row;
  return Command(arguments, search).run();
}

void addTune(CLI::App &app, Action &chosen) {
  auto arguments = std::make_shared<TuneArguments>();
  CLI::App &command = *app.add_subcommand(
      "tune", "Measure the algorithms of a model's kernels, and remember them");
  command.footer(kTuneExamples);
  command.add_option("MODEL", arguments->models, "The models; - for stdin")
      ->required();
  command
      .add_option("-o,--output", arguments->cache,
                  "The cache, a folder: made if it is not there, else added to")
      ->required()
      ->check(notEmpty())
      ->type_name("CACHE");
  arguments->model.entries.takesSeveral = true;
  arguments->model.addCompile(command, kNative);
  command
      .add_option("--search", arguments->search,
                  "heuristic: of each group the ten algorithms that should be "
                  "fastest; exhaustive: all that there are, up to 64, and how "
                  "many are left out")
      ->check(oneOf({"heuristic", "exhaustive"}))
      ->capture_default_str();
  CLI::Option *full = command.add_flag("--full-run", arguments->fullRun,
                                       "Time the naive kernels, too");
  command
      .add_flag("--fast-run", arguments->fastRun,
                "Leave naive kernels out, whose results are still what others "
                "are held against (the default)")
      ->excludes(full);
  command
      .add_option("--budget", arguments->budget,
                  "Give up what is under way after this time, as in 30s, 10m, "
                  "2h, and say what is left; what was measured is kept")
      ->type_name("TIME");
  command
      .add_option("--shard", arguments->shard,
                  "Only the I-th of N parts of the groups, and no choices")
      ->type_name("I/N");
  command
      .add_option("--retune", arguments->retune,
                  "Measure a group or a choice again that is known, or all of "
                  "them")
      ->type_name("KEY|all");
  command.add_flag("--strict", arguments->strict,
                   "A group of which nothing but the naive kernel can be taken "
                   "is an error, not a warning");
  command
      .add_option("--threads", arguments->threads,
                  "How many threads kernels run on (default: one per CPU that "
                  "fusec may use, by its affinity and its container's quota)")
      ->check(atLeastOne());
  command
      .add_option("--write-lock", arguments->writeLock,
                  "Also write what the tuned model decides, for --lock; adds "
                  "to a file that is there")
      ->type_name("FILE");
  command
      .add_option("--trace", arguments->trace,
                  "Write when each step was done, in Chrome's trace format")
      ->type_name("FILE");
  command.add_flag("--verbose", arguments->verbose,
                   "Print all that was measured of each group and choice, "
                   "what it computes, and what the search took");
  command.add_flag("--json", arguments->json,
                   "Print one JSON object; what people read goes to stderr");
#ifdef FUSEC_TEST_BUILD
  command
      .add_option("--plant", arguments->plant,
                  "Let the first further candidate misbehave")
      ->check(oneOf({"wrong", "crash", "hang", "all-wrong"}))
      ->group("");
#endif
  command.callback([=, &chosen] { chosen = [=] { return tune(*arguments); }; });
}

} // namespace fusec::tool
