// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposed convolutions become a plain contraction by phases.
//
// The output position p + pad = i stride + w dilation. Write p + pad as
// q stride + r with r < stride, and spread the window by its dilation (zeros
// between its elements), so that p + pad = i stride + w. Then w = r + t stride
// and i = q - t: for each of the `stride` phases r a convolution of stride 1
// with every stride-th element of the window,
//
//     y[n, g, o, r, q] = sum_{c, t} x[n, g, c, q - t] W[g, c, o, t, r]
//
// in which no product is by one of the zeros that a dilated input would have.
// (W. Shi et al., Is the deconvolution layer the same as a convolutional
// layer?, arXiv:1609.07009)
#include "passes/graph/ExpandComposites.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

namespace {
/// One spatial dimension.
struct Phases {
  int64_t stride;
  int64_t taps;   ///< elements of the spread window that a phase reads
  int64_t first;  ///< the least q that the result needs
  int64_t count;  ///< how many q it needs
  int64_t offset; ///< where the result begins in `count * stride` positions
};
} // namespace

static Phases getPhases(ConvTransposeOp op, int64_t dim) {
  int64_t window = getTensorType(op.getWeight()).getDimSize(dim + 2);
  int64_t out = getTensorType(op.getResult()).getDimSize(dim + 2);
  int64_t stride = op.getStrides()[dim], pad = op.getPadLow()[dim];
  int64_t spread = (window - 1) * op.getDilations()[dim] + 1;
  Phases p;
  p.stride = stride;
  p.taps = llvm::divideCeil(spread, stride);
  p.first = pad / stride;
  p.offset = pad % stride;
  p.count = llvm::divideCeil(out + p.offset, stride);
  return p;
}

/// Appends `high` zeros to dimension `dim`.
static Value padDimension(Value value, int64_t dim, int64_t high,
                          TensorBuilder &b) {
  if (high == 0)
    return value;
  auto type = getTensorType(value);
  SmallVector<int64_t> low(type.getRank(), 0), after = low,
                                               shape(type.getShape());
  after[dim] = high;
  shape[dim] += high;
  return b.make<PadOp>(type.clone(shape), value, low, after,
                       b.builder.getZeroAttr(type.getElementType()));
}

/// `value` with `count` dimensions from `dim` on replaced by `extents`.
static Value regroup(Value value, int64_t dim, int64_t count,
                     ArrayRef<int64_t> extents, TensorBuilder &b) {
  ArrayRef<int64_t> old = getTensorType(value).getShape();
  SmallVector<int64_t> shape(old.take_front(dim));
  llvm::append_range(shape, extents);
  llvm::append_range(shape, old.drop_front(dim + count));
  return b.reshape(value, shape);
}

/// The window dimension `dim` of `weight` as [taps, stride], last tap first: a
/// window of the input counts upwards where taps count downwards.
static Value buildTaps(Value weight, int64_t dim, int64_t dilation,
                       const Phases &phases, TensorBuilder &b) {
  int64_t window = getTensorType(weight).getDimSize(dim);
  if (dilation > 1) {
    weight = regroup(weight, dim, 1, {window, 1}, b);
    weight = padDimension(weight, dim + 1, dilation - 1, b);
    weight = regroup(weight, dim, 2, {window * dilation}, b);
    window = (window - 1) * dilation + 1;
    weight = b.slice(weight, dim, 0, window);
  }
  weight = padDimension(weight, dim, phases.taps * phases.stride - window, b);
  weight = regroup(weight, dim, 1, {phases.taps, phases.stride}, b);
  return b.slice(weight, dim, phases.taps - 1, phases.taps,
                 phases.taps == 1 ? 1 : -1);
}

/// The input [outer..., i...] as [outer..., q..., t...], what tap t of each
/// phase reads.
static Value buildWindows(Value input, size_t outer, ArrayRef<Phases> phases,
                          TensorBuilder &b) {
  auto type = getTensorType(input);
  SmallVector<int64_t> taps, low, ones(phases.size(), 1);
  SmallVector<int64_t> shape(type.getShape().take_front(outer));
  for (const Phases &p : phases) {
    taps.push_back(p.taps);
    low.push_back(p.taps - 1 - p.first);
    shape.push_back(p.count);
  }
  llvm::append_range(shape, taps);
  TypedAttr zero = b.builder.getZeroAttr(type.getElementType());
  return b.make<WindowOp>(type.clone(shape), input, taps, ones, ones, low,
                          zero);
}

/// The product [n, (g, o)..., r..., q...] as [n, channels, (q r)...].
static Value interleave(Value product, int64_t channels,
                        ArrayRef<Phases> phases, TensorBuilder &b) {
  auto type = getTensorType(product);
  int64_t spatial = phases.size(), q = type.getRank() - spatial;
  int64_t r =
      q - llvm::count_if(phases, [](const Phases &p) { return p.stride != 1; });
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, r));
  SmallVector<int64_t> shape = {type.getDimSize(0), channels};
  for (const Phases &p : phases) {
    perm.push_back(q++);
    if (p.stride != 1)
      perm.push_back(r++);
    shape.push_back(p.count * p.stride);
  }
  return b.reshape(b.transpose(product, perm), shape);
}

namespace {
/// The dimensions of one tensor of a contraction: iterators and extents.
struct Side {
  SmallVector<unsigned> dims;
  SmallVector<int64_t> shape;
};
} // namespace

// Iterators: n, g, o, r..., q..., then c, t... . Those of one iteration among
// g, o, c and r are left out, and all t where each phase reads one element.
static SmallVector<Value> expandConvTranspose(ConvTransposeOp op,
                                              TensorBuilder &b) {
  auto x = getTensorType(op.getInput()), y = getTensorType(op.getResult());
  int64_t groups = op.getGroups(), spatial = x.getRank() - 2;
  int64_t perGroup = y.getDimSize(1) / groups;
  int64_t channels = x.getDimSize(1) / groups;
  SmallVector<Phases> phases;
  bool hasTaps = false;
  for (int64_t d = 0; d < spatial; ++d) {
    const Phases &p = phases.emplace_back(getPhases(op, d));
    hasTaps |= p.taps != 1 || p.first != 0 || p.count != x.getDimSize(d + 2);
  }
  bool hasG = groups != 1, hasO = !hasG || perGroup != 1;
  bool hasC = !hasG || channels != 1 || !hasTaps;

  unsigned next = 0;
  Side input, weight, result;
  auto add = [&](bool has, int64_t extent, ArrayRef<Side *> sides) {
    for (Side *side : sides)
      if (has) {
        side->dims.push_back(next);
        side->shape.push_back(extent);
      }
    next += has;
  };
  add(true, x.getDimSize(0), {&input, &result});
  add(hasG, groups, {&input, &weight, &result});
  Side ofO; // behind c in the weight
  add(hasO, perGroup, {&ofO, &result});
  SmallVector<unsigned> r, ofQ;
  for (const Phases &p : phases) {
    r.push_back(next);
    add(p.stride != 1, p.stride, {&result});
  }
  for (const Phases &p : phases) {
    ofQ.push_back(next);
    add(true, p.count, {&result});
  }
  add(hasC, channels, {&input, &weight});
  SmallVector<int64_t> inputShape = input.shape;
  llvm::append_range(inputShape, x.getShape().drop_front(2));
  Value windows = b.reshape(op.getInput(), inputShape);
  if (hasTaps)
    windows = buildWindows(windows, input.shape.size(), phases, b);
  llvm::append_range(input.dims, ofQ);
  llvm::append_range(weight.dims, ofO.dims);
  llvm::append_range(weight.shape, ofO.shape);
  for (int64_t d = 0; d < spatial; ++d) {
    if (hasTaps)
      input.dims.push_back(next);
    add(hasTaps, phases[d].taps, {&weight});
    if (phases[d].stride != 1) {
      weight.dims.push_back(r[d]);
      weight.shape.push_back(phases[d].stride);
    }
  }
  Value taps = op.getWeight();
  for (int64_t d = spatial - 1; d >= 0; --d)
    taps = buildTaps(taps, d + 2, op.getDilations()[d], phases[d], b);
  Value product =
      buildContraction(windows, b.reshape(taps, weight.shape), input.dims,
                       weight.dims, result.dims, result.shape, b);

  Value sum = interleave(product, y.getDimSize(1), phases, b);
  for (int64_t d = 0; d < spatial; ++d)
    sum = b.slice(sum, d + 2, phases[d].offset, y.getDimSize(d + 2));
  if (Value bias = op.getBias())
    sum = b.add(sum, b.broadcast(b.castToCompute(bias), y.getShape(), {1}));
  return {b.cast(sum, y.getElementType())};
}

void fusec::fuse::populateExpandConvTranspose(RewritePatternSet &patterns) {
  patterns.add<Expansion<ConvTransposeOp>>(patterns.getContext(),
                                           expandConvTranspose);
}
