// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/FolderAside.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace fusec::codegen {

static constexpr llvm::StringLiteral kMark = ".fusec-";

static llvm::Error fail(int error, llvm::StringRef what) {
  std::error_code code(error, std::generic_category());
  return llvm::createStringError(code, what + ": " + code.message());
}

/// The folder at `name`, locked; -1 if another process has it or it is gone.
/// The system unlocks what a killed process had.
static int openLocked(const char *name) {
  int folder = ::open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return -1;
  struct stat opened, named;
  if (::flock(folder, LOCK_EX | LOCK_NB) == 0 &&
      ::fstat(folder, &opened) == 0 && ::lstat(name, &named) == 0 &&
      opened.st_ino == named.st_ino && opened.st_dev == named.st_dev)
    return folder;
  ::close(folder);
  return -1;
}

/// Removes what killed processes left in `parent` of their work for `name`, or
/// for any name.
static void removeLeftovers(llvm::StringRef parent,
                            std::optional<llvm::StringRef> name) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error, /*follow_symlinks=*/false);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    auto [left, random] = path::filename(entry->path()).rsplit(kMark);
    if (random.empty() || (name && left != *name))
      continue;
    int folder = openLocked(entry->path().c_str());
    if (folder < 0)
      continue;
    (void)fs::remove_directories(entry->path());
    ::close(folder);
  }
}

void FolderAside::removeAllLeftovers(llvm::StringRef parent) {
  removeLeftovers(parent, std::nullopt);
}

bool FolderAside::isOne(llvm::StringRef path) {
  return path::filename(path).contains(kMark);
}

void FolderAside::remove(llvm::StringRef place) {
  llvm::Expected<FolderAside> aside = create(place);
  if (!aside)
    return llvm::consumeError(aside.takeError());
  (void)fs::rename(place, aside->path() + "/removed");
}

llvm::Expected<FolderAside> FolderAside::create(llvm::StringRef place) {
  FolderAside folder;
  // A link stays a link: what it leads to is replaced.
  if (fs::real_path(place, folder.place))
    folder.place = place;
  removeLeftovers(path::parent_path(folder.place),
                  path::filename(folder.place));
  // Another process may take a folder that is not locked yet for a leftover.
  for (unsigned attempts = 0; attempts < 100; ++attempts) {
    folder.aside = folder.place;
    folder.aside += (kMark + "XXXXXX").str();
    (void)folder.aside.c_str(); // ends it with a zero
    if (!::mkdtemp(folder.aside.data())) {
      int error = errno;
      folder.aside.clear();
      return fail(error, place);
    }
    folder.lock = openLocked(folder.aside.c_str());
    if (folder.lock < 0)
      continue;
    // mkdtemp creates it for its owner only; give it the usual mode.
    mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(folder.lock, 0777 & ~mask) != 0)
      return fail(errno, place);
    return folder;
  }
  folder.aside.clear();
  return fail(EBUSY, place);
}

FolderAside::FolderAside(FolderAside &&other) noexcept
    : place(other.place), aside(other.aside), lock(other.lock) {
  other.aside.clear();
  other.lock = -1;
}

FolderAside::~FolderAside() {
  if (!aside.empty())
    (void)fs::remove_directories(aside);
  if (lock >= 0)
    ::close(lock);
}

llvm::Error FolderAside::moveIntoPlace() {
  // What was there gets the other name, which is then removed. Between the two
  // attempts another process may have put its folder there, or removed it.
  for (unsigned attempts = 0; attempts < 100; ++attempts) {
    if (::renameat2(AT_FDCWD, aside.c_str(), AT_FDCWD, place.c_str(),
                    RENAME_NOREPLACE) == 0) {
      aside.clear();
      return llvm::Error::success();
    }
    if (errno == EEXIST && ::renameat2(AT_FDCWD, aside.c_str(), AT_FDCWD,
                                       place.c_str(), RENAME_EXCHANGE) == 0) {
      (void)fs::remove_directories(aside);
      aside.clear();
      return llvm::Error::success();
    }
    if (errno != ENOENT && errno != EEXIST)
      break;
  }
  if (errno != EINVAL && errno != ENOSYS)
    return fail(errno, place);
  // A file system that cannot exchange: there is a moment without a folder.
  llvm::SmallString<128> old(aside);
  old += "-old";
  bool replaces = ::rename(place.c_str(), old.c_str()) == 0;
  if (::rename(aside.c_str(), place.c_str()) != 0) {
    int error = errno;
    if (replaces)
      (void)::rename(old.c_str(), place.c_str());
    return fail(error, place);
  }
  aside.clear();
  if (replaces)
    (void)fs::remove_directories(old);
  return llvm::Error::success();
}

} // namespace fusec::codegen
