// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Interrupt.h"

#include <csignal>

namespace fusec::tool {

static volatile std::sig_atomic_t interrupted = 0;

void watchInterrupts() {
  std::signal(SIGINT, [](int) { interrupted = 1; });
}

bool isInterrupted() { return interrupted; }

} // namespace fusec::tool
