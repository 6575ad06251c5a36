// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast_run/FileSystem.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace fusec::fast_run {

namespace {
/// A descriptor that is closed at the end.
class File {
public:
  File(const std::string &path, int flags)
      : descriptor(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  ~File() {
    if (descriptor >= 0)
      ::close(descriptor);
  }

  explicit operator bool() const { return descriptor >= 0; }
  int get() const { return descriptor; }

  int writeAll(const std::string &text) const {
    for (size_t done = 0; done < text.size();) {
      const ssize_t count =
          ::write(descriptor, text.data() + done, text.size() - done);
      if (count < 0 && errno != EINTR)
        return errno;
      done += count > 0 ? static_cast<size_t>(count) : 0;
    }
    return ::fsync(descriptor) ? errno : 0;
  }

private:
  int descriptor;
};

class PosixFileSystem final : public FileSystem {
public:
  Kind getKind(const std::string &path) override;
  int makeFolder(const std::string &path) override;
  int list(const std::string &folder, std::vector<std::string> &names) override;
  int read(const std::string &file, std::string &text) override;
  int create(const std::string &file, const std::string &text) override;
  int append(const std::string &file, const std::string &text) override;
  int write(const std::string &file, const std::string &text) override;
  int remove(const std::string &file) override;
};
} // namespace

/// The folder that `path` is in.
static std::string getParent(const std::string &path) {
  const size_t slash = path.find_last_not_of('/') == path.npos
                           ? path.npos
                           : path.rfind('/', path.find_last_not_of('/'));
  return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// Brings the names in a folder to the disk. Some file systems know no such
/// thing, and need none.
static int syncFolder(const std::string &folder) {
  const File file(folder, O_RDONLY | O_DIRECTORY);
  if (!file)
    return errno;
  return ::fsync(file.get()) && errno != EINVAL ? errno : 0;
}

FileSystem::Kind PosixFileSystem::getKind(const std::string &path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info))
    return errno == ENOENT || errno == ENOTDIR ? Kind::none : Kind::other;
  return S_ISREG(info.st_mode)   ? Kind::file
         : S_ISDIR(info.st_mode) ? Kind::folder
                                 : Kind::other;
}

int PosixFileSystem::makeFolder(const std::string &path) {
  if (!::mkdir(path.c_str(), 0777))
    return syncFolder(getParent(path));
  if (errno == EEXIST && getKind(path) == Kind::folder)
    return 0;
  if (errno != ENOENT || getParent(path) == path)
    return errno;
  if (const int code = makeFolder(getParent(path)))
    return code;
  // Its parent is there now, which is not what a place lacks that takes no
  // folder, as in /proc, or a path that is empty.
  if (!::mkdir(path.c_str(), 0777))
    return syncFolder(getParent(path));
  const int code = errno;
  return code == EEXIST && getKind(path) == Kind::folder ? 0 : code;
}

int PosixFileSystem::list(const std::string &folder,
                          std::vector<std::string> &names) {
  names.clear();
  DIR *stream = ::opendir(folder.c_str());
  if (!stream)
    return errno;
  errno = 0;
  while (const dirent *entry = ::readdir(stream))
    names.emplace_back(entry->d_name);
  const int code = errno;
  ::closedir(stream);
  std::sort(names.begin(), names.end());
  return code;
}

int PosixFileSystem::read(const std::string &path, std::string &text) {
  text.clear();
  // A pipe that nobody writes to would be waited for.
  const File file(path, O_RDONLY | O_NONBLOCK);
  if (!file)
    return errno;
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = ::read(file.get(), buffer, sizeof(buffer));
    if (count == 0)
      return 0;
    if (count < 0 && errno != EINTR)
      return errno;
    text.append(buffer, count > 0 ? static_cast<size_t>(count) : 0);
    if (text.size() > kMostFileBytes)
      return EFBIG;
  }
}

int PosixFileSystem::create(const std::string &path, const std::string &text) {
  int code = 0;
  {
    const File file(path, O_WRONLY | O_CREAT | O_EXCL);
    if (!file)
      return errno;
    code = file.writeAll(text);
  }
  if (!code)
    code = syncFolder(getParent(path));
  if (code)
    ::unlink(path.c_str());
  return code;
}

int PosixFileSystem::append(const std::string &path, const std::string &text) {
  const File file(path, O_WRONLY | O_APPEND);
  if (!file)
    return errno;
  const off_t before = ::lseek(file.get(), 0, SEEK_END);
  if (before < 0)
    return errno;
  const int code = file.writeAll(text);
  // Half a line would spoil the next one.
  if (code && ::ftruncate(file.get(), before))
    return errno;
  return code;
}

int PosixFileSystem::write(const std::string &path, const std::string &text) {
  const std::string aside = path + ".tmp-" + makeUnique();
  int code = create(aside, text);
  if (code)
    return code;
  if (::rename(aside.c_str(), path.c_str())) {
    code = errno;
    ::unlink(aside.c_str());
    return code;
  }
  return syncFolder(getParent(path));
}

int PosixFileSystem::remove(const std::string &path) {
  return ::unlink(path.c_str()) ? errno : 0;
}

std::string makeUnique() {
  std::random_device random;
  uint64_t value = (uint64_t(random()) << 32) | random();
  std::string text;
  for (; value != 0; value /= 36)
    text += "0123456789abcdefghijklmnopqrstuvwxyz"[value % 36];
  return text;
}

FileSystem &getFileSystem() {
  static PosixFileSystem files;
  return files;
}

} // namespace fusec::fast_run
