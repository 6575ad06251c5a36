// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// @scatter_elements, @scatter_nd (data, indices, updates) -> result: a copy of
// `data` with elements, or slices, replaced by or combined with `updates`, one
// after the other in the order of `indices`. Negative indices count from the
// end; what an index outside of the data would update is left out.
#include "dialects/TargetInfo.h"
#include "dialects/library/Registry.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace fusec::library {

static constexpr Parameter kElementsParameters[] = {{"axis", kInt},
                                                    {"reduction", kText}};
static constexpr Parameter kNdParameters[] = {{"reduction", kText}};

/// What both have in common.
static Refusal refuseCommon(const Call &call) {
  ShapedType data = call.operands[0];
  Type index = call.operands[1].getElementType();
  if (!index.isSignlessInteger(32) && !index.isSignlessInteger(64))
    return "needs i32 or i64 indices";
  llvm::StringRef reduction = call.getText("reduction");
  if (!llvm::is_contained(
          llvm::ArrayRef<llvm::StringRef>{"none", "add", "mul", "max", "min"},
          reduction))
    return ("has the unknown reduction '" + reduction + "'").str();
  if (data.getRank() == 0)
    return "has data without dimensions";
  return refuseOtherThan(call.results[0], data.getShape(),
                         data.getElementType(), "the result");
}

static Refusal refuseElements(const Call &call) {
  if (Refusal reason = refuseCommon(call))
    return reason;
  llvm::ArrayRef<int64_t> data = call.operandShape(0),
                          indices = call.operandShape(1);
  int64_t axis = call.getInt("axis");
  if (axis < 0 || axis >= int64_t(data.size()))
    return ("has the axis " + llvm::Twine(axis) + " for rank " +
            llvm::Twine(data.size()))
        .str();
  if (indices.size() != data.size())
    return ("has indices of rank " + llvm::Twine(indices.size()) +
            " for data of rank " + llvm::Twine(data.size()))
        .str();
  for (size_t d = 0; d < data.size(); ++d)
    if (int64_t(d) != axis && indices[d] > data[d])
      return "has indices " + shapeText(indices) +
             " that lead out of the data " + shapeText(data);
  return refuseOtherThan(call.operands[2], indices,
                         call.operands[0].getElementType(),
                         "the tensor of updates");
}

static Refusal refuseNd(const Call &call) {
  if (Refusal reason = refuseCommon(call))
    return reason;
  llvm::ArrayRef<int64_t> data = call.operandShape(0),
                          indices = call.operandShape(1);
  if (indices.empty() || indices.back() < 1 ||
      indices.back() > int64_t(data.size()))
    return "has indices " + shapeText(indices) +
           " whose last dimension is not 1 to " + std::to_string(data.size());
  llvm::SmallVector<int64_t> updates(indices.drop_back());
  llvm::append_range(updates, data.drop_front(indices.back()));
  return refuseOtherThan(call.operands[2], updates,
                         call.operands[0].getElementType(),
                         "the tensor of updates");
}

static Argument getReduction(const Call &call) {
  return {"reduction",
          "fusec::library::Reduction::" + call.getText("reduction").str()};
}

static std::vector<Argument> getElementsArguments(const Call &call) {
  return {{"dims", call.operandShape(0)},
          {"counts", call.operandShape(1)},
          {"axis", call.getInt("axis")},
          getReduction(call)};
}

static std::vector<Argument> getNdArguments(const Call &call) {
  llvm::ArrayRef<int64_t> indices = call.operandShape(1);
  return {{"dims", call.operandShape(0)},
          {"slices", ShapedType::getNumElements(indices.drop_back())},
          {"depth", indices.back()},
          getReduction(call)};
}

/// Of `lines` whose updates do not meet, `length` of each: a thread by itself
/// takes one that is short, or of so many that all threads have one; else a
/// block does.
static Grid getLinesGrid(int64_t lines, int64_t length,
                         const TargetInfo &target) {
  if (lines == 0 || length == 0)
    return {};
  const Multiprocessor &mp = *target.multiprocessor;
  // A block compares the updates that it has at a time with each other: twice
  // as many take four times as long.
  const int64_t kMost = 8 * mp.warp;
  if (length <= mp.warp || lines >= mp.blockThreads * mp.warp) {
    int64_t threads = std::min(kMost, getBlockThreads(lines, target));
    return {int64_t(llvm::divideCeil(lines, threads)), threads, {1}};
  }
  int64_t threads = std::min(kMost, getBlockThreads(length, target));
  return {lines, threads, {threads}};
}

static Grid getElementsGrid(const Call &call, const TargetInfo &target) {
  int64_t length = call.operandShape(1)[call.getInt("axis")];
  int64_t updates = call.operands[1].getNumElements();
  return getLinesGrid(length ? updates / length : 0, length, target);
}

static Grid getNdGrid(const Call &call, const TargetInfo &target) {
  llvm::ArrayRef<int64_t> indices = call.operandShape(1);
  return getLinesGrid(ShapedType::getNumElements(
                          call.operandShape(0).drop_front(indices.back())),
                      ShapedType::getNumElements(indices.drop_back()), target);
}

static constexpr DeviceForm kElementsOnDevice = {
    "fusec::library::scatter_elements", "fusec/cuda/library/scatter.h",
    getElementsGrid};
static constexpr DeviceForm kNdOnDevice = {
    "fusec::library::scatter_nd", "fusec/cuda/library/scatter.h", getNdGrid};

//===- Calls of constants -------------------------------------------------===//

template <typename T>
static void update(llvm::StringRef reduction, bool isUnsigned, T &place,
                   T element) {
  constexpr bool isFloat = std::is_same_v<T, double>;
  using Wrapping = std::conditional_t<isFloat, double, uint64_t>;
  bool isLess =
      isUnsigned ? uint64_t(element) < uint64_t(place) : element < place;
  bool isGreater =
      isUnsigned ? uint64_t(element) > uint64_t(place) : element > place;
  if (reduction == "add")
    place = T(Wrapping(place) + Wrapping(element));
  else if (reduction == "mul")
    place = T(Wrapping(place) * Wrapping(element));
  else if (reduction == "max")
    place = isGreater || element != element ? element : place;
  else if (reduction == "min")
    place = isLess || element != element ? element : place;
  else
    place = element;
}

/// Element `from` of the updates goes to element `to` of the result.
static void scatter(ConstantCall &c, int64_t from, int64_t to) {
  llvm::StringRef reduction = c.call.getText("reduction");
  if (c.results[0].isFloat)
    update(reduction, false, c.results[0].floats[to],
           c.operands[2].floats[from]);
  else
    update(reduction, c.isWideUnsigned(), c.results[0].ints[to],
           c.operands[2].ints[from]);
}

/// An index counted from the front; -1 if it is outside.
static int64_t wrapIndex(int64_t index, int64_t extent) {
  index += index < 0 ? extent : 0;
  return index >= 0 && index < extent ? index : -1;
}

static void foldElements(ConstantCall &c) {
  c.results[0] = c.operands[0];
  llvm::ArrayRef<int64_t> dims = c.call.operandShape(0);
  llvm::ArrayRef<int64_t> counts = c.call.operandShape(1);
  int64_t axis = c.call.getInt("axis");
  const std::vector<int64_t> &indices = c.operands[1].ints;
  for (int64_t from = 0; from < int64_t(indices.size()); ++from) {
    int64_t index = wrapIndex(indices[from], dims[axis]);
    if (index < 0)
      continue;
    int64_t to = 0, rest = from, stride = 1;
    for (int64_t d = int64_t(dims.size()); d-- > 0;) {
      to += (d == axis ? index : rest % counts[d]) * stride;
      rest /= counts[d];
      stride *= dims[d];
    }
    scatter(c, from, to);
  }
}

static void foldNd(ConstantCall &c) {
  c.results[0] = c.operands[0];
  llvm::ArrayRef<int64_t> dims = c.call.operandShape(0);
  int64_t depth = c.call.operandShape(1).back();
  int64_t size = ShapedType::getNumElements(dims.drop_front(depth));
  const std::vector<int64_t> &indices = c.operands[1].ints;
  for (int64_t slice = 0; slice < int64_t(indices.size()) / depth; ++slice) {
    int64_t to = 0;
    bool isInside = true;
    for (int64_t d = 0; d < depth; ++d) {
      int64_t index = wrapIndex(indices[slice * depth + d], dims[d]);
      isInside &= index >= 0;
      to = to * dims[d] + index;
    }
    for (int64_t i = 0; isInside && i < size; ++i)
      scatter(c, slice * size + i, to * size + i);
  }
}

//===- The entries --------------------------------------------------------===//

void addScatter(Registry &registry) {
  Routine elements = {"scatter_elements",
                      /*numOperands=*/3,
                      /*numResults=*/1,
                      kElementsParameters,
                      refuseElements,
                      {"fusec::library::scatter_elements",
                       "fusec/library/scatter.h", getElementsArguments}};
  elements.device = &kElementsOnDevice;
  elements.fold = foldElements;
  elements.updatesFirst = true;
  registry.add(elements);

  Routine nd = {"scatter_nd",
                /*numOperands=*/3,
                /*numResults=*/1,
                kNdParameters,
                refuseNd,
                {"fusec::library::scatter_nd", "fusec/library/scatter.h",
                 getNdArguments}};
  nd.device = &kNdOnDevice;
  nd.fold = foldNd;
  nd.updatesFirst = true;
  registry.add(nd);
}

} // namespace fusec::library
