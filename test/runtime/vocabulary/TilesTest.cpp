// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices against a formula of each element: of integers, and of
// bf16 in the order and with the roundings of TDPBF16PS.
#include "test/runtime/vocabulary/Support.h"

namespace fusec {
using namespace vocabulary;

namespace {

/// Two matrices with `gap` elements behind each row of the first, of which
/// nothing may be read; panels of the second one are `Columns` vectors wide.
template <class T, class U, int Terms, int Rows, int Columns> struct Matrices {
  static constexpr int gap = 3;
  int64_t row;
  std::vector<T> x;
  std::vector<U> w;

  explicit Matrices(int64_t steps)
      : row(steps * Terms + gap), x(size_t(Rows * row - gap)),
        w(size_t(steps * Columns * 16 * Terms)) {}

  T left(int64_t r, int64_t term) const { return x[size_t(r * row + term)]; }
  U right(int64_t c, int64_t term) const {
    return w[size_t((term / Terms * Columns * 16 + c) * Terms + term % Terms)];
  }
  int64_t column() const { return 16 * Terms; }
  int64_t step() const { return 16 * Terms * Columns; }
};

/// Sums in rows of more vectors than are added to, but for 32 rows.
template <class V, class S, int Rows, int Columns> struct Sums {
  static constexpr int width = Rows == 32 ? Columns : Columns + 1;
  V vectors[Rows][width];

  template <class Fn> void fill(Fn value) {
    for (auto &row : vectors)
      for (V &vector : row) {
        S lanes[16];
        for (S &lane : lanes)
          lane = value();
        vector = load<V>(lanes);
      }
  }
  S at(int r, int c) const {
    S lanes[16];
    store(lanes, vectors[r][c / 16]);
    return lanes[c % 16];
  }
};

template <int Rows, int Columns> void expectQuads(int64_t steps) {
  SCOPED_TRACE(testing::Message() << Rows << "x" << Columns << ", " << steps);
  std::mt19937 random(5);
  Matrices<uint8_t, int8_t, 4, Rows, Columns> m(steps);
  for (uint8_t &term : m.x)
    term = static_cast<uint8_t>(random());
  for (int8_t &term : m.w)
    term = static_cast<int8_t>(random());
  Sums<i32x16, int32_t, Rows, Columns> sums, before;
  before.fill([&] { return static_cast<int32_t>(random()); });
  sums = before;
  add_quad_tiles<Rows, Columns>(&sums.vectors[0][0], sums.width, m.x.data(),
                                m.row, m.w.data(), m.column(), m.step(), steps);
  for (int r = 0; r < Rows; ++r)
    for (int c = 0; c < 16 * sums.width; ++c) {
      auto want = static_cast<uint32_t>(before.at(r, c));
      for (int64_t term = 0; c < 16 * Columns && term < 4 * steps; ++term)
        want += static_cast<uint32_t>(m.left(r, term) * m.right(c, term));
      ASSERT_EQ(static_cast<uint32_t>(sums.at(r, c)), want) << r << ", " << c;
    }
}

/// a * b + c, rounded once, with zeros for subnormal numbers.
double stepOf(double a, double b, double c) {
  const auto flush = [](double x) {
    return std::fabs(x) < std::ldexp(1.0, -126) ? std::copysign(0.0, x) : x;
  };
  const double sum = flush(a) * flush(b) + flush(c);
  double rounded = sum;
  if (std::isfinite(sum) && sum != 0) {
    int exponent;
    const double digits = std::frexp(sum, &exponent);
    rounded = std::ldexp(std::nearbyint(std::ldexp(digits, 24)), exponent - 24);
  }
  return flush(static_cast<double>(static_cast<float>(flush(rounded))));
}

/// Of factors and sums whose exponents, as bf16 has them, are among 20 from
/// these on.
template <int Rows, int Columns>
void expectBf16(int64_t steps, unsigned ofFactors, unsigned ofSums) {
  SCOPED_TRACE(testing::Message() << Rows << "x" << Columns << ", " << steps
                                  << ", from " << ofFactors);
  std::mt19937 random(7);
  Matrices<bf16, bf16, 2, Rows, Columns> m(steps);
  const auto someFrom = [&](unsigned exponent) {
    const auto bits = static_cast<uint32_t>(random());
    return bf16{static_cast<uint16_t>((bits & 0x807f) |
                                      (exponent + (bits >> 16) % 20) << 7)};
  };
  const auto some = [&] { return someFrom(ofFactors); };
  for (bf16 &term : m.x)
    term = some();
  for (bf16 &term : m.w)
    term = some();
  Sums<f32x16, float, Rows, Columns> sums, before;
  before.fill([&] {
    const bf16 number = someFrom(ofSums);
    return load(&number);
  });
  sums = before;
  add_bf16_tiles<Rows, Columns>(&sums.vectors[0][0], sums.width, m.x.data(),
                                m.row, m.w.data(), m.column(), m.step(), steps);
  for (int r = 0; r < Rows; ++r)
    for (int c = 0; c < 16 * sums.width; ++c) {
      double want = static_cast<double>(before.at(r, c));
      for (int64_t first = 0; c < 16 * Columns && first < 2 * steps;
           first += 32) {
        double parts[2] = {0, 0};
        for (int64_t term = first; term < first + 32; ++term) {
          const bool isThere = term < 2 * steps;
          const bf16 zero{0};
          const bf16 a = isThere ? m.left(r, term) : zero;
          const bf16 b = isThere ? m.right(c, term) : zero;
          parts[term % 2] =
              stepOf(static_cast<double>(load(&a)),
                     static_cast<double>(load(&b)), parts[term % 2]);
        }
        want = stepOf(1, want, stepOf(1, parts[0], parts[1]));
      }
      ASSERT_EQ(bitsOf(sums.at(r, c)), bitsOf(static_cast<float>(want)))
          << r << ", " << c;
    }
}

} // namespace

TEST(Tiles, AddProductsOfBytes) {
  const TileRegisters tile_registers;
  for (int64_t steps : {1, 15, 16, 17, 48}) {
    expectQuads<1, 1>(steps);
    expectQuads<16, 1>(steps);
    expectQuads<20, 2>(steps);
    expectQuads<32, 2>(steps);
    expectQuads<37, 3>(steps);
  }
}

/// Rounded sums, and numbers so small that products and sums are subnormal.
template <int Rows, int Columns> void expectBf16(int64_t steps) {
  expectBf16<Rows, Columns>(steps, 115, 115);
  expectBf16<Rows, Columns>(steps, 52, 1);
}

TEST(Tiles, AddProductsOfBf16InTheirOrder) {
  const TileRegisters tile_registers;
  for (int64_t steps : {1, 15, 16, 17, 48}) {
    expectBf16<1, 1>(steps);
    expectBf16<20, 2>(steps);
    expectBf16<32, 2>(steps);
    expectBf16<37, 3>(steps);
  }
}

TEST(Tiles, AddProductsBehindABlockThatSetsRegistersUpAgain) {
  const TileRegisters outside;
  {
    const TileRegisters inside;
    expectQuads<16, 1>(1);
  }
  expectQuads<32, 2>(17);
}

} // namespace fusec
