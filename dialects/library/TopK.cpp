// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// @top_k (x) -> (values, indices): the k largest or smallest elements along an
// axis, the best first, equal ones in the order of their indices.
#include "dialects/library/Registry.h"

#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;

namespace fusec::library {

static constexpr Parameter kTopKParameters[] = {
    {"axis", kInt}, {"k", kInt}, {"largest", kFlag}};

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

/// Calls `use` with the numbers of `column`.
template <typename Use> static void withNumbers(Column &column, Use use) {
  column.isFloat ? use(column.floats) : use(column.ints);
}

static void foldTopK(ConstantCall &c) {
  llvm::ArrayRef<int64_t> shape = c.call.operandShape(0);
  int64_t axis = c.call.getInt("axis"), k = c.call.getInt("k");
  const bool largest = c.call.getFlag("largest");
  const bool isUnsigned = c.isWideUnsigned();
  int64_t outer = ShapedType::getNumElements(shape.take_front(axis));
  int64_t inner = ShapedType::getNumElements(shape.drop_front(axis + 1));
  // NaN is above all numbers.
  auto isLess = [&](auto a, auto b) {
    if constexpr (std::is_same_v<decltype(a), double>)
      return std::isnan(b) ? !std::isnan(a) : a < b;
    else
      return isUnsigned ? uint64_t(a) < uint64_t(b) : a < b;
  };
  withNumbers(c.operands[0], [&](auto &x) {
    auto &values = [&]() -> auto & {
      if constexpr (std::is_same_v<decltype(x), std::vector<double> &>)
        return c.results[0].floats;
      else
        return c.results[0].ints;
    }();
    std::vector<int64_t> order(shape[axis]);
    for (int64_t line = 0; line < outer * inner; ++line) {
      int64_t from = line / inner * shape[axis] * inner + line % inner;
      int64_t to = line / inner * k * inner + line % inner;
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        auto p = x[from + a * inner], q = x[from + b * inner];
        bool isBefore = largest ? isLess(q, p) : isLess(p, q);
        bool isBehind = largest ? isLess(p, q) : isLess(q, p);
        return isBefore || (!isBehind && a < b);
      });
      for (int64_t i = 0; i < k; ++i) {
        values[to + i * inner] = x[from + order[i] * inner];
        c.results[1].ints[to + i * inner] = order[i];
      }
    }
  });
}

void addTopK(Registry &registry) {
  Routine topK = {
      "top_k",
      /*numOperands=*/1,
      /*numResults=*/2,
      kTopKParameters,
      refuseTopK,
      {"fusec::library::top_k", "fusec/library/top_k.h", getTopKArguments}};
  topK.device = &kTopKOnDevice;
  topK.fold = foldTopK;
  registry.add(topK);
}

} // namespace fusec::library
