// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which variants ran how fast, over all sessions that share a tuner.
#ifndef FUSEC_RUNTIME_TUNER_H
#define FUSEC_RUNTIME_TUNER_H

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "Error.h"
#include "runtime/fast_run/Cache.h"

namespace fusec::rt {

/// What two sessions have in common where they have a group in common.
struct TunedKey {
  uint64_t group; ///< fusec_group_desc.key
  fusec_isa isa;
  uint32_t threads;
  uint32_t algorithms; ///< fusec_model_desc.algorithms

  bool operator<(const TunedKey &other) const;
};

struct TunedVariant {
  uint64_t hash = 0; ///< fusec_variant_desc.hash
  std::string name, config;
  uint64_t workspace = 0;
  uint32_t attributes = 0;
  bool isDefault = false;
  std::vector<uint64_t> times; ///< picoseconds of each run that counts
};

struct TunedGroup {
  enum class Origin {
    open,    ///< it is being searched, or has no range to be searched in
    cached,  ///< a cache knew it
    searched ///< the range is over
  };

  std::deque<TunedVariant> variants; ///< whose addresses stay
  Origin origin = Origin::open;
  /// What is taken: the hash of a variant, 0 for the default.
  uint64_t taken = 0;
};

/// Launches of one run whose groups were known, and all others.
struct HitRate {
  uint64_t hits = 0, misses = 0;
};

} // namespace fusec::rt

/// All members but `options` are guarded by `mutex`, which a run that tries
/// variants holds as long as it lasts: times side by side would be of both.
struct fusec_tuner {
  enum class Phase { before, searching, after };

  explicit fusec_tuner(const fusec_tuner_options &given);

  /// Reads the caches; an unreadable one is an error.
  fusec_status readCaches(fusec::rt::Error &error);

  bool hasRange() const { return options.end > options.begin; }
  /// Counts a run; says what to do in it.
  Phase beginRun();
  /// Of the run that was counted last.
  void count(const fusec::rt::HitRate &rate);

  /// The group of that key with `variants`, of which the first is the default:
  /// the group that is known, or a new one that caches were asked about.
  fusec::rt::TunedGroup &attach(const fusec::rt::TunedKey &key,
                                std::vector<fusec::rt::TunedVariant> variants);
  /// Decides what is open, and writes it to the cache.
  void finish();

  std::string report();
  void log(const std::string &message) const;

  uint64_t now() const;

  /// Fewer runs of a variant say nothing about it: the first one finds nothing
  /// in the caches.
  static constexpr size_t kFewestTimes = 3;
  /// At most so many runs of a variant are remembered, and as many rates.
  static constexpr uint64_t kMostTimes = 1024;

  std::mutex mutex;
  const fusec_tuner_options options;

private:
  struct Source {
    std::string name;
    fusec::fast_run::Records records;
  };

  fusec_status readCache(const char *path, bool mayLack,
                         fusec::rt::Error &error);
  fusec::fast_run::Backend
  describeBackend(const fusec::rt::TunedKey &key) const;
  void askCaches(const fusec::rt::TunedKey &key,
                 fusec::rt::TunedGroup &group) const;
  void warnOfShortRange(size_t undecided, uint64_t runs) const;
  fusec::fast_run::Record makeRecord(const fusec::rt::TunedKey &key,
                                     const fusec::rt::TunedGroup &group) const;

  // The caller's texts need not live.
  const std::string cache, compiler;
  const fusec::fast_run::Backend machine;
  std::vector<Source> sources;
  std::map<fusec::rt::TunedKey, fusec::rt::TunedGroup> groups;
  uint64_t runs = 0;
  std::vector<fusec::rt::HitRate> rates; ///< of the first runs
  fusec::rt::HitRate later;              ///< of all others
  bool isFinished = false;
};

#endif
