// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, stores, gathers: every stored type, at every alignment, and never a
// byte beyond what the mask allows.
#include <sys/mman.h>
#include <unistd.h>

#include "test/runtime/vocabulary/Support.h"

namespace fusec {
using namespace vocabulary;

namespace {

/// An array that ends where memory ends: one byte too far is a fault.
template <typename T> class Guarded {
public:
  explicit Guarded(size_t count) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    bytes = 2 * page;
    base = static_cast<char *>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base + page, page, PROT_NONE);
    data = reinterpret_cast<T *>(base + page) - count;
  }
  Guarded(const Guarded &) = delete;
  ~Guarded() { munmap(base, bytes); }
  T *data;

private:
  char *base;
  size_t bytes;
};

// Values that every type can hold, made from a lane number.
template <typename T> T valueOf(int n) { return static_cast<T>(n * 5 % 100); }
template <> bool valueOf<bool>(int n) { return n % 3 == 0; }
template <> f16 valueOf<f16>(int n) {
  return detail::f16_of(static_cast<float>(n) * 0.25f - 1.0f);
}
template <> bf16 valueOf<bf16>(int n) {
  return detail::bf16_of(static_cast<float>(n) * 0.25f - 1.0f);
}

template <typename T> bool identical(const T &a, const T &b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

} // namespace

template <typename T> class Memory : public ::testing::Test {};
using StoredTypes =
    ::testing::Types<float, double, f16, bf16, int32_t, uint32_t, int16_t,
                     uint16_t, int8_t, uint8_t, int64_t, uint64_t, bool>;
TYPED_TEST_SUITE(Memory, StoredTypes, );

TYPED_TEST(Memory, LoadAndStore) {
  typedef TypeParam T;
  typedef typename detail::loaded<T>::vector V;
  for (int shift = 0; shift < 5; ++shift) {
    T from[32], to[32];
    for (int i = 0; i < 32; ++i) {
      from[i] = valueOf<T>(i + shift);
      to[i] = valueOf<T>(77);
    }
    const V v = load<V>(from + shift);
    for (int l = 0; l < 16; ++l)
      EXPECT_EQ(get(v, l), load(from + shift + l));
    store(to + shift, v);
    for (int i = 0; i < 32; ++i) {
      const bool inside = i >= shift && i < shift + 16;
      EXPECT_TRUE(identical(to[i], inside ? from[i] : valueOf<T>(77))) << i;
    }
    store(to, load(from + 3));
    EXPECT_TRUE(identical(to[0], from[3]));
  }
}

TYPED_TEST(Memory, StreamsWhatIsAlignedAndWhatIsNot) {
  typedef TypeParam T;
  typedef typename detail::loaded<T>::vector V;
  for (int shift = 0; shift <= 16; ++shift) {
    alignas(64) T from[48], to[48];
    for (int i = 0; i < 48; ++i) {
      from[i] = valueOf<T>(i + shift);
      to[i] = valueOf<T>(77);
    }
    store_streamed(to + shift, load<V>(from + shift));
    finish_streams();
    for (int i = 0; i < 48; ++i) {
      const bool inside = i >= shift && i < shift + 16;
      EXPECT_TRUE(identical(to[i], inside ? from[i] : valueOf<T>(77))) << i;
    }
  }
}

TYPED_TEST(Memory, MasksKeepAwayFromTheRest) {
  typedef TypeParam T;
  typedef typename detail::loaded<T>::vector V;
  for (int n = 0; n <= 16; ++n) {
    Guarded<T> from(static_cast<size_t>(n)), to(static_cast<size_t>(n));
    for (int i = 0; i < n; ++i)
      from.data[i] = valueOf<T>(i);
    const mask16 m = mask_lt(0, n);
    const T fillStored = valueOf<T>(3);
    const auto fill = load(&fillStored);
    const V zeros = load<V>(static_cast<const T *>(from.data), m);
    const V filled = load<V>(static_cast<const T *>(from.data), m, fill);
    const V strided =
        load_strided<V>(static_cast<const T *>(from.data), 1, m, fill);
    for (int l = 0; l < 16; ++l) {
      const auto want = l < n ? load(from.data + l) : fill;
      EXPECT_EQ(get(filled, l), want);
      EXPECT_EQ(get(strided, l), want);
      if (l >= n) {
        EXPECT_EQ(get(zeros, l), decltype(want)(0));
      }
    }
    store(to.data, filled, m);
    for (int i = 0; i < n; ++i)
      EXPECT_TRUE(identical(to.data[i], from.data[i]));
  }
}

/// Lanes at a distance that are known while compiling, with nothing behind
/// them.
template <class T, int N, int Stride> static void checkKnownLanes() {
  typedef typename detail::loaded<T>::vector V;
  Guarded<T> from(static_cast<size_t>(N == 0 ? 0 : (N - 1) * Stride + 1));
  for (int i = 0; i < N; ++i)
    from.data[i * Stride] = valueOf<T>(i);
  const T *p = from.data;
  const V v = load_strided<V>(p, Stride, mask_lt(0, N));
  const V odd = load_strided<V>(p, Stride, mask_range(0, 3, N));
  for (int l = 0; l < 16; ++l) {
    const auto want = l < N ? load(p + l * Stride) : decltype(load(p))(0);
    EXPECT_EQ(get(v, l), want) << l;
    EXPECT_EQ(get(odd, l), l < 3 ? decltype(want)(0) : want) << l;
  }
}

TYPED_TEST(Memory, StridesKeepAwayFromTheRest) {
  typedef TypeParam T;
  typedef typename detail::loaded<T>::vector V;
  checkKnownLanes<T, 0, 2>();
  checkKnownLanes<T, 5, 2>();
  checkKnownLanes<T, 8, 2>();
  checkKnownLanes<T, 14, 2>();
  checkKnownLanes<T, 16, 2>();
  checkKnownLanes<T, 7, 1>();
  checkKnownLanes<T, 14, 3>();
  for (int n = 0; n <= 16; ++n) {
    Guarded<T> from(n == 0 ? 0 : static_cast<size_t>(2 * n - 1));
    for (int l = 0; l < n; ++l)
      from.data[2 * l] = valueOf<T>(l);
    const T *p = from.data;
    const V v = load_strided<V>(p, 2, mask_lt(0, n));
    for (int l = 0; l < 16; ++l)
      EXPECT_EQ(get(v, l), l < n ? load(p + 2 * l) : decltype(load(p))(0));
  }
  Guarded<T> from(31);
  for (int l = 0; l < 16; ++l)
    from.data[2 * l] = valueOf<T>(l);
  const V all = load_strided<V>(static_cast<const T *>(from.data), 2);
  EXPECT_EQ(get(all, 15), load(from.data + 30));
}

TEST(Memory, FillsOfFewerBits) {
  const int64_t from[16] = {};
  const mask16 none = mask_lt(0, 0);
  const i32x16 at = iota<i32x16>();
  EXPECT_EQ(get(load<i64x16>(from, none, 3), 5), 3);
  EXPECT_EQ(get(load_strided<i64x16>(from, 1, none, 3), 5), 3);
  EXPECT_EQ(get(gather<i64x16>(from, at, none, 3), 5), 3);
}

TYPED_TEST(Memory, ScatteredMasks) {
  typedef TypeParam T;
  typedef typename detail::loaded<T>::vector V;
  T from[64], to[64];
  for (int i = 0; i < 64; ++i) {
    from[i] = valueOf<T>(i);
    to[i] = valueOf<T>(1);
  }
  const uint32_t bits = 0x93a6;
  const mask16 m = detail::mask_from_bits(bits);
  store(to, load<V>(static_cast<const T *>(from)), m);
  for (int l = 0; l < 16; ++l)
    EXPECT_TRUE(identical(to[l], bits >> l & 1 ? from[l] : valueOf<T>(1)));
  store_strided(to, 3, load<V>(static_cast<const T *>(from) + 9), m);
  for (int l = 0; l < 16; ++l)
    if (bits >> l & 1) {
      EXPECT_TRUE(identical(to[3 * l], from[9 + l]));
    }
}

/// N rows, with nothing behind the last column that is written.
template <class T, int N> static void checkTransposed(uint32_t bits) {
  typedef typename detail::loaded<T>::vector V;
  const int stride = N + 3;
  Guarded<T> to(static_cast<size_t>(15 * stride + N));
  T from[N][16];
  V rows[N];
  for (int r = 0; r < N; ++r) {
    for (int l = 0; l < 16; ++l)
      from[r][l] = valueOf<T>(7 * r + l);
    rows[r] = load<V>(static_cast<const T *>(from[r]));
  }
  for (int i = 0; i < 15 * stride + N; ++i)
    to.data[i] = valueOf<T>(2);
  if (bits == 0xffffu)
    store_transposed(to.data, stride, rows);
  else
    store_transposed(to.data, stride, rows, detail::mask_from_bits(bits));
  for (int l = 0; l < 16; ++l)
    for (int r = 0; r < (l == 15 ? N : stride); ++r) {
      const bool inside = r < N && (bits >> l & 1u) != 0;
      EXPECT_TRUE(identical(to.data[l * stride + r],
                            inside ? from[r][l] : valueOf<T>(2)))
          << N << " rows, row " << r << ", lane " << l;
    }
}

TYPED_TEST(Memory, StoreTransposed) {
  for (uint32_t bits : {0xffffu, 0x00ffu, 0x93a6u, 0u}) {
    checkTransposed<TypeParam, 1>(bits);
    checkTransposed<TypeParam, 3>(bits);
    checkTransposed<TypeParam, 4>(bits);
    checkTransposed<TypeParam, 6>(bits);
    checkTransposed<TypeParam, 7>(bits);
    checkTransposed<TypeParam, 8>(bits);
    checkTransposed<TypeParam, 14>(bits);
    checkTransposed<TypeParam, 16>(bits);
    checkTransposed<TypeParam, 21>(bits);
  }
}

TYPED_TEST(Memory, Gather) {
  typedef TypeParam T;
  typedef typename detail::loaded<T>::vector V;
  T from[64], to[64] = {};
  for (int i = 0; i < 64; ++i)
    from[i] = valueOf<T>(i);
  const T *p = from + 32;
  int32_t idx[16];
  int64_t wide[16];
  for (int l = 0; l < 16; ++l)
    wide[l] = idx[l] = (l * 29) % 61 - 30;
  const uint32_t bits = 0x5c71;
  const mask16 m = detail::mask_from_bits(bits);
  const i32x16 i32 = load<i32x16>(idx);
  const i64x16 i64 = load<i64x16>(wide);
  const T fillStored = valueOf<T>(7);
  const auto fill = load(&fillStored);
  for (int l = 0; l < 16; ++l) {
    const auto want = load(p + idx[l]);
    const auto masked = bits >> l & 1 ? want : fill;
    EXPECT_EQ(get(gather<V>(p, i32), l), want);
    EXPECT_EQ(get(gather<V>(p, i64), l), want);
    EXPECT_EQ(gather(p, wide[l]), want);
    EXPECT_EQ(get(gather<V>(p, i32, m, fill), l), masked);
    EXPECT_EQ(get(gather<V>(p, i64, m, fill), l), masked);
    EXPECT_EQ(get(load_strided<V>(static_cast<const T *>(from), 4), l),
              load(from + 4 * l));
    EXPECT_EQ(get(load_strided<V>(static_cast<const T *>(from), 2), l),
              load(from + 2 * l));
    EXPECT_EQ(get(load_strided<V>(static_cast<const T *>(from), 2, m, fill), l),
              bits >> l & 1 ? load(from + 2 * l) : fill);
  }
  const i32x16 apart = iota<i32x16>() * 4;
  scatter(to, apart, gather<V>(p, i32));
  for (int l = 0; l < 16; ++l)
    EXPECT_TRUE(identical(to[4 * l], p[idx[l]]));
  scatter(to, apart, load<V>(static_cast<const T *>(from)), m);
  for (int l = 0; l < 16; ++l)
    EXPECT_TRUE(identical(to[4 * l], bits >> l & 1 ? from[l] : p[idx[l]]));
}

TYPED_TEST(Memory, MaskedGatherTouchesNothingElse) {
  typedef TypeParam T;
  typedef typename detail::loaded<T>::vector V;
  Guarded<T> from(4);
  for (int i = 0; i < 4; ++i)
    from.data[i] = valueOf<T>(i);
  const i32x16 far = select(mask_lt(0, 4), iota<i32x16>(), i32x16(1 << 28));
  const V v = gather<V>(static_cast<const T *>(from.data), far, mask_lt(0, 4));
  EXPECT_EQ(get(v, 2), load(from.data + 2));
  EXPECT_EQ(get(v, 9), decltype(load(from.data))(0));
}

// --- 16-bit floats

TEST(Float16, EveryValueConvertsExactly) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const f16 h = {static_cast<uint16_t>(bits)};
    const int exponent = static_cast<int>(bits >> 10 & 31u);
    const double fraction = static_cast<double>(bits & 1023u) / 1024.0;
    double want = exponent == 0 ? std::ldexp(fraction, -14)
                                : std::ldexp(1.0 + fraction, exponent - 15);
    if (exponent == 31)
      want = fraction == 0.0 ? std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
    if (bits & 0x8000u)
      want = -want;
    EXPECT_EQ(ulpDistance(load(&h), want), 0.0) << bits;
    f16 sixteen[16];
    for (f16 &x : sixteen)
      x = h;
    const float lane = get(load<f32x16>(static_cast<const f16 *>(sixteen)), 9);
    EXPECT_EQ(ulpDistance(lane, want), 0.0) << bits;
    if (!std::isnan(want)) {
      f16 back;
      store(&back, load(&h));
      EXPECT_EQ(back.bits, h.bits);
    }
  }
}

TEST(Float16, RoundsToNearestEven) {
  std::vector<float> xs = sweep(65537);
  // Halfway between two neighbours, and just beside.
  for (uint32_t bits = 0; bits < 0x7c00; bits += 7) {
    const f16 low = {static_cast<uint16_t>(bits)};
    const f16 high = {static_cast<uint16_t>(bits + 1)};
    const float middle =
        bits + 1 == 0x7c00 ? 65520.0f : (load(&low) + load(&high)) * 0.5f;
    for (float x : {middle, std::nextafter(middle, 0.0f),
                    std::nextafter(middle, 1e9f), -middle})
      xs.push_back(x);
  }
  while (xs.size() % 16)
    xs.push_back(0.0f);
  for (size_t i = 0; i < xs.size(); i += 16) {
    f16 h[16];
    bf16 b[16];
    store(h, load<f32x16>(&xs[i]));
    store(b, load<f32x16>(&xs[i]));
    for (size_t l = 0; l < 16; ++l) {
      const float x = xs[i + l];
      f16 one;
      bf16 oneB;
      store(&one, x);
      store(&oneB, x);
      if (std::isnan(x)) {
        EXPECT_TRUE(std::isnan(load(h + l)) && std::isnan(load(&one)));
        EXPECT_TRUE(std::isnan(load(b + l)) && std::isnan(load(&oneB)));
        continue;
      }
      // Nearest, by scaling to integers; 2^-24 is the smallest binary16.
      int exponent;
      std::frexp(static_cast<double>(x), &exponent);
      const int unit = std::max(exponent - 11, -24);
      double want = std::ldexp(
          std::nearbyint(std::ldexp(static_cast<double>(x), -unit)), unit);
      if (std::fabs(want) > 65504.0)
        want = std::copysign(std::numeric_limits<double>::infinity(), want);
      EXPECT_EQ(static_cast<double>(load(h + l)), want) << x;
      EXPECT_EQ(h[l].bits, one.bits) << x;
      EXPECT_EQ(static_cast<double>(to_f16(x)), want) << x;
      const int unitB = std::max(exponent - 8, -133);
      const double wantB = std::ldexp(
          std::nearbyint(std::ldexp(static_cast<double>(x), -unitB)), unitB);
      EXPECT_EQ(load(b + l), static_cast<float>(wantB)) << x;
      EXPECT_EQ(b[l].bits, oneB.bits) << x;
      EXPECT_EQ(to_bf16(x), static_cast<float>(wantB)) << x;
      const f32x16 all = load<f32x16>(&xs[i]);
      const int lane = static_cast<int>(l);
      EXPECT_EQ(get(to_f16(all), lane), to_f16(x)) << x;
      EXPECT_EQ(get(to_bf16(all), lane), to_bf16(x)) << x;
    }
  }
}

/// The nearest number with `digits` digits, the last of which is at least
/// 2^least, ties to even; infinite from `end` on.
static double nearest(double x, int digits, int least, double end) {
  int exponent;
  std::frexp(x, &exponent);
  const int unit = std::max(exponent - digits, least);
  const double number = std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
  return std::fabs(number) < end
             ? number
             : std::copysign(std::numeric_limits<double>::infinity(), x);
}

// A double is rounded once: where an f32 is on the way, what is just beside the
// middle of two neighbours becomes the middle.
TEST(Float16, RoundsDoublesOnce) {
  std::vector<double> xs = {0.0, 1e300, -1e300, 1e-300, 65520.0, 3.4e38};
  for (uint32_t bits = 0; bits < 0x7f80; bits += 5) {
    const f16 half = {static_cast<uint16_t>(bits)};
    const bf16 brief = {static_cast<uint16_t>(bits)};
    for (double x : {static_cast<double>(load(&half)) * (1 + 0x1p-11),
                     static_cast<double>(load(&brief)) * (1 + 0x1p-8)})
      for (double near : {x, x * (1 + 0x1p-40), -x * (1 - 0x1p-40)})
        if (std::isfinite(near))
          xs.push_back(near);
  }
  while (xs.size() % 16)
    xs.push_back(1.0);
  for (size_t i = 0; i < xs.size(); i += 16)
    for (size_t l = 0; l < 16; ++l) {
      const double x = xs[i + l];
      const f64x16 all = load<f64x16>(&xs[i]);
      const int lane = static_cast<int>(l);
      const double want = nearest(x, 11, -24, 65536.0);
      EXPECT_EQ(static_cast<double>(to_f16(x)), want) << x;
      EXPECT_EQ(static_cast<double>(get(to_f16(all), lane)), want) << x;
      const double brief = nearest(x, 8, -133, 0x1p128);
      EXPECT_EQ(static_cast<double>(to_bf16(x)), brief) << x;
      EXPECT_EQ(static_cast<double>(get(to_bf16(all), lane)), brief) << x;
    }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(to_f16(nan)) && std::isnan(to_bf16(nan)));
  EXPECT_TRUE(std::isnan(get(to_f16(f64x16(nan)), 3)));
}

} // namespace fusec
