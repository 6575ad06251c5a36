// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// @top_k (x) -> (values, indices): the k largest or smallest elements along an
// axis, the best first, equal ones in the order of their indices.
#include "dialects/library/Library.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;

namespace fusec::library {

static constexpr Parameter kTopKParameters[] = {
    {"axis", ParameterKind::Int},
    {"k", ParameterKind::Int},
    {"largest", ParameterKind::Flag}};

static Refusal refuseTopK(const Call &call) {
  llvm::SmallVector<int64_t> shape(call.operandShape(0));
  int64_t axis = call.getInt("axis"), k = call.getInt("k");
  if (axis < 0 || axis >= int64_t(shape.size()))
    return ("has the axis " + llvm::Twine(axis) + " for rank " +
            llvm::Twine(shape.size()))
        .str();
  if (k < 0 || k > shape[axis])
    return ("picks " + llvm::Twine(k) + " of " + llvm::Twine(shape[axis]) +
            " elements")
        .str();
  shape[axis] = k;
  Type element = call.operands[0].getElementType();
  if (element.isInteger(1))
    return "orders numbers, not booleans";
  if (Refusal reason =
          refuseOtherThan(call.results[0], shape, element, "the first result"))
    return reason;
  return refuseOtherThan(call.results[1], shape,
                         IntegerType::get(element.getContext(), 64),
                         "the second result");
}

static std::vector<Argument> getTopKArguments(const Call &call) {
  llvm::ArrayRef<int64_t> shape = call.operandShape(0);
  int64_t axis = call.getInt("axis");
  return {{"outer", ShapedType::getNumElements(shape.take_front(axis))},
          {"extent", shape[axis]},
          {"inner", ShapedType::getNumElements(shape.drop_front(axis + 1))},
          {"k", call.getInt("k")},
          {"largest", call.getFlag("largest")}};
}

static Grid getTopKGrid(const Call &call, const TargetInfo &target) {
  int64_t axis = call.getInt("axis"), k = call.getInt("k");
  int64_t extent = call.operandShape(0)[axis];
  int64_t lines = k ? call.results[0].getNumElements() / k : 0;
  return {lines, getBlockThreads(extent, target)};
}

static constexpr DeviceForm kTopKOnDevice = {
    "fusec::library::top_k", "fusec/cuda/library/top_k.h", getTopKGrid};

const Routine kTopK = {
    "top_k",
    1,
    2,
    kTopKParameters,
    refuseTopK,
    /*isPure=*/true,
    /*getWorkspaceBytes=*/nullptr,
    {"fusec::library::top_k", "fusec/library/top_k.h", getTopKArguments},
    &kTopKOnDevice};

} // namespace fusec::library
