// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/vocabulary/Support.h"

namespace fusec {
using namespace vocabulary;

namespace {

uint32_t bitsOfMask(mask16 m) {
  uint32_t bits = 0;
  for (int l = 0; l < 16; ++l)
    bits |= static_cast<uint32_t>(get(m, l)) << l;
  return bits;
}

template <typename S, typename Vector, typename Want>
void checkCompare(const std::vector<S> &values, Vector vector, Want want) {
  typedef typename detail::lanewise<S>::vector V;
  for (S b : values) {
    const mask16 m = vector(load<V>(values.data()), V(b));
    for (int l = 0; l < 16; ++l) {
      const S a = values[static_cast<size_t>(l)];
      EXPECT_EQ(get(m, l), want(a, b)) << a << ", " << b;
      EXPECT_EQ(vector(a, b), want(a, b)) << a << ", " << b;
    }
  }
}

template <typename S> void checkCompares(const std::vector<S> &v) {
  checkCompare(
      v, [](auto a, auto b) { return eq(a, b); },
      [](S a, S b) { return a == b; });
  checkCompare(
      v, [](auto a, auto b) { return ne(a, b); },
      [](S a, S b) { return a != b; });
  checkCompare(
      v, [](auto a, auto b) { return a < b; }, [](S a, S b) { return a < b; });
  checkCompare(
      v, [](auto a, auto b) { return le(a, b); },
      [](S a, S b) { return a <= b; });
  checkCompare(
      v, [](auto a, auto b) { return gt(a, b); },
      [](S a, S b) { return a > b; });
  checkCompare(
      v, [](auto a, auto b) { return a >= b; },
      [](S a, S b) { return a >= b; });
}

} // namespace

TEST(Mask, Comparisons) {
  checkCompares<float>({0.0f, -0.0f, 1.0f, -1.0f, FUSEC_NAN, FUSEC_INF,
                        -FUSEC_INF, 3.0f, 1e-42f, -3.0f, 2.0f, 5.0f, 8.0f, 9.0f,
                        1e30f, -1e30f});
  checkCompares<double>({0.0, -0.0, 1.0, -1.0, FUSEC_NAN, FUSEC_INF, -FUSEC_INF,
                         3.0, 1e-320, -3.0, 2.0, 5.0, 8.0, 9.0, 1e300, -1e300});
  checkCompares<int32_t>({0, 1, -1, 2147483647, -2147483647 - 1, 5, 6, 7, 8, 9,
                          -9, -8, 100, 3, 2, 65536});
  checkCompares<int64_t>({0, 1, -1, int64_t{1} << 40, -(int64_t{1} << 40), 5, 6,
                          7, int64_t{1} << 32, (int64_t{1} << 32) + 1, -9, -8,
                          std::numeric_limits<int64_t>::max(),
                          std::numeric_limits<int64_t>::min(), 2, 65536});
}

TEST(Mask, BitsRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; bits += 37) {
    const mask16 m = detail::mask_from_bits(bits);
    EXPECT_EQ(bitsOfMask(m), bits);
    EXPECT_EQ(detail::mask_bits(m), bits);
    EXPECT_EQ(detail::mask_bits(~m), ~bits & 0xffffu);
    EXPECT_EQ(count(m), __builtin_popcount(bits));
    EXPECT_EQ(first(m), bits ? __builtin_ctz(bits) : 16);
    EXPECT_EQ(reduce_and(m), bits == 0xffffu);
    EXPECT_EQ(reduce_or(m), bits != 0);
  }
  EXPECT_TRUE(reduce_and(broadcast(true)));
  EXPECT_FALSE(reduce_or(broadcast(false)));
  EXPECT_FALSE(reduce_or(zero<mask16>()));
}

TEST(Mask, Logic) {
  const uint32_t p = 0x5a3c, q = 0x0ff1;
  const mask16 a = detail::mask_from_bits(p), b = detail::mask_from_bits(q);
  EXPECT_EQ(bitsOfMask(a & b), p & q);
  EXPECT_EQ(bitsOfMask(logical_or(a, b)), p | q);
  EXPECT_EQ(bitsOfMask(a ^ b), p ^ q);
  EXPECT_EQ(bitsOfMask(a == b), ~(p ^ q) & 0xffffu);
  EXPECT_EQ(bitsOfMask(logical_not(a)), ~p & 0xffffu);
  EXPECT_EQ(bitsOfMask(select(a, b, ~b)), (p & q) | (~p & ~q & 0xffffu));
}

TEST(Mask, Tails) {
  for (int64_t base :
       {int64_t{-20}, int64_t{0}, int64_t{5}, int64_t{1} << 40}) {
    for (int64_t left = -3; left < 20; ++left) {
      const int64_t bound = base + left;
      for (int l = 0; l < 16; ++l) {
        EXPECT_EQ(get(mask_lt(base, bound), l), base + l < bound);
        EXPECT_EQ(get(mask_ge(base, bound), l), base + l >= bound);
        EXPECT_EQ(get(mask_range(base, bound, bound + 4), l),
                  bound <= base + l && base + l < bound + 4);
      }
    }
  }
  const int64_t far = std::numeric_limits<int64_t>::max();
  EXPECT_TRUE(reduce_and(mask_lt(0, far)));
}

TEST(Mask, Select) {
  const mask16 m = detail::mask_from_bits(0x6421);
  for (int l = 0; l < 16; ++l) {
    const bool set = 0x6421 >> l & 1;
    EXPECT_EQ(get(select(m, f32x16(1.0f), f32x16(2.0f)), l), set ? 1.0f : 2.0f);
    EXPECT_EQ(get(select(m, f64x16(1.0), f64x16(2.0)), l), set ? 1.0 : 2.0);
    EXPECT_EQ(get(select(m, i32x16(1), i32x16(2)), l), set ? 1 : 2);
    const int64_t big = int64_t{1} << 40;
    EXPECT_EQ(get(select(m, i64x16(big), i64x16(big + 1)), l),
              set ? big : big + 1);
  }
  EXPECT_EQ(select(true, 1.0f, 2.0f), 1.0f);
  EXPECT_EQ(select(false, int64_t{1}, int64_t{2}), 2);
  EXPECT_EQ(get(select(true, f32x16(1.0f), f32x16(2.0f)), 0), 1.0f);
}

} // namespace fusec
