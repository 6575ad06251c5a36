// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operator computes the gradient of another one, and whether it fits.
#include "compiler/fop/Library.h"

#include "compiler/io/ElementValue.h"

#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fusec::fop {

std::vector<size_t> findFloats(const std::vector<Tensor> &tensors,
                               const Definition &op) {
  std::vector<size_t> all;
  for (auto [number, tensor] : llvm::enumerate(tensors)) {
    auto fixed = io::elementTypeFromName(tensor.type);
    const bool areFloats =
        fixed ? io::isFloat(*fixed)
              : llvm::all_of(op.typeSets,
                             [&, &tensor = tensor](const TypeSet &set) {
                               return set.name != tensor.type ||
                                      llvm::all_of(set.types, io::isFloat);
                             });
    if (areFloats)
      all.push_back(number);
  }
  return all;
}

/// "x, g", or "nothing"; of those numbers alone, if there are any.
static std::string listNames(const std::vector<Tensor> &tensors,
                             const std::vector<size_t> &which = {}) {
  std::vector<std::string> names;
  for (auto [number, tensor] : llvm::enumerate(tensors))
    if (which.empty() || llvm::is_contained(which, number))
      names.push_back(tensor.name);
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
}

/// Its kernels are made with the values that those of `op` have.
static void checkParams(const Definition &op, const Definition &gradient) {
  for (const Param &param : gradient.params) {
    auto same = llvm::find_if(op.params, [&](const Param &other) {
      return other.name == param.name;
    });
    if (same == op.params.end() || same->kind != param.kind ||
        same->value != param.value)
      refuse(op.gradientPlace,
             fmt::format("{} has the parameter '{}', which {} is to have, too, "
                         "of the same type and default",
                         gradient.name(), param.name, op.name()));
  }
}

void checkGradient(const Definition &op, const Library &library) {
  if (op.gradient.empty())
    return;
  const Definition *gradient = library.find(op.gradient, op);
  if (!gradient)
    refuse(op.gradientPlace, "the gradient of " + op.name() + " is to be '" +
                                 op.gradient +
                                 "', and there is no such operator");
  const std::vector<size_t> inputs = findFloats(op.inputs, op),
                            outputs = findFloats(op.outputs, op);
  if (inputs.empty() || outputs.empty())
    refuse(op.gradientPlace,
           fmt::format("{} has no gradient: its {} are no floats", op.name(),
                       inputs.empty() ? "inputs" : "outputs"));
  const size_t count = op.inputs.size();
  bool takesInputs = gradient->inputs.size() == count + outputs.size();
  for (size_t i = 0; takesInputs && i < count; ++i)
    takesInputs = gradient->inputs[i].name == op.inputs[i].name;
  if (!takesInputs)
    refuse(op.gradientPlace,
           fmt::format("{} takes {}; as the gradient of {} it is to take the "
                       "inputs of that, called so ({}), and behind them the "
                       "gradient of {}",
                       gradient->name(), listNames(gradient->inputs), op.name(),
                       listNames(op.inputs), listNames(op.outputs, outputs)));
  if (gradient->outputs.size() != inputs.size())
    refuse(op.gradientPlace,
           fmt::format("{} gives {}; as the gradient of {} it is to give the "
                       "gradient of {}",
                       gradient->name(), listNames(gradient->outputs),
                       op.name(), listNames(op.inputs, inputs)));
  checkParams(op, *gradient);
}

} // namespace fusec::fop
