// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a network's function to the host program over memory.
#ifndef FUSEC_PASSES_SCHEDULE_HOSTCONVERSION_H
#define FUSEC_PASSES_SCHEDULE_HOSTCONVERSION_H

#include "dialects/fuse/FuseOps.h"
#include "dialects/kernel/KernelOps.h"
#include "passes/schedule/FormStatements.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fusec::sched {

/// What the pass's options of these names say.
struct ConversionOptions {
  bool rounds; ///< operations on narrow floats, not only casts and stores
  bool ordered, batchInvariant, packed, remarks;
};

/// Rewrites one function. Each tensor has one place in memory: where a result
/// is wanted elsewhere (an output, a row of a stack, the next carried value) it
/// is computed there, if nothing else wants it elsewhere, or copied there.
class HostConversion {
public:
  HostConversion(mlir::func::FuncOp func, mlir::SymbolTable &symbols,
                 ConversionOptions options)
      : func(func), symbols(symbols), options(options), builder(func) {}

  mlir::LogicalResult run();
  unsigned numScops = 0, numStatements = 0;

private:
  /// Adds an argument in memory per argument and per result, and asks for the
  /// results there. The tensors stay until all is converted.
  void addArguments();
  mlir::LogicalResult checkBlock(mlir::Block &block);
  /// Converts the operations of `block`, but its terminator, at the builder's
  /// insertion point.
  mlir::LogicalResult convertBlock(mlir::Block &block);
  mlir::LogicalResult convert(mlir::Operation &op);
  mlir::LogicalResult convertGroup(fuse::GroupOp group);
  mlir::LogicalResult convertCall(fuse::CallOp call);
  /// The operand whose memory result `index` of a call takes, for nothing reads
  /// it behind the call; -1: none.
  static int64_t findReused(fuse::CallOp call, unsigned index);
  /// The same of a choice of calls, which all make the result of one value.
  static mlir::Value findReused(fuse::ChoiceOp choice, unsigned index);
  mlir::LogicalResult convertIf(fuse::IfOp op);
  mlir::LogicalResult convertChoice(fuse::ChoiceOp op);
  mlir::LogicalResult convertLoop(fuse::LoopOp op);
  /// Converts bodies that each compute the results of `op` into those of
  /// `host`.
  mlir::LogicalResult convertBodies(mlir::Operation *op, mlir::Operation *host);
  mlir::Value convertConstant(fuse::ConstantOp constant);
  void convertReturn(mlir::func::ReturnOp op);

  /// Whether `value` is a result that is computed into any memory one likes:
  /// not what a loop carries, which ends up in one of two buffers of the loop.
  static bool takesAnyPlace(mlir::Value value);
  /// Asks for `value`, computed in `block`, to be computed into `place`. False
  /// if it takes no place, or is wanted elsewhere already.
  bool want(mlir::Value value, mlir::Value place, mlir::Block &block);
  /// The memory of an operation's result: where it is wanted, or a buffer.
  mlir::Value getResultMemory(mlir::Value result);
  mlir::Value makeBuffer(mlir::Value like);
  /// Memory of the loop's own that holds the start of a carried value.
  mlir::Value makeStart(mlir::Value init);
  /// Where the next iteration's value of `carried` goes.
  mlir::Value makeNext(mlir::Value carried);
  void copy(mlir::Value value, mlir::Value place);
  /// A place of a constant that the whole program reads.
  mlir::Value makeWeight(mlir::Location loc, mlir::Type type,
                         llvm::StringRef symbol);

  mlir::func::FuncOp func;
  mlir::SymbolTable &symbols;
  ConversionOptions options;
  mlir::OpBuilder builder;
  /// The outermost of the loops and branches that are built now, or null.
  mlir::Operation *outermost = nullptr;
  llvm::DenseMap<mlir::Value, mlir::Value> memory;
  /// Result -> the memory that it is wanted in.
  llvm::DenseMap<mlir::Value, mlir::Value> placeOf;
  llvm::SmallVector<mlir::BlockArgument> outputs;
  /// Returned values that need no copy, by result number.
  llvm::DenseSet<unsigned> direct;
};

} // namespace fusec::sched

#endif // FUSEC_PASSES_SCHEDULE_HOSTCONVERSION_H
