// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the instruction sets that this machine runs, one a line.
#include <cstdio>

#include "runtime/src/Cpu.h"

int main() {
  std::puts("portable");
  for (fusec_isa isa = 0; isa <= fusec::rt::detectIsa(); ++isa)
    std::puts(fusec::rt::isaName(isa));
}
