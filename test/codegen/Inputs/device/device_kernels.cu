// Emitted by fusec. This file may be used under any terms.
#include "device_kernels.cuh"
