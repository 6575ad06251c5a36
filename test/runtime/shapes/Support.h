// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs kernels on small numbers and prints what they wrote, a line each.
//
// The numbers are small integers, of which every sum and product is exact, in
// float too: so neither the order of a sum nor a contraction can be seen in the
// bits, only what was left out, taken twice, or read from elsewhere.
#ifndef FUSEC_TEST_SHAPES_SUPPORT_H
#define FUSEC_TEST_SHAPES_SUPPORT_H

#include <cstdio>

#include "fusec/kernel/kernel.h"

namespace fusec {
namespace shapes {

constexpr int64_t kElements = 4096;

/// From -4 to 4 and never zero, whose sign would be another question.
inline int32_t smallNumber(uint32_t position, uint32_t seed) {
  uint32_t bits = (position + seed) * 2654435761u;
  bits = (bits ^ (bits >> 15)) * 2246822519u;
  int32_t magnitude = static_cast<int32_t>(bits >> 30) + 1;
  return (bits & 1024) ? magnitude : -magnitude;
}

template <class P> void fill(P *data, uint32_t seed) {
  for (int64_t i = 0; i < kElements; ++i)
    data[i] = static_cast<P>(smallNumber(static_cast<uint32_t>(i), seed));
}
template <> inline void fill(bool *data, uint32_t seed) {
  for (int64_t i = 0; i < kElements; ++i)
    data[i] = smallNumber(static_cast<uint32_t>(i), seed) > 0;
}
template <> inline void fill(f16 *data, uint32_t seed) {
  for (int64_t i = 0; i < kElements; ++i)
    store(data + i,
          static_cast<float>(smallNumber(static_cast<uint32_t>(i), seed)));
}
template <> inline void fill(bf16 *data, uint32_t seed) {
  for (int64_t i = 0; i < kElements; ++i)
    store(data + i,
          static_cast<float>(smallNumber(static_cast<uint32_t>(i), seed)));
}

/// What an element of P is computed as.
template <class P>
using Value = decltype(load(static_cast<const P *>(nullptr)));

/// Runs a kernel and prints a hash of all that it wrote or left alone.
template <class X, class Y>
void run(const char *name, void (*kernel)(const X *, const X *, Y *)) {
  static X x[kElements], w[kElements];
  static Y y[kElements];
  fill(x, 1);
  fill(w, 2);
  fill(y, 3);
  kernel(x, w, y);
  uint64_t hash = 14695981039346656037u;
  const unsigned char *bytes = reinterpret_cast<const unsigned char *>(y);
  for (size_t i = 0; i < sizeof(y); ++i)
    hash = (hash ^ bytes[i]) * 1099511628211u;
  std::printf("%s: %016llx\n", name, static_cast<unsigned long long>(hash));
}

// The kernel keeps a name of its own, so that it is compiled as a function that
// knows nothing of its operands.
#define RUN(...) run(#__VA_ARGS__, &__VA_ARGS__)
#define KERNEL __attribute__((noinline)) void

// Each direction of two loops.
#define DIRECTIONS(kernel, P, A, B)                                            \
  RUN(kernel<P, A, B, false, false>);                                          \
  RUN(kernel<P, A, B, false, true>);                                           \
  RUN(kernel<P, A, B, true, false>);                                           \
  RUN(kernel<P, A, B, true, true>)

// Shorter than a vector, one more than one, and long.
#define EXTENTS(kernel, P)                                                     \
  DIRECTIONS(kernel, P, 7, 5);                                                 \
  DIRECTIONS(kernel, P, 6, 8);                                                 \
  DIRECTIONS(kernel, P, 3, 17);                                                \
  DIRECTIONS(kernel, P, 4, 3)

/// Where element (i, j) of an A x B array lies, each dimension backwards or
/// not.
template <int64_t A, int64_t B, bool I, bool J>
constexpr int64_t at(int64_t i, int64_t j) {
  return (I ? A - 1 - i : i) * B + (J ? B - 1 - j : j);
}

} // namespace shapes
} // namespace fusec

#endif
