// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vocabulary of emitted CUDA kernels: the scalar forms of fusec/kernel, and
// what threads share. README.md in fusec/kernel lists both.
#ifndef FUSEC_CUDA_KERNEL_H
#define FUSEC_CUDA_KERNEL_H

#include "fusec/cuda/copy.h"
#include "fusec/cuda/matrices.h"
#include "fusec/cuda/memory.h"
#include "fusec/cuda/reduce.h"
#include "fusec/cuda/threads.h"
#include "fusec/cuda/view.h"
#include "fusec/kernel/dot.h"
#include "fusec/kernel/look_up.h"
#include "fusec/kernel/math.h"
#include "fusec/kernel/memory.h"
#include "fusec/kernel/nibbles.h"
#include "fusec/kernel/view.h"

#endif
