// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What moves elements where maps say. Repetitions are the writer's own.
#include "compiler/export/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

LogicalResult writeTranspose(fuse::TransposeOp op, Writer &w) {
  w.node("Transpose", {w.name(op.getOperand())}, op->getResults())
      .integers("perm", op.getPerm());
  return success();
}

LogicalResult writeReshape(fuse::ReshapeOp op, Writer &w) {
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  w.node("Reshape", {w.name(op.getOperand()), w.integers(shape)},
         op->getResults())
      .flag("allowzero", llvm::is_contained(shape, 0));
  return success();
}

/// The end is the last element's number and one step more, or as far past the
/// beginning as ONNX has it.
LogicalResult writeSlice(fuse::SliceOp op, Writer &w) {
  ArrayRef<int64_t> from = shapeOf(op.getOperand()),
                    to = shapeOf(op.getResult());
  SmallVector<int64_t> starts, ends, axes, steps;
  for (auto [dim, offset, stride] :
       llvm::enumerate(op.getOffsets(), op.getStrides())) {
    if (from[dim] == to[dim] && stride == 1)
      continue;
    int64_t last = offset + (to[dim] - 1) * stride;
    starts.push_back(offset);
    ends.push_back(to[dim] == 0   ? offset
                   : stride > 0   ? last + 1
                   : last - 1 < 0 ? INT64_MIN
                                  : last - 1);
    axes.push_back(int64_t(dim));
    steps.push_back(stride);
  }
  if (axes.empty()) {
    w.forward(w.name(op.getOperand()), op.getResult());
    return success();
  }
  w.node("Slice",
         {w.name(op.getOperand()), w.integers(starts), w.integers(ends),
          w.integers(axes), w.integers(steps)},
         op->getResults());
  return success();
}

LogicalResult writePad(fuse::PadOp op, Writer &w) {
  SmallVector<int64_t> pads(op.getLow());
  llvm::append_range(pads, op.getHigh());
  w.node("Pad",
         {w.name(op.getOperand()), w.integers(pads), w.scalar(op.getFill())},
         op->getResults());
  return success();
}

LogicalResult writeConcat(fuse::ConcatOp op, Writer &w) {
  w.node("Concat", w.names(op.getOperands()), op->getResults())
      .integer("axis", op.getAxis());
  return success();
}

/// A padded copy, out of which each windowed dimension is gathered as two, the
/// position and the element of the window; then these come last.
LogicalResult writeWindow(fuse::WindowOp op, Writer &w) {
  ArrayRef<int64_t> in = shapeOf(op.getOperand()),
                    out = shapeOf(op.getResult());
  const int64_t count = op.getSizes().size(), outer = in.size() - count;
  SmallVector<int64_t> pads(2 * in.size(), 0);
  std::vector<std::vector<int64_t>> positions(count);
  for (int64_t d = 0; d < count; ++d) {
    int64_t last = 0;
    for (int64_t o = 0; o < out[outer + d]; ++o)
      for (int64_t e = 0; e < op.getSizes()[d]; ++e) {
        positions[d].push_back(o * op.getStrides()[d] +
                               e * op.getDilations()[d]);
        last = std::max(last, positions[d].back());
      }
    pads[outer + d] = op.getPadLow()[d];
    pads[in.size() + outer + d] =
        std::max<int64_t>(last + 1 - in[outer + d] - op.getPadLow()[d], 0);
  }
  std::string value = w.name(op.getOperand());
  if (llvm::any_of(pads, [](int64_t pad) { return pad != 0; }))
    value = w.step("Pad", {value, w.integers(pads), w.scalar(op.getFill())})
                .output();
  for (int64_t d = 0; d < count; ++d)
    value = w.step("Gather",
                   {value, w.integers(positions[d],
                                      {out[outer + d], op.getSizes()[d]})})
                .integer("axis", outer + 2 * d)
                .output();
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, outer));
  for (int64_t part : {0, 1})
    for (int64_t d = 0; d < count; ++d)
      perm.push_back(outer + 2 * d + part);
  w.node("Transpose", {value}, op->getResults()).integers("perm", perm);
  return success();
}

} // namespace

void registerExportAccesses(ExportRegistry &r) {
  r.add<fuse::TransposeOp>(writeTranspose);
  r.add<fuse::ReshapeOp>(writeReshape);
  r.add<fuse::SliceOp>(writeSlice);
  r.add<fuse::PadOp>(writePad);
  r.add<fuse::ConcatOp>(writeConcat);
  r.add<fuse::WindowOp>(writeWindow);
}

} // namespace fusec
