// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which steps of a GPU's host program are over before others begin.
#ifndef FUSEC_PASSES_MODEL_STEPORDER_H
#define FUSEC_PASSES_MODEL_STEPORDER_H

#include "dialects/kernel/KernelOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fusec::model {

/// The order in which a session's graphs have steps: a step comes after those
/// whose memory it accesses, if one of the two writes it, and after those that
/// lie `kWindow` and more before it (of which an error names the step). All
/// comes before and after what the host waits for, or what repeats or chooses.
class StepOrder {
public:
  explicit StepOrder(mlir::func::FuncOp func);

  /// Whether `first` is over before `second` begins. Both stand in the
  /// function's own block and access memory.
  bool isBefore(mlir::Operation *first, mlir::Operation *second) const;

  /// As many steps as a session has under way, unless its options say
  /// otherwise (two of the runtime's spans).
  static constexpr int64_t kWindow = 16;

private:
  /// Bit i of `after`: it comes after the step i before it.
  struct Step {
    int64_t number;
    uint32_t after;
  };
  void add(mlir::Operation *op, const mlir::SymbolTable &symbols);

  int64_t next = 0;
  llvm::DenseMap<mlir::Operation *, Step> steps;
  /// The last ones, by their numbers modulo kWindow, with the memory of each.
  struct Recent {
    Step step = {-kWindow, 0};
    llvm::SmallVector<mlir::Value> reads, writes;
  };
  Recent recent[kWindow];
};

} // namespace fusec::model

#endif // FUSEC_PASSES_MODEL_STEPORDER_H
