// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/FolderAside.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace fusec::codegen {

/// In the name of a folder; names may be anybody's.
static constexpr llvm::StringLiteral kMark = ".fusec-", kNew = "/new",
                                     kOld = "/old";
/// The mode of a folder that fusec made, with a bit that nobody sets on a
/// folder of their own alone: it is there from the folder's first moment to its
/// last, as a file in it would not be, so a process can be killed at any
/// moment.
static constexpr mode_t kMode = S_IRWXU | S_ISVTX;

static llvm::Error fail(int error, llvm::StringRef what) {
  std::error_code code(error, std::generic_category());
  return llvm::createStringError(code, what + ": " + code.message());
}

/// The folder at `name`, locked; -1 if it cannot be, and then `errno` is
/// EWOULDBLOCK if another process has it and ENOENT if it is gone. The system
/// unlocks what a killed process had.
static int openLocked(const char *name) {
  int folder = ::open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return -1;
  struct stat opened, named;
  int error = 0;
  if (::flock(folder, LOCK_EX | LOCK_NB) != 0 ||
      ::fstat(folder, &opened) != 0 || ::lstat(name, &named) != 0)
    error = errno;
  else if (opened.st_ino != named.st_ino || opened.st_dev != named.st_dev)
    error = ENOENT;
  if (error == 0)
    return folder;
  ::close(folder);
  errno = error;
  return -1;
}

/// Whether fusec made it, for this user.
static bool isOurs(llvm::StringRef folder) {
  struct stat found;
  return ::lstat(folder.str().c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
         found.st_uid == ::geteuid() &&
         (found.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO | S_ISVTX)) == kMode;
}

/// Has the system put on disk what is at `path`, where it can.
static bool syncOne(const std::string &path) {
  int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0)
    return errno == ELOOP; // a link is in the folder that has it
  // There are file systems that do not sync folders.
  const bool isDone = ::fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP;
  const int error = errno;
  ::close(file);
  errno = error;
  return isDone;
}

/// Removes what killed processes left in `parent` of their work for `name`, or
/// for any name.
static void removeLeftovers(llvm::StringRef parent,
                            std::optional<llvm::StringRef> name) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error, /*follow_symlinks=*/false);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    auto [left, random] = path::filename(entry->path()).rsplit(kMark);
    if (random.empty() || (name && left != *name) || !isOurs(entry->path()))
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

namespace {
/// The wrappers that this process is writing.
struct Wrappers {
  std::mutex mutex;
  std::set<std::string> names;
  bool areAbandoned = false;
};
} // namespace

static Wrappers &getWrappers() {
  // Never destroyed: threads may outlive what is static.
  static auto *wrappers = new Wrappers;
  return *wrappers;
}

/// Makes it; false with `errno` where that fails or none is made any more.
static bool makeWrapper(llvm::StringRef name) {
  Wrappers &wrappers = getWrappers();
  const std::lock_guard<std::mutex> lock(wrappers.mutex);
  if (wrappers.areAbandoned) {
    errno = ECANCELED;
    return false;
  }
  const bool isMade = ::mkdir(name.str().c_str(), kMode) == 0;
  if (isMade)
    wrappers.names.insert(name.str());
  return isMade;
}

static void dropWrapper(llvm::StringRef name) {
  Wrappers &wrappers = getWrappers();
  const std::lock_guard<std::mutex> lock(wrappers.mutex);
  wrappers.names.erase(name.str());
}

void FolderAside::abandonAll() {
  Wrappers &wrappers = getWrappers();
  const std::lock_guard<std::mutex> lock(wrappers.mutex);
  wrappers.areAbandoned = true;
  // A thread may put a file into a folder that is being emptied.
  constexpr unsigned kAttempts = 100;
  constexpr std::chrono::milliseconds kPause(5);
  for (const std::string &name : wrappers.names)
    for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
      (void)fs::remove_directories(name);
      if (!fs::exists(name))
        break;
      std::this_thread::sleep_for(kPause);
    }
}

void FolderAside::remove(llvm::StringRef place) {
  llvm::Expected<FolderAside> aside = create(place);
  if (!aside)
    return llvm::consumeError(aside.takeError());
  (void)fs::rename(place, aside->wrapper + kOld);
}

llvm::Expected<FolderAside> FolderAside::create(llvm::StringRef place) {
  FolderAside folder;
  // A link stays a link: what it leads to is replaced.
  if (fs::real_path(place, folder.place))
    folder.place = place;
  removeLeftovers(path::parent_path(folder.place),
                  path::filename(folder.place));
  // Another process may take it for a leftover before it is locked.
  for (unsigned attempts = 0; folder.lock < 0; ++attempts) {
    llvm::SmallString<8> random;
    fs::createUniquePath("%%%%%%%%", random, /*MakeAbsolute=*/false);
    folder.wrapper = folder.place;
    folder.wrapper += kMark;
    folder.wrapper += random;
    const bool isMade = makeWrapper(folder.wrapper);
    if (isMade)
      folder.lock = openLocked(folder.wrapper.c_str());
    const bool isTaken =
        isMade ? errno == EWOULDBLOCK || errno == ENOENT : errno == EEXIST;
    if (isMade && folder.lock < 0 && isTaken)
      dropWrapper(folder.wrapper);
    if (folder.lock < 0 && (!isTaken || attempts == 100)) {
      const int error = errno;
      if (!isMade)
        folder.wrapper.clear();
      return fail(error, place);
    }
  }
  if (::mkdir(folder.path().c_str(), 0777) != 0)
    return fail(errno, place);
  return folder;
}

FolderAside::FolderAside(FolderAside &&other) noexcept
    : place(other.place), wrapper(other.wrapper), lock(other.lock),
      isSynced(other.isSynced) {
  other.wrapper.clear();
  other.lock = -1;
}

FolderAside::~FolderAside() {
  if (!wrapper.empty()) {
    (void)fs::remove_directories(wrapper);
    dropWrapper(wrapper);
  }
  if (lock >= 0)
    ::close(lock);
}

std::string FolderAside::path() const { return (wrapper + kNew).str(); }

llvm::Error FolderAside::sync() {
  std::error_code error;
  fs::recursive_directory_iterator entry(path(), error,
                                         /*follow_symlinks=*/false);
  for (; !error && entry != fs::recursive_directory_iterator();
       entry.increment(error))
    if (!syncOne(entry->path()))
      return fail(errno, entry->path());
  if (!error && !syncOne(path()))
    return fail(errno, path());
  isSynced = true;
  return error ? fail(error.value(), path()) : llvm::Error::success();
}

llvm::Error FolderAside::moveIntoPlace() {
  if (llvm::Error error = exchange())
    return error;
  if (isSynced && !syncOne(path::parent_path(place).str()))
    return fail(errno, place);
  return llvm::Error::success();
}

/// What was there is then in the wrapper, which is removed.
llvm::Error FolderAside::exchange() {
  const std::string made = path();
  // Between the two attempts another process may have put its folder there, or
  // removed it.
  for (unsigned attempts = 0; attempts < 100; ++attempts) {
    if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, place.c_str(),
                    RENAME_NOREPLACE) == 0)
      return llvm::Error::success();
    if (errno == EEXIST && ::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD,
                                       place.c_str(), RENAME_EXCHANGE) == 0)
      return llvm::Error::success();
    if (errno != ENOENT && errno != EEXIST)
      break;
  }
  if (errno != EINVAL && errno != ENOSYS)
    return fail(errno, place);
  // A file system that cannot exchange: there is a moment without a folder.
  const std::string old = (wrapper + kOld).str();
  bool replaces = ::rename(place.c_str(), old.c_str()) == 0;
  if (::rename(made.c_str(), place.c_str()) == 0)
    return llvm::Error::success();
  int error = errno;
  if (replaces)
    (void)::rename(old.c_str(), place.c_str());
  return fail(error, place);
}

} // namespace fusec::codegen
