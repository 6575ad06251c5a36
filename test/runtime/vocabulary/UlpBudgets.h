// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far each function of the vocabulary may be from the exact result, in
// units in the last place of float: the one table that the tests hold every
// body to.
#ifndef FUSEC_TEST_ULP_BUDGETS_H
#define FUSEC_TEST_ULP_BUDGETS_H

#define FUSEC_ULP_BUDGETS(ROW)                                                 \
  /* name, budget in ULP, reference in double */                               \
  ROW(exp, 1.5, std::exp)                                                      \
  ROW(exp2, 1.5, std::exp2)                                                    \
  ROW(expm1, 2.0, std::expm1)                                                  \
  ROW(tanh, 2.5, std::tanh)                                                    \
  ROW(sigmoid, 2.5, reference::sigmoid)                                        \
  ROW(erf, 1.5, std::erf)                                                      \
  ROW(erfc, 0.6, std::erfc)                                                    \
  ROW(cbrt, 0.6, std::cbrt)                                                    \
  ROW(log, 1.5, std::log)                                                      \
  ROW(log2, 2.5, std::log2)                                                    \
  ROW(log10, 2.5, std::log10)                                                  \
  ROW(log1p, 2.0, std::log1p)                                                  \
  ROW(sin, 2.5, std::sin)                                                      \
  ROW(cos, 2.5, std::cos)                                                      \
  ROW(tan, 3.5, std::tan)                                                      \
  ROW(asin, 2.5, std::asin)                                                    \
  ROW(acos, 1.5, std::acos)                                                    \
  ROW(atan, 1.5, std::atan)                                                    \
  ROW(sinh, 2.5, std::sinh)                                                    \
  ROW(cosh, 2.0, std::cosh)                                                    \
  ROW(asinh, 3.0, std::asinh)                                                  \
  ROW(acosh, 3.0, std::acosh)                                                  \
  ROW(atanh, 3.0, std::atanh)                                                  \
  ROW(sqrt, 0.5, std::sqrt)                                                    \
  ROW(rsqrt, 1.5, reference::rsqrt)                                            \
  ROW(rcp, 0.5, reference::rcp)                                                \
  ROW(floor, 0.0, std::floor)                                                  \
  ROW(ceil, 0.0, std::ceil)                                                    \
  ROW(trunc, 0.0, std::trunc)                                                  \
  ROW(round_even, 0.0, std::nearbyint)                                         \
  ROW(round_away, 0.0, std::round)                                             \
  ROW(abs, 0.0, std::fabs)                                                     \
  ROW(neg, 0.0, reference::neg)

/// pow(x, y).
constexpr double powUlpBudget = 1.0;
/// atan2(y, x).
constexpr double atan2UlpBudget = 2.5;

#endif
