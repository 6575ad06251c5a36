// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of pairs and quads against sums in 64 bits, with the greatest and
// least numbers.
#include "test/runtime/vocabulary/Support.h"

#include <limits>
#include <random>

namespace fusec {
using namespace vocabulary;

namespace {

struct Pairs {
  int32_t even[16], odd[16];
};

/// Numbers of 16 bits; every fourth is one of the extremes.
Pairs somePairs(std::mt19937 &random) {
  Pairs pairs;
  for (int32_t *half : {pairs.even, pairs.odd})
    for (int l = 0; l < 16; ++l) {
      const auto number = static_cast<int16_t>(random());
      half[l] = random() % 4 ? number : number < 0 ? -32768 : 32767;
    }
  return pairs;
}

TEST(Dot, AddsTheProductsOfPairs) {
  std::mt19937 random(1);
  for (int round = 0; round < 64; ++round) {
    const Pairs a = somePairs(random), b = somePairs(random);
    int32_t c[16];
    for (int32_t &sum : c)
      sum = static_cast<int32_t>(random());
    const i32x16 result = dot_pairs(
        pairs(load<i32x16>(a.even), load<i32x16>(a.odd)),
        pairs(load<i32x16>(b.even), load<i32x16>(b.odd)), load<i32x16>(c));
    for (int l = 0; l < 16; ++l) {
      const int64_t want =
          int64_t(a.even[l]) * b.even[l] + int64_t(a.odd[l]) * b.odd[l] + c[l];
      EXPECT_EQ(get(result, l), static_cast<int32_t>(want));
      EXPECT_EQ(dot_pairs(pairs(a.even[l], a.odd[l]),
                          pairs(b.even[l], b.odd[l]), c[l]),
                static_cast<int32_t>(want));
    }
  }
}

TEST(Dot, PairsKeepTheLowBits) {
  EXPECT_EQ(pairs(0x12345678, -1), static_cast<int32_t>(0xffff5678));
  const i32x16 both = pairs(i32x16(-2), iota<i32x16>());
  for (int l = 0; l < 16; ++l)
    EXPECT_EQ(get(both, l), 0xfffe | l << 16);
}

TEST(Dot, PairsLieInMemory) {
  const int16_t terms[] = {1, -2, 3, -32768, 32767};
  for (int first = 0; first < 4; ++first)
    EXPECT_EQ(pairs(terms + first), pairs(terms[first], terms[first + 1]));
}

// The extremes of both: 2^31 wraps.
TEST(Dot, TheGreatestSumWraps) {
  const i32x16 least(pairs(-32768, -32768));
  EXPECT_EQ(get(dot_pairs(least, least, 0), 3), INT32_MIN);
  EXPECT_EQ(dot_pairs(pairs(-32768, -32768), pairs(-32768, -32768), 0),
            INT32_MIN);
}

/// Four numbers of 8 bits for each lane, without or with a sign; every fourth
/// is one of the extremes.
template <class T> void someQuads(std::mt19937 &random, T (&terms)[16][4]) {
  for (auto &lane : terms)
    for (T &term : lane) {
      term = static_cast<T>(random());
      if (random() % 4 == 0)
        term = term % 2 ? std::numeric_limits<T>::min()
                        : std::numeric_limits<T>::max();
    }
}

TEST(Dot, AddsTheProductsOfQuads) {
  std::mt19937 random(2);
  for (int round = 0; round < 64; ++round) {
    uint8_t a[16][4];
    int8_t b[16][4];
    int32_t c[16];
    someQuads(random, a);
    someQuads(random, b);
    for (int32_t &sum : c)
      sum = static_cast<int32_t>(random());
    const i32x16 result = dot_quads(quads<i32x16>(&a[0][0]),
                                    quads<i32x16>(&b[0][0]), load<i32x16>(c));
    for (int l = 0; l < 16; ++l) {
      int64_t want = c[l];
      for (int t = 0; t < 4; ++t)
        want += int64_t(a[l][t]) * b[l][t];
      EXPECT_EQ(get(result, l), static_cast<int32_t>(want));
      EXPECT_EQ(dot_quads(quads(a[l]), quads(b[l]), c[l]),
                static_cast<int32_t>(want));
    }
  }
}

TEST(Dot, QuadsKeepTheLowBytes) {
  EXPECT_EQ(quads(0x12345678, -1, 0x101, -128),
            static_cast<int32_t>(0x8001ff78));
  const i32x16 all = quads(i32x16(-2), iota<i32x16>(), i32x16(0x1ff), 1);
  for (int l = 0; l < 16; ++l)
    EXPECT_EQ(get(all, l), 0x01ff00fe | l << 8);
}

} // namespace
} // namespace fusec
