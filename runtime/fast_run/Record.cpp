// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast_run/Record.h"

#include <algorithm>
#include <tuple>

namespace fusec::fast_run {

const std::vector<BackendField> &getBackendFields() {
  static const std::vector<BackendField> fields = {
      {"device", &Backend::device},   {"isa", &Backend::isa},
      {"caches", &Backend::caches},   {"cores", &Backend::cores},
      {"threads", &Backend::threads}, {"compiler", &Backend::compiler},
      {"driver", &Backend::driver},   {"algorithms", &Backend::algorithms},
  };
  return fields;
}

bool Backend::operator==(const Backend &other) const {
  return getDifferences(other).empty();
}

bool Backend::isSameMachine(const Backend &other) const {
  Backend same = other;
  same.compiler = compiler;
  return *this == same;
}

std::string Backend::getDifferences(const Backend &other) const {
  std::string names;
  for (const BackendField &field : getBackendFields())
    if (this->*field.member != other.*field.member)
      names += (names.empty() ? "" : ", ") + std::string(field.name);
  return names;
}

const Timing *Record::findDefault() const {
  const auto found =
      std::find_if(timings.begin(), timings.end(),
                   [](const Timing &timing) { return timing.isDefault; });
  return found == timings.end() ? nullptr : &*found;
}

std::string Record::getKernel() const {
  return !timings.empty() && timings.front().failure.empty()
             ? timings.front().kernel
             : std::string();
}

const Timing *decide(const std::vector<const Timing *> &candidates) {
  const auto isFaster = [](const Timing &one, const Timing &other) {
    return one.picoseconds + std::max(one.spread, other.spread) <
           other.picoseconds;
  };
  const Timing *fastest = nullptr, *byDefault = nullptr;
  for (const Timing *timing : candidates) {
    if (!timing->failure.empty())
      continue;
    if (!fastest || timing->picoseconds < fastest->picoseconds)
      fastest = timing;
    if (timing->isDefault)
      byDefault = timing;
  }
  if (byDefault && !isFaster(*fastest, *byDefault))
    return byDefault;
  const Timing *best = nullptr;
  for (const Timing *timing : candidates)
    if (timing->failure.empty() && !isFaster(*fastest, *timing) &&
        (!best || timing->workspace < best->workspace))
      best = timing;
  return best;
}

const Timing *choose(const Record &record, const Wish &wish) {
  std::vector<const Timing *> fitting;
  for (const Timing &timing : record.timings)
    if ((wish.naive || !timing.naive) &&
        (!wish.reproducible || timing.reproducible) &&
        timing.workspace <= wish.workspaceLimit.value_or(timing.workspace))
      fitting.push_back(&timing);
  return decide(fitting);
}

void sortTimings(std::vector<Timing> &timings) {
  const auto rank = [](const Timing &timing) {
    return std::make_tuple(!timing.failure.empty(), timing.picoseconds,
                           timing.workspace, timing.name);
  };
  std::sort(
      timings.begin(), timings.end(),
      [&](const Timing &a, const Timing &b) { return rank(a) < rank(b); });
}

} // namespace fusec::fast_run
