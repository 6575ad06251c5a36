// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mathematics. Each function is one formula over V, which is float or f32x16,
// so that a scalar tail gives the bits of the vector body. Coefficients are
// minimax fits made with Sollya (fpminimax, single-precision coefficients,
// relative error); the comment gives the interval and the error in units of
// 2^-24. Intermediate results must be right with and without a fused
// multiply-add: constants that are multiplied by an exponent are short enough
// for exact products.
#ifndef FUSEC_KERNEL_MATH_H
#define FUSEC_KERNEL_MATH_H

#include "fusec/kernel/math_erf.h"
#include "fusec/kernel/math_exp.h"
#include "fusec/kernel/math_log.h"
#include "fusec/kernel/math_pow.h"
#include "fusec/kernel/math_trig.h"
// Built on the ones above.
#include "fusec/kernel/math_hyper.h"
#if FUSEC_LANES
// 16 doubles, built on the scalar forms of all of them.
#include "fusec/kernel/math_f64.h"
#endif

#endif
