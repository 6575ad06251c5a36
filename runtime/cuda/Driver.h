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
struct CuGraph;
struct CuGraphNode;
struct CuGraphExec;

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

inline constexpr unsigned kCuOnDevice = 2; // a kind of memory
inline constexpr unsigned kCuWriteValue32 = 2;

// What nodes of graphs do: CUDA_KERNEL_NODE_PARAMS_v2, CUDA_MEMCPY3D_v2,
// CUDA_MEMSET_NODE_PARAMS_v1, CUDA_BATCH_MEM_OP_NODE_PARAMS_v1.
struct CuKernelNode {
  CuFunction *function;
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, shared;
  void **arguments, **extra;
  void *kernel;
  CuContext *context;
};
struct CuPlace {
  size_t x, y, z, level;
  unsigned kind;
  const void *host;
  CuAddress device;
  void *array, *reserved;
  size_t pitch, height;
};
struct CuCopyNode {
  CuPlace from, to;
  size_t bytes, height, depth;
};
struct CuFillNode {
  CuAddress to;
  size_t pitch;
  unsigned value, valueBytes;
  size_t width, height;
};
struct CuMemoryOp {
  unsigned operation;
  CuAddress address;
  uint64_t value;
  unsigned flags;
  CuAddress alias;
  uint64_t padding;
};
struct CuMemoryOpsNode {
  CuContext *context;
  unsigned count;
  CuMemoryOp *operations;
  unsigned flags;
};

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
  CuResult (*cuStreamIsCapturing)(CuStream *stream, unsigned *status);
  CuResult (*cuGraphCreate)(CuGraph **graph, unsigned flags);
  CuResult (*cuGraphDestroy)(CuGraph *graph);
  CuResult (*cuGraphAddKernelNode_v2)(CuGraphNode **node, CuGraph *graph,
                                      CuGraphNode *const *before,
                                      size_t numBefore,
                                      const CuKernelNode *what);
  CuResult (*cuGraphAddMemcpyNode)(CuGraphNode **node, CuGraph *graph,
                                   CuGraphNode *const *before, size_t numBefore,
                                   const CuCopyNode *what, CuContext *context);
  CuResult (*cuGraphAddMemsetNode)(CuGraphNode **node, CuGraph *graph,
                                   CuGraphNode *const *before, size_t numBefore,
                                   const CuFillNode *what, CuContext *context);
  CuResult (*cuGraphAddBatchMemOpNode)(CuGraphNode **node, CuGraph *graph,
                                       CuGraphNode *const *before,
                                       size_t numBefore,
                                       const CuMemoryOpsNode *what);
  CuResult (*cuGraphInstantiateWithFlags)(CuGraphExec **made, CuGraph *graph,
                                          unsigned long long flags);
  CuResult (*cuGraphExecDestroy)(CuGraphExec *graph);
  CuResult (*cuGraphExecKernelNodeSetParams_v2)(CuGraphExec *graph,
                                                CuGraphNode *node,
                                                const CuKernelNode *what);
  CuResult (*cuGraphExecMemcpyNodeSetParams)(CuGraphExec *graph,
                                             CuGraphNode *node,
                                             const CuCopyNode *what,
                                             CuContext *context);
  CuResult (*cuGraphExecMemsetNodeSetParams)(CuGraphExec *graph,
                                             CuGraphNode *node,
                                             const CuFillNode *what,
                                             CuContext *context);
  CuResult (*cuGraphLaunch)(CuGraphExec *graph, CuStream *stream);
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
