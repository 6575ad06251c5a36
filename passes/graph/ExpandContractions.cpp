// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products and convolutions become fuse.contract.
#include "passes/graph/ExpandComposites.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

Value fusec::fuse::buildContraction(Value lhs, Value rhs,
                                    ArrayRef<unsigned> lhsDims,
                                    ArrayRef<unsigned> rhsDims,
                                    ArrayRef<unsigned> resultDims,
                                    ArrayRef<int64_t> shape, TensorBuilder &b) {
  unsigned count = 0;
  for (ArrayRef<unsigned> dims : {lhsDims, rhsDims})
    for (unsigned d : dims)
      count = std::max(count, d + 1);
  SmallVector<AffineMap> maps;
  MLIRContext *context = b.builder.getContext();
  for (ArrayRef<unsigned> dims : {lhsDims, rhsDims, resultDims})
    maps.push_back(AffineMap::getMultiDimMapWithTargets(count, dims, context));
  auto type = RankedTensorType::get(
      shape, getComputeType(getTensorType(lhs).getElementType()));
  return b.make<ContractOp>(type, lhs, rhs,
                            b.builder.getAffineMapArrayAttr(maps));
}

namespace {
/// A tensor of a contraction and the iterators of its dimensions.
struct ContractionSide {
  SmallVector<int64_t> shape;
  SmallVector<unsigned> dims;

  ContractionSide(ArrayRef<int64_t> extents, ArrayRef<unsigned> iterators,
                  ArrayRef<int> renumbered) {
    for (auto [extent, d] : llvm::zip(extents, iterators)) {
      if (renumbered[d] < 0)
        continue;
      shape.push_back(extent);
      dims.push_back(renumbered[d]);
    }
  }
};
} // namespace

Value fusec::fuse::buildSlimContraction(Value lhs, Value rhs,
                                        ArrayRef<unsigned> lhsDims,
                                        ArrayRef<unsigned> rhsDims,
                                        ArrayRef<unsigned> resultDims,
                                        ArrayRef<int64_t> shape,
                                        TensorBuilder &b) {
  SmallVector<int64_t> extents;
  for (auto [tensor, dims] : {std::pair(lhs, lhsDims), std::pair(rhs, rhsDims)})
    for (auto [extent, d] : llvm::zip(getTensorType(tensor).getShape(), dims)) {
      extents.resize(std::max<size_t>(extents.size(), d + 1), 1);
      extents[d] = extent;
    }
  SmallVector<int> renumbered(extents.size(), -1);
  bool reduces = false;
  int next = 0;
  for (unsigned d = 0; d < extents.size(); ++d) {
    bool isReduced = !llvm::is_contained(resultDims, d);
    bool isLast = d + 1 == extents.size();
    bool keep = extents[d] != 1 || d == 0 || (isLast && !reduces);
    reduces |= keep && isReduced;
    if (keep)
      renumbered[d] = next++;
  }
  ContractionSide left(getTensorType(lhs).getShape(), lhsDims, renumbered);
  ContractionSide right(getTensorType(rhs).getShape(), rhsDims, renumbered);
  ContractionSide result(shape, resultDims, renumbered);
  lhs = b.reshape(lhs, left.shape);
  rhs = b.reshape(rhs, right.shape);
  Value product = buildContraction(lhs, rhs, left.dims, right.dims, result.dims,
                                   result.shape, b);
  return b.reshape(product, shape);
}

/// `count` consecutive iterator numbers from `first`.
static SmallVector<unsigned> range(unsigned first, unsigned count) {
  return llvm::to_vector(llvm::seq(first, first + count));
}

//===- matmul ------------------------------------------------------------===//

/// One operand of a matmul, and the iterators that index it. Batch dimensions
/// that it repeats are dropped instead of materialised.
struct MatmulOperand {
  Value value;
  SmallVector<unsigned> dims;
};

static MatmulOperand dropRepeatedBatch(Value value, size_t matrixRank,
                                       ArrayRef<int64_t> batch,
                                       TensorBuilder &b) {
  ArrayRef<int64_t> shape = getTensorType(value).getShape();
  size_t own = shape.size() - matrixRank;
  MatmulOperand operand;
  SmallVector<int64_t> kept;
  for (size_t i = 0; i < own; ++i) {
    size_t position = batch.size() - own + i;
    if (shape[i] != batch[position])
      continue;
    kept.push_back(shape[i]);
    operand.dims.push_back(position);
  }
  llvm::append_range(kept, shape.drop_front(own));
  operand.value = b.reshape(value, kept);
  return operand;
}

// y[batch, m, n] = sum_k a[batch, m, k] b[batch, k, n]; a vector lacks m or n.
Value fusec::fuse::buildMatmul(Value left, Value right, ArrayRef<int64_t> shape,
                               TensorBuilder &b) {
  bool lhsVector = getTensorType(left).getRank() == 1;
  bool rhsVector = getTensorType(right).getRank() == 1;
  size_t batchRank = shape.size() - !lhsVector - !rhsVector;
  ArrayRef<int64_t> batch = shape.take_front(batchRank);
  unsigned m = batchRank, n = m + !lhsVector, k = n + !rhsVector;
  MatmulOperand lhs = dropRepeatedBatch(left, 2 - lhsVector, batch, b);
  MatmulOperand rhs = dropRepeatedBatch(right, 2 - rhsVector, batch, b);
  if (!lhsVector)
    lhs.dims.push_back(m);
  lhs.dims.push_back(k);
  rhs.dims.push_back(k);
  if (!rhsVector)
    rhs.dims.push_back(n);
  return buildContraction(lhs.value, rhs.value, lhs.dims, rhs.dims, range(0, k),
                          shape, b);
}

static SmallVector<Value> expandMatmul(MatmulOp op, TensorBuilder &b) {
  auto type = getTensorType(op.getResult());
  Value product = buildMatmul(op.getLhs(), op.getRhs(), type.getShape(), b);
  return {b.cast(product, type.getElementType())};
}

//===- gemm --------------------------------------------------------------===//

// alpha sum_k op(a)[m, k] op(b)[k, n] + beta c[m, n]
static SmallVector<Value> expandGemm(GemmOp op, TensorBuilder &b) {
  auto type = getTensorType(op.getResult());
  double alpha = op.getAlpha().convertToDouble();
  double beta = op.getBeta().convertToDouble();
  SmallVector<unsigned> lhsDims = {0, 2}, rhsDims = {2, 1};
  if (op.getTransLhs())
    std::swap(lhsDims[0], lhsDims[1]);
  if (op.getTransRhs())
    std::swap(rhsDims[0], rhsDims[1]);
  Value y = buildContraction(op.getLhs(), op.getRhs(), lhsDims, rhsDims, {0, 1},
                             type.getShape(), b);
  if (alpha != 1)
    y = b.mul(y, alpha);
  if (Value bias = op.getBias(); bias && beta != 0) {
    bias = b.castToCompute(bias);
    if (beta != 1)
      bias = b.mul(bias, beta);
    y = b.add(y, b.broadcast(bias, type.getShape()));
  }
  return {b.cast(y, type.getElementType())};
}

//===- conv --------------------------------------------------------------===//

/// The convolution's input as [outer..., out..., window...]; without the
/// window dimensions where every window is a single point.
static Value buildWindows(const Convolution &conv, Value input,
                          ArrayRef<int64_t> outer, TensorBuilder &b) {
  auto type = getTensorType(input);
  ArrayRef<int64_t> out = conv.shape.drop_front(2);
  ArrayRef<int64_t> sizes = getTensorType(conv.weight).getShape().drop_front(2);
  auto all = [](ArrayRef<int64_t> list, int64_t value) {
    return llvm::all_of(list, [=](int64_t entry) { return entry == value; });
  };
  SmallVector<int64_t> shape(outer);
  llvm::append_range(shape, out);
  if (all(sizes, 1) && all(conv.padLow, 0) && all(conv.padHigh, 0)) {
    SmallVector<int64_t> offsets(shape.size(), 0), strides(outer.size(), 1);
    llvm::append_range(strides, conv.strides);
    return b.builder.createOrFold<SliceOp>(b.loc, type.clone(shape), input,
                                           offsets, strides);
  }
  llvm::append_range(shape, sizes);
  Type element = type.getElementType();
  TypedAttr fill = b.builder.getZeroAttr(element);
  if (conv.fill != 0)
    fill = b.builder.getIntegerAttr(element, conv.fill);
  return b.make<WindowOp>(type.clone(shape), input, sizes, conv.strides,
                          conv.dilations, conv.padLow, fill);
}

// y[n, g, o, p] = sum_{c, w} x[n, g, c, p strides + w dilations - pad_low]
//   W[g, o, c, w] + b[g, o]. Iterators of extent 1 among g, o and c are left
// out, so that a plain convolution has no g and a depthwise one neither o nor
// c.
Value fusec::fuse::buildConvolution(const Convolution &conv, TensorBuilder &b) {
  auto x = getTensorType(conv.input), w = getTensorType(conv.weight);
  int64_t groups = conv.groups, spatial = x.getRank() - 2;
  int64_t perGroup = conv.shape[1] / groups, channels = w.getDimSize(1);
  bool hasG = groups != 1, hasC = !hasG || channels != 1;
  bool hasO = !hasG || perGroup != 1;

  // Iterators: n, g, o, p..., then c, w... .
  unsigned next = 1, g = 0, o = 0, c = 0;
  if (hasG)
    g = next++;
  if (hasO)
    o = next++;
  unsigned p = next;
  next += spatial;
  if (hasC)
    c = next++;

  SmallVector<unsigned> inputDims = {0}, weightDims, resultDims = {0};
  SmallVector<int64_t> outer = {x.getDimSize(0)}, weightShape,
                       resultShape = outer;
  auto use = [](bool has, unsigned iterator, int64_t extent,
                SmallVector<unsigned> &dims, SmallVector<int64_t> &shape) {
    if (!has)
      return;
    dims.push_back(iterator);
    shape.push_back(extent);
  };
  use(hasG, g, groups, inputDims, outer);
  use(hasC, c, channels, inputDims, outer);
  use(hasG, g, groups, weightDims, weightShape);
  use(hasO, o, perGroup, weightDims, weightShape);
  use(hasC, c, channels, weightDims, weightShape);
  use(hasG, g, groups, resultDims, resultShape);
  use(hasO, o, perGroup, resultDims, resultShape);

  SmallVector<int64_t> inputShape(outer);
  llvm::append_range(inputShape, x.getShape().drop_front(2));
  Value windows =
      buildWindows(conv, b.reshape(conv.input, inputShape), outer, b);
  if (conv.factors)
    windows = b.cast(windows, conv.factors);
  llvm::append_range(inputDims, range(p, spatial));
  llvm::append_range(resultDims, range(p, spatial));
  llvm::append_range(resultShape, conv.shape.drop_front(2));
  if (getTensorType(windows).getRank() > int64_t(inputDims.size())) {
    llvm::append_range(inputDims, range(next, spatial));
    llvm::append_range(weightDims, range(next, spatial));
    llvm::append_range(weightShape, w.getShape().drop_front(2));
  }
  Value weight = b.reshape(conv.weight, weightShape);
  Value result = buildContraction(windows, weight, inputDims, weightDims,
                                  resultDims, resultShape, b);
  return b.reshape(result, conv.shape);
}

static SmallVector<Value> expandConv(ConvOp op, TensorBuilder &b) {
  auto y = getTensorType(op.getResult());
  Value result =
      buildConvolution({op.getInput(), op.getWeight(), y.getShape(),
                        op.getStrides(), op.getDilations(), op.getPadLow(),
                        op.getPadHigh(), int64_t(op.getGroups())},
                       b);
  if (Value bias = op.getBias())
    result =
        b.add(result, b.broadcast(b.castToCompute(bias), y.getShape(), {1}));
  return {b.cast(result, y.getElementType())};
}

void fusec::fuse::populateExpandContractions(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Expansion<MatmulOp>>(context, expandMatmul);
  patterns.add<Expansion<GemmOp>>(context, expandGemm);
  patterns.add<Expansion<ConvOp>>(context, expandConv);
}
