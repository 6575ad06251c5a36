// Emitted by fusec. This file may be used under any terms.
#include "device_kernels.cuh"
#include "device_kernels_naive.cuh"
