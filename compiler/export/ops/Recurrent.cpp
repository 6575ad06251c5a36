// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recurrent layers, whose operands lie as ONNX has them.
#include "compiler/export/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

/// How many parameters an activation takes: alpha, or alpha and beta.
unsigned countParameters(llvm::StringRef activation) {
  for (llvm::StringRef name : {"Affine", "ScaledTanh", "HardSigmoid"})
    if (activation == name)
      return 2;
  for (llvm::StringRef name : {"LeakyRelu", "ThresholdedRelu", "Elu"})
    if (activation == name)
      return 1;
  return 0;
}

template <typename Op>
NodeHandle writeLayer(Op op, Writer &w, llvm::StringRef type,
                      Writer::Names states) {
  Writer::Names operands{w.name(op.getInput()), w.name(op.getWeights()),
                         w.name(op.getRecurrence()), w.name(op.getBias()),
                         w.name(op.getLengths())};
  if (op.getLengths() && !elementOf(op.getLengths()).isInteger(32))
    operands.back() =
        w.cast(operands.back(), IntegerType::get(op.getContext(), 32));
  llvm::append_range(operands, states);
  std::vector<std::string> names;
  SmallVector<double> alphas, betas;
  for (auto [index, name] :
       llvm::enumerate(op.getActivations().template getAsRange<StringAttr>())) {
    names.push_back(name.str());
    unsigned count = countParameters(name);
    if (count > 0)
      alphas.push_back(op.getAlphas()[index]);
    if (count > 1)
      betas.push_back(op.getBetas()[index]);
  }
  NodeHandle node = w.node(type, operands, op->getResults());
  node.integer("hidden_size", shapeOf(op.getRecurrence())[2])
      .text("direction", stringifyDirection(op.getDirection()))
      .texts("activations", names);
  if (!alphas.empty())
    node.reals("activation_alpha", alphas);
  if (!betas.empty())
    node.reals("activation_beta", betas);
  if (op.getClip())
    node.real("clip", *op.getClip());
  return node;
}

LogicalResult writeRnn(fuse::RnnOp op, Writer &w) {
  writeLayer(op, w, "RNN", {w.name(op.getInitialH())});
  return success();
}

LogicalResult writeGru(fuse::GruOp op, Writer &w) {
  writeLayer(op, w, "GRU", {w.name(op.getInitialH())})
      .flag("linear_before_reset", op.getResetAfter());
  return success();
}

LogicalResult writeLstm(fuse::LstmOp op, Writer &w) {
  if (op.getWeightScale())
    return failure(); // ONNX has none of codes, but what it is made of.
  writeLayer(op, w, "LSTM",
             {w.name(op.getInitialH()), w.name(op.getInitialC()),
              w.name(op.getPeepholes())})
      .flag("input_forget", op.getCoupled());
  return success();
}

} // namespace

void registerExportRecurrent(ExportRegistry &r) {
  r.add<fuse::RnnOp>(writeRnn);
  r.add<fuse::GruOp>(writeGru);
  r.add<fuse::LstmOp>(writeLstm);
}

} // namespace fusec
