// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/bodies/Expansion.h"

#include "compiler/fop/Functions.h"
#include "dialects/TypeInfo.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using fusec::fop::Expr;
using fusec::fop::ExprKind;
using fusec::fop::Fact;
using fusec::fop::Indices;
using fusec::fuse::CmpPredicate;
using fusec::fuse::TensorBuilder;

namespace fusec {

//===- Shapes -------------------------------------------------------------===//

Type Expansion::getType(io::ElementType element) const {
  return getTypeInfoForOnnx(int(element))->get(b.builder.getContext());
}

SmallVector<int64_t> Expansion::shapeOf(ArrayRef<unsigned> indices) const {
  SmallVector<int64_t> shape;
  for (unsigned index : indices)
    shape.push_back(at.indices[index].extent);
  return shape;
}

TypedAttr Expansion::attributeOf(const fop::Number &number, Type type) const {
  if (isa<FloatType>(type)) {
    const double value =
        std::visit([](auto held) { return double(held); }, number);
    return b.builder.getFloatAttr(type, value);
  }
  const int64_t value =
      std::visit([](auto held) { return int64_t(held); }, number);
  return b.builder.getIntegerAttr(type,
                                  APInt(type.getIntOrFloatBitWidth(), value,
                                        /*isSigned=*/true,
                                        /*implicitTrunc=*/true));
}

Expansion::Term Expansion::constant(const fop::Number &number,
                                    io::ElementType element) {
  auto type = RankedTensorType::get({}, getType(element));
  Attribute value = attributeOf(number, type.getElementType());
  return {b.make<fuse::ConstantOp>(type, DenseElementsAttr::get(type, value)),
          {}};
}

Indices Expansion::sorted(const Indices &indices) const {
  Indices made;
  for (unsigned index : scope)
    if (llvm::is_contained(indices, index))
      made.push_back(index);
  for (unsigned index : indices)
    if (!llvm::is_contained(scope, index))
      made.push_back(index);
  return made;
}

Indices Expansion::join(const Indices &a, const Indices &b) const {
  auto hasAll = [](const Indices &all, const Indices &some) {
    return llvm::all_of(
        some, [&](unsigned index) { return llvm::is_contained(all, index); });
  };
  if (hasAll(a, b))
    return a;
  if (hasAll(b, a))
    return b;
  Indices both = a;
  for (unsigned index : b)
    if (!llvm::is_contained(a, index))
      both.push_back(index);
  return sorted(both);
}

Expansion::Term Expansion::spread(Term term, const Indices &indices) {
  if (term.indices == indices)
    return term;
  SmallVector<int64_t> perm, dims;
  for (auto [d, index] : llvm::enumerate(indices))
    if (auto found = llvm::find(term.indices, index);
        found != term.indices.end()) {
      perm.push_back(found - term.indices.begin());
      dims.push_back(int64_t(d));
    }
  Value value = b.transpose(term.value, perm);
  if (dims.size() != indices.size())
    value = fuse::BroadcastOp::create(
        b.builder, b.loc, fuse::getTensorType(value).clone(shapeOf(indices)),
        value, dims);
  return {value, indices};
}

//===- Statements and calls -----------------------------------------------===//

Value Expansion::inOrder(const Stored &tensor) {
  return b.transpose(tensor.value, tensor.dims);
}

const std::vector<Expansion::Stored> &Expansion::expandCall(const Expr &expr) {
  auto [known, isNew] = calls.try_emplace(&expr);
  if (!isNew)
    return known->second;
  const fop::CallFact &call = at.callOf(expr);
  std::vector<Value> arguments;
  for (auto [i, indices] : llvm::enumerate(call.arguments)) {
    const Expr &given = *expr.operands[i];
    arguments.push_back(indices ? spread(expand(given), *indices).value
                                : inOrder(tensors.at(given.text)));
  }
  for (Value result : Expansion(b, *call.callee).run(arguments)) {
    const int64_t rank = fuse::getTensorType(result).getRank();
    calls[&expr].push_back(
        {result, llvm::to_vector<4>(llvm::seq<int64_t>(rank))});
  }
  return calls[&expr];
}

void Expansion::store(const fop::Statement &statement,
                      const fop::StatementFact &fact) {
  const Expr &value = *statement.value;
  if (!fact.target) {
    scope.clear();
    const std::vector<Stored> &results = expandCall(value);
    for (auto [name, result] : llvm::zip(statement.names, results))
      tensors[name] = result;
    return;
  }
  scope = *fact.target;
  const fop::TensorFact &type = at.tensors.at(statement.names[0]);
  Term term = at.get(value).number
                  ? constant(*at.get(value).number, type.element)
                  : expand(value);
  if (term.indices.size() != scope.size())
    term = spread(term, scope);
  Stored made{term.value, {}};
  for (unsigned index : *fact.target)
    made.dims.push_back(llvm::find(term.indices, index) - term.indices.begin());
  tensors[statement.names[0]] = made;
}

std::vector<Value> Expansion::run(ArrayRef<Value> inputs) {
  for (auto [tensor, value] : llvm::zip_equal(at.definition.inputs, inputs)) {
    const int64_t rank = fuse::getTensorType(value).getRank();
    tensors[tensor.name] = {value,
                            llvm::to_vector<4>(llvm::seq<int64_t>(rank))};
  }
  for (auto [statement, fact] :
       llvm::zip_equal(at.definition.body, at.statements))
    if (!fact.isNumber)
      store(statement, fact);
  std::vector<Value> outputs;
  for (const fop::Tensor &output : at.definition.outputs)
    outputs.push_back(inOrder(tensors.at(output.name)));
  return outputs;
}

//===- Expressions --------------------------------------------------------===//

Expansion::Term Expansion::expand(const Expr &expr) {
  switch (expr.kind) {
  case ExprKind::Number:
    break; // takes the type of what it meets
  case ExprKind::Name:
    return expandName(expr);
  case ExprKind::Unary:
    return expandUnary(expr);
  case ExprKind::Binary:
    return expandBinary(expr);
  case ExprKind::Call:
    return expandFunction(expr);
  case ExprKind::Reduce:
    return expandReduction(expr);
  case ExprKind::Subscript:
    return expandSubscript(expr);
  }
  llvm_unreachable("a number is expanded by what it meets");
}

Expansion::Term Expansion::iota(unsigned index) {
  auto type =
      RankedTensorType::get({at.indices[index].extent}, b.builder.getI64Type());
  return {b.iota(type, 0), {index}};
}

Expansion::Term Expansion::expandName(const Expr &expr) {
  const Fact &fact = at.get(expr);
  if (fact.isIndex)
    return iota(fact.indices[0]);
  const Stored &tensor = tensors.at(expr.text);
  Term term{tensor.value, Indices(tensor.dims.size(), 0)};
  for (auto [slot, dim] : llvm::enumerate(tensor.dims))
    term.indices[dim] = fact.indices[slot];
  return term;
}

Expansion::Term Expansion::operand(const Expr &expr, io::ElementType type) {
  const Fact &fact = at.get(expr);
  if (fact.number)
    return constant(*fact.number, type);
  Term term = expand(expr);
  term.value = b.cast(term.value, getType(type));
  return term;
}

template <typename Op> Expansion::Term Expansion::fold(Term a, Term c) {
  Indices both = join(a.indices, c.indices);
  a = spread(a, both);
  c = spread(c, both);
  return {b.binary<Op>(a.value, c.value), both};
}

Expansion::Term Expansion::compare(CmpPredicate predicate, Term a, Term c) {
  Indices both = join(a.indices, c.indices);
  a = spread(a, both);
  c = spread(c, both);
  return {b.compare(predicate, a.value, c.value), both};
}

/// The quotient that is rounded down: one less than the one that is rounded
/// towards zero where the remainders of both differ. What is computed on the
/// way is in the range of `a` for each `a`.
Expansion::Term Expansion::floorQuotient(Term a, Term c) {
  Term quotient = fold<fuse::DivOp>(a, c);
  Term isRoundedUp = compare(CmpPredicate::ne, fold<fuse::ModOp>(a, c),
                             fold<fuse::FmodOp>(a, c));
  return {
      b.select(isRoundedUp.value, b.sub(quotient.value, 1.0), quotient.value),
      quotient.indices};
}

Expansion::Term Expansion::expandUnary(const Expr &expr) {
  Term term = expand(*expr.operands[0]);
  if (expr.text == "-")
    term.value = b.unary<fuse::NegOp>(term.value);
  else if (expr.text == "not")
    term.value = b.unary<fuse::NotOp>(term.value);
  return term;
}

static std::optional<CmpPredicate> findPredicate(StringRef op) {
  return llvm::StringSwitch<std::optional<CmpPredicate>>(op)
      .Case("==", CmpPredicate::eq)
      .Case("!=", CmpPredicate::ne)
      .Case("<", CmpPredicate::lt)
      .Case("<=", CmpPredicate::le)
      .Case(">", CmpPredicate::gt)
      .Case(">=", CmpPredicate::ge)
      .Default(std::nullopt);
}

Expansion::Term Expansion::expandBinary(const Expr &expr) {
  const io::ElementType type = at.get(expr).common;
  Term lhs = operand(*expr.operands[0], type);
  Term rhs = operand(*expr.operands[1], type);
  StringRef op = expr.text;
  if (std::optional<CmpPredicate> predicate = findPredicate(op))
    return compare(*predicate, lhs, rhs);
  if (op == "+")
    return fold<fuse::AddOp>(lhs, rhs);
  if (op == "-")
    return fold<fuse::SubOp>(lhs, rhs);
  if (op == "*")
    return fold<fuse::MulOp>(lhs, rhs);
  if (op == "/")
    return fold<fuse::DivOp>(lhs, rhs);
  if (op == "//")
    return floorQuotient(lhs, rhs);
  if (op == "%")
    return fold<fuse::ModOp>(lhs, rhs);
  if (op == "^")
    return fold<fuse::PowOp>(lhs, rhs);
  return op == "and" ? fold<fuse::AndOp>(lhs, rhs) : fold<fuse::OrOp>(lhs, rhs);
}

Expansion::Term Expansion::expandSelect(const Expr &expr) {
  const io::ElementType type = at.get(expr).common;
  Term condition = expand(*expr.operands[0]);
  Term first = operand(*expr.operands[1], type);
  Term second = operand(*expr.operands[2], type);
  Indices all = join(join(condition.indices, first.indices), second.indices);
  condition = spread(condition, all);
  first = spread(first, all);
  second = spread(second, all);
  return {b.select(condition.value, first.value, second.value), all};
}

template <typename Op> static Value makeUnary(TensorBuilder &b, Value value) {
  return b.unary<Op>(value);
}

/// As norms have it.
static Value makeReciprocalRoot(TensorBuilder &b, Value value) {
  Value root = b.unary<fuse::SqrtOp>(value);
  return b.div(1.0, root);
}

using UnaryBuilder = Value (*)(TensorBuilder &, Value);

static UnaryBuilder findUnary(StringRef name) {
  return llvm::StringSwitch<UnaryBuilder>(name)
      .Case("abs", makeUnary<fuse::AbsOp>)
      .Case("acos", makeUnary<fuse::AcosOp>)
      .Case("acosh", makeUnary<fuse::AcoshOp>)
      .Case("asin", makeUnary<fuse::AsinOp>)
      .Case("asinh", makeUnary<fuse::AsinhOp>)
      .Case("atan", makeUnary<fuse::AtanOp>)
      .Case("atanh", makeUnary<fuse::AtanhOp>)
      .Case("ceil", makeUnary<fuse::CeilOp>)
      .Case("cos", makeUnary<fuse::CosOp>)
      .Case("cosh", makeUnary<fuse::CoshOp>)
      .Case("erf", makeUnary<fuse::ErfOp>)
      .Case("exp", makeUnary<fuse::ExpOp>)
      .Case("expm1", makeUnary<fuse::Expm1Op>)
      .Case("floor", makeUnary<fuse::FloorOp>)
      .Case("log", makeUnary<fuse::LogOp>)
      .Case("log1p", makeUnary<fuse::Log1pOp>)
      .Case("relu", makeUnary<fuse::ReluOp>)
      .Case("round", makeUnary<fuse::RoundOp>)
      .Case("rsqrt", makeReciprocalRoot)
      .Case("sigmoid", makeUnary<fuse::SigmoidOp>)
      .Case("sign", makeUnary<fuse::SignOp>)
      .Case("sin", makeUnary<fuse::SinOp>)
      .Case("sinh", makeUnary<fuse::SinhOp>)
      .Case("softplus", makeUnary<fuse::SoftplusOp>)
      .Case("sqrt", makeUnary<fuse::SqrtOp>)
      .Case("tan", makeUnary<fuse::TanOp>)
      .Case("tanh", makeUnary<fuse::TanhOp>)
      .Default(nullptr);
}

Expansion::Term Expansion::expandFunction(const Expr &expr) {
  const Fact &fact = at.get(expr);
  if (at.findType(expr.text))
    return operand(*expr.operands[0], fact.element);
  const fop::Function *function = fop::findFunction(expr.text);
  if (!function) {
    const Stored &result = expandCall(expr)[0];
    return {result.value, fact.indices};
  }
  if (function->kind == fop::FunctionKind::Index)
    return iota(fact.indices[0]);
  if (function->kind == fop::FunctionKind::Select)
    return expandSelect(expr);
  Term term = operand(*expr.operands[0], fact.common);
  if (UnaryBuilder build = findUnary(expr.text)) {
    term.value = build(b, term.value);
    return term;
  }
  for (const fop::ExprPtr &next : llvm::drop_begin(expr.operands)) {
    Term other = operand(*next, fact.common);
    term = expr.text == "max"    ? fold<fuse::MaximumOp>(term, other)
           : expr.text == "min"  ? fold<fuse::MinimumOp>(term, other)
           : expr.text == "fmod" ? fold<fuse::FmodOp>(term, other)
                                 : fold<fuse::PowOp>(term, other);
  }
  return term;
}

} // namespace fusec
