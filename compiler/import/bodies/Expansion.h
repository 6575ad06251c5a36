// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators whose bodies are text become operations of the fuse dialect.
#ifndef FUSEC_COMPILER_IMPORT_BODIES_EXPANSION_H
#define FUSEC_COMPILER_IMPORT_BODIES_EXPANSION_H

#include "compiler/fop/Instance.h"
#include "passes/graph/TensorBuilder.h"

namespace fusec {

/// Builds the results of an instance where the builder is. A value of the body
/// is a tensor with a dimension for each index that it depends on, in whatever
/// order is the cheapest; names say which is which.
class Expansion {
public:
  Expansion(fuse::TensorBuilder &builder, const fop::Instance &instance)
      : b(builder), at(instance) {}

  /// The outputs, of the inputs in the order of the signature.
  std::vector<mlir::Value> run(llvm::ArrayRef<mlir::Value> inputs);

private:
  /// A value, and the index of each of its dimensions.
  struct Term {
    mlir::Value value;
    fop::Indices indices;
  };
  /// A tensor that has a name: slot s is dimension dims[s] of the value.
  struct Stored {
    mlir::Value value;
    llvm::SmallVector<int64_t, 4> dims;
  };

  //===- Expressions (Expansion.cpp) --------------------------------------===//
  Term expand(const fop::Expr &expr);
  Term expandName(const fop::Expr &expr);
  Term expandUnary(const fop::Expr &expr);
  Term expandBinary(const fop::Expr &expr);
  Term expandFunction(const fop::Expr &expr);
  Term expandSelect(const fop::Expr &expr);
  /// What meets others in elements of `type`: a number, an index, a tensor.
  Term operand(const fop::Expr &expr, io::ElementType type);
  template <typename Op> Term fold(Term a, Term b);
  Term compare(fuse::CmpPredicate predicate, Term a, Term b);
  Term floorQuotient(Term a, Term b);
  Term iota(unsigned index);

  //===- Reductions (ExpandReductions.cpp) --------------------------------===//
  Term expandReduction(const fop::Expr &expr);
  /// The sum of products of two terms as a contraction, where it is one.
  std::optional<Term> contract(const fop::Expr &product,
                               const fop::Indices &reduced);
  Term reduce(fuse::ReductionKind kind, Term term, const fop::Indices &reduced);

  //===- Reads (ExpandReads.cpp) ------------------------------------------===//
  Term expandSubscript(const fop::Expr &expr);
  std::optional<Term> readPlain(const Stored &tensor,
                                const std::vector<fop::Entry> &entries);
  std::optional<Term> readSlice(const fop::Expr &expr, const Stored &tensor,
                                const std::vector<fop::Entry> &entries);
  std::optional<Term> readWindow(const fop::Expr &expr, const Stored &tensor,
                                 const std::vector<fop::Entry> &entries);
  Term readAnywhere(const fop::Expr &expr, const Stored &tensor,
                    const std::vector<fop::Entry> &entries);
  /// A position in [0, extent), and whether the one that was asked for is.
  std::pair<Term, std::optional<Term>>
  readPosition(const fop::Entry &entry, int64_t extent, bool hasFill);
  mlir::AffineExpr makeAffine(const fop::Linear &linear,
                              const fop::Indices &dims) const;

  //===- Calls (Expansion.cpp) --------------------------------------------===//
  /// The results of a call of an operator; each call is expanded once.
  const std::vector<Stored> &expandCall(const fop::Expr &expr);
  void store(const fop::Statement &statement, const fop::StatementFact &fact);
  mlir::Value inOrder(const Stored &tensor);

  //===- Shapes -----------------------------------------------------------===//
  mlir::Type getType(io::ElementType element) const;
  llvm::SmallVector<int64_t> shapeOf(llvm::ArrayRef<unsigned> indices) const;
  /// A constant of rank 0.
  Term constant(const fop::Number &number, io::ElementType type);
  mlir::TypedAttr attributeOf(const fop::Number &number, mlir::Type type) const;
  /// The same values with these dimensions, of which the term has some.
  Term spread(Term term, const fop::Indices &indices);
  /// The dimensions of what two terms make together.
  fop::Indices join(const fop::Indices &a, const fop::Indices &b) const;
  /// By where they stand in the result, sums last.
  fop::Indices sorted(const fop::Indices &indices) const;

  fuse::TensorBuilder &b;
  const fop::Instance &at;
  std::map<std::string, Stored> tensors;
  std::map<const fop::Expr *, std::vector<Stored>> calls;
  /// The dimensions of the statement's result, and then of the reductions that
  /// an expression stands in.
  fop::Indices scope;
};

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_BODIES_EXPANSION_H
