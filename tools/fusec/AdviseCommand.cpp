// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec advise: where the time of a model goes, and what could touch it.
#include "compiler/import/Message.h"
#include "passes/lock/Lock.h"
#include "runtime/src/Cpu.h"
#include "tools/fusec/CacheReport.h"
#include "tools/fusec/Contender.h"
#include "tools/fusec/ExpectedGains.h"
#include "tools/fusec/GroupTraits.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/Machine.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/RunOptions.h"
#include "tools/fusec/Steps.h"
#include "tools/fusec/TimedEntries.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>

namespace fusec::tool {

namespace {
struct AdviseArguments : RunOptions {
  unsigned runs = kDefaultRuns;
  bool json = false;
};

/// A group before it runs.
struct Structure {
  GroupTraits traits;
  /// Those that are listed, without the naive one: at most two, for whether
  /// there is a further one is all that is asked.
  unsigned algorithms = 0;
};

/// A group that ran.
struct AdvisedGroup {
  StepTime step;
  Structure structure;
  bool isKnown = false; ///< to a cache

  bool canTune() const { return structure.algorithms > 1 && !isKnown; }
  bool canLayout() const { return !structure.traits.layout.empty(); }
  bool canNarrow() const { return structure.traits.hasF32; }
};

/// A sum over kernels or library calls.
struct Part {
  double ms = 0, bytes = 0, operations = 0;
  size_t count = 0;

  void add(double more) {
    ms += more;
    ++count;
  }
};

/// What kernels of one class, or all, took, and how much of that each remedy
/// can touch.
struct ClassTimes {
  Part all, tuning, layout, precision;

  void add(const AdvisedGroup &group);
};

struct Advice {
  RunTimes run;
  std::vector<AdvisedGroup> groups; ///< the slowest first
  /// By name, in the order of GroupClass, then "call" and "other".
  llvm::MapVector<llvm::StringRef, ClassTimes> classes;
  ClassTimes all;
  ExpectedGains expected;

  /// What products take, of which expected gains are parts.
  double getProductTime() const {
    return classes.lookup(getName(GroupClass::contraction)).all.ms;
  }
  double getShare(double ms) const {
    return run.median > 0 ? std::min(ms / run.median, 1.0) : 0;
  }
};
} // namespace

static constexpr const char *kAdviseExamples = R"(
Kernels are classed by what their statements do: contraction (sums of products
whose factors are used again), reduction, elementwise, movement (values as they
are). What a remedy can touch is the time of the kernels that it applies to: a
bound for what it may save, and no promise that it saves anything. What another
precision is predicted to gain follows from the costs by which fusec decides,
for this processor: nothing is run for it, and nothing says what accuracy it
leaves.

Examples:
  fusec advise model.onnx
  fusec advise model.onnx --cache tuned        as it was tuned; what is not yet?
  fusec advise model.onnx --json | jq .touch

Exit codes: 0 fine; 2 the model uses something unsupported; 3 a --frozen lock
lacks a decision; 4 bad input or environment; 64 wrong usage; 70 a bug of
fusec.)";

void ClassTimes::add(const AdvisedGroup &group) {
  double ms = group.step.ms.median;
  all.add(ms);
  all.bytes += group.structure.traits.bytes * group.step.launches;
  all.operations += group.structure.traits.operations * group.step.launches;
  if (group.canTune())
    tuning.add(ms);
  if (group.canLayout())
    layout.add(ms);
  if (group.canNarrow())
    precision.add(ms);
}

/// What the groups of the model are, by key.
static ExitCode findStructures(const CompileOptions &options,
                               std::map<std::string, Structure> &structures) {
  CompileOptions lowered = options;
  lowered.until = "sched-select-configs";
  lowered.variants = 3; // what is taken, the naive one, and a further one
  Driver driver(lowered);
  ExitCode code = driver.lower(reportStage);
  clearProgress();
  if (code != kExitFine) {
    say(driver.diagnostics());
    return code;
  }
  llvm::StringRef isa = rt::isaName(detectIsa());
  for (auto scop : driver.module().getOps<sched::ScopOp>()) {
    auto key = scop->getAttrOfType<mlir::StringAttr>(lock::kKeyAttr);
    if (!key || scop.getConfigAttr().getName() == "naive" ||
        (scop.getIsa() && *scop.getIsa() != isa))
      continue;
    auto [place, isNew] = structures.try_emplace(key.str());
    if (isNew)
      place->second.traits = findTraits(scop);
    ++place->second.algorithms;
  }
  return kExitFine;
}

static Advice makeAdvice(const StepTimes &times,
                         const std::map<std::string, Structure> &structures,
                         const TunedChoices *choices) {
  Advice advice;
  advice.run = times.ms;
  for (GroupClass kind : {GroupClass::contraction, GroupClass::reduction,
                          GroupClass::elementwise, GroupClass::movement})
    advice.classes[getName(kind)];
  Part calls;
  double rest = times.ms.median;
  for (const StepTime &step : times.steps) {
    auto known = structures.find(step.key);
    if (step.isCall)
      calls.add(step.ms.median);
    else if (known == structures.end())
      continue; // of a text that was written by hand
    rest -= step.ms.median;
    if (step.isCall)
      continue;
    AdvisedGroup &group = advice.groups.emplace_back();
    group.step = step;
    group.structure = known->second;
    TunedAnswer answer;
    group.isKnown =
        choices && choices->find(step.key, rt::isaName(detectIsa()), answer);
    advice.classes[getName(group.structure.traits.kind)].add(group);
    advice.all.add(group);
  }
  advice.classes["call"].all = calls;
  advice.classes["other"].all.ms = std::max(rest, 0.0);
  return advice;
}

static std::string describeTouches(const AdvisedGroup &group) {
  std::vector<std::string> touches;
  if (group.canTune())
    touches.push_back("tuning");
  if (group.canLayout())
    touches.push_back("layout (" + group.structure.traits.layout + ")");
  if (group.canNarrow())
    touches.push_back("precision");
  return touches.empty() ? "" : ": " + llvm::join(touches, ", ");
}

static void printRemedy(const Advice &advice, const Part &part,
                        llvm::StringRef what, llvm::raw_ostream &os) {
  os << fmt::format("  {:5.1f}%  {}: {} kernel{}\n",
                    100 * advice.getShare(part.ms), what.str(), part.count,
                    part.count == 1 ? "" : "s");
}

/// So much in a second, in units of 1e9; nothing where there is nothing.
static std::string formatRate(double count, double ms) {
  return count > 0 && ms > 0 ? fmt::format("{:.1f}", count / ms / 1e6) : "-";
}

static void printText(const AdviseArguments &arguments,
                      const Executable &executable,
                      const TimedEntry<Advice> &timed, llvm::raw_ostream &os) {
  const Advice &advice = timed.result;
  os << fmt::format(
      "{}{}: {:.4f} ms a run, median of {}, spread {:.4f} ms{}, {} thread{}, "
      "{}\n",
      arguments.model.compile.input,
      timed.entry.empty() ? "" : " " + timed.entry, advice.run.median,
      arguments.runs, advice.run.spread,
      isStable(advice.run) ? "" : " (unstable)", executable.threads(),
      executable.threads() == 1 ? "" : "s", executable.isa().str());
  printTableHeader(os, "  time ms       %  kernels    GB/s    Gop/s  class");
  for (const auto &[name, times] : advice.classes)
    if (times.all.count > 0 || name == "other")
      os << fmt::format("{:9.4f}  {:5.1f}%  {:>7}  {:>6}  {:>7}  {}\n",
                        times.all.ms, 100 * advice.getShare(times.all.ms),
                        name == "other" ? "" : std::to_string(times.all.count),
                        formatRate(times.all.bytes, times.all.ms),
                        formatRate(times.all.operations, times.all.ms),
                        name == "call"    ? "library call"
                        : name == "other" ? "between them"
                                          : name.str());
  os << "\nwhat can be touched at most, in parts of a run (bounds, no "
        "promises):\n";
  printRemedy(advice, advice.all.tuning,
              arguments.model.caches.isNamed()
                  ? "tuning (there are further algorithms, and the caches do "
                    "not know the kernel)"
                  : "tuning (there are further algorithms; fusec tune measures "
                    "them)",
              os);
  printRemedy(advice, advice.all.layout,
              "another layout (data is only moved, or accessed apart)", os);
  printRemedy(advice, advice.all.precision,
              "another precision (f32, of which f16 and bf16 are half)", os);
  printGains(advice.expected, advice.getProductTime(), advice.run.median, os);
  if (advice.groups.empty())
    return;
  os << "\n";
  printTableHeader(os, "  time ms       %  class        kernel");
  constexpr size_t kShown = 10;
  for (const AdvisedGroup &group :
       llvm::ArrayRef(advice.groups).take_front(kShown))
    os << fmt::format("{:9.4f}  {:5.1f}%  {:<11}  {} {}{}{}\n",
                      group.step.ms.median,
                      100 * advice.getShare(group.step.ms.median),
                      getName(group.structure.traits.kind).str(),
                      group.step.key, group.step.name, describeTouches(group),
                      isStable(group.step.ms) ? "" : " (unstable)");
  if (advice.groups.size() > kShown)
    os << "and " << advice.groups.size() - kShown << " more; --json has all\n";
}

static void addClass(llvm::json::OStream &json, llvm::StringRef name,
                     const ClassTimes &times, const Advice &advice) {
  json.object([&] {
    json.attribute("class", name);
    json.attribute("count", int64_t(times.all.count));
    addNumber(json, "ms", times.all.ms);
    addNumber(json, "share", advice.getShare(times.all.ms));
    addNumber(json, "bytes", times.all.bytes);
    addNumber(json, "operations", times.all.operations);
    addNumber(json, "tuning", advice.getShare(times.tuning.ms));
    addNumber(json, "layout", advice.getShare(times.layout.ms));
    addNumber(json, "precision", advice.getShare(times.precision.ms));
  });
}

static void addGroup(llvm::json::OStream &json, const AdvisedGroup &group,
                     const Advice &advice) {
  const GroupTraits &traits = group.structure.traits;
  json.object([&] {
    json.attribute("key", group.step.key);
    json.attribute("name", llvm::json::fixUTF8(group.step.name));
    json.attribute("class", getName(traits.kind));
    addNumber(json, "ms", group.step.ms.median);
    addNumber(json, "spread_ms", group.step.ms.spread);
    json.attribute("unstable", !isStable(group.step.ms));
    addNumber(json, "share", advice.getShare(group.step.ms.median));
    addNumber(json, "launches", group.step.launches);
    addNumber(json, "bytes", traits.bytes);
    addNumber(json, "operations", traits.operations);
    json.attribute("further", group.structure.algorithms > 1);
    json.attribute("known", group.isKnown);
    json.attribute("layout", llvm::json::fixUTF8(traits.layout));
    json.attribute("f32", traits.hasF32);
  });
}

/// The members of what was found out about a model of one shape.
static void addAdvice(llvm::json::OStream &json,
                      const AdviseArguments &arguments, const Advice &advice) {
  json.attribute("model", llvm::json::fixUTF8(arguments.model.compile.input));
  addNumber(json, "ms", advice.run.median);
  addNumber(json, "spread_ms", advice.run.spread);
  json.attribute("unstable", !isStable(advice.run));
  json.attribute("runs", arguments.runs);
  addBackend(json, arguments.getBackend());
  json.attributeArray("classes", [&] {
    for (const auto &[name, times] : advice.classes)
      addClass(json, name, times, advice);
  });
  json.attributeObject("touch", [&] {
    addNumber(json, "tuning", advice.getShare(advice.all.tuning.ms));
    addNumber(json, "layout", advice.getShare(advice.all.layout.ms));
    addNumber(json, "precision", advice.getShare(advice.all.precision.ms));
  });
  addGains(json, advice.expected, advice.getProductTime(), advice.run.median);
  json.attributeArray("groups", [&] {
    for (const AdvisedGroup &group : advice.groups)
      addGroup(json, group, advice);
  });
}

/// Times a model of one shape, and says what was found out.
static ExitCode adviseShape(const AdviseArguments &arguments,
                            CompileOptions options, TimedEntry<Advice> &timed) {
  if (ExitCode code = arguments.prepare(options); code != kExitFine)
    return code;
  std::map<std::string, Structure> structures;
  if (ExitCode code = findStructures(options, structures); code != kExitFine)
    return code;
  llvm::Expected<SharedPool> pool = makePool(arguments.threads);
  if (!pool)
    return fail(pool.takeError());
  Contender contender;
  if (ExitCode code = contender.load(options, *pool); code != kExitFine)
    return code;
  arguments.model.caches.report(options, contender.built.folder,
                                /*runsHere=*/true);
  auto inputs = arguments.makeInputs(contender.executable->inputs());
  if (!inputs)
    return fail(inputs.takeError());
  if (ExitCode code = timeInTurns({&contender}, *inputs, arguments.runs);
      code != kExitFine)
    return code;
  auto *choices = static_cast<TunedChoices *>(options.advisor.get());
  timed.result =
      makeAdvice(contender.getSteps(arguments.runs), structures, choices);
  timed.result.expected = expectGains(options);
  // With --json, stdout is the object alone; people may still read along.
  printText(arguments, *contender.executable, timed,
            arguments.json ? llvm::errs() : llvm::outs());
  return kExitFine;
}

static ExitCode advise(AdviseArguments arguments) {
  CompileOptions options = arguments.model.get();
  requireOneShape(options, !arguments.inputs.empty());
  if (ExitCode code = readStdin(options); code != kExitFine)
    return code;
  if (ExitCode code = refuseUnprovenPadding(options); code != kExitFine)
    return code;
  arguments.model.compile.input = options.input;
  std::vector<TimedEntry<Advice>> all;
  if (ExitCode code = timeEntries<Advice>(
          options, all,
          [&](const CompileOptions &shape, TimedEntry<Advice> &timed) {
            return adviseShape(arguments, shape, timed);
          });
      code != kExitFine)
    return code;
  if (arguments.json)
    printEntries<Advice>(all,
                         [&](llvm::json::OStream &json, const Advice &advice) {
                           addAdvice(json, arguments, advice);
                         });
  return kExitFine;
}

void addAdvise(CLI::App &app, Action &chosen) {
  auto arguments = std::make_shared<AdviseArguments>();
  CLI::App &command = *app.add_subcommand(
      "advise", "Say where time goes, and what could touch how much of it");
  command.footer(kAdviseExamples);
  arguments->model.entries.takesSeveral = true;
  arguments->add(command, "The model; - for stdin");
  addRuns(command, arguments->runs);
  command.add_flag("--json", arguments->json,
                   "Print one JSON object; what people read goes to stderr");
  command.callback(
      [=, &chosen] { chosen = [=] { return advise(*arguments); }; });
}

} // namespace fusec::tool
