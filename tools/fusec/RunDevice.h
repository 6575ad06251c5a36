// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernels of a model for a GPU run on.
#ifndef FUSEC_TOOLS_FUSEC_RUNDEVICE_H
#define FUSEC_TOOLS_FUSEC_RUNDEVICE_H

#include "fusec/device.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace fusec::tool {

/// A GPU where there is one that fits, else the CPU where the model has kernels
/// for it, else the simulator.
inline constexpr const char *kAnyDevice = "auto";
inline constexpr const char *kCpu = "cpu";

class RunDevice {
public:
  /// A GPU (the name of its platform), the simulator ("sim"), kAnyDevice or
  /// kCpu, for one of the targets of `model`, which becomes `target`; null for
  /// kernels for CPUs. Throws UsageError where the model has none for such a
  /// device.
  static llvm::Expected<std::unique_ptr<RunDevice>>
  make(const std::string &kind, const fusec_model_desc &model,
       const fusec_model_desc *&target);
  virtual ~RunDevice() = default;

  virtual const fusec_device &get() const = 0;
  /// Whether time is none of a GPU's, and runs in two orders of blocks and
  /// warps show more than one.
  virtual bool isSimulated() const { return false; }
  virtual void setReverse(bool) {}
  /// What was found wrong in the kernels that ran, a line each.
  virtual std::vector<std::string> listFindings() const { return {}; }
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_RUNDEVICE_H
