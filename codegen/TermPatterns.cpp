// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of several narrow integers in one step.
#include "codegen/KernelEmitter.h"

using namespace mlir;

namespace fusec::codegen {

/// What pairs or quads of such elements are called.
static StringRef nameOf(unsigned terms) {
  return terms == 2 ? "pairs" : "quads";
}

/// The fill of each term of `count`, side by side.
static Expr fillOf(IntegerAttr fill, unsigned count) {
  const unsigned bits = 32 / count;
  APInt all(32, 0);
  for (unsigned term = 0; fill && term < count; ++term)
    all.insertBits(fill.getValue().trunc(bits), term * bits);
  return integerLiteral(all);
}

static Expr printTerms(kernel::TermsOp op, KernelEmitter &emitter) {
  const unsigned count = op.getTerms().size();
  StringRef name = nameOf(count);
  if (!op.lieSideBySide())
    return call(name, emitter.arguments(op.getOperands()));
  auto first = op.getTerms().front().getDefiningOp<kernel::LoadOp>();
  Expr at =
      address(first.getMemref(), first.getMap(), first.getIndices(), emitter);
  if (isa<VectorType>(op.getType()))
    return call((name + "<i32x16>").str(), at);
  Expr terms = call(name, at);
  if (!first.getMask())
    return terms;
  auto fill = dyn_cast_if_present<IntegerAttr>(first.getFillAttr());
  return conditional(emitter.use(first.getMask()), terms, fillOf(fill, count));
}

void addTermPatterns(PatternSet &patterns) {
  patterns.expression<kernel::TermsOp>(printTerms);
  patterns.expression<kernel::DotOp>(
      [](kernel::DotOp op, KernelEmitter &emitter) {
        return call(("dot_" + nameOf(op.getTerms())).str(),
                    emitter.arguments(op.getOperands()));
      });
}

} // namespace fusec::codegen
