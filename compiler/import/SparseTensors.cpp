// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse constants, which become dense ones: a list of values, and for each its
// place, as one number or as one for each dimension.
#include "compiler/import/GraphImporter.h"

#include <cstring>

using namespace mlir;

namespace fusec {

/// What a sparse constant may have when it is dense: a few bytes of a model's
/// file may name any shape.
static constexpr int64_t kMaxDenseBytes = int64_t(1) << 28;

/// Offsets of the values in the dense tensor, as the file has them: increasing.
static std::vector<int64_t> readOffsets(const HostTensor &indices,
                                        ArrayRef<int64_t> shape) {
  size_t perValue = indices.shape().size() == 2 ? shape.size() : 1;
  std::vector<int64_t> offsets;
  for (size_t at = 0; perValue && at < indices.ints.size(); at += perValue) {
    int64_t offset = 0;
    for (size_t i = 0; i < perValue; ++i) {
      int64_t extent =
          perValue == 1 ? ShapedType::getNumElements(shape) : shape[i];
      int64_t index = indices.ints[at + i];
      if (index < 0 || index >= extent)
        return {-1};
      offset = offset * extent + index;
    }
    offsets.push_back(offset);
  }
  return offsets;
}

TensorValue GraphImporter::readSparse(const onnx::SparseTensorProto &proto,
                                      llvm::StringRef name) {
  auto refuse = [&](ProblemKind kind, const llvm::Twine &reason,
                    const llvm::Twine &hint = "") {
    throw NodeError{kind,
                    ("the sparse constant '" + name + "' " + reason).str(),
                    hint.str()};
  };
  RankedTensorType given = typeOf(proto.values());
  SmallVector<int64_t> shape(proto.dims().begin(), proto.dims().end());
  if (llvm::any_of(shape, [](int64_t extent) { return extent < 0; }) ||
      given.getRank() != 1)
    refuse(ProblemKind::BadInput, "has the shape " + shapeText(shape) +
                                      " and values of shape " +
                                      shapeText(given.getShape()));
  RankedTensorType type = tensorType(shape, given.getElementType());
  std::optional<int64_t> bytes = tensorBytes(type);
  if (!bytes || *bytes > kMaxDenseBytes)
    refuse(ProblemKind::Unsupported,
           "has the shape " + shapeText(shape) +
               "; as a dense one it would take more than 256 MiB",
           "multiply by it outside of the model");
  int64_t count = given.getNumElements();
  RankedTensorType places = typeOf(proto.indices());
  SmallVector<int64_t> perDim{count, int64_t(shape.size())};
  if (!places.getElementType().isInteger(64) ||
      (places.getShape() != ArrayRef<int64_t>{count} &&
       places.getShape() != ArrayRef<int64_t>(perDim)))
    refuse(ProblemKind::BadInput, "has indices of type " + typeText(places) +
                                      " for " + llvm::Twine(count) +
                                      " values of rank " +
                                      llvm::Twine(shape.size()));
  HostTensor indices =
      HostTensor::fromBytes(places, attributeBytes(proto.indices()).bytes);
  std::vector<int64_t> offsets = readOffsets(indices, shape);
  if (llvm::is_contained(offsets, -1))
    refuse(ProblemKind::BadInput,
           "has an index outside of its shape " + shapeText(shape));
  TensorBytes elements = attributeBytes(proto.values());
  size_t size = storageBytes(given.getElementType());
  auto storage = std::make_shared<std::vector<char>>(*bytes);
  for (auto [number, offset] : llvm::enumerate(offsets))
    std::memcpy(storage->data() + offset * size,
                elements.bytes.data() + number * size, size);
  return ownConstant(name, type, {*storage, storage});
}

} // namespace fusec
