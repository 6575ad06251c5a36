// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bf16 bit by bit against what VDPBF16PS gives: by a formula of its
// own, and by results that a processor gave. Where the program is compiled for
// the instruction, vectors are that instruction.
#include "test/runtime/vocabulary/Support.h"

#include <random>

namespace fusec {
using namespace vocabulary;

namespace {

double flushedInput(uint32_t bits) {
  return bits & 0x7f800000 ? double(floatOf(bits))
                           : std::copysign(0.0, double(floatOf(bits)));
}

/// One step: the sum has 53 digits and becomes 24, and is flushed if that is
/// less than 2^-126 with exponents that have no end.
uint32_t addProduct(uint32_t a, uint32_t b, uint32_t c) {
  const double sum = flushedInput(a) * flushedInput(b) + flushedInput(c);
  double rounded = sum;
  if (std::isfinite(sum) && sum != 0) {
    int exponent;
    const double digits = std::frexp(sum, &exponent);
    rounded = std::ldexp(std::nearbyint(std::ldexp(digits, 24)), exponent - 24);
  }
  if (std::fabs(rounded) < std::ldexp(1.0, -126))
    rounded = std::copysign(0.0, sum);
  return bitsOf(static_cast<float>(rounded));
}

uint32_t expected(uint32_t a, uint32_t b, uint32_t c) {
  c = addProduct(a & 0xffff0000, b & 0xffff0000, c);
  return addProduct(a << 16, b << 16, c);
}

bool isSame(uint32_t got, uint32_t want) {
  return got == want || (std::isnan(floatOf(got)) && std::isnan(floatOf(want)));
}

struct Terms {
  uint32_t a[16], b[16], c[16];
};

/// Both forms against what is wanted of them.
void expectSame(const Terms &t, const uint32_t (&want)[16]) {
  int32_t a[16], b[16];
  float c[16];
  std::memcpy(a, t.a, sizeof(a));
  std::memcpy(b, t.b, sizeof(b));
  std::memcpy(c, t.c, sizeof(c));
  const f32x16 vector =
      dot_bf16(load<i32x16>(a), load<i32x16>(b), load<f32x16>(c));
  float results[16];
  store(results, vector);
  for (int l = 0; l < 16; ++l) {
    const uint32_t scalar = bitsOf(dot_bf16(a[l], b[l], c[l]));
    EXPECT_TRUE(isSame(bitsOf(results[l]), want[l]) && isSame(scalar, want[l]))
        << std::hex << t.a[l] << " " << t.b[l] << " " << t.c[l] << ": "
        << bitsOf(results[l]) << " and " << scalar << ", not " << want[l];
  }
}

/// Numbers of all sizes, subnormal, near the ends of the range and near 2^-63,
/// whose products are just normal.
uint32_t someFloat(std::mt19937 &random) {
  static const uint32_t special[] = {
      0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000,
      0x00010000, 0x80010000, 0x00800000, 0x80800000, 0x7f7f0000, 0xff7fffff};
  const auto bits = static_cast<uint32_t>(random());
  switch (random() % 8) {
  case 0:
    return bits & 0x807fffff;
  case 1:
    return (bits & 0x81ffffff) | 0x00800000;
  case 2:
    return (bits & 0x80ffffff) | 0x1f000000;
  case 3:
    return (bits & 0x80ffffff) | 0x7e000000;
  case 4:
    return special[random() % 12];
  case 5:
    return bits;
  default:
    return (bits & 0x80ffffff) | 0x3f000000;
  }
}

TEST(DotBf16, HasTheBitsOfTheInstruction) {
  std::mt19937 random(3);
  for (int round = 0; round < 20000; ++round) {
    Terms t;
    uint32_t want[16];
    for (int l = 0; l < 16; ++l) {
      t.a[l] = (someFloat(random) & 0xffff0000) | someFloat(random) >> 16;
      t.b[l] = (someFloat(random) & 0xffff0000) | someFloat(random) >> 16;
      t.c[l] = someFloat(random);
      // A sum of which little is left.
      if (random() % 4 == 0) {
        const float product =
            floatOf(t.a[l] & 0xffff0000) * floatOf(t.b[l] & 0xffff0000);
        t.c[l] = bitsOf(-product) + static_cast<uint32_t>(random() % 3) - 1;
      }
      want[l] = expected(t.a[l], t.b[l], t.c[l]);
    }
    expectSame(t, want);
    ASSERT_FALSE(HasFailure());
  }
}

// What a processor gave (family 26 of AMD's).
TEST(DotBf16, GivesWhatAProcessorGave) {
  const uint32_t known[][4] = {
      // The second term is added first: only of small terms something is left.
      {0x3f803f80, 0x33803380, 0x3f800000, 0x3f800000},
      {0x33803f80, 0x3f803f80, 0x33800000, 0x3f800001},
      {0x3f803380, 0x3f803f80, 0x33800000, 0x3f800000},
      // Just less than the least normal number: rounded up, and flushed.
      {0x31e40000, 0x81dd807c, 0x00800000, 0x00000000},
      {0x81cd3f98, 0x31b501c0, 0x00800000, 0x01e40000},
      // Subnormal factors and sums.
      {0x00010000, 0x7f000000, 0x3f800000, 0x3f800000},
      {0x00000000, 0x00000000, 0x80000001, 0x00000000},
      // Out of range between the two terms, and by a term alone.
      {0x7f7fff7f, 0x40003f80, 0x00000000, 0x7f800000},
      {0x7f000000, 0x40000000, 0xff7fffff, 0x73800000},
  };
  for (const auto &row : known) {
    Terms t;
    uint32_t want[16];
    for (int l = 0; l < 16; ++l) {
      t.a[l] = row[0];
      t.b[l] = row[1];
      t.c[l] = row[2];
      want[l] = row[3];
    }
    expectSame(t, want);
  }
}

TEST(DotBf16, PairsOfFloatsAndOfMemory) {
  const bf16 terms[] = {{0x3f80}, {0xbf80}, {0x4049}, {0x7fc0}};
  for (int first = 0; first < 3; ++first) {
    const float a = load(terms + first), b = load(terms + first + 1);
    EXPECT_EQ(bf16_pairs(terms + first), bf16_pairs(a, b));
    EXPECT_EQ(bf16_pairs(a, b),
              terms[first].bits | terms[first + 1].bits << 16);
    const i32x16 all = bf16_pairs(f32x16(a), f32x16(b));
    EXPECT_EQ(get(all, 5), bf16_pairs(a, b));
  }
  bf16 many[32];
  for (int i = 0; i < 32; ++i)
    many[i] = {static_cast<uint16_t>(0x3f80 + i)};
  const i32x16 lanes = bf16_pairs<i32x16>(many);
  for (int l = 0; l < 16; ++l)
    EXPECT_EQ(get(lanes, l), bf16_pairs(many + 2 * l));
}

} // namespace
} // namespace fusec
