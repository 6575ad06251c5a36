// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime's own declarations of what nodes of CUDA's graphs do, beside
// those of CUDA's header, where there is one.
#include "runtime/cuda/Driver.h"

#if __has_include(<cuda.h>)
#include <cstddef>
#include <cuda.h>

using namespace fusec::rt;

#define FUSEC_SAME(own, field, theirs, member)                                 \
  static_assert(offsetof(own, field) == offsetof(theirs, member),              \
                #own "." #field)

static_assert(sizeof(CuKernelNode) == sizeof(CUDA_KERNEL_NODE_PARAMS_v2));
FUSEC_SAME(CuKernelNode, gridX, CUDA_KERNEL_NODE_PARAMS_v2, gridDimX);
FUSEC_SAME(CuKernelNode, shared, CUDA_KERNEL_NODE_PARAMS_v2, sharedMemBytes);
FUSEC_SAME(CuKernelNode, arguments, CUDA_KERNEL_NODE_PARAMS_v2, kernelParams);

static_assert(sizeof(CuCopyNode) == sizeof(CUDA_MEMCPY3D_v2));
FUSEC_SAME(CuCopyNode, from.kind, CUDA_MEMCPY3D_v2, srcMemoryType);
FUSEC_SAME(CuCopyNode, from.device, CUDA_MEMCPY3D_v2, srcDevice);
FUSEC_SAME(CuCopyNode, to.kind, CUDA_MEMCPY3D_v2, dstMemoryType);
FUSEC_SAME(CuCopyNode, to.device, CUDA_MEMCPY3D_v2, dstDevice);
FUSEC_SAME(CuCopyNode, bytes, CUDA_MEMCPY3D_v2, WidthInBytes);
FUSEC_SAME(CuCopyNode, depth, CUDA_MEMCPY3D_v2, Depth);
static_assert(kCuOnDevice == CU_MEMORYTYPE_DEVICE);

static_assert(sizeof(CuFillNode) == sizeof(CUDA_MEMSET_NODE_PARAMS_v1));
FUSEC_SAME(CuFillNode, valueBytes, CUDA_MEMSET_NODE_PARAMS_v1, elementSize);
FUSEC_SAME(CuFillNode, height, CUDA_MEMSET_NODE_PARAMS_v1, height);

static_assert(sizeof(CuMemoryOp) == sizeof(CUstreamBatchMemOpParams_v1));
FUSEC_SAME(CuMemoryOp, address, CUstreamBatchMemOpParams_v1,
           writeValue.address);
FUSEC_SAME(CuMemoryOp, value, CUstreamBatchMemOpParams_v1, writeValue.value);
FUSEC_SAME(CuMemoryOp, flags, CUstreamBatchMemOpParams_v1, writeValue.flags);
static_assert(kCuWriteValue32 == CU_STREAM_MEM_OP_WRITE_VALUE_32);
static_assert(sizeof(CuMemoryOpsNode) ==
              sizeof(CUDA_BATCH_MEM_OP_NODE_PARAMS_v1));
FUSEC_SAME(CuMemoryOpsNode, operations, CUDA_BATCH_MEM_OP_NODE_PARAMS_v1,
           paramArray);
#endif
