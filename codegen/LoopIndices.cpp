// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/LoopIndices.h"

using namespace mlir;

namespace fusec::codegen {

StringRef ownIndexName(kernel::ForOp loop) {
  StringRef name = firstName(loop.getIndex().getLoc());
  constexpr size_t kShort = 12;
  return name.size() > kShort || name == firstName(loop.getLoc()) ? StringRef()
                                                                  : name;
}

std::string indexName(kernel::ForOp loop) {
  unsigned depth = 0;
  for (auto outer = loop->getParentOfType<kernel::ForOp>(); outer;
       outer = outer->getParentOfType<kernel::ForOp>())
    ++depth;
  static constexpr llvm::StringLiteral letters = "ijklmnpqrst";
  return std::string(1, letters[depth % letters.size()]);
}

static IndexRange boundRange(AffineMap map, ValueRange operands, bool isLower,
                             KernelEmitter &emitter) {
  IndexRange range;
  emitter.affine(operands, map.getNumDims(), [&](const AffinePrinter &printer) {
    for (AffineExpr result : map.getResults()) {
      IndexRange next = printer.rangeOf(result);
      if (isLower && next.low)
        range.low = std::max(range.low.value_or(*next.low), *next.low);
      if (!isLower && next.high)
        range.high = std::min(range.high.value_or(*next.high), *next.high);
    }
    return Expr();
  });
  return range;
}

IndexRange indexRange(kernel::ForOp loop, KernelEmitter &emitter) {
  IndexRange low =
      boundRange(loop.getLowerMap(), loop.getLowerOperands(), true, emitter);
  IndexRange high =
      boundRange(loop.getUpperMap(), loop.getUpperOperands(), false, emitter);
  if (high.high)
    high.high = *high.high - 1;
  return {low.low, high.high};
}

Expr lowerBound(kernel::ForOp loop, KernelEmitter &emitter) {
  AffineMap map = loop.getLowerMap();
  return emitter.affine(
      loop.getLowerOperands(), map.getNumDims(),
      [&](const AffinePrinter &printer) { return printer.printMax(map); });
}

Expr upperBound(kernel::ForOp loop, KernelEmitter &emitter) {
  AffineMap map = loop.getUpperMap();
  return emitter.affine(
      loop.getUpperOperands(), map.getNumDims(),
      [&](const AffinePrinter &printer) { return printer.printMin(map); });
}

SmallVector<kernel::ForOp> collectNest(kernel::ForOp outer) {
  SmallVector<kernel::ForOp> nest = {outer};
  while (nest.back().getConstantTripCount()) {
    Block &body = nest.back().getBody().front();
    auto inner = dyn_cast<kernel::ForOp>(body.front());
    if (!inner || !llvm::hasNItems(body.without_terminator(), 1) ||
        inner.getMapping() != outer.getMapping() ||
        !inner.getConstantTripCount())
      break;
    nest.push_back(inner);
  }
  return nest;
}

int64_t countIterations(ArrayRef<kernel::ForOp> nest) {
  int64_t total = 1;
  for (kernel::ForOp loop : nest)
    total *= *loop.getConstantTripCount();
  return total;
}

void declareIndices(MutableArrayRef<kernel::ForOp> nest, StringRef iteration,
                    KernelEmitter &emitter) {
  int64_t inner = 1;
  for (kernel::ForOp loop : nest.drop_front())
    inner *= *loop.getConstantTripCount();
  for (size_t level = 0; level < nest.size(); ++level) {
    kernel::ForOp loop = nest[level];
    if (level)
      inner /= *loop.getConstantTripCount();
    if (loop.getConstantTripCount() == 1) {
      emitter.bind(loop.getIndex(), Expr::number(*loop.getConstantLower()));
      emitter.setRange(loop.getIndex(),
                       IndexRange::constant(*loop.getConstantLower()));
      continue;
    }
    if (loop.getIndex().use_empty())
      continue;
    Expr value = Expr::name(iteration.str());
    if (inner != 1)
      value =
          binary(value, "/", Expr::number(inner), Precedence::Multiplicative);
    if (level)
      value = binary(value, "%", Expr::number(*loop.getConstantTripCount()),
                     Precedence::Multiplicative);
    if (loop.getStep() != 1)
      value = binary(value, "*", Expr::number(loop.getStep()),
                     Precedence::Multiplicative);
    if (int64_t low = *loop.getConstantLower())
      value = binary(value, "+", Expr::number(low), Precedence::Additive);
    emitter.setRange(loop.getIndex(), indexRange(loop, emitter));
    std::string name =
        emitter
            .declareIndex(loop.getIndex(), ownIndexName(loop), indexName(loop))
            .text;
    emitter.out.line("const {} {} = {};", emitter.getIndexSyntax().type.str(),
                     name, value.text);
  }
}

} // namespace fusec::codegen
