// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/io/MappedFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
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

llvm::Expected<std::shared_ptr<const MappedFile>>
MappedFile::open(llvm::StringRef path) {
  std::shared_ptr<MappedFile> file(new MappedFile);
  file->name = path.str();
  int descriptor = ::open(file->name.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return systemError(path, "open");
  struct stat status;
  if (::fstat(descriptor, &status) != 0) {
    ::close(descriptor);
    return systemError(path, "stat");
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(descriptor);
    return fileError(path, "is not a regular file");
  }
  file->size = static_cast<size_t>(status.st_size);
  if (file->size > 0) {
    void *address =
        ::mmap(nullptr, file->size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (address == MAP_FAILED) {
      ::close(descriptor);
      return systemError(path, "map");
    }
    file->data = static_cast<const char *>(address);
  }
  ::close(descriptor);
  return std::shared_ptr<const MappedFile>(std::move(file));
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
  if (data && isMapped())
    ::munmap(const_cast<char *>(data), size);
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

llvm::Error writeFileAside(llvm::StringRef path, llvm::ArrayRef<char> bytes) {
  std::string target = path.str();
  std::string aside = target + ".XXXXXX";
  int descriptor = ::mkstemp(aside.data());
  if (descriptor < 0)
    return systemError(path, "write");
  auto fail = [&]() -> llvm::Error {
    llvm::Error error = systemError(path, "write");
    ::unlink(aside.c_str());
    return error;
  };
  size_t written = 0;
  while (written < bytes.size()) {
    ssize_t count =
        ::write(descriptor, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      int reason = errno;
      ::close(descriptor);
      errno = reason;
      return fail();
    }
    written += static_cast<size_t>(count);
  }
  // mkstemp creates the file for its owner only; give it the usual mode.
  mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(descriptor, 0666 & ~mask);
  if (::close(descriptor) != 0 || ::rename(aside.c_str(), target.c_str()) != 0)
    return fail();
  return llvm::Error::success();
}

} // namespace fusec::io
