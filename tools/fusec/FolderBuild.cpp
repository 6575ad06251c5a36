// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emitted folders as machine code.
#include "tools/fusec/Build.h"

#include "codegen/PlatformFiles.h"
#include "compiler/io/MappedFile.h"
#include "dialects/library/Library.h"
#include "runtime/src/Cpu.h"
#include "tools/fusec/Cache.h"
#include "tools/fusec/CudaCompiler.h"
#include "tools/fusec/DeviceTools.h"
#include "tools/fusec/Interrupt.h"
#include "tools/fusec/Steps.h"
#include "tools/fusec/op/BuildLibrary.h"
#include "tools/ptx-sim/Module.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <atomic>
#include <thread>

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace fusec::tool {

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

/// Compiles an emitted folder into a shared library.
class LibraryBuilder {
public:
  LibraryBuilder(std::string folder, const HostCompiler &compiler)
      : folder(std::move(folder)), compiler(compiler) {}

  /// `output` is the library; objects and logs lie beside it.
  ExitCode build(const std::string &output);
  /// Adds the calls that make objects for each CPU of this processor's kind,
  /// and of the weights, in `place`.
  ExitCode addForAll(const std::string &headers, const std::string &place,
                     std::vector<CompilerCall> &calls);

private:
  /// Adds a source in `place` whose machine code is the weights, if any.
  ExitCode addWeights(const EmittedModel &model);
  /// Adds the sources of operators, those in CUDA where there is a GPU; then
  /// host programs are to be compiled, and linked, with more.
  ExitCode addOperators(const EmittedModel &model,
                        std::vector<std::string> &hostFlags,
                        std::vector<std::string> &libraries);
  void addTarget(const EmittedTarget &target, llvm::ArrayRef<fusec_isa> isas,
                 std::vector<std::string> hostFlags);
  void addObject(const std::string &source, const std::string &object,
                 llvm::ArrayRef<std::string> flags);
  ExitCode runAll(llvm::ArrayRef<CompilerCall> batch);
  ExitCode compileForDevice(const EmittedTarget &target,
                            const std::string &bundled);

  std::string folder, scratch;
  const HostCompiler &compiler;
  /// Of libraries that the model calls.
  std::vector<const library::Vendor *> vendors;
  std::vector<std::string> include;
  std::vector<CompilerCall> jobs;
};
} // namespace

void LibraryBuilder::addObject(const std::string &source,
                               const std::string &object,
                               llvm::ArrayRef<std::string> flags) {
  CompilerCall job;
  job.arguments = compiler.command;
  job.arguments.insert(job.arguments.end(), {"-std=c++17", "-fPIC"});
  llvm::append_range(job.arguments, flags);
  llvm::append_range(job.arguments, include);
  llvm::append_range(job.arguments,
                     std::vector<std::string>{"-c", source, "-o", object});
  job.log = object + ".log";
  job.output = object;
  jobs.push_back(std::move(job));
}

static ExitCode explain(const CompilerCall &call, const HostCompiler &compiler,
                        llvm::ArrayRef<const library::Vendor *> vendors) {
  std::string reason =
      "the C++ compiler failed: " + llvm::join(call.arguments, " ");
  if (auto text = llvm::MemoryBuffer::getFile(call.log))
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

/// Side by side, one for each CPU; after a failure no further ones. That one,
/// or null.
static const CompilerCall *
runUntilOneFails(llvm::ArrayRef<CompilerCall> batch) {
  std::atomic<size_t> next = 0;
  std::atomic<const CompilerCall *> failed = nullptr;
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
  return failed;
}

ExitCode LibraryBuilder::runAll(llvm::ArrayRef<CompilerCall> batch) {
  const CompilerCall *failed = runUntilOneFails(batch);
  if (mustStop())
    return kExitInterrupted;
  return failed ? explain(*failed, compiler, vendors) : kExitFine;
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

/// Adds the host program, and the kernels for these instruction sets.
void LibraryBuilder::addTarget(const EmittedTarget &target,
                               llvm::ArrayRef<fusec_isa> isas,
                               std::vector<std::string> hostFlags) {
  for (fusec_isa number : isas) {
    const IsaFlags &isa = kKernelFlags[number];
    std::vector<std::string> flags = compiler.isGnu ? isa.gnuFlags : isa.flags;
    flags.push_back(std::string("-DFUSEC_ISA=") + isa.name);
    for (const std::string &kernels : kernelFiles(folder, target.name))
      addObject(inFolder(folder, kernels),
                inFolder(scratch, kernels + "." + isa.name + ".o"), flags);
    hostFlags.push_back("-DFUSEC_HAS_" + llvm::StringRef(isa.name).upper() +
                        "_KERNELS");
  }
  const std::string host = target.name + ".cpp";
  addObject(inFolder(folder, host), inFolder(scratch, host + ".o"), hostFlags);
}

ExitCode LibraryBuilder::addWeights(const EmittedModel &model) {
  const std::string name = "fusec_" + model.name + "_weights",
                    source = inFolder(scratch, name + ".s"),
                    text = ".section .rodata\n.balign 64\n.globl " + name +
                           "\n.hidden " + name + "\n" + name + ":\n.incbin \"" +
                           inFolder(folder, "weights.bin") +
                           "\"\n.section .note.GNU-stack,\"\",@progbits\n";
  if (llvm::Error error =
          io::writeFileAside(source, {text.data(), text.size()}))
    return fail(std::move(error));
  addObject(source, source + ".o", {});
  return kExitFine;
}

ExitCode LibraryBuilder::addForAll(const std::string &headers,
                                   const std::string &place,
                                   std::vector<CompilerCall> &calls) {
  scratch = place;
  llvm::Expected<EmittedModel> model = readEmittedModel(folder);
  if (!model)
    return fail(model.takeError());
  include = {"-I" + folder, "-I" + headers};
  std::vector<fusec_isa> isas;
  for (fusec_isa isa = 0; isa < FUSEC_ISA_COUNT; ++isa) {
    // Those of other processors have no flags of their own.
    const bool isHere = isa == FUSEC_ISA_BASELINE ||
                        kKernelFlags[isa].flags != kKernelFlags[0].flags;
    if (isHere && (isa == rt::getScheduledIsa(isa) ||
                   model->furtherIsas.count(rt::isaName(isa))))
      isas.push_back(isa);
  }
  std::vector<std::string> hostFlags{"-O2"};
  if (fs::exists(inFolder(folder, "weights.bin"))) {
    if (ExitCode code = addWeights(*model); code != kExitFine)
      return code;
    hostFlags.push_back("-DFUSEC_HAS_WEIGHTS");
  }
  for (const EmittedTarget &target : model->targets)
    addTarget(target, isas, hostFlags);
  llvm::append_range(calls, jobs);
  return kExitFine;
}

ExitCode LibraryBuilder::addOperators(const EmittedModel &model,
                                      std::vector<std::string> &hostFlags,
                                      std::vector<std::string> &libraries) {
  for (const EmittedOperators &unit : model.operators) {
    const std::string source = inFolder(folder, unit.file),
                      object = inFolder(scratch,
                                        path::filename(unit.file) + ".op.o");
    if (!unit.architecture) {
      std::vector<std::string> own = op::getOpFlags(compiler.isGnu);
      own.push_back("-w");
      llvm::append_range(own, unit.flags);
      addObject(source, object, own);
      continue;
    }
    if (!hasGpu())
      continue;
    llvm::Expected<CudaCompiler> cuda = findCudaCompiler();
    if (!cuda)
      return failOn(source, llvm::toString(cuda.takeError()),
                    "or --device sim, where the operators run on the host");
    CompilerCall call{
        cuda->getArguments(source, object,
                           "sm_" + std::to_string(unit.architecture),
                           unit.flags),
        object, object + ".log"};
    call.arguments.push_back("-w");
    llvm::append_range(call.arguments, include);
    jobs.push_back(std::move(call));
    libraries = cuda->libraries;
    hostFlags = {"-O2", "-DFUSEC_HAS_OP_LAUNCHERS"};
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
  std::vector<std::string> hostFlags{"-O2"}, libraries;
  if (ExitCode code = addOperators(*model, hostFlags, libraries);
      code != kExitFine)
    return code;
  for (const EmittedTarget &target : model->targets) {
    if (ExitCode code = compileForDevice(target, *headers); code != kExitFine)
      return code;
    addTarget(target, best, hostFlags);
  }
  if (ExitCode code = runAll(jobs); code != kExitFine)
    return code;
  CompilerCall link;
  link.arguments = compiler.command;
  link.arguments.insert(link.arguments.end(), {"-shared", "-o", output});
  for (const CompilerCall &job : jobs)
    link.arguments.push_back(job.output);
  llvm::append_range(link.arguments, libraries);
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

ExitCode addEmitted(const std::string &folder, const HostCompiler &compiler,
                    const std::string &headers, const std::string &scratch,
                    std::vector<CompilerCall> &calls) {
  return LibraryBuilder(folder, compiler).addForAll(headers, scratch, calls);
}

ExitCode runCompiler(const HostCompiler &compiler,
                     llvm::ArrayRef<CompilerCall> calls) {
  const CompilerCall *failed = runUntilOneFails(calls);
  if (mustStop())
    return kExitInterrupted;
  return failed ? explain(*failed, compiler, {}) : kExitFine;
}

} // namespace fusec::tool
