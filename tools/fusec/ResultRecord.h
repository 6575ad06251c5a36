// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of a build's kernels in a folder, with which another build of the
// model is compared: for another target, by another compiler, at another level.
#ifndef FUSEC_TOOLS_FUSEC_RESULTRECORD_H
#define FUSEC_TOOLS_FUSEC_RESULTRECORD_H

#include "codegen/FolderAside.h"
#include "compiler/io/TensorFile.h"
#include "tools/fusec/Bisect.h"

#include "llvm/Support/JSON.h"

#include <map>

namespace fusec::tool {

/// Writes a record: `record.json`, and for each result two tensors, what the
/// kernel left and what the interpreter computes. Nothing is in the folder's
/// place before `finish`.
class RecordWriter {
public:
  /// Throws InputError where `folder` is there and not empty, or cannot be
  /// made: what somebody has is never replaced.
  static void checkPlace(llvm::StringRef folder);
  /// `build` says to people which build it is; the runs have these inputs.
  static llvm::Expected<std::unique_ptr<RecordWriter>>
  create(llvm::StringRef folder, std::string build,
         llvm::ArrayRef<io::Tensor> inputs);

  llvm::Error add(const KernelResult &result, const io::Tensor &actual,
                  const io::Tensor &expected);
  llvm::Error finish();

private:
  RecordWriter(codegen::FolderAside aside, std::string build,
               std::string inputs)
      : aside(std::move(aside)), build(std::move(build)),
        inputs(std::move(inputs)) {}

  codegen::FolderAside aside;
  std::string build, inputs; ///< the latter a hash
  llvm::json::Array results;
};

/// A result in which two builds differ.
struct BuildDifference {
  KernelResult here;       ///< compared with the interpreter
  std::string kernelThere; ///< in the record
  io::Comparison between;  ///< of the one with the other
  double errorThere = 0;   ///< of the recorded result, from the interpreter
};

/// How the results of a build compare with those of a record.
struct RecordComparison {
  std::string build;      ///< the record's, for people
  size_t compared = 0;    ///< results that both have
  size_t equal = 0;       ///< of these, those with the same bits
  size_t others = 0;      ///< results of which it has another value
  size_t alone = 0;       ///< results that the record has not
  double maxAbsError = 0; ///< of those that were compared
  std::string worst;      ///< which has it
  std::string firstOther; ///< the first one with other bits
  std::optional<BuildDifference> first; ///< the first one beyond the tolerance

  /// Whether something was compared, and all of it is within the tolerance.
  bool passed() const { return compared > 0 && !first; }
};

/// For people.
std::string describe(const RecordComparison &comparison);

/// Reads a record, a result at a time. Errors are those of files that are
/// damaged.
class RecordReader {
public:
  /// Throws InputError where `folder` is no record.
  static RecordReader open(llvm::StringRef folder);
  /// Throws InputError where its runs had other inputs.
  void expectInputs(llvm::ArrayRef<io::Tensor> inputs) const;

  /// Compares what a kernel left with the recorded result of that name, type
  /// and shape which is the same value: graphs that are rewritten in two ways
  /// may call two values alike, and the interpreter tells them apart, by
  /// `alike`.
  llvm::Error compare(const KernelResult &result, const io::Tensor &actual,
                      const io::Tensor &expected, const io::Tolerance &alike,
                      const io::Tolerance &tolerance);
  /// Throws InputError if a file that `compare` took was damaged.
  void expectIntact() const;

  RecordComparison found;

private:
  struct Entry {
    std::string kernel, file;
    bool isTaken = false;
  };
  llvm::Expected<io::Tensor> read(const std::string &file,
                                  const io::Tensor &like) const;
  /// Notes what is wrong with the record.
  llvm::Error note(llvm::Error error);
  /// Null if there is none.
  llvm::Expected<Entry *> find(const std::string &key,
                               const io::Tensor &expected,
                               const io::Tolerance &tolerance);

  std::string folder, inputs, damage;
  /// By the name, type and shape of results.
  std::map<std::string, std::vector<Entry>> entries;
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_RESULTRECORD_H
