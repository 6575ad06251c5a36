// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic, comparisons, masks and conversions, lane by lane.
#include "test/runtime/vocabulary/Support.h"

namespace fusec {
using namespace vocabulary;

namespace {

const float nan_ = FUSEC_NAN, inf_ = FUSEC_INF;

std::vector<float> someFloats() {
  return {0.0f, -0.0f, 1.0f,   -1.0f, 2.5f,  -2.5f, 3e9f,  -3e9f,
          inf_, -inf_, 1e-40f, 7.0f,  -7.5f, 0.3f,  1e30f, nan_};
}

template <typename S> std::vector<S> someIntegers() {
  const S top = std::numeric_limits<S>::max(),
          low = std::numeric_limits<S>::min();
  return {0,    1,    -1,     2,   -2,  7,          -7,         255,
          -256, 1000, -99999, top, low, S(top - 1), S(low + 1), 13};
}

bool same(float a, float b) {
  return bitsOf(a) == bitsOf(b) || a == b || (a != a && b != b);
}
bool same(double a, double b) { return a == b || (a != a && b != b); }
bool same(int32_t a, int32_t b) { return a == b; }
bool same(int64_t a, int64_t b) { return a == b; }

/// Holds the 16-lane form of a binary function to its scalar form, and that to
/// `want`, for all pairs of values.
template <typename S>
void checkPairs(const std::vector<S> &values,
                void (*vector)(const S *a, S b, S *result), S (*scalar)(S, S),
                S (*want)(S, S)) {
  ASSERT_EQ(values.size(), 16u);
  for (S b : values) {
    S lanes[16];
    vector(values.data(), b, lanes);
    for (size_t l = 0; l < 16; ++l) {
      const S a = values[l];
      EXPECT_TRUE(same(scalar(a, b), want(a, b)))
          << a << ", " << b << " gives " << scalar(a, b) << ", want "
          << want(a, b);
      EXPECT_TRUE(same(lanes[l], want(a, b)))
          << "lane " << l << ": " << a << ", " << b << " gives " << lanes[l]
          << ", want " << want(a, b);
    }
  }
}

// Both forms of a function on S, as checkPairs takes them.
#define BOTH(name)                                                             \
  [](const S *a, S b, S *result) {                                             \
    typedef typename detail::lanewise<S>::vector V;                            \
    store(result, name(load<V>(a), V(b)));                                     \
  },                                                                           \
      [](S a, S b) -> S { return name(a, b); }

} // namespace

TEST(Arith, Float) {
  typedef float S;
  const auto v = someFloats();
  checkPairs<S>(v, BOTH(add), [](float a, float b) -> float { return a + b; });
  checkPairs<S>(v, BOTH(sub), [](float a, float b) -> float { return a - b; });
  checkPairs<S>(v, BOTH(mul), [](float a, float b) -> float { return a * b; });
  checkPairs<S>(v, BOTH(div), [](float a, float b) -> float { return a / b; });
  checkPairs<S>(v, BOTH(fusec::fmod),
                [](float a, float b) -> float { return std::fmod(a, b); });
  checkPairs<S>(v, BOTH(fusec::copysign),
                [](float a, float b) -> float { return std::copysign(a, b); });
}

TEST(Arith, MaxAndMinPropagateNan) {
  typedef float S;
  const auto v = someFloats();
  checkPairs<S>(v, BOTH(fusec::max), [](float a, float b) -> float {
    return std::isnan(a) || std::isnan(b) ? nan_ : std::max(a, b);
  });
  checkPairs<S>(v, BOTH(fusec::min), [](float a, float b) -> float {
    return std::isnan(a) || std::isnan(b) ? nan_ : std::min(a, b);
  });
  checkPairs<S>(v, BOTH(maxnum),
                [](float a, float b) -> float { return std::fmax(a, b); });
  checkPairs<S>(v, BOTH(minnum),
                [](float a, float b) -> float { return std::fmin(a, b); });
  // A scalar bound is looked at once.
  for (float a : v)
    for (float b : v) {
      const bool isNan = std::isnan(a) || std::isnan(b);
      EXPECT_TRUE(same(get(fusec::max(f32x16(a), b), 7),
                       isNan ? nan_ : std::max(a, b)));
      EXPECT_TRUE(same(get(fusec::min(f32x16(a), b), 7),
                       isNan ? nan_ : std::min(a, b)));
    }
  EXPECT_TRUE(std::isnan(clamp(nan_, 0.0f, 6.0f)));
  EXPECT_EQ(get(clamp(f32x16(9.0f), 0.0f, 6.0f), 15), 6.0f);
}

TEST(Arith, FloorModulo) {
  typedef float S;
  checkPairs<S>(someFloats(), BOTH(mod), [](float a, float b) -> float {
    const float r = std::fmod(a, b);
    return r != 0.0f && (r < 0.0f) != (b < 0.0f) ? r + b : r;
  });
}

template <typename S> class Integer : public ::testing::Test {};
using IntegerTypes = ::testing::Types<int32_t, int64_t>;
TYPED_TEST_SUITE(Integer, IntegerTypes, );

TYPED_TEST(Integer, Arithmetic) {
  typedef TypeParam S;
  typedef typename std::make_unsigned<S>::type U;
  const auto v = someIntegers<S>();
  checkPairs<S>(v, BOTH(add), [](S a, S b) -> S { return S(U(a) + U(b)); });
  checkPairs<S>(v, BOTH(sub), [](S a, S b) -> S { return S(U(a) - U(b)); });
  checkPairs<S>(v, BOTH(mul), [](S a, S b) -> S { return S(U(a) * U(b)); });
  checkPairs<S>(v, BOTH(bit_and), [](S a, S b) -> S { return a & b; });
  checkPairs<S>(v, BOTH(bit_or), [](S a, S b) -> S { return a | b; });
  checkPairs<S>(v, BOTH(bit_xor), [](S a, S b) -> S { return a ^ b; });
  checkPairs<S>(v, BOTH(max), [](S a, S b) -> S { return std::max(a, b); });
  checkPairs<S>(v, BOTH(min), [](S a, S b) -> S { return std::min(a, b); });
}

TYPED_TEST(Integer, DivisionNeverTraps) {
  typedef TypeParam S;
  typedef typename std::make_unsigned<S>::type U;
  struct C {
    static S quotient(S a, S b) {
      return b == 0 ? S(0) : b == -1 ? S(U(0) - U(a)) : S(a / b);
    }
    static S remainder(S a, S b) { return b == 0 || b == -1 ? S(0) : S(a % b); }
  };
  const auto v = someIntegers<S>();
  checkPairs<S>(v, BOTH(div), C::quotient);
  checkPairs<S>(v, BOTH(fusec::fmod), C::remainder);
  checkPairs<S>(v, BOTH(mod), [](S a, S b) -> S {
    const S r = C::remainder(a, b);
    return r != 0 && (r < 0) != (b < 0) ? S(r + b) : r;
  });
  checkPairs<S>(v, BOTH(div_floor), [](S a, S b) -> S {
    const S r = C::remainder(a, b);
    return r != 0 && (r < 0) != (b < 0) ? S(C::quotient(a, b) - 1)
                                        : C::quotient(a, b);
  });
}

TYPED_TEST(Integer, UnsignedDivision) {
  typedef TypeParam S;
  const auto v = someIntegers<S>();
  checkPairs<S>(v, BOTH(div_unsigned), [](S a, S b) -> S {
    typedef typename std::make_unsigned<S>::type U;
    return b == 0 ? S(0) : static_cast<S>(U(a) / U(b));
  });
  checkPairs<S>(v, BOTH(fmod_unsigned), [](S a, S b) -> S {
    typedef typename std::make_unsigned<S>::type U;
    return b == 0 ? S(0) : static_cast<S>(U(a) % U(b));
  });
}

TYPED_TEST(Integer, Shifts) {
  typedef TypeParam S;
  typedef typename std::make_unsigned<S>::type U;
  typedef typename detail::lanewise<S>::vector V;
  const auto v = someIntegers<S>();
  for (S by : {0, 1, 5, 31}) {
    S left[16], arith[16], logic[16];
    store(left, shl(load<V>(v.data()), V(by)));
    store(arith, shr_arith(load<V>(v.data()), V(by)));
    store(logic, shr_logic(load<V>(v.data()), V(by)));
    for (size_t l = 0; l < 16; ++l) {
      EXPECT_EQ(left[l], S(U(v[l]) << by));
      EXPECT_EQ(shl(v[l], by), S(U(v[l]) << by));
      EXPECT_EQ(arith[l], v[l] >> by);
      EXPECT_EQ(shr_arith(v[l], by), v[l] >> by);
      EXPECT_EQ(logic[l], S(U(v[l]) >> by));
      EXPECT_EQ(shr_logic(v[l], by), S(U(v[l]) >> by));
    }
  }
}

TYPED_TEST(Integer, Unary) {
  typedef TypeParam S;
  typedef typename std::make_unsigned<S>::type U;
  typedef typename detail::lanewise<S>::vector V;
  const auto v = someIntegers<S>();
  for (size_t l = 0; l < 16; ++l) {
    const S a = v[l], negative = S(U(0) - U(a));
    const V x = load<V>(v.data());
    EXPECT_EQ(get(-x, int(l)), negative);
    EXPECT_EQ(get(~x, int(l)), ~a);
    EXPECT_EQ(get(abs(x), int(l)), a < 0 ? negative : a);
    EXPECT_EQ(get(sign(x), int(l)), S((a > 0) - (a < 0)));
    EXPECT_EQ(abs(a), a < 0 ? negative : a);
    EXPECT_EQ(sign(a), S((a > 0) - (a < 0)));
    EXPECT_EQ(neg(a), negative);
  }
}

TEST(Arith, SignAndClasses) {
  const auto v = someFloats();
  const f32x16 x = load<f32x16>(v.data());
  for (int l = 0; l < 16; ++l) {
    const float a = v[static_cast<size_t>(l)];
    const float want = a > 0 ? 1.0f : a < 0 ? -1.0f : a;
    EXPECT_TRUE(same(get(fusec::sign(x), l), want));
    EXPECT_TRUE(same(fusec::sign(a), want));
    EXPECT_EQ(get(fusec::isnan(x), l), std::isnan(a));
    EXPECT_EQ(get(fusec::isinf(x), l), std::isinf(a));
    EXPECT_EQ(get(fusec::isfinite(x), l), std::isfinite(a));
    EXPECT_EQ(fusec::isnan(a), std::isnan(a));
    EXPECT_EQ(fusec::isinf(a), std::isinf(a));
    EXPECT_EQ(fusec::isfinite(a), std::isfinite(a));
  }
}

TEST(Arith, Fma) {
  const f32x16 r = fma(f32x16(3.0f), f32x16(5.0f), f32x16(0.5f));
  EXPECT_EQ(get(r, 0), 15.5f);
  EXPECT_EQ(get(r, 15), 15.5f);
  EXPECT_EQ(fma(3.0f, 5.0f, 0.5f), 15.5f);
  EXPECT_EQ(fma(3.0, 5.0, 0.5), 15.5);
}

/// a * b + c and c - a * b, whose products round by themselves, of numbers that
/// lose digits there.
template <typename S> void checkRoundedProducts() {
  typedef typename detail::lanewise<S>::vector V;
  S a[16], b[16], c[16], sums[16], differences[16];
  for (int l = 0; l < 16; ++l) {
    a[l] = S(1) + S(l + 1) / S(3);
    b[l] = S(1) / S(2 * l + 7);
    volatile S product = a[l] * b[l];
    c[l] = -product; // What is left is what the product has lost: nothing.
  }
  const V product = mul_rounded(load<V>(a), load<V>(b));
  store(sums, product + load<V>(c));
  store(differences, -load<V>(c) - mul_rounded(load<V>(a), load<V>(b)));
  for (int l = 0; l < 16; ++l) {
    EXPECT_EQ(sums[l], S(0)) << "lane " << l;
    EXPECT_EQ(differences[l], S(0)) << "lane " << l;
    EXPECT_EQ(mul_rounded(a[l], b[l]) + c[l], S(0)) << "scalar " << l;
  }
}

TEST(Arith, RoundedProducts) {
  checkRoundedProducts<float>();
  checkRoundedProducts<double>();
  typedef float S;
  checkPairs<S>(someFloats(), BOTH(mul_rounded),
                [](float a, float b) -> float { return a * b; });
}

/// Quotients of numbers next to those that lie between two whole ones round to
/// what those of a division do.
TEST(Arith, Quotients) {
  for (const float scale : {0.0347785465f, 0.1f, 1.0f / 3, 0.5f, 7.77e-6f})
    for (int code = -300; code < 300; ++code) {
      float x[16], rounded[16];
      x[0] = (float(code) + 0.5f) * scale;
      for (int l = 1; l < 8; ++l)
        x[l] = std::nextafter(x[l - 1], inf_);
      for (int l = 8; l < 16; ++l)
        x[l] = std::nextafter(l == 8 ? x[0] : x[l - 1], -inf_);
      store(rounded, round_even(near_quotient(load<f32x16>(x), scale)));
      for (int l = 0; l < 16; ++l) {
        EXPECT_EQ(rounded[l], std::nearbyint(x[l] / scale)) << x[l];
        EXPECT_EQ(round_even(near_quotient(x[l], scale)), rounded[l]) << x[l];
      }
    }
}

TEST(Arith, Nearest) {
  const std::vector<float> v = {0.0f,   -0.0f,    0.5f,       1.5f,
                                2.5f,   -0.5f,    -1.5f,      -2.5f,
                                254.9f, 65535.5f, 4194303.5f, -4194302.5f,
                                1e-30f, 0x1p24f,  -0x1p24f,   8388609.0f};
  const i32x16 found = to_nearest(load<f32x16>(v.data()));
  for (size_t l = 0; l < 16; ++l) {
    EXPECT_EQ(get(found, int(l)), std::nearbyint(v[l])) << v[l];
    EXPECT_EQ(to_nearest(v[l]), std::nearbyint(v[l])) << v[l];
  }
}

// --- conversions

TEST(Arith, Double) {
  typedef double S;
  const std::vector<double> v = {0.0,  -0.0, 1.0,   -1.0,  2.5,    -2.5,
                                 3e9,  -3e9, inf_,  -inf_, 1e-320, 7.0,
                                 -7.5, 0.3,  1e300, nan_};
  checkPairs<S>(v, BOTH(add), [](S a, S b) { return a + b; });
  checkPairs<S>(v, BOTH(sub), [](S a, S b) { return a - b; });
  checkPairs<S>(v, BOTH(mul), [](S a, S b) { return a * b; });
  checkPairs<S>(v, BOTH(div), [](S a, S b) { return a / b; });
  checkPairs<S>(v, BOTH(fusec::max), [](S a, S b) {
    return a != a || b != b ? S(nan_) : std::max(a, b);
  });
  checkPairs<S>(v, BOTH(fusec::min), [](S a, S b) {
    return a != a || b != b ? S(nan_) : std::min(a, b);
  });
  checkPairs<S>(v, BOTH(fusec::fmod), [](S a, S b) { return std::fmod(a, b); });
  const f64x16 x = load<f64x16>(v.data());
  for (size_t l = 0; l < 16; ++l) {
    const int lane = static_cast<int>(l);
    EXPECT_TRUE(same(get(-x, lane), -v[l]));
    EXPECT_TRUE(same(get(fusec::abs(x), lane), std::fabs(v[l])));
    EXPECT_TRUE(same(get(fusec::exp(x), lane), std::exp(v[l]))) << v[l];
    EXPECT_TRUE(same(get(fusec::sqrt(x), lane), std::sqrt(v[l]))) << v[l];
    EXPECT_TRUE(same(get(round_even(x), lane), std::nearbyint(v[l])));
    EXPECT_EQ(get(isnan(x), lane), std::isnan(v[l]));
    EXPECT_EQ(get(isinf(x), lane), std::isinf(v[l]));
    EXPECT_EQ(get(to<i32x16>(x), lane), to<int32_t>(v[l])) << v[l];
    EXPECT_EQ(get(to<i64x16>(x), lane), to<int64_t>(v[l])) << v[l];
    EXPECT_EQ(get(to<mask16>(x), lane), to<bool>(v[l])) << v[l];
    EXPECT_TRUE(same(get(to<f32x16>(x), lane), static_cast<float>(v[l])));
  }
  const f64x16 third(1.0 / 3.0);
  EXPECT_NEAR(get(fma(third, third, third), 9), 4.0 / 9.0, 1e-16);
  EXPECT_EQ(reduce_add(iota<f64x16>(1.0)), 136.0);
  EXPECT_EQ(reduce_max(iota<f64x16>(1.0)), 16.0);
}

TEST(Convert, FloatToIntegerTruncatesAndSaturates) {
  const float v[16] = {
      0.9f,          -0.9f,       1.5f,          -1.5f,
      nan_,          inf_,        -inf_,         3e9f,
      -3e9f,         1e30f,       2147483648.0f, -2147483648.0f,
      2147483520.0f, 16777217.0f, -1e-20f,       255.99f};
  const f32x16 x = load<f32x16>(v);
  for (int l = 0; l < 16; ++l) {
    const double a = static_cast<double>(v[l]);
    const int32_t want32 =
        std::isnan(a)        ? 0
        : a >= 2147483647.0  ? std::numeric_limits<int32_t>::max()
        : a <= -2147483648.0 ? std::numeric_limits<int32_t>::min()
                             : static_cast<int32_t>(a);
    const int64_t want64 =
        std::isnan(a)                 ? 0
        : a >= 9223372036854775808.0  ? std::numeric_limits<int64_t>::max()
        : a <= -9223372036854775808.0 ? std::numeric_limits<int64_t>::min()
                                      : static_cast<int64_t>(a);
    EXPECT_EQ(get(to<i32x16>(x), l), want32) << v[l];
    EXPECT_EQ(to<int32_t>(v[l]), want32) << v[l];
    EXPECT_EQ(get(to<i64x16>(x), l), want64) << v[l];
    EXPECT_EQ(to<int64_t>(v[l]), want64) << v[l];
    EXPECT_EQ(get(to<mask16>(x), l), a != 0.0);
    EXPECT_EQ(to<bool>(v[l]), a != 0.0);
  }
}

TEST(Convert, Integers) {
  const auto narrow = someIntegers<int32_t>();
  const auto wide = someIntegers<int64_t>();
  const i32x16 x = load<i32x16>(narrow.data());
  const i64x16 y = load<i64x16>(wide.data());
  for (int l = 0; l < 16; ++l) {
    const int32_t a = narrow[static_cast<size_t>(l)];
    const int64_t b = wide[static_cast<size_t>(l)];
    EXPECT_EQ(get(to<i64x16>(x), l), int64_t{a});
    EXPECT_EQ(get(to<i32x16>(y), l), static_cast<int32_t>(b));
    EXPECT_EQ(get(to<f32x16>(x), l), static_cast<float>(a));
    EXPECT_EQ(get(to<f32x16>(y), l), static_cast<float>(b));
    EXPECT_EQ(get(to<f64x16>(x), l), static_cast<double>(a));
    EXPECT_EQ(get(to<f64x16>(y), l), static_cast<double>(b));
    EXPECT_EQ(get(to<f64x16>(to<f32x16>(x)), l),
              static_cast<double>(static_cast<float>(a)));
    EXPECT_EQ(get(to<mask16>(x), l), a != 0);
    EXPECT_EQ(get(to<mask16>(y), l), b != 0);
    EXPECT_EQ(to<float>(b), static_cast<float>(b));
    EXPECT_EQ(to<int32_t>(b), static_cast<int32_t>(b));
    EXPECT_EQ(get(to_i8(x), l), static_cast<int8_t>(a));
    EXPECT_EQ(get(to_u8(x), l), static_cast<uint8_t>(a));
    EXPECT_EQ(to_i8(a), static_cast<int8_t>(a));
    EXPECT_EQ(get(sat_i8(x), l), std::min(std::max(a, -128), 127));
    EXPECT_EQ(get(sat_u8(x), l), std::min(std::max(a, 0), 255));
    EXPECT_EQ(sat_u8(a), std::min(std::max(a, 0), 255));
  }
  const mask16 odd = detail::mask_from_bits(0xaaaa);
  EXPECT_EQ(get(to<f32x16>(odd), 1), 1.0f);
  EXPECT_EQ(get(to<i32x16>(odd), 2), 0);
  EXPECT_EQ(get(to<i64x16>(odd), 3), 1);
}

} // namespace fusec
