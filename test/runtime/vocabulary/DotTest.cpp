// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of pairs against sums in 64 bits, with the greatest and least
// numbers.
#include "test/runtime/vocabulary/Support.h"

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
    const i32x16 result =
        dot(pairs(load<i32x16>(a.even), load<i32x16>(a.odd)),
            pairs(load<i32x16>(b.even), load<i32x16>(b.odd)), load<i32x16>(c));
    for (int l = 0; l < 16; ++l) {
      const int64_t want =
          int64_t(a.even[l]) * b.even[l] + int64_t(a.odd[l]) * b.odd[l] + c[l];
      EXPECT_EQ(get(result, l), static_cast<int32_t>(want));
      EXPECT_EQ(
          dot(pairs(a.even[l], a.odd[l]), pairs(b.even[l], b.odd[l]), c[l]),
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
  EXPECT_EQ(get(dot(least, least, 0), 3), INT32_MIN);
  EXPECT_EQ(dot(pairs(-32768, -32768), pairs(-32768, -32768), 0), INT32_MIN);
}

} // namespace
} // namespace fusec
