// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/padding/Proof.h"

#include "dialects/AffineRanges.h"
#include "dialects/fuse/Growing.h"

using namespace mlir;

namespace fusec::padding {

Proof::Proof(func::FuncOp main, ArrayRef<Symbol> symbols,
             ArrayRef<Sibling> probes)
    : main(main), end(main.getBody().front().getTerminator()), symbols(symbols),
      probes(probes), constants(symbols), constantOps(findConstants(main)) {}

const int64_t *Proof::Iterations::find(unsigned iterator,
                                       unsigned symbol) const {
  for (const auto &[known, inner] : has[iterator])
    if (known == symbol)
      return &inner;
  return nullptr;
}

/// False if the symbol lies there in another way.
bool Proof::Iterations::add(unsigned iterator, unsigned symbol, int64_t inner) {
  if (const int64_t *known = find(iterator, symbol))
    return *known == inner;
  has[iterator].push_back({symbol, inner});
  return true;
}

void Proof::refuse(Operation *op, const Twine &reason) {
  mixing.push_back({op, reason.str()});
}

std::string Proof::describe(unsigned symbol, const char *what) const {
  return std::string(what) + " '" + symbols[symbol].name + "'";
}

//===- What grows with a symbol -------------------------------------------===//

/// The dimensions that have the extent of a symbol, by what the value is in the
/// probes; nothing where one grows in another way.
std::optional<SmallVector<Coordinate>>
Proof::findWhole(Value value, ArrayRef<Value> probed,
                 ArrayRef<int64_t> free) const {
  SmallVector<Coordinate> found;
  ArrayRef<int64_t> shape = shapeOf(value);
  for (auto [symbol, other] : llvm::enumerate(probed)) {
    ArrayRef<int64_t> less = shapeOf(other);
    if (less.size() != shape.size())
      return std::nullopt;
    const int64_t extent = symbols[symbol].extent;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (less[axis] == shape[axis] || llvm::is_contained(free, axis))
        continue;
      if (shape[axis] != extent || less[axis] != extent - 1)
        return std::nullopt;
      found.push_back(
          makeCoordinate(symbol, extent, {int64_t(axis), 1}, shape));
    }
  }
  return found;
}

void Proof::describeInputs(ArrayRef<std::optional<double>> fills) {
  for (BlockArgument input : main.getArguments()) {
    SmallVector<Value> probed;
    for (Sibling probe : probes)
      probed.push_back(probe.main.getArgument(input.getArgNumber()));
    Facts &known = facts[input];
    auto whole = findWhole(input, probed);
    if (!whole) {
      refuse(end, "has an extent of the input " +
                      std::to_string(input.getArgNumber()) +
                      " that is not the dimension's own");
      continue;
    }
    std::optional<double> fill = fills[input.getArgNumber()];
    Type element = cast<RankedTensorType>(input.getType()).getElementType();
    for (const Coordinate &coordinate : *whole)
      known.add(coordinate,
                fill ? Scalar::of(element, *fill) : Scalar{Scalar::Dropped});
    applyMasks(input, known);
  }
}

/// What is known of an operand; null, once that is said, where a constant grows
/// in a way of its own.
const Facts *Proof::factsOf(Operation *op, unsigned operand,
                            ArrayRef<Counterpart> probed) {
  Value value = op->getOperand(operand);
  if (!value.getDefiningOp() || !constantOps.contains(value.getDefiningOp()))
    return &facts[value];
  auto [place, isNew] = constantFacts.try_emplace(&op->getOpOperand(operand));
  if (!isNew)
    return &place->second;
  SmallVector<Value> others;
  for (const Counterpart &other : probed)
    others.push_back(other.operands[operand]);
  if (auto whole = findWhole(value, others, constants.findFree(value))) {
    place->second = constants.describe(value, *whole);
    applyMasks(value, place->second);
    return &place->second;
  }
  refuse(op, "has a constant whose extents grow with the dimension in a way "
             "that is not known");
  return nullptr;
}

//===- Operations
//----------------------------------------------------------===//

void Proof::visitReshape(Operation *op) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  Facts &to = facts[result];
  to = facts[operand];
  for (const Coordinate &coordinate : to.coordinates)
    if (!findPlace(coordinate, shapeOf(result)))
      refuse(op, describe(coordinate.symbol, "cuts") + " into pieces");
}

void Proof::visitOpaque(Operation *op, ArrayRef<Counterpart> probed) {
  if (op->getNumRegions())
    return refuse(op, "decides what is run, which is not followed");
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    const Facts *from = factsOf(op, i, probed);
    if (!from)
      return;
    if (!from->coordinates.empty())
      return refuse(op, describe(from->coordinates.front().symbol, "takes") +
                            " in an operand, and has no index maps");
  }
}

/// The index that `map` has in a dimension, with the numbers of the operands
/// that its symbols are, where those are known.
static AffineExpr getIndex(fuse::PrimitiveOpInterface op, unsigned operand,
                           int64_t axis, ArrayRef<const Facts *> operands) {
  AffineExpr index = op.getOperandMap(operand).getResult(axis);
  SmallVector<AffineExpr> numbers;
  for (auto [symbol, from] : llvm::enumerate(op.getIndirect(operand))) {
    auto number = dyn_cast_or_null<IntegerAttr>(operands[from]->kept.value);
    numbers.push_back(
        number ? getAffineConstantExpr(number.getInt(), index.getContext())
               : getAffineSymbolExpr(symbol, index.getContext()));
  }
  return index.replaceSymbols(numbers);
}

/// Follows the coordinates of an operand to the iterators that read along them.
bool Proof::place(fuse::PrimitiveOpInterface op, unsigned operand,
                  ArrayRef<const Facts *> operands, Iterations &iterations) {
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(operand));
  SmallVector<IndexRange> ranges;
  for (int64_t extent : iterations.extents)
    ranges.push_back({0, extent - 1});
  for (const Coordinate &coordinate : operands[operand]->coordinates) {
    const Place at = *findPlace(coordinate, shape);
    const Symbol &symbol = symbols[coordinate.symbol];
    AffineExpr index = getIndex(op, operand, at.axis, operands);
    auto dim = dyn_cast<AffineDimExpr>(index);
    if (dim && iterations.extents[dim.getPosition()] == shape[at.axis]) {
      if (iterations.add(dim.getPosition(), coordinate.symbol, at.inner))
        continue;
    } else if (at.inner == 1 && shape[at.axis] == symbol.extent) {
      // Elements that are there at every extent.
      IndexRange range = rangeOf(index, ranges);
      if (range.low && range.high && *range.low >= 0 &&
          *range.high < symbol.least)
        continue;
    }
    refuse(op, describe(coordinate.symbol, "reads") +
                   (op.getIndirect(operand).empty()
                        ? " at other positions than its own"
                        : " at positions that data say"));
    return false;
  }
  return true;
}

/// Finds the iterators that grow with a symbol although no operand has it
/// there, such as those that a broadcast adds.
bool Proof::widen(fuse::PrimitiveOpInterface op, ArrayRef<Counterpart> probed,
                  Iterations &iterations) {
  for (auto [symbol, other] : llvm::enumerate(probed)) {
    SmallVector<int64_t> less(
        other.op
            ? cast<fuse::PrimitiveOpInterface>(other.op).getIterationExtents()
            : SmallVector<int64_t>(shapeOf(other.results.front())));
    const int64_t extent = symbols[symbol].extent;
    for (auto [number, all] : llvm::enumerate(iterations.extents)) {
      const bool has = iterations.find(number, symbol);
      if (number < less.size() &&
          less[number] == (has ? all / extent * (extent - 1) : all))
        continue;
      if (!has && iterations.has[number].empty() && all == extent &&
          number < less.size() && less[number] == extent - 1) {
        iterations.add(number, symbol, 1);
        continue;
      }
      refuse(op, describe(symbol, "has an extent that grows with") +
                     " in another way");
      return false;
    }
  }
  return true;
}

/// The results of the body: of elements that are kept, or, with an iterator, of
/// those that the coordinate there drops.
SmallVector<Scalar> Proof::evaluate(fuse::PrimitiveOpInterface op,
                                    ArrayRef<const Facts *> operands,
                                    int iterator, unsigned symbol,
                                    int64_t inner) const {
  SmallVector<Scalar> elements;
  for (auto [number, from] : llvm::enumerate(operands)) {
    ArrayRef<int64_t> shape = shapeOf(op->getOperand(number));
    AffineMap map = op.getOperandMap(number);
    if (op.getPadding(number)) { // it may be the fill as well
      elements.push_back({Scalar::Dropped});
      continue;
    }
    Scalar element = from->kept;
    unsigned numDropped = 0;
    for (auto [coordinate, tail] :
         llvm::zip_equal(from->coordinates, from->tails)) {
      const Place at = *findPlace(coordinate, shape);
      auto dim = dyn_cast<AffineDimExpr>(map.getResult(at.axis));
      if (!dim || int(dim.getPosition()) != iterator ||
          coordinate.symbol != symbol || at.inner != inner)
        continue;
      element = tail;
      ++numDropped;
    }
    // Both along one iterator: what lies there is no tail of either.
    elements.push_back(numDropped > 1 ? Scalar{Scalar::Dropped} : element);
  }
  return evaluateBody(op, elements);
}

/// Whatever is reduced along a coordinate must leave the accumulators as they
/// are.
void Proof::checkReductions(fuse::PrimitiveOpInterface op,
                            ArrayRef<const Facts *> operands,
                            const Iterations &iterations) {
  unsigned numReduced = 0;
  for (auto [number, kind] : llvm::enumerate(op.getIterators())) {
    if (kind != utils::IteratorType::reduction)
      continue;
    for (auto [symbol, inner] : iterations.has[number]) {
      // Of what two coordinates drop at once nothing is known.
      if (++numReduced > 1)
        return refuse(op, describe(symbol, "reduces over") +
                              " and another padded dimension at once");
      SmallVector<Scalar> results =
          evaluate(op, operands, number, symbol, inner);
      for (auto [result, scalar] : llvm::enumerate(results))
        if (scalar.kind != Scalar::Accumulator || scalar.number != result) {
          refuse(op, describe(symbol, "reduces over") +
                         ", along which what is padded counts");
          mixing.back().mask = findMask(op, operands, number, symbol);
          return;
        }
    }
  }
}

void Proof::visitPrimitive(fuse::PrimitiveOpInterface op,
                           ArrayRef<Counterpart> probed) {
  Iterations iterations{op.getIterationExtents(), {}};
  iterations.has.resize(iterations.extents.size());
  SmallVector<const Facts *> operands;
  bool isFine = true;
  // Facts of operands stay where they are: those of the results are added
  // behind.
  facts.reserve(facts.size() + op->getNumOperands() + op->getNumResults());
  constantFacts.reserve(constantFacts.size() + op->getNumOperands());
  for (unsigned i = 0; i < op->getNumOperands() && isFine; ++i) {
    operands.push_back(factsOf(op, i, probed));
    isFine = operands.back();
  }
  for (unsigned i = 0; i < op->getNumOperands() && isFine; ++i)
    isFine = place(op, i, operands, iterations);
  isFine = isFine && widen(op, probed, iterations);
  if (isFine) {
    for (auto [number, isRead] : llvm::enumerate(findReadIndices(op)))
      for (auto [symbol, inner] : iterations.has[number])
        if (isRead && (inner != 1 ||
                       iterations.extents[number] != symbols[symbol].extent)) {
          refuse(op, describe(symbol, "computes with the index of") +
                         " in a dimension that it shares");
          isFine = false;
        }
    if (isFine)
      checkReductions(op, operands, iterations);
  }
  SmallVector<Scalar> kept;
  const bool isPointwise = isFine && !op.hasReduction();
  if (isPointwise)
    kept = evaluate(op, operands, /*iterator=*/-1, 0, 0);
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    Facts to;
    to.kept = isPointwise ? kept[number] : Scalar();
    ArrayRef<int64_t> shape = shapeOf(result);
    for (auto [axis, expr] :
         llvm::enumerate(op.getResultMap(number).getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      for (auto [symbol, inner] : iterations.has[dim.getPosition()])
        to.add(makeCoordinate(symbol, symbols[symbol].extent,
                              {int64_t(axis), inner}, shape),
               isPointwise ? evaluate(op, operands, dim.getPosition(), symbol,
                                      inner)[number]
                           : Scalar{Scalar::Dropped});
    }
    facts[result] = std::move(to);
  }
  known[op] = std::move(iterations);
}

void Proof::visit(Operation *op, ArrayRef<Counterpart> probed) {
  if (auto primitive = dyn_cast<fuse::PrimitiveOpInterface>(op))
    return visitPrimitive(primitive, probed);
  if (isa<fuse::ReshapeOp>(op))
    return visitReshape(op);
  if (op->hasAttr(fuse::kGrownAttr))
    return visitGrown(op);
  visitOpaque(op, probed);
}

std::vector<Mixing> Proof::analyse(ArrayRef<std::optional<double>> fills,
                                   ArrayRef<Mask> masks) {
  masked.clear();
  for (const Mask &mask : masks)
    masked[mask.value] = mask.number;
  facts.clear();
  constantFacts.clear();
  known.clear();
  mixing.clear();
  describeInputs(fills);
  std::vector<Pairing> pairings;
  for (const Sibling &probe : probes)
    pairings.emplace_back(main, probe.main);
  for (Operation &op : main.getBody().front().without_terminator()) {
    if (constantOps.contains(&op))
      continue;
    SmallVector<Counterpart> probed;
    for (auto [number, pairing] : llvm::enumerate(pairings)) {
      std::optional<Counterpart> other = pairing.next(&op);
      if (!other) {
        refuse(&op, describe(number, "is not there at another extent of"));
        return mixing;
      }
      probed.push_back(std::move(*other));
    }
    visit(&op, probed);
    for (Value result : op.getResults())
      applyMasks(result, facts[result]);
  }
  for (Value output : end->getOperands())
    facts.try_emplace(output); // of a constant
  return mixing;
}

//===- The same model for other extents
//------------------------------------===//

/// What differs in an operation at `extents`; empty: nothing.
std::string Proof::compare(Operation *op, const Counterpart &other,
                           ArrayRef<int64_t> extents) {
  for (auto [mine, theirs] : llvm::zip_equal(op->getResults(), other.results))
    if (ArrayRef<int64_t>(getKeptShape(shapeOf(mine), facts[mine].coordinates,
                                       extents)) != shapeOf(theirs))
      return "has another shape";
  if (!other.op)
    return "";
  if (op->getAttrDictionary() != other.op->getAttrDictionary())
    return "is another one";
  if (auto primitive = dyn_cast<fuse::PrimitiveOpInterface>(op)) {
    auto with = cast<fuse::PrimitiveOpInterface>(other.op);
    const Iterations &iterations = known.at(op);
    SmallVector<int64_t> kept(iterations.extents);
    for (auto [extent, has] : llvm::zip_equal(kept, iterations.has))
      for (auto [symbol, inner] : has)
        extent = extent / symbols[symbol].extent * extents[symbol];
    if (kept != with.getIterationExtents() || !accessAlike(primitive, with))
      return "reads other elements";
  }
  for (OpOperand &operand : op->getOpOperands()) {
    auto constant = constantFacts.find(&operand);
    Value theirs = other.operands[operand.getOperandNumber()];
    if (constant != constantFacts.end() &&
        !constants.agree(operand.get(), constant->second, theirs, extents))
      return "has another constant";
  }
  return "";
}

std::optional<Mixing> Proof::check(const Sibling &sibling) {
  Pairing pairing(main, sibling.main);
  std::string at;
  for (auto [symbol, extent] : llvm::zip_equal(symbols, sibling.extents))
    at += " " + symbol.name + "=" + std::to_string(extent);
  for (Operation &op : main.getBody().front().without_terminator()) {
    if (constantOps.contains(&op))
      continue;
    std::optional<Counterpart> other = pairing.next(&op);
    std::string differs =
        other ? compare(&op, *other, sibling.extents) : "is not there";
    if (!differs.empty())
      return Mixing{&op, differs + " at" + at};
  }
  func::FuncOp other = sibling.main;
  auto outputs = other.getBody().front().getTerminator()->getOperands();
  for (auto [mine, theirs] : llvm::zip_equal(end->getOperands(), outputs)) {
    const bool isConstant =
        mine.getDefiningOp() && constantOps.contains(mine.getDefiningOp());
    if (isConstant
            ? !constants.agree(mine, facts[mine], theirs, sibling.extents)
            : pairing.lookup(mine) != theirs)
      return Mixing{end, "returns other values at" + at};
  }
  return std::nullopt;
}

} // namespace fusec::padding
