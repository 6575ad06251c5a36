// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/BenchResult.h"

#include "compiler/import/Message.h"
#include "tools/fusec/Contender.h"
#include "tools/fusec/Json.h"

#include <cmath>
#include <fmt/format.h>

namespace fusec::tool {

fast_run::Comparison SidePair::compare() const {
  return isSame || !again || !isCompared()
             ? fast_run::Comparison()
             : fast_run::compareInTurns(heuristic->all, again->all, tuned->all);
}

double SidePair::getRatio() const {
  return isCompared() ? compare().ratio : NAN;
}

double SidePair::getChance() const {
  return isCompared() && again && !isSame ? compare().chance : NAN;
}

llvm::StringRef SidePair::getVerdict() const {
  const fast_run::Comparison comparison = compare();
  return !isCompared()         ? ""
         : isSame              ? "same"
         : comparison.isFaster ? "faster"
         : comparison.isSlower ? "slower"
                               : "none";
}

double SidePair::getSpread() const {
  return std::max(heuristic.value_or(Side()).ms.spread,
                  tuned.value_or(Side()).ms.spread);
}

bool SidePair::isUnstable() const {
  return !isStable(heuristic.value_or(Side()).ms) ||
         !isStable(tuned.value_or(Side()).ms);
}

static double getMs(const std::optional<Side> &side) {
  return side ? side->ms.median : NAN;
}

/// A number, or nothing where there is none.
static std::string formatCell(const char *format, double value) {
  return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

/// What a ratio may be by chance.
static std::string formatChance(const SidePair &times) {
  const double chance = times.getChance();
  return std::isnan(chance) ? "-"
                            : fmt::format("{:.2f}-{:.2f}", 1 / chance, chance);
}

static void printRow(const SidePair &times, const std::string &what,
                     llvm::raw_ostream &os) {
  const llvm::StringRef verdict = times.getVerdict();
  os << fmt::format("{:>12}  {:>9}  {:>5}  {:>9}  {:<7}  {:>9}  {}{}\n",
                    formatCell("{:.4f}", getMs(times.heuristic)),
                    formatCell("{:.4f}", getMs(times.tuned)),
                    formatCell("{:.2f}", times.getRatio()), formatChance(times),
                    verdict.empty() ? "-" : verdict.str(),
                    formatCell("{:.4f}", times.getSpread()), what,
                    times.isUnstable() ? " (unstable)" : "");
}

/// Says what the numbers mean for the model.
static void printVerdict(const SidePair &model, llvm::raw_ostream &os) {
  const fast_run::Comparison comparison = model.compare();
  const std::string chance = formatChance(model);
  if (model.getVerdict() == "same")
    os << "nothing differs: as the caches say, the model is the same program "
          "as by its defaults, which was timed once\n";
  else if (comparison.isFaster)
    os << fmt::format("tuning makes the model {:.2f} times as fast, beyond "
                      "what its defaults differ from themselves ({})\n",
                      comparison.ratio, chance);
  else if (comparison.isSlower)
    os << fmt::format("tuning makes the model slower, beyond what its defaults "
                      "differ from themselves ({}); fusec tune --retune all "
                      "measures again\n",
                      chance);
  else if (model.isCompared())
    os << fmt::format("no gain is claimed: the model's defaults differ from "
                      "themselves as much in this run ({})\n",
                      chance);
  if (model.isUnstable())
    os << "the model's times differ by more than a tenth, however often they "
          "are measured: something else runs on this machine, or it is over "
          "too soon\n";
}

void printTable(const BenchResult &result, llvm::raw_ostream &os) {
  printTableHeader(os, "heuristic ms   tuned ms  ratio  by chance  verdict  "
                       "spread ms  kernel, and what is taken of it");
  for (const auto &[key, row] : result.groups)
    printRow(row.times,
             key + " " + row.name + ": " + row.algorithm +
                 (row.miss.empty() ? "" : " (" + row.miss + ")"),
             os);
  printRow(result.model, "the model", os);
  printVerdict(result.model, os);
}

void addSides(llvm::json::OStream &json, const SidePair &times) {
  addNumber(json, "heuristic_ms", getMs(times.heuristic));
  addNumber(json, "tuned_ms", getMs(times.tuned));
  addNumber(json, "ratio", times.getRatio());
  addNumber(json, "chance", times.getChance());
  if (llvm::StringRef verdict = times.getVerdict(); verdict.empty())
    json.attribute("verdict", nullptr);
  else
    json.attribute("verdict", verdict);
  addNumber(json, "spread_ms", times.getSpread());
  json.attribute("unstable", times.isUnstable());
}

} // namespace fusec::tool
