// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/compress/Compress.h"

#include "codegen/Names.h"
#include "compiler/compress/LowRank.h"
#include "compiler/quantize/Weights.h"
#include "passes/graph/ConstantData.h"
#include <cmath>

using namespace mlir;
using fusec::quantize::Product;

namespace fusec::compress {

static ArrayRef<int64_t> shapeOf(Value value) {
  return fuse::getTensorType(value).getShape();
}

int64_t getTermDim(const Product &product) {
  if (isa<fuse::ConvOp>(product.op))
    return 1;
  if (auto gemm = dyn_cast<fuse::GemmOp>(product.op);
      gemm && gemm.getTransLhs())
    return 0;
  return fuse::getTensorType(product.input).getRank() - 1;
}

bool mayBeLowRank(const Product &product) {
  auto conv = dyn_cast<fuse::ConvOp>(product.op);
  return !conv || (conv.getGroups() == 1 &&
                   llvm::all_of(shapeOf(product.weight).drop_front(2),
                                [](int64_t extent) { return extent == 1; }));
}

static MatrixView viewOf(const Product &product) {
  const int64_t elements = ShapedType::getNumElements(shapeOf(product.weight));
  const int64_t channels = product.countChannels();
  return {channels, elements / channels, product.channels == 1};
}

namespace {
class Compressor {
public:
  explicit Compressor(const CompressOptions &options) : options(options) {}
  WeightChange run(const Product &product, ArrayRef<double> scales);

private:
  bool tryLowRank(const Product &product, ArrayRef<double> scales,
                  WeightChange &change);
  void makeZeros(const Product &product, WeightChange &change);

  const CompressOptions &options;
  /// Weights with zeros, by those that they were made of, which several
  /// products may read. They have different views at most.
  llvm::DenseMap<std::pair<Value, int64_t>, std::pair<Value, PruneLoss>> pruned;
};
} // namespace

/// A constant of `shape` in front of the product, called as its weight.
static Value makeWeight(const Product &product, ArrayRef<int64_t> shape,
                        const std::vector<float> &values) {
  OpBuilder builder(product.op);
  return quantize::replaceConstant(
      builder, product.weight, fuse::getTensorType(product.weight).clone(shape),
      quantize::asBytes(values));
}

/// Puts two products in the place of one: by `left`, [terms, rank], without the
/// bias, and by `right`, [rank, channels].
static void replaceByTwo(const Product &product, const LowRank &factors,
                         const MatrixView &view) {
  Operation *op = product.op;
  OpBuilder builder(op);
  const int64_t rank = factors.rank;
  auto type = fuse::getTensorType(op->getResult(0));
  SmallVector<int64_t> between(type.getShape());
  between[product.resultChannels] = rank;
  // As they lie in the weights of operators whose channels come first.
  auto transpose = [](const std::vector<float> &values, int64_t rows) {
    std::vector<float> result(values.size());
    const int64_t columns = int64_t(values.size()) / rows;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        result[j * rows + i] = values[i * columns + j];
    return result;
  };
  const bool areChannelsFirst = product.channels == 0;
  SmallVector<int64_t> firstShape(shapeOf(product.weight)),
      secondShape(firstShape);
  firstShape[product.channels] = rank;
  secondShape[1 - product.channels] = rank;
  Value first = makeWeight(
      product, firstShape,
      areChannelsFirst ? transpose(factors.left, view.terms) : factors.left);
  Value second = makeWeight(product, secondShape,
                            areChannelsFirst ? transpose(factors.right, rank)
                                             : factors.right);
  auto loc = NameLoc::get(builder.getStringAttr(
      codegen::firstName(op->getLoc()).str() + "_low_rank"));
  Operation *inner = op->clone();
  if (inner->getNumOperands() > 2)
    inner->eraseOperand(2);
  inner->setLoc(loc);
  inner->setOperand(1, first);
  inner->getResult(0).setType(type.clone(between));
  builder.insert(inner);
  op->setOperand(0, inner->getResult(0));
  op->setOperand(1, second);
  if (auto gemm = dyn_cast<fuse::GemmOp>(op))
    gemm.setTransLhs(false);
  if (auto conv = dyn_cast<fuse::ConvOp>(op)) {
    const SmallVector<int64_t> ones(conv.getStrides().size(), 1),
        zeros(ones.size(), 0);
    conv.setStrides(ones);
    conv.setDilations(ones);
    conv.setPadLow(zeros);
    conv.setPadHigh(zeros);
  }
}

bool Compressor::tryLowRank(const Product &product, ArrayRef<double> scales,
                            WeightChange &change) {
  if (!mayBeLowRank(product)) {
    change.reason = "its window is more than a point";
    return false;
  }
  const MatrixView view = viewOf(product);
  std::vector<float> values = *quantize::readFloats(product.weight);
  std::vector<float> matrix(values.size());
  for (int64_t term = 0; term < view.terms; ++term)
    for (int64_t channel = 0; channel < view.channels; ++channel)
      matrix[term * view.channels + channel] =
          values[view.index(channel, term)];
  LowRank factors =
      factorise(matrix, view.terms, view.channels, scales, *options.rankError);
  for (auto [rank, error] : llvm::enumerate(factors.errors))
    change.curve.insert(
        change.curve.begin(),
        {double(rank * (view.terms + view.channels)) / double(values.size()),
         error});
  if (factors.rank == 0) {
    change.leastError = factors.error;
    change.reason = "no rank that saves enough holds the bound";
    return false;
  }
  replaceByTwo(product, factors, view);
  change.change = Change::LowRank;
  change.rank = factors.rank;
  change.error = factors.error;
  change.left = factors.rank * (view.terms + view.channels);
  return true;
}

void Compressor::makeZeros(const Product &product, WeightChange &change) {
  const MatrixView view = viewOf(product);
  if (!options.block.divides(view)) {
    change.reason = "blocks do not divide its " +
                    std::to_string(view.channels) + " channels of " +
                    std::to_string(view.terms) + " terms";
    return;
  }
  std::vector<float> values = *quantize::readFloats(product.weight);
  auto &[made, loss] = pruned[{product.weight, product.channels}];
  if (!made) {
    loss = prune(values, view, options.block, *options.sparsity);
    made = makeWeight(product, shapeOf(product.weight), values);
  }
  values = *quantize::readFloats(made);
  product.op->setOperand(1, made);
  change.change = Change::Pruned;
  change.error = loss.error;
  change.curve.clear();
  for (auto [step, error] : llvm::enumerate(loss.errors))
    change.curve.push_back(
        {1 - double(step) / double(loss.errors.size() - 1), error});
  change.left = llvm::count_if(values, [](float value) { return value != 0; });
  change.reason.clear();
}

WeightChange Compressor::run(const Product &product, ArrayRef<double> scales) {
  const MatrixView view = viewOf(product);
  WeightChange change;
  change.elements = change.left = view.channels * view.terms;
  change.multiplications = product.multiplications;
  if (view.terms < kLeastTerms || change.elements < kLeastElements)
    change.reason = "it has few elements";
  else if (!llvm::all_of(*quantize::readFloats(product.weight),
                         [](float value) { return std::isfinite(value); }))
    change.reason = "it has elements that are infinite or NaN";
  else if (!options.rankError || !tryLowRank(product, scales, change))
    if (options.sparsity)
      makeZeros(product, change);
  change.multiplicationsLeft =
      change.elements ? change.multiplications / change.elements * change.left
                      : 0;
  return change;
}

std::vector<WeightChange>
compressWeights(ModuleOp module, const quantize::Plan &plan,
                const CompressOptions &options,
                ArrayRef<std::vector<double>> scales) {
  Compressor compressor(options);
  std::vector<WeightChange> changes;
  for (auto [product, own] : llvm::zip_equal(plan.products, scales))
    changes.push_back(compressor.run(product, own));
  quantize::dropUnusedConstants(module);
  return changes;
}

} // namespace fusec::compress
