// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sessions FOLDER NAME
//   Uses model NAME of the pack in FOLDER as programs may: with memory of the
//   host and of the device, on streams and in contexts of theirs, in several
//   sessions at a time, and wrongly. Prints a line for each way that is not as
//   it should be. Exit codes: 0 all are, 1 some are not, 4 there is no GPU, or
//   no such model.
#include "models.h"
#include "workers.h"

#include "fusec/cuda_driver.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <stdexcept>
#include <thread>

namespace {

constexpr unsigned kSeconds = 60; // for each way

void expect(bool condition, const std::string &problem) {
  if (!condition)
    throw std::runtime_error(problem);
}

/// The GPU, in a context of its own if that is given.
struct Gpu {
  fusec_device *table = nullptr;

  explicit Gpu(void *context = nullptr) {
    fusec_cuda_options options = {};
    options.context = context;
    expect(!fusec_cuda_device_create(&options, &table),
           fusec_last_error(nullptr));
  }
  ~Gpu() { fusec_cuda_device_destroy(table); }
  Gpu(const Gpu &) = delete;
  Gpu &operator=(const Gpu &) = delete;

  void check(int32_t status) const {
    expect(status == FUSEC_OK, table->last_error(table->self));
  }
};

/// A stream of the caller's.
class Stream {
public:
  explicit Stream(const Gpu &gpu) : gpu(gpu) {
    gpu.check(gpu.table->create_stream(gpu.table->self, &stream));
  }
  ~Stream() { gpu.table->destroy_stream(gpu.table->self, stream); }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
  void *get() const { return stream; }

private:
  const Gpu &gpu;
  void *stream = nullptr;
};

/// A tensor on the device, `offset` bytes behind where memory begins.
class OnDevice {
public:
  OnDevice(const Gpu &gpu, const fusec_tensor &host, uint64_t offset)
      : gpu(gpu), host(host), tensor(host) {
    gpu.check(
        gpu.table->allocate(gpu.table->self, host.bytes + offset + 1, &memory));
    tensor.data = static_cast<char *>(memory) + offset;
  }
  ~OnDevice() { gpu.table->release(gpu.table->self, memory); }
  OnDevice(const OnDevice &) = delete;
  OnDevice &operator=(const OnDevice &) = delete;

  const fusec_tensor &get() const { return tensor; }
  void take(void *stream) {
    gpu.check(gpu.table->copy(gpu.table->self, stream, tensor.data, host.data,
                              host.bytes, FUSEC_COPY_TO_DEVICE));
  }
  void give(void *stream) {
    gpu.check(gpu.table->copy(gpu.table->self, stream, host.data, tensor.data,
                              host.bytes, FUSEC_COPY_TO_HOST));
  }

private:
  const Gpu &gpu;
  fusec_tensor host, tensor;
  void *memory = nullptr;
};

using Arrays = std::vector<std::unique_ptr<OnDevice>>;

Arrays onDevice(const Gpu &gpu, const std::vector<fusec_tensor> &tensors,
                uint64_t offset) {
  Arrays arrays;
  for (const fusec_tensor &tensor : tensors)
    arrays.push_back(std::make_unique<OnDevice>(
        gpu, tensor, offset * fusec_dtype_bytes(tensor.dtype)));
  return arrays;
}

std::vector<fusec_tensor> tensorsOf(const Arrays &arrays) {
  std::vector<fusec_tensor> tensors;
  for (const auto &array : arrays)
    tensors.push_back(array->get());
  return tensors;
}

void expectRight(Loaded &loaded) {
  const std::string text = loaded.compare().text;
  expect(text.empty(), text);
  loaded.spoil();
}

void runAndCompare(Loaded &loaded, fusec::Session &session) {
  expect(!loaded.run(session), session.error());
  expectRight(loaded);
}

void expectSession(const fusec::Session &session) {
  expect(static_cast<bool>(session), session.error());
}

//===----------------------------------------------------------------------===//
// The ways
//===----------------------------------------------------------------------===//

void hostMemory(Loaded &loaded) {
  Gpu gpu;
  fusec::Session session(loaded.model, loaded.options(gpu.table));
  expectSession(session);
  for (int i = 0; i < 100; ++i)
    runAndCompare(loaded, session);
}

/// On a stream of the caller, who waits for it; arrays begin `offset` elements
/// behind what is aligned.
void deviceMemory(Loaded &loaded, uint64_t offset) {
  Gpu gpu;
  Stream made(gpu);
  void *stream = made.get();
  fusec_session_options options = loaded.options(gpu.table);
  options.stream = stream;
  fusec::Session session(loaded.model, options);
  expectSession(session);
  Arrays in = onDevice(gpu, loaded.in, offset),
         out = onDevice(gpu, loaded.out, offset);
  for (auto &array : in)
    array->take(stream);
  const std::vector<fusec_tensor> inputs = tensorsOf(in),
                                  outputs = tensorsOf(out);
  for (int i = 0; i < 100; ++i)
    expect(!session.run(inputs.data(), loaded.desc.num_inputs, outputs.data(),
                        loaded.desc.num_outputs),
           session.error());
  for (auto &array : out)
    array->give(stream);
  gpu.check(gpu.table->synchronize(gpu.table->self, stream));
  expectRight(loaded);
}

/// Each on a thread of its own, all on one device.
void severalSessions(const Packed &packed, const std::string &folder) {
  Gpu gpu;
  std::vector<std::thread> threads;
  std::vector<std::string> problems(4);
  for (std::string &problem : problems)
    threads.emplace_back([&] {
      try {
        Loaded loaded(packed, folder);
        fusec::Session session(loaded.model, loaded.options(gpu.table));
        expectSession(session);
        for (int i = 0; i < 25; ++i)
          runAndCompare(loaded, session);
      } catch (const std::runtime_error &error) {
        problem = error.what();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &problem : problems)
    expect(problem.empty(), problem);
}

/// Counts what is allocated of a device.
struct Counting {
  fusec_device table;
  const fusec_device *gpu;
  int allocations = 0;
};

void noAllocations(Loaded &loaded) {
  Gpu gpu;
  Counting counting = {*gpu.table, gpu.table};
  // The others are called with the GPU's own self through this one's members.
  static Counting *current;
  current = &counting;
  counting.table.allocate = [](void *self, uint64_t bytes, void **memory) {
    ++current->allocations;
    return current->gpu->allocate(self, bytes, memory);
  };
  fusec::Session session(loaded.model, loaded.options(&counting.table));
  expectSession(session);
  const int made = counting.allocations;
  for (int i = 0; i < 3; ++i)
    runAndCompare(loaded, session);
  expect(counting.allocations == made,
         std::to_string(counting.allocations - made) +
             " allocations after the session was made");
}

/// A function of CUDA's driver.
template <typename T> T cuda(const char *name) {
  static void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  void *function = driver ? dlsym(driver, name) : nullptr;
  expect(function, std::string(name) + " is not in the driver");
  return reinterpret_cast<T>(function);
}

void callersContext(Loaded &loaded) {
  void *context = nullptr, *current = nullptr;
  expect(
      !cuda<int (*)(unsigned)>("cuInit")(0) &&
          !cuda<int (*)(void **, int)>("cuDevicePrimaryCtxRetain")(&context, 0),
      "the driver gives no context");
  const auto getCurrent = cuda<int (*)(void **)>("cuCtxGetCurrent");
  {
    Gpu gpu(context);
    fusec::Session session(loaded.model, loaded.options(gpu.table));
    expectSession(session);
    runAndCompare(loaded, session);
    expect(!getCurrent(&current) && !current,
           "a context is current that was not");
  }
  expect(!cuda<int (*)(void *)>("cuCtxSetCurrent")(context) &&
             !getCurrent(&current) && current == context,
         "the caller's context is gone");
}

/// Memory of the GPU that ends after its first part, behind which nothing else
/// can lie.
void *makeShortMemory() {
  constexpr size_t kPart = 2 << 20, kRange = 1 << 30;
  // CUmemLocation, CUmemAllocationProp and CUmemAccessDesc of cuda.h.
  struct Location {
    int type = 1, id = 0; // device 0
  };
  struct Properties {
    int type = 1, handles = 0; // pinned
    Location location;
    void *metadata = nullptr;
    unsigned char flags[8] = {};
  } properties;
  struct Access {
    Location location;
    int flags = 3; // to read and to write
  } access;
  unsigned long long address = 0, handle = 0;
  expect(!cuda<int (*)(unsigned long long *, size_t, size_t, unsigned long long,
                       unsigned long long)>("cuMemAddressReserve")(
             &address, kRange, 0, 0, 0) &&
             !cuda<int (*)(unsigned long long *, size_t, const void *,
                           unsigned long long)>("cuMemCreate")(
                 &handle, kPart, &properties, 0) &&
             !cuda<int (*)(unsigned long long, size_t, size_t,
                           unsigned long long, unsigned long long)>("cuMemMap")(
                 address, kPart, 0, handle, 0) &&
             !cuda<int (*)(unsigned long long, size_t, const void *, size_t)>(
                 "cuMemSetAccess")(address, kPart, &access, 1),
         "the driver maps no memory");
  return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
}

/// A kernel that reads what is not there: the driver says so in a later call,
/// which did nothing wrong.
void errorNamesKernel(Loaded &loaded) {
  Gpu gpu;
  fusec::Session session(loaded.model, loaded.options(gpu.table));
  expectSession(session);
  std::vector<fusec_tensor> inputs = loaded.in;
  inputs[0].data = makeShortMemory();
  const int status = session.run(inputs.data(), loaded.desc.num_inputs,
                                 loaded.out.data(), loaded.desc.num_outputs);
  expect(status == FUSEC_DEVICE_ERROR,
         "reading behind the end of memory is no error of the device");
  const std::string text = session.error();
  for (uint32_t i = 0; i < loaded.desc.num_launches; ++i)
    if (text.find(loaded.desc.launches[i].name) != std::string::npos)
      return;
  expect(false, "no kernel is named: " + text);
}

void noSuchGpu(Loaded &) {
  fusec_cuda_options options = {};
  options.ordinal = 1000;
  fusec_device *none = nullptr;
  expect(fusec_cuda_device_create(&options, &none) == FUSEC_UNSUPPORTED &&
             strstr(fusec_last_error(nullptr), "there is no GPU 1000"),
         fusec_last_error(nullptr));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: sessions FOLDER NAME\n");
    return 64;
  }
  const std::string folder = argv[1];
  const Packed *packed = nullptr;
  for (const Packed &one : allModels())
    if (strcmp(one.name, argv[2]) == 0)
      packed = &one;
  if (!packed) {
    std::fprintf(stderr, "sessions: there is no model '%s' in the pack\n",
                 argv[2]);
    return 4;
  }
  struct Way {
    const char *name;
    std::function<void(Loaded &)> run;
  };
  const std::vector<Way> ways = {
      {"host-memory", hostMemory},
      {"device-memory", [](Loaded &loaded) { deviceMemory(loaded, 0); }},
      {"misaligned", [](Loaded &loaded) { deviceMemory(loaded, 1); }},
      {"several-sessions", [&](Loaded &) { severalSessions(*packed, folder); }},
      {"no-allocations", noAllocations},
      {"callers-context", callersContext},
      {"error-names-kernel", errorNamesKernel},
      {"no-such-gpu", noSuchGpu},
  };
  size_t wrong = 0;
  runTasks(
      static_cast<uint32_t>(ways.size()), 1, kSeconds,
      [&](Outcome &outcome) {
        try {
          Loaded loaded(*packed, folder);
          ways[outcome.task].run(loaded);
        } catch (const std::runtime_error &error) {
          std::snprintf(outcome.problem, sizeof(outcome.problem), "%s",
                        error.what());
        }
        outcome.isLast = true; // a process for each
      },
      [&](const Outcome &outcome) {
        if (!outcome.problem[0])
          return;
        ++wrong;
        std::printf("FAILED %s: %s\n", ways[outcome.task].name,
                    outcome.problem);
      });
  std::printf("%zu of %zu ways to use a session are right\n",
              ways.size() - wrong, ways.size());
  return wrong ? 1 : 0;
}
