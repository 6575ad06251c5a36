// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/BlockGrid.h"

namespace fusec {

/// What CUDA has on every GPU: threads of a warp, the most of a block, and the
/// most blocks of a grid.
static constexpr int64_t kWarpThreads = 32, kMostThreads = 1024,
                         kMostBlocks = INT32_MAX;

std::optional<std::string> BlockGrid::refuse() const {
  if (threads < kWarpThreads || threads > kMostThreads ||
      threads % kWarpThreads)
    return "has blocks of " + std::to_string(threads) +
           " threads; a block has whole warps of " +
           std::to_string(kWarpThreads) + ", up to " +
           std::to_string(kMostThreads) + " threads";
  if (blocks < 0 || blocks > kMostBlocks)
    return "has " + std::to_string(blocks) + " blocks; a grid has 0 to " +
           std::to_string(kMostBlocks);
  if (sharedBytes < 0)
    return "has blocks of " + std::to_string(sharedBytes) +
           " bytes of shared memory; they have 0 or more";
  if (workspaceBytes < 0)
    return "has " + std::to_string(workspaceBytes) +
           " bytes of scratch memory; there are 0 or more";
  return std::nullopt;
}

} // namespace fusec
