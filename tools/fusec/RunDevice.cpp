// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/RunDevice.h"

#include "fusec/cuda_driver.h"
#include "runtime/src/Target.h"
#include "tools/fusec/Command.h"
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

/// The first GPU, and the target of the model that it takes, or why there is
/// none.
static llvm::Expected<std::unique_ptr<RunDevice>>
makeGpu(const fusec_model_desc &model, const fusec_model_desc *&target) {
  fusec_device *device = nullptr;
  if (fusec_cuda_device_create(nullptr, &device))
    return llvm::createStringError(std::string("--device cuda: ") +
                                   fusec_last_error(nullptr) +
                                   "; --device sim takes the simulator");
  auto gpu = std::make_unique<Gpu>(device);
  target = rt::findForDevice(model, device->architecture);
  if (target)
    return gpu;
  return llvm::createStringError(
      fmt::format("--device cuda: {} is of sm_{}, and the model is for later "
                  "architectures",
                  device->name, device->architecture));
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
  if (forGpu && (kind == kAnyDevice || kind == "cuda")) {
    auto gpu = makeGpu(model, target);
    if (gpu || kind == "cuda")
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
