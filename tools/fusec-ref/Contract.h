// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products at speed: the only evaluator whose time matters. Free of
// MLIR, so that it is compiled with optimisation in every build type.
#ifndef FUSEC_TOOLS_FUSEC_REF_CONTRACT_H
#define FUSEC_TOOLS_FUSEC_REF_CONTRACT_H

#include <cstdint>
#include <vector>

namespace fusec::ref {

/// One loop of a contraction: its extent, and how far a step moves in each
/// tensor (in elements; 0: not indexed by it).
struct Iterator {
  int64_t extent;
  int64_t lhs, rhs, result;
  /// Whether the products along it are summed (`result` is 0 then).
  bool reduces;
};

/// result[at] += sum of lhs[at] * rhs[at] over the iterators that reduce.
/// Every parallel iterator of extent above 1 must move in `result`, and no two
/// points may share a result element. T is double, or uint64_t for integers
/// (which wrap). Uses the machine's threads.
template <typename T>
void contract(const std::vector<Iterator> &iterators, const T *lhs,
              const T *rhs, T *result);

} // namespace fusec::ref

#endif // FUSEC_TOOLS_FUSEC_REF_CONTRACT_H
