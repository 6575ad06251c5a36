// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulator as a device of the runtime (fusec/device.h).
#ifndef FUSEC_TOOLS_PTXSIM_RUNTIMEDEVICE_H
#define FUSEC_TOOLS_PTXSIM_RUNTIMEDEVICE_H

#include "fusec/device.h"
#include "tools/ptx-sim/Device.h"

#include <chrono>
#include <deque>
#include <functional>

namespace fusec::ptx {

/// Loads PTX. Its times are those of the simulation. One thread at a time may
/// use it.
class RuntimeDevice {
public:
  explicit RuntimeDevice(uint32_t architecture);
  virtual ~RuntimeDevice() = default;
  RuntimeDevice(const RuntimeDevice &) = delete;
  RuntimeDevice &operator=(const RuntimeDevice &) = delete;

  const fusec_device &get() const { return table; }
  const Findings &getFindings() const { return device.findings; }
  const std::map<std::string, Counts> &getCounts() const {
    return device.counts;
  }

  /// Of the launches that follow.
  Direction direction = Direction::Forward;
  /// Device::isStrict, and Findings::isFirstEnough.
  void beStrict() { device.isStrict = true; }
  void stopAtFirstFinding() { device.findings.isFirstEnough = true; }

protected:
  /// The functions that do what nodes of graphs do.
  virtual const fusec_device &getSteps() const { return table; }

private:
  struct Kernel {
    Module *module;
    std::string name;
  };
  /// What a graph keeps of a node.
  struct Node {
    fusec_device_node what;
    std::vector<uint32_t> before;
    std::vector<std::vector<uint8_t>> arguments;
    Stream stream; ///< each has one, so that only what it waits for orders it
  };
  struct Graph {
    std::vector<Node> nodes;
  };
  using Clock = std::chrono::steady_clock;

  /// What `body` throws becomes a status and the text of it.
  static int32_t guard(void *self,
                       const std::function<void(RuntimeDevice &)> &body);
  void fillTable();
  void fillGraphs();
  /// Runs nodes in one of the orders that a graph allows: first the ready one
  /// that comes first in the list, or, in reverse, that comes last.
  int32_t launchGraph(Stream stream, const Graph &graph);
  int32_t run(const Node &node) const;

  Device device;
  fusec_device table = {};
  std::string error;
  std::deque<Kernel> kernels;           ///< that were looked up
  std::deque<Clock::time_point> events; ///< when each was recorded
  std::deque<uint32_t> marks;
  std::deque<Graph> graphs; ///< they live as long as the simulator
};

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_RUNTIMEDEVICE_H
