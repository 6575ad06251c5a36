// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where fusec keeps what it builds, and what in there is its own.
#ifndef FUSEC_TOOLS_FUSEC_CACHEFOLDER_H
#define FUSEC_TOOLS_FUSEC_CACHEFOLDER_H

#include "llvm/Support/Error.h"
#include <string>

namespace fusec::tool {

/// What to do where the cache cannot be used.
inline constexpr const char *kCacheHint =
    "set XDG_CACHE_HOME to a folder that you own and only you may write to";

/// $XDG_CACHE_HOME/fusec, or ~/.cache/fusec: made for this user alone where it
/// is not there, else refused where somebody else may write to it, for what
/// lies there is run. Without a home folder it is one that is gone when this
/// process ends, and a warning says so.
llvm::Expected<std::string> openCache();

/// How many bytes the cache may take: $FUSEC_CACHE_LIMIT, as in 500M or 2G, or
/// 2 GB; 0 keeps nothing but what was built last.
llvm::Expected<uint64_t> cacheLimit();

/// Writes into a folder what marks it as an entry, with a hash of all that it
/// holds.
llvm::Error sealEntry(llvm::StringRef entry);

/// Whether an entry holds what it held when it was sealed: a crash of the
/// machine may have cut it short, and somebody may have changed it.
bool isSealed(llvm::StringRef entry);

/// Marks an entry as used now.
void touchEntry(const std::string &entry);

/// Removes the entries of the folder that were used least recently, until no
/// more than `limit` bytes are left; never `keep`, nor what is no entry.
void trimCache(const std::string &folder, uint64_t limit,
               const std::string &keep);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_CACHEFOLDER_H
