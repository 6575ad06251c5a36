// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/cuda/FakeCuda.h"
#include "test/runtime/cuda/FakeDriver.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace fake_cuda;

namespace {

constexpr uint64_t kOffset = uint64_t(1) << 62; // no pointer of the host has it
constexpr int kMemory = 2, kNoContext = 201, kNotFound = 500, kIllegal = 700;

std::string record, taken;
std::map<uint64_t, uint64_t> memory; ///< bytes by address
std::set<std::string> modules;
std::map<std::string, unsigned> parameters; ///< of kernels
std::map<void *, double> events;            ///< when they were recorded
double clockTime = 0;                       ///< milliseconds
int seen = 0, architecture = 80, gpus = 1;
int primaries[4];             ///< what a GPU's context points to
std::vector<void *> contexts; ///< pushed, the last one is current
std::set<void *> used;        ///< by calls
std::set<void *> captured;    ///< streams

template <typename T>
int set(uint64_t to, size_t pitch, T value, size_t width, size_t height,
        const char *name) {
  note(std::string(name) + " " + text(width) + "x" + text(height));
  if (int error = check(has(to, (height - 1) * pitch + width * sizeof(T))))
    return error;
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width; ++x)
      memcpy(inHost(to) + y * pitch + x * sizeof(T), &value, sizeof(T));
  return 0;
}

/// What FAKE_CUDA_KERNELS says of a kernel.
struct Effect {
  double milliseconds = 0;
  bool isWrong = false, faults = false;
};
Effect findEffect(const std::string &kernel) {
  Effect effect;
  const char *rules = getenv("FAKE_CUDA_KERNELS");
  std::stringstream list(rules ? rules : "");
  for (std::string rule; std::getline(list, rule, ',');) {
    const size_t equals = rule.find('=');
    if (kernel.find(rule.substr(0, equals)) == std::string::npos)
      continue;
    effect.milliseconds = strtod(rule.c_str() + equals + 1, nullptr);
    effect.isWrong = rule.find(":wrong") != std::string::npos;
    effect.faults = rule.find(":fault") != std::string::npos;
  }
  return effect;
}

/// The parameters of each kernel of a module of PTX.
void findParameters(const std::string &ptx) {
  for (size_t at = 0; (at = ptx.find(".entry ", at)) != std::string::npos;) {
    at += strlen(".entry ");
    const size_t open = ptx.find('(', at), close = ptx.find(')', at);
    unsigned &count = parameters[ptx.substr(at, open - at)];
    count = 0;
    for (size_t next = open; (next = ptx.find(".param", next)) < close; ++next)
      ++count;
  }
}

/// Time passes, and the last operand is there.
void pretend(const std::string &kernel, void **arguments) {
  const Effect effect = findEffect(kernel);
  clockTime += effect.milliseconds;
  if (effect.faults)
    late = kIllegal;
  const auto count = parameters.find(kernel);
  if (count == parameters.end() || late)
    return;
  const uint64_t to = *static_cast<uint64_t *>(arguments[count->second - 1]);
  const auto [start, bytes] = *--memory.upper_bound(to);
  memset(inHost(to), effect.isWrong ? 0x41 : 0x01, start + bytes - to);
}

/// y[i] = 2 x[i] of as many floats as there are threads.
void twice(unsigned threads, void **arguments) {
  auto at = [&](int i) { return *static_cast<uint64_t *>(arguments[i]); };
  for (unsigned i = 0; i < threads; ++i) {
    float x;
    memcpy(&x, inHost(at(1)) + 4 * i, 4);
    x *= 2;
    memcpy(inHost(at(2)) + 4 * i, &x, 4);
  }
}

} // namespace

namespace fake_cuda {

int live = 0, late = 0;

void note(const std::string &line) { record += line + "\n"; }
std::string text(uint64_t number) { return std::to_string(number); }

uint8_t *inHost(uint64_t address) {
  return reinterpret_cast<uint8_t *>(address - kOffset);
}
bool has(uint64_t address, uint64_t bytes) {
  auto after = memory.upper_bound(address);
  if (after == memory.begin())
    return false;
  auto [start, size] = *--after;
  return address - start <= size && bytes <= size - (address - start);
}
int check(bool isFine) {
  if (contexts.empty())
    return kNoContext;
  used.insert(contexts.back());
  return seen ? seen : isFine ? 0 : kInvalid;
}

void use(void *context) { used.insert(context); }

unsigned countParameters(const std::string &kernel) {
  const auto found = parameters.find(kernel);
  return found == parameters.end() ? 3 : found->second; // scratch, x, y
}

void launchKernel(const std::string &name, unsigned grid, unsigned block,
                  void **arguments) {
  clockTime += name == "twice" ? 1.5 : 0;
  if (name == "twice")
    twice(grid * block, arguments);
  else if (name == "broken")
    late = kIllegal;
  else
    pretend(name, arguments);
}

} // namespace fake_cuda

extern "C" {
const char *fake_cuda_take_log() {
  taken = std::move(record);
  record.clear();
  return taken.c_str();
}
int fake_cuda_count_live() { return live; }
void *fake_cuda_get_context(int ordinal) { return &primaries[ordinal]; }
void *fake_cuda_get_current() {
  return contexts.empty() ? nullptr : contexts.back();
}
int fake_cuda_take_used(void *context) {
  const std::set<void *> all = std::move(used);
  used.clear();
  return all == std::set<void *>{context};
}
void fake_cuda_capture(void *stream, int isCaptured) {
  if (isCaptured)
    captured.insert(stream);
  else
    captured.erase(stream);
}
void fake_cuda_set(int capability, int count) {
  architecture = capability;
  gpus = count;
  late = seen = 0;
}

// NVRTC asks for what this driver has not.
int cuGetExportTable(const void **table, const void *) {
  *table = nullptr;
  return kInvalid;
}
int cuInit(unsigned) { return gpus ? 0 : 100; }
int cuGetErrorName(int error, const char **name) {
  *name = error == kIllegal    ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == kMemory   ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == kNotFound ? "CUDA_ERROR_NOT_FOUND"
          : error == 100       ? "CUDA_ERROR_NO_DEVICE"
                               : "CUDA_ERROR_OTHER";
  return 0;
}
int cuGetErrorString(int error, const char **name) {
  *name = error == kIllegal ? "an illegal memory access was encountered"
                            : "something else";
  return 0;
}
int cuDriverGetVersion(int *version) { return *version = 13020, 0; }
int cuDeviceGetPCIBusId(char *id, int, int) {
  strcpy(id, "0000:01:00.0");
  return 0;
}
int cuDeviceGetCount(int *count) { return *count = gpus, 0; }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char *name, int bytes, int) {
  strncpy(name, "Fake GPU", static_cast<size_t>(bytes));
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == 75 ? architecture / 10 : architecture % 10;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  ++live;
  *context = fake_cuda_get_context(device);
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) { return --live, 0; }
int cuCtxPushCurrent_v2(void *context) {
  return contexts.push_back(context), 0;
}
int cuCtxPopCurrent_v2(void **context) {
  if (contexts.empty())
    return kNoContext;
  *context = contexts.back();
  contexts.pop_back();
  return 0;
}
int cuCtxGetDevice(int *device) {
  *device = 0;
  return contexts.empty() ? kNoContext : 0;
}
int cuPointerGetAttribute(void *value, int, uint64_t pointer) {
  if (!has(pointer, 1))
    return kInvalid;
  unsigned device = 2;
  memcpy(value, &device, sizeof(device));
  return 0;
}
int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  note("alloc " + text(bytes));
  if (bytes > (uint64_t(1) << 40))
    return kMemory;
  *address = reinterpret_cast<uint64_t>(
                 aligned_alloc(256, (bytes + 255) & ~size_t(255))) +
             kOffset;
  memory[*address] = bytes;
  ++live;
  return check(true);
}
int cuMemFree_v2(uint64_t address) {
  if (!memory.erase(address))
    return kInvalid;
  free(inHost(address));
  --live;
  return check(true);
}
int cuMemHostAlloc(void **place, size_t, unsigned) {
  ++live;
  *place = new uint32_t;
  return check(true);
}
int cuMemFreeHost(void *place) {
  delete static_cast<uint32_t *>(place);
  --live;
  return 0;
}
int cuMemHostGetDevicePointer_v2(uint64_t *address, void *place, unsigned) {
  *address = reinterpret_cast<uint64_t>(place) + kOffset;
  return check(true);
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *) {
  note("to device " + text(bytes));
  if (int error = check(has(to, bytes)))
    return error;
  memcpy(inHost(to), from, bytes);
  return 0;
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *) {
  note("to host " + text(bytes));
  if (int error = check(has(from, bytes)))
    return error;
  memcpy(to, inHost(from), bytes);
  return 0;
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *) {
  note("on device " + text(bytes));
  if (int error = check(has(to, bytes) && has(from, bytes)))
    return error;
  memcpy(inHost(to), inHost(from), bytes);
  return 0;
}
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, void *) {
  return set(to, count, value, count, 1, "set 8");
}
int cuMemsetD16Async(uint64_t to, unsigned short value, size_t count, void *) {
  return set(to, 2 * count, value, count, 1, "set 16");
}
int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *) {
  return set(to, 4 * count, value, count, 1, "set 32");
}
int cuMemsetD2D32Async(uint64_t to, size_t pitch, unsigned value, size_t width,
                       size_t height, void *) {
  return set(to, pitch, value, width, height, "set 2D 32");
}
int cuModuleLoadDataEx(void **module, const void *image, unsigned, int *,
                       void **values) {
  const char fatbin[] = "\x50\xed\x55\xba";
  const bool isFatbin = memcmp(image, fatbin, 4) == 0;
  const std::string text = isFatbin ? "" : static_cast<const char *>(image);
  findParameters(text);
  if (!isFatbin && text != "code" && text.find(".entry ") == text.npos) {
    strcpy(static_cast<char *>(values[0]), "this is no code");
    return 200;
  }
  note("load");
  ++live;
  *module = &modules;
  return check(true);
}
int cuModuleUnload(void *) {
  note("unload");
  --live;
  return check(true);
}
int cuModuleGetFunction(void **function, void *, const char *name) {
  if (strcmp(name, "missing") == 0)
    return kNotFound;
  *function = const_cast<std::string *>(&*modules.insert(name).first);
  return check(true);
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  note("allow " + *static_cast<std::string *>(function) + " " +
       text(attribute) + " " + text(value));
  return check(true);
}
int cuLaunchKernel(void *function, unsigned gridX, unsigned, unsigned,
                   unsigned blockX, unsigned, unsigned, unsigned shared, void *,
                   void **arguments, void **) {
  const std::string &name = *static_cast<std::string *>(function);
  note("launch " + name + " " + text(gridX) + " " + text(blockX) + " " +
       text(shared) +
       (*static_cast<uint64_t *>(arguments[0]) ? " with scratch" : ""));
  launchKernel(name, gridX, blockX, arguments);
  return check(true);
}
int cuStreamCreate(void **stream, unsigned) {
  ++live;
  *stream = &record;
  return check(true);
}
int cuStreamDestroy_v2(void *) { return --live, check(true); }
int cuStreamSynchronize(void *) {
  note("wait");
  seen = late;
  return check(true);
}
int cuStreamWriteValue32_v2(void *stream, uint64_t address, uint32_t value,
                            unsigned) {
  if (captured.count(stream))
    note("mark " + text(value));
  if (!late) // behind a kernel that fails nothing is done
    memcpy(inHost(address), &value, sizeof(value));
  return check(true);
}
int cuStreamIsCapturing(void *stream, unsigned *status) {
  *status = captured.count(stream) ? 1 : 0;
  return check(true);
}
int cuEventCreate(void **event, unsigned) {
  ++live;
  *event = new char;
  return check(true);
}
int cuEventDestroy_v2(void *event) {
  events.erase(event);
  delete static_cast<char *>(event);
  return --live, check(true);
}
int cuEventRecord(void *event, void *) {
  events[event] = clockTime;
  return check(true);
}
int cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
  *milliseconds = static_cast<float>(events[end] - events[begin]);
  return check(true);
}

int nvmlInit_v2() { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **device) {
  *device = &live;
  return strcmp(id, "0000:01:00.0") == 0 ? 0 : 2;
}
int nvmlDeviceGetClockInfo(void *, int clock, unsigned *mhz) {
  static unsigned asked = 0;
  const char *clocks = getenv("FAKE_CUDA_CLOCKS");
  std::stringstream list(clocks ? clocks : "1410");
  std::vector<unsigned> all;
  for (std::string one; std::getline(list, one, ',');)
    all.push_back(static_cast<unsigned>(strtoul(one.c_str(), nullptr, 10)));
  *mhz = clock == 1 ? all[asked++ % all.size()] : 1593;
  return 0;
}
}
