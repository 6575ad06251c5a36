// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Primitives that only move elements: each result element is a copy of an
// operand's element or of a fill value.
#include "tools/fusec-ref/Evaluator.h"
#include "tools/fusec-ref/Indexing.h"

#include <cstring>

using namespace fusec::fuse;
using fusec::io::OpClass;
using fusec::io::Tensor;
using llvm::ArrayRef;
using llvm::Error;

namespace fusec::ref {
namespace {

/// The elements of `from` at `offsets`; the bytes `fill` for kOutside.
Error storePicked(Evaluation &e, const Tensor &from, const Offsets &offsets,
                  ArrayRef<char> fill = {}) {
  Tensor result = Tensor::zeros(e.resultType(), e.resultShape());
  unsigned bytes = io::getInfo(result.type).bytes;
  char *to = result.bytes.data();
  for (int64_t offset : offsets) {
    std::memcpy(to,
                offset == kOutside ? fill.data() : &from.bytes[offset * bytes],
                bytes);
    to += bytes;
  }
  return e.store(std::move(result));
}

/// The bytes of a scalar attribute in the element type of the result.
io::Bytes fillBytes(Evaluation &e, mlir::TypedAttr fill) {
  if (auto value = llvm::dyn_cast<mlir::FloatAttr>(fill))
    return io::fromDoubles(e.resultType(), {}, {value.getValueAsDouble()})
        .bytes;
  llvm::APInt value = llvm::cast<mlir::IntegerAttr>(fill).getValue();
  return io::fromInts(e.resultType(), {},
                      {static_cast<int64_t>(value.extractBitsAsZExtValue(
                          value.getBitWidth(), 0))})
      .bytes;
}

Error evaluateBroadcast(BroadcastOp op, Evaluation &e) {
  std::vector<int64_t> shape = e.resultShape();
  const std::vector<int64_t> &from = e.operands[0]->shape;
  std::vector<int64_t> strides = rowMajorStrides(from);
  std::vector<int64_t> resultStrides(shape.size(), 0);
  for (auto [index, dim] : llvm::enumerate(op.getDims()))
    resultStrides[dim] = from[index] == 1 ? 0 : strides[index];
  std::vector<Offsets> lines;
  for (auto [extent, stride] : llvm::zip(shape, resultStrides))
    lines.push_back(line(extent, stride));
  return storePicked(e, *e.operands[0], combine(lines));
}

Error evaluateTranspose(TransposeOp op, Evaluation &e) {
  return storePicked(e, *e.operands[0],
                     offsetsAlong(e.operands[0]->shape, op.getPerm()));
}

Error evaluateSlice(SliceOp op, Evaluation &e) {
  std::vector<int64_t> strides = rowMajorStrides(e.operands[0]->shape);
  std::vector<Offsets> lines;
  for (auto [dim, extent] : llvm::enumerate(e.resultShape()))
    lines.push_back(line(extent, op.getStrides()[dim] * strides[dim],
                         op.getOffsets()[dim] * strides[dim]));
  return storePicked(e, *e.operands[0], combine(lines));
}

Error evaluatePad(PadOp op, Evaluation &e) {
  const std::vector<int64_t> &from = e.operands[0]->shape;
  std::vector<int64_t> strides = rowMajorStrides(from);
  std::vector<Offsets> lines;
  for (auto [dim, extent] : llvm::enumerate(e.resultShape())) {
    Offsets offsets(extent, kOutside);
    for (int64_t i = 0; i < from[dim]; ++i)
      offsets[i + op.getLow()[dim]] = i * strides[dim];
    lines.push_back(std::move(offsets));
  }
  return storePicked(e, *e.operands[0], combine(lines),
                     fillBytes(e, op.getFill()));
}

/// The offsets that one window reads along windowed dimension `i`, which starts
/// at output position `at`.
Offsets windowLine(WindowOp op, size_t i, int64_t at, int64_t extent,
                   int64_t stride) {
  Offsets offsets;
  for (int64_t w = 0; w < op.getSizes()[i]; ++w) {
    int64_t position =
        at * op.getStrides()[i] + w * op.getDilations()[i] - op.getPadLow()[i];
    offsets.push_back(position < 0 || position >= extent ? kOutside
                                                         : position * stride);
  }
  return offsets;
}

Error evaluateWindow(WindowOp op, Evaluation &e) {
  std::vector<int64_t> shape = e.resultShape();
  const std::vector<int64_t> &from = e.operands[0]->shape;
  std::vector<int64_t> strides = rowMajorStrides(from);
  size_t count = op.getSizes().size(), outer = from.size() - count;
  std::vector<int64_t> out(shape.begin() + outer, shape.begin() + from.size());
  std::vector<int64_t> outStrides = rowMajorStrides(out);

  // One window per output position, the same in every outer slice.
  Offsets slice;
  for (int64_t position = 0, end = product(out); position < end; ++position) {
    std::vector<Offsets> lines;
    for (size_t i = 0; i < count; ++i)
      lines.push_back(windowLine(op, i, position / outStrides[i] % out[i],
                                 from[outer + i], strides[outer + i]));
    llvm::append_range(slice, combine(lines));
  }
  std::vector<Offsets> lines;
  for (size_t i = 0; i < outer; ++i)
    lines.push_back(line(from[i], strides[i]));
  lines.push_back(std::move(slice));
  return storePicked(e, *e.operands[0], combine(lines),
                     fillBytes(e, op.getFill()));
}

Error evaluateConcat(ConcatOp op, Evaluation &e) {
  Tensor result = Tensor::zeros(e.resultType(), e.resultShape());
  int64_t axis = normaliseAxis(op.getAxis(), result.shape.size());
  unsigned bytes = io::getInfo(result.type).bytes;
  // Each operand is one run of bytes per index of the dimensions before axis.
  int64_t outer = product(ArrayRef<int64_t>(result.shape).take_front(axis));
  int64_t inner = product(ArrayRef<int64_t>(result.shape).drop_front(axis + 1));
  char *to = result.bytes.data();
  for (int64_t o = 0; o < outer; ++o)
    for (const TensorPtr &operand : e.operands) {
      size_t run = operand->shape[axis] * inner * bytes;
      if (run)
        std::memcpy(to, operand->bytes.data() + o * run, run);
      to += run;
    }
  return e.store(std::move(result));
}

/// The value of `expr` where its dims and symbols have these values.
int64_t evaluateAt(mlir::AffineExpr expr, ArrayRef<int64_t> dims,
                   ArrayRef<int64_t> symbols) {
  if (auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = llvm::dyn_cast<mlir::AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = llvm::cast<mlir::AffineBinaryOpExpr>(expr);
  int64_t lhs = evaluateAt(binary.getLHS(), dims, symbols);
  int64_t rhs = evaluateAt(binary.getRHS(), dims, symbols);
  int64_t rest = rhs == 0 ? 0 : ((lhs % rhs) + rhs) % rhs;
  switch (expr.getKind()) {
  case mlir::AffineExprKind::Add:
    return lhs + rhs;
  case mlir::AffineExprKind::Mul:
    return lhs * rhs;
  case mlir::AffineExprKind::Mod:
    return rest;
  case mlir::AffineExprKind::FloorDiv:
    return (lhs - rest) / rhs;
  default: // CeilDiv
    return (lhs - rest) / rhs + (rest != 0);
  }
}

Error evaluateGather(GatherOp op, Evaluation &e) {
  std::vector<mlir::AffineMap> maps;
  for (mlir::Attribute map : op.getMaps())
    maps.push_back(llvm::cast<mlir::AffineMapAttr>(map).getValue());
  std::vector<std::vector<int64_t>> indices;
  for (unsigned i = 1; i < e.operands.size(); ++i)
    indices.push_back(e.load<int64_t>(i));
  std::vector<int64_t> shape = e.resultShape();
  std::vector<int64_t> strides = rowMajorStrides(shape);
  std::vector<int64_t> point(shape.size()), symbols(indices.size());
  Offsets offsets;
  for (int64_t position = 0, end = product(shape); position < end; ++position) {
    for (size_t d = 0; d < shape.size(); ++d)
      point[d] = position / strides[d] % shape[d];
    // Where tensor `number` is read, in elements.
    auto offsetIn = [&](unsigned number, int64_t &offset) -> Error {
      offset = 0;
      const std::vector<int64_t> &from = e.operands[number]->shape;
      for (auto [d, expr] : llvm::enumerate(maps[number].getResults())) {
        int64_t index = evaluateAt(expr, point, symbols);
        if (index < 0 || index >= from[d])
          return e.fail("reads index " + llvm::Twine(index) + " of axis " +
                        llvm::Twine(d) + ", whose extent is " +
                        llvm::Twine(from[d]));
        offset = offset * from[d] + index;
      }
      return Error::success();
    };
    for (unsigned k = 0; k < indices.size(); ++k) {
      int64_t offset;
      if (Error error = offsetIn(k + 1, offset))
        return error;
      symbols[k] = indices[k][offset];
    }
    if (Error error = offsetIn(0, offsets.emplace_back()))
      return error;
  }
  return storePicked(e, *e.operands[0], offsets);
}

Error evaluateIota(IotaOp op, Evaluation &e) {
  std::vector<int64_t> shape = e.resultShape();
  int64_t axis = normaliseAxis(op.getAxis(), shape.size());
  std::vector<Offsets> lines;
  for (auto [dim, extent] : llvm::enumerate(shape))
    lines.push_back(line(extent, int64_t(dim) == axis));
  return e.store(combine(lines));
}

Error evaluateReshape(ReshapeOp, Evaluation &e) {
  return e.store(
      Tensor{"", e.resultType(), e.resultShape(), e.operands[0]->bytes});
}

} // namespace

void addMovement(Registry &registry) {
  registry.add<BroadcastOp>(OpClass::Exact, evaluateBroadcast);
  registry.add<TransposeOp>(OpClass::Exact, evaluateTranspose);
  registry.add<SliceOp>(OpClass::Exact, evaluateSlice);
  registry.add<PadOp>(OpClass::Exact, evaluatePad);
  registry.add<WindowOp>(OpClass::Exact, evaluateWindow);
  registry.add<ConcatOp>(OpClass::Exact, evaluateConcat);
  registry.add<GatherOp>(OpClass::Exact, evaluateGather);
  registry.add<IotaOp>(OpClass::Exact, evaluateIota);
  registry.add<ReshapeOp>(OpClass::Exact, evaluateReshape);
}

} // namespace fusec::ref
