// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Optimisers of ai.onnx.preview.training: one step each, for any number of
// tensors, by the formulas of their ONNX definitions.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Formula.h"

using namespace mlir;

namespace fusec {
namespace {

/// The operands of one optimised tensor: X, its gradient G, and state.
struct Step {
  Term r, t; ///< learning rate and (as a float) update count, of rank 0
  Term x;
  SmallVector<Term> others;
};

/// The operands are R, T, all X, all G, then one list for each state.
unsigned countTensors(Node &node, unsigned states) {
  unsigned lists = states + 2;
  if (node.numInputs() < 2 + lists || (node.numInputs() - 2) % lists != 0)
    node.invalid("has " + llvm::Twine(node.numInputs()) +
                 " operands; it needs R, T and " + llvm::Twine(lists) +
                 " for each tensor");
  return (node.numInputs() - 2) / lists;
}

Value readScalar(Node &node, unsigned index, Type element) {
  Value value = node.scalarInput(index, "operand " + llvm::Twine(index));
  return node.cast(value, element);
}

Step readStep(Node &node, unsigned which, unsigned count, unsigned states) {
  auto at = [&](unsigned list) { return 2 + list * count + which; };
  node.requireFloat(at(0));
  RankedTensorType type = node.type(at(0));
  Type element = type.getElementType();
  Step step{Term(node, readScalar(node, 0, element)),
            Term(node, readScalar(node, 1, element)),
            Term(node, node.input(at(0))),
            {}};
  for (unsigned list = 1; list < states + 2; ++list) {
    if (node.type(at(list)) != type)
      node.invalid("has operand " + llvm::Twine(at(list)) + " of type " +
                   typeText(node.type(at(list))) + " for a tensor of type " +
                   typeText(type));
    step.others.push_back(Term(node, node.input(at(list))));
  }
  return step;
}

void convertAdagrad(Node &node) {
  double norm = node.floatAttribute("norm_coefficient", 0);
  double decay = node.floatAttribute("decay_factor", 0);
  double epsilon = node.floatAttribute("epsilon", 1e-6f);
  unsigned count = countTensors(node, 1);
  for (unsigned i = 0; i < count; ++i) {
    Step s = readStep(node, i, count, 1);
    Term r = s.r / (decay * s.t + 1);
    Term gradient = norm * s.x + s.others[0];
    Term squares = s.others[1] + gradient * gradient;
    Term x = s.x - r * gradient / (sqrt(squares) + epsilon);
    node.setOutput(i, x.get());
    node.setOutput(count + i, squares.get());
  }
}

void convertAdam(Node &node) {
  double alpha = node.floatAttribute("alpha", 0.9f);
  double beta = node.floatAttribute("beta", 0.999f);
  double epsilon = node.floatAttribute("epsilon", 1e-6f);
  double norm = node.floatAttribute("norm_coefficient", 0);
  double post = node.floatAttribute("norm_coefficient_post", 0);
  unsigned count = countTensors(node, 2);
  for (unsigned i = 0; i < count; ++i) {
    Step s = readStep(node, i, count, 2);
    Term gradient = norm * s.x + s.others[0];
    Term mean = alpha * s.others[1] + (1 - alpha) * gradient;
    Term squares = beta * s.others[2] + (1 - beta) * gradient * gradient;
    Term corrected = s.r * sqrt(1 - pow(beta, s.t)) / (1 - pow(alpha, s.t));
    Value isLater = s.t.compare(fuse::CmpPredicate::gt, 0);
    Term r = select(isLater, corrected, s.r);
    Term x = s.x - r * mean / (sqrt(squares) + epsilon);
    node.setOutput(i, ((1 - post) * x).get());
    node.setOutput(count + i, mean.get());
    node.setOutput(2 * count + i, squares.get());
  }
}

void convertMomentum(Node &node) {
  double alpha = node.floatAttribute("alpha", 0);
  double beta = node.floatAttribute("beta", 0);
  double norm = node.floatAttribute("norm_coefficient", 0);
  for (llvm::StringRef name : {"alpha", "beta", "norm_coefficient", "mode"})
    if (!node.hasAttribute(name))
      node.invalid("lacks the attribute '" + name + "'");
  std::string mode = node.stringAttribute("mode", "");
  if (mode != "nesterov" && mode != "standard")
    node.invalid("has the unknown mode '" + mode + "'");
  unsigned count = countTensors(node, 1);
  for (unsigned i = 0; i < count; ++i) {
    Step s = readStep(node, i, count, 1);
    Term gradient = norm * s.x + s.others[0];
    Value isLater = s.t.compare(fuse::CmpPredicate::gt, 0);
    Term factor = select(isLater, s.t.like(beta), s.t.like(1));
    Term momentum = alpha * s.others[1] + factor * gradient;
    Term direction =
        mode == "nesterov" ? gradient + alpha * momentum : momentum;
    node.setOutput(i, (s.x - s.r * direction).get());
    node.setOutput(count + i, momentum.get());
  }
}

} // namespace

void registerTraining(Registry &r) {
  constexpr llvm::StringLiteral kDomain = "ai.onnx.preview.training";
  r.addTo(kDomain, "Adagrad", 1, convertAdagrad);
  r.addTo(kDomain, "Adam", 1, convertAdam);
  r.addTo(kDomain, "Momentum", 1, convertMomentum);
}

} // namespace fusec
