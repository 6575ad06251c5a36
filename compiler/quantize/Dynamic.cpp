// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products whose activations are quantised as the model runs.
#include "compiler/quantize/Apply.h"

#include "compiler/quantize/Weights.h"
#include "passes/graph/ConstantData.h"
#include "passes/graph/TensorBuilder.h"

using namespace mlir;

namespace fusec::quantize {

namespace {
/// An activation as codes of its own range.
struct DynamicCodes {
  Value codes, scale, zero;
};

class DynamicApplier {
public:
  DynamicApplier(ModuleOp module, const ApplyOptions &options)
      : options(options), builder(module.getContext()) {}
  void apply(const Product &product);

private:
  DynamicCodes code(Value value);
  Value constant(const Product &product, ArrayRef<int64_t> shape, Type element,
                 ArrayRef<char> bytes);

  const ApplyOptions &options;
  OpBuilder builder;
  llvm::DenseMap<Value, DynamicCodes> coded;
};
} // namespace

DynamicCodes DynamicApplier::code(Value value) {
  auto [known, isNew] = coded.try_emplace(value);
  if (!isNew)
    return known->second;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  Type u8 = builder.getIntegerType(8, /*isSigned=*/false);
  auto op = fuse::DynamicQuantizeOp::create(
      builder, value.getLoc(), fuse::getTensorType(value).clone(u8),
      RankedTensorType::get({}, builder.getF32Type()),
      RankedTensorType::get({}, u8), value);
  return known->second = {op.getResult(), op.getScale(), op.getZeroPoint()};
}

Value DynamicApplier::constant(const Product &product, ArrayRef<int64_t> shape,
                               Type element, ArrayRef<char> bytes) {
  return replaceConstant(builder, product.weight,
                         RankedTensorType::get(shape, element), bytes);
}

/// Codes of a matrix of `rows` rows with rows and columns exchanged.
static std::vector<int8_t> transpose(const std::vector<int8_t> &codes,
                                     int64_t rows) {
  const int64_t columns = int64_t(codes.size()) / rows;
  std::vector<int8_t> turned(codes.size());
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      turned[column * rows + row] = codes[row * columns + column];
  return turned;
}

void DynamicApplier::apply(const Product &product) {
  const bool byChannel = options.perChannel || product.isDepthwise;
  ArrayRef<int64_t> shape = fuse::getTensorType(product.weight).getShape();
  CodedWeights weights =
      codeWeights(*readFloats(product.weight), shape,
                  byChannel ? std::optional(product.channels) : std::nullopt);
  DynamicCodes input = code(product.input);
  builder.setInsertionPoint(product.op);
  fuse::TensorBuilder b(builder, product.op->getLoc());
  auto type = fuse::getTensorType(product.op->getResult(0));
  auto sums = type.clone(builder.getI32Type());
  Value sum;
  if (auto conv = dyn_cast<fuse::ConvOp>(product.op)) {
    // ConvInteger of ONNX Runtime takes filters of u8 alone.
    constexpr uint8_t kMiddle = 128;
    Type u8 = builder.getIntegerType(8, /*isSigned=*/false);
    std::vector<uint8_t> codes;
    for (int8_t code : weights.codes)
      codes.push_back(uint8_t(int(code) + kMiddle));
    sum = b.make<fuse::ConvIntegerOp>(
        sums, input.codes, constant(product, shape, u8, asBytes(codes)),
        input.zero, b.scalar(kMiddle, u8), conv.getStrides(),
        conv.getDilations(), conv.getPadLow(), conv.getPadHigh(),
        conv.getGroups());
  } else {
    auto gemm = dyn_cast<fuse::GemmOp>(product.op);
    const bool isTurned = gemm && gemm.getTransRhs();
    SmallVector<int64_t> own(shape);
    if (isTurned)
      std::swap(own[0], own[1]);
    Value codes = constant(
        product, own, builder.getI8Type(),
        asBytes(isTurned ? transpose(weights.codes, shape[0]) : weights.codes));
    Value lhs = gemm && gemm.getTransLhs() ? b.transpose(input.codes, {1, 0})
                                           : input.codes;
    sum = b.make<fuse::MatmulIntegerOp>(sums, lhs, codes, input.zero, Value());
  }
  // Along the channels of the result, [1] where all have one scale.
  SmallVector<int64_t> along(
      byChannel ? type.getRank() - product.resultChannels : 0, 1);
  if (byChannel)
    along[0] = product.countChannels();
  Value scale =
      constant(product, along, builder.getF32Type(), asBytes(weights.scales));
  scale = b.mul(b.broadcast(input.scale, along), scale);
  Value result = b.cast(sum, builder.getF32Type());
  result = b.mul(result, b.broadcast(scale, type.getShape()));
  if (product.op->getNumOperands() > 2) {
    Value bias = product.op->getOperand(2);
    auto gemm = dyn_cast<fuse::GemmOp>(product.op);
    if (gemm && gemm.getBeta().convertToDouble() != 1)
      bias = b.mul(bias, gemm.getBeta().convertToDouble());
    SmallVector<int64_t> dims;
    if (!gemm)
      dims.push_back(product.resultChannels);
    result = b.add(result, gemm ? b.broadcast(bias, type.getShape())
                                : b.broadcast(bias, type.getShape(), dims));
  }
  product.op->getResult(0).replaceAllUsesWith(result);
  product.op->erase();
}

void applyDynamically(ModuleOp module, const Plan &plan,
                      const ApplyOptions &options) {
  DynamicApplier applier(module, options);
  for (const Product &product : plan.products)
    applier.apply(product);
  dropUnusedConstants(module);
}

} // namespace fusec::quantize
