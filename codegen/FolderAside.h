// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder that is filled under another name and then put into its place.
#ifndef FUSEC_CODEGEN_FOLDERASIDE_H
#define FUSEC_CODEGEN_FOLDERASIDE_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include <string>

namespace fusec::codegen {

/// A new folder beside `place`, in one called `place`.fusec-XXXXXXXX whose
/// mode, 1700, marks it as fusec's. Who kills the process leaves it behind, and
/// never anything half-written in `place`; the next one that writes there
/// removes it, and nothing of that name with another mode. Several processes
/// may write to one place: each has a folder of its own, and the last one's
/// stays.
class FolderAside {
public:
  /// Errors say what the file system said.
  static llvm::Expected<FolderAside> create(llvm::StringRef place);
  FolderAside(FolderAside &&other) noexcept;
  FolderAside(const FolderAside &) = delete;
  FolderAside &operator=(FolderAside &&) = delete;
  /// Removes the folder, unless it is in its place by now.
  ~FolderAside();

  /// Removes what killed processes left in `parent`, whatever place it was for:
  /// for a folder that only fusec writes to.
  static void removeAllLeftovers(llvm::StringRef parent);

  /// Removes what this process is writing, on whatever thread: for who ends
  /// the process while others are at work. No folder is made after that.
  static void abandonAll();

  /// Removes the folder at `place`, in one step for who looks for it.
  static void remove(llvm::StringRef place);

  std::string path() const;

  /// Has the system put all of the folder on disk: then even a crash of the
  /// machine leaves no half of it in its place.
  llvm::Error sync();

  /// Puts the folder into its place, in one step; what was there is removed.
  llvm::Error moveIntoPlace();

private:
  FolderAside() = default;

  llvm::Error exchange();

  llvm::SmallString<128> place, wrapper;
  /// Open and locked for as long as the folder is being written.
  int lock = -1;
  bool isSynced = false;
};

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_FOLDERASIDE_H
