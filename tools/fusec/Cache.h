// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What identifies a built model, and what its folder says of it.
#ifndef FUSEC_TOOLS_FUSEC_CACHE_H
#define FUSEC_TOOLS_FUSEC_CACHE_H

#include "compiler/CompileOptions.h"
#include "compiler/io/Compare.h"
#include "tools/fusec/HostCompiler.h"
#include "llvm/Support/Error.h"
#include <set>

namespace fusec::tool {

/// What a built model depends on, as a name: the bytes of the model and of the
/// files it refers to, the options, the CPU's instruction set, the compiler,
/// and fusec itself. Starts with the model's name, for people who look into the
/// cache.
llvm::Expected<std::string> contentKey(const CompileOptions &options,
                                       const HostCompiler &compiler);

/// A hash, as text, of all files of a folder but for one, by their names in it.
llvm::Expected<std::string> hashOfFolder(llvm::StringRef folder,
                                         llvm::StringRef except);

/// What model.json says about a folder, of one target.
struct EmittedTarget {
  std::string name; ///< of its files
  std::string row;  ///< of the table of targets
  int64_t entries = 0;
  std::set<std::string> kernels = {}; ///< of all entries
  int64_t calls = 0;
};

/// A translation unit of operators of users, in the folder.
struct EmittedOperators {
  std::string file;
  std::vector<std::string> flags;
  int64_t architecture = 0; ///< of one in CUDA: the least; else 0
};

/// A call of an operator of a user's.
struct EmittedCall {
  size_t entry;  ///< whose it is, of all entries of all targets
  size_t number; ///< among the calls of that
  std::string name, library;
  std::string algorithm; ///< empty: the operator has one
  std::string test;      ///< what fusec op test takes behind the library
};

/// The same of all of them.
struct EmittedModel {
  std::string name;
  std::string text; ///< the whole model.json
  std::vector<EmittedTarget> targets = {};
  uint64_t weightsBytes = 0;
  /// Of them, those that entries have besides those of the largest one.
  uint64_t furtherBytes = 0;
  /// Libraries of others that its calls need, as --vendor names them.
  std::set<std::string> vendors = {};
  std::vector<EmittedOperators> operators = {};
  std::vector<EmittedCall> operatorCalls = {};
  /// Operators that it calls on GPUs and that have no form for CPUs.
  std::set<std::string> cudaAlone = {};
  /// Its choices that take a product of lower precision than the model has,
  /// with what --allow calls that.
  std::set<std::pair<std::string, std::string>> lowered = {};
  io::OpClass opClass = io::OpClass::Network; ///< of results, with these
  /// Instruction sets that its kernels are compiled for beside those that they
  /// are scheduled for.
  std::set<std::string> furtherIsas = {};
};
llvm::Expected<EmittedModel> readEmittedModel(llvm::StringRef folder);

/// "12 kernels, 3 library calls and 88104 bytes of weights".
std::string summarize(const EmittedModel &model);

/// "2 products have a lower precision than the model: fc1 (bf16), fc2 (bf16)",
/// or an empty text.
std::string describeLowered(const EmittedModel &model);

/// Prints the same of the model in `folder` with its name, if there is any.
llvm::Error printLowered(llvm::StringRef folder, llvm::raw_ostream &os);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_CACHE_H
