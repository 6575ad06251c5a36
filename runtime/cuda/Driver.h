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

inline constexpr CuResult kCuOutOfMemory = 2;
inline constexpr int kCuMajor = 75, kCuMinor = 76; // attributes of a device
inline constexpr int kCuMemoryType = 2;            // an attribute of a pointer
inline constexpr unsigned kCuHostMemory = 1;
inline constexpr int kCuErrorLog = 5, kCuErrorLogBytes = 6; // when PTX is read

/// Each member is the function of that name, with its version behind it where
/// it has had several.
struct CuDriver {
  CuResult (*cuInit)(unsigned flags);
  CuResult (*cuGetErrorName)(CuResult error, const char **text);
  CuResult (*cuGetErrorString)(CuResult error, const char **text);
  CuResult (*cuDeviceGetCount)(int *count);
  CuResult (*cuDeviceGet)(int *device, int ordinal);
  CuResult (*cuDeviceGetName)(char *name, int bytes, int device);
  CuResult (*cuDeviceGetAttribute)(int *value, int attribute, int device);
  CuResult (*cuDevicePrimaryCtxRetain)(CuContext **context, int device);
  CuResult (*cuDevicePrimaryCtxRelease_v2)(int device);
  CuResult (*cuCtxPushCurrent_v2)(CuContext *context);
  CuResult (*cuCtxPopCurrent_v2)(CuContext **context);
  CuResult (*cuCtxGetDevice)(int *device);
  CuResult (*cuPointerGetAttribute)(void *value, int attribute,
                                    CuAddress pointer);
  CuResult (*cuMemAlloc_v2)(CuAddress *memory, size_t bytes);
  CuResult (*cuMemFree_v2)(CuAddress memory);
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
  CuResult (*cuLaunchKernel)(CuFunction *function, unsigned gridX,
                             unsigned gridY, unsigned gridZ, unsigned blockX,
                             unsigned blockY, unsigned blockZ, unsigned shared,
                             CuStream *stream, void **arguments, void **extra);
  CuResult (*cuStreamCreate)(CuStream **stream, unsigned flags);
  CuResult (*cuStreamDestroy_v2)(CuStream *stream);
  CuResult (*cuStreamSynchronize)(CuStream *stream);
  CuResult (*cuEventCreate)(CuEvent **event, unsigned flags);
  CuResult (*cuEventDestroy_v2)(CuEvent *event);
  CuResult (*cuEventRecord)(CuEvent *event, CuStream *stream);
  CuResult (*cuEventElapsedTime)(float *milliseconds, CuEvent *begin,
                                 CuEvent *end);

  void *library = nullptr;

  /// Opens the library and finds all of them; what is missing is in `error`.
  fusec_status load(const char *path, Error &error);
  ~CuDriver();

private:
  bool find(void *pointer, const char *name);
};

} // namespace fusec::rt

#endif
