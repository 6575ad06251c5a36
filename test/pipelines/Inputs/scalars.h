// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of elements: templates, which take lanes, and plain ones.
#pragma once
#include "fusec/scalars.h"

FUSEC_SCALARS(acme) {

  /// Softened x, weighed by another tensor.
  template <class V> FUSEC_INLINE V soft(V x, V w, V beta) {
    return select(gt(w, constant<V>(0)), x * sigmoid(beta * x),
                  constant<V>(0) - w);
  }

  template <class V> FUSEC_INLINE V whole(V n, V step) { return n * n + step; }

  FUSEC_INLINE float plain(float x, float y) {
    if (x < 0) // A branch, which only one element at a time can take.
      return y - x;
    return x * y;
  }

} // namespace
