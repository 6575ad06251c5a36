// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/quantize/Weights.h"

#include "codegen/Names.h"
#include "passes/graph/ConstantData.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;

namespace fusec::quantize {

std::optional<std::vector<float>> readFloats(Value value) {
  auto type = fuse::getTensorType(value);
  std::optional<fuse::ConstantData> data = fuse::getConstantData(value);
  if (!data || !type.getElementType().isF32())
    return std::nullopt;
  fuse::ConstantData packed = fuse::packData(*data, type);
  std::vector<float> floats(type.getNumElements());
  if (!floats.empty())
    std::memcpy(floats.data(), packed.bytes.data(),
                floats.size() * sizeof(float));
  return floats;
}

Value replaceConstant(OpBuilder &builder, Value before, RankedTensorType type,
                      ArrayRef<char> bytes) {
  auto get = before.getDefiningOp<fuse::GetWeightOp>();
  Value made = fuse::createConstant(builder, before.getLoc(), type, bytes,
                                    get ? get.getWeight() : "constant");
  // Files of ONNX call it as the weight is.
  if (auto madeGet = made.getDefiningOp<fuse::GetWeightOp>())
    SymbolTable::lookupNearestSymbolFrom<fuse::WeightOp>(
        madeGet, madeGet.getWeightAttr())
        ->setLoc(before.getLoc());
  return made;
}

void dropUnusedConstants(ModuleOp module) {
  llvm::StringSet<> used;
  module.walk([&](Operation *op) {
    if (!isa<fuse::ConstantOp, fuse::GetWeightOp>(op))
      return;
    if (op->use_empty())
      op->erase();
    else if (auto get = dyn_cast<fuse::GetWeightOp>(op))
      used.insert(get.getWeight());
  });
  for (auto weight :
       llvm::make_early_inc_range(module.getOps<fuse::WeightOp>()))
    if (!used.contains(weight.getSymName()))
      weight.erase();
}

CodedWeights codeWeights(ArrayRef<float> values, ArrayRef<int64_t> shape,
                         std::optional<int64_t> channel,
                         ArrayRef<double> least) {
  constexpr float kMostCode = 127;
  const int64_t channels = channel ? shape[*channel] : 1;
  const int64_t inner =
      channel ? ShapedType::getNumElements(shape.drop_front(*channel + 1)) : 1;
  auto channelOf = [&](size_t index) {
    return channel ? (int64_t(index) / inner) % channels : 0;
  };
  CodedWeights coded;
  std::vector<float> largest(channels, 0);
  for (auto [index, value] : llvm::enumerate(values)) {
    float &own = largest[channelOf(index)];
    own = std::max(own, std::abs(value));
  }
  for (auto [index, most] : llvm::enumerate(largest)) {
    double scale = double(most) / kMostCode;
    if (!least.empty())
      scale = std::max(scale, least[index]);
    if (scale == 0)
      scale = 1;
    coded.scales.push_back(
        std::max(float(scale), std::numeric_limits<float>::min()));
  }
  coded.codes.reserve(values.size());
  for (auto [index, value] : llvm::enumerate(values))
    coded.codes.push_back(int8_t(
        std::clamp(std::nearbyint(value / coded.scales[channelOf(index)]),
                   -kMostCode, kMostCode)));
  return coded;
}

} // namespace fusec::quantize
