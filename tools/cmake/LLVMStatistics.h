// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statistics as the packaged LLVM has them, for builds with assertions.
//
// Whether llvm::Statistic counts, and so the layout of mlir::Pass::Statistic,
// depends on NDEBUG alone: LLVM was built with it, and its constructor leaves
// the counter of a build without it uninitialised. No other layout depends on
// NDEBUG (containers have LLVM_ENABLE_ABI_BREAKING_CHECKS), so that it is
// defined for this one header, and assertions stay.
#ifndef FUSEC_TOOLS_CMAKE_LLVMSTATISTICS_H
#define FUSEC_TOOLS_CMAKE_LLVMSTATISTICS_H

#include "llvm/Support/Compiler.h"
#include <atomic>
#include <memory>
#include <type_traits>
#include <vector>

#define NDEBUG
#include "llvm/ADT/Statistic.h"
#undef NDEBUG

static_assert(std::is_empty<llvm::Statistic>::value,
              "llvm/ADT/Statistic.h was included before");

#endif // FUSEC_TOOLS_CMAKE_LLVMSTATISTICS_H
