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

HostTensor joinConstants(llvm::ArrayRef<const HostTensor *> parts, int64_t axis,
                         mlir::RankedTensorType type) {
  HostTensor result{type, {}, {}};
  if (type.getNumElements() == 0) // of which there may be 2^40 times nothing
    return result;
  int64_t outer =
      mlir::ShapedType::getNumElements(type.getShape().take_front(axis));
  auto append = [&](auto &to, const auto &from, int64_t index) {
    int64_t count = int64_t(from.size()) / outer;
    to.insert(to.end(), from.begin() + index * count,
              from.begin() + (index + 1) * count);
  };
  for (int64_t index = 0; index < outer; ++index)
    for (const HostTensor *part : parts) {
      append(result.ints, part->ints, index);
      append(result.floats, part->floats, index);
    }
  return result;
}

HostTensor pickPart(const HostTensor &tensor, int64_t axis, int64_t start,
                    int64_t size) {
  llvm::SmallVector<int64_t> shape(tensor.shape());
  int64_t inner = rowMajorStrides(tensor.shape())[axis];
  int64_t step = shape[axis] * inner;
  shape[axis] = size;
  auto type = tensorType(shape, tensor.type.getElementType());
  std::vector<int64_t> indices;
  for (int64_t base = 0; type.getNumElements() && base < tensor.size();
       base += step)
    for (int64_t at = start * inner; at < (start + size) * inner; ++at)
      indices.push_back(base + at);
  return tensor.pick(type, indices);
}

} // namespace fusec
