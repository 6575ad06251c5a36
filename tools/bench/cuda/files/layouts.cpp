// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// layouts FILE
//   Runs the kernels that FILE names on the first GPU, and compares what they
//   leave with what the simulator has left: a line for each kernel, with its
//   name and 256 numbers. Exit codes: 0 all are the same, 1 some are not, 4
//   there is no GPU, or no such file.
#include "fusec/cuda_driver.h"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

extern "C" const fusec_device_image fusec_layouts_kernels_image;

static constexpr unsigned kLanes = 32, kRegisters = 8,
                          kNumbers = kLanes * kRegisters;

/// What a kernel leaves; empty where it does not run.
static std::vector<uint32_t> run(const fusec_device &gpu, void *module,
                                 const std::string &kernel, void *memory) {
  void *found = nullptr;
  std::vector<uint32_t> numbers(kNumbers);
  const void *arguments[] = {&memory};
  if (gpu.find_kernel(gpu.self, module, kernel.c_str(), &found) ||
      gpu.launch(gpu.self, nullptr, found, 1, kLanes, 0, arguments, 1) ||
      gpu.copy(gpu.self, nullptr, numbers.data(), memory, 4 * kNumbers,
               FUSEC_COPY_TO_HOST) ||
      gpu.synchronize(gpu.self, nullptr))
    numbers.clear();
  return numbers;
}

/// Prints where two lists differ first; whether they do.
static bool differ(const std::string &kernel, const std::vector<uint32_t> &gpu,
                   const std::vector<uint32_t> &simulated) {
  for (unsigned i = 0; i < kNumbers; ++i)
    if (gpu[i] != simulated[i]) {
      std::printf("FAILED %s: register %u of lane %u is %#x, and %#x in the "
                  "simulator\n",
                  kernel.c_str(), i % kRegisters, i / kRegisters, gpu[i],
                  simulated[i]);
      return true;
    }
  return false;
}

int main(int argc, char **argv) {
  std::ifstream file(argc > 1 ? argv[1] : "");
  fusec_device *gpu = nullptr;
  if (!file || fusec_cuda_device_create(nullptr, &gpu)) {
    std::fprintf(stderr, "layouts: %s\n",
                 file ? fusec_last_error(nullptr) : "there is no such file");
    return 4;
  }
  void *module = nullptr, *memory = nullptr;
  if (gpu->load_module(gpu->self, &fusec_layouts_kernels_image, &module) ||
      gpu->allocate(gpu->self, 4 * kNumbers, &memory)) {
    std::fprintf(stderr, "layouts: %s\n", gpu->last_error(gpu->self));
    return 4;
  }
  unsigned right = 0, wrong = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kernel;
    words >> kernel;
    std::vector<uint32_t> simulated;
    for (uint32_t number; words >> number;)
      simulated.push_back(number);
    if (simulated.size() != kNumbers)
      continue;
    const std::vector<uint32_t> found = run(*gpu, module, kernel, memory);
    if (found.empty())
      std::printf("FAILED %s: %s\n", kernel.c_str(),
                  gpu->last_error(gpu->self));
    ++(found.empty() || differ(kernel, found, simulated) ? wrong : right);
  }
  std::printf("%u of %u fragments lie as in the simulator\n", right,
              right + wrong);
  gpu->release(gpu->self, memory);
  gpu->unload_module(gpu->self, module);
  fusec_cuda_device_destroy(gpu);
  return wrong || !right;
}
