// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choosing by a condition, and tests for what is no number.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"
#include "dialects/coded/CodedFloats.h"

#include <cmath>

using namespace mlir;
using fusec::fuse::CmpPredicate;

namespace fusec {
namespace {

void convertWhere(Node &node) {
  node.requireInputs(3, 3);
  node.requireSameElementType(1, 2);
  if (!node.elementType(0).isInteger(1))
    node.invalid("needs a boolean condition");
  auto shape =
      node.broadcastShape({node.shape(0), node.shape(1), node.shape(2)});
  Value condition = node.broadcast(node.input(0), shape);
  Value lhs = node.broadcast(node.input(1), shape);
  Value rhs = node.broadcast(node.input(2), shape);
  node.setOutput(0, node.select(condition, lhs, rhs));
}

/// The operand, whose codes are not computed with, as floats.
Value readFloats(Node &node) {
  node.requireInputs(1, 1);
  if (isCoded(node.elementType(0)))
    return node.cast(node.input(0), node.builder.getF32Type());
  node.requireFloat(0);
  return node.input(0);
}

void convertIsNaN(Node &node) {
  Value x = readFloats(node);
  node.setOutput(0, node.compare(CmpPredicate::ne, x, x));
}

void convertIsInf(Node &node) {
  Value x = readFloats(node);
  bool positive = node.flag("detect_positive", true);
  bool negative = node.flag("detect_negative", true);
  if (!positive && !negative)
    return node.setOutput(
        0, node.splat(0, tensorType(node.shape(0), node.builder.getI1Type())));
  if (positive && negative)
    x = node.unary<fuse::AbsOp>(x);
  double limit = positive ? INFINITY : -INFINITY;
  node.setOutput(0, node.compare(CmpPredicate::eq, x, limit));
}

} // namespace

void registerConditions(Registry &r) {
  r.add("Where", 9, convertWhere);
  r.add("IsNaN", 9, convertIsNaN).takesCodes = true;
  r.add("IsInf", 10, convertIsInf).takesCodes = true;
}

} // namespace fusec
