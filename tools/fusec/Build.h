// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models as shared libraries: compiled by the system's C++ compiler and kept in
// a cache keyed by content.
#ifndef FUSEC_TOOLS_FUSEC_BUILD_H
#define FUSEC_TOOLS_FUSEC_BUILD_H

#include "tools/fusec/HostCompiler.h"
#include "tools/fusec/ModelOptions.h"

namespace fusec::tool {

/// What to do where there is no compiler.
inline constexpr const char *kCompilerHint = "install g++ or clang, or set CXX";

/// A model that is ready to run.
struct BuiltModel {
  std::string folder;  ///< with the emitted sources and weights
  std::string library; ///< the shared library
  /// Where the code of its kernels for `target` is, a row of devices.
  std::string getImage(const TargetInfo &target) const;
  bool cached = false; ///< it was there already
  /// The libraries of operators of users that it was made with.
  std::vector<std::string> ops = {};
};

/// Whether they are one program, whatever led to it.
bool isSameProgram(const BuiltModel &one, const BuiltModel &other);

/// Builds the emitted folder, or compiles and builds the model, that
/// `options.input` names. Prints what went wrong; the code then says what kind.
ExitCode buildModel(const CompileOptions &options, BuiltModel &built);

/// As above for a module that is no file: `emit` writes its folder, `key` is
/// what the cache knows it by.
ExitCode buildFolder(const std::string &key, const HostCompiler &compiler,
                     llvm::function_ref<ExitCode(llvm::StringRef)> emit,
                     BuiltModel &built);

/// Compiles the emitted `folder` into the shared library `output`, beside which
/// it leaves objects and logs, and kernels for devices into code beside that.
/// Several threads may do so at a time.
ExitCode buildLibrary(const std::string &folder, const HostCompiler &compiler,
                      const std::string &output);

/// A call of the C++ compiler: what it makes, and the file that has what it
/// says.
struct CompilerCall {
  std::vector<std::string> arguments;
  std::string output, log;
};

/// Adds those that compile the emitted `folder`, which is for CPUs, for any one
/// of this kind, with its weights, into objects in `scratch`.
ExitCode addEmitted(const std::string &folder, const HostCompiler &compiler,
                    const std::string &headers, const std::string &scratch,
                    std::vector<CompilerCall> &calls);

/// Makes all calls, side by side. Prints what one of them said that failed.
ExitCode runCompiler(const HostCompiler &compiler,
                     llvm::ArrayRef<CompilerCall> calls);

/// The path of a file in a folder.
std::string inFolder(llvm::StringRef folder, const llvm::Twine &name);

/// Where the headers of the runtime are: in `folder`, which was emitted, or
/// those that fusec itself carries, which are written to `scratch`.
llvm::Expected<std::string> findHeaders(llvm::StringRef folder,
                                        llvm::StringRef scratch);

/// Whether `path` is a folder that fusec emitted.
bool isEmittedFolder(llvm::StringRef path);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_BUILD_H
