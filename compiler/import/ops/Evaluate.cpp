// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/ops/Evaluate.h"

namespace fusec {

std::vector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

std::vector<int64_t> broadcastIndices(llvm::ArrayRef<int64_t> from,
                                      llvm::ArrayRef<int64_t> to) {
  size_t skip = to.size() - from.size();
  std::vector<int64_t> strides = rowMajorStrides(from);
  std::vector<int64_t> indices = {0};
  for (size_t d = 0; d < to.size(); ++d) {
    int64_t stride = d < skip || from[d - skip] == 1 ? 0 : strides[d - skip];
    std::vector<int64_t> next;
    for (int64_t base : indices)
      for (int64_t i = 0; i < to[d]; ++i)
        next.push_back(base + i * stride);
    indices = std::move(next);
  }
  return indices;
}

HostTensor broadcastConstant(Node &node, unsigned index,
                             llvm::ArrayRef<int64_t> shape) {
  const HostTensor &tensor = *node.constant(index);
  return tensor.pick(tensorType(shape, tensor.type.getElementType()),
                     broadcastIndices(tensor.shape(), shape));
}

} // namespace fusec
