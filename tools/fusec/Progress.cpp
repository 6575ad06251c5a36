// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Progress.h"

#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <unistd.h>

namespace fusec::tool {

using Clock = std::chrono::steady_clock;
static const Clock::time_point kStart = Clock::now();
static bool shown = false;

void reportProgress(const std::string &what) {
  static const bool terminal = isatty(STDERR_FILENO);
  constexpr std::chrono::milliseconds kQuick(500);
  if (!terminal || Clock::now() - kStart < kQuick)
    return;
  llvm::errs() << "\r\033[K" << what << "...";
  llvm::errs().flush();
  shown = true;
}

void reportStage(llvm::StringRef stage) { reportProgress(stage.str()); }

void clearProgress() {
  if (shown)
    llvm::errs() << "\r\033[K";
  shown = false;
}

} // namespace fusec::tool
