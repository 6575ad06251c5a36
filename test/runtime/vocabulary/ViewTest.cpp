// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors by their own subscripts, and indices of unrolled loops.
#include "fusec/cuda/view.h"
#include "test/runtime/vocabulary/Support.h"

namespace fusec {
using namespace vocabulary;

namespace {

std::vector<float> numbered(int count) {
  std::vector<float> elements;
  for (int i = 0; i < count; ++i)
    elements.push_back(static_cast<float>(i));
  return elements;
}

} // namespace

TEST(View, RowAfterRow) {
  std::vector<float> elements = numbered(2 * 3 * 5);
  const View<float, 2, 3, 5> x{elements.data()};
  int place = 0;
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 3; ++j)
      for (int64_t k = 0; k < 5; ++k, ++place) {
        EXPECT_EQ(&x(i, j, k), elements.data() + place);
        EXPECT_EQ(&x[place], elements.data() + place);
      }
  EXPECT_EQ(x.stride(0), 15);
  EXPECT_EQ(x.stride(1), 5);
  EXPECT_EQ(x.stride(2), 1);
  x(1, 2, 4) = -1.0f;
  EXPECT_EQ(elements.back(), -1.0f);
}

TEST(View, NoDimensions) {
  const float element = 3.0f;
  const View<const float> x{&element};
  EXPECT_EQ(x(), 3.0f);
}

TEST(View, SubscriptsBeyondExtents) {
  const std::vector<float> elements = numbered(3 * 16);
  const View<const float, 3, 16> x{elements.data()};
  EXPECT_EQ(x(0, 16), 16.0f);
  EXPECT_EQ(x(2, -1), 31.0f);
  // The first lane lies before the row, and is not read.
  const int64_t start = -1;
  const f32x16 row = load<f32x16>(&x(0, start), mask_ge(start, 0));
  for (int l = 0; l < 16; ++l)
    EXPECT_EQ(get(row, l), l ? static_cast<float>(l - 1) : 0.0f);
}

TEST(View, UnrolledSubscripts) {
  const std::vector<float> elements = numbered(12 * 7);
  const View<const float, 12, 7> x{elements.data()};
  for (int64_t tile = 0; tile < 3; ++tile) {
    FUSEC_UNROLL for (Unrolled i = 0; i < 4; ++i) {
      const int64_t row = tile * 4 + int64_t(i);
      EXPECT_EQ(&x(tile * 4 + i, 6), &x(row, 6));
      EXPECT_EQ(&x(i + tile * 4, i), &x(row, int64_t(i)));
      EXPECT_EQ(&x(11 - i, i * 2), &x(11 - int64_t(i), int64_t(i) * 2));
      EXPECT_EQ(&x(tile - i + 4, 0), &x(tile - int64_t(i) + 4, 0));
      EXPECT_EQ(&x(i - tile + 2, 0), &x(int64_t(i) - tile + 2, 0));
      EXPECT_EQ(&x(tile * 4 + i - i, i - 1), &x(tile * 4, int64_t(i) - 1));
    }
  }
}

TEST(Unrolled, CountsAsAnInteger) {
  int64_t sum = 0;
  for (Unrolled i = 0; i < 48; i += 16)
    sum += i / 16 + i % 16;
  EXPECT_EQ(sum, 3);
  const Unrolled i = 5;
  // With itself, literals and integers, before and after.
  const int64_t n = 3;
  EXPECT_EQ(int64_t(-i), -5);
  EXPECT_EQ(i * i + i / i + i % i, 26);
  EXPECT_EQ(i * n + n * i + i * 2 + 2 * i, 50);
  EXPECT_EQ(i / n + n / i + i / 2 + 7 / i, 4);
  EXPECT_EQ(i % n + n % i + i % 2 + 7 % i, 8);
  EXPECT_TRUE(i == i && i <= i && i >= i && !(i != i) && !(i < i) && !(i > i));
  EXPECT_TRUE(i > n && n < i && i > 3 && 3 < i && i >= n && i != 4 && 4 != i);
  EXPECT_TRUE(int64_t{2} * 4 + i == 13);
}

// What kernels of GPUs use where 32 bits are enough.
TEST(View32, RowAfterRow) {
  std::vector<float> elements = numbered(12 * 7);
  const View32<float, 12, 7> x{elements.data()};
  const int32_t row = 4;
  const int64_t found = 11; // in data
  EXPECT_EQ(x(row, row + 2), 34.0f);
  EXPECT_EQ(x(found, 0), 77.0f);
  EXPECT_EQ(x[row * 2], 8.0f);
  EXPECT_EQ(x(1, -1), 6.0f);
  for (int32_t tile = 0; tile < 3; ++tile) {
    FUSEC_UNROLL for (Unrolled32 i = 0; i < 4; ++i) {
      const int32_t at = tile * 4 + int32_t(i);
      EXPECT_EQ(&x(tile * 4 + i, 6), &x(at, 6));
      EXPECT_EQ(&x(i + tile * 4, i), &x(at, int32_t(i)));
      EXPECT_EQ(&x(11 - i, i * 2), &x(11 - int32_t(i), int32_t(i) * 2));
      EXPECT_EQ(&x(tile - i + 4, 0), &x(tile - int32_t(i) + 4, 0));
      EXPECT_EQ(&x(i - tile + 2, 0), &x(int32_t(i) - tile + 2, 0));
      EXPECT_EQ(&x(tile * 4 + i - i, i - 1), &x(tile * 4, int32_t(i) - 1));
      EXPECT_EQ(i % 3 + i / 3 + 2 * i,
                int32_t(i) % 3 + int32_t(i) / 3 + 2 * int32_t(i));
    }
  }
}

TEST(View, Nibbles) {
  std::vector<u4x2> bytes;
  for (int i = 0; i < 16; ++i)
    bytes.push_back({static_cast<uint8_t>((i % 4 * 4 + i % 8 / 4) |
                                          (i % 4 * 4 + i % 8 / 4 + 2) << 4)});
  // Element l of a group of 16 is l.
  const View<const u4x2, 2, 16> x{bytes.data()};
  const int64_t row = 1;
  EXPECT_EQ(load(x(row, 11)), 11);
  EXPECT_EQ(get(load<i32x16>(x(row, 0)), 15), 15);
  EXPECT_EQ(load(x[19]), 3);
}

} // namespace fusec
