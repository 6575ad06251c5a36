// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vocabulary of emitted kernels; README.md beside this file lists it.
#ifndef FUSEC_KERNEL_KERNEL_H
#define FUSEC_KERNEL_KERNEL_H

#include "fusec/kernel/atomic.h"
#include "fusec/kernel/dot.h"
#include "fusec/kernel/dot_bf16.h"
#include "fusec/kernel/lanes.h"
#include "fusec/kernel/look_up.h"
#include "fusec/kernel/math.h"
#include "fusec/kernel/nibbles.h"
#include "fusec/kernel/parallel.h"
#include "fusec/kernel/stream.h"
#include "fusec/kernel/tiles.h"
#include "fusec/kernel/transpose.h"
#include "fusec/kernel/view.h"

#endif
