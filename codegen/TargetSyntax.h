// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What differs between the languages of kernels, as one table of fields over
// one renderer. A language is a row.
#ifndef FUSEC_CODEGEN_TARGETSYNTAX_H
#define FUSEC_CODEGEN_TARGETSYNTAX_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace fusec::codegen {

/// How kernels spell indices and what takes them: of 64 bits, or of 32
/// (`narrow_indices` of kernel.func).
struct IndexSyntax {
  llvm::StringLiteral type;
  /// The type of an unrolled loop's index, and the template of views.
  llvm::StringLiteral unrolled, view;
  /// Whether it is the type of literals.
  bool isInt;
};

extern const IndexSyntax kWideIndices, kNarrowIndices;

struct TargetSyntax {
  llvm::StringLiteral name;
  /// Appended to the model's name: the file of the kernels.
  llvm::StringLiteral kernelFileSuffix;
  /// The same: the file of the naive variants, which is compiled with that one.
  llvm::StringLiteral naiveFileSuffix;
  /// The header of the vocabulary.
  llvm::StringLiteral vocabulary;
  /// The first parameter of each kernel: type and name.
  llvm::StringLiteral contextType;
  llvm::StringLiteral contextName;
  /// Stands before the function's return type, and behind it with the number of
  /// a block's threads in parentheses.
  llvm::StringLiteral functionQualifier;
  llvm::StringLiteral launchBounds;
  llvm::StringLiteral restrictKeyword;
  /// Stands before a loop that is fully unrolled.
  llvm::StringLiteral unrollPrefix;
  /// Stands before a loop that is unrolled by so many iterations as follow in
  /// parentheses; empty where no loop needs it.
  llvm::StringLiteral unrollByPrefix;
  /// Stands before a loop that is not unrolled, though it is short: it has no
  /// more iterations than what compilers unroll by themselves.
  llvm::StringLiteral rollPrefix;
  int64_t mostShort;
  /// Stands before arrays of scalars, and of those that threads share.
  llvm::StringLiteral arrayQualifier;
  llvm::StringLiteral sharedQualifier;
  /// Whether operators of integers wrap on overflow: compilers have an option.
  bool integersWrap;
  /// The call that runs a loop on threads takes these first arguments.
  llvm::StringLiteral parallelFor;
};

extern const TargetSyntax kCpuSyntax, kCudaSyntax;

/// The C++ type of values: `float`, `int32_t`, `f32x16`, `mask16`; empty if
/// there is none, as for indices, whose type is each kernel's.
std::string valueTypeName(mlir::Type type);

/// The C++ type of memory: `float`, `f16`, `uint8_t`. `qualified` adds the
/// namespace where it is fusec's.
std::string storageTypeName(mlir::Type type, bool qualified = false);
/// The same of an array, whose elements may lie two to a byte: `u4x2`.
std::string storageTypeName(mlir::MemRefType type, bool qualified = false);

/// The C++ type of an array with its extents: `View<const float, 8, 32>`.
std::string viewTypeName(mlir::MemRefType type, bool isInput,
                         const IndexSyntax &index);

/// Whether other element types have the same C++ type of memory, so that it
/// does not tell this one: f8, f4, and integers of 4 and 2 bits are bytes.
bool sharesStorageName(mlir::Type type);

/// The enumerator of runtime/include/fusec/abi.h for a storage type.
std::string abiTypeName(mlir::Type type);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_TARGETSYNTAX_H
