// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an Instance comes to know what it does; for the files that do that.
#ifndef FUSEC_COMPILER_FOP_CHECKER_H
#define FUSEC_COMPILER_FOP_CHECKER_H

#include "compiler/fop/Functions.h"
#include "compiler/fop/Instance.h"
#include "compiler/io/ElementValue.h"

namespace fusec::fop {

/// Numbers, types and dimensions of expressions. Throws Mistake.
class Checker {
public:
  Checker(Instance &at, Instance::Budget &budget) : at(at), budget(budget) {}

  /// Binds the signature (Bind.cpp).
  void bind(std::vector<ParamValue> params);
  /// Checks the body (CheckStatements.cpp).
  void checkBody();

private:
  //===- Signature (Bind.cpp) ---------------------------------------------===//
  void bindParams(std::vector<ParamValue> params);
  void bindType(const Tensor &tensor, io::ElementType element);
  void bindDims(const Tensor &tensor, const TensorType &type);
  void bindExtents(const Tensor &tensor, const TensorType &type);
  void bindOutput(const Tensor &output);
  /// Declares an index, or refuses another extent than it has.
  unsigned declareIndex(const std::string &name, int64_t extent, Place place);
  TensorFact describeTensor(const Tensor &tensor, const TensorType &type) const;
  int64_t extentOf(const Expr &expr);

  //===- Expressions (Check.cpp) ------------------------------------------===//
  /// `isPosition`: within a subscript, where the name of a dimension is its
  /// index; elsewhere it is the extent.
  Fact check(const Expr &expr, bool isPosition = false);
  Fact checkKind(const Expr &expr, bool isPosition);
  Fact checkName(const Expr &expr, bool isPosition);
  Fact checkUnary(const Expr &expr, bool isPosition);
  Fact checkBinary(const Expr &expr, bool isPosition);
  Fact checkReduction(const Expr &expr, bool isPosition);
  Fact checkFunction(const Expr &expr, bool isPosition);
  Fact checkCast(const Expr &expr, io::ElementType type, bool isPosition);
  Fact checkSelect(const Expr &expr, const std::vector<Fact> &facts);
  /// The value of what has to be known while compiling.
  Number numberOf(const Expr &expr, llvm::StringRef what);
  /// The type in which operands meet; refuses those that do not.
  io::ElementType meet(const Fact &a, const Fact &b, Place place);
  void requireFit(const Number &number, io::ElementType type, Place place);
  static Fact ofNumber(Number number);
  Fact ofIndex(unsigned index) const;
  static Indices merge(const Indices &a, const Indices &b);

  //===- Positions (CheckPositions.cpp) -----------------------------------===//
  Fact checkSubscript(const Expr &expr);
  /// What becomes of the index arithmetic `op` of both.
  void combineIndices(llvm::StringRef op, const Fact &a, const Fact &b,
                      Fact &result, Place place);
  bool isRounded(const Expr &expr) const;
  Entry checkEntry(const Expr &subscript, const Expr &expr, int64_t extent);

  //===- Statements and calls (CheckStatements.cpp) -----------------------===//
  void checkStatement(const Statement &statement);
  void setTensor(const Statement &statement, unsigned number, TensorFact fact);
  CallFact &checkCall(const Expr &expr);
  /// The type of an argument, and what its dimensions are called.
  TensorFact checkArgument(const Expr &expr);
  void declareIndices(const std::vector<IndexName> &names);

  Instance &at;
  Instance::Budget &budget;
};

} // namespace fusec::fop

#endif // FUSEC_COMPILER_FOP_CHECKER_H
