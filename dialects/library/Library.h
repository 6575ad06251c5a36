// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What compiler and emitter know of each routine of the library, which a
// fuse.call or kernel.call names.
#ifndef FUSEC_DIALECTS_LIBRARY_LIBRARY_H
#define FUSEC_DIALECTS_LIBRARY_LIBRARY_H

#include "dialects/library/Column.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>
#include <vector>

namespace fusec {
struct TargetInfo;
}

namespace fusec::library {

/// A call, as a routine is asked about it. The types are tensors before there
/// is memory and memrefs afterwards.
struct Call {
  llvm::SmallVector<mlir::ShapedType> operands, results;
  mlir::DictionaryAttr parameters;
  /// Which operands are constants of the model, as far as anybody said.
  llvm::SmallBitVector constants;

  Call(mlir::TypeRange operands, mlir::TypeRange results,
       mlir::DictionaryAttr parameters);

  llvm::ArrayRef<int64_t> operandShape(unsigned index) const {
    return operands[index].getShape();
  }
  llvm::ArrayRef<int64_t> resultShape(unsigned index) const {
    return results[index].getShape();
  }
  bool isConstant(unsigned index) const {
    return index < constants.size() && constants.test(index);
  }
  /// A parameter that the routine has.
  int64_t getInt(llvm::StringRef name) const;
  bool getFlag(llvm::StringRef name) const;
  llvm::StringRef getText(llvm::StringRef name) const;
};

/// Why a call is not one of its routine; nothing if it is.
using Refusal = std::optional<std::string>;

/// What an attribute of calls is.
struct ParameterKind {
  /// For messages.
  llvm::StringLiteral words;
  /// Whether a value, which may be null, is such a one.
  bool (*holds)(mlir::Attribute value);
};
extern const ParameterKind kInt, kFlag, kText;

/// An attribute that each call of a routine has.
struct Parameter {
  llvm::StringLiteral name;
  const ParameterKind &kind;
};

/// What a call passes on after its pointers: a number, or numbers in braces, as
/// C++ writes them, and what they are called.
struct Argument {
  std::string name, text;

  Argument(llvm::StringRef name, int64_t value);
  Argument(llvm::StringRef name, bool value);
  Argument(llvm::StringRef name, std::string text);
  Argument(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
};

/// How a routine is called on the CPU: `symbol(ctx, operands..., results...,
/// workspace?, arguments...)`, declared in `header`.
struct CpuForm {
  llvm::StringLiteral symbol, header;
  std::vector<Argument> (*getArguments)(const Call &);
};

/// How many blocks of how many threads run a routine on a device. `constants`
/// are what else its form is a template of.
struct Grid {
  int64_t blocks = 0, threads = 0;
  std::vector<int64_t> constants = {};
};

/// How it is called in a kernel of a GPU, for each block of its grid:
/// `symbol<threads, constants...>(block, operands..., results..., workspace?,
/// arguments...)`, declared in `header`; the arguments are those of the CPU.
/// One whose grid has no blocks does nothing.
struct DeviceForm {
  llvm::StringLiteral symbol, header;
  Grid (*getGrid)(const Call &, const TargetInfo &);
  /// Whether it takes a call; null: each.
  bool (*takes)(const Call &) = nullptr;
};

/// A library of somebody else's. A program has it only where it calls it, and
/// calls it only where whoever compiles asks for it.
struct Vendor {
  /// As options and algorithms of choices are called.
  llvm::StringLiteral name;
  /// For people: what it is, and the Debian package to build with.
  llvm::StringLiteral title, package;
  /// What a linker calls it and what else its adapter needs.
  llvm::ArrayRef<llvm::StringLiteral> libraries;
};

/// A call of constants, which the compiler computes. The results have as many
/// elements as they need.
struct ConstantCall {
  Call call;
  llvm::SmallVector<Column> operands, results;

  /// Whether elements of the first operand have 64 bits and no sign, so that
  /// the bits of a negative number are those of a large one.
  bool isWideUnsigned() const {
    return call.operands[0].getElementType().isUnsignedInteger(64);
  }
};

/// All that a routine is: an entry of the registry.
struct Routine {
  llvm::StringLiteral name;
  unsigned numOperands, numResults;
  llvm::ArrayRef<Parameter> parameters;
  /// Shapes, types and values of parameters; numbers of operands and results
  /// and the parameters' names and kinds have been checked before.
  Refusal (*refuse)(const Call &);
  CpuForm cpu;
  /// Null: it runs on the host, with copies. Asked by getDeviceForm.
  const DeviceForm *device = nullptr;
  /// Whether it does nothing but compute its results from its operands, so that
  /// equal calls are one, and one that nobody reads is none.
  bool isPure = true;
  /// Scratch memory that a call needs; null: none.
  int64_t (*getWorkspaceBytes)(const Call &) = nullptr;
  /// Computes the results of a call of constants, as shapes, masks and tables
  /// are made by; null: the program does.
  void (*fold)(ConstantCall &) = nullptr;
  /// What a call takes, in steps of a core (TargetInfo); null: a launch and an
  /// access to each element.
  double (*getSteps)(const Call &, const TargetInfo &) = nullptr;
  /// Whether the run time decides how many rows of its one result, of integers,
  /// hold something: none of the others' elements is 0 or more.
  bool leavesOpen = false;
  /// Whether its one result is the first operand but for elements that it
  /// writes, so that both may be the same memory; a device's form finds a copy
  /// of the operand in the result, or the operand.
  bool updatesFirst = false;
  /// Whose code it runs; null: fusec's own.
  const Vendor *vendor = nullptr;
  /// Whether it is a contraction of two operands, which its parameter `terms`
  /// describes: a letter for each dimension of both and of the result, as in
  /// "mk,kn->mn". It sums over what the result lacks.
  bool contracts = false;

  int64_t workspaceBytes(const Call &call) const {
    return getWorkspaceBytes ? getWorkspaceBytes(call) : 0;
  }
  /// The form of a call in kernels, or null: it runs on the host.
  const DeviceForm *getDeviceForm(const Call &call) const {
    return device && (!device->takes || device->takes(call)) ? device : nullptr;
  }
  /// More than 0 for every call.
  double steps(const Call &call, const TargetInfo &target) const;
};

/// The routine of this name, or null; of operators that modules declare the
/// one that stands for all of them.
const Routine *find(llvm::StringRef name);

/// All vendors that routines are of, in the order of their names.
llvm::SmallVector<const Vendor *> getVendors();

/// The vendor of this name, or null.
const Vendor *findVendor(llvm::StringRef name);

/// The routines of `vendor` that contract, in the order of their names.
llvm::SmallVector<const Routine *> getContractions(const Vendor &vendor);

/// Why `call` is no call of the routine `name`, which may not exist.
Refusal refuse(llvm::StringRef name, const Call &call);

//===- For the rows -------------------------------------------------------===//

/// "[2, 3]", for messages.
std::string shapeText(llvm::ArrayRef<int64_t> shape);
/// Threads of a block that shares `work` steps: a power of two, whole warps, no
/// more than one step each nor than a block has.
int64_t getBlockThreads(int64_t work, const TargetInfo &target);
/// Refuses a type other than `type`; `what` names the operand or result.
Refusal refuseOtherThan(mlir::ShapedType actual, llvm::ArrayRef<int64_t> shape,
                        mlir::Type elementType, llvm::StringRef what);

} // namespace fusec::library

#endif // FUSEC_DIALECTS_LIBRARY_LIBRARY_H
