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

private:
  struct Kernel {
    Module *module;
    std::string name;
  };
  using Clock = std::chrono::steady_clock;

  /// What `body` throws becomes a status and the text of it.
  static int32_t guard(void *self,
                       const std::function<void(RuntimeDevice &)> &body);
  void fillTable();

  Device device;
  fusec_device table = {};
  std::string error;
  std::deque<Kernel> kernels;           ///< that were looked up
  std::deque<Clock::time_point> events; ///< when each was recorded
  std::deque<uint32_t> marks;
};

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_RUNTIMEDEVICE_H
