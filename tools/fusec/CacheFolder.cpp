// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/CacheFolder.h"

#include "codegen/FolderAside.h"
#include "compiler/io/MappedFile.h"
#include "tools/fusec/Cache.h"
#include "tools/fusec/Json.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace fusec::tool {

//===- The folder ---------------------------------------------------------===//

namespace {
/// A folder that goes with the process that made it.
struct Temporary {
  llvm::SmallString<128> folder;
  pid_t maker = ::getpid();
  ~Temporary() {
    if (!folder.empty() && maker == ::getpid())
      (void)fs::remove_directories(folder);
  }
};
} // namespace

static llvm::Error fail(llvm::StringRef what, int error) {
  std::error_code code(error, std::generic_category());
  return llvm::createStringError(code, what + ": " + code.message());
}

/// Where there is no home: what is built lasts as long as who asked for it.
static llvm::Expected<std::string> openTemporary() {
  static Temporary temporary;
  if (!temporary.folder.empty())
    return temporary.folder.str().str();
  llvm::SmallString<128> folder;
  path::system_temp_directory(/*erasedOnReboot=*/true, folder);
  path::append(folder, "fusec-XXXXXX");
  if (!::mkdtemp(const_cast<char *>(folder.c_str())))
    return fail(folder, errno);
  temporary.folder = folder;
  Problem warning;
  warning.kind = ProblemKind::Warning;
  warning.file = "fusec";
  warning.reason = "there is no home folder, so what is built is not kept";
  warning.hint = "set HOME, or XDG_CACHE_HOME, to an absolute path";
  printProblems({warning}, llvm::errs());
  return temporary.folder.str().str();
}

/// Makes a folder and those above it, for this user alone.
static int makePrivate(llvm::StringRef folder) {
  if (fs::is_directory(folder))
    return 0;
  if (llvm::StringRef above = path::parent_path(folder); !above.empty())
    if (int error = makePrivate(above))
      return error;
  return ::mkdir(folder.str().c_str(), 0700) == 0 || errno == EEXIST ? 0
                                                                     : errno;
}

/// Why somebody else may change what lies in a folder, or may put another one
/// in its place; empty where nobody may.
static std::string findIntruder(const struct stat &folder,
                                const struct stat &above) {
  auto isForeign = [](const struct stat &one) {
    return one.st_uid != ::geteuid();
  };
  if (isForeign(folder))
    return fmt::format("belongs to another user (number {})", folder.st_uid);
  if (folder.st_mode & (S_IWGRP | S_IWOTH))
    return fmt::format("may be written to by other users (its mode is {:04o}); "
                       "if nobody else was there, chmod 700 it",
                       unsigned(folder.st_mode & 07777));
  if (isForeign(above) && above.st_uid != 0)
    return fmt::format("lies in a folder of another user (number {})",
                       above.st_uid);
  if ((above.st_mode & S_IWOTH) && !(above.st_mode & S_ISVTX))
    return "lies in a folder that all users may write to";
  return "";
}

static llvm::Expected<std::string> openPrivate(const std::string &folder) {
  if (int error = makePrivate(folder))
    return fail(folder, error);
  // What a link leads to is what counts.
  llvm::SmallString<128> real;
  if (std::error_code error = fs::real_path(folder, real))
    return fail(folder, error.value());
  struct stat status, above;
  if (::stat(real.c_str(), &status) != 0 ||
      ::stat(path::parent_path(real).str().c_str(), &above) != 0)
    return fail(folder, errno);
  if (!S_ISDIR(status.st_mode))
    return fail(folder, ENOTDIR);
  if (std::string intruder = findIntruder(status, above); !intruder.empty())
    return llvm::createStringError(
        folder + ": fusec runs what it keeps here, and the folder " + intruder);
  return real.str().str();
}

llvm::Expected<std::string> openCache() {
  llvm::SmallString<128> folder;
  if (auto chosen = llvm::sys::Process::GetEnv("XDG_CACHE_HOME");
      chosen && path::is_absolute(*chosen))
    folder = *chosen;
  else if (path::home_directory(folder) && path::is_absolute(folder))
    path::append(folder, ".cache");
  else
    return openTemporary();
  path::append(folder, "fusec");
  return openPrivate(folder.str().str());
}

//===- Entries ------------------------------------------------------------===//

/// What stands in an entry's seal, before the hash.
static constexpr llvm::StringLiteral kSealFile = "built-by-fusec",
                                     kSealText = "fusec.built 1\n";

static std::string sealOf(llvm::StringRef entry) {
  return (entry + "/" + kSealFile).str();
}

/// The hash in an entry's seal, empty where it has none.
static std::string readSeal(llvm::StringRef entry) {
  struct stat status;
  if (::lstat(sealOf(entry).c_str(), &status) != 0 ||
      !S_ISREG(status.st_mode) || status.st_uid != ::geteuid())
    return "";
  auto text = llvm::MemoryBuffer::getFile(sealOf(entry));
  if (!text)
    return "";
  llvm::StringRef hash = (*text)->getBuffer();
  return hash.consume_front(kSealText) ? hash.str() : "";
}

static bool isMarked(llvm::StringRef entry) { return !readSeal(entry).empty(); }

llvm::Error sealEntry(llvm::StringRef entry) {
  llvm::Expected<std::string> hash = hashOfFolder(entry, kSealFile);
  if (!hash)
    return hash.takeError();
  std::string text = kSealText.str() + *hash;
  return io::writeFileAside(sealOf(entry), {text.data(), text.size()});
}

bool isSealed(llvm::StringRef entry) {
  std::string expected = readSeal(entry);
  if (expected.empty())
    return false;
  llvm::Expected<std::string> found = hashOfFolder(entry, kSealFile);
  if (found)
    return *found == expected;
  llvm::consumeError(found.takeError());
  return false;
}

llvm::Expected<uint64_t> cacheLimit() {
  std::string text =
      llvm::sys::Process::GetEnv("FUSEC_CACHE_LIMIT").value_or("2G");
  llvm::StringRef number(text);
  unsigned shift = 0;
  for (llvm::StringRef unit : {"K", "M", "G", "T"}) {
    shift += 10;
    if (number.consume_back_insensitive(unit)) {
      uint64_t count = 0;
      if (!number.getAsInteger(10, count) && count >> (63 - shift) == 0)
        return count << shift;
      shift = 0;
      break;
    }
  }
  uint64_t count = 0;
  if (shift && !number.getAsInteger(10, count))
    return count;
  return llvm::createStringError("the variable FUSEC_CACHE_LIMIT is '" + text +
                                 "', which is no size like 500M or 2G");
}

void touchEntry(const std::string &entry) {
  (void)::utimensat(AT_FDCWD, entry.c_str(), nullptr, 0);
}

namespace {
struct Entry {
  std::string path;
  uint64_t bytes = 0;
  llvm::sys::TimePoint<> used;
};
} // namespace

static uint64_t sizeOfFolder(llvm::StringRef folder) {
  uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator file(folder, error, false), end;
       file != end && !error; file.increment(error))
    if (auto status = file->status();
        status && status->type() == fs::file_type::regular_file)
      bytes += status->getSize();
  return bytes;
}

void trimCache(const std::string &cache, uint64_t limit,
               const std::string &keep) {
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator folder(cache, error, false), end;
       folder != end && !error; folder.increment(error)) {
    auto status = folder->status();
    if (!status || status->type() != fs::file_type::directory_file ||
        !isMarked(folder->path()))
      continue;
    entries.push_back({folder->path(), sizeOfFolder(folder->path()),
                       status->getLastModificationTime()});
    total += entries.back().bytes;
  }
  llvm::sort(entries, [](const Entry &a, const Entry &b) {
    return std::tie(a.used, a.path) < std::tie(b.used, b.path);
  });
  for (const Entry &entry : entries)
    if (total > limit && entry.path != keep) {
      codegen::FolderAside::remove(entry.path);
      total -= entry.bytes;
    }
}

} // namespace fusec::tool
