// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linux lets a process use the matrix registers of AMX once it has asked, which
// sessions do when they look for the instruction set.
#include "runtime/src/Cpu.h"

[[maybe_unused]] static const fusec_isa isa = fusec::rt::detectIsa();
