// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folders of tests, and file systems that fail.
#ifndef FUSEC_TEST_RUNTIME_FASTRUNFILES_H
#define FUSEC_TEST_RUNTIME_FASTRUNFILES_H

#include "runtime/fast_run/FileSystem.h"

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <utility>

namespace fusec::fast_run {

/// A folder that is gone at the end.
struct Folder {
  std::string path;

  Folder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "fast-run-XXXXXX").string();
    path = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

/// The real one, but for calls that fail: those that `fails` says so of.
class FaultyFileSystem final : public FileSystem {
public:
  std::function<int(const char *)> fails;

  explicit FaultyFileSystem(std::function<int(const char *)> fails)
      : fails(std::move(fails)) {}

  Kind getKind(const std::string &path) override { return real.getKind(path); }
  int makeFolder(const std::string &path) override {
    const int code = fails("makeFolder");
    return code ? code : real.makeFolder(path);
  }
  int list(const std::string &path, std::vector<std::string> &names) override {
    const int code = fails("list");
    return code ? code : real.list(path, names);
  }
  int read(const std::string &path, std::string &text) override {
    const int code = fails("read");
    return code ? code : real.read(path, text);
  }
  int create(const std::string &path, const std::string &text) override {
    const int code = fails("create");
    return code ? code : real.create(path, text);
  }
  int append(const std::string &path, const std::string &text) override {
    const int code = fails("append");
    return code ? code : real.append(path, text);
  }
  int write(const std::string &path, const std::string &text) override {
    const int code = fails("write");
    return code ? code : real.write(path, text);
  }
  int remove(const std::string &path) override {
    const int code = fails("remove");
    return code ? code : real.remove(path);
  }

private:
  FileSystem &real = getFileSystem();
};

} // namespace fusec::fast_run

#endif // FUSEC_TEST_RUNTIME_FASTRUNFILES_H
