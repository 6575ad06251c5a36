// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel dialect: loops and memory that print one to one as C++ or CUDA.
include "dialects/kernel/KernelControl.td"
include "dialects/kernel/KernelCopies.td"
include "dialects/kernel/KernelFunc.td"
include "dialects/kernel/KernelLoops.td"
include "dialects/kernel/KernelMemory.td"
include "dialects/kernel/KernelThreads.td"
include "dialects/kernel/KernelValues.td"
include "dialects/kernel/KernelHost.td"
