// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LSTM, GRU and RNN, and the LSTM of com.microsoft.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Requantize.h"

using namespace mlir;

namespace fusec {
namespace {

/// An activation by ONNX's name, and the parameters that it takes.
struct ActivationRow {
  llvm::StringLiteral name;
  unsigned numParameters; ///< 1: alpha, 2: alpha and beta
  double alpha, beta;     ///< where the model gives none
};

constexpr ActivationRow kActivations[] = {
    {"Relu", 0, 0, 0},         {"Tanh", 0, 0, 0},
    {"Sigmoid", 0, 0, 0},      {"Softsign", 0, 0, 0},
    {"Softplus", 0, 0, 0},     {"Affine", 2, 1, 0},
    {"LeakyRelu", 1, 0.01, 0}, {"ThresholdedRelu", 1, 1, 0},
    {"ScaledTanh", 2, 1, 1},   {"HardSigmoid", 2, 0.2, 0.5},
    {"Elu", 1, 1, 0},
};

/// What the three layers have in common: sizes, operands and attributes, with
/// the batch as dimension 1.
class RecurrentConverter {
public:
  /// Matrices of `isCoded` are integers of 8 bits, [D, K, G H].
  RecurrentConverter(Node &node, int64_t gates,
                     ArrayRef<llvm::StringLiteral> defaults,
                     bool isCoded = false)
      : node(node), gates(gates), defaults(defaults), isCoded(isCoded) {}

  /// Reads everything but what the layer has of its own: operands from
  /// `numCommon` on.
  void read();
  Value operand(unsigned index, ArrayRef<int64_t> shape, llvm::StringRef what);
  /// A matrix [D, G H, K] as ONNX has it, or of codes.
  Value matrix(unsigned index, int64_t rows, llvm::StringRef what);
  /// Operand `index` of the codes of operand `codes`: one, or one for each
  /// column, of each direction.
  Value codeParameter(unsigned index, unsigned codes);
  /// An initial state, [D, B, H].
  Value state(unsigned index, llvm::StringRef what);
  /// Results: all steps, then last states.
  void setOutputs(Operation *op);
  SmallVector<Type> resultTypes(unsigned numStates);

  Node &node;
  int64_t gates;
  SmallVector<llvm::StringLiteral> defaults;
  bool isCoded;
  int64_t directions = 1, steps = 0, batch = 0, hidden = 0;
  bool batchFirst = false;
  Value input, weights, recurrence, bias, lengths;
  fuse::Direction direction = fuse::Direction::forward;
  SmallVector<Attribute> activations;
  SmallVector<double> alphas, betas;
  FloatAttr clip;

private:
  void readDirection();
  void readActivations();
  void readLengths();
};

void RecurrentConverter::readDirection() {
  std::string name = node.stringAttribute("direction", "forward");
  std::optional<fuse::Direction> known = fuse::symbolizeDirection(name);
  if (!known)
    node.invalid("has the direction '" + name +
                 "'; it must be forward, reverse or bidirectional");
  direction = *known;
  directions = direction == fuse::Direction::bidirectional ? 2 : 1;
}

void RecurrentConverter::readActivations() {
  std::vector<std::string> names = node.stringsAttribute("activations");
  std::vector<double> givenAlphas = node.floatsAttribute("activation_alpha");
  std::vector<double> givenBetas = node.floatsAttribute("activation_beta");
  if (names.empty())
    for (int64_t d = 0; d < directions; ++d)
      names.insert(names.end(), defaults.begin(), defaults.end());
  if (names.size() != directions * defaults.size())
    node.invalid("has " + llvm::Twine(names.size()) + " activations, needs " +
                 llvm::Twine(directions * defaults.size()));
  // Parameters are given for the activations that take any, in their order.
  auto next = [](std::vector<double> &given, double fallback) {
    if (given.empty())
      return fallback;
    double value = given.front();
    given.erase(given.begin());
    return value;
  };
  for (const std::string &name : names) {
    const auto *row = llvm::find_if(kActivations, [&](const auto &known) {
      return known.name.equals_insensitive(name);
    });
    if (row == std::end(kActivations))
      node.unsupported("the activation '" + name + "' is not supported");
    activations.push_back(node.builder.getStringAttr(row->name));
    alphas.push_back(row->numParameters > 0 ? next(givenAlphas, row->alpha)
                                            : 0);
    betas.push_back(row->numParameters > 1 ? next(givenBetas, row->beta) : 0);
  }
  if (node.hasAttribute("clip")) {
    double bound = node.floatAttribute("clip", 0);
    if (bound < 0)
      node.invalid("has the clip " + std::to_string(bound));
    if (bound > 0)
      clip = node.builder.getF64FloatAttr(bound);
  }
}

Value RecurrentConverter::operand(unsigned index, ArrayRef<int64_t> shape,
                                  llvm::StringRef what) {
  if (!node.hasInput(index))
    return {};
  node.requireSameElementType(0, index);
  if (node.shape(index) != shape)
    node.invalid("has " + what + " of shape " + shapeText(node.shape(index)) +
                 ", needs " + shapeText(shape));
  return node.input(index);
}

Value RecurrentConverter::matrix(unsigned index, int64_t rows,
                                 llvm::StringRef what) {
  if (!isCoded)
    return operand(index, {directions, gates * hidden, rows}, what);
  requireBytes(node, index);
  SmallVector<int64_t> shape = {directions, rows, gates * hidden};
  if (node.shape(index) != ArrayRef(shape))
    node.invalid("has " + what + " of shape " + shapeText(node.shape(index)) +
                 ", needs " + shapeText(shape));
  return node.transpose(node.input(index), {0, 2, 1});
}

Value RecurrentConverter::codeParameter(unsigned index, unsigned codes) {
  ArrayRef<int64_t> shape = node.shape(index);
  SmallVector<int64_t> columns = {directions, gates * hidden};
  if (shape != ArrayRef(directions) && shape != ArrayRef(columns))
    node.invalid("needs operand " + llvm::Twine(index) + " of shape " +
                 shapeText(directions) + " or " + shapeText(columns) +
                 ", has " + shapeText(shape));
  if (isa<FloatType>(node.elementType(index))) {
    node.requireSameElementType(0, index);
    node.requireScales(index, /*division=*/true);
  } else {
    node.requireSameElementType(codes, index);
  }
  if (shape.size() == 2)
    return node.input(index);
  return node.reshape(node.input(index), {directions, 1});
}

Value RecurrentConverter::state(unsigned index, llvm::StringRef what) {
  if (!batchFirst)
    return operand(index, {directions, batch, hidden}, what);
  Value value = operand(index, {batch, directions, hidden}, what);
  return value ? node.transpose(value, {1, 0, 2}) : value;
}

void RecurrentConverter::readLengths() {
  if (!node.hasInput(4))
    return;
  if (!isa<IntegerType>(node.elementType(4)) ||
      node.shape(4) != ArrayRef<int64_t>(batch))
    node.invalid("has sequence lengths of type " + typeText(node.type(4)) +
                 ", needs " + llvm::Twine(batch) + " integers");
  const HostTensor *known = node.constant(4);
  if (known && llvm::all_of(known->ints, [&](int64_t n) { return n == steps; }))
    return;
  lengths = node.input(4);
}

void RecurrentConverter::read() {
  node.requireFloat(0);
  readDirection();
  readActivations();
  batchFirst = node.opset() >= 14 && node.flag("layout");
  if (node.opset() < 7)
    node.ignoreAttributes({"output_sequence"}); // says which results are used
  if (node.rank(0) != 3 || node.rank(1) != 3 || node.rank(2) != 3)
    node.invalid("needs an input, weights and a recurrence of rank 3");
  steps = node.shape(0)[batchFirst];
  batch = node.shape(0)[!batchFirst];
  int64_t features = node.shape(0)[2];
  hidden = node.shape(2)[isCoded ? 1 : 2];
  if (int64_t given = node.intAttribute("hidden_size", hidden); given != hidden)
    node.invalid("has hidden_size " + llvm::Twine(given) +
                 " and a recurrence for " + llvm::Twine(hidden));
  input = node.input(0);
  if (batchFirst)
    input = node.transpose(input, {1, 0, 2});
  weights = matrix(1, features, "weights");
  recurrence = matrix(2, hidden, "a recurrence");
  bias = operand(3, {directions, 2 * gates * hidden}, "a bias");
  readLengths();
}

SmallVector<Type> RecurrentConverter::resultTypes(unsigned numStates) {
  Type element = node.elementType(0);
  SmallVector<Type> types = {
      tensorType({steps, directions, batch, hidden}, element)};
  types.append(numStates, tensorType({directions, batch, hidden}, element));
  return types;
}

void RecurrentConverter::setOutputs(Operation *op) {
  for (unsigned i = 0; i < std::min(node.numOutputs(), op->getNumResults());
       ++i) {
    Value result = op->getResult(i);
    if (batchFirst && node.wantsOutput(i))
      result = i == 0 ? node.transpose(result, {2, 0, 1, 3})
                      : node.transpose(result, {1, 0, 2});
    node.setOutput(i, result);
  }
}

void convertRnn(Node &node) {
  node.requireInputs(3, 6);
  RecurrentConverter layer(node, 1, {"Tanh"});
  layer.read();
  Value h = layer.state(5, "an initial state");
  layer.setOutputs(fuse::RnnOp::create(
      node.builder, node.loc, layer.resultTypes(1), layer.input, layer.weights,
      layer.recurrence, layer.bias, layer.lengths, h, layer.direction,
      node.builder.getArrayAttr(layer.activations), layer.alphas, layer.betas,
      layer.clip));
}

void convertGru(Node &node) {
  node.requireInputs(3, 6);
  RecurrentConverter layer(node, 3, {"Sigmoid", "Tanh"});
  layer.read();
  Value h = layer.state(5, "an initial state");
  bool resetAfter = node.opset() >= 3 && node.flag("linear_before_reset");
  layer.setOutputs(fuse::GruOp::create(
      node.builder, node.loc, layer.resultTypes(1), layer.input, layer.weights,
      layer.recurrence, layer.bias, layer.lengths, h, layer.direction,
      node.builder.getArrayAttr(layer.activations), layer.alphas, layer.betas,
      layer.clip, resetAfter));
}

/// Scales and zero points of both matrices, from operand 8 on: null where they
/// are no codes.
struct CodeParameters {
  Value weightScale, weightZero, recurrenceScale, recurrenceZero;
};

void buildLstm(RecurrentConverter &layer, const CodeParameters &codes) {
  Node &node = layer.node;
  Value h = layer.state(5, "an initial state");
  Value c = layer.state(6, "an initial cell");
  Value peepholes =
      layer.operand(7, {layer.directions, 3 * layer.hidden}, "peepholes");
  bool coupled = node.flag("input_forget");
  layer.setOutputs(fuse::LstmOp::create(
      node.builder, node.loc, layer.resultTypes(2), layer.input, layer.weights,
      layer.recurrence, layer.bias, layer.lengths, h, c, peepholes,
      codes.weightScale, codes.weightZero, codes.recurrenceScale,
      codes.recurrenceZero, layer.direction,
      node.builder.getArrayAttr(layer.activations), layer.alphas, layer.betas,
      layer.clip, coupled));
}

void convertLstm(Node &node) {
  node.requireInputs(3, 8);
  RecurrentConverter layer(node, 4, {"Sigmoid", "Tanh", "Tanh"});
  layer.read();
  buildLstm(layer, {});
}

/// An LSTM whose matrices are codes, and whose input and state become codes.
void convertDynamicLstm(Node &node) {
  node.requireInputs(3, 12);
  if (!node.elementType(0).isF32())
    node.invalid("needs an input of f32, has " + typeText(node.type(0)));
  RecurrentConverter layer(node, 4, {"Sigmoid", "Tanh", "Tanh"},
                           /*isCoded=*/true);
  layer.read();
  node.requireSameElementType(1, 2);
  CodeParameters codes;
  codes.weightScale = layer.codeParameter(8, 1);
  codes.weightZero = layer.codeParameter(9, 1);
  codes.recurrenceScale = layer.codeParameter(10, 2);
  codes.recurrenceZero = layer.codeParameter(11, 2);
  buildLstm(layer, codes);
}

} // namespace

void registerRecurrent(Registry &r) {
  r.add("RNN", 1, convertRnn);
  r.add("GRU", 1, convertGru);
  r.add("LSTM", 1, convertLstm);
  r.addTo(kMicrosoft, "DynamicQuantizeLSTM", 1, convertDynamicLstm);
}

} // namespace fusec
