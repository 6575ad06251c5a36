// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every function of one float argument against the C library in double.
#include "test/runtime/vocabulary/Support.h"
#include "test/runtime/vocabulary/UlpBudgets.h"

using namespace vocabulary;

namespace {

/// Results that would be subnormal may be 0, and those of arguments near the
/// limits of sigmoid and rcp are themselves subnormal.
bool bothTiny(float got, double want) {
  constexpr double tiny = 1.2e-38; // exp flushes a little above 2^-126
  return std::fabs(want) < tiny && std::fabs(got) < tiny;
}

void check(const char *name, double budget,
           void (*vector)(const float *x, float *y), float (*scalar)(float),
           double (*reference)(double)) {
  static const std::vector<float> xs = sweep();
  double worst = 0.0, worstScalar = 0.0;
  float at = 0.0f, atScalar = 0.0f;
  for (size_t i = 0; i < xs.size(); i += 16) {
    float ys[16];
    vector(&xs[i], ys);
    for (size_t l = 0; l < 16; ++l) {
      const float x = xs[i + l];
      const double want = reference(static_cast<double>(x));
      const double off = bothTiny(ys[l], want) ? 0.0 : ulpDistance(ys[l], want);
      if (off > worst) {
        worst = off;
        at = x;
      }
      const float y = scalar(x);
      const double offScalar = bothTiny(y, want) ? 0.0 : ulpDistance(y, want);
      if (offScalar > worstScalar) {
        worstScalar = offScalar;
        atScalar = x;
      }
    }
  }
  EXPECT_LE(worst, budget) << name << "(" << at << "), 16 lanes";
  EXPECT_LE(worstScalar, budget) << name << "(" << atScalar << "), scalar";
}

} // namespace

#define ROW(name, budget, reference)                                           \
  TEST(Math, name) {                                                           \
    check(                                                                     \
        #name, budget,                                                         \
        [](const float *x, float *y) {                                         \
          fusec::store(y, fusec::name(fusec::load<fusec::f32x16>(x)));         \
        },                                                                     \
        [](float x) { return fusec::name(x); },                                \
        [](double x) { return reference(x); });                                \
  }
FUSEC_ULP_BUDGETS(ROW)
#undef ROW

TEST(Math, ExpLimits) {
  EXPECT_EQ(fusec::exp(-1e9f), 0.0f);
  EXPECT_EQ(fusec::exp(-FUSEC_INF), 0.0f);
  EXPECT_EQ(fusec::exp(88.73f), FUSEC_INF);
  EXPECT_EQ(fusec::exp(FUSEC_INF), FUSEC_INF);
  EXPECT_GT(fusec::exp(-87.0f), 0.0f);
  EXPECT_TRUE(std::isnan(fusec::exp(FUSEC_NAN)));
  EXPECT_EQ(fusec::exp(0.0f), 1.0f);
}

TEST(Math, PowersOfTwoAreExact) {
  for (int e = -126; e < 128; ++e) {
    const float power = std::ldexp(1.0f, e);
    EXPECT_EQ(fusec::exp2(static_cast<float>(e)), power);
    EXPECT_EQ(fusec::log2(power), static_cast<float>(e));
  }
}

namespace {
void checkPow(float x, float y) {
  const double want = std::pow(static_cast<double>(x), static_cast<double>(y));
  EXPECT_LE(ulpDistance(fusec::pow(x, y), want), powUlpBudget)
      << "pow(" << x << ", " << y << ") = " << fusec::pow(x, y) << ", want "
      << want;
  const float lane =
      fusec::get(fusec::pow(fusec::f32x16(x), fusec::f32x16(y)), 5);
  EXPECT_TRUE(bitsOf(lane) == bitsOf(fusec::pow(x, y)) ||
              (std::isnan(lane) && std::isnan(want)));
}
} // namespace

TEST(Math, Pow) {
  const float inf = FUSEC_INF;
  const float values[] = {0.0f,      -0.0f,  0.5f,   -0.5f,       1.0f,
                          -1.0f,     2.0f,   -2.0f,  3.0f,        -3.0f,
                          0.25f,     1e30f,  -1e30f, inf,         -inf,
                          FUSEC_NAN, 1e-40f, 7.0f,   16777216.0f, 16777215.0f};
  for (float x : values)
    for (float y : values)
      checkPow(x, y);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> base(-4.0f, 4.0f), power(-40.0f, 40.0f);
  for (int i = 0; i < 20000; ++i) {
    checkPow(std::exp(base(random)), power(random));
    checkPow(base(random), std::round(power(random)));
  }
}

TEST(Math, Atan2) {
  const std::vector<float> values = {
      0.0f, -0.0f, 1.0f,   -1.0f, 0.3f,   -0.3f,     FUSEC_INF, -FUSEC_INF,
      7.0f, -7.0f, 1e-30f, 1e30f, -1e30f, FUSEC_NAN, 1e-3f,     -1e-3f};
  for (float y : values) {
    for (float x : values) {
      const double want =
          std::atan2(static_cast<double>(y), static_cast<double>(x));
      if (std::fabs(want) > 0.0 && std::fabs(want) < 1.2e-38)
        continue; // subnormal
      EXPECT_LE(ulpDistance(fusec::atan2(y, x), want), atan2UlpBudget)
          << y << ", " << x;
      const float lane =
          fusec::get(fusec::atan2(fusec::f32x16(y), fusec::f32x16(x)), 3);
      EXPECT_LE(ulpDistance(lane, want), atan2UlpBudget) << y << ", " << x;
    }
  }
}

TEST(Math, IntegerPow) {
  EXPECT_EQ(fusec::pow(3, 4), 81);
  EXPECT_EQ(fusec::pow(-2, 31), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(fusec::pow(7, 0), 1);
  EXPECT_EQ(fusec::pow(2, -1), 0);
  EXPECT_EQ(fusec::pow(-1, -3), -1);
  EXPECT_EQ(fusec::pow(int64_t{3}, int64_t{30}), 205891132094649);
  const fusec::i32x16 n = fusec::iota<fusec::i32x16>();
  const fusec::i64x16 wide = fusec::iota<fusec::i64x16>();
  for (int l = 0; l < 16; ++l) {
    EXPECT_EQ(fusec::get(fusec::pow(fusec::i32x16(2), n), l), 1 << l);
    EXPECT_EQ(fusec::get(fusec::pow(fusec::i64x16(16), wide), l),
              fusec::shl(int64_t{1}, int64_t{4} * l));
  }
}

TEST(Math, DoubleGoesToTheLibrary) {
  EXPECT_EQ(fusec::exp(1.0), std::exp(1.0));
  EXPECT_EQ(fusec::tanh(0.5), std::tanh(0.5));
  EXPECT_EQ(fusec::pow(3.0, 2.5), std::pow(3.0, 2.5));
  EXPECT_EQ(fusec::floor(-1.5), -2.0);
}
