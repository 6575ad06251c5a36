// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vocabulary on a device, which ptx-sim is, against the C library, and
// against the portable bodies where results are exact. No finding may come of
// it, forwards or in reverse.
#include "tools/ptx-sim/Device.h"
#include "test/runtime/vocabulary/Support.h"
#include "test/runtime/vocabulary/UlpBudgets.h"
#include "tools/ptx-sim/Nvcc.h"

#include <numeric>

using namespace vocabulary;
using namespace fusec::ptx;

namespace {

constexpr uint32_t threads = 256;

const std::string &compiled() {
  static const std::string text = compileCuda(
      FUSEC_SOURCE_DIR "/test/runtime/vocabulary/Device.cu", "sm_80",
      {FUSEC_SOURCE_DIR, FUSEC_SOURCE_DIR "/runtime/include"});
  return text;
}

/// A device with the kernels, in one of the orders.
class Kernels {
public:
  explicit Kernels(Direction direction = Direction::Forward)
      : direction(direction) {}
  ~Kernels() {
    for (const Finding &finding : device.findings.all())
      ADD_FAILURE() << finding.kernel << ":" << finding.line << ": "
                    << finding.message;
  }

  template <class T> uint64_t place(const std::vector<T> &values) {
    const uint64_t address = device.allocate(values.size() * sizeof(T));
    device.copyIn(address, values.data(), values.size() * sizeof(T));
    return address;
  }
  template <class T> uint64_t placeNothing(size_t count) {
    return device.allocate(count * sizeof(T));
  }
  template <class T> std::vector<T> read(uint64_t address, size_t count) {
    std::vector<T> values(count);
    device.copyOut(values.data(), address, count * sizeof(T));
    return values;
  }

  template <class... Arguments>
  void run(const std::string &kernel, uint32_t blocks, Arguments... arguments) {
    LaunchConfig config;
    config.kernel = kernel;
    config.grid.x = blocks;
    config.block.x = threads;
    config.direction = direction;
    device.launch(module, config, {toBytes(arguments)...});
  }

private:
  template <class T> static std::vector<uint8_t> toBytes(T value) {
    std::vector<uint8_t> bytes(sizeof(T));
    std::memcpy(bytes.data(), &value, sizeof(T));
    return bytes;
  }

  Device device;
  Module &module = device.load("Device.cu", compiled());
  Direction direction;
};

uint32_t blocksFor(size_t n) {
  return static_cast<uint32_t>((n + threads - 1) / threads);
}

template <class To, class From>
std::vector<To> map(const std::string &kernel, const std::vector<From> &xs) {
  Kernels kernels;
  const uint64_t x = kernels.place(xs), y = kernels.placeNothing<To>(xs.size());
  kernels.run(kernel, blocksFor(xs.size()), x, y, static_cast<int>(xs.size()));
  return kernels.read<To>(y, xs.size());
}

template <class T>
std::vector<T> zip(const std::string &kernel, const std::vector<T> &xs,
                   const std::vector<T> &ys) {
  Kernels kernels;
  const uint64_t x = kernels.place(xs), y = kernels.place(ys),
                 z = kernels.placeNothing<T>(xs.size());
  kernels.run(kernel, blocksFor(xs.size()), x, y, z,
              static_cast<int>(xs.size()));
  return kernels.read<T>(z, xs.size());
}

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

template <class To, class From, class Compute>
void checkConversion(const std::string &name, const std::vector<From> &xs) {
  const std::vector<To> ys = map<To>(name, xs);
  for (size_t i = 0; i < xs.size(); ++i) {
    To want;
    fusec::store(&want, fusec::to<Compute>(fusec::load(&xs[i])));
    ASSERT_EQ(std::memcmp(&want, &ys[i], sizeof(To)), 0)
        << name << ", element " << i;
  }
}

} // namespace

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

namespace {

/// Of columns that are whole numbers, so that sums are exact.
std::vector<float> wholeNumbers(int n) {
  std::vector<float> xs;
  for (int i = 0; i < n; ++i)
    xs.push_back(static_cast<float>((i * 7919) % 101 - 50));
  return xs;
}

class DeviceOrder : public ::testing::TestWithParam<Direction> {};

} // namespace

TEST_P(DeviceOrder, RowsOfABlock) {
  for (int columns : {1, 31, 256, 1000}) {
    const int rows = 5;
    const std::vector<float> xs = wholeNumbers(rows * columns);
    Kernels kernels(GetParam());
    const uint64_t x = kernels.place(xs),
                   sums = kernels.placeNothing<float>(rows),
                   most = kernels.placeNothing<float>(rows),
                   counts = kernels.placeNothing<int>(rows);
    kernels.run("rows", 2, x, sums, most, counts, rows, columns);
    const auto sum = kernels.read<float>(sums, rows);
    const auto greatest = kernels.read<float>(most, rows);
    const auto count = kernels.read<int>(counts, rows);
    for (int row = 0; row < rows; ++row) {
      const float *begin = &xs[static_cast<size_t>(row * columns)];
      const float *end = begin + columns;
      EXPECT_EQ(sum[row], std::accumulate(begin, end, 0.0f));
      EXPECT_EQ(greatest[row], *std::max_element(begin, end));
      EXPECT_EQ(count[row],
                std::count_if(begin, end, [](float v) { return v > 0.0f; }));
    }
  }
}

TEST_P(DeviceOrder, ColumnsOfABlock) {
  for (int columns : {2, 8, 32, 64, 256})
    for (int rows : {1, 5, 300}) {
      const std::vector<float> xs = wholeNumbers(rows * columns);
      Kernels kernels(GetParam());
      const uint64_t x = kernels.place(xs),
                     sums = kernels.placeNothing<float>(3 * columns),
                     most = kernels.placeNothing<double>(3 * columns);
      kernels.run("columns_" + std::to_string(columns), 1, x, sums, most, rows);
      const auto sum = kernels.read<float>(sums, 3 * columns);
      const auto greatest = kernels.read<double>(most, 3 * columns);
      for (int at = 0; at < 3 * columns; ++at) {
        float expected = 0, largest = -INFINITY;
        for (int row = 0; row < rows; ++row) {
          const float v = xs[size_t(row * columns + at % columns)];
          expected += v;
          largest = std::max(largest, v);
        }
        EXPECT_EQ(sum[at], expected);
        EXPECT_EQ(greatest[at], largest);
      }
    }
}

TEST_P(DeviceOrder, CallsAreToldApart) {
  const int rows = 9;
  const std::vector<float> xs = wholeNumbers(rows * int(threads));
  Kernels kernels(GetParam());
  const uint64_t x = kernels.place(xs),
                 sums = kernels.placeNothing<float>(rows);
  kernels.run("one_sum", 1, x, sums, rows);
  const auto sum = kernels.read<float>(sums, rows);
  for (int row = 0; row < rows; ++row)
    EXPECT_EQ(sum[row],
              std::accumulate(&xs[size_t(row) * threads],
                              &xs[size_t(row) * threads] + threads, 0.0f));
}

TEST_P(DeviceOrder, LastBlockAddsUpAgainAndAgain) {
  const std::vector<float> xs = wholeNumbers(10000);
  const float want = std::accumulate(xs.begin(), xs.end(), 0.0f);
  Kernels kernels(GetParam());
  const int blocks = 13;
  const uint64_t x = kernels.place(xs),
                 parts = kernels.placeNothing<float>(blocks),
                 ticket = kernels.place(std::vector<unsigned>{0});
  for (int run = 0; run < 3; ++run) {
    const uint64_t sum = kernels.placeNothing<float>(1);
    kernels.run("last_block_sum", blocks, x, parts, ticket, sum,
                static_cast<int>(xs.size()), blocks);
    EXPECT_EQ(kernels.read<float>(sum, 1).front(), want);
  }
}

TEST_P(DeviceOrder, RowsBeginAnywhere) {
  // Of 1.0, 1 + 1/1024, ...: one more is 2.0, 2 + 1/1024, ..., every other one
  // of which a half holds.
  std::vector<uint16_t> xs, want;
  for (uint16_t i = 0; i < 4 * threads + 2; ++i) {
    xs.push_back(static_cast<uint16_t>(0x3c00 + 2 * (i % 500)));
    want.push_back(static_cast<uint16_t>(0x4000 + i % 500));
  }
  for (size_t shift : {0, 1, 2}) {
    Kernels kernels(GetParam());
    const uint64_t x = kernels.place(xs),
                   y = kernels.place(std::vector<uint16_t>(xs.size()));
    kernels.run("anywhere", 1, x + 2 * shift, y + 2 * shift);
    const std::vector<uint16_t> ys = kernels.read<uint16_t>(y, xs.size());
    for (size_t i = 0; i < xs.size(); ++i)
      EXPECT_EQ(ys[i], i < shift || i >= shift + 4 * threads ? 0 : want[i])
          << i;
  }
}

TEST_P(DeviceOrder, CopiesArriveWhereThreadsWait) {
  const size_t inside = 4 * 100;
  std::vector<float> xs = wholeNumbers(4 * threads + 1);
  std::vector<double> wide;
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < 2 * threads + 1; ++i)
    wide.push_back(double(i) / 3);
  for (size_t i = 0; i < threads; ++i)
    numbers.push_back(int64_t(i) << 33);
  for (size_t shift : {0, 1}) {
    Kernels kernels(GetParam());
    const uint64_t x = kernels.place(xs), w = kernels.place(wide),
                   n = kernels.place(numbers),
                   y = kernels.placeNothing<float>(4 * threads),
                   z = kernels.placeNothing<double>(2 * threads),
                   m = kernels.placeNothing<int64_t>(threads);
    kernels.run("reversed", 1, x + shift * sizeof(float),
                w + shift * sizeof(double), n, y, z, m, int(inside));
    const auto ys = kernels.read<float>(y, 4 * threads);
    const auto zs = kernels.read<double>(z, 2 * threads);
    const auto ms = kernels.read<int64_t>(m, threads);
    for (size_t i = 0; i < 4 * threads; ++i)
      EXPECT_EQ(ys[4 * threads - 1 - i], i < inside ? xs[i + shift] : 0) << i;
    for (size_t i = 0; i < 2 * threads; ++i)
      EXPECT_EQ(zs[2 * threads - 1 - i], wide[i + shift]) << i;
    for (size_t i = 0; i < threads; ++i)
      EXPECT_EQ(ms[threads - 1 - i], i < inside ? numbers[i] : 0) << i;
  }
}

TEST_P(DeviceOrder, AtomicSums) {
  const std::vector<float> xs = wholeNumbers(1000);
  Kernels kernels(GetParam());
  const uint64_t x = kernels.place(xs),
                 sum = kernels.place(std::vector<float>{1.0f}),
                 wide = kernels.place(std::vector<double>{2.0});
  kernels.run("atomic_sum", 1000 / int(threads) + 1, x, sum, wide, 1000);
  // Whole numbers are exact in any order.
  const float want = std::accumulate(xs.begin(), xs.end(), 0.0f);
  EXPECT_EQ(kernels.read<float>(sum, 1).front(), want + 1);
  EXPECT_EQ(kernels.read<double>(wide, 1).front(), double(want) + 2);
}

TEST_P(DeviceOrder, ViewsAndNibbles) {
  const std::vector<float> xs = wholeNumbers(15);
  std::vector<uint8_t> weights;
  for (int i = 0; i < 24; ++i)
    weights.push_back(static_cast<uint8_t>(i * 37));
  Kernels kernels(GetParam());
  const uint64_t x = kernels.place(xs), w = kernels.place(weights),
                 y = kernels.placeNothing<float>(15);
  kernels.run("turn", 1, x, w, y);
  const auto ys = kernels.read<float>(y, 15);
  const auto *codes = reinterpret_cast<const fusec::u4x2 *>(weights.data());
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j)
      EXPECT_EQ(ys[size_t(j * 3 + i)],
                xs[size_t(i * 5 + j)] * static_cast<float>(fusec::load(
                                            fusec::nibble(codes, i * 16 + j))));
}

INSTANTIATE_TEST_SUITE_P(Both, DeviceOrder,
                         ::testing::Values(Direction::Forward,
                                           Direction::Reverse),
                         [](const auto &info) {
                           return info.param == Direction::Forward ? "Forward"
                                                                   : "Reverse";
                         });
