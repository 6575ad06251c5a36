// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eight threads load a library of `fusec op gen`, call its LayerNorm with
// different numbers of rows, and unload it, again and again:
// threads LIBRARY [TIMES]. It is built with the sanitizers that the library is
// built with, whose findings are its failures.
#include "fusec/op_dlpack.h"

#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int64_t kColumns = 48;

using Function = int (*)(void *, const fusec_ffi_any *, int32_t,
                         fusec_ffi_any *);

/// A tensor of rows, or a single row.
struct Data {
  explicit Data(std::vector<int64_t> shape) : dims(std::move(shape)) {
    int64_t count = 1;
    for (int64_t extent : dims)
      count *= extent;
    values.resize(size_t(count));
    tensor = {values.data(), 1,       0, int32_t(dims.size()), 2, 32, 1,
              dims.data(),   nullptr, 0};
  }
  fusec_ffi_any argument() {
    fusec_ffi_any any = {};
    any.kind = FUSEC_FFI_DL_TENSOR;
    any.pointer = &tensor;
    return any;
  }

  std::vector<int64_t> dims;
  std::vector<float> values;
  fusec_dl_tensor tensor;
};

/// The largest difference from the formula, in double precision.
double compare(const Data &x, const Data &g, const Data &c, const Data &y) {
  double worst = 0;
  for (size_t row = 0; row < x.values.size(); row += kColumns) {
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < kColumns; ++i)
      mean += double(x.values[row + size_t(i)]) / kColumns;
    for (int64_t i = 0; i < kColumns; ++i)
      variance += std::pow(x.values[row + size_t(i)] - mean, 2) / kColumns;
    for (int64_t i = 0; i < kColumns; ++i) {
      const size_t at = size_t(i);
      const double right = (x.values[row + at] - mean) /
                               std::sqrt(variance + 1e-5) * g.values[at] +
                           c.values[at];
      worst = std::max(worst, std::abs(right - y.values[row + at]));
    }
  }
  return worst;
}

/// The dynamic linker's own lock orders loads and unloads, where the second of
/// two gets the memory of the first. A sanitizer of threads does not see that
/// lock, but this one.
std::mutex linker;

/// Whether one load, one call and one unload go well.
bool runOnce(const char *path, unsigned seed) {
  void *library = nullptr;
  {
    const std::lock_guard<std::mutex> lock(linker);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    return false;
  }
  auto norm = reinterpret_cast<Function>(dlsym(library, "__tvm_ffi_LayerNorm"));
  Data x({1 + seed % 37, kColumns}), g({kColumns}), c({kColumns}), y(x.dims);
  for (Data *data : {&x, &g, &c})
    for (float &value : data->values)
      value = float(seed = seed * 1664525u + 1013904223u) * 0x1p-31f - 1;
  fusec_ffi_any arguments[] = {x.argument(), g.argument(), c.argument(),
                               y.argument()},
                result = {};
  bool isFine = norm && norm(nullptr, arguments, 4, &result) == 0;
  const double worst = isFine ? compare(x, g, c, y) : 0;
  if (!(worst < 1e-4))
    isFine = false;
  if (!isFine)
    std::fprintf(stderr, "%lld rows: %g from the formula\n",
                 static_cast<long long>(x.dims[0]), worst);
  const std::lock_guard<std::mutex> lock(linker);
  dlclose(library);
  return isFine;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    return 64;
  const unsigned times = argc > 2 ? unsigned(std::atoi(argv[2])) : 25;
  std::atomic<unsigned> failures{0};
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < 8; ++number)
    threads.emplace_back([&, number] {
      for (unsigned i = 0; i < times; ++i)
        failures += !runOnce(argv[1], number * 1000 + i);
    });
  for (std::thread &thread : threads)
    thread.join();
  std::printf("%u runs on 8 threads, %u wrong\n", 8 * times, failures.load());
  return failures != 0;
}
