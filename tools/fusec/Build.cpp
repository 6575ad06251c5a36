// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Build.h"

#include "codegen/FolderAside.h"
#include "codegen/PlatformFiles.h"
#include "compiler/import/ModelFile.h"
#include "compiler/io/MappedFile.h"
#include "dialects/library/Library.h"
#include "runtime/src/Cpu.h"
#include "tools/fusec/Cache.h"
#include "tools/fusec/CacheFolder.h"
#include "tools/fusec/DeviceTools.h"
#include "tools/fusec/Interrupt.h"
#include "tools/fusec/Machine.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/Steps.h"
#include "tools/fusec/op/BuildLibrary.h"
#include "tools/ptx-sim/Module.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <atomic>
#include <dlfcn.h>
#include <map>
#include <thread>

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace fusec::tool {

static std::string inFolder(llvm::StringRef folder, const llvm::Twine &name) {
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

/// Those in an emitted folder, by their names: none, one or several.
static std::vector<std::string> kernelFiles(llvm::StringRef folder,
                                            const std::string &model) {
  std::vector<std::string> files;
  std::string name = model + "_kernels.cpp";
  while (fs::exists(inFolder(folder, name))) {
    files.push_back(name);
    name = model + "_kernels_" + std::to_string(files.size() + 1) + ".cpp";
  }
  return files;
}

namespace {
/// How kernels are compiled for an instruction set.
struct IsaFlags {
  const char *name;
  std::vector<std::string> flags;
  /// By GCC, which has other names for some.
  std::vector<std::string> gnuFlags;
};
/// By fusec_isa. Written by CMake, from runtime/cmake/FusecKernels.cmake.
const IsaFlags kKernelFlags[FUSEC_ISA_COUNT] = {
#include "KernelFlags.inc"
};

/// One call of the C++ compiler.
struct Job {
  std::vector<std::string> arguments;
  std::string log;
};

/// Compiles an emitted folder into a shared library.
class LibraryBuilder {
public:
  LibraryBuilder(std::string folder, const HostCompiler &compiler)
      : folder(std::move(folder)), compiler(compiler) {}

  /// `output` is the library; objects and logs lie beside it.
  ExitCode build(const std::string &output);

private:
  void addObject(const std::string &source, const std::string &object,
                 llvm::ArrayRef<std::string> flags);
  ExitCode runAll(llvm::ArrayRef<Job> batch);
  ExitCode explain(const Job &job);
  ExitCode compileForDevice(const EmittedTarget &target,
                            const std::string &bundled);

  std::string folder, scratch;
  const HostCompiler &compiler;
  /// Of libraries that the model calls.
  std::vector<const library::Vendor *> vendors;
  std::vector<std::string> include;
  std::vector<std::string> objects;
  std::vector<Job> jobs;
};
} // namespace

void LibraryBuilder::addObject(const std::string &source,
                               const std::string &object,
                               llvm::ArrayRef<std::string> flags) {
  Job job;
  job.arguments = compiler.command;
  job.arguments.insert(job.arguments.end(), {"-std=c++17", "-fPIC"});
  llvm::append_range(job.arguments, flags);
  llvm::append_range(job.arguments, include);
  llvm::append_range(job.arguments,
                     std::vector<std::string>{"-c", source, "-o", object});
  job.log = object + ".log";
  objects.push_back(object);
  jobs.push_back(std::move(job));
}

ExitCode LibraryBuilder::explain(const Job &job) {
  std::string reason =
      "the C++ compiler failed: " + llvm::join(job.arguments, " ");
  if (auto text = llvm::MemoryBuffer::getFile(job.log))
    reason += "\n" + (*text)->getBuffer().take_front(4000).rtrim().str();
  if (!vendors.empty()) {
    std::string packages, names;
    for (const library::Vendor *vendor : vendors) {
      packages += " " + vendor->package.str();
      names += (names.empty() ? "" : ",") + vendor->name.str();
    }
    return fail(llvm::StringRef(reason).rtrim(),
                "if a header or a library is missing, apt-get install" +
                    packages + "; or leave out --vendor=" + names);
  }
  return fail(llvm::StringRef(reason).rtrim(),
              "set CXX to a C++17 compiler; if " + compiler.name() +
                  " is one, please report this as a bug of fusec");
}

/// Side by side, one for each CPU; after a failure no further ones.
ExitCode LibraryBuilder::runAll(llvm::ArrayRef<Job> batch) {
  std::atomic<size_t> next = 0;
  std::atomic<const Job *> failed = nullptr;
  auto work = [&] {
    for (size_t i = next++; i < batch.size(); i = next++)
      if (!failed && !mustStop() &&
          runProgram(batch[i].arguments, batch[i].log) != 0)
        failed = &batch[i];
  };
  const size_t cores = rt::availableCpus();
  std::vector<std::thread> others;
  try {
    while (others.size() + 1 < std::min(cores, batch.size()))
      others.emplace_back(work);
  } catch (const std::system_error &) { // fewer threads do as well
  }
  work();
  for (std::thread &other : others)
    other.join();
  if (mustStop())
    return kExitInterrupted;
  return failed ? explain(*failed) : kExitFine;
}

/// Of the code for a row of devices.
static std::string imageFile(const TargetInfo &target) {
  return (target.name + getDeviceTools(*target.platform).imageExtension).str();
}

std::string BuiltModel::getImage(const TargetInfo &target) const {
  return inFolder(path::parent_path(library), imageFile(target));
}

ExitCode LibraryBuilder::compileForDevice(const EmittedTarget &target,
                                          const std::string &bundled) {
  const TargetInfo *row = getTargetInfo(target.row);
  if (row ? !row->platform->isDevice
          : !kernelFiles(folder, target.name).empty())
    return kExitFine;
  if (!row)
    return failOn(folder,
                  "is for '" + target.row +
                      "', which this fusec has "
                      "no row for",
                  "compile the model again");
  std::string source = inFolder(
      folder,
      target.name + codegen::getPlatformFiles(*row->platform).sourceFileSuffix);
  if (!fs::exists(source))
    return kExitFine;
  try {
    std::string text =
        getDeviceTools(*row->platform)
            .compile(source, row->multiprocessor->architecture.str(),
                     {bundled});
    if (llvm::Error error = io::writeFileAside(
            inFolder(scratch, imageFile(*row)), {text.data(), text.size()}))
      return fail(std::move(error));
  } catch (const ptx::Error &error) {
    return fail(error.what());
  }
  return kExitFine;
}

ExitCode LibraryBuilder::build(const std::string &output) {
  scratch = path::parent_path(output).str();
  llvm::Expected<EmittedModel> model = readEmittedModel(folder);
  if (!model)
    return fail(model.takeError());
  for (const std::string &name : model->vendors) {
    const library::Vendor *vendor = library::findVendor(name);
    if (!vendor)
      return failOn(folder, "calls '" + name + "', which this fusec links not",
                    "compile the model again");
    vendors.push_back(vendor);
  }
  llvm::Expected<std::string> headers = findHeaders(folder, scratch);
  if (!headers)
    return fail(headers.takeError());
  include = {"-I" + folder, "-I" + *headers};

  // Only the kernels that this CPU runs.
  fusec_isa best = rt::detectIsa();
  while (best != rt::getScheduledIsa(best) &&
         !model->furtherIsas.count(rt::isaName(best)))
    --best;
  const IsaFlags &isa = kKernelFlags[best];
  std::vector<std::string> flags = compiler.isGnu ? isa.gnuFlags : isa.flags;
  flags.push_back(std::string("-DFUSEC_ISA=") + isa.name);
  for (const EmittedTarget &target : model->targets) {
    if (ExitCode code = compileForDevice(target, *headers); code != kExitFine)
      return code;
    const std::string host = target.name + ".cpp";
    addObject(inFolder(folder, host), inFolder(scratch, host + ".o"),
              {"-O2", "-DFUSEC_HAS_" + llvm::StringRef(isa.name).upper() +
                          "_KERNELS"});
    for (const std::string &kernels : kernelFiles(folder, target.name))
      addObject(inFolder(folder, kernels), inFolder(scratch, kernels + ".o"),
                flags);
  }
  for (const EmittedOperators &unit : model->operators) {
    std::vector<std::string> own = op::getOpFlags(compiler.isGnu);
    own.push_back("-w");
    llvm::append_range(own, unit.flags);
    addObject(inFolder(folder, unit.file),
              inFolder(scratch, path::filename(unit.file) + ".op.o"), own);
  }
  if (ExitCode code = runAll(jobs); code != kExitFine)
    return code;
  Job link;
  link.arguments = compiler.command;
  link.arguments.insert(link.arguments.end(), {"-shared", "-o", output});
  llvm::append_range(link.arguments, objects);
  for (const library::Vendor *vendor : vendors)
    for (llvm::StringRef library : vendor->libraries)
      link.arguments.push_back("-l" + library.str());
  link.log = inFolder(scratch, "link.log");
  return runAll(link);
}

ExitCode buildLibrary(const std::string &folder, const HostCompiler &compiler,
                      const std::string &output) {
  return LibraryBuilder(folder, compiler).build(output);
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
