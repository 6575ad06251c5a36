// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads of a device share, in both orders of warps and blocks.
#include "test/runtime/vocabulary/DeviceKernels.h"

#include <numeric>

using namespace vocabulary;
using namespace fusec::ptx;

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

TEST_P(DeviceOrder, RowsBeginAtMultiplesOfTheirElements) {
  // Of 1.0, 1 + 1/1024, ...: one more is 2.0, 2 + 1/1024, ..., every other one
  // of which a half holds.
  std::vector<uint16_t> xs, want;
  for (uint16_t i = 0; i < 4 * threads + 8; ++i) {
    xs.push_back(static_cast<uint16_t>(0x3c00 + 2 * (i % 500)));
    want.push_back(static_cast<uint16_t>(0x4000 + i % 500));
  }
  for (size_t shift : {0, 4, 8}) {
    Kernels kernels(GetParam());
    const uint64_t x = kernels.place(xs),
                   y = kernels.place(std::vector<uint16_t>(xs.size()));
    kernels.run("wide_rows", 1, x + 2 * shift, y + 2 * shift);
    const std::vector<uint16_t> ys = kernels.read<uint16_t>(y, xs.size());
    for (size_t i = 0; i < xs.size(); ++i)
      EXPECT_EQ(ys[i], i < shift || i >= shift + 4 * threads ? 0 : want[i])
          << i;
  }
}

TEST_P(DeviceOrder, LaunchesRequestSharedMemory) {
  std::vector<float> xs = wholeNumbers(64 * threads);
  Kernels kernels(GetParam());
  const uint64_t x = kernels.place(xs),
                 y = kernels.placeNothing<float>(xs.size());
  kernels.runWith(uint32_t(64 * threads * sizeof(float)), "requested", 1, x, y);
  std::reverse(xs.begin(), xs.end());
  EXPECT_EQ(kernels.read<float>(y, xs.size()), xs);
}

TEST_P(DeviceOrder, CopiesArriveWhereThreadsWait) {
  const size_t inside = 4 * 100;
  const std::vector<float> xs = wholeNumbers(4 * threads);
  std::vector<double> wide;
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < 2 * threads; ++i)
    wide.push_back(double(i) / 3);
  for (size_t i = 0; i < threads; ++i)
    numbers.push_back(int64_t(i) << 33);
  Kernels kernels(GetParam());
  const uint64_t x = kernels.place(xs), w = kernels.place(wide),
                 n = kernels.place(numbers),
                 y = kernels.placeNothing<float>(4 * threads),
                 z = kernels.placeNothing<double>(2 * threads),
                 m = kernels.placeNothing<int64_t>(threads);
  kernels.run("reversed", 1, x, w, n, y, z, m, int(inside));
  const auto ys = kernels.read<float>(y, 4 * threads);
  const auto zs = kernels.read<double>(z, 2 * threads);
  const auto ms = kernels.read<int64_t>(m, threads);
  for (size_t i = 0; i < 4 * threads; ++i)
    EXPECT_EQ(ys[4 * threads - 1 - i], i < inside ? xs[i] : 0) << i;
  for (size_t i = 0; i < 2 * threads; ++i)
    EXPECT_EQ(zs[2 * threads - 1 - i], wide[i]) << i;
  for (size_t i = 0; i < threads; ++i)
    EXPECT_EQ(ms[threads - 1 - i], i < inside ? numbers[i] : 0) << i;
}

/// The bits of a whole number from -4 to 4 in 16 bits, whose exponent has so
/// many.
static uint16_t toBits(int number, int exponentBits) {
  if (number == 0)
    return 0;
  const int size = std::abs(number), power = size >= 4 ? 2 : size >= 2 ? 1 : 0;
  const int mantissaBits = 15 - exponentBits,
            bias = (1 << (exponentBits - 1)) - 1;
  return uint16_t((number < 0 ? 0x8000 : 0) | (bias + power) << mantissaBits |
                  (size - (1 << power)) << (mantissaBits - power));
}

TEST_P(DeviceOrder, WarpsMultiplyMatrices) {
  const int warps = threads / 32;
  for (auto [kernel, exponentBits, isApart] :
       {std::tuple("multiply_f16", 5, true),
        std::tuple("multiply_bf16", 8, false)}) {
    std::vector<int> rows(warps * 256), columns(256);
    for (size_t i = 0; i < rows.size(); ++i)
      rows[i] = int(i * 7919 % 9) - 4;
    for (size_t i = 0; i < columns.size(); ++i)
      columns[i] = int(i * 104729 % 9) - 4;
    std::vector<uint16_t> xs, ws;
    for (int number : rows)
      xs.push_back(toBits(number, exponentBits));
    for (int number : columns)
      ws.push_back(toBits(number, exponentBits));
    Kernels kernels(GetParam());
    const uint64_t x = kernels.place(xs), w = kernels.place(ws),
                   y = kernels.placeNothing<float>(rows.size());
    kernels.run(kernel, 1, x, w, y);
    const std::vector<float> ys = kernels.read<float>(y, rows.size());
    for (int row = 0; row < 16 * warps; ++row)
      for (int column = 0; column < 16; ++column) {
        int expected = 0;
        for (int k = 0; k < 16; ++k)
          expected += rows[row * 16 + k] *
                      columns[isApart ? k * 16 + column : column * 16 + k];
        ASSERT_EQ(ys[row * 16 + column], float(expected))
            << kernel << " " << row << ", " << column;
      }
  }
}

/// Factors of two parts each: exact where one of both has few bits, else with
/// an error of 2^-21 of what is added up.
TEST_P(DeviceOrder, WarpsMultiplyMatricesOfF32) {
  const int warps = threads / 32;
  for (auto [kernel, isApart] : {std::pair("multiply_f32", false),
                                 std::pair("multiply_f32_apart", true)})
    for (auto [bitsX, bitsW] :
         {std::pair(17, 3), std::pair(3, 17), std::pair(24, 24)}) {
      auto makeNumbers = [](size_t count, uint32_t seed, int bits) {
        std::vector<float> numbers;
        for (size_t i = 0; i < count; ++i) {
          seed = seed * 1664525u + 1013904223u;
          const int number = int(seed >> (32 - bits));
          numbers.push_back(float(number - (1 << (bits - 1))));
        }
        return numbers;
      };
      const std::vector<float> xs = makeNumbers(size_t(warps) * 256, 1, bitsX),
                               ws = makeNumbers(256, 2, bitsW);
      Kernels kernels(GetParam());
      const uint64_t x = kernels.place(xs), w = kernels.place(ws),
                     y = kernels.placeNothing<float>(xs.size());
      kernels.run(kernel, 1, x, w, y);
      const std::vector<float> ys = kernels.read<float>(y, xs.size());
      for (int row = 0; row < 16 * warps; ++row)
        for (int column = 0; column < 16; ++column) {
          double expected = 0, size = 0;
          for (int k = 0; k < 16; ++k) {
            const double product =
                double(xs[row * 16 + k]) *
                double(ws[isApart ? k * 16 + column : column * 16 + k]);
            expected += product;
            size += std::abs(product);
          }
          const double error = std::abs(ys[row * 16 + column] - expected);
          ASSERT_LE(error, bitsX + bitsW > 24 ? std::ldexp(size, -21) : 0)
              << kernel << " " << bitsX << " bits " << row << ", " << column;
        }
    }
}

TEST_P(DeviceOrder, WarpsMultiplyMatricesOfBytes) {
  const int warps = threads / 32;
  for (auto [kernel, hasSignX, hasSignW] :
       {std::tuple("multiply_u8_s8", false, true),
        std::tuple("multiply_s8_u8", true, false),
        std::tuple("multiply_u8", false, false),
        std::tuple("multiply_s8", true, true)}) {
    std::vector<uint8_t> xs, ws;
    for (int i = 0; i < warps * 512; ++i)
      xs.push_back(uint8_t(i * 7919 % 256));
    for (int i = 0; i < 512; ++i)
      ws.push_back(uint8_t(i * 104729 % 251));
    auto number = [](uint8_t code, bool hasSign) {
      return hasSign ? int(int8_t(code)) : int(code);
    };
    Kernels kernels(GetParam());
    const uint64_t x = kernels.place(xs), w = kernels.place(ws),
                   y = kernels.placeNothing<int32_t>(size_t(warps) * 256);
    kernels.run(kernel, 1, x, w, y);
    const auto ys = kernels.read<int32_t>(y, size_t(warps) * 256);
    for (int row = 0; row < 16 * warps; ++row)
      for (int column = 0; column < 16; ++column) {
        int expected = 0;
        for (int k = 0; k < 32; ++k)
          expected += number(xs[row * 32 + k], hasSignX) *
                      number(ws[column * 32 + k], hasSignW);
        ASSERT_EQ(ys[row * 16 + column], expected)
            << kernel << " " << row << ", " << column;
      }
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
