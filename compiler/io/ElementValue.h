// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of a tensor as numbers: what every element type means, and how a
// number is rounded to it.
#ifndef FUSEC_COMPILER_IO_ELEMENTVALUE_H
#define FUSEC_COMPILER_IO_ELEMENTVALUE_H

#include "compiler/io/Tensor.h"

namespace fusec::io {

/// Whether elements are floating-point numbers.
bool isFloat(ElementType type);

/// Whether elements are floats of 8 or 4 bits, which are only moved and cast.
bool isCoded(ElementType type);

/// `value` rounded to the float type `type` (to nearest, ties to even;
/// overflow gives an infinity, NaN where the type has none, the largest number
/// where it has no NaN either; underflow a denormal number or zero).
double roundTo(ElementType type, double value);

/// The elements as doubles: exact for every type but I64 and U64.
std::vector<double> toDoubles(const Tensor &tensor);

/// The elements as 64-bit integers; floats truncate towards zero, and what
/// fits no int64 (or is NaN) becomes its lowest value, as x86 converts.
std::vector<int64_t> toInts(const Tensor &tensor);

/// A tensor of `values`, each rounded to `type` (`roundTo`). Integer types
/// truncate towards zero and wrap; a boolean is whether the value is not zero.
Tensor fromDoubles(ElementType type, std::vector<int64_t> shape,
                   llvm::ArrayRef<double> values);

/// A tensor of `values`. Integers wrap to their width; a boolean is whether
/// the value is not zero.
Tensor fromInts(ElementType type, std::vector<int64_t> shape,
                llvm::ArrayRef<int64_t> values);

} // namespace fusec::io

#endif // FUSEC_COMPILER_IO_ELEMENTVALUE_H
