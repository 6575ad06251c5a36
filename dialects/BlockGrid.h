// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How blocks of a GPU's threads share a call of an operator of a user's.
#ifndef FUSEC_DIALECTS_BLOCKGRID_H
#define FUSEC_DIALECTS_BLOCKGRID_H

#include <cstdint>
#include <optional>
#include <string>

namespace fusec {

struct BlockGrid {
  int64_t blocks = 0, threads = 0;
  /// Of shared memory of each block, besides what the function declares, and of
  /// scratch memory of all.
  int64_t sharedBytes = 0, workspaceBytes = 0;

  bool operator==(const BlockGrid &other) const {
    return blocks == other.blocks && threads == other.threads &&
           sharedBytes == other.sharedBytes &&
           workspaceBytes == other.workspaceBytes;
  }
  /// Why no GPU runs such blocks; nothing where one does.
  std::optional<std::string> refuse() const;
};

} // namespace fusec

#endif // FUSEC_DIALECTS_BLOCKGRID_H
