// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the routines of the library share: elements as numbers, indices, loops
// over threads. Host programs call the routines; they are compiled once, not
// per instruction set, and stay clear of the kernels' vocabulary.
#ifndef FUSEC_LIBRARY_COMMON_H
#define FUSEC_LIBRARY_COMMON_H

#include "fusec/abi.h"
#include "fusec/element.h"

#include <cstring>

namespace fusec {
namespace library {

//===- Elements -----------------------------------------------------------===//

/// An element as a number that one computes with, and back; 16-bit floats are
/// computed as float and rounded to nearest, ties to even.
template <class T> inline T number(T element) { return element; }
template <class T> struct Element {
  static T from(T value) { return value; }
};

inline float float_from(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
inline uint32_t bits_from(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float number(bf16 element) {
  return float_from(uint32_t(element.bits) << 16);
}
inline float number(f16 element) {
  // Read as a float, the exponent is 112 too small; infinity and NaN keep an
  // exponent of all ones.
  const uint32_t magnitude = (element.bits & 0x7fffu) << 13;
  const uint32_t sign = (element.bits & 0x8000u) << 16;
  const uint32_t bits = magnitude >= 0x0f800000u
                            ? magnitude | 0x7f800000u
                            : bits_from(float_from(magnitude) * 0x1p112f);
  return float_from(bits | sign);
}

template <> struct Element<bf16> {
  static bf16 from(float value) {
    const uint32_t bits = bits_from(value);
    if (value != value)
      return {uint16_t(bits >> 16 | 0x40)};
    return {uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
  }
};
template <> struct Element<f16> {
  static f16 from(float value) {
    const uint32_t bits = bits_from(value), magnitude = bits & 0x7fffffffu;
    uint32_t half;
    if (magnitude > 0x7f800000u) // NaN
      half = 0x7e00u | (magnitude >> 13 & 0x3ffu);
    else if (magnitude >= 0x47800000u)
      half = 0x7c00u;
    else if (magnitude >= 0x38800000u)
      half = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
    else // The last place of 0.5 is that of a subnormal.
      half = bits_from(float_from(magnitude) + 0.5f) - 0x3f000000u;
    return {uint16_t(half | (bits >> 16 & 0x8000u))};
  }
};

//===- Indices ------------------------------------------------------------===//

/// `index` counted from the front, or -1 where it lies outside of `extent`.
inline int64_t wrap_index(int64_t index, int64_t extent) {
  index += index < 0 ? extent : 0;
  return uint64_t(index) < uint64_t(extent) ? index : -1;
}

//===- Threads ------------------------------------------------------------===//

/// How many iterations are worth a thread if one takes about `cost` steps.
inline int64_t grain_of(int64_t cost) {
  return cost >= 16384 ? 1 : 16384 / (cost < 1 ? 1 : cost);
}

/// Calls body(begin, end) on disjoint ranges that cover [0, n), on the threads
/// of `ctx`, and returns after all of them.
template <class Body>
inline void parallel(const fusec_kernel_ctx *ctx, int64_t n, int64_t grain,
                     const Body &body) {
  if (n <= 0)
    return;
  if (n <= grain || ctx->threads <= 1) {
    body(0, n);
    return;
  }
  ctx->parallel_for(
      ctx->parallel_self, n, grain,
      [](void *self, int64_t begin, int64_t end) {
        (*static_cast<const Body *>(self))(begin, end);
      },
      const_cast<Body *>(&body));
}

/// Copies `count` elements.
template <class T>
inline void copy(const fusec_kernel_ctx *ctx, const T *from, T *to,
                 int64_t count) {
  const int64_t block = 65536;
  parallel(ctx, (count + block - 1) / block, 4,
           [=](int64_t begin, int64_t end) {
             const int64_t last = end * block < count ? end * block : count;
             std::memcpy(to + begin * block, from + begin * block,
                         size_t(last - begin * block) * sizeof(T));
           });
}

} // namespace library
} // namespace fusec

#endif
