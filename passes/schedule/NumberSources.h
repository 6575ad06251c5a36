// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the numbers of arrays come from: what a model computes is taken to be
// ordinary, and what a mask may have set is not.
#ifndef FUSEC_PASSES_SCHEDULE_NUMBERSOURCES_H
#define FUSEC_PASSES_SCHEDULE_NUMBERSOURCES_H

#include "dialects/sched/SchedOps.h"

#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace fusec::sched {

/// In order: of two that a number comes from, the later one counts.
enum class Source {
  /// Products, and sums of them, exponentials, small constants.
  numbers,
  /// Inputs of the model as they are, or with something added: who feeds them
  /// may mean a mask by them.
  given,
  /// A constant beyond what numbers of models are, a logarithm, or what a
  /// function of a user's gives.
  mask,
};

/// The memory of the host program.
class MemorySources {
public:
  explicit MemorySources(mlir::ModuleOp module);

  /// Of what `array`, an input of its scop, has in all of the scop's launches.
  /// Elements of weights are looked at if the caller `asks` for them.
  Source get(mlir::BlockArgument array, bool asks);
  /// Says what `scop` writes into its outputs.
  void set(ScopOp scop, llvm::function_ref<Source(mlir::Value output)> of);

private:
  Source getOfMemory(mlir::Value memory, bool asks);

  llvm::DenseMap<mlir::Attribute, llvm::SmallVector<mlir::Operation *>>
      launches;
  llvm::DenseMap<mlir::Attribute, mlir::Operation *> weights;
  /// Of memory: scops that write it and have not said yet what.
  llvm::DenseMap<mlir::Value, unsigned> writers;
  llvm::DenseMap<mlir::Value, Source> written, looked;
};

/// Of values of the body of `stmt`.
class NumberSources {
public:
  using OfArray = std::function<Source(mlir::Value array, bool asks)>;
  NumberSources(StmtOp stmt, OfArray ofArray)
      : stmt(stmt), ofArray(std::move(ofArray)) {}

  /// What is multiplied with `asks` for nothing of inputs: products are
  /// numbers.
  Source get(mlir::Value value, bool asks = true);

private:
  Source compute(mlir::Operation *op, bool asks);

  StmtOp stmt;
  OfArray ofArray;
  /// Without what they ask for, and with it.
  llvm::DenseMap<mlir::Value, Source> values[2];
};

} // namespace fusec::sched

#endif // FUSEC_PASSES_SCHEDULE_NUMBERSOURCES_H
