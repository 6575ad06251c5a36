// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantised operators of com.microsoft that are no products, as ONNX Runtime's
// static quantiser writes them. Each rounds where ONNX Runtime does: some add
// the zero point before they round, which decides ties.
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Requantize.h"
#include "compiler/import/ops/Window.h"

using namespace mlir;

namespace fusec {

void requireBytes(Node &node, unsigned index) {
  Type type = node.elementType(index);
  if (isa<FloatType>(type) || type.getIntOrFloatBitWidth() != 8)
    node.invalid("needs 8-bit integers as operand " + llvm::Twine(index) +
                 ", has " + typeText(type));
}

Term scaleTerm(Node &node, unsigned index) {
  node.requireFloat(index);
  node.requireScales(index, /*division=*/true);
  Value scale = node.scalarInput(index, "operand " + llvm::Twine(index));
  return Term(node, node.cast(scale, node.builder.getF32Type()));
}

Value zeroPoint(Node &node, unsigned index, unsigned codes) {
  if (!node.hasInput(index))
    return {};
  node.requireSameElementType(codes, index);
  return node.scalarInput(index, "operand " + llvm::Twine(index));
}

Term zeroTerm(Node &node, unsigned index, unsigned codes) {
  Type f32 = node.builder.getF32Type();
  Value zero = zeroPoint(node, index, codes);
  return Term(node, zero ? node.cast(zero, f32) : node.scalar(0, f32));
}

Term codeTerm(Node &node, unsigned index) {
  requireBytes(node, index);
  return Term(node, node.cast(node.input(index), node.builder.getI32Type()));
}

Term withoutZero(Node &node, unsigned index, unsigned zero) {
  Term codes = codeTerm(node, index);
  Value point = zeroPoint(node, zero, index);
  if (!point)
    return codes;
  return codes - Term(node, node.cast(point, node.builder.getI32Type()));
}

static Term asFloat(Node &node, Term x) {
  return Term(node, node.cast(x.get(), node.builder.getF32Type()));
}

std::vector<int64_t> unpackRows(ArrayRef<int64_t> bytes, int64_t count,
                                int64_t bits) {
  std::vector<int64_t> codes;
  int64_t width = llvm::divideCeilSigned(count * bits, 8);
  for (; !bytes.empty(); bytes = bytes.drop_front(width))
    for (int64_t at = 0; at < count * bits; at += bits)
      codes.push_back(bytes[at / 8] >> (at % 8) & ((1 << bits) - 1));
  return codes;
}

Term decode(Node &node, unsigned index) {
  Term codes = asFloat(node, withoutZero(node, index, index + 2));
  return codes * scaleTerm(node, index + 1);
}

static Value clampTo(Node &node, Term x, Type coded) {
  bool isUnsigned = coded.isUnsignedInteger();
  x = x.binary<fuse::MaximumOp>(x.like(isUnsigned ? 0 : -128));
  x = x.binary<fuse::MinimumOp>(x.like(isUnsigned ? 255 : 127));
  return node.cast(x.get(), coded);
}

Value saturate(Node &node, Term x, Type coded) {
  return clampTo(node, x.unary<fuse::RoundOp>(), coded);
}

Value encode(Node &node, Term x, Term zero, Type coded) {
  return clampTo(node, x.unary<fuse::RoundOp>() + zero, coded);
}

namespace {

/// Operands 0 and 3 broadcast to one shape, codes of one type.
SmallVector<int64_t> requirePair(Node &node) {
  node.requireInputs(1, 8);
  requireBytes(node, 0);
  node.requireSameElementType(0, 3);
  return node.broadcastShape({node.shape(0), node.shape(3)});
}

Term repeat(Node &node, Term x, ArrayRef<int64_t> shape) {
  return Term(node, node.broadcast(x.get(), shape));
}

/// round(a r + b s + (z_y - (z_a r + z_b s))) with r = s_a / s_y, s = s_b / s_y
void convertAdd(Node &node) {
  SmallVector<int64_t> shape = requirePair(node);
  Term scale = scaleTerm(node, 6);
  Term r = scaleTerm(node, 1) / scale, s = scaleTerm(node, 4) / scale;
  Term zeros = zeroTerm(node, 2, 0) * r + zeroTerm(node, 5, 3) * s;
  Term fixed = zeroTerm(node, 7, 0) - zeros;
  Term a = asFloat(node, Term(node, node.input(0)));
  Term b = asFloat(node, Term(node, node.input(3)));
  Term sum = repeat(node, a, shape) * r + fixed + repeat(node, b, shape) * s;
  node.setOutput(0, saturate(node, sum, node.elementType(0)));
}

/// round((a - z_a) (b - z_b) (s_a s_b / s_y) + z_y)
void convertMul(Node &node) {
  SmallVector<int64_t> shape = requirePair(node);
  Term scale = scaleTerm(node, 1) * scaleTerm(node, 4) / scaleTerm(node, 6);
  Term product = repeat(node, withoutZero(node, 0, 2), shape) *
                 repeat(node, withoutZero(node, 3, 5), shape);
  Term y = asFloat(node, product) * scale + zeroTerm(node, 7, 0);
  node.setOutput(0, saturate(node, y, node.elementType(0)));
}

/// quantize(f(dequantize(x))); operands 3 and 4 say how.
void setEncoded(Node &node, Value y) {
  Term quotient = Term(node, y) / scaleTerm(node, 3);
  node.setOutput(
      0, encode(node, quotient, zeroTerm(node, 4, 0), node.elementType(0)));
}

void convertSigmoid(Node &node) {
  node.requireInputs(1, 5);
  setEncoded(node, decode(node, 0).unary<fuse::SigmoidOp>().get());
}

void convertQLinearLeakyRelu(Node &node) {
  node.requireInputs(1, 5);
  Value x = decode(node, 0).get();
  double alpha = node.floatAttribute("alpha", 0.01f);
  setEncoded(node, node.make<fuse::LeakyReluOp>(
                       x.getType(), x, node.builder.getF64FloatAttr(alpha)));
}

/// What operand `index` becomes with the scale `scale` and zero point `zero`:
/// itself if it has these already.
Value recode(Node &node, unsigned index, unsigned scale, unsigned zero) {
  auto isSame = [&](unsigned a, unsigned b) {
    const HostTensor *first = node.constant(a), *second = node.constant(b);
    return first && second && first->ints == second->ints &&
           first->floats == second->floats;
  };
  node.requireSameElementType(index, zero);
  if (isSame(index + 1, scale) && isSame(index + 2, zero))
    return node.input(index);
  Term decoded = decode(node, index);
  Term quotient = decoded / scaleTerm(node, scale);
  return encode(node, quotient, zeroTerm(node, zero, index),
                node.elementType(index));
}

void convertQLinearConcat(Node &node) {
  if (node.numInputs() < 5 || (node.numInputs() - 2) % 3 != 0)
    node.invalid("needs a scale, a zero point, and three operands for each "
                 "tensor");
  SmallVector<int64_t> shape(node.shape(2));
  int64_t axis = node.normalizeAxis(node.intAttribute("axis"), shape.size());
  SmallVector<Value> parts;
  shape[axis] = 0;
  for (unsigned i = 2; i < node.numInputs(); i += 3) {
    SmallVector<int64_t> part(node.shape(i));
    if (part.size() == shape.size())
      shape[axis] += std::exchange(part[axis], shape[axis]);
    if (part.size() != shape.size() ||
        ArrayRef(part).take_front(axis) != ArrayRef(shape).take_front(axis) ||
        ArrayRef(part).drop_front(axis + 1) !=
            ArrayRef(shape).drop_front(axis + 1))
      node.invalid("cannot join " + shapeText(node.shape(2)) + " and " +
                   shapeText(node.shape(i)) + " along axis " +
                   llvm::Twine(axis));
    parts.push_back(recode(node, i, 0, 1));
  }
  node.setOutput(0, node.concat(parts, axis));
}

void convertQLinearWhere(Node &node) {
  node.requireInputs(9, 9);
  requireBytes(node, 1);
  node.requireSameElementType(1, 4);
  SmallVector<int64_t> shape =
      node.broadcastShape({node.shape(0), node.shape(1), node.shape(4)});
  Value condition = node.broadcast(node.input(0), shape);
  Value x = node.broadcast(recode(node, 1, 7, 8), shape);
  Value y = node.broadcast(recode(node, 4, 7, 8), shape);
  node.setOutput(0, node.select(condition, x, y));
}

/// round(e floor(1 / s_y) / sum e) + z_y with e = exp((x - max x) s_x). Before
/// opset 13, which is an attribute here, rows were all that follows the axis.
void convertQLinearSoftmax(Node &node) {
  node.requireInputs(1, 5);
  bool flattens = node.intAttribute("opset") < 13;
  int64_t rank = node.rank(0);
  int64_t axis = node.normalizeAxis(node.intAttribute("axis", -1), rank);
  SmallVector<int64_t> dims = {axis}, row(node.shape(0));
  if (flattens)
    dims = llvm::to_vector(llvm::seq(axis, rank));
  for (int64_t dim : dims)
    row[dim] = 1;
  auto reduce = [&](fuse::ReductionKind kind, Term x) {
    Value result = node.reduction(kind, x.get(), dims);
    return repeat(node, Term(node, result), node.shape(0));
  };
  Term x = codeTerm(node, 0); // A zero point is in the maximum, too.
  if (node.hasInput(2))
    node.requireSameElementType(0, 2);
  Term shifted = asFloat(node, x - reduce(fuse::ReductionKind::max, x));
  Term e = (shifted * scaleTerm(node, 1)).unary<fuse::ExpOp>();
  Term scale = scaleTerm(node, 3);
  Term factor = (scale.like(1) / scale).unary<fuse::FloorOp>();
  Term y = e * factor / reduce(fuse::ReductionKind::sum, e);
  node.setOutput(0, encode(node, y, zeroTerm(node, 4, 0), node.elementType(0)));
}

/// round(sum (x - z_x) (s_x / (s_y n))) + z_y for n elements
void setWholeAverage(Node &node) {
  int64_t first = node.flag("channels_last") ? 1 : 2, count = 1;
  SmallVector<int64_t> dims, shape(node.shape(0));
  for (int64_t d = first; d < first + node.rank(0) - 2; ++d) {
    dims.push_back(d);
    count *= std::exchange(shape[d], 1);
  }
  Term x = withoutZero(node, 0, 2);
  Term sum(node, node.reduction(fuse::ReductionKind::sum, x.get(), dims));
  Term scale = scaleTerm(node, 3);
  scale = scaleTerm(node, 1) / (scale * scale.like(double(count)));
  Term mean = asFloat(node, sum) * scale;
  node.setOutput(0,
                 encode(node, mean, zeroTerm(node, 4, 0), node.elementType(0)));
}

void convertGlobalAveragePool(Node &node) {
  node.requireInputs(5, 5);
  requireSpatial(node);
  setWholeAverage(node);
}

/// Whether the one window is the image, without padding.
bool isWhole(const Window &window, ArrayRef<int64_t> image) {
  auto isZero = [](int64_t pad) { return pad == 0; };
  return ArrayRef<int64_t>(window.sizes) == image &&
         llvm::all_of(window.low, isZero) && llvm::all_of(window.high, isZero);
}

/// round(average / s_y + z_y). ONNX Runtime averages a whole image by the
/// kernel of QLinearGlobalAveragePool, which rounds before it adds.
void convertQLinearAveragePool(Node &node) {
  node.requireInputs(1, 5);
  requireSpatial(node);
  // The pool has [batch, channels, spatial...].
  bool isLast = node.flag("channels_last");
  int64_t rank = node.rank(0);
  SmallVector<int64_t> inwards = {0, rank - 1}, outwards = {0};
  llvm::append_range(inwards, llvm::seq<int64_t>(1, rank - 1));
  llvm::append_range(outwards, llvm::seq<int64_t>(2, rank));
  outwards.push_back(1);
  ArrayRef<int64_t> image = node.shape(0).slice(isLast ? 1 : 2, rank - 2);
  bool countPad = node.flag("count_include_pad");
  Window window = readWindow(node, image, node.intsAttribute("kernel_shape"));
  // What a window has behind the padding counts as padding.
  for (auto [i, out] : llvm::enumerate(window.out)) {
    int64_t end = (out - 1) * window.strides[i] + window.sizes[i];
    window.high[i] = std::max(window.high[i], end - image[i] - window.low[i]);
  }
  if (isWhole(window, image))
    return setWholeAverage(node);
  Value x = decode(node, 0).get();
  if (isLast)
    x = node.transpose(x, inwards);
  auto type = fuse::getTensorType(x);
  Value average = node.make<fuse::PoolOp>(
      type.clone(outputShape(type.getDimSize(0), type.getDimSize(1), window)),
      fuse::PoolKind::average, x, window.sizes, window.strides,
      window.dilations, window.low, window.high, countPad);
  if (isLast)
    average = node.transpose(average, outwards);
  Term y = Term(node, average) / scaleTerm(node, 3) + zeroTerm(node, 4, 0);
  node.setOutput(0, saturate(node, y, node.elementType(0)));
}

} // namespace

void registerMicrosoftQuantized(Registry &r) {
  r.addTo(kMicrosoft, "QLinearAdd", 1, convertAdd);
  r.addTo(kMicrosoft, "QLinearMul", 1, convertMul);
  r.addTo(kMicrosoft, "QLinearSigmoid", 1, convertSigmoid);
  r.addTo(kMicrosoft, "QLinearLeakyRelu", 1, convertQLinearLeakyRelu);
  r.addTo(kMicrosoft, "QLinearConcat", 1, convertQLinearConcat);
  r.addTo(kMicrosoft, "QLinearWhere", 1, convertQLinearWhere);
  r.addTo(kMicrosoft, "QLinearSoftmax", 1, convertQLinearSoftmax);
  r.addTo(kMicrosoft, "QLinearAveragePool", 1, convertQLinearAveragePool);
  r.addTo(kMicrosoft, "QLinearGlobalAveragePool", 1, convertGlobalAveragePool);
}

} // namespace fusec
