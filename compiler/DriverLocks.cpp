// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a driver says and does about decisions that were given: locks,
// --choices.
#include "compiler/Driver.h"

#include "compiler/LockRow.h"
#include "compiler/import/Message.h"
#include "compiler/io/MappedFile.h"
#include "dialects/library/Library.h"
#include "passes/graph/Algorithms.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <fmt/ranges.h>
#include <set>

using namespace mlir;

namespace fusec {

/// The option that `algorithm` is offered with, where it is not given, or an
/// empty text.
static std::string findOffer(const CompileOptions &options,
                             llvm::StringRef algorithm) {
  if (fuse::needsFastNumerics(algorithm) && options.numerics != "fast")
    return "--numerics=fast";
  if (library::findVendor(algorithm) &&
      !llvm::is_contained(options.vendors, algorithm))
    return ("--vendor=" + algorithm).str();
  const fuse::LowerPrecisionName *lower = fuse::findLowerPrecision(algorithm);
  if (lower && !llvm::is_contained(options.allowed, lower->allowed))
    return ("--allow=" + lower->allowed).str();
  return "";
}

/// Says of what was to be taken, and is not there, what would allow it.
void Driver::explainMissing() {
  if (!problems.hasErrors())
    return;
  for (llvm::StringRef choice : options.choices) {
    llvm::StringRef algorithm = choice.rsplit('=').second;
    if (std::string offer = findOffer(options, algorithm); !offer.empty())
      return problems.addHint(offer + " allows " + algorithm);
  }
}

/// What is wrong with a lock as a whole is said before the stages run.
ExitCode Driver::checkLocks() {
  for (const std::string &file : {options.lock, options.writeLock}) {
    if (file.empty() || (file != options.lock && !llvm::sys::fs::exists(file)))
      continue;
    if (failed(lock::read(file, getTargetInfo(*op).name, context.get())))
      return kExitBadInput;
  }
  return kExitFine;
}

/// The entries of `all` that `known` has not, as the first line of their
/// comment: the name of a group or choice.
static std::string nameOf(llvm::StringRef comment) {
  return comment.split('\n').first.ltrim("# ").split(':').first.str();
}

static std::vector<std::string> findUnlockedGroups(const lock::Lock &all,
                                                   const lock::Lock &known) {
  std::vector<std::string> names;
  for (const auto &[key, entries] : all.groups)
    if (!known.isDecided(key))
      names.push_back(nameOf(entries.front().comment));
  return names;
}

static std::vector<std::string> findUnlockedChoices(const lock::Lock &all,
                                                    const lock::Lock &known) {
  std::vector<std::string> names;
  for (const auto &[key, entries] : all.choices)
    if (!known.isDecided(key))
      names.push_back(nameOf(entries.front().comment));
  return names;
}

/// A choice has another key where it offers other algorithms. So it is said of
/// what a lock seems to lack which options offer what the lock takes and are
/// not given; or else which algorithms the lock's choice of the same name has.
static std::string describeOffers(const CompileOptions &options,
                                  const lock::Lock &decided,
                                  const lock::Lock &given) {
  std::set<std::string> offers;
  for (const auto &[key, entries] : given.choices)
    for (const lock::Choice &choice : entries)
      offers.insert(findOffer(options, choice.algorithm));
  offers.erase("");
  if (!offers.empty())
    return "; choices of the file need " + llvm::join(offers, " and ");
  const std::vector<std::string> lacking = findUnlockedChoices(decided, given);
  for (const auto &[key, entries] : given.choices) {
    llvm::StringRef comment = entries.front().comment;
    if (!decided.choices.count(key) &&
        llvm::is_contained(lacking, nameOf(comment)))
      return ("; of " + nameOf(comment) + " the file knows another choice," +
              comment.split('\n').first.split(':').second)
          .str();
  }
  return "";
}

/// The options that make a model's groups and choices what they are: with
/// others, others would be added to a lock. Each with a space in front.
static std::string describeModel(const CompileOptions &options,
                                 llvm::StringRef row) {
  std::string text;
  auto add = [&](llvm::StringRef option, std::vector<std::string> values) {
    if (!values.empty())
      text += " " + optionText(HintStyle::Shell, option, values);
  };
  std::vector<std::string> dims, shapes, binds;
  const bool hasEntries = options.hasEntries();
  for (const auto &[dim, extent] : options.import.dims)
    if (!hasEntries || !llvm::is_contained(options.symbols, dim))
      dims.push_back(dim + "=" + std::to_string(extent));
  for (size_t symbol = 0; hasEntries && symbol < options.symbols.size();
       ++symbol) {
    llvm::SetVector<int64_t> extents;
    for (const std::vector<int64_t> &entry : options.entries)
      extents.insert(entry[symbol]);
    if (options.entriesFile.empty())
      dims.push_back(options.symbols[symbol] + "=" +
                     fmt::format("{}", fmt::join(extents, ",")));
  }
  for (const auto &[input, shape] : options.import.shapes)
    shapes.push_back(input + "=" + fmt::format("{}", fmt::join(shape, "x")));
  for (const auto &[input, file] : options.import.binds)
    binds.push_back(input + "=" + file);
  add("dim", dims);
  if (hasEntries && !options.entriesFile.empty())
    add("entries", {options.entriesFile});
  add("shape", shapes);
  add("bind", binds);
  add("count", options.import.counts);
  add("state", options.import.states);
  if (options.import.maxTrips)
    add("max-trips", {std::to_string(*options.import.maxTrips)});
  if (!options.name.empty())
    add("name", {options.name});
  if (row != kDefaultTarget)
    add(getTargetInfo(row)->platform->isDevice ? "target" : "cpu", {row.str()});
  if (options.level != kHighestLevel)
    add("level", {std::to_string(options.level)});
  if (!options.disabledRules.empty())
    add("disable-rule", {llvm::join(options.disabledRules, ",")});
  if (!options.ruleLibraries.empty())
    add("rules", {llvm::join(options.ruleLibraries, ",")});
  if (options.import.swappableWeights)
    text += " --swappable-weights";
  if (options.noFuse)
    text += " --no-fuse";
  if (options.precision != "auto")
    add("precision", {options.precision});
  if (options.numerics != "reproducible")
    add("numerics", {options.numerics});
  if (!options.vendors.empty())
    add("vendor", {llvm::join(options.vendors, ",")});
  if (!options.allowed.empty())
    add("allow", {llvm::join(options.allowed, ",")});
  return text;
}

/// Says how much of the model is not in the lock; with `frozen`, that is an
/// error.
ExitCode Driver::checkUnlocked(const lock::Lock &decided) {
  if (options.lock.empty())
    return kExitFine;
  FailureOr<lock::Lock> given =
      lock::read(options.lock, getTargetInfo(*op).name, context.get());
  if (failed(given))
    return kExitBadInput;
  std::vector<std::string> groups = findUnlockedGroups(decided, *given);
  std::vector<std::string> choices = findUnlockedChoices(decided, *given);
  if (groups.empty() && choices.empty())
    return kExitFine;
  llvm::SmallVector<std::string> counts;
  if (!groups.empty())
    counts.push_back(
        fmt::format("{} of {} groups", groups.size(), decided.groups.size()));
  if (!choices.empty())
    counts.push_back(fmt::format("{} of {} choices", choices.size(),
                                 decided.choices.size()));
  std::string lacks = describeLackOfRow(*given) + "has no entry for " +
                      llvm::join(counts, " and ");
  std::string word = shellWord(options.lock);
  std::string hint = adviseRow(options, *given) + "fusec compile " +
                     shellWord(options.input) + " -o DIR" +
                     describeModel(options, given->row);
  hint += " --lock " + word + " --write-lock " + word + " adds them";
  if (!options.frozen) {
    problems.addRemark(options.lock + ": remark: " + lacks +
                       ", which keep their defaults\n  hint: " + hint +
                       describeOffers(options, decided, *given));
    return kExitFine;
  }
  constexpr size_t kShown = 5;
  groups.insert(groups.end(), choices.begin(), choices.end());
  size_t shown = std::min(groups.size(), kShown);
  lacks += ": " + llvm::join(llvm::ArrayRef(groups).take_front(shown), ", ");
  if (shown < groups.size())
    lacks += " and " + std::to_string(groups.size() - shown) + " more";
  problems.add(
      {ProblemKind::BadInput, options.lock, "", "", "", 0, lacks,
       hint + ", without --frozen" + describeOffers(options, decided, *given)});
  return kExitFrozen;
}

ExitCode Driver::writeLock(const lock::Lock &decided) {
  const std::string &file = options.writeLock;
  if (file.empty())
    return kExitFine;
  FailureOr<lock::Lock> whole =
      lock::read(llvm::sys::fs::exists(file) ? file : "",
                 getTargetInfo(*op).name, context.get());
  if (failed(whole))
    return kExitBadInput;
  whole->add(decided);
  std::string text = whole->print();
  llvm::Error error = io::writeFileAside(file, {text.data(), text.size()});
  if (!error)
    return kExitFine;
  text = llvm::toString(std::move(error));
  llvm::StringRef reason(text);
  reason.consume_front(file + ": ");
  problems.add({ProblemKind::BadInput, file, "", "", "", 0, reason.str(),
                "the folder of sources is written and complete; only this file "
                "is missing"});
  return kExitBadInput;
}

ExitCode Driver::decide(lock::Lock &decided) {
  std::string conflict;
  decided = lock::collect(*op, conflict);
  if (!conflict.empty() && !options.writeLock.empty()) {
    problems.addBadInput(conflict, "force the same algorithm for both");
    return kExitUsage;
  }
  return checkUnlocked(decided);
}

} // namespace fusec
