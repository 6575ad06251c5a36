// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sched dialect: fusion groups as static control programs.
#ifndef FUSEC_DIALECTS_SCHED_SCHEDOPS_H
#define FUSEC_DIALECTS_SCHED_SCHEDOPS_H

#include "dialects/TypeInfo.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <string>

namespace fusec::sched {

/// A read or write of a statement: `array[map(iterators)]`. The map of a
/// `sched.gather` has symbols: values of the body.
struct Access {
  mlir::Value array;
  mlir::AffineMap map;
  /// What a read outside of the array gives (compute type), or null.
  mlir::TypedAttr padding;
};

/// An argument of a scop to be made: its name (a C identifier) and type.
struct ArrayDecl {
  std::string name;
  mlir::MemRefType type;
  mlir::Location loc;
};

/// `[1, 2, 3]`, possibly empty.
mlir::FailureOr<llvm::SmallVector<int64_t>>
parseIntegers(mlir::AsmParser &parser);

/// `[fma, pairs]`, possibly empty.
mlir::FailureOr<llvm::SmallVector<mlir::StringAttr>>
parseWords(mlir::AsmParser &parser);
void printWords(mlir::AsmPrinter &printer,
                llvm::ArrayRef<mlir::StringAttr> words);

/// What a statement adds up that contracts: products of values of its body, of
/// which some are used again and again, as those of a matrix product are.
struct Contraction {
  /// The accumulator, and what is stored: the accumulator and the product.
  mlir::Value before, after;
  llvm::SmallVector<mlir::Value> factors;
};

/// Iterator `plus` less iterator `minus`, and a constant. One of the two may
/// number what a block has: `length` times the iterator `block` is added then,
/// a negative number of times where it is `minus` that does.
struct Difference {
  unsigned plus, minus;
  int64_t constant;
  std::optional<unsigned> block;
  int64_t length = 0;
};

/// `expr` as such a difference of iterators, if it is one.
std::optional<Difference> readDifference(mlir::AffineExpr expr);

/// The smallest and largest value of `expr` over the box [0, extents), or
/// nothing if it has symbols, divisions or remainders, or the box is empty.
std::optional<std::pair<int64_t, int64_t>>
getRange(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> extents);

/// The affine expression with `dims` as names of the dimensions and sN as
/// names of the symbols ("2 * i + s0").
std::string formatSubscript(mlir::AffineExpr expr,
                            llvm::ArrayRef<std::string> dims);

/// The name of iterator number `position` where nothing better is known: i, j,
/// k, ...
std::string getIteratorName(unsigned position);

/// The innermost name that `loc` carries, or "". A fused location gives its
/// first name.
llvm::StringRef getLocName(mlir::Location loc);

/// `text` as a C identifier: other characters become '_'; "" becomes "v".
std::string toIdentifier(llvm::StringRef text);

} // namespace fusec::sched

#include "dialects/sched/SchedDialect.decls.inc"

#include "dialects/sched/SchedEnums.decls.inc"

#include "dialects/sched/SchedInterfaces.decls.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/sched/SchedAttrs.decls.inc"

#define GET_OP_CLASSES
#include "dialects/sched/SchedOps.decls.inc"

#endif // FUSEC_DIALECTS_SCHED_SCHEDOPS_H
