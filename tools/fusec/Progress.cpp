// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Progress.h"

#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <unistd.h>

namespace fusec::tool {

using Clock = std::chrono::steady_clock;
static const Clock::time_point kStart = Clock::now();
static bool isLineShown = false;

static bool isOnTerminal() {
  static const bool terminal = isatty(STDERR_FILENO);
  return terminal;
}

void reportStep(const std::string &what) {
  if (isOnTerminal())
    reportProgress(what);
  else
    llvm::errs() << "fusec: " << what << "\n";
}

void reportProgress(const std::string &what) {
  constexpr std::chrono::milliseconds kQuick(500);
  if (!isOnTerminal() || Clock::now() - kStart < kQuick)
    return;
  llvm::errs() << "\r\033[K" << what << "...";
  llvm::errs().flush();
  isLineShown = true;
}

void reportStage(llvm::StringRef stage) { reportProgress(stage.str()); }

std::string drawBar(size_t done, size_t total) {
  constexpr size_t width = 10;
  const size_t full = done * width / total;
  return "[" + std::string(full, '#') + std::string(width - full, '-') + "] " +
         std::to_string(done);
}

void clearProgress() {
  if (isLineShown)
    llvm::errs() << "\r\033[K";
  isLineShown = false;
}

} // namespace fusec::tool
