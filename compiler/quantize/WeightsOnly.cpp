// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of few bits, in the form of ONNX Runtime's MatMulNBits.
#include "compiler/quantize/Apply.h"

#include "compiler/quantize/Weights.h"
#include "passes/graph/ConstantData.h"
#include "passes/graph/TensorBuilder.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;

namespace fusec::quantize {

static constexpr llvm::StringLiteral kMatMulNBits = "com.microsoft.MatMulNBits";

/// Says what the module's calls of the operator are. They are written to a file
/// of ONNX, and nobody runs them here: the source is empty.
static void declare(ModuleOp module) {
  constexpr llvm::StringLiteral kNoSource = "none.cpp";
  if (module.lookupSymbol(kMatMulNBits))
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto integer = [&](llvm::StringRef name) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(0));
  };
  fuse::OperatorOp::create(
      builder, module.getLoc(), kMatMulNBits, /*sym_visibility=*/nullptr,
      /*version=*/uint64_t(1),
      builder.getStrArrayAttr({"A", "B", "scales", "zero_points"}),
      builder.getStrArrayAttr({"Y"}),
      builder.getDictionaryAttr(
          {integer("K"), integer("N"), integer("bits"), integer("block_size")}),
      /*library=*/"onnxruntime", /*hash=*/"0000000000000000",
      builder.getStrArrayAttr({}),
      builder.getDictionaryAttr(
          builder.getNamedAttr(kNoSource, builder.getStringAttr(""))),
      /*unit=*/uint64_t(0), builder.getStrArrayAttr({kNoSource}),
      /*scalar=*/nullptr, /*cuda=*/nullptr, /*cuda_units=*/nullptr,
      /*block=*/nullptr);
}

namespace {
/// A matrix of `columns` columns, each of `blocks` blocks of rows.
struct BlockedCodes {
  std::vector<uint8_t> codes; ///< [columns, blocks, bytes of a block]
  std::vector<float> scales;  ///< [columns, blocks]
  std::vector<uint8_t> zeros; ///< [columns, bytes of the blocks' zeros]
};
} // namespace

/// Appends `codes` of `bits` bits, the first in the lowest ones of a byte.
static void pack(const std::vector<uint8_t> &codes, unsigned bits,
                 std::vector<uint8_t> &bytes) {
  const unsigned each = 8 / bits;
  for (size_t i = 0; i < codes.size(); i += each) {
    unsigned byte = 0;
    for (unsigned j = 0; j < each && i + j < codes.size(); ++j)
      byte |= unsigned(codes[i + j]) << (j * bits);
    bytes.push_back(uint8_t(byte));
  }
}

/// Element `row` of column `column` is at(row, column).
static BlockedCodes codeBlocks(llvm::function_ref<float(int64_t, int64_t)> at,
                               int64_t rows, int64_t columns,
                               const WeightsOnlyOptions &options) {
  const double mostCode = double((1 << options.bits) - 1);
  BlockedCodes result;
  for (int64_t column = 0; column < columns; ++column) {
    std::vector<uint8_t> codes, zeros;
    for (int64_t begin = 0; begin < rows; begin += options.blockSize) {
      double low = 0, high = 0;
      for (int64_t row = begin; row < begin + options.blockSize; ++row) {
        low = std::min<double>(low, at(row, column));
        high = std::max<double>(high, at(row, column));
      }
      const float scale = high == low
                              ? 1
                              : std::max(float((high - low) / mostCode),
                                         std::numeric_limits<float>::min());
      const double zero =
          std::clamp(std::nearbyint(-low / double(scale)), 0.0, mostCode);
      for (int64_t row = begin; row < begin + options.blockSize; ++row)
        codes.push_back(uint8_t(
            std::clamp(std::nearbyint(at(row, column) / double(scale)) + zero,
                       0.0, mostCode)));
      result.scales.push_back(scale);
      zeros.push_back(uint8_t(zero));
    }
    pack(codes, options.bits, result.codes);
    pack(zeros, options.bits, result.zeros);
  }
  return result;
}

/// Whether it is a matrix on the right whose blocks are whole.
static bool hasBlocks(const Product &product,
                      const WeightsOnlyOptions &options) {
  auto gemm = dyn_cast<fuse::GemmOp>(product.op);
  if (!gemm && !isa<fuse::MatmulOp>(product.op))
    return false;
  if (gemm && gemm.getTransLhs())
    return false;
  ArrayRef<int64_t> shape = fuse::getTensorType(product.weight).getShape();
  return shape[1 - product.channels] % options.blockSize == 0 &&
         fuse::getTensorType(product.input).getRank() >= 2;
}

static void apply(const Product &product, const WeightsOnlyOptions &options) {
  ArrayRef<int64_t> shape = fuse::getTensorType(product.weight).getShape();
  const int64_t columns = product.countChannels(),
                rows = shape[1 - product.channels], width = shape[1];
  std::vector<float> values = *readFloats(product.weight);
  BlockedCodes coded = codeBlocks(
      [&](int64_t row, int64_t column) {
        return product.channels == 0 ? values[column * width + row]
                                     : values[row * width + column];
      },
      rows, columns, options);
  OpBuilder builder(product.op);
  fuse::TensorBuilder b(builder, product.op->getLoc());
  Type u8 = builder.getIntegerType(8, /*isSigned=*/false);
  const int64_t blocks = rows / options.blockSize;
  auto constant = [&](ArrayRef<int64_t> extents, Type element,
                      ArrayRef<char> bytes) {
    return replaceConstant(builder, product.weight,
                           RankedTensorType::get(extents, element), bytes);
  };
  Value operands[] = {
      product.input,
      constant({columns, blocks, options.blockSize * options.bits / 8}, u8,
               asBytes(coded.codes)),
      constant({columns * blocks}, builder.getF32Type(), asBytes(coded.scales)),
      constant({int64_t(coded.zeros.size())}, u8, asBytes(coded.zeros))};
  auto integer = [&](llvm::StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  };
  auto call = fuse::CallOp::create(
      builder, product.op->getLoc(),
      TypeRange(product.op->getResult(0).getType()), kMatMulNBits,
      builder.getDictionaryAttr({integer("K", rows), integer("N", columns),
                                 integer("bits", options.bits),
                                 integer("block_size", options.blockSize)}),
      ValueRange(operands));
  Value result = call->getResult(0);
  if (auto gemm = dyn_cast<fuse::GemmOp>(product.op); gemm && gemm.getBias()) {
    Value bias = gemm.getBias();
    if (double beta = gemm.getBeta().convertToDouble(); beta != 1)
      bias = b.mul(bias, beta);
    result = b.add(result,
                   b.broadcast(bias, fuse::getTensorType(result).getShape()));
  }
  product.op->getResult(0).replaceAllUsesWith(result);
  product.op->erase();
}

size_t applyWeightsOnly(ModuleOp module, const Plan &plan,
                        const WeightsOnlyOptions &options) {
  size_t count = 0;
  for (const Product &product : plan.products) {
    if (!hasBlocks(product, options))
      continue;
    declare(module);
    apply(product, options);
    ++count;
  }
  dropUnusedConstants(module);
  return count;
}

} // namespace fusec::quantize
