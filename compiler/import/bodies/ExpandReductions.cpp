// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/bodies/Expansion.h"

#include "dialects/TypeInfo.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using fusec::fop::Expr;
using fusec::fop::ExprKind;
using fusec::fop::Indices;
using fusec::fuse::ReductionKind;

namespace fusec {

/// The dimensions `dims` of `shape`, or all others.
static SmallVector<int64_t> dropDims(ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> dims) {
  SmallVector<int64_t> kept;
  for (auto [d, extent] : llvm::enumerate(shape))
    if (!llvm::is_contained(dims, int64_t(d)))
      kept.push_back(extent);
  return kept;
}

Expansion::Term Expansion::reduce(ReductionKind kind, Term term,
                                  const Indices &reduced) {
  SmallVector<int64_t> dims;
  Indices kept;
  for (auto [d, index] : llvm::enumerate(term.indices)) {
    if (llvm::is_contained(reduced, index))
      dims.push_back(int64_t(d));
    else
      kept.push_back(index);
  }
  if (dims.empty())
    return term;
  Value value = b.reduction(kind, term.value, dims);
  return {b.reshape(value, shapeOf(kept)), kept};
}

std::optional<Expansion::Term> Expansion::contract(const Expr &product,
                                                   const Indices &reduced) {
  if (product.kind != ExprKind::Binary || product.text != "*")
    return std::nullopt;
  const Expr &first = *product.operands[0], &second = *product.operands[1];
  const fop::Fact &a = at.get(first), &c = at.get(second);
  auto has = [](const fop::Fact &fact, unsigned index) {
    return llvm::is_contained(fact.indices, index);
  };
  const bool isSame =
      a.indices.size() == c.indices.size() &&
      llvm::all_of(a.indices, [&](unsigned index) { return has(c, index); });
  const bool sharesSum = llvm::any_of(
      reduced, [&](unsigned index) { return has(a, index) && has(c, index); });
  if (a.number || c.number || isSame || !sharesSum)
    return std::nullopt;
  const io::ElementType type = at.get(product).common;
  Term lhs = operand(first, type), rhs = operand(second, type);
  // What one of them alone has is summed before.
  auto sumOwn = [&](Term term, const fop::Fact &other) {
    Indices own;
    for (unsigned index : term.indices)
      if (llvm::is_contained(reduced, index) && !has(other, index))
        own.push_back(index);
    return own.empty() ? term : reduce(ReductionKind::sum, term, own);
  };
  lhs = sumOwn(lhs, c);
  rhs = sumOwn(rhs, a);
  Indices result, sums;
  for (const Indices &all : {lhs.indices, rhs.indices})
    for (unsigned index : all) {
      Indices &into = llvm::is_contained(reduced, index) ? sums : result;
      if (!llvm::is_contained(into, index))
        into.push_back(index);
    }
  result = sorted(result);
  Indices iterators = result;
  llvm::append_range(iterators, sorted(sums));
  MLIRContext *context = b.builder.getContext();
  auto mapOf = [&](const Indices &indices) {
    SmallVector<AffineExpr> exprs;
    for (unsigned index : indices)
      exprs.push_back(getAffineDimExpr(
          llvm::find(iterators, index) - iterators.begin(), context));
    return AffineMap::get(iterators.size(), 0, exprs, context);
  };
  ArrayAttr maps = b.builder.getAffineMapArrayAttr(
      {mapOf(lhs.indices), mapOf(rhs.indices), mapOf(result)});
  Type element = getType(type);
  Value sum = b.make<fuse::ContractOp>(
      RankedTensorType::get(shapeOf(result), getComputeType(element)),
      lhs.value, rhs.value, maps);
  return Term{b.cast(sum, element), result};
}

Expansion::Term Expansion::expandReduction(const Expr &expr) {
  const Indices reduced = at.indicesOf(expr.indices);
  const Expr &body = *expr.operands[0];
  Indices outer = scope;
  for (unsigned index : reduced)
    if (!llvm::is_contained(scope, index))
      scope.push_back(index);
  llvm::scope_exit leave([&] { scope = outer; });
  const Indices &own = at.get(body).indices;
  const bool hasAll = llvm::all_of(
      reduced, [&](unsigned index) { return llvm::is_contained(own, index); });
  if (expr.text == "sum" && hasAll)
    if (std::optional<Term> made = contract(body, reduced))
      return *made;
  Term term = expand(body);
  // Of what does not depend on it, each element counts as often as there are.
  Indices all = term.indices;
  for (unsigned index : reduced)
    if (!llvm::is_contained(all, index))
      all.push_back(index);
  term = spread(term, all);
  if (expr.text == "argmax" || expr.text == "argmin") {
    const int64_t axis = llvm::find(all, reduced[0]) - all.begin();
    SmallVector<int64_t> kept(shapeOf(all));
    kept[axis] = 1;
    auto type = RankedTensorType::get(kept, b.builder.getI64Type());
    Value value =
        expr.text == "argmax"
            ? b.make<fuse::ArgMaxOp>(type, term.value, uint64_t(axis), false)
            : b.make<fuse::ArgMinOp>(type, term.value, uint64_t(axis), false);
    all.erase(all.begin() + axis);
    return {b.reshape(value, dropDims(kept, axis)), all};
  }
  const auto kind = llvm::StringSwitch<ReductionKind>(expr.text)
                        .Case("sum", ReductionKind::sum)
                        .Case("mean", ReductionKind::mean)
                        .Case("max", ReductionKind::max)
                        .Case("min", ReductionKind::min)
                        .Default(ReductionKind::prod);
  return reduce(kind, term, reduced);
}

} // namespace fusec
