// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records by chance.
#ifndef FUSEC_TEST_RUNTIME_FASTRUNRECORDS_H
#define FUSEC_TEST_RUNTIME_FASTRUNRECORDS_H

#include "runtime/fast_run/Cache.h"
#include "runtime/fast_run/RecordText.h"

#include <random>

namespace fusec::fast_run {

using Random = std::mt19937_64;

/// Few keys, backends and kernels, so that records meet.
inline Record makeRecord(Random &random) {
  const auto below = [&](uint64_t count) { return random() % count; };
  const auto word = [&](const char *stem) {
    return stem + std::to_string(below(3));
  };
  Record record;
  record.kind = below(4) ? RecordKind::group : RecordKind::model;
  record.key = hash(word("key"));
  record.at = below(4);
  record.search = below(2) ? "heuristic" : "exhaustive";
  record.backend.device = word("AMD \"EPYC\" \\ 9B14 | ");
  record.backend.threads = word("");
  if (below(2))
    record.clocks = word("1395-1410/159");
  for (uint64_t left = below(4); left > 0; --left) {
    Timing timing;
    timing.name = word("tiles_");
    timing.choice = word("proposer=isl config=#sched.config<[8, 48]>");
    timing.kernel = hash(word("kernel"));
    timing.picoseconds = below(1000);
    timing.workspace = below(2) << 20;
    timing.naive = below(2);
    timing.reproducible = below(2);
    if (below(4) == 0)
      timing.failure = word("signal ");
    record.timings.push_back(timing);
  }
  if (record.kind == RecordKind::model)
    record.keptDefaults.assign(below(3), hash("kept"));
  return record;
}

inline Records makeRecords(Random &random) {
  Records records;
  for (uint64_t left = random() % 12; left > 0; --left)
    records.add(makeRecord(random));
  return records;
}

inline Records merge(const Records &a, const Records &b) {
  Records both = a;
  both.add(b);
  return both;
}

} // namespace fusec::fast_run

#endif // FUSEC_TEST_RUNTIME_FASTRUNRECORDS_H
