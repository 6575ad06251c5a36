// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operator of a library computes the gradient of another one.
#include "compiler/operators/Manifest.h"

#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

namespace fusec::operators {

bool Operand::isFloat() const {
  return !isQuantized && llvm::all_of(types, [](llvm::StringRef type) {
    return type.starts_with("f") || type.starts_with("bf");
  });
}

static size_t countFloats(const std::vector<Operand> &operands) {
  return llvm::count_if(
      operands, [](const Operand &operand) { return operand.isFloat(); });
}

/// "2 inputs (x, dy)".
static std::string describe(llvm::StringRef what,
                            const std::vector<Operand> &operands) {
  std::string names;
  for (const Operand &operand : operands)
    names += (names.empty() ? "" : ", ") + operand.name;
  return fmt::format("{} {}{} ({})", operands.size(), what.str(),
                     operands.size() == 1 ? "" : "s", names);
}

llvm::Error checkGradients(std::vector<Operator> &operators) {
  for (Operator &op : operators) {
    if (op.gradient.empty())
      continue;
    if (!llvm::StringRef(op.gradient).contains('.'))
      op.gradient = op.domain + "." + op.gradient;
    const Operator *gradient = nullptr; // of the highest version
    for (const Operator &other : operators)
      if (other.name() == op.gradient &&
          (!gradient || gradient->version < other.version))
        gradient = &other;
    if (!gradient)
      return llvm::createStringError(
          fmt::format("{}, whose gradient is to be {}, which is no operator of "
                      "the library",
                      op.name(), op.gradient));
    const size_t results = countFloats(op.inputs),
                 given = countFloats(op.outputs);
    if (!results || !given)
      return llvm::createStringError(
          fmt::format("{}, which has no gradient: its {} are no floats",
                      op.name(), results ? "outputs" : "inputs"));
    if (gradient->inputs.size() != op.inputs.size() + given)
      return llvm::createStringError(fmt::format(
          "{}, whose gradient {} has {}; it is to have {}: those of {}, and "
          "behind them the gradients of its outputs that are floats",
          op.name(), gradient->name(), describe("input", gradient->inputs),
          op.inputs.size() + given, op.name()));
    if (gradient->outputs.size() != results)
      return llvm::createStringError(fmt::format(
          "{}, whose gradient {} has {}; it is to have {}: the gradients of "
          "the inputs of {} that are floats",
          op.name(), gradient->name(), describe("output", gradient->outputs),
          results, op.name()));
  }
  return llvm::Error::success();
}

} // namespace fusec::operators
