// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values whose elements behind what is kept are, or could be, masked: caches
// that grow are padded by rows that nobody wrote.
#include "passes/padding/Proof.h"

#include <limits>

using namespace mlir;

namespace fusec::padding {

/// The buffer of a cache that grows, with the rows that a run adds: what is
/// behind them is not there.
void Proof::visitGrown(Operation *op) {
  const Facts &buffer = facts[op->getOperand(0)];
  for (Value operand : llvm::drop_begin(op->getOperands()))
    if (auto known = facts.find(operand);
        known != facts.end() && !known->second.coordinates.empty())
      return refuse(op, describe(known->second.coordinates.front().symbol,
                                 "appends rows whose number or shape grows "
                                 "with"));
  Facts to;
  for (const Coordinate &coordinate : buffer.coordinates)
    to.add(coordinate, {Scalar::Dropped});
  facts[op->getResult(0)] = std::move(to);
}

void Proof::applyMasks(Value value, Facts &to) const {
  if (auto mask = masked.find(value); mask != masked.end())
    for (Scalar &tail : to.tails)
      tail =
          Scalar::of(cast<RankedTensorType>(value.getType()).getElementType(),
                     mask->second);
}

/// A number behind what is kept of an operand that a reduction along an
/// iterator, all of which a symbol has, does not see. An operand that grows
/// along two dimensions has more behind it than one mask is for.
std::optional<Mask> Proof::findMask(fuse::PrimitiveOpInterface op,
                                    ArrayRef<const Facts *> operands,
                                    unsigned iterator, unsigned symbol) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (auto [number, from] : llvm::enumerate(operands)) {
    Value value = op->getOperand(number);
    Type element = cast<RankedTensorType>(value.getType()).getElementType();
    if (from->coordinates.size() != 1)
      continue;
    const Coordinate &coordinate = from->coordinates.front();
    const Place at = *findPlace(coordinate, shapeOf(value));
    auto dim =
        dyn_cast<AffineDimExpr>(op.getOperandMap(number).getResult(at.axis));
    if (coordinate.symbol != symbol || at.inner != 1 ||
        shapeOf(value)[at.axis] != symbols[symbol].extent || !dim ||
        dim.getPosition() != iterator)
      continue;
    for (double candidate : {0.0, -kInfinity, 1.0}) {
      if (candidate < 0 && !isa<FloatType>(element))
        continue;
      Facts other = *from;
      other.tails.front() = Scalar::of(element, candidate);
      SmallVector<const Facts *> changed(operands);
      changed[number] = &other;
      bool isNeutral = true;
      for (auto [result, scalar] : llvm::enumerate(
               evaluate(op, changed, int(iterator), symbol, at.inner)))
        isNeutral &=
            scalar.kind == Scalar::Accumulator && scalar.number == result;
      if (isNeutral)
        return Mask{value, candidate};
    }
  }
  return std::nullopt;
}

} // namespace fusec::padding
