// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code of users runs in a child process alone (`fusec op host`), executed
// afresh: it may crash, hang, exit or print what it likes. That isolates from
// accidents; it is no sandbox.
#ifndef FUSEC_COMPILER_OPERATORS_HOST_H
#define FUSEC_COMPILER_OPERATORS_HOST_H

#include "compiler/operators/Channel.h"
#include "compiler/operators/Manifest.h"
#include "dialects/BlockGrid.h"
#include <memory>
#include <sys/types.h>

namespace fusec::operators {

/// A call of an operator, as its functions are asked about it.
struct Call {
  const Operator *op;
  std::vector<TensorType> inputs;
  std::vector<Parameter> parameters; ///< all, as they are declared
  /// Of each input, or empty where none is quantised.
  std::vector<Quantization> quantized = {};
  /// Where it shall run: "cpu" or "cuda".
  std::string device = "cpu";
};

/// An algorithm that a call may take.
struct CallAlgorithm {
  /// Empty: the operator's first.
  std::string name;
  int64_t workspaceBytes = 0; ///< of scratch memory

  bool operator==(const CallAlgorithm &other) const {
    return name == other.name && workspaceBytes == other.workspaceBytes;
  }
};

/// What an operator says of a call.
struct Answer {
  std::vector<TensorType> outputs;
  /// Those for CPUs, in their order; none where it does not support the call.
  std::vector<CallAlgorithm> algorithms = {};
  /// Of a call on "cuda": how its function of blocks takes it, if it does.
  std::optional<BlockGrid> grid = std::nullopt;

  bool isSupported() const { return !algorithms.empty(); }
  bool operator==(const Answer &other) const {
    return outputs == other.outputs && algorithms == other.algorithms &&
           grid == other.grid;
  }
};

/// How long a child may take to answer; none: as long as it takes.
using Patience = std::optional<std::chrono::seconds>;

/// How `fusec op test` runs a call.
struct TestOptions {
  uint64_t seed = 0;
  /// For all runs of an algorithm.
  Patience patience = std::nullopt;
  CallAlgorithm algorithm = {};
  /// The algorithm whose results are right; none: nobody knows.
  std::optional<CallAlgorithm> expected = std::nullopt;
};

/// A library, loaded in children as long as this object lives.
class Host {
public:
  /// `library` is the path of the file, which has `units` translation units.
  Host(std::string library, size_t units);
  ~Host();
  Host(Host &&) = delete;

  /// What the library declares, without domains that it leaves open.
  llvm::Expected<Manifest> describe();

  /// Asks two children, which have to say the same, for what follows from types
  /// and parameters. Errors say what the function did: failed with a reason,
  /// crashed, took more than 5 s, answered two things or nonsense.
  llvm::Expected<Answer> ask(const Call &call);

  /// Computes the call by an algorithm, in as much time as that takes;
  /// `operands` and the result are bytes of tensors, the latter of types
  /// `outputs`.
  llvm::Expected<std::vector<std::vector<char>>>
  compute(const Call &call, llvm::ArrayRef<TensorType> outputs,
          const CallAlgorithm &algorithm,
          std::vector<std::vector<char>> operands);

  /// What is wrong with how it computes the call, a line for each fault.
  /// Errors: it crashed, ended, or took longer than it may.
  llvm::Expected<std::vector<std::string>>
  test(const Call &call, llvm::ArrayRef<TensorType> outputs,
       const TestOptions &options);

private:
  class Child;

  /// Sends `message` to child `number`, which is started if need be.
  llvm::Expected<Message> exchange(unsigned number, const Message &message,
                                   llvm::ArrayRef<size_t> sizes,
                                   Patience patience);

  std::string library;
  size_t units;
  std::unique_ptr<Child> children[2];
};

/// Bytes of the elements of such a tensor; nothing for a type that there is
/// not, a negative extent, a rank that is too high, or too many bytes.
std::optional<size_t> byteSize(const TensorType &type);

} // namespace fusec::operators

#endif // FUSEC_COMPILER_OPERATORS_HOST_H
