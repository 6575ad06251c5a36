// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random inputs that every tool and test shares.
#ifndef FUSEC_COMPILER_IO_RANDOMTENSOR_H
#define FUSEC_COMPILER_IO_RANDOMTENSOR_H

#include "compiler/io/Tensor.h"

namespace fusec::io {

/// A tensor of random elements. They depend on `type`, the element's position
/// and `seed` only: the same on every machine and in every run.
///   floats             uniform in [-1, 1), multiples of 2^-23, then rounded
///   signed 8/16 bit    uniform in -8..7
///   unsigned           uniform in 0..15
///   i32, i64           uniform in 0..7 (they are mostly indices and token ids)
///   bool               either, equally likely
Tensor randomTensor(ElementType type, std::vector<int64_t> shape,
                    uint64_t seed);

/// The seed of input `index` of a model that is run with `seed`.
uint64_t inputSeed(uint64_t seed, uint64_t index);

} // namespace fusec::io

#endif // FUSEC_COMPILER_IO_RANDOMTENSOR_H
