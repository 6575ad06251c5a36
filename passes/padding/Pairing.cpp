// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/padding/Pairing.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace fusec::padding {

llvm::DenseSet<Operation *> findConstants(func::FuncOp main) {
  llvm::DenseSet<Operation *> constants;
  for (Operation &op : main.getBody().front())
    if (!op.hasTrait<OpTrait::IsTerminator>() && isPure(&op) &&
        llvm::all_of(op.getOperands(), [&](Value operand) {
          return operand.getDefiningOp() &&
                 constants.contains(operand.getDefiningOp());
        }))
      constants.insert(&op);
  return constants;
}

/// `map` where the iterators of which `isOne` says so are 0.
static AffineMap dropUnits(AffineMap map, ArrayRef<bool> isOne) {
  SmallVector<AffineExpr> dims;
  for (auto [number, one] : llvm::enumerate(isOne))
    dims.push_back(one ? getAffineConstantExpr(0, map.getContext())
                       : getAffineDimExpr(number, map.getContext()));
  SmallVector<AffineExpr> symbols;
  for (unsigned i = 0; i < map.getNumSymbols(); ++i)
    symbols.push_back(getAffineSymbolExpr(i, map.getContext()));
  return map.replaceDimsAndSymbols(dims, symbols, map.getNumDims(),
                                   map.getNumSymbols());
}

bool accessAlike(fuse::PrimitiveOpInterface a, fuse::PrimitiveOpInterface b) {
  if (a.getIterators() != b.getIterators() ||
      a->getNumOperands() != b->getNumOperands() ||
      a->getNumResults() != b->getNumResults())
    return false;
  SmallVector<bool> isOne;
  for (auto [one, other] :
       llvm::zip_equal(a.getIterationExtents(), b.getIterationExtents()))
    isOne.push_back(one == 1 || other == 1);
  for (unsigned i = 0; i < a->getNumOperands(); ++i)
    if (dropUnits(a.getOperandMap(i), isOne) !=
            dropUnits(b.getOperandMap(i), isOne) ||
        a.getIndirect(i) != b.getIndirect(i) ||
        a.getPadding(i) != b.getPadding(i))
      return false;
  for (unsigned i = 0; i < a->getNumResults(); ++i)
    if (dropUnits(a.getResultMap(i), isOne) !=
            dropUnits(b.getResultMap(i), isOne) ||
        a.getInit(i) != b.getInit(i))
      return false;
  return true;
}

Pairing::Pairing(func::FuncOp of, func::FuncOp with)
    : constants(findConstants(with)), place(with.getBody().front().begin()),
      end(with.getBody().front().end()) {
  for (auto [mine, other] : llvm::zip(of.getArguments(), with.getArguments()))
    values[mine] = other;
}

Operation *Pairing::skipConstants() {
  while (place != end && constants.contains(&*place))
    ++place;
  return place == end ? nullptr : &*place;
}

std::optional<Counterpart> Pairing::next(Operation *op) {
  Operation *other = skipConstants();
  auto corresponds = [&](Value mine, Value given) {
    Value expected = values.lookup(mine);
    return expected ? expected == given
                    : given.getDefiningOp() &&
                          constants.contains(given.getDefiningOp());
  };
  Counterpart result;
  if (other && other->getName() == op->getName() &&
      other->getNumOperands() == op->getNumOperands() &&
      other->getNumResults() == op->getNumResults() &&
      llvm::equal(op->getOperands(), other->getOperands(), corresponds)) {
    ++place;
    result.op = other;
    llvm::append_range(result.operands, other->getOperands());
    llvm::append_range(result.results, other->getResults());
  } else if (op->getNumOperands() == 1 && op->getNumResults() == 1 &&
             values.contains(op->getOperand(0)) &&
             (op->hasTrait<fuse::MovesElements>() ||
              isa<fuse::ReshapeOp>(op))) {
    result.operands = result.results = {values.lookup(op->getOperand(0))};
  } else {
    return std::nullopt;
  }
  for (auto [mine, theirs] : llvm::zip_equal(op->getResults(), result.results))
    values[mine] = theirs;
  return result;
}

} // namespace fusec::padding
