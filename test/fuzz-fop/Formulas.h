// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random operators, which are right.
#ifndef FUSEC_TEST_FUZZ_FOP_FORMULAS_H
#define FUSEC_TEST_FUZZ_FOP_FORMULAS_H

#include "compiler/fop/Instance.h"
#include <random>

namespace fusec {

/// An operator, fuzz.Op<seed>, and operands for it.
struct Formula {
  std::string text;
  std::vector<fop::TensorType> inputs;
};

/// The one that follows from `seed`. Where results may differ by rounding,
/// nothing depends on them that jumps.
Formula writeFormula(uint64_t seed);

} // namespace fusec

#endif // FUSEC_TEST_FUZZ_FOP_FORMULAS_H
