// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SessionTuning.h"

#include <algorithm>
#include <utility>

#include "Model.h"

namespace fusec::rt {

/// Whether a variant is as the tuner's owner wants them.
static bool isWanted(const fusec_variant_desc &variant,
                     const fusec_tuner_options &options) {
  if ((variant.attributes & FUSEC_VARIANT_NAIVE) &&
      !(options.flags & FUSEC_TUNER_FULL_RUN))
    return false;
  if ((options.flags & FUSEC_TUNER_REPRODUCIBLE) &&
      !(variant.attributes & FUSEC_VARIANT_REPRODUCIBLE))
    return false;
  return !(options.flags & FUSEC_TUNER_LIMIT_WORKSPACE) ||
         variant.workspace_bytes <= options.workspace_limit;
}

static TunedVariant describe(const fusec_variant_desc &variant) {
  TunedVariant tuned;
  tuned.hash = variant.hash;
  tuned.name = variant.name;
  tuned.config = variant.config ? variant.config : "";
  tuned.workspace = variant.workspace_bytes;
  tuned.attributes = variant.attributes;
  return tuned;
}

std::vector<uint32_t> &SessionTuning::getGroups(uint32_t launch) {
  if (!(launch & FUSEC_CALL))
    return groupsOfLaunch[launch];
  const uint32_t call = launch & ~FUSEC_CALL;
  if (call >= choicesOfCall.size())
    choicesOfCall.resize(call + 1);
  return choicesOfCall[call];
}

void SessionTuning::begin(fusec_tuner *with, const fusec_model_desc &desc,
                          uint32_t threads, Setup &setup) {
  tuner = with;
  groups.resize(desc.num_groups);
  groupsOfLaunch.resize(desc.num_launches);
  for (uint32_t i = 0; i < desc.num_launches; ++i)
    groupsOfLaunch[i].push_back(desc.launches[i].group);
  const std::lock_guard<std::mutex> lock(tuner->mutex);
  for (uint32_t g = 0; g < desc.num_groups; ++g) {
    const fusec_group_desc &group = desc.groups[g];
    std::vector<uint32_t> numbers;
    std::vector<TunedVariant> variants;
    const fusec_variant_list &list = variantsOf(desc, setup.isa, g);
    for (uint32_t v = 0; v < list.num_variants; ++v) {
      const fusec_variant_desc &variant = list.variants[v];
      for (uint32_t i = 0; i < variant.num_launches; ++i)
        getGroups(variant.launches[i]).push_back(g);
      groups[g].isChoice |= variant.launches != nullptr;
      if (!isWanted(variant, tuner->options))
        continue;
      numbers.push_back(v);
      variants.push_back(describe(variant));
    }
    if (setup.chosen[g] || numbers.empty())
      continue;
    // What was selected stays the default, if it is as the tuner's owner wants.
    const auto selected =
        std::find(numbers.begin(), numbers.end(), setup.variants[g]);
    if (selected != numbers.end()) {
      const auto at = selected - numbers.begin();
      std::rotate(numbers.begin(), selected, selected + 1);
      std::rotate(variants.begin(), variants.begin() + at,
                  variants.begin() + at + 1);
    }
    setup.variants[g] = numbers.front();
    // What has no names that hold elsewhere cannot be remembered.
    if (group.key == 0 ||
        std::any_of(variants.begin(), variants.end(),
                    [](const TunedVariant &variant) { return !variant.hash; }))
      continue;
    variants.front().isDefault = true;
    const TunedKey key = {group.key, setup.isa, threads, desc.algorithms};
    TunedGroup &tuned = tuner->attach(key, std::move(variants));
    groups[g].tuned = &tuned;
    groups[g].mayChange =
        tuner->hasRange() && tuned.origin == TunedGroup::Origin::open;
    for (const uint32_t number : numbers)
      for (TunedVariant &known : tuned.variants)
        if (known.hash == list.variants[number].hash) {
          groups[g].candidates.push_back({number, &known});
          if (known.hash == tuned.taken)
            setup.variants[g] = number;
        }
  }
}

fusec_status SessionTuning::plan(const fusec_model_desc &desc,
                                 const int64_t *symbols, Setup &setup,
                                 Error &error) const {
  fusec_status status = setup.plan(desc, symbols, error);
  for (uint32_t g = 0; g < groups.size(); ++g)
    for (const Candidate &candidate : groups[g].candidates) {
      const uint32_t before = setup.variants[g];
      if (status || !groups[g].mayChange)
        break;
      setup.variants[g] = candidate.variant;
      status = setup.plan(desc, symbols, error);
      setup.variants[g] = before;
    }
  return status;
}

std::vector<uint32_t> SessionTuning::getCandidates(uint32_t group) const {
  std::vector<uint32_t> numbers;
  if (groups[group].mayChange)
    for (const Candidate &candidate : groups[group].candidates)
      numbers.push_back(candidate.variant);
  return numbers;
}

void SessionTuning::warn(const fusec_model_desc &desc) const {
  if (!tuner->hasRange() ||
      std::any_of(groups.begin(), groups.end(), [](const Group &group) {
        return group.candidates.size() > 1;
      }))
    return;
  tuner->log("model '" + std::string(desc.name) +
             "' has one variant of each group, so that there is nothing to "
             "search in the tuning range; compile it with --variants=5");
}

bool SessionTuning::isLaunched(const fusec_model_desc &desc,
                               const uint32_t *selection,
                               uint32_t launch) const {
  const std::vector<uint32_t> &of = groupsOfLaunch[launch];
  // Behind the kernel's group stand choices.
  return std::all_of(of.begin() + 1, of.end(), [&](uint32_t choice) {
    const fusec_variant_desc &taken =
        desc.groups[choice].variants->variants[selection[choice]];
    const uint32_t *end = taken.launches + taken.num_launches;
    return std::find(taken.launches, end, launch) != end;
  });
}

HitRate SessionTuning::getRate(const fusec_model_desc &desc,
                               const uint32_t *selection) const {
  HitRate rate;
  for (uint32_t i = 0; i < groupsOfLaunch.size(); ++i) {
    const TunedGroup *tuned = groups[groupsOfLaunch[i].front()].tuned;
    if (!tuned || !isLaunched(desc, selection, i))
      continue;
    if (tuned->origin == TunedGroup::Origin::open)
      ++rate.misses;
    else
      ++rate.hits;
  }
  return rate;
}

/// How many times as long as the fastest one takes who is left early.
static constexpr uint64_t kTooSlow = 2;

/// The least time of those that have run often enough to tell; 0: none has.
static uint64_t findFastest(const std::deque<TunedVariant> &variants) {
  uint64_t fastest = 0;
  for (const TunedVariant &variant : variants)
    if (variant.times.size() >= fusec_tuner::kFewestTimes) {
      const uint64_t least =
          *std::min_element(variant.times.begin(), variant.times.end());
      fastest = fastest ? std::min(fastest, least) : least;
    }
  return fastest;
}

/// Whether it is too slow to be tried again.
static bool isLeft(const TunedVariant &variant, uint64_t fastest) {
  return fastest && variant.times.size() >= fusec_tuner::kFewestTimes &&
         *std::min_element(variant.times.begin(), variant.times.end()) /
                 kTooSlow >
             fastest;
}

void SessionTuning::takeTurns(VariantSwitch &variants) {
  for (uint32_t g = 0; g < groups.size(); ++g) {
    Group &group = groups[g];
    group.current = nullptr;
    group.nanoseconds = 0;
    // An alternative that launches nothing runs as well.
    group.ran = group.isChoice;
    if (!group.mayChange || group.tuned->origin != TunedGroup::Origin::open)
      continue;
    const uint64_t fastest = tuner->options.flags & FUSEC_TUNER_EXHAUSTIVE
                                 ? 0
                                 : findFastest(group.tuned->variants);
    const auto next =
        std::min_element(group.candidates.begin(), group.candidates.end(),
                         [&](const Candidate &a, const Candidate &b) {
                           return std::make_pair(isLeft(*a.tuned, fastest),
                                                 a.tuned->times.size()) <
                                  std::make_pair(isLeft(*b.tuned, fastest),
                                                 b.tuned->times.size());
                         });
    group.current = next->tuned;
    variants.takeVariant(g, next->variant);
  }
}

void SessionTuning::settle(VariantSwitch &variants) {
  for (uint32_t g = 0; g < groups.size(); ++g) {
    const Group &group = groups[g];
    if (!group.mayChange)
      continue;
    uint32_t taken = group.candidates.front().variant;
    for (const Candidate &candidate : group.candidates)
      if (candidate.tuned->hash == group.tuned->taken)
        taken = candidate.variant;
    variants.takeVariant(g, taken);
  }
  isSettled = true;
}

void SessionTuning::beginStep(void *self, uint32_t step) {
  SessionTuning &tuning = *static_cast<SessionTuning *>(self);
  if (tuning.inner)
    tuning.inner->begin(tuning.inner->self, step);
  tuning.started = tuning.tuner->now();
}

void SessionTuning::endStep(void *self, uint32_t step) {
  SessionTuning &tuning = *static_cast<SessionTuning *>(self);
  const uint64_t time = tuning.tuner->now() - tuning.started;
  auto count = [&](const std::vector<uint32_t> &of) {
    for (const uint32_t group : of) {
      tuning.groups[group].nanoseconds += time;
      tuning.groups[group].ran = true;
    }
  };
  const size_t launches = tuning.groupsOfLaunch.size();
  if (step < launches)
    count(tuning.groupsOfLaunch[step]);
  else if (step - launches < tuning.choicesOfCall.size())
    count(tuning.choicesOfCall[step - launches]);
  if (tuning.inner)
    tuning.inner->end(tuning.inner->self, step);
}

fusec_status SessionTuning::runTimed(const fusec_model_desc &desc,
                                     fusec_run_ctx &ctx) {
  const fusec_profile_hook hook = {beginStep, endStep, this, nullptr};
  inner = ctx.profile;
  ctx.profile = &hook;
  const fusec_status status = desc.run(&ctx);
  ctx.profile = inner;
  if (status == FUSEC_OK)
    for (Group &group : groups)
      if (group.current && group.ran &&
          group.current->times.size() < fusec_tuner::kMostTimes)
        group.current->times.push_back(group.nanoseconds * 1000);
  return status;
}

fusec_status SessionTuning::run(const fusec_model_desc &desc,
                                fusec_run_ctx &ctx, VariantSwitch &variants) {
  std::unique_lock<std::mutex> lock(tuner->mutex);
  switch (tuner->beginRun()) {
  case fusec_tuner::Phase::before:
    break;
  case fusec_tuner::Phase::searching:
    takeTurns(variants);
    tuner->count(getRate(desc, ctx.selection));
    return runTimed(desc, ctx);
  case fusec_tuner::Phase::after:
    tuner->finish();
    if (!isSettled)
      settle(variants);
    break;
  }
  tuner->count(getRate(desc, ctx.selection));
  lock.unlock();
  return desc.run(&ctx);
}

} // namespace fusec::rt
