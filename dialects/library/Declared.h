// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of users: routines that are no rows of the registry, but that a
// module declares (fuse.op), named by domain and type with a point between.
#ifndef FUSEC_DIALECTS_LIBRARY_DECLARED_H
#define FUSEC_DIALECTS_LIBRARY_DECLARED_H

#include "dialects/BlockGrid.h"
#include "dialects/library/Library.h"
#include "mlir/IR/SymbolTable.h"

namespace fusec::library {

/// The parameter with the bytes of scratch memory that a call asked for at
/// import, where there are any. No parameter of a user's can be called so.
inline constexpr llvm::StringLiteral kWorkspaceParameter = "op.workspace";

/// The same on a GPU, where the call launches kernels of its own; 0 where it
/// needs none. Absent where it runs on the host.
inline constexpr llvm::StringLiteral kCudaWorkspaceParameter =
    "op.cuda_workspace";

/// Whether operators may launch kernels of their own in programs for `target`,
/// and kernels call their functions of blocks: those that have a form for
/// "cuda", on the platform of that name.
bool runsLaunchers(const TargetInfo &target);

/// The parameter that says how the operator's function of blocks is called on a
/// GPU, in a kernel of fusec's: a dictionary with `blocks`, `threads` of each,
/// bytes of `shared` memory of each, and of scratch memory of all, `workspace`.
/// Absent where it does not run so.
inline constexpr llvm::StringLiteral kBlockParameter = "op.block";

/// That of a call with such parameters, if it runs so.
std::optional<BlockGrid> getBlockGrid(mlir::DictionaryAttr parameters);
/// The parameter's value.
mlir::Attribute makeBlockGrid(mlir::MLIRContext *context,
                              const BlockGrid &grid);
/// Why the parameter, if it is there, is none.
Refusal refuseBlockParameter(mlir::DictionaryAttr parameters);

/// How such functions are called in kernels.
extern const DeviceForm kBlockForm;

/// Whether a call has a form for GPUs: the one or the other.
bool hasDeviceForm(mlir::DictionaryAttr parameters);

/// Parameters of a call as programs for `target` have it: there a function of
/// blocks goes before kernels that the operator launches, and these before its
/// form for CPUs.
mlir::DictionaryAttr takeForms(mlir::DictionaryAttr parameters,
                               const TargetInfo &target);

/// Whether a call launches its own kernels on a device.
bool launchesKernels(mlir::DictionaryAttr parameters);

/// The parameter with what quantised operands stand for: a list with a
/// dictionary for each operand, with `axis`, `scales` and `zero_points` as
/// Quantization has them, or empty. Absent where no operand is quantised.
inline constexpr llvm::StringLiteral kQuantizedParameter = "op.quantized";

/// (value - zero point) * scale: one of each, or as many as dimension `axis`
/// has.
struct Quantization {
  llvm::SmallVector<float> scales;
  llvm::SmallVector<int64_t> zeroPoints;
  int64_t axis = 0;

  bool isThere() const { return !scales.empty(); }
};

/// That of operand `index` of a call with such parameters.
Quantization getQuantization(mlir::DictionaryAttr parameters, unsigned index);
/// The parameter's value, of one for each operand.
mlir::Attribute makeQuantized(mlir::MLIRContext *context,
                              llvm::ArrayRef<Quantization> operands);

/// The parameters with how results use memory of operands: for each result the
/// operand that it must lie where, or may, or -1. Absent where no result does.
inline constexpr llvm::StringLiteral kMustAliasParameter = "op.must_alias";
inline constexpr llvm::StringLiteral kMayAliasParameter = "op.may_alias";

/// The operand that result `index` has to lie where, by `kind`, one of the two
/// above; or -1.
int64_t getAliased(mlir::DictionaryAttr parameters, llvm::StringRef kind,
                   unsigned index);

/// The parameter with the algorithms that the call may take, where the operator
/// has several: a list with a dictionary for each, of `name`, `workspace`, the
/// bytes of scratch memory, if there are any, and `reproducible`, false where
/// it gives other bits now and then. --fuse-expand-algorithms makes a choice of
/// them, whose calls have the next two and the scratch memory.
inline constexpr llvm::StringLiteral kAlgorithmsParameter = "op.algorithms";
/// The parameter with the name of the algorithm that is called. Absent where
/// the operator has one.
inline constexpr llvm::StringLiteral kAlgorithmParameter = "op.algorithm";
/// The parameter that says, false, that the algorithm gives other bits now and
/// then. Absent where it does not.
inline constexpr llvm::StringLiteral kReproducibleParameter = "op.reproducible";

/// One of the algorithms of a call.
struct Algorithm {
  std::string name;
  int64_t workspaceBytes = 0;
  bool isReproducible = true;
};

/// Those that a call with such parameters may take; none where there is nothing
/// to take.
llvm::SmallVector<Algorithm> getAlgorithms(mlir::DictionaryAttr parameters);
/// The parameter's value.
mlir::Attribute makeAlgorithms(mlir::MLIRContext *context,
                               llvm::ArrayRef<Algorithm> algorithms);
/// The parameters of the call that takes `algorithm`.
mlir::DictionaryAttr takeAlgorithm(mlir::DictionaryAttr parameters,
                                   const Algorithm &algorithm);
/// Whether a call with such parameters gives the same bits in each run.
bool isReproducible(mlir::DictionaryAttr parameters);

/// Whether `name` is one that fusec gives, and no parameter of a user's.
inline bool isOwnParameter(llvm::StringRef name) {
  return name == kWorkspaceParameter || name == kCudaWorkspaceParameter ||
         name == kQuantizedParameter || name == kMustAliasParameter ||
         name == kMayAliasParameter || name == kAlgorithmsParameter ||
         name == kAlgorithmParameter || name == kReproducibleParameter ||
         name == kBlockParameter;
}

/// Whether `name` is that of an operator that a module declares.
inline bool isDeclared(llvm::StringRef name) { return name.contains('.'); }

/// Whether `path` is one of a file inside a folder, plain enough for each file
/// system, for CMake and for a line of a compiler.
bool isInnerPath(llvm::StringRef path);

/// What all calls of such operators have in common: they are pure, and answers
/// that depend on the call are among its parameters.
const Routine &getDeclaredRoutine();

/// The kinds of parameters that operators may have: a flag, a number, a text,
/// or a list of numbers or texts.
enum class ValueKind { flag, integer, number, text, integers, numbers, texts };

/// Which of them `value` is, if any.
std::optional<ValueKind> getValueKind(mlir::Attribute value);

/// "an integer", for messages.
llvm::StringRef getWords(ValueKind kind);

/// Checks a call whose callee is such an operator against its declaration,
/// which the module must have; of other calls nothing. The declaration is
/// fuse.op, of a dialect that this folder does not see.
mlir::LogicalResult verifyDeclaredCall(mlir::Operation *call,
                                       mlir::StringAttr callee,
                                       mlir::DictionaryAttr parameters,
                                       size_t numOperands, size_t numResults,
                                       mlir::SymbolTableCollection &tables);

/// The hash of what the operator is made of that `call` of `callee` calls; ""
/// of other calls.
llvm::StringRef getDeclaredHash(mlir::Operation *call, mlir::StringAttr callee);

/// Why `given`, the parameters of a call, are not those that an operator with
/// these defaults takes.
Refusal refuseParameters(mlir::DictionaryAttr defaults,
                         mlir::DictionaryAttr given);

} // namespace fusec::library

#endif // FUSEC_DIALECTS_LIBRARY_DECLARED_H
