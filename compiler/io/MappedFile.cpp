// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/io/MappedFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fusec::io {

llvm::Error fileError(llvm::StringRef path, const llvm::Twine &message) {
  return llvm::createStringError(path + ": " + message);
}

static llvm::Error systemError(llvm::StringRef path, const char *action) {
  return fileError(path, llvm::Twine("cannot ") + action + ": " +
                             std::strerror(errno));
}

namespace {
/// Who has which addresses.
struct Mappings {
  std::mutex mutex;
  std::map<const char *, const MappedFile *> byBegin;
};
} // namespace

static Mappings &getMappings() {
  static Mappings mappings;
  return mappings;
}

/// A descriptor of the regular file at `path`, of which `status` is told. A
/// pipe that nobody writes to is not waited for.
static llvm::Expected<int> openRegular(llvm::StringRef path,
                                       struct stat &status) {
  int descriptor =
      ::open(path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return systemError(path, "open");
  if (::fstat(descriptor, &status) != 0) {
    llvm::Error error = systemError(path, "stat");
    ::close(descriptor);
    return error;
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(descriptor);
    return fileError(path, "is not a regular file");
  }
  return descriptor;
}

llvm::Expected<std::shared_ptr<const MappedFile>>
MappedFile::open(llvm::StringRef path) {
  struct stat status;
  auto descriptor = openRegular(path, status);
  if (!descriptor)
    return descriptor.takeError();
  std::shared_ptr<MappedFile> file(new MappedFile);
  file->name = path.str();
  file->size = static_cast<size_t>(status.st_size);
  if (file->size > 0) {
    void *address =
        ::mmap(nullptr, file->size, PROT_READ, MAP_PRIVATE, *descriptor, 0);
    if (address == MAP_FAILED) {
      llvm::Error error = systemError(path, "map");
      ::close(*descriptor);
      return error;
    }
    file->data = static_cast<const char *>(address);
    Mappings &mappings = getMappings();
    std::lock_guard lock(mappings.mutex);
    mappings.byBegin[file->data] = file.get();
  }
  ::close(*descriptor);
  return std::shared_ptr<const MappedFile>(std::move(file));
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readFile(llvm::StringRef path) {
  struct stat status;
  auto descriptor = openRegular(path, status);
  if (!descriptor)
    return descriptor.takeError();
  // Volatile: not mapped, which a file that shrinks would take away.
  auto buffer = llvm::MemoryBuffer::getOpenFile(
      llvm::sys::fs::convertFDToNativeFile(*descriptor), path, status.st_size,
      /*RequiresNullTerminator=*/true, /*IsVolatile=*/true);
  ::close(*descriptor);
  if (!buffer)
    return fileError(path, "cannot read: " + buffer.getError().message());
  return std::move(*buffer);
}

std::shared_ptr<const MappedFile>
MappedFile::hold(std::unique_ptr<llvm::MemoryBuffer> bytes,
                 llvm::StringRef name) {
  std::shared_ptr<MappedFile> file(new MappedFile);
  file->name = name.str();
  file->data = bytes->getBufferStart();
  file->size = bytes->getBufferSize();
  file->held = std::move(bytes);
  return file;
}

MappedFile::~MappedFile() {
  if (!data || !isMapped())
    return;
  Mappings &mappings = getMappings();
  std::lock_guard lock(mappings.mutex);
  mappings.byBegin.erase(data);
  ::munmap(const_cast<char *>(data), size);
}

std::string MappedFile::findPath(const void *address) {
  Mappings &mappings = getMappings();
  std::lock_guard lock(mappings.mutex);
  auto next = mappings.byBegin.upper_bound(static_cast<const char *>(address));
  if (next == mappings.byBegin.begin())
    return "";
  const MappedFile &file = *std::prev(next)->second;
  // The last page is mapped as a whole.
  auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  size_t size = (file.size + page - 1) / page * page;
  return address < file.data + size ? file.name : "";
}

void MappedFile::forget(llvm::ArrayRef<char> part) {
  auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  auto begin = reinterpret_cast<uintptr_t>(part.begin()),
       end = reinterpret_cast<uintptr_t>(part.end());
  begin = (begin + page - 1) / page * page;
  end = end / page * page;
  if (begin < end)
    ::madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
}

/// Whether all of `parts` went to `descriptor`; if not, errno says why.
static bool writeAll(int descriptor,
                     llvm::ArrayRef<llvm::ArrayRef<char>> parts) {
  for (llvm::ArrayRef<char> bytes : parts)
    while (!bytes.empty()) {
      ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return false;
      bytes = bytes.drop_front(static_cast<size_t>(count));
    }
  return true;
}

/// Closes `descriptor`, after something that may have failed: then errno stays.
static bool closeAfter(int descriptor, bool isFine) {
  int reason = errno;
  bool isClosed = ::close(descriptor) == 0;
  if (!isFine)
    errno = reason;
  return isFine && isClosed;
}

/// Writes into what is at `path`: a device or a pipe, which nothing may replace.
static llvm::Error writeInto(llvm::StringRef path,
                             llvm::ArrayRef<llvm::ArrayRef<char>> parts) {
  int descriptor = ::open(path.str().c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0 || !closeAfter(descriptor, writeAll(descriptor, parts)))
    return systemError(path, "write");
  return llvm::Error::success();
}

llvm::Error writeFileAside(llvm::StringRef path, llvm::ArrayRef<char> bytes) {
  return writeFileAside(path, llvm::ArrayRef<llvm::ArrayRef<char>>(bytes));
}

llvm::Error writeFileAside(llvm::StringRef path,
                           llvm::ArrayRef<llvm::ArrayRef<char>> parts) {
  struct stat found;
  bool exists = ::stat(path.str().c_str(), &found) == 0;
  if (exists && !S_ISREG(found.st_mode))
    return writeInto(path, parts);
  // A link stays, and what it leads to is replaced.
  llvm::SmallString<128> real;
  if (!exists || llvm::sys::fs::real_path(path, real))
    real = path;
  std::string target = real.str().str();
  std::string aside = target + ".XXXXXX";
  int descriptor = ::mkstemp(aside.data());
  if (descriptor < 0)
    return systemError(path, "write");
  // mkstemp creates the file for its owner only; give it the mode of what it
  // replaces, or the usual one.
  mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(descriptor, exists ? found.st_mode & 07777 : 0666 & ~mask);
  if (!closeAfter(descriptor, writeAll(descriptor, parts)) ||
      ::rename(aside.c_str(), target.c_str()) != 0) {
    llvm::Error error = systemError(path, "write");
    ::unlink(aside.c_str());
    return error;
  }
  return llvm::Error::success();
}

} // namespace fusec::io
