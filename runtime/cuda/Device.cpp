// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU as a fusec_device.
#include <cstdio>
#include <cstring>
#include <new>

#include "fusec/cuda_driver.h"
#include "runtime/cuda/Driver.h"
#include "runtime/cuda/Graph.h"

using namespace fusec::rt;

namespace {

/// Of the last failure on this thread.
thread_local char lastError[1024];

class CudaDevice {
public:
  fusec_status build(const fusec_cuda_options &options, Error &error);
  ~CudaDevice();

  CuDriver driver;
  Nvml monitor;
  NvmlDevice *monitored = nullptr; ///< null: nobody tells clocks
  CuContext *context = nullptr;
  int device = 0;
  bool ownsContext = false;
  char name[256] = {}, version[16] = {};
  fusec_device table = {};

  int32_t keep(CuResult result) const;
  void findMonitor(const char *library);
  void fillTable();
  void fillProgress();
  void fillGraphs();
};

/// Makes the context current for as long as it lives.
class Current {
public:
  explicit Current(void *self) : gpu(*static_cast<CudaDevice *>(self)) {
    result = gpu.driver.cuCtxPushCurrent_v2(gpu.context);
  }
  ~Current() {
    CuContext *popped;
    if (result == 0)
      gpu.driver.cuCtxPopCurrent_v2(&popped);
  }
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;

  /// The status of `call(driver)`, which runs if the context could be taken.
  template <typename Call> int32_t run(Call call) {
    return gpu.keep(result ? result : call(gpu.driver));
  }

private:
  CudaDevice &gpu;
  CuResult result;
};

CuAddress address(const void *memory) {
  return reinterpret_cast<uintptr_t>(memory);
}
CuStream *asStream(void *stream) { return static_cast<CuStream *>(stream); }
CuEvent *asEvent(void *event) { return static_cast<CuEvent *>(event); }

CuResult fill(const CuDriver &driver, const CuFillNode &what,
              CuStream *stream) {
  if (what.height > 1)
    return driver.cuMemsetD2D32Async(what.to, what.pitch, what.value,
                                     what.width, what.height, stream);
  switch (what.valueBytes) {
  case 1:
    return driver.cuMemsetD8Async(what.to, static_cast<uint8_t>(what.value),
                                  what.width, stream);
  case 2:
    return driver.cuMemsetD16Async(what.to, static_cast<uint16_t>(what.value),
                                   what.width, stream);
  }
  return driver.cuMemsetD32Async(what.to, what.value, what.width, stream);
}

} // namespace

/// Keeps the driver's text of a failure.
int32_t CudaDevice::keep(CuResult result) const {
  if (result == 0)
    return FUSEC_OK;
  const char *word = nullptr, *text = nullptr;
  driver.cuGetErrorName(result, &word);
  driver.cuGetErrorString(result, &text);
  snprintf(lastError, sizeof(lastError), "%s (%s)",
           text ? text : "an error that the driver has no text for",
           word ? word : "?");
  return result == kCuOutOfMemory ? FUSEC_OUT_OF_MEMORY : FUSEC_DEVICE_ERROR;
}

CudaDevice::~CudaDevice() {
  if (ownsContext)
    driver.cuDevicePrimaryCtxRelease_v2(device);
}

fusec_status CudaDevice::build(const fusec_cuda_options &options,
                               Error &error) {
  if (const fusec_status status = driver.load(
          options.library ? options.library : "libcuda.so.1", error))
    return status;
  auto fail = [&](const char *what) {
    return error.set(FUSEC_UNSUPPORTED, "%s: %s", what, lastError);
  };
  int count = 0;
  if (keep(driver.cuInit(0)) || keep(driver.cuDeviceGetCount(&count)))
    return fail("NVIDIA's driver finds no GPU");
  if (options.ordinal >= static_cast<uint32_t>(count))
    return error.set(FUSEC_UNSUPPORTED, "there is no GPU %u: the driver has %d",
                     options.ordinal, count);
  if (options.context) {
    context = static_cast<CuContext *>(options.context);
    if (Current(this).run(
            [&](const CuDriver &cu) { return cu.cuCtxGetDevice(&device); }))
      return fail("the context is none of this driver");
  } else {
    if (keep(driver.cuDeviceGet(&device, static_cast<int>(options.ordinal))) ||
        keep(driver.cuDevicePrimaryCtxRetain(&context, device)))
      return fail("the GPU's context cannot be taken");
    ownsContext = true;
  }
  int major = 0, minor = 0, number = 0;
  if (keep(driver.cuDeviceGetName(name, sizeof(name), device)) ||
      keep(driver.cuDriverGetVersion(&number)) ||
      keep(driver.cuDeviceGetAttribute(&major, kCuMajor, device)) ||
      keep(driver.cuDeviceGetAttribute(&minor, kCuMinor, device)))
    return fail("the GPU does not tell its architecture");
  table.self = this;
  table.name = name;
  table.architecture = static_cast<uint32_t>(10 * major + minor);
  table.images = 1u << FUSEC_IMAGE_FATBIN | 1u << FUSEC_IMAGE_PTX;
  snprintf(version, sizeof(version), "%d.%d", number / 1000, number % 100 / 10);
  table.driver = version;
  findMonitor(options.monitor ? options.monitor : "libnvidia-ml.so.1");
  fillTable();
  fillProgress();
  fillGraphs();
  return FUSEC_OK;
}

void CudaDevice::findMonitor(const char *library) {
  char id[32] = {};
  if (driver.cuDeviceGetPCIBusId(id, sizeof(id), device) ||
      !monitor.load(library) || monitor.nvmlInit_v2() ||
      monitor.nvmlDeviceGetHandleByPciBusId_v2(id, &monitored))
    monitored = nullptr;
}

void CudaDevice::fillTable() {
  table.last_error = [](void *) -> const char * { return lastError; };
  table.allocate = [](void *self, uint64_t bytes, void **memory) {
    CuAddress made = 0;
    const int32_t status = Current(self).run(
        [&](const CuDriver &cu) { return cu.cuMemAlloc_v2(&made, bytes); });
    *memory = reinterpret_cast<void *>(static_cast<uintptr_t>(made));
    return status;
  };
  table.release = [](void *self, void *memory) {
    Current(self).run(
        [&](const CuDriver &cu) { return cu.cuMemFree_v2(address(memory)); });
  };
  table.holds = [](void *self, const void *memory) {
    // Of memory that it does not know the driver says that it is no argument.
    unsigned type = kCuHostMemory;
    const int32_t status = Current(self).run([&](const CuDriver &cu) {
      return cu.cuPointerGetAttribute(&type, kCuMemoryType, address(memory));
    });
    return int32_t(status == FUSEC_OK && type != kCuHostMemory);
  };
  table.create_stream = [](void *self, void **stream) {
    CuStream *made = nullptr;
    const int32_t status = Current(self).run(
        [&](const CuDriver &cu) { return cu.cuStreamCreate(&made, 0); });
    *stream = made;
    return status;
  };
  table.destroy_stream = [](void *self, void *stream) {
    Current(self).run([&](const CuDriver &cu) {
      return cu.cuStreamDestroy_v2(asStream(stream));
    });
  };
  table.synchronize = [](void *self, void *stream) {
    return Current(self).run([&](const CuDriver &cu) {
      return cu.cuStreamSynchronize(asStream(stream));
    });
  };
  table.copy = [](void *self, void *stream, void *to, const void *from,
                  uint64_t bytes, uint32_t kind) {
    return Current(self).run([&](const CuDriver &cu) {
      CuStream *on = asStream(stream);
      return kind == FUSEC_COPY_TO_DEVICE
                 ? cu.cuMemcpyHtoDAsync_v2(address(to), from, bytes, on)
             : kind == FUSEC_COPY_TO_HOST
                 ? cu.cuMemcpyDtoHAsync_v2(to, address(from), bytes, on)
                 : cu.cuMemcpyDtoDAsync_v2(address(to), address(from), bytes,
                                           on);
    });
  };
  table.fill = [](void *self, void *stream, void *to, const void *value,
                  uint32_t valueBytes, uint64_t count) {
    uint64_t bytes = 0;
    memcpy(&bytes, value, valueBytes);
    const CuFills fills(to, bytes, valueBytes, count);
    return Current(self).run([&](const CuDriver &cu) {
      CuResult result = 0;
      for (uint32_t i = 0; i < fills.numColumns && !result; ++i)
        result = fill(cu, fills.columns[i], asStream(stream));
      return result;
    });
  };
  table.load_module = [](void *self, const fusec_device_image *image,
                         void **module) {
    CuModule *made = nullptr;
    char log[512] = {};
    int options[] = {kCuErrorLog, kCuErrorLogBytes};
    void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
    const int32_t status = Current(self).run([&](const CuDriver &cu) {
      return cu.cuModuleLoadDataEx(&made, image->data, 2, options, values);
    });
    *module = made;
    if (status && log[0]) {
      const size_t used = strlen(lastError);
      snprintf(lastError + used, sizeof(lastError) - used, ": %s", log);
    }
    return status;
  };
  table.unload_module = [](void *self, void *module) {
    Current(self).run([&](const CuDriver &cu) {
      return cu.cuModuleUnload(static_cast<CuModule *>(module));
    });
  };
  table.find_kernel = [](void *self, void *module, const char *symbol,
                         void **kernel) {
    CuFunction *found = nullptr;
    const int32_t status = Current(self).run([&](const CuDriver &cu) {
      return cu.cuModuleGetFunction(&found, static_cast<CuModule *>(module),
                                    symbol);
    });
    *kernel = found;
    if (status) {
      const size_t used = strlen(lastError);
      snprintf(lastError + used, sizeof(lastError) - used, ": %s", symbol);
    }
    return status;
  };
  table.launch = [](void *self, void *stream, void *kernel, uint32_t grid,
                    uint32_t block, uint32_t sharedBytes,
                    const void *const *arguments, uint32_t) {
    return Current(self).run([&](const CuDriver &cu) {
      auto *function = static_cast<CuFunction *>(kernel);
      const CuResult result = allowShared(cu, function, sharedBytes);
      return result
                 ? result
                 : cu.cuLaunchKernel(function, grid, 1, 1, block, 1, 1,
                                     sharedBytes, asStream(stream),
                                     const_cast<void **>(arguments), nullptr);
    });
  };
  table.within = [](void *self, int32_t (*body)(void *), void *ctx) {
    int32_t result = FUSEC_OK;
    const int32_t status = Current(self).run([&](const CuDriver &) {
      result = body(ctx);
      return CuResult(0);
    });
    return status ? status : result;
  };
  table.create_event = [](void *self, void **event) {
    CuEvent *made = nullptr;
    const int32_t status = Current(self).run(
        [&](const CuDriver &cu) { return cu.cuEventCreate(&made, 0); });
    *event = made;
    return status;
  };
  table.destroy_event = [](void *self, void *event) {
    Current(self).run([&](const CuDriver &cu) {
      return cu.cuEventDestroy_v2(asEvent(event));
    });
  };
  table.record = [](void *self, void *stream, void *event) {
    return Current(self).run([&](const CuDriver &cu) {
      return cu.cuEventRecord(asEvent(event), asStream(stream));
    });
  };
  table.elapsed = [](void *self, void *begin, void *end, double *milliseconds) {
    float time = 0;
    const int32_t status = Current(self).run([&](const CuDriver &cu) {
      return cu.cuEventElapsedTime(&time, asEvent(begin), asEvent(end));
    });
    *milliseconds = time;
    return status;
  };
}

/// What tells how far the device has come, and how fast it is.
void CudaDevice::fillProgress() {
  // When a kernel has gone wrong, the driver answers all calls with that error,
  // and cannot be asked which events have passed; this memory can be read.
  table.create_mark = [](void *self, const volatile uint32_t **mark) {
    void *made = nullptr;
    const int32_t status = Current(self).run([&](const CuDriver &cu) {
      return cu.cuMemHostAlloc(&made, sizeof(uint32_t),
                               kCuPortable | kCuMapped);
    });
    if (made)
      memset(made, 0, sizeof(uint32_t));
    *mark = static_cast<uint32_t *>(made);
    return status;
  };
  table.destroy_mark = [](void *self, const volatile uint32_t *mark) {
    Current(self).run([&](const CuDriver &cu) {
      return cu.cuMemFreeHost(const_cast<uint32_t *>(mark));
    });
  };
  table.set_mark = [](void *self, void *stream, const volatile uint32_t *mark,
                      uint32_t value) {
    return Current(self).run([&](const CuDriver &cu) {
      CuAddress place = 0;
      const CuResult result = cu.cuMemHostGetDevicePointer_v2(
          &place, const_cast<uint32_t *>(mark), 0);
      return result ? result
                    : cu.cuStreamWriteValue32_v2(asStream(stream), place, value,
                                                 0);
    });
  };
  table.clocks = [](void *self, uint32_t *processor, uint32_t *memory) {
    auto &gpu = *static_cast<CudaDevice *>(self);
    unsigned processorMhz = 0, memoryMhz = 0;
    if (!gpu.monitored ||
        gpu.monitor.nvmlDeviceGetClockInfo(gpu.monitored, kNvmlProcessor,
                                           &processorMhz) ||
        gpu.monitor.nvmlDeviceGetClockInfo(gpu.monitored, kNvmlMemory,
                                           &memoryMhz))
      return int32_t(FUSEC_UNSUPPORTED);
    *processor = processorMhz;
    *memory = memoryMhz;
    return int32_t(FUSEC_OK);
  };
}

void CudaDevice::fillGraphs() {
  table.make_graph = [](void *self, const fusec_device_node *nodes,
                        uint32_t count, void **graph) {
    CuContext *of = static_cast<CudaDevice *>(self)->context;
    CudaGraph *made = nullptr;
    const int32_t status = Current(self).run([&](const CuDriver &cu) {
      made = new (std::nothrow) CudaGraph(cu, of);
      if (!made)
        return kCuOutOfMemory;
      const CuResult result = made->build(nodes, count);
      if (result) {
        delete made;
        made = nullptr;
      }
      return result;
    });
    *graph = made;
    return status;
  };
  table.update_graph = [](void *self, void *graph, uint32_t number,
                          const fusec_device_node *node) {
    return Current(self).run([&](const CuDriver &) {
      return static_cast<CudaGraph *>(graph)->update(number, *node);
    });
  };
  table.launch_graph = [](void *self, void *stream, void *graph) {
    return Current(self).run([&](const CuDriver &) {
      return static_cast<CudaGraph *>(graph)->launch(asStream(stream));
    });
  };
  table.destroy_graph = [](void *self, void *graph) {
    Current(self).run([&](const CuDriver &) {
      delete static_cast<CudaGraph *>(graph);
      return CuResult(0);
    });
  };
  table.is_captured = [](void *self, void *stream, uint32_t *answer) {
    return Current(self).run([&](const CuDriver &cu) {
      return cu.cuStreamIsCapturing(asStream(stream), answer);
    });
  };
}

extern "C" fusec_status
fusec_cuda_device_create(const fusec_cuda_options *options,
                         fusec_device **result) {
  Error &error = threadError();
  if (!result)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "fusec_cuda_device_create: no place for the device");
  *result = nullptr;
  CudaDevice *made = new (std::nothrow) CudaDevice;
  if (!made)
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the device");
  const fusec_cuda_options none = {};
  if (const fusec_status status =
          made->build(options ? *options : none, error)) {
    delete made;
    return status;
  }
  *result = &made->table;
  return FUSEC_OK;
}

extern "C" void fusec_cuda_device_destroy(fusec_device *device) {
  if (device)
    delete static_cast<CudaDevice *>(device->self);
}
