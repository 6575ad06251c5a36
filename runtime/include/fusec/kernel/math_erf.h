// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// erf, by a polynomial for each sixteenth of [0, 4].
#ifndef FUSEC_KERNEL_MATH_ERF_H
#define FUSEC_KERNEL_MATH_ERF_H

#include "fusec/kernel/math_exp.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

/// table[index mod 16].
FUSEC_INLINE float lookup(const float (&table)[16], int32_t index) {
  return table[index & 15];
}
#if FUSEC_LANES
FUSEC_INLINE f32x16 lookup(const float (&table)[16], i32x16 index) {
  f32x16 v;
  FUSEC_PARTS(i, lookup_part(v.part[i], table, index.part[i]);)
  return v;
}
#endif // FUSEC_LANES

// erf(centre + d) on [n / 4, (n + 1) / 4]: coefficients of d^0, d^1, ... in row
// n of each table, through Chebyshev nodes: 0.7 with the rounding of d's terms.
// A centre is where erf is as good as a float, so that c0 has no error of its
// own. Row 0 is of erf(x) - x, the last one has 1 for c0.
FUSEC_TABLE float erf_centre[16] = {
    0.0f,        0.31249103f, 0.56251049f, 0.875018895f,
    1.12501156f, 1.37497127f, 1.62503862f, 1.87501872f,
    2.12497211f, 2.37502265f, 2.62498093f, 2.87497354f,
    3.12503648f, 3.37509537f, 3.62490463f, 4.19999981f};
FUSEC_TABLE float erf_c0[16] = {
    0.0f,         0.341459453f, 0.573683083f, 0.784084976f,
    0.888391912f, 0.948165178f, 0.978446841f, 0.991990685f,
    0.997345626f, 0.999217153f, 0.999794602f, 0.999952137f,
    0.999990106f, 0.999998212f, 0.999999702f, 1.0f};
FUSEC_TABLE float erf_c1[16] = {
    0.128379136f,    1.02340114f,    0.82231164f,     0.524727702f,
    0.318265676f,    0.170373231f,   0.0804621577f,   0.033543475f,
    0.0123422835f,   0.0040060468f,  0.00114799011f,  0.000290272437f,
    6.47439228e-05f, 1.2743536e-05f, 2.21745267e-06f, 8.81247004e-08f};
FUSEC_TABLE float erf_c2[16] = {
    6.1887431e-06f,   -0.31980744f,     -0.462562203f,    -0.459145844f,
    -0.358053744f,    -0.234259993f,    -0.130755216f,    -0.0628949553f,
    -0.0262268726f,   -0.0095142154f,   -0.00301328069f,  -0.000834438426f,
    -0.000202292445f, -4.29993961e-05f, -8.03500916e-06f, 4.60017674e-07f};
FUSEC_TABLE float erf_c3[16] = {
    -0.37631622f,    -0.27445057f,    -0.100587741f,   0.0929306746f,
    0.162452906f,    0.157941282f,    0.114833437f,    0.0674383119f,
    0.0330404937f,   0.0137293311f,   0.00489079021f,  0.00150269666f,
    0.000399917102f, 9.25201894e-05f, 1.86834422e-05f, 2.80939821e-06f};
FUSEC_TABLE float erf_c4[16] = {
    0.00192227843f,   0.150461257f,     0.183314025f,     0.112187192f,
    0.0282713808f,    -0.0300646722f,   -0.0494379364f,   -0.0421782024f,
    -0.0263977181f,   -0.013192907f,    -0.00545857009f,  -0.00190429646f,
    -0.000566335977f, -0.000144685284f, -3.19659703e-05f, 5.33461025e-06f};
FUSEC_TABLE float erf_c5[16] = {
    0.106150225f,    0.048463136f,    -0.0245150067f,  -0.066853866f,
    -0.0611359812f,  -0.0306338463f,  -0.00225472497f, 0.0113665136f,
    0.0124589354f,   0.00835962687f,  0.00423117494f,  0.00172361219f,
    0.000582157343f, 0.000165762191f, 4.02147271e-05f, 7.04314698e-06f};

template <class V> FUSEC_INLINE V erf_body(V x) {
  const V a = min(abs(x), 3.9999998f); // erf(4) rounds to 1
  const V t = fma(a, V(4.0f), V(-0.5f)) + V(round_magic);
  const auto n = bits_of(t);
  const V d = a - lookup(erf_centre, n);
  V p = lookup(erf_c5, n);
  p = fma(p, d, lookup(erf_c4, n));
  p = fma(p, d, lookup(erf_c3, n));
  p = fma(p, d, lookup(erf_c2, n));
  p = fma(p, d, lookup(erf_c1, n));
  p = fma(p, d, select(t == V(round_magic), a, lookup(erf_c0, n)));
  return copysign(p, x);
}

} // namespace detail

FUSEC_MATH_1_DOUBLE(erf)

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
