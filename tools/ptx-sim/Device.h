// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library: a device that runs kernels one after another, and checks also
// that what streams and events leave unordered does not touch the same bytes.
#ifndef FUSEC_TOOLS_PTXSIM_DEVICE_H
#define FUSEC_TOOLS_PTXSIM_DEVICE_H

#include "tools/ptx-sim/Findings.h"
#include "tools/ptx-sim/Memory.h"

namespace fusec::ptx {

/// In which order blocks, and the warps of each, take their turns.
enum class Direction { Forward, Reverse };

using Stream = unsigned; ///< 0 is there from the start
using Event = unsigned;

struct LaunchConfig {
  std::string kernel; ///< the name in the PTX
  Dim3 grid, block;
  uint32_t dynamicShared = 0;
  Stream stream = 0;
  Direction direction = Direction::Forward;
};

class Device {
public:
  Device();
  ~Device();

  /// Parses PTX and places its variables; what the kernels need is decoded when
  /// they are launched. Throws Error.
  Module &load(const std::string &path, const std::string &text);

  /// Fresh memory is poisoned: to read what nobody wrote is a finding.
  uint64_t allocate(uint64_t bytes, const std::string &name = "an allocation");
  void free(uint64_t address);
  /// Whether an allocation has the byte.
  bool holds(uint64_t address) { return memory.find(address, 1); }

  /// Work is done at once, and ordered as its stream says. Copies to and from
  /// the host are ordered before what the host does next (they are not
  /// asynchronous).
  void copyIn(uint64_t to, const void *from, uint64_t bytes, Stream stream = 0);
  void copyOut(void *to, uint64_t from, uint64_t bytes, Stream stream = 0);
  void copy(uint64_t to, uint64_t from, uint64_t bytes, Stream stream = 0);
  /// Writes the bytes of a value `count` times.
  void fill(uint64_t to, const void *value, uint32_t valueBytes, uint64_t count,
            Stream stream = 0);

  /// `arguments` hold each parameter in as many bytes as it has. Throws Error
  /// where the launch is wrong or an instruction is not supported; what the
  /// kernel does wrong is a finding.
  void launch(Module &module, const LaunchConfig &config,
              const std::vector<std::vector<uint8_t>> &arguments);

  Stream createStream();
  Event record(Stream stream);
  void wait(Stream stream, Event event);
  void synchronize(Stream stream);
  void synchronize();

  /// To look at the bytes of an allocation; nothing is checked or ordered.
  const uint8_t *peek(uint64_t address, uint64_t bytes);
  bool isDefined(uint64_t address, uint64_t bytes);
  /// How many words need a list of who read them: what the checks take of
  /// memory beyond the same for each word.
  size_t countLists() const { return memory.countLists(); }

  Time now() const { return time; }
  void step() { ++time; }
  /// Whether what earlier work did at that time is ordered before what runs
  /// now.
  bool isOrdered(Time at) const {
    for (const Work *work : unordered)
      if (at >= work->first && at <= work->last)
        return false;
    return true;
  }
  std::string workAt(Time at) const;

  Findings findings;
  std::map<std::string, Counts> counts; ///< by kernel
  /// Whether plain writes of the same value race, too, as the language says.
  bool isStrict = false;
  /// How many words of an allocation have lists of who read them before what
  /// those of work that is over take of memory is given back.
  size_t mostLists = 1 << 20;

private:
  friend class Exec;

  /// One piece of work on a stream, and which earlier pieces are ordered before
  /// it.
  struct Work {
    Time first, last;
    std::string name;
  };
  using Known = std::vector<bool>;
  static void join(Known &known, const Known &other);
  /// Begins a piece of work; fills `unordered`.
  size_t begin(Stream stream, const std::string &name);
  void end(Stream stream, size_t work);
  size_t workNumber(Time at) const;
  void touch(uint64_t address, uint64_t bytes, bool isWrite,
             const std::string &name);
  Program &programOf(Module &module, const std::string &kernel);

  Memory memory;
  Time time = 1;
  uint32_t nextBlock = 1;
  uint32_t nextInst = 1;
  std::vector<Work> works;
  std::vector<Known> streams, events;
  Known host;
  /// Work that is not ordered before what runs now.
  std::vector<const Work *> unordered;
  /// Whoever accessed at this time or before is ordered before what runs now.
  Time safeTime = 0;
  /// Handed over through global memory.
  std::unordered_map<uint64_t, SyncLocation> locations;

  struct Loaded;
  std::vector<std::unique_ptr<Loaded>> modules;
};

/// How many bytes of shared memory a block can have that are static.
constexpr uint32_t kMostStaticShared = 49152;

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_DEVICE_H
