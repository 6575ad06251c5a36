// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is done in a process of its own: CUDA's driver does not work in a
// process that was forked after its parent had opened it, so that who starts
// processes that run kernels does not open it.
#ifndef FUSEC_TOOLS_FUSEC_TUNE_ASIDE_H
#define FUSEC_TOOLS_FUSEC_TUNE_ASIDE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <string>

namespace fusec::tool {

/// The text that `body` returns in a fork of this process, or nothing where
/// that ended otherwise, or had to stop.
std::optional<std::string> doAside(llvm::function_ref<std::string()> body);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_TUNE_ASIDE_H
