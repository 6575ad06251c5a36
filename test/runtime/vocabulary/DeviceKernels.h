// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of Device.cu, on a device, which ptx-sim is. No finding may come
// of them.
#ifndef FUSEC_TEST_RUNTIME_VOCABULARY_DEVICEKERNELS_H
#define FUSEC_TEST_RUNTIME_VOCABULARY_DEVICEKERNELS_H

#include "test/runtime/vocabulary/Support.h"
#include "tools/ptx-sim/Device.h"
#include "tools/ptx-sim/Nvcc.h"

namespace vocabulary {

using namespace fusec::ptx;

inline constexpr uint32_t threads = 256;

inline const std::string &compiled() {
  static const std::string text = compileCuda(
      FUSEC_SOURCE_DIR "/test/runtime/vocabulary/Device.cu", "sm_80",
      {FUSEC_SOURCE_DIR, FUSEC_SOURCE_DIR "/runtime/include"});
  return text;
}

/// A device with the kernels, in one of the orders.
class Kernels {
public:
  explicit Kernels(Direction direction = Direction::Forward)
      : direction(direction) {}
  ~Kernels() {
    for (const Finding &finding : device.findings.all())
      ADD_FAILURE() << finding.kernel << ":" << finding.line << ": "
                    << finding.message;
  }

  template <class T> uint64_t place(const std::vector<T> &values) {
    const uint64_t address = device.allocate(values.size() * sizeof(T));
    device.copyIn(address, values.data(), values.size() * sizeof(T));
    return address;
  }
  template <class T> uint64_t placeNothing(size_t count) {
    return device.allocate(count * sizeof(T));
  }
  template <class T> std::vector<T> read(uint64_t address, size_t count) {
    std::vector<T> values(count);
    device.copyOut(values.data(), address, count * sizeof(T));
    return values;
  }

  template <class... Arguments>
  void run(const std::string &kernel, uint32_t blocks, Arguments... arguments) {
    runWith(0, kernel, blocks, arguments...);
  }

  /// With so many bytes of shared memory for each block.
  template <class... Arguments>
  void runWith(uint32_t sharedBytes, const std::string &kernel, uint32_t blocks,
               Arguments... arguments) {
    LaunchConfig config;
    config.dynamicShared = sharedBytes;
    config.kernel = kernel;
    config.grid.x = blocks;
    config.block.x = threads;
    config.direction = direction;
    device.launch(module, config, {toBytes(arguments)...});
  }

private:
  template <class T> static std::vector<uint8_t> toBytes(T value) {
    std::vector<uint8_t> bytes(sizeof(T));
    std::memcpy(bytes.data(), &value, sizeof(T));
    return bytes;
  }

  Device device;
  Module &module = device.load("Device.cu", compiled());
  Direction direction;
};

inline uint32_t blocksFor(size_t n) {
  return static_cast<uint32_t>((n + threads - 1) / threads);
}

template <class To, class From>
std::vector<To> map(const std::string &kernel, const std::vector<From> &xs) {
  Kernels kernels;
  const uint64_t x = kernels.place(xs), y = kernels.placeNothing<To>(xs.size());
  kernels.run(kernel, blocksFor(xs.size()), x, y, static_cast<int>(xs.size()));
  return kernels.read<To>(y, xs.size());
}

template <class T>
std::vector<T> zip(const std::string &kernel, const std::vector<T> &xs,
                   const std::vector<T> &ys) {
  Kernels kernels;
  const uint64_t x = kernels.place(xs), y = kernels.place(ys),
                 z = kernels.placeNothing<T>(xs.size());
  kernels.run(kernel, blocksFor(xs.size()), x, y, z,
              static_cast<int>(xs.size()));
  return kernels.read<T>(z, xs.size());
}

} // namespace vocabulary

#endif
