// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is called of CUDA's driver, declared here: its headers are not needed.
#ifndef FUSEC_RUNTIME_CUDA_DRIVER_H
#define FUSEC_RUNTIME_CUDA_DRIVER_H

#include <cstddef>
#include <cstdint>

#include "runtime/src/Error.h"

namespace fusec::rt {

using CuResult = int; // 0: it went well
using CuAddress = unsigned long long;
struct CuContext;
struct CuModule;
struct CuFunction;
struct CuStream;
struct CuEvent;

struct NvmlDevice;

inline constexpr CuResult kCuOutOfMemory = 2;
inline constexpr int kCuMajor = 75, kCuMinor = 76; // attributes of a device
inline constexpr int kCuMemoryType = 2;            // an attribute of a pointer
inline constexpr int kCuMostShared = 8;            // an attribute of a function
inline constexpr uint32_t kCuDeclaredShared = 48 << 10; // most without it
inline constexpr unsigned kCuHostMemory = 1;
inline constexpr unsigned kCuPortable = 1, kCuMapped = 2; // memory of the host
inline constexpr int kNvmlProcessor = 1, kNvmlMemory = 2; // clocks
inline constexpr int kCuErrorLog = 5, kCuErrorLogBytes = 6; // when PTX is read

/// Each member is the function of that name, with its version behind it where
/// it has had several.
struct CuDriver {
  CuResult (*cuInit)(unsigned flags);
  CuResult (*cuGetErrorName)(CuResult error, const char **text);
  CuResult (*cuGetErrorString)(CuResult error, const char **text);
  CuResult (*cuDriverGetVersion)(int *version);
  CuResult (*cuDeviceGetCount)(int *count);
  CuResult (*cuDeviceGet)(int *device, int ordinal);
  CuResult (*cuDeviceGetName)(char *name, int bytes, int device);
  CuResult (*cuDeviceGetAttribute)(int *value, int attribute, int device);
  CuResult (*cuDeviceGetPCIBusId)(char *id, int bytes, int device);
  CuResult (*cuDevicePrimaryCtxRetain)(CuContext **context, int device);
  CuResult (*cuDevicePrimaryCtxRelease_v2)(int device);
  CuResult (*cuCtxPushCurrent_v2)(CuContext *context);
  CuResult (*cuCtxPopCurrent_v2)(CuContext **context);
  CuResult (*cuCtxGetDevice)(int *device);
  CuResult (*cuPointerGetAttribute)(void *value, int attribute,
                                    CuAddress pointer);
  CuResult (*cuMemAlloc_v2)(CuAddress *memory, size_t bytes);
  CuResult (*cuMemFree_v2)(CuAddress memory);
  CuResult (*cuMemHostAlloc)(void **memory, size_t bytes, unsigned flags);
  CuResult (*cuMemFreeHost)(void *memory);
  CuResult (*cuMemHostGetDevicePointer_v2)(CuAddress *address, void *memory,
                                           unsigned flags);
  CuResult (*cuMemcpyHtoDAsync_v2)(CuAddress to, const void *from, size_t bytes,
                                   CuStream *stream);
  CuResult (*cuMemcpyDtoHAsync_v2)(void *to, CuAddress from, size_t bytes,
                                   CuStream *stream);
  CuResult (*cuMemcpyDtoDAsync_v2)(CuAddress to, CuAddress from, size_t bytes,
                                   CuStream *stream);
  CuResult (*cuMemsetD8Async)(CuAddress to, unsigned char value, size_t count,
                              CuStream *stream);
  CuResult (*cuMemsetD16Async)(CuAddress to, unsigned short value, size_t count,
                               CuStream *stream);
  CuResult (*cuMemsetD32Async)(CuAddress to, unsigned value, size_t count,
                               CuStream *stream);
  CuResult (*cuMemsetD2D32Async)(CuAddress to, size_t pitch, unsigned value,
                                 size_t width, size_t height, CuStream *stream);
  CuResult (*cuModuleLoadDataEx)(CuModule **module, const void *image,
                                 unsigned numOptions, int *options,
                                 void **values);
  CuResult (*cuModuleUnload)(CuModule *module);
  CuResult (*cuModuleGetFunction)(CuFunction **function, CuModule *module,
                                  const char *name);
  CuResult (*cuFuncSetAttribute)(CuFunction *function, int attribute,
                                 int value);
  CuResult (*cuLaunchKernel)(CuFunction *function, unsigned gridX,
                             unsigned gridY, unsigned gridZ, unsigned blockX,
                             unsigned blockY, unsigned blockZ, unsigned shared,
                             CuStream *stream, void **arguments, void **extra);
  CuResult (*cuStreamCreate)(CuStream **stream, unsigned flags);
  CuResult (*cuStreamDestroy_v2)(CuStream *stream);
  CuResult (*cuStreamSynchronize)(CuStream *stream);
  CuResult (*cuStreamWriteValue32_v2)(CuStream *stream, CuAddress address,
                                      uint32_t value, unsigned flags);
  CuResult (*cuEventCreate)(CuEvent **event, unsigned flags);
  CuResult (*cuEventDestroy_v2)(CuEvent *event);
  CuResult (*cuEventRecord)(CuEvent *event, CuStream *stream);
  CuResult (*cuEventElapsedTime)(float *milliseconds, CuEvent *begin,
                                 CuEvent *end);

  void *library = nullptr;

  /// Opens the library and finds all of them; what is missing is in `error`.
  fusec_status load(const char *path, Error &error);
  ~CuDriver();
};

/// NVIDIA's management library, which comes with the driver.
struct Nvml {
  int (*nvmlInit_v2)();
  int (*nvmlDeviceGetHandleByPciBusId_v2)(const char *id, NvmlDevice **device);
  int (*nvmlDeviceGetClockInfo)(NvmlDevice *device, int clock, unsigned *mhz);

  void *library = nullptr;

  /// Whether it is there.
  bool load(const char *path);
  ~Nvml();
};

} // namespace fusec::rt

#endif
