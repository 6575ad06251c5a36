// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of a model with caches that grow, and what the interpreter says of each.
#ifndef FUSEC_TOOLS_FUSEC_GROWINGRUNS_H
#define FUSEC_TOOLS_FUSEC_GROWINGRUNS_H

#include "compiler/Growing.h"
#include "tools/fusec-ref/Interpreter.h"
#include "tools/fusec/Executable.h"

namespace fusec::tool {

/// What a run of the program computed, and what it should have: its outputs,
/// and the states behind it, in the program's order.
struct ComparedRun {
  std::vector<io::Tensor> actual, expected;
  std::string where; ///< what else than inputs it depends on, or empty
};

/// The oracle is the model as it was exported, whose caches are inputs and
/// outputs: it is imported for as many rows as a run finds, and given those of
/// the session's buffers. It knows nothing of buffers, lengths and masks.
class GrowingRuns {
public:
  /// Nothing where no cache of `imported` grows. `options` are those of its
  /// import, for the entry that `model` has taken.
  static std::optional<GrowingRuns> of(mlir::ModuleOp imported,
                                       const CompileOptions &options,
                                       const ref::Options &interpreting,
                                       Executable &model);

  /// The lengths at which runs are compared: none, one, around powers of two,
  /// and the last two for which there is room.
  std::vector<int64_t> listLengths() const;
  /// The lengths that `steps` runs in a row find. Errors: they have no room.
  llvm::Expected<std::vector<int64_t>> listCarried(unsigned steps) const;
  /// The number of rows that the session's caches hold.
  llvm::Expected<int64_t> readLength() const;

  /// Runs the model on `inputs` where its caches hold `length` rows: those that
  /// runs before have left, and behind them random ones (by `seed`), as are all
  /// that the run should not see.
  llvm::Expected<ComparedRun> run(llvm::ArrayRef<io::Tensor> inputs,
                                  int64_t length, uint64_t seed);
  /// Why a run that there is no room for is not as it should be, refused
  /// without a change of any state; empty: it is.
  llvm::Expected<std::string> runWithoutRoom(llvm::ArrayRef<io::Tensor> inputs);

private:
  GrowingRuns(const GrowingCaches &caches, const CompileOptions &options,
              const ref::Options &interpreting, Executable &model,
              mlir::MLIRContext &context)
      : caches(caches), options(options), interpreting(interpreting),
        model(model), context(context) {}
  llvm::Error hold(int64_t length, llvm::ArrayRef<ref::Port> arguments,
                   uint64_t seed);
  llvm::Error setLength(int64_t length);
  const fusec_state_desc &getLength() const;
  llvm::ArrayRef<fusec_state_desc> getStates() const;

  GrowingCaches caches;
  CompileOptions options;
  ref::Options interpreting;
  Executable &model;
  mlir::MLIRContext &context;
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_GROWINGRUNS_H
