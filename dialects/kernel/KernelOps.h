// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel dialect: loops and memory that print one to one as C++.
#ifndef FUSEC_DIALECTS_KERNEL_KERNELOPS_H
#define FUSEC_DIALECTS_KERNEL_KERNELOPS_H

#include "dialects/Combiner.h"
#include "dialects/OperationCost.h"
#include "dialects/TypeInfo.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fusec::kernel {

/// Vectors have this many lanes, whatever the instruction set and type.
inline constexpr int64_t kLanes = 16;

/// The 16-lane vector of a scalar type.
inline mlir::VectorType getVectorOf(mlir::Type scalar) {
  return mlir::VectorType::get({kLanes}, scalar);
}

/// Whether values of kernels may have this type: a compute type of the
/// TypeInfo table, or 16 lanes of one.
bool isValueType(mlir::Type type);

/// Of a kernel: the `#sched.config` of the schedule that it was made of.
inline constexpr llvm::StringLiteral kConfigAttr = "config";

/// Of a kernel, or the scop that it is made of: for which sessions it runs in
/// place of the default. A dictionary from instruction sets to arrays of
/// integers: for each, from how many threads on, up to the next larger number
/// of another variant. Of a choice: an array of dictionaries, each with an
/// `algorithm`, the `isa` whose sessions take it, and from how many `threads`
/// on (0: any); the first that holds does.
inline constexpr llvm::StringLiteral kSelectedAttr = "selected";
/// Of what was taken of a choice: a product of lower precision than the model
/// has, which a user allowed.
inline constexpr llvm::StringLiteral kLowerPrecisionAttr = "lower_precision";

/// An element of it, of a choice.
struct ChoiceSelection {
  llvm::StringRef algorithm, isa;
  int64_t threads;
};

/// The elements of `said`, which may be null; nothing where it is something
/// else. A text may have anything in what a program has written down.
std::optional<llvm::SmallVector<ChoiceSelection>>
readSelections(mlir::Attribute said);

/// Of a kernel of a GPU: instances of the statement that has most, an integer.
inline constexpr llvm::StringLiteral kPointsAttr = "points";

/// Of a kernel that has been through all stages: a hash of what it does and
/// how, 16 hexadecimal digits, and what a line of a fusec.lock says of it. Of
/// the module: the version of the set of algorithms that kernels are of.
inline constexpr llvm::StringLiteral kHashAttr = "hash", kChoiceAttr = "choice",
                                     kAlgorithmsAttr = "kernel.algorithms";

/// Of a module that had choices: the key of the model, whatever was taken of
/// them.
inline constexpr llvm::StringLiteral kModelKeyAttr = "kernel.model_key";

/// Of an input or output of a kernel: its rows are to be fetched ahead.
inline constexpr llvm::StringLiteral kPrefetchAttr = "kernel.prefetch";

/// Of an output of a kernel: whole vectors are stored to it past the caches.
inline constexpr llvm::StringLiteral kStreamAttr = "kernel.stream";

/// Of an output of a kernel of a GPU: it is zero when the kernel begins, which
/// adds to it.
inline constexpr llvm::StringLiteral kZeroedAttr = "kernel.zeroed";

/// How many columns the loops around `op` are mapped to that are mapped so; 1
/// if there are none.
int64_t countColumns(mlir::Operation *op);

/// The name that `loc` gives to a value, empty if none.
llvm::StringRef getNameOf(mlir::Location loc);

} // namespace fusec::kernel

#include "dialects/kernel/KernelDialect.decls.inc"
#include "dialects/kernel/KernelEnums.decls.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/kernel/KernelAttrs.decls.inc"

#define GET_OP_CLASSES
#include "dialects/kernel/KernelOps.decls.inc"

namespace fusec::kernel {

/// The weight that a launch's operand is, possibly by another shape; null for
/// others.
WeightOp getWeight(mlir::Value operand);

/// Whether a memref of the program of a GPU lies in host memory
/// (`#kernel.space<host>`).
bool isOnHost(mlir::Type type);
/// Whether each thread of a GPU has a memref of its own
/// (`#kernel.space<thread>`).
bool isOfThread(mlir::Type type);
/// Whether the threads of a block share a memref (`#kernel.space<shared>`).
bool isShared(mlir::Type type);

/// Bytes of shared memory that a launch of `func` requests for the arrays of a
/// block, each aligned to 16, in the order in which they stand; 0 where they
/// are so few that the kernel declares them.
int64_t countRequestedBytes(FuncOp func);

/// Whether elements that are not read become zeros: there is no `fill`, or a
/// positive zero.
bool fillsZeros(mlir::TypedAttr fill);

/// The type of the fragment of terms whose products are added to a sum of type
/// `type`: i32, in as many lanes.
mlir::Type getFragmentType(mlir::Type type);

/// Whether `op` is a load of a term that lies beside others of its only user,
/// which reads them all at once.
bool isReadWithOthers(mlir::Operation *op);

} // namespace fusec::kernel

#endif // FUSEC_DIALECTS_KERNEL_KERNELOPS_H
