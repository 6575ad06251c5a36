// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of codes of 8 bits: each code, with and without a sign, in each lane.
#include "test/runtime/vocabulary/Support.h"

namespace fusec {
using namespace vocabulary;

template <typename P> class LookUp : public ::testing::Test {};
using EntryTypes = ::testing::Types<uint8_t, int8_t>;
TYPED_TEST_SUITE(LookUp, EntryTypes, );

TYPED_TEST(LookUp, EachCodeInEachLane) {
  // No two entries are alike, none is its place, and both signs are among them.
  // The table ends where the memory ends, for a sanitizer.
  std::vector<TypeParam> table(256);
  for (int code = 0; code < 256; ++code)
    table[static_cast<size_t>(code)] = static_cast<TypeParam>(code * 77 + 5);
  for (int code = -128; code < 256; ++code) {
    const int want = table[static_cast<size_t>(code & 255)];
    EXPECT_EQ(look_up(table.data(), code), want) << code;
    i32x16 codes = iota<i32x16>();
    codes = (codes * i32x16(16) + i32x16(code)) & i32x16(255);
    if (code < 0)
      codes = codes - i32x16(256);
    const i32x16 got = look_up(table.data(), codes);
    for (int l = 0; l < 16; ++l)
      EXPECT_EQ(get(got, l),
                int{table[static_cast<size_t>(get(codes, l) & 255)]})
          << code << ", lane " << l;
  }
}

} // namespace fusec
