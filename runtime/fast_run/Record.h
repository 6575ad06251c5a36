// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Fast-Run remembers: how fast the algorithms of a group were, and where.
#ifndef FUSEC_RUNTIME_FAST_RUN_RECORD_H
#define FUSEC_RUNTIME_FAST_RUN_RECORD_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fusec::fast_run {

/// What timings depend on besides the kernel: those of another backend are no
/// advice. The fields that a kind of device has none of are empty.
struct Backend {
  std::string device;     ///< model of the CPU or the GPU
  std::string isa;        ///< instruction set, or compute capability
  std::string caches;     ///< bytes of each level: "32768/1048576/33554432"
  std::string cores;      ///< that the process may use
  std::string threads;    ///< that ran
  std::string compiler;   ///< of the emitted source: name and version
  std::string driver;     ///< of the device
  std::string algorithms; ///< version of the set of algorithms

  bool operator==(const Backend &other) const;
  /// Whether nothing but the compiler differs.
  bool isSameMachine(const Backend &other) const;
  /// The names of the fields in which they differ, with commas.
  std::string getDifferences(const Backend &other) const;
};

/// A field of Backend, and the name that it has in text.
struct BackendField {
  const char *name;
  std::string Backend::*member;
};
/// All of them, in the order of the text.
const std::vector<BackendField> &getBackendFields();

/// An algorithm that ran.
struct Timing {
  std::string name;   ///< as fusec algos lists it
  std::string choice; ///< what a line of fusec.lock says of it, behind its key
  std::string kernel; ///< 16 hexadecimal digits: a hash of the emitted text
  uint64_t picoseconds = 0; ///< median of a run
  uint64_t spread = 0;      ///< between quartiles, picoseconds
  uint64_t workspace = 0;   ///< bytes
  bool naive = false;
  bool reproducible = false;
  bool isDefault = false; ///< what is taken without timings
  /// The machine had no time for itself, however often this was repeated.
  bool unstable = false;
  /// Why there is no time: it crashed, it took too long, or its results were
  /// wrong. Empty where it was timed.
  std::string failure;
};

enum class RecordKind {
  group, ///< the algorithms of a group, or of a choice between graphs
  model  ///< whether they help a model: its key is of its groups' keys
};

struct Record {
  RecordKind kind = RecordKind::group;
  std::string key;    ///< 16 hexadecimal digits (passes/lock/GroupKey.h)
  uint64_t at = 0;    ///< seconds since 1970, UTC
  std::string search; ///< "heuristic", "exhaustive" or "online"
  Backend backend;
  /// Of a GPU, while it ran: "1395-1410/1593", MHz of its processors and of its
  /// memory.
  std::string clocks;
  /// Of a group what ran, the fastest first, failures last. Of a model the
  /// whole with its defaults and with what was chosen, by these names.
  std::vector<Timing> timings;
  /// Of a model: the keys of the groups that keep their defaults after all.
  std::vector<std::string> keptDefaults;

  /// The hash of the kernel that was fastest; empty where none ran.
  std::string getKernel() const;
  /// The timing of what is taken without timings, or null.
  const Timing *findDefault() const;
};

/// What a session wants of an algorithm.
struct Wish {
  bool reproducible = false;
  bool naive = true; ///< whether it may be the naive one
  std::optional<uint64_t> workspaceLimit;
};

/// The candidate to take: the default, unless another one is faster by more
/// than the spread of either. Of those that are, the fastest; of those as fast
/// as it, within their spread, the one that needs least workspace, then the
/// first. Null where nothing ran.
const Timing *decide(const std::vector<const Timing *> &candidates);

/// The one to take of those of `record` that are as wished, or null.
const Timing *choose(const Record &record, const Wish &wish);

/// Sorts timings by time, failures last, ties by workspace and name.
void sortTimings(std::vector<Timing> &timings);

} // namespace fusec::fast_run

#endif
