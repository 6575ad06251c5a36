// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/CarriedStates.h"

#include "dialects/fuse/State.h"
#include "tools/fusec-ref/ModelIo.h"

using namespace mlir;

namespace fusec::tool {

CarriedStates::CarriedStates(func::FuncOp main) {
  for (auto [number, port] : llvm::enumerate(ref::getInputs(main))) {
    auto result = main.getArgAttrOfType<IntegerAttr>(number, fuse::kStateAttr);
    if (!result)
      continue;
    pairs.push_back({number, size_t(result.getInt())});
    values.push_back(
        io::Tensor::zeros(port.spec.type, port.spec.shape, port.name));
  }
}

std::vector<io::Tensor>
CarriedStates::join(llvm::ArrayRef<io::Tensor> inputs) const {
  std::vector<io::Tensor> all(inputs.begin(), inputs.end());
  // In their order, so that each finds its place.
  for (auto [pair, value] : llvm::zip_equal(pairs, values))
    all.insert(all.begin() + pair.argument, value);
  return all;
}

void CarriedStates::advance(std::vector<io::Tensor> &results) {
  std::vector<bool> isTaken(results.size());
  for (auto [pair, value] : llvm::zip_equal(pairs, values)) {
    value.bytes = std::move(results[pair.result].bytes);
    isTaken[pair.result] = true;
  }
  std::vector<io::Tensor> left;
  for (auto [number, result] : llvm::enumerate(results))
    if (!isTaken[number])
      left.push_back(std::move(result));
  results = std::move(left);
}

} // namespace fusec::tool
