// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/PrecisionReport.h"

#include "compiler/import/Message.h"
#include "compiler/io/ElementValue.h"
#include "mlir/IR/IRMapping.h"
#include "tools/fusec-ref/ModelIo.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;

namespace fusec::tool {

PrecisionReport::PrecisionReport(ModuleOp module, const ExportedNodes &nodes) {
  IRMapping mapping;
  copy = cast<ModuleOp>(module->clone(mapping));
  for (const auto &[op, node] : nodes)
    names[mapping.lookup(op)] = node.name;
}

static NodeLoss measure(const io::Tensor &expected, const io::Tensor &actual) {
  NodeLoss loss;
  loss.type = io::getInfo(actual.type).name.str();
  std::vector<double> before = io::toDoubles(expected),
                      after = io::toDoubles(actual);
  double signal = 0, noise = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    if (!std::isfinite(before[i]))
      continue;
    if (!std::isfinite(after[i])) {
      ++loss.saturated;
      continue;
    }
    double error = after[i] - before[i];
    signal += before[i] * before[i];
    noise += error * error;
    loss.maxAbsError = std::max(loss.maxAbsError, std::abs(error));
  }
  loss.signalToNoise = noise == 0 ? INFINITY : 10 * std::log10(signal / noise);
  return loss;
}

/// The tensors in the types that the function takes.
static std::vector<io::Tensor> castInputs(ModuleOp module,
                                          llvm::ArrayRef<io::Tensor> inputs) {
  std::vector<io::Tensor> result(inputs.begin(), inputs.end());
  func::FuncOp function = *module.getOps<func::FuncOp>().begin();
  for (auto [tensor, type] : llvm::zip(result, function.getArgumentTypes()))
    if (io::ElementType wanted = ref::getElementType(type);
        wanted != tensor.type)
      tensor = io::fromDoubles(wanted, tensor.shape, io::toDoubles(tensor));
  return result;
}

llvm::Expected<std::vector<NodeLoss>>
PrecisionReport::compare(ModuleOp converted, const ExportedNodes &nodes,
                         llvm::ArrayRef<io::Tensor> inputs) {
  llvm::StringMap<ref::TensorPtr> expected;
  ref::Options options;
  options.observer = [&](const ref::Observation &seen) {
    if (auto name = names.find(seen.op); name != names.end())
      if (!seen.results.empty() && io::isFloat(seen.results[0]->type))
        expected[name->second] = seen.results[0];
  };
  auto before = ref::interpret(*copy, inputs, options);
  if (!before)
    return before.takeError();
  std::vector<NodeLoss> losses;
  options.observer = [&](const ref::Observation &seen) {
    auto node = nodes.find(seen.op);
    if (node == nodes.end())
      return;
    auto found = expected.find(node->second.name);
    if (found == expected.end())
      return;
    losses.push_back(measure(*found->second, *seen.results[0]));
    losses.back().node = node->second.name;
    losses.back().operation = node->second.operation;
    found->second.reset(); // its memory
  };
  auto after =
      ref::interpret(converted, castInputs(converted, inputs), options);
  if (!after)
    return after.takeError();
  return losses;
}

void printLosses(llvm::ArrayRef<NodeLoss> losses, llvm::raw_ostream &os) {
  size_t node = 4, operation = 8;
  for (const NodeLoss &loss : losses) {
    node = std::max(node, loss.node.size());
    operation = std::max(operation, loss.operation.size());
  }
  printTableHeader(os, fmt::format("{:<{}}  {:<{}}  type  max abs error  "
                                   "signal/noise  saturated",
                                   "node", node, "operator", operation));
  for (const NodeLoss &loss : losses)
    os << fmt::format("{:<{}}  {:<{}}  {:<4}  {:>13.3g}  {:>9.1f} dB  {:>9}\n",
                      loss.node, node, loss.operation, operation, loss.type,
                      loss.maxAbsError, loss.signalToNoise, loss.saturated);
}

} // namespace fusec::tool
