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
#include "tools/fusec/tune/Tuner.h"

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
  fusec tune model.onnx -o tuned --search=exhaustive --budget 10m
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

static double toMs(const fast_run::Timing &timing) {
  return double(timing.picoseconds) / 1e9;
}

/// The timing of that name, or null.
static const fast_run::Timing *findTiming(const fast_run::Record &record,
                                          llvm::StringRef name) {
  for (const fast_run::Timing &timing : record.timings)
    if (timing.name == name)
      return &timing;
  return nullptr;
}

static const fast_run::Timing *findDefault(const fast_run::Record &record) {
  for (const fast_run::Timing &timing : record.timings)
    if (timing.isDefault)
      return &timing;
  return nullptr;
}

static void printGroup(const TunedResult &group, llvm::raw_ostream &os) {
  os << "  " << group.key << "  ";
  const std::string name = (group.isChoice ? "choice " : "") + group.name;
  const fast_run::Timing *taken = findTiming(group.record, group.taken);
  const fast_run::Timing *byDefault = findDefault(group.record);
  if (!taken) {
    os << fmt::format("{:>12}  {}: {}\n", "", name,
                      group.refusal.empty() ? "has one algorithm"
                                            : group.refusal);
    return;
  }
  os << fmt::format("{:9.4f} ms  {}: {}", toMs(*taken), name, taken->name);
  if (byDefault && !taken->isDefault && byDefault->failure.empty())
    os << fmt::format(", {:.2f} times as fast as the default",
                      toMs(*byDefault) / toMs(*taken));
  os << (group.known ? " (known)" : "")
     << (taken->unstable ? " (unstable)" : "") << "\n";
  for (const fast_run::Timing &timing : group.record.timings)
    if (!timing.failure.empty())
      os << "      " << timing.name << " failed: " << timing.failure << "\n";
}

/// Of a model in which nothing that it runs is tuned.
static void printUnchanged(const TunedModel &model, llvm::raw_ostream &os) {
  const bool isAnyTuned =
      llvm::any_of(model.groups, [](const TunedResult &group) {
        const fast_run::Timing *taken = findTiming(group.record, group.taken);
        return taken && !taken->isDefault;
      });
  os << (isAnyTuned
             ? "  all that the model runs keeps its defaults: what is tuned "
               "lies in alternatives that it does not take\n"
             : "  all groups keep their defaults\n");
}

static void printModel(const TunedModel &model, llvm::raw_ostream &os) {
  os << onOneLine(model.name) << ":\n";
  for (const TunedResult &group : model.groups)
    printGroup(group, os);
  if (model.left)
    os << "  " << model.left
       << " left to measure; the same command goes on with them\n";
  if (!model.verdict)
    return;
  const fast_run::Record &verdict = *model.verdict;
  const fast_run::Timing *before = findTiming(verdict, "default"),
                         *after = findTiming(verdict, "tuned");
  if (!before || !after)
    return printUnchanged(model, os);
  os << fmt::format("  the model: {:.4f} ms by default, {:.4f} ms tuned, ratio "
                    "{:.2f}{}\n",
                    toMs(*before), toMs(*after), toMs(*before) / toMs(*after),
                    model.verdictKnown ? " (known)" : "");
  if (!verdict.keptDefaults.empty())
    os << "  taken back, for it does not help there: "
       << llvm::join(verdict.keptDefaults, ", ") << "\n";
}

static void addResult(llvm::json::OStream &json, const TunedResult &group) {
  json.attribute("key", group.key);
  json.attribute("name", llvm::json::fixUTF8(group.name));
  json.attribute("known", group.known);
  json.attribute("missed", group.missed);
  json.attribute("taken", group.taken);
  json.attribute("refusal", llvm::json::fixUTF8(group.refusal));
  if (auto *taken = findTiming(group.record, group.taken))
    addNumber(json, "ms", toMs(*taken));
  if (auto *byDefault = findDefault(group.record);
      byDefault && byDefault->failure.empty())
    addNumber(json, "default_ms", toMs(*byDefault));
  json.attributeArray("failed", [&] {
    for (const fast_run::Timing &timing : group.record.timings)
      if (!timing.failure.empty())
        json.object([&] {
          json.attribute("name", timing.name);
          json.attribute("reason", llvm::json::fixUTF8(timing.failure));
        });
  });
}

static void addVerdict(llvm::json::OStream &json, const TunedModel &model) {
  json.attribute("known", model.verdictKnown);
  const fast_run::Timing *before = findTiming(*model.verdict, "default"),
                         *after = findTiming(*model.verdict, "tuned");
  if (before && after) {
    addNumber(json, "heuristic_ms", toMs(*before));
    addNumber(json, "tuned_ms", toMs(*after));
    addNumber(json, "ratio", toMs(*before) / toMs(*after));
  }
  json.attribute("kept_defaults",
                 llvm::json::Array(model.verdict->keptDefaults));
}

static void addModel(llvm::json::OStream &json, const TunedModel &model) {
  json.attribute("model", llvm::json::fixUTF8(model.name));
  json.attribute("key", model.key);
  json.attribute("left", int64_t(model.left));
  for (bool isChoice : {false, true})
    json.attributeArray(isChoice ? "choices" : "groups", [&] {
      for (const TunedResult &group : model.groups)
        if (group.isChoice == isChoice)
          json.object([&] { addResult(json, group); });
    });
  if (model.verdict)
    json.attributeObject("verdict", [&] { addVerdict(json, model); });
}

static void printJson(const TuneArguments &arguments, const Tuner &tuner,
                      llvm::ArrayRef<TunedModel> models) {
  printAsJson([&](llvm::json::OStream &json) {
    json.attribute("format", 1); // tools/fusec/schemas
    json.attribute("cache", llvm::json::fixUTF8(arguments.cache));
    json.attribute("search", arguments.search);
    json.attribute("timings", tuner.countTimings());
    json.attribute("compilations", tuner.countCompilations());
    json.attribute("interrupted", isInterrupted());
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

static ExitCode tuneAll(const TuneArguments &arguments, Tuner &tuner,
                        std::vector<TunedModel> &models) {
  for (const std::string &name : arguments.models) {
    if (isInterrupted())
      break;
    ModelOptions one = arguments.model;
    one.compile.input = name;
    CompileOptions options = one.get();
    options.trace = !arguments.trace.empty();
    refuseOverwriting(options, "--write-lock", arguments.writeLock);
    if (ExitCode code = readStdin(options); code != kExitFine)
      return code;
    TunedModel &model = models.emplace_back();
    if (ExitCode code = tuner.tune(options, model); code != kExitFine)
      return code;
    clearProgress();
    if (isInterrupted())
      break;
    printModel(model, arguments.json ? llvm::errs() : llvm::outs());
    if (!arguments.writeLock.empty() && !isInterrupted())
      if (ExitCode code = writeLock(options, tuner, arguments.writeLock);
          code != kExitFine)
        return code;
  }
  return kExitFine;
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
  std::optional<CompileTrace> trace;
  if (!arguments.trace.empty())
    trace.emplace();
  watchInterrupts();
  if (const TargetInfo *row = getTargetInfo(arguments.model.get().row);
      row && row->kind == TargetKind::gpu)
    search.gpu = row;
  std::unique_ptr<Workbench> workbench = makeWorkbench();
  Tuner tuner(search, *workbench, fast_run::getFileSystem());
  if (ExitCode code = tuner.begin(); code != kExitFine)
    return code;
  // Before anything is measured.
  if (!search.retune.empty() && search.retune != "all" &&
      tuner.getRecords()
          .find(fast_run::RecordKind::group, search.retune)
          .empty())
    throw UsageError{"--retune " + search.retune +
                     ": the cache has no record of that key; fusec cache ls "
                     "lists those that it has"};
  std::vector<TunedModel> models;
  if (ExitCode code = tuneAll(arguments, tuner, models);
      code != kExitFine && !isInterrupted())
    return code;
  tuner.end();
  if (!search.retune.empty() && search.retune != "all" &&
      !tuner.hasFoundRetuned() && !isInterrupted())
    throw UsageError{"--retune " + search.retune +
                     ": no group or choice of the models has that key; "
                     "fusec cache ls lists those that are known"};
  if (trace)
    if (llvm::Error error = trace->write(arguments.trace))
      return fail(std::move(error));
  if (arguments.json)
    printJson(arguments, tuner, models);
  if (!isInterrupted())
    return kExitFine;
  llvm::errs() << "fusec: interrupted; what was measured is in "
               << arguments.cache << "\n";
  return kExitInterrupted;
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
  arguments->model.addCompile(command, kNative);
  command
      .add_option("--search", arguments->search,
                  "heuristic: of each group the ten algorithms that should be "
                  "fastest; exhaustive: all that there are, at most 64")
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
                  "Begin no further group or choice after this time, as in "
                  "30s, 10m, 2h")
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
                  "How many threads kernels run on (default: one per CPU)")
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
