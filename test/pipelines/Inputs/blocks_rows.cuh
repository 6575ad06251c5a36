// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace blocks {

template <class X> __device__ int64_t rows_of(X x) { return x.extent(0); }

} // namespace blocks
