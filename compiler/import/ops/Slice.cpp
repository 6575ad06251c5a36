// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slice: of known positions, or of as many from a start that the run time
// knows.
#include "compiler/import/ops/Slice.h"

#include "compiler/import/OpenLengths.h"
#include "compiler/import/ops/LinearForm.h"
#include "dialects/coded/CodedFloats.h"

using namespace mlir;

namespace fusec {

Value slice(Node &node, Value value, ArrayRef<int64_t> offsets,
            ArrayRef<int64_t> strides, ArrayRef<int64_t> shape) {
  RankedTensorType from = fuse::getTensorType(value);
  bool whole = from.getShape() == shape &&
               llvm::all_of(strides, [](int64_t s) { return s == 1; });
  if (whole)
    return value;
  return node.make<fuse::SliceOp>(tensorType(shape, from.getElementType()),
                                  value, offsets, strides);
}

namespace {

struct SliceTarget {
  SmallVector<int64_t> offsets, strides, shape;
  /// Dimensions whose positions the run time knows: as many as the shape says,
  /// a stride apart, from a start on.
  struct Start {
    int64_t axis;
    Value position;
    /// Where the run time knows how many there are, too: the end, and what to
    /// say if it matters.
    Value end = {};
    NodeError refusal = {};
  };
  SmallVector<Start> starts;
};

/// Operand `index` of a Slice: known numbers, or sums that the run time knows.
struct SliceList {
  std::vector<int64_t> known;
  Value value;
  /// What they are where the caches of the model are full, of those that follow
  /// from their length.
  std::vector<int64_t> full = {};

  size_t size() const {
    return value ? fuse::getTensorType(value).getNumElements() : known.size();
  }
  LinearForm operator[](size_t i) const {
    LinearForm form;
    if (value)
      return getLinearForm(value, int64_t(i));
    form.number = known[i];
    return form;
  }
};

SliceList readSliceList(Node &node, unsigned index, llvm::StringRef what) {
  if (node.constant(index) || node.isOnTrial() ||
      !node.elementType(index).isSignlessInteger() ||
      node.type(index).getNumElements() > fuse::ConstantOp::kMaxElements)
    return {node.constantInts(index, what), {}};
  SliceList list{{}, node.input(index)};
  if (node.extents(index))
    list.full = node.constantInts(index, what);
  return list;
}

/// The element of a list, as a tensor of one.
Value elementOf(Node &node, const SliceList &list, size_t i) {
  if (!list.value)
    return node.tensor(node.hostVector({list.known[i]}));
  Value all = node.reshape(list.value, {int64_t(list.size())});
  return node.cast(node.slice(all, 0, int64_t(i), 1),
                   node.builder.getI64Type());
}

/// The positions along `axis` from one that only the run time knows: as many as
/// the end is behind it, or, if that is not known either, as many as there can
/// be, of which those behind the end are left open.
void sliceAtRunTime(Node &node, SliceTarget &target, int64_t axis,
                    const SliceList &starts, const SliceList &ends, size_t i,
                    int64_t step) {
  int64_t extent = node.shape(0)[axis];
  LinearForm difference = ends[i];
  std::optional<int64_t> length = difference.add(starts[i], -1).getConstant();
  if (!length || step < 1) {
    try { // says why it is not known
      node.constantInts(1, "starts");
      node.constantInts(2, "ends");
    } catch (const NodeError &error) {
      if (step != 1 || extent == 0 || isCoded(node.elementType(0)))
        throw;
      target.starts.push_back(
          {axis, elementOf(node, starts, i), elementOf(node, ends, i), error});
    }
    return;
  }
  int64_t count = *length <= 0 ? 0 : (*length - 1) / step + 1;
  if (count && (count - 1) * step >= extent)
    node.unsupported("picks " + llvm::Twine(count) + " positions of " +
                         llvm::Twine(extent) +
                         ", from a start that the run time knows: how many "
                         "lie inside is not known",
                     "export the model with a constant start");
  target.shape[axis] = count;
  target.strides[axis] = step;
  target.starts.push_back({axis, elementOf(node, starts, i)});
}

/// Resolves starts, ends, axes and steps by ONNX's rules: negative positions
/// count from the end, positions beyond the tensor are clamped.
SliceTarget sliceTarget(Node &node) {
  int64_t rank = node.rank(0);
  SliceList starts, ends;
  std::vector<int64_t> axes, steps;
  if (node.opset() < 10) {
    starts.known = node.intsAttribute("starts");
    ends.known = node.intsAttribute("ends");
    axes = node.intsAttribute("axes");
  } else {
    node.requireInputs(3, 5);
    starts = readSliceList(node, 1, "starts");
    ends = readSliceList(node, 2, "ends");
    if (node.hasInput(3))
      axes = node.constantInts(3, "axes");
    if (node.hasInput(4))
      steps = node.constantInts(4, "steps");
  }
  if (axes.empty())
    for (size_t i = 0; i < starts.size(); ++i)
      axes.push_back(int64_t(i));
  if (steps.empty())
    steps.assign(starts.size(), 1);
  axes = node.normalizeAxes(axes, rank);
  if (starts.size() != ends.size() || starts.size() != axes.size() ||
      starts.size() != steps.size())
    node.invalid(
        "has lists of different lengths: " + llvm::Twine(starts.size()) +
        " starts, " + llvm::Twine(ends.size()) + " ends, " +
        llvm::Twine(axes.size()) + " axes, " + llvm::Twine(steps.size()) +
        " steps");
  SliceTarget target{SmallVector<int64_t>(rank, 0),
                     SmallVector<int64_t>(rank, 1),
                     SmallVector<int64_t>(node.shape(0)),
                     {}};
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t extent = node.shape(0)[axes[i]], step = steps[i];
    if (step == 0)
      node.invalid("has a step of 0");
    std::optional<int64_t> first = starts[i].getConstant(),
                           last = ends[i].getConstant();
    // Of as many as there are with full caches, from a start that may follow
    // from their length.
    bool followsLength = (first || !starts.full.empty()) &&
                         (last || !ends.full.empty()) && (!first || !last);
    const bool isMoved = followsLength && !first;
    if (followsLength) {
      first = first ? *first : starts.full[i];
      last = last ? *last : ends.full[i];
    }
    if (!first || !last) {
      sliceAtRunTime(node, target, axes[i], starts, ends, i, step);
      continue;
    }
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
    auto position = [&](int64_t at, int64_t lowest) {
      return std::clamp(at < 0 ? at + extent : at, lowest, high);
    };
    int64_t start = position(*first, 0);
    // The lowest end of a negative step lies before the first element; it is
    // reached from positions below -extent only.
    int64_t end = position(*last, low);
    // Steps beyond the tensor pick one element; a smaller one does the same
    // and cannot overflow.
    step = std::clamp(step, -extent - 1, extent + 1);
    int64_t length = step > 0 ? end - start : start - end;
    int64_t count = length <= 0 ? 0 : (length - 1) / std::abs(step) + 1;
    if (isMoved && step < 1)
      node.unsupported("goes backwards from a position that follows from the "
                       "length of a cache");
    if (isMoved)
      target.starts.push_back({axes[i], elementOf(node, starts, i)});
    target.offsets[axes[i]] = count && !isMoved ? start : 0;
    target.strides[axes[i]] = count ? step : 1;
    target.shape[axes[i]] = count;
  }
  return target;
}

/// A position that counts from the end if it is negative, moved to lie between
/// 0 and `last`.
Value clampPosition(Node &node, Value position, int64_t extent, int64_t last) {
  Value isNegative = node.compare(fuse::CmpPredicate::lt, position, 0);
  Value fromEnd = node.add(position, double(extent));
  position = node.select(isNegative, fromEnd, position);
  position = node.max(position, 0);
  return node.min(position, double(last));
}

/// `count` positions `step` apart along a dimension of `extent`.
Value positionsFrom(Node &node, Value start, int64_t count, int64_t step) {
  Value offset = node.iota(tensorType({count}, node.builder.getI64Type()), 0);
  if (step != 1)
    offset = node.mul(offset, double(step));
  return node.add(node.broadcast(start, {count}), offset);
}

/// The dimension cut where the run time says.
Value sliceDim(Node &node, Value value, const SliceTarget::Start &start,
               int64_t count, int64_t step) {
  RankedTensorType type = fuse::getTensorType(value);
  int64_t axis = start.axis, extent = type.getDimSize(axis);
  bool isOpen = bool(start.end);
  int64_t last = isOpen ? extent : extent - 1 - (count - 1) * step;
  Value first = clampPosition(node, start.position, extent, last);
  Value positions = positionsFrom(node, first, count, step);
  if (isOpen)
    positions = node.min(positions, double(extent - 1));
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = count;
  Value picked = node.make<fuse::GatherOp>(type.clone(shape), value, positions,
                                           uint64_t(axis));
  if (!isOpen)
    return picked;
  Value end = clampPosition(node, start.end, extent, extent);
  Value length = node.reshape(node.sub(end, first), {});
  return leaveLengthOpen(node, picked, axis, length, start.refusal);
}

} // namespace

void convertSlice(Node &node) {
  SliceTarget target = sliceTarget(node);
  SmallVector<int64_t> shape = target.shape, strides = target.strides;
  for (const SliceTarget::Start &start : target.starts)
    if (shape[start.axis] != 0) {
      shape[start.axis] = node.shape(0)[start.axis];
      strides[start.axis] = 1;
    }
  Value value = slice(node, node.input(0), target.offsets, strides, shape);
  for (const SliceTarget::Start &start : target.starts)
    if (target.shape[start.axis] != 0)
      value = sliceDim(node, value, start, target.shape[start.axis],
                       target.strides[start.axis]);
  node.setOutput(0, value);
}

} // namespace fusec
