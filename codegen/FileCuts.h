// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which groups of kernels share a file.
#ifndef FUSEC_CODEGEN_FILECUTS_H
#define FUSEC_CODEGEN_FILECUTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace fusec::codegen {

struct GroupSize {
  llvm::StringRef name;
  unsigned lines;
};

/// For each file the number of its first group: the groups, in their order, are
/// shared out to `numFiles` files of about the same size; where that is 0, to
/// as few as have no more than some 6000 lines each (or one group). At least
/// one file; with fewer groups than files the last ones have none.
///
/// A group whose text changes leaves the others where they are, as far as that
/// goes: lines count by powers of two, so that a few more or less are the same;
/// a file ends at the group, of the many with which it might, whose name has
/// the smallest hash; and it matters only how much there is from the file's
/// begin. So a group that is new, or grows, moves the end of its own file, if
/// any.
std::vector<size_t> cutIntoFiles(llvm::ArrayRef<GroupSize> groups,
                                 unsigned numFiles);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_FILECUTS_H
