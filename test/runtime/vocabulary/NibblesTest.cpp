// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers of 4 bits, two to a byte: every code at every place, by each way to
// read it.
#include "test/runtime/vocabulary/Support.h"

namespace fusec {
using namespace vocabulary;

namespace {

constexpr int kGroups = 16, kCount = 16 * kGroups;

/// Element `at`: each place of a group has every code in one of the groups.
int codeAt(int at) { return (at % 16 * 5 + at / 16) % 16; }

template <class P> constexpr bool isSigned = false;
template <> constexpr bool isSigned<i4x2> = true;

template <class P> int valueAt(int at) {
  const int code = codeAt(at);
  return isSigned<P> && code > 7 ? code - 16 : code;
}

/// The elements, as fusec packs them: the even ones of a group, then the odd.
template <class P> std::vector<P> packed() {
  std::vector<P> bytes;
  for (int group = 0; group < kGroups; ++group)
    for (int l = 0; l < 8; ++l) {
      const int at = 16 * group + l % 4 * 4 + l / 4;
      const int low = codeAt(at), high = codeAt(at + 2);
      bytes.push_back({static_cast<uint8_t>(low | high << 4)});
    }
  return bytes;
}

} // namespace

template <typename P> class Nibbles : public ::testing::Test {};
using PackedTypes = ::testing::Types<u4x2, i4x2>;
TYPED_TEST_SUITE(Nibbles, PackedTypes, );

TYPED_TEST(Nibbles, Scalars) {
  const std::vector<TypeParam> p = packed<TypeParam>();
  for (int at = 0; at < kCount; ++at)
    EXPECT_EQ(load(nibble(p.data(), at)), valueAt<TypeParam>(at)) << at;
}

TYPED_TEST(Nibbles, Groups) {
  // The bytes of the last group end where the memory ends, for a sanitizer.
  const std::vector<TypeParam> p = packed<TypeParam>();
  for (int at = 0; at < kCount; at += 16) {
    const i32x16 whole = load<i32x16>(nibble(p.data(), at));
    const i64x16 wide = load<i64x16>(nibble(p.data(), at));
    const f32x16 number = load<f32x16>(nibble(p.data(), at));
    for (int l = 0; l < 16; ++l) {
      const int want = valueAt<TypeParam>(at + l);
      EXPECT_EQ(get(whole, l), want);
      EXPECT_EQ(get(wide, l), want);
      EXPECT_EQ(get(number, l), static_cast<float>(want));
    }
    for (int n = 0; n <= 16; ++n) {
      const mask16 m = mask_lt(0, n);
      const i32x16 zeros = load<i32x16>(nibble(p.data(), at), m);
      const i32x16 filled = load<i32x16>(nibble(p.data(), at), m, 77);
      const f32x16 zeroed = load<f32x16>(nibble(p.data(), at), m);
      const f32x16 full = load<f32x16>(nibble(p.data(), at), m, 77.0f);
      for (int l = 0; l < 16; ++l) {
        const int want = valueAt<TypeParam>(at + l);
        EXPECT_EQ(get(zeros, l), l < n ? want : 0);
        EXPECT_EQ(get(filled, l), l < n ? want : 77);
        EXPECT_EQ(get(zeroed, l), static_cast<float>(l < n ? want : 0));
        EXPECT_EQ(get(full, l), static_cast<float>(l < n ? want : 77));
      }
    }
  }
}

TYPED_TEST(Nibbles, Quads) {
  const std::vector<TypeParam> p = packed<TypeParam>();
  for (int at = 0; at + 64 <= kCount; at += 16) {
    const i32x16 all = quads<i32x16>(nibble(p.data(), at));
    for (int l = 0; l < 16; ++l) {
      const auto term = [&](int number) {
        return valueAt<TypeParam>(at + 4 * l + number);
      };
      EXPECT_EQ(get(all, l), quads(term(0), term(1), term(2), term(3)));
    }
  }
}

TYPED_TEST(Nibbles, LanesFromAnywhere) {
  const std::vector<TypeParam> p = packed<TypeParam>();
  for (int base = 0; base < 19; base += 3) {
    const i32x16 at = iota<i32x16>() * i32x16(13);
    const i64x16 wide = to<i64x16>(at);
    const mask16 m = mask_lt(0, 11);
    const i32x16 all = gather<i32x16>(nibble(p.data(), base), at);
    const f32x16 numbers = gather<f32x16>(nibble(p.data(), base), wide);
    const i32x16 some = gather<i32x16>(nibble(p.data(), base), wide, m);
    const i32x16 filled = gather<i32x16>(nibble(p.data(), base), at, m, 77);
    for (int l = 0; l < 16; ++l) {
      const int want = valueAt<TypeParam>(base + 13 * l);
      EXPECT_EQ(get(all, l), want);
      EXPECT_EQ(get(numbers, l), static_cast<float>(want));
      EXPECT_EQ(get(some, l), l < 11 ? want : 0);
      EXPECT_EQ(get(filled, l), l < 11 ? want : 77);
    }
  }
  // Lanes outside of the mask are not touched.
  const i32x16 far = select(mask_lt(0, 1), i32x16(5), i32x16(1 << 30));
  const i32x16 one = gather<i32x16>(nibble(p.data(), 0), far, mask_lt(0, 1));
  EXPECT_EQ(get(one, 0), valueAt<TypeParam>(5));
}

} // namespace fusec
