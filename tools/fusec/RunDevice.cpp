// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/RunDevice.h"

#include "fusec/cuda_driver.h"
#include "tools/ptx-sim/RuntimeDevice.h"

#include <fmt/format.h>

namespace fusec::tool {

namespace {
class Simulator : public RunDevice {
public:
  explicit Simulator(uint32_t architecture) : device(architecture) {}

  const fusec_device &get() const override { return device.get(); }
  bool hasOrders() const override { return true; }
  void setReverse(bool reverse) override {
    device.direction =
        reverse ? ptx::Direction::Reverse : ptx::Direction::Forward;
  }
  std::vector<std::string> listFindings() const override {
    std::vector<std::string> lines;
    for (const ptx::Finding &finding : device.getFindings().all())
      lines.push_back(fmt::format("{}:{}: {}: {}: {}", finding.file,
                                  finding.line, finding.kind, finding.kernel,
                                  finding.message));
    return lines;
  }

private:
  ptx::RuntimeDevice device;
};

/// The first GPU of CUDA's driver.
class Gpu : public RunDevice {
public:
  explicit Gpu(fusec_device *device) : device(device) {}
  ~Gpu() override { fusec_cuda_device_destroy(device); }

  const fusec_device &get() const override { return *device; }

private:
  fusec_device *device;
};
} // namespace

llvm::Expected<std::unique_ptr<RunDevice>>
RunDevice::make(const std::string &kind, uint32_t architecture) {
  if (kind == "sim")
    return std::make_unique<Simulator>(architecture);
  fusec_device *device = nullptr;
  std::string reason;
  if (fusec_cuda_device_create(nullptr, &device))
    reason = fusec_last_error(nullptr);
  else if (device->architecture < architecture)
    reason = fmt::format("{} is of sm_{}, and the model needs sm_{} or later",
                         device->name, device->architecture, architecture);
  if (reason.empty())
    return std::make_unique<Gpu>(device);
  fusec_cuda_device_destroy(device);
  if (kind == kAnyDevice)
    return std::make_unique<Simulator>(architecture);
  return llvm::createStringError("--device cuda: " + reason);
}

} // namespace fusec::tool
