// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vocabulary on a device against the C library, and against the portable
// bodies where results are exact.
#include "test/runtime/vocabulary/DeviceKernels.h"
#include "test/runtime/vocabulary/UlpBudgets.h"

using namespace vocabulary;
using namespace fusec::ptx;

namespace {

const std::vector<float> &floats() {
  static const std::vector<float> all = sweep(/*step=*/500009);
  return all;
}

void check(const char *name, double budget, double (*reference)(double)) {
  const std::vector<float> &xs = floats();
  const std::vector<float> ys = map<float>(std::string("map_") + name, xs);
  double worst = 0.0;
  float at = 0.0f;
  for (size_t i = 0; i < xs.size(); ++i) {
    const double want = reference(static_cast<double>(xs[i]));
    // Results that would be subnormal may be 0, as on the CPU.
    constexpr double tiny = 1.2e-38;
    const bool bothTiny = std::fabs(want) < tiny && std::fabs(ys[i]) < tiny;
    const double off = bothTiny ? 0.0 : ulpDistance(ys[i], want);
    if (off > worst) {
      worst = off;
      at = xs[i];
    }
  }
  EXPECT_LE(worst, budget) << name << "(" << at << ")";
}

/// Pairs of all that is special, and of others.
template <class T> std::pair<std::vector<T>, std::vector<T>> pairs() {
  std::vector<T> some;
  if constexpr (std::is_same_v<T, float>) {
    const std::vector<float> special = specialFloats();
    for (size_t i = 0; i < special.size(); i += 7)
      some.push_back(special[i]);
  } else {
    for (T x : {T(0), T(1), T(-1), T(2), T(-2), T(7), T(-7), T(1000), T(-1000),
                std::numeric_limits<T>::max(), std::numeric_limits<T>::min()})
      some.push_back(x);
  }
  std::pair<std::vector<T>, std::vector<T>> all;
  for (T x : some)
    for (T y : some) {
      all.first.push_back(x);
      all.second.push_back(y);
    }
  return all;
}

template <class T, class F> void checkZip(const std::string &name, F expected) {
  const auto [xs, ys] = pairs<T>();
  const std::vector<T> zs = zip<T>("zip_" + name, xs, ys);
  for (size_t i = 0; i < xs.size(); ++i) {
    const T want = expected(xs[i], ys[i]);
    const bool bothNaN = want != want && zs[i] != zs[i];
    ASSERT_TRUE(bothNaN || zs[i] == want)
        << name << "(" << xs[i] << ", " << ys[i] << ") is " << zs[i] << ", not "
        << want;
  }
}

} // namespace

#define ROW(name, budget, reference)                                           \
  TEST(Device, name) {                                                         \
    check(#name, budget, [](double x) { return reference(x); });               \
  }
FUSEC_ULP_BUDGETS(ROW)
#undef ROW

// Of doubles of every exponent, of the one that is nearest to a multiple of
// pi / 2, and of what is at the borders of their reduction.
TEST(Device, TrigonometryOfDoubles) {
  std::vector<double> xs = {0.0,
                            0.78539816339744828,
                            0.78539816339744839,
                            3.1415926535897931,
                            std::ldexp(6381956970095103.0, 797),
                            std::numeric_limits<double>::max(),
                            std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()};
  uint64_t bits = 0x9e3779b97f4a7c15u;
  for (uint64_t exponent = 1; exponent < 2047; ++exponent)
    for (int i = 0; i < (exponent > 1000 && exponent < 1100 ? 20 : 2); ++i) {
      bits = bits * 6364136223846793005u + 1442695040888963407u;
      const uint64_t all = exponent << 52 | bits >> 12 | bits << 63;
      xs.push_back(0.0);
      std::memcpy(&xs.back(), &all, sizeof(all));
    }
  auto check = [&](const std::string &name,
                   long double (*reference)(long double)) {
    const std::vector<double> ys = map<double>("map_double_" + name, xs);
    for (size_t i = 0; i < xs.size(); ++i) {
      const auto want = static_cast<double>(reference(xs[i]));
      const bool bothNaN = want != want && ys[i] != ys[i];
      ASSERT_TRUE(bothNaN ||
                  std::fabs(ys[i] - want) <= std::fabs(want) * 4 * 0x1p-52)
          << name << "(" << xs[i] << ") is " << ys[i] << ", not " << want;
    }
  };
  check("sin", [](long double x) { return std::sin(x); });
  check("cos", [](long double x) { return std::cos(x); });
  check("tan", [](long double x) { return std::tan(x); });
}

TEST(Device, TwoArguments) {
  const auto [xs, ys] = pairs<float>();
  const std::vector<float> powers = zip("zip_pow_float", xs, ys),
                           angles = zip("zip_atan2_float", xs, ys);
  for (size_t i = 0; i < xs.size(); ++i) {
    const double x = static_cast<double>(xs[i]), y = static_cast<double>(ys[i]);
    const double power = std::pow(x, y), angle = std::atan2(x, y);
    if (std::fabs(power) > 1.2e-38 || power == 0.0 || power != power) {
      ASSERT_LE(ulpDistance(powers[i], power), powUlpBudget)
          << "pow(" << x << ", " << y << ")";
    }
    if (std::fabs(angle) > 1.2e-38) {
      ASSERT_LE(ulpDistance(angles[i], angle), atan2UlpBudget)
          << "atan2(" << x << ", " << y << ")";
    }
  }
}

// Where results are exact, they are those of the CPU.
#define EXACT(name, T)                                                         \
  checkZip<T>(#name "_" #T, [](T x, T y) { return fusec::name(x, y); })

TEST(Device, ExactFloats) {
  EXACT(max, float);
  EXACT(minnum, float);
  EXACT(fmod, float);
  EXACT(mod, float);
}

TEST(Device, IntegersNeverTrap) {
  EXACT(div, int32_t);
  EXACT(mod, int32_t);
  EXACT(div_floor, int64_t);
  EXACT(pow, int32_t);
}

namespace {

/// To the bit, but for the digits of NaN.
template <class To, class From, class Compute>
void checkConversion(const std::string &name, const std::vector<From> &xs) {
  const std::vector<To> ys = map<To>(name, xs);
  for (size_t i = 0; i < xs.size(); ++i) {
    To want;
    fusec::store(&want, fusec::to<Compute>(fusec::load(&xs[i])));
    const auto number = fusec::load(&want), got = fusec::load(&ys[i]);
    const bool areNaN = number != number && got != got;
    ASSERT_TRUE(areNaN || std::memcmp(&want, &ys[i], sizeof(To)) == 0)
        << name << ", element " << i;
  }
}

} // namespace

// A number to the bit, and NaN.
TEST(Device, RoundsToSixteenBits) {
  const std::vector<float> &xs = floats();
  std::vector<double> wide(xs.begin(), xs.end());
  for (double &x : wide)
    x *= 1 + 0x1p-40;
  const auto check = [](const char *name, const auto &from, auto rounded) {
    const std::vector<float> ys = map<float>(name, from);
    for (size_t i = 0; i < from.size(); ++i) {
      const float want = rounded(from[i]);
      ASSERT_TRUE(ys[i] == want || (ys[i] != ys[i] && want != want))
          << name << " of " << from[i] << " is " << ys[i] << ", not " << want;
    }
  };
  check("rounded_to_f16_float", xs, [](float x) { return fusec::to_f16(x); });
  check("rounded_to_bf16_float", xs, [](float x) { return fusec::to_bf16(x); });
  check("rounded_to_f16_double", wide,
        [](double x) { return fusec::to_f16(x); });
  check("rounded_to_bf16_double", wide,
        [](double x) { return fusec::to_bf16(x); });
}

/// a * b + c, of which the product rounds by itself: nothing is left of it.
template <class T> static void checkRoundedProduct(const std::string &kernel) {
  std::vector<T> a, b, c;
  for (int i = 0; i < 300; ++i) {
    a.push_back(T(1) + T(i + 1) / T(3));
    b.push_back(T(1) / T(2 * i + 7));
    c.push_back(-fusec::mul_rounded(a.back(), b.back()));
  }
  Kernels kernels;
  const uint64_t z = kernels.place(c);
  kernels.run(kernel, blocksFor(a.size()), kernels.place(a), kernels.place(b),
              z, static_cast<int>(a.size()));
  EXPECT_EQ(kernels.read<T>(z, a.size()), std::vector<T>(a.size()));
}

TEST(Device, RoundedProducts) {
  checkRoundedProduct<float>("rounded_product_float");
  checkRoundedProduct<double>("rounded_product_double");
  // Not of PTX's mul without a rounding, which GPUs may make part of a sum.
  EXPECT_NE(compiled().find("mul.rn.f32"), std::string::npos);
  EXPECT_NE(compiled().find("mul.rn.f64"), std::string::npos);
}

/// Of numbers next to those that lie between two whole ones.
TEST(Device, Quotients) {
  constexpr float scale = 0.0347785465f;
  std::vector<float> x, expected;
  for (int code = -300; code < 300; ++code) {
    float number = (float(code) + 0.5f) * scale;
    for (int i = 0; i < 4; ++i)
      number = std::nextafter(number, -INFINITY);
    for (int i = 0; i < 9; ++i, number = std::nextafter(number, INFINITY)) {
      x.push_back(number);
      expected.push_back(std::nearbyint(number / scale));
    }
  }
  Kernels kernels;
  const uint64_t y = kernels.place(std::vector<float>(x.size()));
  kernels.run("codes", blocksFor(x.size()), kernels.place(x), y,
              static_cast<int>(x.size()));
  EXPECT_EQ(kernels.read<float>(y, x.size()), expected);
}

TEST(Device, Conversions) {
  const std::vector<float> &xs = floats();
  std::vector<fusec::f16> halves;
  std::vector<fusec::bf16> shorts;
  for (uint32_t bits = 0; bits < 65536; bits += 3) {
    halves.push_back({static_cast<uint16_t>(bits)});
    shorts.push_back({static_cast<uint16_t>(bits)});
  }
  std::vector<int32_t> integers;
  std::vector<uint32_t> naturals;
  std::vector<int8_t> bytes;
  for (float x : xs) {
    integers.push_back(static_cast<int32_t>(bitsOf(x)));
    naturals.push_back(bitsOf(x));
    bytes.push_back(static_cast<int8_t>(bitsOf(x)));
  }
  checkConversion<fusec::f16, float, float>("float_to_f16", xs);
  checkConversion<float, fusec::f16, float>("f16_to_float", halves);
  checkConversion<fusec::bf16, float, float>("float_to_bf16", xs);
  checkConversion<float, fusec::bf16, float>("bf16_to_float", shorts);
  checkConversion<int32_t, float, int32_t>("float_to_int32_t", xs);
  checkConversion<int64_t, float, int64_t>("float_to_int64_t", xs);
  checkConversion<int32_t, double, int32_t>(
      "double_to_int32_t", std::vector<double>(xs.begin(), xs.end()));
  checkConversion<int8_t, int32_t, int32_t>("int32_t_to_int8_t", integers);
  checkConversion<int32_t, int8_t, int32_t>("int8_t_to_int32_t", bytes);
  checkConversion<int64_t, uint32_t, int64_t>("uint32_t_to_int64_t", naturals);
}

TEST(Device, Truth) {
  const std::vector<float> xs = {0.0f, -0.0f, 1.0f, -2.5f, FUSEC_NAN, 1e-40f};
  const std::vector<uint8_t> ys = map<uint8_t>("float_to_bool", xs);
  EXPECT_EQ(ys, (std::vector<uint8_t>{0, 0, 1, 1, 1, 1}));
}
