// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activations, softmax and what bounds values.
#include "compiler/export/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

/// The node of an operation of one operand.
template <typename Op> NodeHandle writeUnary(Op op, Writer &w, StringRef type) {
  return w.node(type, {w.name(op.getOperand())}, op->getResults());
}

LogicalResult writeSelu(fuse::SeluOp op, Writer &w) {
  writeUnary(op, w, "Selu")
      .real("alpha", op.getAlpha())
      .real("gamma", op.getGamma());
  return success();
}

LogicalResult writeHardSigmoid(fuse::HardSigmoidOp op, Writer &w) {
  writeUnary(op, w, "HardSigmoid")
      .real("alpha", op.getAlpha())
      .real("beta", op.getBeta());
  return success();
}

/// ONNX has it not for bf16.
LogicalResult writeShrink(fuse::ShrinkOp op, Writer &w) {
  if (elementOf(op.getResult()).isBF16())
    return failure();
  writeUnary(op, w, "Shrink")
      .real("lambd", op.getLambda())
      .real("bias", op.getBias());
  return success();
}

/// From operator set 24 on ONNX has it under a name.
LogicalResult writeSwish(fuse::SwishOp op, Writer &w) {
  constexpr int64_t kSince = 24;
  double alpha = op.getAlpha().convertToDouble();
  if (w.opset() >= kSince) {
    writeUnary(op, w, "Swish").real("alpha", alpha);
    return success();
  }
  std::string x = w.name(op.getOperand()), scaled = x;
  if (alpha != 1)
    scaled =
        w.step("Mul", {x, w.scalar(alpha, elementOf(op.getResult()))}).output();
  std::string gate = w.step("Sigmoid", {scaled}).output();
  w.node("Mul", {x, gate}, op->getResults());
  return success();
}

LogicalResult writeGelu(fuse::GeluOp op, Writer &w) {
  constexpr int64_t kSince = 20;
  if (w.opset() < kSince)
    return failure();
  NodeHandle node = writeUnary(op, w, "Gelu");
  if (op.getTanh())
    node.text("approximate", "tanh");
  return success();
}

/// ONNX has it for f32 only.
LogicalResult writeCelu(fuse::CeluOp op, Writer &w) {
  if (!elementOf(op.getResult()).isF32())
    return failure();
  writeUnary(op, w, "Celu").real("alpha", op.getAlpha());
  return success();
}

template <typename Op> void addAlpha(ExportRegistry &r, llvm::StringRef type) {
  r.add<Op>([type](Op op, Writer &w) {
    writeUnary(op, w, type).real("alpha", op.getAlpha());
    return success();
  });
}

template <typename Op> void addAxis(ExportRegistry &r, llvm::StringRef type) {
  r.add<Op>([type](Op op, Writer &w) {
    writeUnary(op, w, type).integer("axis", op.getAxis());
    return success();
  });
}

/// The slope repeats over the operand. ONNX Runtime has it for floats.
LogicalResult writePRelu(fuse::PReluOp op, Writer &w) {
  if (!isa<FloatType>(elementOf(op.getResult())))
    return failure();
  w.node("PRelu", {w.name(op.getOperand()), w.repeated(op.getSlope())},
         op->getResults());
  return success();
}

LogicalResult writeClip(fuse::ClipOp op, Writer &w) {
  w.node("Clip",
         {w.name(op.getOperand()), w.name(op.getLow()), w.name(op.getHigh())},
         op->getResults());
  return success();
}

} // namespace

void registerExportActivations(ExportRegistry &r) {
  r.addPlain<fuse::ReluOp>("Relu");
  r.addPlain<fuse::SigmoidOp>("Sigmoid");
  r.addPlain<fuse::HardSwishOp>("HardSwish");
  r.addPlain<fuse::MishOp>("Mish");
  r.addPlain<fuse::SoftplusOp>("Softplus");
  r.addPlain<fuse::SoftsignOp>("Softsign");
  r.addPlain<fuse::ReciprocalOp>("Reciprocal");
  addAlpha<fuse::LeakyReluOp>(r, "LeakyRelu");
  addAlpha<fuse::EluOp>(r, "Elu");
  addAlpha<fuse::ThresholdedReluOp>(r, "ThresholdedRelu");
  addAxis<fuse::SoftmaxOp>(r, "Softmax");
  addAxis<fuse::LogSoftmaxOp>(r, "LogSoftmax");
  addAxis<fuse::HardmaxOp>(r, "Hardmax");
  r.add<fuse::CeluOp>(writeCelu);
  r.add<fuse::SeluOp>(writeSelu);
  r.add<fuse::HardSigmoidOp>(writeHardSigmoid);
  r.add<fuse::ShrinkOp>(writeShrink);
  r.add<fuse::SwishOp>(writeSwish);
  r.add<fuse::GeluOp>(writeGelu);
  r.add<fuse::PReluOp>(writePRelu);
  r.add<fuse::ClipOp>(writeClip);
}

} // namespace fusec
