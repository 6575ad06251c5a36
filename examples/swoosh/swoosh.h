// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens to one element. The compiler puts this text into the kernels of
// a model, for CPUs and for GPUs.
#include "fusec/scalars.h"

FUSEC_SCALARS(acme) {

  /// log(1 + exp(x - shift)) - slope * x - offset, without an overflow where x
  /// is large. V is a float, or a vector of 16.
  template <class V> FUSEC_INLINE V swoosh(V x, V shift, V slope, V offset) {
    const V z = x - shift;
    return max(z, constant<V>(0)) + log1p(exp(-abs(z))) - slope * x - offset;
  }

} // namespace
