// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec bench: a model by its defaults and as caches say, side by side.
#include "tools/CommandLine.h"
#include "tools/fusec/BenchResult.h"
#include "tools/fusec/Cache.h"
#include "tools/fusec/CacheReport.h"
#include "tools/fusec/Contender.h"
#include "tools/fusec/DataShapes.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/Machine.h"
#include "tools/fusec/RunOptions.h"
#include "tools/fusec/Steps.h"
#include "tools/fusec/TimedEntries.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>
#include <list>

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

using Benched = TimedEntry<BenchResult>;

/// One side, as it runs.
struct Runner {
  Contender contender;
  std::optional<Side> SidePair::*side;
};
} // namespace

static constexpr const char *kBenchExamples = R"(
The model is compiled by its defaults (heuristic) and as the caches say (tuned),
and both run in turns on the same inputs and threads, so that what changes on
the machine meets both. The ratio is heuristic / tuned, in the median round:
above 1, tuning helps. The defaults run twice a round: what they differ from
themselves is chance, and a gain is what is beyond that. What is the same on both
sides is said to be.

Examples:
  fusec bench model.onnx --cache tuned
  fusec bench model.onnx --cache tuned --runs 100 --threads 2
  fusec bench model.onnx --cache tuned --json | jq .model.ratio
  fusec bench model.onnx --compare=heuristic      times the defaults alone
  fusec bench model.onnx --dim batch=1,16         one size after the other

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

static void collect(const StepTimes &steps, std::optional<Side> SidePair::*side,
                    BenchResult &result) {
  result.model.*side = Side{steps.ms, steps.all};
  for (const StepTime &step : steps.steps) {
    if (step.key.empty())
      continue;
    GroupRow &row = result.groups[step.key];
    row.name = step.name;
    row.times.*side = Side{step.ms, step.all};
  }
}

static void collect(llvm::ArrayRef<TunedAnswer> answers, BenchResult &result) {
  for (const TunedAnswer &answer : answers) {
    auto row = result.groups.find(answer.key);
    if (row == result.groups.end())
      continue;
    if (answer.algorithm.empty() || !answer.isUsed)
      row->second.miss = answer.reason;
    else
      row->second.algorithm = answer.algorithm;
  }
}

static void printText(const BenchArguments &arguments,
                      const Executable &executable, const Benched &benched,
                      llvm::raw_ostream &os) {
  os << fmt::format("{}{}: {} thread{}, {}, median of {} run{} of each side\n",
                    arguments.model.compile.input,
                    benched.entry.empty() ? "" : " " + benched.entry,
                    executable.threads(), executable.threads() == 1 ? "" : "s",
                    executable.isa().str(), arguments.runs,
                    arguments.runs == 1 ? "" : "s");
  printTable(benched.result, os);
}

/// The members of what was found out about a model of one shape.
static void addResult(llvm::json::OStream &json,
                      const BenchArguments &arguments,
                      const BenchResult &result) {
  json.attributeObject("model", [&] {
    json.attribute("path", llvm::json::fixUTF8(arguments.model.compile.input));
    addSides(json, result.model);
  });
  json.attribute("runs", arguments.runs);
  addBackend(json, arguments.getBackend());
  json.attributeArray("groups", [&] {
    for (const auto &[key, row] : result.groups)
      json.object([&, &key = key, &row = row] {
        json.attribute("key", key);
        json.attribute("name", llvm::json::fixUTF8(row.name));
        addSides(json, row.times);
        json.attribute("algorithm", row.algorithm);
        json.attribute("miss", llvm::json::fixUTF8(row.miss));
      });
  });
}

/// The emitted text of each kernel of a model, by its key.
static llvm::Expected<std::map<std::string, std::string>>
readKernels(const BuiltModel &built) {
  llvm::Expected<EmittedModel> emitted = readEmittedModel(built.folder);
  if (!emitted)
    return emitted.takeError();
  llvm::json::Value json = llvm::cantFail(llvm::json::parse(emitted->text));
  std::map<std::string, std::string> texts;
  for (const llvm::json::Object *group :
       listKeyed(*json.getAsObject(), "groups"))
    for (const llvm::json::Value &value : *group->getArray("files")) {
      const llvm::json::Object &part = *value.getAsObject();
      const llvm::json::Array &lines = *part.getArray("lines");
      auto file = llvm::MemoryBuffer::getFile(built.folder + "/" +
                                              *part.getString("file"));
      if (!file)
        return llvm::createStringError(file.getError(), built.folder);
      int64_t number = 0;
      for (llvm::line_iterator line(**file, /*SkipBlanks=*/false);
           !line.is_at_eof(); ++line)
        if (++number >= lines[0].getAsInteger().value_or(0) &&
            number <= lines[1].getAsInteger().value_or(0))
          texts[group->getString("key")->str()] += (*line + "\n").str();
    }
  return texts;
}

/// Finds out which kernels are the same text on both sides.
static ExitCode findSame(const std::list<Runner> &sides, BenchResult &result) {
  if (sides.size() < 2)
    return kExitFine;
  auto one = readKernels(sides.front().contender.built),
       other = readKernels(std::next(sides.begin())->contender.built);
  if (!one || !other)
    return fail(llvm::joinErrors(one.takeError(), other.takeError()));
  for (auto &[key, row] : result.groups)
    row.times.isSame =
        one->count(key) && other->count(key) && one->at(key) == other->at(key);
  return kExitFine;
}

/// Loads the sides that are asked for, and where these are two that differ the
/// heuristic one twice; `isSame` is whether they do not.
static ExitCode loadSides(const BenchArguments &arguments,
                          const CompileOptions &options,
                          const CompileOptions &tuned, std::list<Runner> &sides,
                          bool &isSame) {
  llvm::Expected<SharedPool> pool = makePool(arguments.threads);
  if (!pool)
    return fail(pool.takeError());
  auto load = [&](const CompileOptions &of,
                  std::optional<Side> SidePair::*side) {
    sides.emplace_back().side = side;
    return sides.back().contender.load(of, *pool);
  };
  ExitCode code = kExitFine;
  if (arguments.has(kHeuristic))
    code = load(options, &SidePair::heuristic);
  if (code == kExitFine && arguments.has(kTuned))
    code = load(tuned, &SidePair::tuned);
  if (code != kExitFine || sides.size() < 2)
    return code;
  isSame = isSameProgram(sides.front().contender.built,
                         sides.back().contender.built);
  return isSame ? code : load(options, &SidePair::again);
}

/// Times a model of one shape, and says what was found out.
static ExitCode benchShape(const BenchArguments &arguments,
                           const CompileOptions &options, Benched &benched) {
  CompileOptions tuned = options;
  if (ExitCode code = arguments.prepare(tuned); code != kExitFine)
    return code;

  std::list<Runner> sides;
  bool isSame = false;
  if (ExitCode code = loadSides(arguments, options, tuned, sides, isSame);
      code != kExitFine)
    return code;
  if (llvm::Error error =
          printLowered(sides.back().contender.built.folder, llvm::errs()))
    return fail(std::move(error));
  auto choices = std::static_pointer_cast<TunedChoices>(tuned.advisor);
  for (const Runner &side : sides)
    if (side.side == &SidePair::tuned) {
      if (llvm::Error error = choices->compareWith(side.contender.built.folder))
        return fail(std::move(error));
      arguments.model.caches.report(tuned, side.contender.built.folder,
                                    /*runsHere=*/true);
    }
  std::vector<Contender *> turns;
  for (Runner &side : sides)
    if (!isSame || turns.empty())
      turns.push_back(&side.contender);
  const Executable &first = *turns.front()->executable;
  auto inputs = arguments.makeInputs(first.inputs());
  if (!inputs)
    return fail(inputs.takeError());
  if (ExitCode code = timeInTurns(turns, *inputs, arguments.runs);
      code != kExitFine)
    return code;

  BenchResult &result = benched.result;
  for (const Runner &side : sides)
    collect((isSame ? *turns.front() : side.contender).getSteps(arguments.runs),
            side.side, result);
  if (arguments.has(kTuned))
    collect(selectFor(detectIsa(), choices->getAnswers()), result);
  result.model.isSame = isSame;
  if (ExitCode code = findSame(sides, result); code != kExitFine)
    return code;
  // With --json, stdout is the object alone; people may still read along.
  printText(arguments, first, benched,
            arguments.json ? llvm::errs() : llvm::outs());
  return kExitFine;
}

static ExitCode bench(BenchArguments arguments) {
  CompileOptions options = arguments.model.get();
  settleSides(arguments, options);
  if (llvm::sys::fs::is_directory(options.input))
    return failOn(options.input, "is a folder, not a model",
                  "name a .onnx or .mlir file; in a folder all is decided, and "
                  "fusec run --repeat N --timing times it");
  requireOneShape(options, !arguments.inputs.empty());
  if (ExitCode code = readStdin(options); code != kExitFine)
    return code;
  if (ExitCode code = refuseUnprovenPadding(options); code != kExitFine)
    return code;
  arguments.model.compile.input = options.input;
  takeShapes(options, arguments.inputs, "");
  std::vector<Benched> all;
  if (ExitCode code = timeEntries<BenchResult>(
          options, all,
          [&](const CompileOptions &shape, Benched &benched) {
            return benchShape(arguments, shape, benched);
          });
      code != kExitFine)
    return code;
  if (arguments.json)
    printEntries<BenchResult>(
        all, [&](llvm::json::OStream &json, const BenchResult &result) {
          addResult(json, arguments, result);
        });
  return kExitFine;
}

void addBench(CLI::App &app, Action &chosen) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App &command = *app.add_subcommand(
      "bench",
      "Time a model by its defaults and as it was tuned, side by side");
  command.footer(kBenchExamples);
  arguments->model.entries.takesSeveral = true;
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
