// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layouts_kernels.cuh"
