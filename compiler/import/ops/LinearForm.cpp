// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/ops/LinearForm.h"

#include "dialects/fuse/FuseOps.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace fusec {

/// Sums in sums: deeper ones are what is read.
static constexpr unsigned kMaxDepth = 16;

/// Whether two values are equal: one, or computed alike from the same operands.
static bool areEqual(Value a, Value b) {
  if (a == b)
    return true;
  auto first = dyn_cast<OpResult>(a), second = dyn_cast<OpResult>(b);
  return first && second &&
         first.getResultNumber() == second.getResultNumber() &&
         first.getOwner()->getNumRegions() == 0 &&
         OperationEquivalence::isEquivalentTo(
             first.getOwner(), second.getOwner(),
             OperationEquivalence::IgnoreLocations);
}

LinearForm &LinearForm::add(const LinearForm &other, int64_t factor) {
  // Wraps as the program does.
  number = int64_t(uint64_t(number) + uint64_t(other.number) * factor);
  for (const Term &term : other.terms) {
    Term *same = llvm::find_if(terms, [&](const Term &own) {
      return own.element == term.element && areEqual(own.value, term.value);
    });
    if (same == terms.end())
      same = &terms.emplace_back(Term{term.value, term.element, 0});
    same->factor = int64_t(uint64_t(same->factor) + term.factor * factor);
    if (same->factor == 0)
      terms.erase(same);
  }
  return *this;
}

static LinearForm formOf(Value value, int64_t element, unsigned depth);

/// The element of an operand that `map` reads for element `element` of a
/// primitive's one result, if it always reads it at the same place.
static std::optional<int64_t> readElement(fuse::PrimitiveOpInterface op,
                                          unsigned operand, int64_t element) {
  AffineMap map = op.getOperandMap(operand);
  if (map.getNumSymbols() != 0)
    return std::nullopt;
  SmallVector<int64_t> point;
  for (int64_t extent :
       llvm::reverse(fuse::getTensorType(op->getResult(0)).getShape())) {
    point.push_back(element % extent);
    element /= extent;
  }
  std::reverse(point.begin(), point.end());
  ArrayRef<int64_t> shape =
      fuse::getTensorType(op->getOperand(operand)).getShape();
  int64_t offset = 0;
  for (auto [index, extent] : llvm::zip(map.compose(point), shape)) {
    if (index < 0 || index >= extent)
      return std::nullopt;
    offset = offset * extent + index;
  }
  return offset;
}

static std::optional<LinearForm> combine(Operation *op, int64_t element,
                                         unsigned depth) {
  auto operand = [&](unsigned i) {
    return formOf(op->getOperand(i), element, depth + 1);
  };
  if (isa<fuse::AddOp, fuse::SubOp>(op))
    return operand(0).add(operand(1), isa<fuse::AddOp>(op) ? 1 : -1);
  if (isa<fuse::NegOp>(op))
    return LinearForm().add(operand(0), -1);
  if (isa<fuse::MulOp>(op))
    for (unsigned i : {0u, 1u})
      if (std::optional<int64_t> factor = operand(i).getConstant())
        return LinearForm().add(operand(1 - i), *factor);
  // A wider type has the same numbers.
  if (auto cast = dyn_cast<fuse::CastOp>(op)) {
    auto from = dyn_cast<IntegerType>(
        fuse::getTensorType(cast.getOperand()).getElementType());
    auto to = cast.getType().getElementType();
    if (from && from.isSignless() && from.getWidth() > 1 &&
        from.getWidth() <= to.getIntOrFloatBitWidth())
      return operand(0);
  }
  return std::nullopt;
}

static LinearForm formOf(Value value, int64_t element, unsigned depth) {
  LinearForm itself;
  itself.terms.push_back({value, element, 1});
  Operation *op = value.getDefiningOp();
  auto type = fuse::getTensorType(value);
  if (!op || depth > kMaxDepth || !type.getElementType().isSignlessInteger())
    return itself;
  if (auto constant = dyn_cast<fuse::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
    LinearForm number;
    if (elements)
      number.number = elements.getValues<APInt>()[element].getSExtValue();
    return elements ? number : itself;
  }
  if (isa<fuse::ReshapeOp>(op))
    return formOf(op->getOperand(0), element, depth + 1);
  auto primitive = dyn_cast<fuse::PrimitiveOpInterface>(op);
  if (primitive && op->hasTrait<fuse::MovesElements>())
    for (unsigned i = 0, e = op->getNumOperands(); i < e; ++i)
      if (std::optional<int64_t> at = readElement(primitive, i, element))
        return formOf(op->getOperand(i), *at, depth + 1);
  return combine(op, element, depth).value_or(itself);
}

LinearForm getLinearForm(Value value, int64_t element) {
  return formOf(value, element, 0);
}

} // namespace fusec
