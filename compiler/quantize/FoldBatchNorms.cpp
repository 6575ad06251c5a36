// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batch norms behind convolutions are factors and terms of their channels.
#include "compiler/quantize/Plan.h"
#include "compiler/quantize/Weights.h"

#include <cmath>

using namespace mlir;

namespace fusec::quantize {

/// Folds one; false where it has operands that are no constants.
static bool fold(fuse::ConvOp conv, fuse::BatchNormOp norm) {
  auto filters = readFloats(conv.getWeight());
  auto scale = readFloats(norm.getScale()), shift = readFloats(norm.getBias()),
       mean = readFloats(norm.getMean()),
       variance = readFloats(norm.getVariance());
  std::optional<std::vector<float>> bias =
      conv.getBias() ? readFloats(conv.getBias())
                     : std::vector<float>(scale ? scale->size() : 0, 0.0f);
  if (!filters || !scale || !shift || !mean || !variance || !bias)
    return false;
  const size_t channels = scale->size();
  const size_t each = filters->size() / channels;
  for (size_t channel = 0; channel < channels; ++channel) {
    const double factor =
        (*scale)[channel] / std::sqrt(double((*variance)[channel]) +
                                      norm.getEpsilon().convertToDouble());
    for (size_t i = 0; i < each; ++i) {
      float &weight = (*filters)[channel * each + i];
      weight = float(weight * factor);
    }
    (*bias)[channel] =
        float((double((*bias)[channel]) - (*mean)[channel]) * factor +
              (*shift)[channel]);
  }
  OpBuilder builder(conv);
  auto biasType =
      RankedTensorType::get({int64_t(channels)}, builder.getF32Type());
  Value weight =
      replaceConstant(builder, conv.getWeight(),
                      fuse::getTensorType(conv.getWeight()), asBytes(*filters));
  Value newBias =
      replaceConstant(builder, conv.getBias() ? conv.getBias() : norm.getBias(),
                      biasType, asBytes(*bias));
  conv.getWeightMutable().assign(weight);
  conv.getBiasMutable().assign(newBias);
  norm.getResult().replaceAllUsesWith(conv.getResult());
  norm.erase();
  return true;
}

size_t foldBatchNorms(ModuleOp module) {
  size_t folded = 0;
  std::vector<fuse::BatchNormOp> norms;
  module.walk([&](fuse::BatchNormOp norm) { norms.push_back(norm); });
  for (fuse::BatchNormOp norm : norms) {
    auto conv = norm.getInput().getDefiningOp<fuse::ConvOp>();
    if (conv && conv.getResult().hasOneUse() &&
        conv->getBlock() == norm->getBlock())
      folded += fold(conv, norm);
  }
  dropUnusedConstants(module);
  return folded;
}

} // namespace fusec::quantize
