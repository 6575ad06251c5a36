// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Build.h"

#include "codegen/FolderAside.h"
#include "compiler/import/ModelFile.h"
#include "compiler/io/MappedFile.h"
#include "tools/fusec/Cache.h"
#include "tools/fusec/CacheFolder.h"
#include "tools/fusec/DeviceTools.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/Steps.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <dlfcn.h>
#include <map>

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace fusec::tool {

std::string inFolder(llvm::StringRef folder, const llvm::Twine &name) {
  llvm::SmallString<128> result(folder);
  path::append(result, name);
  return result.str().str();
}

llvm::Expected<std::string> findHeaders(llvm::StringRef folder,
                                        llvm::StringRef scratch) {
  std::string bundled = inFolder(folder, "runtime/include");
  if (fs::exists(bundled))
    return bundled;
  for (const codegen::EmittedFile &file : codegen::runtimeFiles())
    if (llvm::StringRef(file.path).starts_with("include/")) {
      std::string name = inFolder(scratch, "runtime/" + file.path);
      (void)fs::create_directories(path::parent_path(name));
      if (llvm::Error error =
              io::writeFileAside(name, {file.text.data(), file.text.size()}))
        return error;
    }
  return inFolder(scratch, "runtime/include");
}

bool isEmittedFolder(llvm::StringRef name) {
  return fs::is_directory(name) && fs::exists(inFolder(name, "model.json"));
}

/// The library, and the code of its kernels for devices beside it.
static std::map<std::string, std::string> readProgram(const BuiltModel &built) {
  std::map<std::string, std::string> files;
  std::error_code error;
  for (fs::directory_iterator file(path::parent_path(built.library), error),
       end;
       file != end && !error; file.increment(error)) {
    llvm::StringRef kind = path::extension(file->path());
    const bool isImage =
        llvm::any_of(getDeviceTools(), [&](const DeviceTools &tools) {
          return kind == tools.imageExtension;
        });
    if (kind != ".so" && !isImage)
      continue;
    if (auto bytes = llvm::MemoryBuffer::getFile(file->path()))
      files[path::filename(file->path()).str()] = (*bytes)->getBuffer().str();
  }
  return files;
}

bool isSameProgram(const BuiltModel &one, const BuiltModel &other) {
  return one.library == other.library || readProgram(one) == readProgram(other);
}

/// Whether what is kept in the cache is what was put there, and loads: a
/// library of the system may be gone.
static bool isIntact(const BuiltModel &built) {
  if (!isSealed(path::parent_path(built.library)))
    return false;
  void *library = dlopen(built.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library)
    dlclose(library);
  return library;
}

ExitCode buildFolder(const std::string &key, const HostCompiler &compiler,
                     llvm::function_ref<ExitCode(llvm::StringRef)> emit,
                     BuiltModel &built) {
  llvm::Expected<std::string> cache = openCache();
  if (!cache)
    return fail(cache.takeError(), kCacheHint);
  std::string place = inFolder(*cache, key);
  built.folder = inFolder(place, "model");
  built.library = inFolder(place, "model.so");
  llvm::Expected<uint64_t> limit = cacheLimit();
  if (!limit)
    return fail(limit.takeError());
  if (isIntact(built)) {
    built.cached = true;
    touchEntry(place);
    return kExitFine;
  }
  // Built aside: another fusec may do the same at the same time. Leftovers of
  // other models would stay for ever, for their keys may never come again.
  codegen::FolderAside::removeAllLeftovers(*cache);
  llvm::Expected<codegen::FolderAside> aside =
      codegen::FolderAside::create(place);
  if (!aside)
    return fail(aside.takeError(), kCacheHint);
  std::string folder = inFolder(aside->path(), "model");
  if (ExitCode code = emit(folder); code != kExitFine)
    return code;
  reportProgress("compiling with " + compiler.name());
  if (ExitCode code =
          buildLibrary(folder, compiler, inFolder(aside->path(), "model.so"));
      code != kExitFine)
    return code;
  if (llvm::Error failure = sealEntry(aside->path()))
    return fail(std::move(failure));
  if (llvm::Error failure = aside->sync())
    return fail(std::move(failure));
  // Who was faster built the same, and keeps what it has opened.
  if (llvm::Error failure = aside->moveIntoPlace())
    return fail(std::move(failure));
  trimCache(*cache, *limit, place);
  return kExitFine;
}

static ExitCode copyInto(llvm::StringRef from, llvm::StringRef to) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(from, error), end;
       entry != end && !error; entry.increment(error)) {
    llvm::StringRef relative =
        llvm::StringRef(entry->path()).drop_front(from.size());
    std::string target = (to + "/" + relative.ltrim('/')).str();
    error = fs::is_directory(entry->path())
                ? fs::create_directories(target)
                : fs::copy_file(entry->path(), target);
  }
  return error ? failOn(from, error.message()) : kExitFine;
}

ExitCode buildModel(const CompileOptions &options, BuiltModel &built) {
  llvm::StringRef input = options.input;
  if (!options.memory && !fs::exists(input))
    return failOn(input, "no such file or folder");
  if (fs::is_directory(input) && !isEmittedFolder(input))
    return failOn(input, "is a folder that fusec did not write",
                  "name a model, or a folder of fusec compile -o");
  llvm::Expected<HostCompiler> compiler = findCompiler();
  if (!compiler)
    return fail(compiler.takeError(), kCompilerHint);
  llvm::Expected<std::string> key = contentKey(options, *compiler);
  if (!key)
    return fail(key.takeError());
  built.ops = options.import.ops;
  return buildFolder(
      *key, *compiler,
      [&](llvm::StringRef folder) {
        if (!fs::is_directory(input)) {
          Driver driver(options);
          return compileInto(driver, folder);
        }
        (void)fs::create_directories(folder);
        return copyInto(input, folder);
      },
      built);
}

} // namespace fusec::tool
