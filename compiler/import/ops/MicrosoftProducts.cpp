// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of quantised matrices of com.microsoft, as ONNX Runtime's quantisers
// and its optimiser write them.
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Matmul.h"
#include "compiler/import/ops/Requantize.h"

using namespace mlir;

namespace fusec {
/// Operand `index`, one value or one for each of `columns`, in `type`.
static Value perColumn(Node &node, unsigned index, int64_t columns, Type type) {
  ArrayRef<int64_t> shape = node.shape(index);
  bool isOne = node.type(index).getNumElements() == 1;
  if (!isOne &&
      (node.type(index).getNumElements() != columns || shape.back() != columns))
    node.invalid("needs a scalar or one value for each of " +
                 llvm::Twine(columns) + " columns as operand " +
                 llvm::Twine(index) + ", has shape " + shapeText(shape));
  Value value = node.reshape(node.input(index),
                             isOne ? ArrayRef<int64_t>() : ArrayRef(columns));
  return node.cast(value, type);
}

Term columnScale(Node &node, unsigned index, ArrayRef<int64_t> shape) {
  node.requireFloat(index);
  Value scale = perColumn(node, index, shape.back(), node.builder.getF32Type());
  return Term(node, node.broadcast(scale, shape));
}

Value columnZero(Node &node, unsigned index, unsigned operand,
                 int64_t columns) {
  if (!node.hasInput(index))
    return {};
  node.requireSameElementType(operand, index);
  return perColumn(node, index, columns, node.elementType(operand));
}

Term integerProduct(Node &node, ArrayRef<int64_t> shape, Value lhs, Value rhs,
                    Value lhsZero, Value rhsZero) {
  Value sum = node.make<fuse::MatmulIntegerOp>(
      tensorType(shape, node.builder.getI32Type()), lhs, rhs, lhsZero, rhsZero);
  return Term(node, node.cast(sum, node.builder.getF32Type()));
}

Value addColumnBias(Node &node, Term product, unsigned index, Type element) {
  if (!node.hasInput(index))
    return product.get();
  ArrayRef<int64_t> shape = product.type().getShape();
  Type computed = product.type().getElementType();
  if (!element)
    element = computed;
  if (node.shape(index) != shape.take_back() ||
      node.elementType(index) != element)
    node.invalid("needs a bias of " + llvm::Twine(shape.back()) + " " +
                 typeText(element) + ", has " + typeText(node.type(index)));
  Value bias = node.cast(node.input(index), computed);
  return (product + Term(node, node.broadcast(bias, shape))).get();
}

namespace {

/// (A - a_zero) (B - b_zero) a_scale b_scale + bias
void convertIntegerToFloat(Node &node) {
  node.requireInputs(4, 7);
  requireBytes(node, 0);
  requireBytes(node, 1);
  auto shape = productShape(node, 0, 1);
  int64_t columns = node.shape(1).back();
  Value lhsZero = zeroPoint(node, 4, 0);
  Value rhsZero = columnZero(node, 5, 1, columns);
  Term scale = columnScale(node, 3, shape) * scaleTerm(node, 2);
  Term sum = integerProduct(node, shape, node.input(0), node.input(1), lhsZero,
                            rhsZero);
  node.setOutput(0, addColumnBias(node, sum * scale, 6));
}

/// The same with A quantised by its range.
void convertDynamicMatmul(Node &node) {
  node.requireInputs(3, 5);
  node.requireFloat(0);
  requireBytes(node, 1);
  auto shape = productShape(node, 0, 1);
  OpBuilder &builder = node.builder;
  Type u8 = builder.getIntegerType(8, /*isSigned=*/false);
  Value zero = columnZero(node, 3, 1, node.shape(1).back());
  Term scale = columnScale(node, 2, shape);
  auto coded = fuse::DynamicQuantizeOp::create(
      builder, node.loc, tensorType(node.shape(0), u8),
      tensorType({}, node.elementType(0)), tensorType({}, u8), node.input(0));
  scale = scale * Term(node, node.cast(coded.getScale(), builder.getF32Type()));
  Term sum = integerProduct(node, shape, coded.getResult(), node.input(1),
                            coded.getZeroPoint(), zero);
  node.setOutput(0, addColumnBias(node, sum * scale, 4));
}

/// ((A - a_zero) (B - b_zero) + C) alpha a_scale b_scale, as codes where the
/// result has a scale.
void convertQGemm(Node &node) {
  node.requireInputs(1, 9);
  requireBytes(node, 0);
  requireBytes(node, 3);
  bool transA = node.flag("transA"), transB = node.flag("transB");
  ArrayRef<int64_t> a = node.shape(0), b = node.shape(3);
  if (a.size() != 2 || b.size() != 2 || a[!transA] != b[transB])
    node.invalid("cannot multiply " + shapeText(a) +
                 (transA ? " transposed" : "") + " by " + shapeText(b) +
                 (transB ? " transposed" : ""));
  SmallVector<int64_t> shape = {a[transA], b[!transB]};
  Type i32 = node.builder.getI32Type();
  auto turned = [&](unsigned index, bool turns) {
    return turns ? node.transpose(node.input(index), {1, 0})
                 : node.input(index);
  };
  Value lhs = turned(0, transA), rhs = turned(3, transB);
  Value lhsZero = zeroPoint(node, 2, 0);
  Value rhsZero = columnZero(node, 5, 3, shape[1]);
  Term sum(node, node.make<fuse::MatmulIntegerOp>(tensorType(shape, i32), lhs,
                                                  rhs, lhsZero, rhsZero));
  if (node.hasInput(6)) {
    if (!node.elementType(6).isInteger(32) ||
        node.broadcastShape({shape, node.shape(6)}) != shape)
      node.invalid("needs C of i32 that broadcasts to " + shapeText(shape) +
                   ", has " + typeText(node.type(6)));
    sum = sum + Term(node, node.broadcast(node.input(6), shape));
  }
  Term scale = columnScale(node, 4, shape) * scaleTerm(node, 1);
  if (double alpha = node.floatAttribute("alpha", 1); alpha != 1)
    scale = alpha * scale;
  Term number(node, node.cast(sum.get(), node.builder.getF32Type()));
  if (!node.hasInput(8))
    return node.setOutput(0, (number * scale).get());
  scale = scale / scaleTerm(node, 7);
  Term quotient = number * scale;
  node.setOutput(
      0, encode(node, quotient, zeroTerm(node, 8, 0), node.elementType(8)));
}

//===- Weights of few bits ------------------------------------------------===//

/// The attributes of MatMulNBits, and what follows from them.
struct CodeBlocks {
  int64_t rows, columns, size, bits, count;
  Type code;

  /// `shape`, which ends in dimensions of blocks and of what is in one, without
  /// the former where there is a single block.
  SmallVector<int64_t> lay(SmallVector<int64_t> shape) const {
    if (count == 1)
      shape.erase(shape.end() - 2);
    return shape;
  }
};

CodeBlocks readCodeBlocks(Node &node) {
  CodeBlocks blocks;
  blocks.rows = node.intAttribute("K");
  blocks.columns = node.intAttribute("N");
  blocks.size = node.intAttribute("block_size");
  blocks.bits = node.intAttribute("bits", 4);
  if (blocks.rows < 1 || blocks.columns < 1)
    node.invalid("has the extents K = " + llvm::Twine(blocks.rows) +
                 " and N = " + llvm::Twine(blocks.columns));
  if (blocks.size < 16 || !llvm::isPowerOf2_64(blocks.size))
    node.invalid("has the block_size " + llvm::Twine(blocks.size) +
                 "; it must be a power of 2, and 16 at least");
  if (blocks.bits != 2 && blocks.bits != 4 && blocks.bits != 8)
    node.unsupported("has weights of " + llvm::Twine(blocks.bits) +
                     " bits; 2, 4 and 8 are supported");
  const int64_t level = node.intAttribute("accuracy_level", 0);
  if (level < 0 || level > 4)
    node.invalid("has the accuracy_level " + llvm::Twine(level) +
                 "; it is 0 to 4");
  blocks.count = llvm::divideCeilSigned(blocks.rows, blocks.size);
  blocks.code = node.builder.getIntegerType(blocks.bits, /*isSigned=*/false);
  return blocks;
}

/// Refuses operand `index` unless it has `shape`, or as many elements in one
/// dimension.
void requireShape(Node &node, unsigned index, ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> own = node.shape(index);
  if (own != shape &&
      (own.size() != 1 || own[0] != ShapedType::getNumElements(shape)))
    node.invalid("needs operand " + llvm::Twine(index) + " of shape " +
                 shapeText(shape) + ", has " + shapeText(own));
}

[[noreturn]] void refuseComputed(Node &node, unsigned index) {
  node.unsupported("computes operand " + llvm::Twine(index) +
                   ", weights or zero points of few bits; they must be "
                   "constants");
}

/// The weights [columns, blocks, size], laid.
Value readCodes(Node &node, const CodeBlocks &blocks) {
  if (!node.elementType(1).isUnsignedInteger(8))
    node.invalid("needs codes packed in ui8 as operand 1, has " +
                 typeText(node.elementType(1)));
  requireShape(node, 1,
               {blocks.columns, blocks.count, blocks.size * blocks.bits / 8});
  auto type = tensorType(
      blocks.lay({blocks.columns, blocks.count, blocks.size}), blocks.code);
  if (blocks.bits == 8)
    return node.reshape(node.input(1), type.getShape());
  if (Value codes = node.unpack(1, type))
    return codes;
  refuseComputed(node, 1);
}

/// The zero points [columns, blocks] as codes, each row of which begins with a
/// byte of its own; the middle of the codes if they are absent. (Floats are no
/// codes.)
Value readZeroCodes(Node &node, const CodeBlocks &blocks) {
  if (!node.hasInput(3))
    return node.scalar(double(1 << (blocks.bits - 1)), blocks.code);
  int64_t width = llvm::divideCeilSigned(blocks.count * blocks.bits, 8);
  requireShape(node, 3, {blocks.columns, width});
  const HostTensor *bytes = node.constant(3);
  if (!bytes)
    refuseComputed(node, 3);
  return node.tensor(HostTensor::fromInts(
      tensorType({blocks.columns, blocks.count}, blocks.code),
      unpackRows(bytes->ints, blocks.count, blocks.bits)));
}

/// A scale or zero point [columns, blocks], or of all: over the weights. With
/// operand 4 each row says which block it belongs to.
Value layOverCodes(Node &node, Value value, const CodeBlocks &blocks) {
  auto type = fuse::getTensorType(value);
  if (type.getRank() == 0)
    return value;
  if (!node.hasInput(4))
    return node.reshape(value, blocks.lay({blocks.columns, blocks.count, 1}));
  const HostTensor *groups = node.constant(4);
  if (!groups)
    refuseComputed(node, 4);
  std::vector<int64_t> picks = groups->ints;
  for (int64_t group : picks)
    if (group < 0 || group >= blocks.count)
      node.invalid("has the group " + llvm::Twine(group) + " of " +
                   llvm::Twine(blocks.count));
  picks.resize(blocks.count * blocks.size);
  Value indices = node.tensor(node.hostVector(picks));
  Value rows = node.make<fuse::GatherOp>(
      type.clone({blocks.columns, int64_t(picks.size())}), value, indices,
      uint64_t(1));
  return node.reshape(rows,
                      blocks.lay({blocks.columns, blocks.count, blocks.size}));
}

/// (codes - zero) scale, [columns, blocks size], not rounded to the operands'
/// type.
Value decodeWeights(Node &node, const CodeBlocks &blocks) {
  node.requireScales(2, /*division=*/false);
  Value codes = readCodes(node, blocks);
  Type number = getComputeType(node.elementType(0));
  node.requireSameElementType(0, 2);
  requireShape(node, 2, {blocks.columns, blocks.count});
  if (node.hasInput(4) && node.shape(4) != ArrayRef{blocks.rows} &&
      node.shape(4) != ArrayRef{blocks.count * blocks.size})
    node.invalid("needs a group for each of " + llvm::Twine(blocks.rows) +
                 " rows, has shape " + shapeText(node.shape(4)));
  auto lay = [&](Value value) { return layOverCodes(node, value, blocks); };
  auto atBlocks = [&](unsigned index) {
    requireShape(node, index, {blocks.columns, blocks.count});
    return lay(node.reshape(node.castToCompute(node.input(index)),
                            {blocks.columns, blocks.count}));
  };
  ArrayRef<int64_t> shape = fuse::getTensorType(codes).getShape();
  SmallVector<int64_t> flat = {blocks.columns, blocks.count * blocks.size};
  Value scale = atBlocks(2);
  if (node.hasInput(3) && isa<FloatType>(node.elementType(3))) {
    node.requireSameElementType(0, 3);
    Term zero(node, node.broadcast(atBlocks(3), shape));
    Term whole = Term(node, node.cast(codes, number)) - zero;
    Term result = whole * Term(node, node.broadcast(scale, shape));
    return node.reshape(result.get(), flat);
  }
  if (node.hasInput(3))
    requireBytes(node, 3);
  Value zero = lay(readZeroCodes(node, blocks));
  return node.reshape(node.make<fuse::DequantizeOp>(tensorType(shape, number),
                                                    codes, scale, zero),
                      flat);
}

/// Whether A may be rounded to codes of 8 bits. ONNX Runtime does so of f32
/// alone, of constant weights, and by blocks that scales and zero points of
/// codes belong to.
bool mayRound(Node &node, const CodeBlocks &blocks) {
  const int64_t level = node.intAttribute("accuracy_level", 0);
  if (level != 4 || !node.elementType(0).isF32() || node.hasInput(4) ||
      node.keepsFactors())
    return false;
  if (node.hasInput(3) && isa<FloatType>(node.elementType(3)))
    return false;
  return blocks.bits < 8 ||
         isa_and_present<fuse::GetWeightOp, fuse::ConstantOp>(
             node.input(1).getDefiningOp());
}

/// x [.., blocks size] rounded to code scale, where scale = max |x| / 127 of
/// each block.
Value roundToCodes(Node &node, Value x, const CodeBlocks &blocks) {
  auto type = fuse::getTensorType(x);
  SmallVector<int64_t> shape(type.getShape().drop_back());
  shape.append({blocks.count, blocks.size});
  shape = blocks.lay(shape);
  const int64_t last = shape.size() - 1;
  Value split = node.reshape(x, shape);
  Value largest = node.reduction(fuse::ReductionKind::max,
                                 node.unary<fuse::AbsOp>(split), last);
  Value scale = node.div(largest, 127.0);
  // A block of zeros has the codes 0.
  Value isAny = node.compare(fuse::CmpPredicate::gt, scale, 0.0);
  Value inverse = node.div(1.0, scale);
  inverse = node.select(isAny, inverse, 0.0);
  Value codes = node.unary<fuse::RoundOp>(
      node.mul(split, node.broadcast(inverse, shape)));
  codes = node.min(node.max(codes, -127.0), 127.0);
  codes = node.cast(codes, node.builder.getI8Type());
  return node.reshape(
      node.make<fuse::DequantizeOp>(split.getType(), codes, scale, Value()),
      type.getShape());
}

/// A decoded(B)^T + bias. Where the last block is not full A has zeros there.
void convertMatmulNBits(Node &node) {
  node.requireInputs(3, 6);
  node.requireFloat(0);
  CodeBlocks blocks = readCodeBlocks(node);
  SmallVector<int64_t> shape(node.shape(0));
  if (shape.empty() || shape.back() != blocks.rows)
    node.invalid("needs rows of K = " + llvm::Twine(blocks.rows) +
                 " elements, has " + shapeText(shape));
  Value x = node.castToCompute(node.input(0));
  Type number = fuse::getTensorType(x).getElementType();
  Value weights = node.transpose(decodeWeights(node, blocks), {1, 0});
  if (int64_t missing = blocks.count * blocks.size - blocks.rows) {
    SmallVector<int64_t> low(shape.size(), 0), high(shape.size(), 0);
    high.back() = missing;
    shape.back() += missing;
    x = node.make<fuse::PadOp>(tensorType(shape, number), x, low, high,
                               node.builder.getFloatAttr(number, 0));
  }
  if (mayRound(node, blocks))
    x = roundToCodes(node, x, blocks);
  shape.back() = blocks.columns;
  Term product(
      node, node.make<fuse::MatmulOp>(tensorType(shape, number), x, weights));
  Type type = node.elementType(0);
  node.setOutput(0, node.cast(addColumnBias(node, product, 5, type), type));
}

} // namespace

void registerMicrosoftProducts(Registry &r) {
  r.addTo(kMicrosoft, "MatMulIntegerToFloat", 1, convertIntegerToFloat);
  r.addTo(kMicrosoft, "DynamicQuantizeMatMul", 1, convertDynamicMatmul);
  r.addTo(kMicrosoft, "QGemm", 1, convertQGemm);
  r.addTo(kMicrosoft, "MatMulNBits", 1, convertMatmulNBits);
}

} // namespace fusec
