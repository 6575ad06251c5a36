// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/tune/GpuRuns.h"

#include <fmt/format.h>

namespace fusec::tool {

/// By which part of it, one in so many, a clock may change: less than times may
/// be apart.
static constexpr uint32_t kSteady = 20;

void GpuRuns::Range::add(uint32_t mhz) {
  least = std::min(least, mhz);
  most = std::max(most, mhz);
}

std::string GpuRuns::Range::print() const {
  return least == most ? std::to_string(most)
                       : fmt::format("{}-{}", least, most);
}

GpuRuns::GpuRuns(const fusec_device &gpu) : gpu(gpu) {
  hook.self = this;
  hook.begin = hook.end = [](void *, uint32_t) {};
  hook.took = [](void *self, uint32_t, double took) {
    static_cast<GpuRuns *>(self)->milliseconds += took;
  };
}

GpuRuns::~GpuRuns() {
  for (void *place : memory)
    gpu.release(gpu.self, place);
}

llvm::Error GpuRuns::check(fusec_status status, const char *what) {
  return status ? llvm::createStringError("%s failed on %s: %s", what, gpu.name,
                                          gpu.last_error(gpu.self))
                : llvm::Error::success();
}

void GpuRuns::addTo(fusec_session_options &options) const {
  options.device = &gpu;
  options.image = &image.get();
  options.profile = &hook;
}

llvm::Error GpuRuns::place(std::vector<fusec_tensor> &tensors) {
  for (fusec_tensor &tensor : tensors) {
    if (!tensor.bytes)
      continue;
    void *made = nullptr;
    if (llvm::Error error = check(gpu.allocate(gpu.self, tensor.bytes, &made),
                                  "memory for arrays"))
      return error;
    memory.push_back(made);
    if (llvm::Error error = check(gpu.copy(gpu.self, nullptr, made, tensor.data,
                                           tensor.bytes, FUSEC_COPY_TO_DEVICE),
                                  "a copy"))
      return error;
    tensor.data = made;
  }
  return check(gpu.synchronize(gpu.self, nullptr), "a copy");
}

llvm::Error GpuRuns::upload(const io::Tensor &from, const fusec_tensor &to) {
  if (!to.bytes)
    return llvm::Error::success();
  if (llvm::Error error =
          check(gpu.copy(gpu.self, nullptr, to.data, from.bytes.data(),
                         to.bytes, FUSEC_COPY_TO_DEVICE),
                "a copy"))
    return error;
  return check(gpu.synchronize(gpu.self, nullptr), "a copy");
}

llvm::Error GpuRuns::download(const fusec_tensor &from, io::Tensor &to) {
  if (!from.bytes)
    return llvm::Error::success();
  if (llvm::Error error =
          check(gpu.copy(gpu.self, nullptr, to.bytes.data(), from.data,
                         from.bytes, FUSEC_COPY_TO_HOST),
                "a copy"))
    return error;
  return check(gpu.synchronize(gpu.self, nullptr), "a copy");
}

uint64_t GpuRuns::takeTime() {
  return static_cast<uint64_t>(std::exchange(milliseconds, 0) * 1e9);
}

void GpuRuns::watchClocks() {
  uint32_t processor = 0, memoryClock = 0;
  if (gpu.clocks(gpu.self, &processor, &memoryClock))
    return;
  processors.add(processor);
  recent.add(processor);
  memories.add(memoryClock);
}

bool GpuRuns::haveClocksMoved() {
  const Range seen = std::exchange(recent, Range());
  return seen.most && seen.most - seen.least > seen.most / kSteady;
}

std::string GpuRuns::describeClocks() const {
  return processors.most ? processors.print() + "/" + memories.print() : "";
}

} // namespace fusec::tool
