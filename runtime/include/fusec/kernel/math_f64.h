// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounding and mathematics on 16 doubles: lane by lane through the C library,
// as the scalar forms are.
#ifndef FUSEC_KERNEL_MATH_F64_H
#define FUSEC_KERNEL_MATH_F64_H

#include "fusec/kernel/math_erf.h"
#include "fusec/kernel/math_hyper.h"
#include "fusec/kernel/math_pow.h"
#include "fusec/kernel/math_trig.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

#define FUSEC_F64_1(name)                                                      \
  FUSEC_INLINE f64x16 name(f64x16 x) {                                         \
    FUSEC_HALVES(i, for (int l = 0; l < detail::lanes / 2; ++l)                \
                        x.part[i][l] = name(static_cast<double>(x.part[i][l]));) \
    return x;                                                                  \
  }
#define FUSEC_F64_2(name)                                                      \
  FUSEC_INLINE f64x16 name(f64x16 x, f64x16 y) {                               \
    FUSEC_HALVES(i, for (int l = 0; l < detail::lanes / 2; ++l)                \
                        x.part[i][l] = name(static_cast<double>(x.part[i][l]), \
                                            static_cast<double>(y.part[i][l]));) \
    return x;                                                                  \
  }
FUSEC_F64_1(sqrt)
FUSEC_F64_1(floor)
FUSEC_F64_1(ceil)
FUSEC_F64_1(trunc)
FUSEC_F64_1(round_even)
FUSEC_F64_1(round_away)
FUSEC_F64_1(exp)
FUSEC_F64_1(exp2)
FUSEC_F64_1(expm1)
FUSEC_F64_1(log)
FUSEC_F64_1(log2)
FUSEC_F64_1(log10)
FUSEC_F64_1(log1p)
FUSEC_F64_1(tanh)
FUSEC_F64_1(sigmoid)
FUSEC_F64_1(erf)
FUSEC_F64_1(erfc)
FUSEC_F64_1(sin)
FUSEC_F64_1(cos)
FUSEC_F64_1(tan)
FUSEC_F64_1(asin)
FUSEC_F64_1(acos)
FUSEC_F64_1(atan)
FUSEC_F64_1(cbrt)
FUSEC_F64_1(sinh)
FUSEC_F64_1(cosh)
FUSEC_F64_1(asinh)
FUSEC_F64_1(acosh)
FUSEC_F64_1(atanh)
FUSEC_F64_2(pow)
FUSEC_F64_2(atan2)
FUSEC_F64_2(fmod)
FUSEC_F64_2(mod)
#undef FUSEC_F64_1
#undef FUSEC_F64_2

FUSEC_INLINE f64x16 rsqrt(f64x16 x) { return 1.0 / sqrt(x); }

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
