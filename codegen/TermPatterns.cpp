// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of several narrow numbers in one step.
#include "codegen/KernelEmitter.h"

#include <fmt/format.h>

using namespace mlir;

namespace fusec::codegen {

static bool isFloats(Type type) { return getElementTypeOrSelf(type).isF32(); }

/// What so many terms of such a type side by side are called.
static StringRef nameOf(unsigned terms, Type type) {
  return isFloats(type) ? "bf16_pairs" : terms == 2 ? "pairs" : "quads";
}

/// The fill of each term of `count`, side by side.
static Expr fillOf(TypedAttr fill, unsigned count) {
  const unsigned bits = 32 / count;
  APInt one(bits, 0), all(32, 0);
  if (auto integer = dyn_cast_if_present<IntegerAttr>(fill))
    one = integer.getValue().trunc(bits);
  else if (auto number = dyn_cast_if_present<FloatAttr>(fill))
    one = number.getValue().bitcastToAPInt().getHiBits(bits).lshr(bits).trunc(
        bits);
  for (unsigned term = 0; term < count; ++term)
    all.insertBits(one, term * bits);
  return integerLiteral(all);
}

static Expr printTerms(kernel::TermsOp op, KernelEmitter &emitter) {
  const unsigned count = op.getTerms().size();
  StringRef name = nameOf(count, op.getTerms().front().getType());
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
  return conditional(emitter.use(first.getMask()), terms,
                     fillOf(first.getFillAttr(), count));
}

/// `add_quad_tiles<32, 2>(&sums[0][0], 2, &x(i, 0), 512, &w(j, 0, 0, 0), ...)`
static LogicalResult printProducts(kernel::AddProductsOp op,
                                   KernelEmitter &emitter) {
  auto at = [&](Value memref, AffineMap map, ValueRange indices) {
    return address(memref, map, indices, emitter);
  };
  const std::string name =
      fmt::format("add_{}_tiles<{}, {}>", op.getTerms() == 2 ? "bf16" : "quad",
                  op.getRows(), op.getColumns());
  const Expr arguments[] = {
      at(op.getSums(), op.getSumsMap(), op.getSumsIndices()),
      Expr::number(op.getWidth()),
      at(op.getLhs(), op.getLhsMap(), op.getLhsIndices()),
      Expr::number(op.getRow()),
      at(op.getRhs(), op.getRhsMap(), op.getRhsIndices()),
      Expr::number(op.getColumn()),
      Expr::number(op.getStep()),
      Expr::number(op.getSteps())};
  emitter.out.line(call(name, arguments).text + ";");
  return success();
}

void addTermPatterns(PatternSet &patterns) {
  patterns.statement<kernel::AddProductsOp>(printProducts);
  patterns.expression<kernel::TermsOp>(printTerms);
  patterns.expression<kernel::DotOp>(
      [](kernel::DotOp op, KernelEmitter &emitter) {
        StringRef name = nameOf(op.getTerms(), op.getType());
        return call(isFloats(op.getType()) ? "dot_bf16" : ("dot_" + name).str(),
                    emitter.arguments(op.getOperands()));
      });
}

} // namespace fusec::codegen
