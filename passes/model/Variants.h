// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variants of fusion groups, and how each gets weights in a form of its
// own.
#ifndef FUSEC_PASSES_MODEL_VARIANTS_H
#define FUSEC_PASSES_MODEL_VARIANTS_H

#include "dialects/fuse/FuseOps.h"
#include "dialects/kernel/KernelOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace fusec::model {

/// The kernels of a fusion group, which have one signature, and their launches.
struct KernelGroup {
  /// First the one that the others follow: "default", or else the one that is
  /// launched.
  llvm::SmallVector<kernel::FuncOp> variants;
  llvm::SmallVector<kernel::LaunchOp> launches;

  kernel::FuncOp getFirst() { return variants.front(); }
  /// Whether all launches give a weight for input `number`.
  bool isWeight(unsigned number) const;
};

/// All groups, by name; an error at a variant of another signature.
mlir::FailureOr<llvm::MapVector<mlir::StringAttr, KernelGroup>>
collectGroups(mlir::ModuleOp module, const mlir::SymbolTable &symbols);

/// Copies of weights, each in the form that some variants read.
class WeightCopies {
public:
  /// `suffix` ends the names of copies.
  WeightCopies(mlir::SymbolTable &symbols, llvm::StringRef suffix)
      : symbols(symbols), suffix(suffix) {}

  /// Gives `readers` of the group an input of their own instead of input
  /// `number`, of which all launches give a weight: a copy for those that see
  /// it as `form`, whatever that is. Returns the input's number.
  unsigned separate(KernelGroup &group, unsigned number,
                    llvm::ArrayRef<kernel::FuncOp> readers, mlir::Type form);

private:
  mlir::Value copy(mlir::Value operand, mlir::Type form);

  mlir::SymbolTable &symbols;
  std::string suffix;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>, fuse::WeightOp>
      weights;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> operands;
};

/// Gives a kernel's argument another type.
void setArgumentType(mlir::BlockArgument argument, mlir::MemRefType type);

} // namespace fusec::model

#endif // FUSEC_PASSES_MODEL_VARIANTS_H
