// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/RunDevice.h"

#include "runtime/src/Target.h"
#include "tools/fusec/Command.h"
#include "tools/fusec/DeviceTools.h"
#include "tools/ptx-sim/RuntimeDevice.h"

#include <fmt/format.h>

namespace fusec::tool {

namespace {
class Simulator : public RunDevice {
public:
  explicit Simulator(uint32_t architecture) : device(architecture) {}

  const fusec_device &get() const override { return device.get(); }
  bool isSimulated() const override { return true; }
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

/// The first GPU of a platform.
class Gpu : public RunDevice {
public:
  Gpu(const DeviceTools &tools, fusec_device *device)
      : tools(tools), device(device) {}
  ~Gpu() override { tools.close(device); }

  const fusec_device &get() const override { return *device; }

private:
  const DeviceTools &tools;
  fusec_device *device;
};
} // namespace

/// The first GPU, and the target of the model that it takes, or why there is
/// none.
static llvm::Expected<std::unique_ptr<RunDevice>>
makeGpu(const DeviceTools &tools, const fusec_model_desc &model,
        const fusec_model_desc *&target) {
  const std::string option = ("--device " + tools.name).str();
  fusec_device *device = nullptr;
  if (tools.open(&device))
    return llvm::createStringError(option + ": " + fusec_last_error(nullptr) +
                                   "; --device sim takes the simulator");
  auto gpu = std::make_unique<Gpu>(tools, device);
  target = rt::findForDevice(model, device->architecture);
  if (target)
    return gpu;
  return llvm::createStringError(fmt::format(
      "{}: {} is of {}{}, and the model is for later architectures", option,
      device->name, tools.architecturePrefix.str(), device->architecture));
}

llvm::Expected<std::unique_ptr<RunDevice>>
RunDevice::make(const std::string &kind, const fusec_model_desc &model,
                const fusec_model_desc *&target) {
  const fusec_model_desc *forCpu = rt::findForCpu(model);
  const fusec_model_desc *forGpu = rt::findForDevice(model, UINT32_MAX);
  if (kind == kCpu && !forCpu)
    throw UsageError{
        "--device cpu: the model is for GPUs; with cpu in --target it is "
        "for CPUs, too"};
  if (kind != kAnyDevice && kind != kCpu && !forGpu)
    throw UsageError{"--device " + kind +
                     ": the model is for CPUs; --target=cuda-sm80 compiles it "
                     "for GPUs"};
  for (const DeviceTools &tools : getDeviceTools()) {
    if (!forGpu || (kind != kAnyDevice && kind != tools.name))
      continue;
    auto gpu = makeGpu(tools, model, target);
    if (gpu || kind == tools.name)
      return gpu;
    llvm::consumeError(gpu.takeError());
  }
  target = forGpu;
  if (kind == "sim" || !forCpu)
    return std::make_unique<Simulator>(forGpu->device->architecture);
  target = forCpu;
  return nullptr;
}

} // namespace fusec::tool
