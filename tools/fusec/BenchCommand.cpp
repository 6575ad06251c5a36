// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec bench: a model by its defaults and as caches say, side by side.
#include "passes/lock/GroupKey.h"
#include "runtime/src/Cpu.h"
#include "tools/CommandLine.h"
#include "tools/fusec/Cache.h"
#include "tools/fusec/CacheReport.h"
#include "tools/fusec/Contender.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/Machine.h"
#include "tools/fusec/RunOptions.h"
#include "tools/fusec/Steps.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <fmt/format.h>

namespace fusec::tool {

static constexpr const char *kHeuristic = "heuristic", *kTuned = "tuned";

namespace {
struct BenchArguments : RunOptions {
  std::vector<std::string> compare;
  unsigned runs = kDefaultRuns;
  bool json = false;

  bool has(llvm::StringRef side) const {
    return llvm::is_contained(compare, side);
  }
};

/// How long something took on the sides that were timed.
struct Pair {
  std::optional<RunTimes> heuristic, tuned;

  double getRatio() const {
    return heuristic && tuned ? heuristic->median / tuned->median : NAN;
  }
  /// The wider one.
  double getSpread() const {
    return std::max(heuristic.value_or(RunTimes()).spread,
                    tuned.value_or(RunTimes()).spread);
  }
  bool isUnstable() const {
    return !isStable(heuristic.value_or(RunTimes())) ||
           !isStable(tuned.value_or(RunTimes()));
  }
};

struct GroupRow {
  std::string name;
  Pair times;
  /// What is taken of it on the tuned side, and why that is the default where
  /// the caches say nothing.
  std::string algorithm = "default", miss;
};

struct Comparison {
  /// By key, the slowest first.
  llvm::MapVector<std::string, GroupRow, std::map<std::string, unsigned>>
      groups;
  Pair model;
};
} // namespace

static constexpr const char *kBenchExamples = R"(
The model is compiled by its defaults (heuristic) and as the caches say (tuned),
and both run in turns on the same inputs, so that what changes on the machine
meets both. The ratio is heuristic / tuned: above 1, tuning helps.

Examples:
  fusec bench model.onnx --cache tuned
  fusec bench model.onnx --cache tuned --runs 100 --threads 2
  fusec bench model.onnx --cache tuned --json | jq .model.ratio
  fusec bench model.onnx --compare=heuristic      times the defaults alone

Exit codes: 0 fine, whichever is faster; 2 the model uses something unsupported;
3 a --frozen lock lacks a decision; 4 bad input or environment; 64 wrong usage;
70 a bug of fusec.)";

/// Throws UsageError.
static void settleSides(BenchArguments &arguments,
                        const CompileOptions &options) {
  bool isNamed = arguments.model.caches.isNamed();
  if (arguments.compare.empty()) {
    arguments.compare = {kHeuristic};
    if (isNamed)
      arguments.compare.push_back(kTuned);
  }
  if (!arguments.has(kTuned))
    return;
  if (!isNamed)
    throw UsageError{"--compare=tuned is as a cache says; name it with --cache "
                     "(fusec tune MODEL -o PATH makes one)"};
  if (!options.lock.empty())
    throw UsageError{"a lock goes before a cache, so that both sides would be "
                     "the same; leave out --lock"};
}

/// The members of a list of model.json that have a key.
static std::vector<const llvm::json::Object *>
listKeyed(const llvm::json::Object &model, llvm::StringRef list) {
  std::vector<const llvm::json::Object *> keyed;
  if (const llvm::json::Array *items = model.getArray(list))
    for (const llvm::json::Value &item : *items)
      if (item.getAsObject()->getString("key"))
        keyed.push_back(item.getAsObject());
  return keyed;
}

/// Asks about each choice and group again: of a model that was built before,
/// nobody did.
static ExitCode ask(TunedChoices &choices, const BuiltModel &built) {
  using Kind = lock::Subject::Kind;
  llvm::Expected<EmittedModel> emitted = readEmittedModel(built.folder);
  if (!emitted)
    return fail(emitted.takeError());
  llvm::json::Value json = llvm::cantFail(llvm::json::parse(emitted->text));
  const llvm::json::Object &model = *json.getAsObject();
  std::set<std::string> keys;
  for (const llvm::json::Object *group : listKeyed(model, "groups"))
    keys.insert(group->getString("key")->str());
  choices.begin();
  if (auto key = model.getString("key"))
    choices.enter(*key);
  else
    choices.enter(lock::getModelKey(model.getString("cpu").value_or(""), keys));
  const TargetInfo *row = getTargetInfo(model.getString("cpu").value_or(""));
  const llvm::StringRef isa = row && row->kind == TargetKind::gpu
                                  ? llvm::StringRef(row->sets.front()->name)
                                  : rt::isaName(detectIsa());
  for (auto [kind, list] :
       {std::pair(Kind::choice, "choices"), std::pair(Kind::group, "groups")})
    for (const llvm::json::Object *item : listKeyed(model, list))
      (void)choices.advise({kind, *item->getString("key"), isa,
                            item->getString("name").value_or("")});
  return kExitFine;
}

static void collect(const StepTimes &steps, std::optional<RunTimes> Pair::*side,
                    Comparison &comparison) {
  comparison.model.*side = steps.ms;
  for (const StepTime &step : steps.steps) {
    if (step.key.empty())
      continue;
    GroupRow &row = comparison.groups[step.key];
    row.name = step.name;
    row.times.*side = step.ms;
  }
}

static void collect(llvm::ArrayRef<TunedAnswer> answers,
                    Comparison &comparison) {
  for (const TunedAnswer &answer : answers) {
    auto row = comparison.groups.find(answer.key);
    if (row == comparison.groups.end())
      continue;
    if (answer.algorithm.empty())
      row->second.miss = answer.reason;
    else
      row->second.algorithm = answer.algorithm;
  }
}

static double getMs(const std::optional<RunTimes> &times) {
  return times ? times->median : NAN;
}

/// A number, or nothing where there is none.
static std::string formatCell(const char *format, double value) {
  return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

static void printRow(const Pair &times, const std::string &what,
                     llvm::raw_ostream &os) {
  os << fmt::format("{:>12}  {:>9}  {:>5}  {:>9}  {}{}\n",
                    formatCell("{:.4f}", getMs(times.heuristic)),
                    formatCell("{:.4f}", getMs(times.tuned)),
                    formatCell("{:.2f}", times.getRatio()),
                    formatCell("{:.4f}", times.getSpread()), what,
                    times.isUnstable() ? " (unstable)" : "");
}

static void printText(const BenchArguments &arguments,
                      const Executable &executable,
                      const Comparison &comparison, llvm::raw_ostream &os) {
  os << fmt::format("{}: {} thread{}, {}, median of {} run{} of each side\n",
                    arguments.model.compile.input, executable.threads(),
                    executable.threads() == 1 ? "" : "s",
                    executable.isa().str(), arguments.runs,
                    arguments.runs == 1 ? "" : "s");
  printTableHeader(os, "heuristic ms   tuned ms  ratio  spread ms  kernel, and "
                       "what is taken of it");
  for (const auto &[key, row] : comparison.groups)
    printRow(row.times,
             key + " " + row.name + ": " + row.algorithm +
                 (row.miss.empty() ? "" : " (" + row.miss + ")"),
             os);
  printRow(comparison.model, "the model", os);
  if (comparison.model.isUnstable())
    os << "the model's times differ by more than a tenth, however often they "
          "are measured: something else runs on this machine, or it is over "
          "too soon\n";
}

static void addPair(llvm::json::OStream &json, const Pair &times) {
  addNumber(json, "heuristic_ms", getMs(times.heuristic));
  addNumber(json, "tuned_ms", getMs(times.tuned));
  addNumber(json, "ratio", times.getRatio());
  addNumber(json, "spread_ms", times.getSpread());
  json.attribute("unstable", times.isUnstable());
}

static void printJson(const BenchArguments &arguments,
                      const Comparison &comparison) {
  printAsJson([&](llvm::json::OStream &json) {
    json.attribute("format", 1); // tools/fusec/schemas
    json.attributeObject("model", [&] {
      json.attribute("path",
                     llvm::json::fixUTF8(arguments.model.compile.input));
      addPair(json, comparison.model);
    });
    json.attribute("runs", arguments.runs);
    addBackend(json, arguments.getBackend());
    json.attributeArray("groups", [&] {
      for (const auto &[key, row] : comparison.groups)
        json.object([&, &key = key, &row = row] {
          json.attribute("key", key);
          json.attribute("name", llvm::json::fixUTF8(row.name));
          addPair(json, row.times);
          json.attribute("algorithm", row.algorithm);
          json.attribute("miss", llvm::json::fixUTF8(row.miss));
        });
    });
  });
}

static ExitCode bench(BenchArguments arguments) {
  CompileOptions options = arguments.model.get();
  settleSides(arguments, options);
  if (llvm::sys::fs::is_directory(options.input))
    return failOn(options.input, "is a folder, not a model",
                  "name a .onnx or .mlir file; in a folder all is decided, and "
                  "fusec run --repeat N --timing times it");
  if (ExitCode code = readStdin(options); code != kExitFine)
    return code;
  arguments.model.compile.input = options.input;
  CompileOptions tuned = options;
  if (ExitCode code = arguments.prepare(tuned); code != kExitFine)
    return code;

  std::vector<
      std::pair<const CompileOptions *, std::optional<RunTimes> Pair::*>>
      sides;
  if (arguments.has(kHeuristic))
    sides.push_back({&options, &Pair::heuristic});
  if (arguments.has(kTuned))
    sides.push_back({&tuned, &Pair::tuned});
  std::vector<Contender> contenders(sides.size());
  std::vector<Contender *> turns;
  for (auto [side, contender] : llvm::zip(sides, contenders)) {
    if (ExitCode code = contender.load(*side.first, arguments.threads);
        code != kExitFine)
      return code;
    turns.push_back(&contender);
  }
  auto choices = std::static_pointer_cast<TunedChoices>(tuned.advisor);
  if (arguments.has(kTuned)) {
    if (ExitCode code = ask(*choices, contenders.back().built);
        code != kExitFine)
      return code;
    arguments.model.caches.report(tuned, /*runsHere=*/true);
  }
  const Executable &first = *contenders.front().executable;
  auto inputs = arguments.makeInputs(first.inputs());
  if (!inputs)
    return fail(inputs.takeError());
  if (ExitCode code = timeInTurns(turns, *inputs, arguments.runs);
      code != kExitFine)
    return code;

  Comparison comparison;
  for (auto [side, contender] : llvm::zip(sides, contenders))
    collect(contender.getSteps(arguments.runs), side.second, comparison);
  if (arguments.has(kTuned))
    collect(choices->getAnswers(), comparison);
  // With --json, stdout is the object alone; people may still read along.
  printText(arguments, first, comparison,
            arguments.json ? llvm::errs() : llvm::outs());
  if (arguments.json)
    printJson(arguments, comparison);
  return kExitFine;
}

void addBench(CLI::App &app, Action &chosen) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App &command = *app.add_subcommand(
      "bench",
      "Time a model by its defaults and as it was tuned, side by side");
  command.footer(kBenchExamples);
  arguments->add(command, "The model; - for stdin");
  command
      .add_option("--compare", arguments->compare,
                  "What is timed, with commas: heuristic is by default, tuned "
                  "as the caches say (default: both where a cache is named, "
                  "else heuristic)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(oneOf({kHeuristic, kTuned}));
  addRuns(command, arguments->runs);
  command.add_flag("--json", arguments->json,
                   "Print one JSON object; what people read goes to stderr");
  command.callback(
      [=, &chosen] { chosen = [=] { return bench(*arguments); }; });
}

} // namespace fusec::tool
