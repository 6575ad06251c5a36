// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the custom parsers, printers and verifiers of this folder share.
#ifndef FUSEC_DIALECTS_KERNEL_KERNELSYNTAX_H
#define FUSEC_DIALECTS_KERNEL_KERNELSYNTAX_H

#include "dialects/kernel/KernelOps.h"

namespace fusec::kernel::syntax {

/// Gives `arg` the location NameLoc("x") if it was written as `%x` and without
/// a location of its own, so that names in hand-written text reach the source.
/// Names that the printer made up (%0, %arg0) are none.
void keepArgumentName(mlir::OpAsmParser &parser,
                      mlir::OpAsmParser::Argument &arg);

/// The same for the first result of the operation that is being parsed.
void keepResultName(mlir::OpAsmParser &parser, mlir::OperationState &state);

/// Suggests the names of locations for the arguments of a region's entry.
void printArgumentNames(mlir::Region &region,
                        mlir::OpAsmSetValueNameFn setName);

/// The same for the only result of `op`.
void printResultName(mlir::Operation *op, mlir::OpAsmSetValueNameFn setName);

/// Checks that `map` takes `operands` dims and no symbols.
mlir::LogicalResult verifyMapOperands(mlir::Operation *op, mlir::AffineMap map,
                                      size_t operands, llvm::StringRef what);

/// Checks that the target of `op` has blocks of threads: the error says what
/// the operation does with them.
mlir::LogicalResult verifyHasBlocks(mlir::Operation *op, llvm::StringRef what);

/// Checks that all threads of `scope` come to `op`.
mlir::LogicalResult verifyAllCome(mlir::Operation *op, Scope scope);

/// Checks that the target has the memory that `type` names, if any.
mlir::LogicalResult verifySpace(mlir::Operation *op, mlir::MemRefType type);

/// Checks that values of `type`, a scalar or lanes, combine so.
mlir::LogicalResult verifyCombiner(mlir::Operation *op, Combiner combiner,
                                   mlir::Type type);

} // namespace fusec::kernel::syntax

#endif // FUSEC_DIALECTS_KERNEL_KERNELSYNTAX_H
