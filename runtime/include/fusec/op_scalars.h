// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `fusec op build` adds to a library for each operator with .scalar: a
// form that calls the function for each element, 16 at a time where it takes
// vectors.
#ifndef FUSEC_OP_SCALARS_H
#define FUSEC_OP_SCALARS_H

#include "fusec/op.h"
#include "fusec/scalars.h"

#include <type_traits>

namespace fusec {
namespace op {
inline namespace FUSEC_OP_NAMESPACE {

/// Computes out[0], whose elements are stored as `P`, like those of the inputs.
/// `Function` has kInputs, kParams, kTakesLanes, and call<V>(elements,
/// parameters).
template <class P, class Function>
inline void computeElements(const Tensors &in, const Param &params,
                            Tensors &out, const Context &context) {
  using Element = decltype(load(static_cast<const P *>(nullptr)));
  constexpr int numInputs = Function::kInputs;
  Element values[Function::kNumParams + 1] = {};
  for (int i = 0; i < Function::kNumParams; ++i)
    values[i] = static_cast<Element>(double(params[Function::kParams[i]]));
  const P *from[numInputs];
  for (int i = 0; i < numInputs; ++i)
    from[i] = static_cast<const P *>(in[i].data<void>());
  P *to = static_cast<P *>(out[0].data<void>());
  context.parallelFor(
      out[0].shape().elements(), /*grain=*/4096,
      [=](int64_t begin, int64_t end) {
        int64_t at = begin;
        if constexpr (Function::kTakesLanes) {
          using Lanes = typename detail::lanewise<Element>::vector;
          Lanes lanes[numInputs];
          for (; at + 16 <= end; at += 16) {
            for (int i = 0; i < numInputs; ++i)
              lanes[i] = load<Lanes>(from[i] + at);
            store(to + at, Function::template call<Lanes>(lanes, values));
          }
        }
        for (; at < end; ++at) {
          Element elements[numInputs];
          for (int i = 0; i < numInputs; ++i)
            elements[i] = load(from[i] + at);
          store(to + at, Function::template call<Element>(elements, values));
        }
      });
}

} // namespace FUSEC_OP_NAMESPACE
} // namespace op
} // namespace fusec

#endif
