// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of single elements, which operators of users name with .scalar and
// which become a part of kernels (fusec/op.h). Such a header looks like this:
//
//   #include "fusec/scalars.h"
//
//   FUSEC_SCALARS(acme) {
//
//   template <class V> FUSEC_INLINE V swish(V x, V beta) {
//     return x * sigmoid(beta * x) + constant<V>(0.5);
//   }
//
//   } // namespace
//
// V is a scalar, or 16 of them in a vector: float and f32x16, double and
// f64x16. The words of fusec/kernel/README.md take both; where a plain `if`
// would stand, there is select(gt(x, beta), a, b). A plain function, as
// `FUSEC_INLINE float swish(float x, float beta)`, is called for each lane.
//
// The text is put into the files of kernels, for CPUs and for GPUs, so that it
// includes nothing else.
#ifndef FUSEC_SCALARS_H
#define FUSEC_SCALARS_H

#if defined(__CUDACC__)
#include "fusec/cuda/kernel.h"
#else
#include "fusec/kernel/kernel.h"
#endif

// A namespace for each instruction set: objects share no function.
#define FUSEC_SCALARS_OF_(isa) scalars_##isa
#define FUSEC_SCALARS_OF(isa) FUSEC_SCALARS_OF_(isa)

/// Begins the namespace `name` of such functions.
#define FUSEC_SCALARS(name) namespace fusec::FUSEC_SCALARS_OF(FUSEC_ISA)::name

namespace fusec {

#if FUSEC_LANES
inline namespace FUSEC_ISA_NS {

namespace detail {

FUSEC_INLINE float lane_of(f32x16 v, int lane) { return get(v, lane); }
FUSEC_INLINE double lane_of(f64x16 v, int lane) { return get(v, lane); }
FUSEC_INLINE int32_t lane_of(i32x16 v, int lane) { return get(v, lane); }
FUSEC_INLINE int64_t lane_of(i64x16 v, int lane) { return get(v, lane); }
FUSEC_INLINE float lane_of(float x, int) { return x; }
FUSEC_INLINE double lane_of(double x, int) { return x; }
FUSEC_INLINE int32_t lane_of(int32_t x, int) { return x; }
FUSEC_INLINE int64_t lane_of(int64_t x, int) { return x; }

} // namespace detail

/// `function` of each lane of the arguments; scalars are the same in all lanes.
template <class V, class Function, class... Args>
FUSEC_INLINE V each_lane(Function function, Args... args) {
  decltype(detail::lane_of(V(), 0)) lanes[16];
  for (int lane = 0; lane < 16; ++lane)
    lanes[lane] = function(detail::lane_of(args, lane)...);
  return load<V>(lanes);
}

} // namespace FUSEC_ISA_NS
#endif

namespace FUSEC_SCALARS_OF(FUSEC_ISA) {

/// A number as a scalar, or in all lanes: constant<V>(0.5).
template <class V> FUSEC_INLINE V constant(double number) {
#if FUSEC_LANES
  return V(static_cast<decltype(fusec::detail::lane_of(V(), 0))>(number));
#else
  return V(number);
#endif
}

} // namespace FUSEC_SCALARS_OF(FUSEC_ISA)
namespace scalars = FUSEC_SCALARS_OF(FUSEC_ISA);

} // namespace fusec

#endif
