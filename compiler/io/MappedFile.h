// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing whole files.
#ifndef FUSEC_COMPILER_IO_MAPPEDFILE_H
#define FUSEC_COMPILER_IO_MAPPEDFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace fusec::io {

/// A file mapped read-only into memory for as long as this object lives, or
/// bytes that are there already.
class MappedFile {
public:
  /// Maps `path`. Errors: not there, not a regular file, not readable.
  static llvm::Expected<std::shared_ptr<const MappedFile>>
  open(llvm::StringRef path);

  /// Holds bytes that are no file's; messages call them `name`.
  static std::shared_ptr<const MappedFile>
  hold(std::unique_ptr<llvm::MemoryBuffer> bytes, llvm::StringRef name);

  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  llvm::ArrayRef<char> bytes() const { return {data, size}; }
  /// Whether `forget` may be told of them.
  bool isMapped() const { return !held; }
  /// Gives the memory of `part`, a range of any mapped file, back to the
  /// system; who reads it again reads the file again.
  static void forget(llvm::ArrayRef<char> part);
  /// The path of the file that is mapped where `address` is, or an empty text.
  static std::string findPath(const void *address);
  const std::string &path() const { return name; }

private:
  MappedFile() = default;
  std::string name;
  const char *data = nullptr;
  size_t size = 0;
  std::unique_ptr<llvm::MemoryBuffer> held;
};

/// The bytes of the file at `path`, with a zero behind them; they stay as they
/// are, whatever becomes of the file. Errors: as of MappedFile::open.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readFile(llvm::StringRef path);

/// Writes `bytes` to a new file beside `path` and renames it onto `path`, so
/// that no reader ever sees half a file; links stay, and so does the mode of a
/// file that is replaced. What is no file (a pipe, a device) is written into.
/// The error names `path`.
llvm::Error writeFileAside(llvm::StringRef path, llvm::ArrayRef<char> bytes);
/// The same with `parts`, one behind the other.
llvm::Error writeFileAside(llvm::StringRef path,
                           llvm::ArrayRef<llvm::ArrayRef<char>> parts);

/// An error that reads "PATH: MESSAGE".
llvm::Error fileError(llvm::StringRef path, const llvm::Twine &message);

} // namespace fusec::io

#endif // FUSEC_COMPILER_IO_MAPPEDFILE_H
