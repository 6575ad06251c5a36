// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps that a device is to do, before it is given them, and which of them must
// wait for which.
#ifndef FUSEC_RUNTIME_DEVICESTEPS_H
#define FUSEC_RUNTIME_DEVICESTEPS_H

#include "Setup.h"
#include "fusec/device.h"

namespace fusec::rt {

/// Memory that a step accesses, from `pointer` on.
struct StepMemory {
  const void *pointer;
  uint64_t bytes;
  bool isWritten;
};

/// A kernel, a copy on the device or a fill.
struct DeviceStep {
  uint32_t number;         ///< of the launch
  const char *what, *name; ///< for messages: "kernel ", and its name
  /// What it does; of its pointers, DeviceSteps::getNode has those.
  fusec_device_node node;
  uint32_t firstMemory, numMemories;
};

/// Steps in the order in which the host program makes them.
class DeviceSteps {
public:
  bool allocate(uint32_t mostSteps, uint32_t mostMemories);
  bool copy(const DeviceSteps &other);

  uint32_t size() const { return numSteps; }
  bool hasRoom(uint32_t more) const {
    return numSteps < mostSteps && more <= mostMemories - numMemories;
  }
  void clear() { numSteps = numMemories = 0; }
  /// Adds a step, to which `access` then adds the memory: the scratch and the
  /// operands of a kernel, what a copy or a fill writes, what a copy reads.
  void add(uint32_t number, const char *what, const char *name,
           const fusec_device_node &node);
  void access(const void *pointer, uint64_t bytes, bool isWritten);

  const DeviceStep &operator[](uint32_t i) const { return steps[i]; }
  /// With pointers, which are valid as long as this is as it is now.
  fusec_device_node getNode(uint32_t step) const;
  /// Whether one of two steps writes what the other accesses.
  bool conflict(uint32_t one, uint32_t other) const;
  /// Whether these do the same as others, with whichever memory.
  bool doTheSame(const DeviceSteps &others) const;
  /// Whether a step accesses the same memory as that of the same number of
  /// others, which do the same.
  bool hasMemoryOf(const DeviceSteps &others, uint32_t step) const;
  /// Takes the memory of others, which do the same.
  void takeMemory(const DeviceSteps &others);

private:
  Array<DeviceStep> steps;
  Array<StepMemory> memories;
  Array<const void *> arguments; ///< where the pointer of each memory lies
  uint32_t numSteps = 0, numMemories = 0, mostSteps = 0, mostMemories = 0;
};

/// The nodes of a graph of steps. Steps wait for those before them with which
/// they conflict, and for all that lie two spans or more before their own: the
/// steps that run at one time, of which an error names all, are those of two
/// neighbouring spans at most. For that, a graph of more steps has a node after
/// each span that marks how many steps are done; the last one resets the mark.
class DeviceNodes {
public:
  static constexpr uint32_t kUsualSpan = 8;
  static constexpr uint32_t kMostSpan = 16; ///< two of them fit in 32 bits

  bool allocate(uint32_t mostSteps, uint32_t stepsOfSpan);
  /// Makes the nodes of steps; `mark` is what they may set.
  void order(const DeviceSteps &of, const volatile uint32_t *mark);

  const fusec_device_node *data() const { return nodes.data(); }
  uint32_t size() const { return numNodes; }
  /// The number of the node that does a step.
  uint32_t getPlace(uint32_t step) const {
    return step + (hasMarks ? step / span : 0);
  }
  /// For each node, those that it waits for, and then itself.
  const uint32_t *getWaits() const { return waits.data(); }
  uint32_t countWaits() const { return numWaits; }

private:
  void begin(const fusec_device_node &node);
  void waitFor(uint32_t node);
  void end();

  Array<fusec_device_node> nodes;
  Array<uint32_t> waits;
  Array<uint32_t> ancestors; ///< per step: bit d is the step d + 1 before it
  uint32_t numNodes = 0, numWaits = 0, span = 1;
  bool hasMarks = false;
};

} // namespace fusec::rt

#endif
