// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tuner.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <memory>
#include <tuple>

#include "Cpu.h"
#include "runtime/fast_run/Machine.h"
#include "runtime/fast_run/Profile.h"

namespace fast_run = fusec::fast_run;
using namespace fusec::rt;
using fast_run::Record;
using fast_run::RecordKind;
using fast_run::Timing;

/// Fewer runs than these say little, whatever their spread.
static constexpr size_t kFewRuns = 5;

bool TunedKey::operator<(const TunedKey &other) const {
  return std::tie(group, isa, threads, algorithms) <
         std::tie(other.group, other.isa, other.threads, other.algorithms);
}

/// 16 hexadecimal digits, as caches have keys and hashes.
static std::string toHex(uint64_t value) {
  char text[17];
  snprintf(text, sizeof(text), "%016llx",
           static_cast<unsigned long long>(value));
  return text;
}

static std::string textOf(const char *text) { return text ? text : ""; }

fusec_tuner::fusec_tuner(const fusec_tuner_options &given)
    : options(given), cache(textOf(given.cache)),
      compiler(textOf(given.compiler)), machine(fast_run::describeMachine()) {
  rates.reserve(std::min(options.end, kMostTimes));
}

uint64_t fusec_tuner::now() const {
  if (options.clock)
    return options.clock(options.clock_self);
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

void fusec_tuner::log(const std::string &message) const {
  if (options.log)
    options.log(options.log_self, message.c_str());
}

fusec_status fusec_tuner::readCache(const char *path, bool mayLack,
                                    Error &error) {
  if (!path)
    return FUSEC_OK;
  fast_run::Contents contents =
      fast_run::read(fast_run::getFileSystem(), path, mayLack);
  if (!contents.error.empty())
    return error.set(FUSEC_IO_ERROR, "the cache %s cannot be read: %s", path,
                     contents.error.c_str());
  for (const fast_run::Damage &damage : contents.damages)
    log(damage.file +
        (damage.line ? ":" + std::to_string(damage.line) : std::string()) +
        ": is left out: " + damage.reason);
  sources.push_back({path, std::move(contents.records)});
  return FUSEC_OK;
}

fusec_status fusec_tuner::readCaches(Error &error) {
  if (hasRange() && fast_run::getFileSystem().getKind(cache) ==
                        fast_run::FileSystem::Kind::file)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "the cache %s is a file, and a search writes to a folder; "
                     "name the file as read_only, or another cache",
                     options.cache);
  if (const fusec_status status = readCache(options.cache, true, error))
    return status;
  return readCache(options.read_only, false, error);
}

fusec_tuner::Phase fusec_tuner::beginRun() {
  const uint64_t run = runs++;
  if (!hasRange() || run < options.begin)
    return Phase::before;
  return run < options.end ? Phase::searching : Phase::after;
}

void fusec_tuner::count(const HitRate &rate) {
  if (rates.size() < std::min(options.end, kMostTimes)) {
    rates.push_back(rate);
    return;
  }
  later.hits += rate.hits;
  later.misses += rate.misses;
}

fast_run::Backend fusec_tuner::describeBackend(const TunedKey &key) const {
  fast_run::Backend backend = machine;
  backend.isa = isaName(getScheduledIsa(key.isa));
  backend.threads = std::to_string(key.threads);
  backend.compiler = compiler;
  backend.algorithms = std::to_string(key.algorithms);
  return backend;
}

/// Whether the record of a cache speaks of `backend`.
static bool speaksOf(const Record &record, const fast_run::Backend &backend) {
  return backend.compiler.empty() ? backend.isSameMachine(record.backend)
                                  : backend == record.backend;
}

/// Takes what a record says is best of the variants that there are. One that
/// does not know the default says nothing about what is faster than it.
void fusec_tuner::askCaches(const TunedKey &key, TunedGroup &group) const {
  const fast_run::Backend backend = describeBackend(key);
  fast_run::Wish wish;
  wish.naive = false;
  for (const Source &source : sources)
    for (const Record *record :
         source.records.find(RecordKind::group, toHex(key.group))) {
      if (!speaksOf(*record, backend))
        continue;
      Record known;
      bool knowsDefault = false;
      for (const TunedVariant &variant : group.variants)
        for (Timing timing : record->timings)
          if (timing.kernel == toHex(variant.hash)) {
            timing.isDefault = variant.isDefault;
            timing.naive = false;
            knowsDefault |= variant.isDefault;
            known.timings.push_back(std::move(timing));
          }
      const Timing *best =
          knowsDefault ? fast_run::choose(known, wish) : nullptr;
      if (!best)
        continue;
      group.origin = TunedGroup::Origin::cached;
      group.taken = std::stoull(best->kernel, nullptr, 16);
      return;
    }
}

TunedGroup &fusec_tuner::attach(const TunedKey &key,
                                std::vector<TunedVariant> variants) {
  const auto [place, isNew] = groups.try_emplace(key);
  TunedGroup &group = place->second;
  for (TunedVariant &variant : variants) {
    if (std::any_of(group.variants.begin(), group.variants.end(),
                    [&](const TunedVariant &known) {
                      return known.hash == variant.hash;
                    }))
      continue;
    // Several defaults would be nobody's.
    variant.isDefault &= isNew;
    if (hasRange())
      variant.times.reserve(std::min(options.end - options.begin, kMostTimes));
    group.variants.push_back(std::move(variant));
  }
  if (isNew)
    askCaches(key, group);
  return group;
}

Record fusec_tuner::makeRecord(const TunedKey &key,
                               const TunedGroup &group) const {
  Record record;
  record.key = toHex(key.group);
  record.at = static_cast<uint64_t>(std::time(nullptr));
  record.search = "online";
  record.backend = describeBackend(key);
  for (const TunedVariant &variant : group.variants) {
    if (variant.times.empty())
      continue;
    Timing timing;
    timing.name = variant.name;
    timing.choice = variant.config;
    timing.kernel = toHex(variant.hash);
    timing.workspace = variant.workspace;
    timing.naive = variant.attributes & FUSEC_VARIANT_NAIVE;
    timing.reproducible = variant.attributes & FUSEC_VARIANT_REPRODUCIBLE;
    timing.isDefault = variant.isDefault;
    // The first run finds nothing in the caches; where there are others, they
    // count.
    std::vector<uint64_t> times(variant.times.begin() +
                                    (variant.times.size() > 2),
                                variant.times.end());
    fast_run::summarise(times, timing);
    timing.unstable = times.size() < kFewRuns ||
                      !fast_run::isStable(timing.picoseconds, timing.spread);
    record.timings.push_back(std::move(timing));
  }
  return record;
}

/// Whether each variant ran often enough to say which is fastest.
static bool canDecide(const TunedGroup &group) {
  return group.variants.size() < 2 ||
         std::all_of(
             group.variants.begin(), group.variants.end(),
             [](const TunedVariant &variant) {
               return variant.times.size() >= fusec_tuner::kFewestTimes;
             });
}

void fusec_tuner::warnOfShortRange(size_t undecided, uint64_t needed) const {
  if (undecided)
    log("the tuning range [" + std::to_string(options.begin) + ", " +
        std::to_string(options.end) + ") is too short: of " +
        std::to_string(undecided) + (undecided == 1 ? " group" : " groups") +
        " some variant ran fewer than " + std::to_string(kFewestTimes) +
        " times, and the default stays; it takes " + std::to_string(needed) +
        " runs or more");
}

void fusec_tuner::finish() {
  if (isFinished)
    return;
  isFinished = true;
  fast_run::Writer writer(fast_run::getFileSystem(), cache);
  bool isKept = !cache.empty();
  size_t undecided = 0;
  uint64_t needed = 0;
  for (auto &[key, group] : groups) {
    if (group.origin != TunedGroup::Origin::open)
      continue;
    Record record = makeRecord(key, group);
    if (record.timings.empty())
      continue;
    if (!canDecide(group)) {
      ++undecided;
      needed = std::max<uint64_t>(needed, kFewestTimes * group.variants.size());
      continue;
    }
    if (const Timing *best = fast_run::choose(record, {}))
      group.taken = std::stoull(best->kernel, nullptr, 16);
    group.origin = TunedGroup::Origin::searched;
    if (!isKept)
      continue;
    fast_run::sortTimings(record.timings);
    if (const std::string why = writer.append(record); !why.empty()) {
      log(cache + ": what was found out is not kept: " + why);
      isKept = false;
    }
  }
  warnOfShortRange(undecided, needed);
}

static std::string describeRate(const HitRate &rate) {
  const uint64_t all = rate.hits + rate.misses;
  char text[128];
  snprintf(text, sizeof(text), "\"hits\":%llu,\"misses\":%llu,\"rate\":%.4g",
           static_cast<unsigned long long>(rate.hits),
           static_cast<unsigned long long>(rate.misses),
           all ? double(rate.hits) / double(all) : 1.0);
  return text;
}

static std::string quote(const std::string &text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + "\"";
}

std::string fusec_tuner::report() {
  std::string text = "{\"format\":1,\"range\":[" +
                     std::to_string(options.begin) + "," +
                     std::to_string(options.end) +
                     "],\"runs\":" + std::to_string(runs) + ",\"steps\":[";
  for (size_t i = 0; i < rates.size(); ++i)
    text += (i ? ",{\"run\":" : "{\"run\":") + std::to_string(i) + "," +
            describeRate(rates[i]) + "}";
  text += "],\"later\":{" + describeRate(later) + "},\"groups\":[";
  bool isFirst = true;
  for (const auto &[key, group] : groups) {
    static constexpr const char *kOrigins[] = {"none", "cache", "search"};
    text += std::string(isFirst ? "" : ",") + "{\"key\":\"" + toHex(key.group) +
            "\",\"isa\":\"" + isaName(key.isa) +
            "\",\"threads\":" + std::to_string(key.threads) + ",\"from\":\"" +
            kOrigins[static_cast<int>(group.origin)] + "\",\"taken\":";
    std::string taken = "null", variants;
    for (const TunedVariant &variant : group.variants) {
      if (group.taken == variant.hash ||
          (group.taken == 0 && variant.isDefault))
        taken = quote(variant.name);
      std::vector<uint64_t> times = variant.times;
      std::sort(times.begin(), times.end());
      variants +=
          (variants.empty() ? "" : ",") + ("{\"name\":" + quote(variant.name)) +
          ",\"runs\":" + std::to_string(times.size()) + ",\"median_ns\":" +
          (times.empty() ? std::string("null")
                         : std::to_string(times[times.size() / 2] / 1000)) +
          "}";
    }
    text += taken + ",\"variants\":[" + variants + "]}";
    isFirst = false;
  }
  return text + "]}";
}

extern "C" fusec_status fusec_tuner_create(const fusec_tuner_options *options,
                                           fusec_tuner **result) {
  Error &error = threadError();
  if (!options || !result)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "fusec_tuner_create: null argument");
  *result = nullptr;
  if (options->end <= options->begin && options->begin + options->end != 0)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "the tuning range [%llu, %llu) has no run; its end must "
                     "be greater than its begin",
                     static_cast<unsigned long long>(options->begin),
                     static_cast<unsigned long long>(options->end));
  return guarded(error, [&] {
    std::unique_ptr<fusec_tuner> tuner(new fusec_tuner(*options));
    const fusec_status status = tuner->readCaches(error);
    if (status == FUSEC_OK)
      *result = tuner.release();
    return status;
  });
}

extern "C" void fusec_tuner_destroy(fusec_tuner *tuner) { delete tuner; }

extern "C" fusec_status fusec_tuner_report(fusec_tuner *tuner, char *text,
                                           uint64_t capacity, uint64_t *bytes) {
  Error &error = threadError();
  if (!tuner || !bytes || (capacity && !text))
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "fusec_tuner_report: null argument");
  return guarded(error, [&] {
    const std::lock_guard<std::mutex> lock(tuner->mutex);
    const std::string report = tuner->report();
    *bytes = report.size();
    if (capacity) {
      const uint64_t kept = std::min<uint64_t>(capacity - 1, report.size());
      std::memcpy(text, report.data(), kept);
      text[kept] = 0;
    }
    return fusec_status(FUSEC_OK);
  });
}
