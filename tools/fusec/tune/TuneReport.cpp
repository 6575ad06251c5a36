// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/tune/TuneReport.h"

#include "dialects/words/Plain.h"
#include "tools/fusec/CacheReport.h"
#include "tools/fusec/Json.h"

#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <fmt/format.h>

namespace fusec::tool {

/// How many names of what is left are printed.
static constexpr size_t kFewNames = 8;

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

/// All that was measured of a group, a line each.
static void printCandidates(const TunedResult &group, llvm::raw_ostream &os) {
  os << "      " << (group.kind.empty() ? "choice" : group.kind);
  if (!group.nodes.empty())
    os << " of " << onOneLine(llvm::join(group.nodes, ", "));
  os << ": " << group.operands << "\n";
  if (!group.missed.empty())
    os << fmt::format("      measured in {:.2f} s, for it {}\n", group.seconds,
                      group.missed);
  for (const fast_run::Timing &timing : group.record.timings)
    if (timing.failure.empty())
      os << fmt::format(
          "      {:9.4f} ms  {}, spread {:.4f} ms{}{}\n", toMs(timing),
          timing.name, double(timing.spread) / 1e9,
          timing.isDefault && timing.name != "default" ? ", the default" : "",
          timing.name == group.taken ? ", taken" : "");
}

static void printGroup(const TunedResult &group, bool verbose,
                       llvm::raw_ostream &os) {
  os << "  " << group.key << "  ";
  const std::string name = (group.isChoice ? "choice " : "") + group.name;
  const fast_run::Timing *taken = findTiming(group.record, group.taken);
  const fast_run::Timing *byDefault = group.record.findDefault();
  if (taken) {
    os << fmt::format("{:9.4f} ms  {}: {}", toMs(*taken), name, taken->name);
    if (byDefault && !taken->isDefault && byDefault->failure.empty())
      os << fmt::format(", {:.2f} times as fast as the default",
                        toMs(*byDefault) / toMs(*taken));
    os << (group.known ? " (known)" : "")
       << (taken->unstable ? " (unstable)" : "") << "\n";
  } else {
    os << fmt::format("{:>12}  {}: {}\n", "", name,
                      group.refusal.empty() ? "has one algorithm"
                                            : group.refusal);
  }
  if (verbose)
    printCandidates(group, os);
  for (const fast_run::Timing &timing : group.record.timings)
    if (taken && !timing.failure.empty())
      os << "      " << timing.name << " failed: " << timing.failure << "\n";
  if (group.leftOut)
    os << fmt::format("      {} of its {} algorithms, those that should be "
                      "slowest, are left out: a search measures {} at most\n",
                      group.leftOut, group.leftOut + kAllAlgorithms,
                      kAllAlgorithms);
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

/// What there was no time for.
static void printUndone(const TunedModel &model, llvm::raw_ostream &os) {
  if (!model.isListed) {
    os << "  nothing was looked at: the time was over before it was known what "
          "there is to measure; the same command begins with it\n";
    return;
  }
  if (model.undone.empty()) {
    if (model.isJudgementLeft)
      os << "  how fast it is as a whole is left to measure; the same command "
            "goes on with that\n";
    return;
  }
  std::vector<std::string> names;
  for (const Undone &one : model.undone)
    if (names.size() < kFewNames)
      names.push_back((one.isChoice ? "choice " : "") + one.name);
  os << fmt::format(
      "  {} left to measure: {}{}; {}\n", model.undone.size(),
      llvm::join(names, ", "),
      model.undone.size() > kFewNames ? ", and others" : "",
      llvm::any_of(model.groups,
                   [](const TunedResult &group) { return group.seconds > 0; })
          ? "the same command goes on with them"
          : "all candidates of one are compiled before it is "
            "measured, which takes longer than there was");
}

void printModel(const TunedModel &model, bool verbose, llvm::raw_ostream &os) {
  os << onOneLine(model.name) << ":\n";
  for (const TunedResult &group : model.groups)
    printGroup(group, verbose, os);
  printUndone(model, os);
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

static void addCandidates(llvm::json::OStream &json, const TunedResult &group) {
  json.attributeArray("candidates", [&] {
    for (const fast_run::Timing &timing : group.record.timings)
      json.object([&] {
        json.attribute("name", timing.name);
        addNumber(json, "ms", timing.failure.empty() ? toMs(timing) : NAN);
        addNumber(json, "spread_ms",
                  timing.failure.empty() ? double(timing.spread) / 1e9 : NAN);
        json.attribute("failure", llvm::json::fixUTF8(timing.failure));
        addAttributes(json, timing);
      });
  });
}

static void addResult(llvm::json::OStream &json, const TunedResult &group) {
  json.attribute("key", group.key);
  json.attribute("name", llvm::json::fixUTF8(group.name));
  json.attributeArray("nodes", [&] {
    for (const std::string &node : group.nodes)
      json.value(llvm::json::fixUTF8(node));
  });
  json.attribute("class", group.kind);
  json.attribute("operands", group.operands);
  json.attribute("child", group.isChild);
  json.attribute("known", group.known);
  json.attribute("missed", group.missed);
  json.attribute("taken", group.taken);
  json.attribute("refusal", llvm::json::fixUTF8(group.refusal));
  if (auto *taken = findTiming(group.record, group.taken))
    addNumber(json, "ms", toMs(*taken));
  if (auto *byDefault = group.record.findDefault();
      byDefault && byDefault->failure.empty())
    addNumber(json, "default_ms", toMs(*byDefault));
  addNumber(json, "seconds", group.seconds);
  json.attribute("left_out", group.leftOut);
  addCandidates(json, group);
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

void addModel(llvm::json::OStream &json, const TunedModel &model) {
  json.attribute("model", llvm::json::fixUTF8(model.name));
  json.attribute("key", model.key);
  json.attribute("listed", model.isListed);
  json.attribute("left", int64_t(model.undone.size()));
  json.attributeArray("undone", [&] {
    for (const Undone &one : model.undone)
      json.object([&] {
        json.attribute("key", one.key);
        json.attribute("name", llvm::json::fixUTF8(one.name));
        json.attribute("choice", one.isChoice);
      });
  });
  for (bool isChoice : {false, true})
    json.attributeArray(isChoice ? "choices" : "groups", [&] {
      for (const TunedResult &group : model.groups)
        if (group.isChoice == isChoice)
          json.object([&] { addResult(json, group); });
    });
  if (model.verdict)
    json.attributeObject("verdict", [&] { addVerdict(json, model); });
}

void printCosts(const Tuner &tuner, llvm::raw_ostream &os) {
  const SearchCosts &costs = tuner.getCosts();
  os << fmt::format("the search took {:.1f} s: {:.1f} s to make candidates, "
                    "{:.1f} s to compile them, {:.1f} s to measure, {:.1f} s "
                    "for whole models\n",
                    costs.getSum(), costs.enumerate, costs.compile,
                    costs.measure, costs.judge);
}

void addCosts(llvm::json::OStream &json, const Tuner &tuner) {
  const SearchCosts &costs = tuner.getCosts();
  json.attributeObject("cost", [&] {
    addNumber(json, "total_s", costs.getSum());
    addNumber(json, "enumerate_s", costs.enumerate);
    addNumber(json, "compile_s", costs.compile);
    addNumber(json, "measure_s", costs.measure);
    addNumber(json, "judge_s", costs.judge);
  });
}

} // namespace fusec::tool
