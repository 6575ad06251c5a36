// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of the recurrent layers.
#include "dialects/fuse/FuseOps.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

namespace {
/// Compares shapes and reports the first that is wrong.
struct ShapeCheck {
  Operation *op;
  bool failed = false;

  void expect(Value value, StringRef what, ArrayRef<int64_t> shape) {
    if (failed || !value || getTensorType(value).getShape() == shape)
      return;
    failed = true;
    op->emitOpError() << "has " << what << " of shape ["
                      << getTensorType(value).getShape() << "], expected ["
                      << shape << "]";
  }
};
} // namespace

static bool isActivation(StringRef name) {
  static constexpr llvm::StringLiteral names[] = {
      "Relu",       "Tanh",       "Sigmoid",
      "Affine",     "LeakyRelu",  "ThresholdedRelu",
      "ScaledTanh", "Elu",        "Softsign",
      "Softplus",   "HardSigmoid"};
  return llvm::is_contained(names, name);
}

/// What the three layers have in common; `gates` and `activations` per
/// direction.
template <typename Op>
static LogicalResult verifyRecurrent(Op op, int64_t gates, size_t activations) {
  auto x = getTensorType(op.getInput()), r = getTensorType(op.getRecurrence());
  if (x.getRank() != 3 || r.getRank() != 3)
    return op.emitOpError("needs an input and a recurrence of rank 3");
  int64_t steps = x.getDimSize(0), batch = x.getDimSize(1);
  int64_t hidden = r.getDimSize(2);
  int64_t directions = op.getDirection() == Direction::bidirectional ? 2 : 1;
  ShapeCheck check{op};
  check.expect(op.getWeights(), "weights",
               {directions, gates * hidden, x.getDimSize(2)});
  check.expect(op.getRecurrence(), "a recurrence",
               {directions, gates * hidden, hidden});
  check.expect(op.getBias(), "a bias", {directions, 2 * gates * hidden});
  check.expect(op.getLengths(), "lengths", {batch});
  check.expect(op.getInitialH(), "an initial state",
               {directions, batch, hidden});
  check.expect(op.getResult(), "a result", {steps, directions, batch, hidden});
  check.expect(op.getLastH(), "a last state", {directions, batch, hidden});
  if constexpr (std::is_same_v<Op, LstmOp>) {
    check.expect(op.getInitialC(), "an initial cell",
                 {directions, batch, hidden});
    check.expect(op.getPeepholes(), "peepholes", {directions, 3 * hidden});
    check.expect(op.getLastC(), "a last cell", {directions, batch, hidden});
  }
  if (check.failed)
    return failure();
  if (op.getLengths() &&
      !isa<IntegerType>(getTensorType(op.getLengths()).getElementType()))
    return op.emitOpError("needs lengths that are integers");
  size_t count = directions * activations;
  if (op.getActivations().size() != count || op.getAlphas().size() != count ||
      op.getBetas().size() != count)
    return op.emitOpError()
           << "needs " << count << " activations, alphas and betas";
  for (auto name : op.getActivations().template getAsRange<StringAttr>())
    if (!isActivation(name.getValue()))
      return op.emitOpError() << "has the unknown activation " << name;
  return success();
}

LogicalResult RnnOp::verify() { return verifyRecurrent(*this, 1, 1); }
LogicalResult GruOp::verify() { return verifyRecurrent(*this, 3, 2); }

/// Scales, or zero points, of the codes that `matrix` has.
static LogicalResult verifyCodes(LstmOp op, Value matrix, Value scale,
                                 Value zero) {
  Type code = getTensorType(matrix).getElementType();
  const bool isCoded = code.isInteger(8) || code.isUnsignedInteger(8);
  if (!isCoded && !scale && !zero)
    return success();
  if (!isCoded || !scale || !zero ||
      getTensorType(zero).getElementType() != code ||
      !isa<FloatType>(getTensorType(scale).getElementType()))
    return op.emitOpError("needs codes of 8 bits with scales of floats and "
                          "zero points of their type");
  auto type = getTensorType(matrix);
  for (Value value : {scale, zero}) {
    ArrayRef<int64_t> shape = getTensorType(value).getShape();
    if (shape != ArrayRef{type.getDimSize(0), int64_t(1)} &&
        shape != type.getShape().take_front(2))
      return op.emitOpError()
             << "has a scale or zero point of shape [" << shape
             << "] for codes of shape [" << type.getShape() << "]";
  }
  return success();
}

LogicalResult LstmOp::verify() {
  if (failed(verifyRecurrent(*this, 4, 3)))
    return failure();
  if (bool(getWeightScale()) != bool(getRecurrenceScale()))
    return emitOpError("needs codes for both of its matrices, or for none");
  if (failed(
          verifyCodes(*this, getWeights(), getWeightScale(), getWeightZero())))
    return failure();
  return verifyCodes(*this, getRecurrence(), getRecurrenceScale(),
                     getRecurrenceZero());
}
