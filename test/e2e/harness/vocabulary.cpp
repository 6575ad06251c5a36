// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives the precompiled vocabulary (CMakeLists.txt) its source.
#include "fusec/kernel/kernel.h"
