/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * NVIDIA's GPUs as devices of sessions, through CUDA's driver, which is opened
 * when the first one is created: nothing of CUDA is needed to build.
 *
 *   fusec_device *gpu;
 *   if (fusec_cuda_device_create(NULL, &gpu))
 *     complain(fusec_last_error(NULL));
 *   options.device = gpu;
 *
 * Streams, events and device memory of sessions are CUDA's own: a CUstream may
 * be fusec_session_options.stream, a CUdeviceptr the data of a tensor.
 */
#ifndef FUSEC_CUDA_DRIVER_H
#define FUSEC_CUDA_DRIVER_H

#include "fusec/device.h"
#include "fusec/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All fields may be zero. */
typedef struct fusec_cuda_options {
  uint32_t ordinal; /* of the GPU, as the driver counts them */
  uint32_t reserved;
  void *context; /* the caller's CUcontext, in place of the GPU's primary one;
                    must outlive the device. It is made current for the time
                    of each call, and whichever was before is again */
  /* For tests: the driver's library, in place of libcuda.so.1, and the one that
   * tells clocks, in place of libnvidia-ml.so.1. */
  const char *library, *monitor;
} fusec_cuda_options;

/* FUSEC_UNSUPPORTED: there is no driver, or no such GPU. */
FUSEC_API fusec_status fusec_cuda_device_create(
    const fusec_cuda_options *options, fusec_device **device);
/* Its sessions must be gone. NULL is allowed. */
FUSEC_API void fusec_cuda_device_destroy(fusec_device *device);

#ifdef __cplusplus
}
#endif

#endif /* FUSEC_CUDA_DRIVER_H */
