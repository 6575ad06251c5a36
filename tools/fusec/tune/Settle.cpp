// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of fusec tune, what comes last: what helps the model as a whole.
#include "tools/fusec/tune/Tuner.h"

#include "llvm/Support/TimeProfiler.h"

namespace fusec::tool {

using fast_run::Record;
using fast_run::RecordKind;
using fast_run::Timing;

/// The groups of the alternative that is taken of `choice`: by default, the
/// first.
static const std::set<std::string> &getTakenGroups(const TunedResult &choice) {
  for (const TunedAlternative &alternative : choice.alternatives)
    if (alternative.algorithm == choice.taken)
      return alternative.groups;
  return choice.alternatives.front().groups;
}

static bool isTakenByDefault(const TunedResult &one) {
  return llvm::none_of(one.record.timings, [&](const Timing &timing) {
    return timing.name == one.taken && !timing.isDefault;
  });
}

static ChangedPart makePart(const TunedResult &one) {
  ChangedPart part;
  part.key = one.key;
  if (!one.isChoice)
    part.groups = {one.key};
  else if (one.isOfKernels)
    for (const TunedAlternative &alternative : one.alternatives)
      part.groups.insert(alternative.groups.begin(), alternative.groups.end());
  return part;
}

/// What of a model is not taken by its default. Of the groups of choices these
/// are those of alternatives that are taken, or would be by default;
/// `isDifferent` is whether the model is another one.
static std::vector<ChangedPart> listChanged(const TunedModel &model,
                                            bool &isDifferent) {
  std::set<std::string> taken, byDefault;
  for (const TunedResult &one : model.groups)
    if (one.isChoice) {
      const std::set<std::string> &groups = getTakenGroups(one),
                                  &first = one.alternatives.front().groups;
      taken.insert(groups.begin(), groups.end());
      byDefault.insert(first.begin(), first.end());
    }
  std::vector<ChangedPart> changed;
  for (const TunedResult &one : model.groups) {
    const bool isIn = !one.isChild || taken.count(one.key);
    if (isTakenByDefault(one) || (!isIn && !byDefault.count(one.key)))
      continue;
    isDifferent |= isIn;
    changed.push_back(makePart(one));
  }
  return changed;
}

static bool isDefaultWrong(const Record &record) {
  return llvm::any_of(record.timings, [](const Timing &timing) {
    return timing.isDefault && !timing.failure.empty();
  });
}

ExitCode Tuner::settle(const CompileOptions &chosen, TunedModel &result) {
  llvm::TimeTraceScope scope("set");
  bool isNew = false, isChanged = false;
  for (const TunedResult &group : result.groups)
    isNew |= !group.known && !group.record.timings.empty();
  const std::vector<ChangedPart> changed = listChanged(result, isChanged);
  TunedChoices known(backend, {});
  known.add(options.cache, records);
  if (const Record *verdict = known.findVerdict(result.key);
      verdict && !isNew) {
    result.verdict = *verdict;
    result.verdictKnown = true;
    result.isJudgementLeft = false;
    return kExitFine;
  }
  ModelVerdict verdict;
  if (isChanged) {
    const ExitCode code = take(costs.judge, [&] {
      return workbench.judge(chosen, options.threads, backend, records, changed,
                             verdict);
    });
    if (code != kExitFine)
      return code == kExitInterrupted ? kExitFine : code;
  }
  result.isJudgementLeft = false;
  compilations += verdict.compilations;
  timings += verdict.timings.size();
  Record &record = result.verdict.emplace();
  record.kind = RecordKind::model;
  record.key = result.key;
  record.timings = verdict.timings;
  record.keptDefaults = verdict.keptDefaults;
  // However fast a default is that is wrong: no model keeps it.
  llvm::erase_if(record.keptDefaults, [&](const std::string &key) {
    return llvm::any_of(result.groups, [&](const TunedResult &group) {
      return group.key == key && isDefaultWrong(group.record);
    });
  });
  return keep(record);
}

} // namespace fusec::tool
