// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What long work is doing, on a line of the terminal that is rewritten.
#ifndef FUSEC_TOOLS_FUSEC_PROGRESS_H
#define FUSEC_TOOLS_FUSEC_PROGRESS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace fusec::tool {

/// Shows `what` on stderr, if that is a terminal and the program has been
/// running for a while: quick work stays silent.
void reportProgress(const std::string &what);

/// Shows `what` at once: where stderr is no terminal on a line of its own, for
/// who reads a log of what takes hours.
void reportStep(const std::string &what);

/// For Driver::lower: shows the stage.
void reportStage(llvm::StringRef stage);

/// "[####------] 4": how much of `total` is done, which is not 0.
std::string drawBar(size_t done, size_t total);

/// Removes the line.
void clearProgress();

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_PROGRESS_H
