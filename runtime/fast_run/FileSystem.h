// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a cache asks of a file system: tests have one that fails.
#ifndef FUSEC_RUNTIME_FAST_RUN_FILESYSTEM_H
#define FUSEC_RUNTIME_FAST_RUN_FILESYSTEM_H

#include <string>
#include <vector>

namespace fusec::fast_run {

/// More than a cache ever has, and little enough to be in memory.
inline constexpr size_t kMostFileBytes = size_t(1) << 28;

/// Each call returns 0 or the errno that says why it did nothing.
class FileSystem {
public:
  enum class Kind { none, file, folder, other };

  virtual ~FileSystem() = default;

  virtual Kind getKind(const std::string &path) = 0;
  virtual int makeFolder(const std::string &path) = 0;
  /// The names in a folder, sorted.
  virtual int list(const std::string &folder,
                   std::vector<std::string> &names) = 0;
  /// All of a file; EFBIG where it has more than kMostFileBytes.
  virtual int read(const std::string &file, std::string &text) = 0;
  /// Makes a file that must not exist yet, with `text`. It, and its name, are
  /// on the disk when this returns 0.
  virtual int create(const std::string &file, const std::string &text) = 0;
  /// Adds `text` at the end of a file: all of it is on the disk when this
  /// returns 0, and else none of it is in the file.
  virtual int append(const std::string &file, const std::string &text) = 0;
  /// Replaces a file, or makes one, at once and as a whole.
  virtual int write(const std::string &file, const std::string &text) = 0;
  virtual int remove(const std::string &file) = 0;
};

/// Some letters and digits, never the same: processes that share a folder need
/// not know each other's numbers.
std::string makeUnique();

/// The one of the operating system.
FileSystem &getFileSystem();

} // namespace fusec::fast_run

#endif
