// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that go on beside their threads, mbarriers, and atomics of 128 bits.
#include "test/ptx-sim/Snippet.h"

using namespace fusec::ptx;
using Values = std::vector<uint64_t>;

namespace {

/// Each lane has eight bytes of shared memory, at %r7.
const std::string kShared = ".shared .align 16 .b8 sm[512]; mov.u32 %r7, sm;"
                            "mad.lo.u32 %r7, %lane, 8, %r7;\n";

TEST(Async, APredicateIgnoresTheSource) {
  auto copy = [](const std::string &ignored) {
    // The last input's address is in %at; where it is ignored it may be bad.
    return compute(kShared +
                       "setp.ne.u64 %p0, %in0, 0; selp.b64 %d0, 0, %at, %p0;"
                       "setp.eq.u64 %p1, %in0, 0;"
                       "cp.async.ca.shared.global [%r7], [%d0], 8, " +
                       ignored +
                       "; cp.async.wait_all; ld.shared.b64 %out, [%r7];",
                   "b64", {"b64"}, {{0, 1, 0, 1}});
  };
  EXPECT_EQ(copy("%p0"), (Values{0, 0, 0, 0}));
  EXPECT_EQ(copy("!%p1"), (Values{0, 0, 0, 0}));
  EXPECT_EQ(compute(kShared + "setp.eq.u64 %p0, %in0, 7;"
                              "cp.async.ca.shared.global [%r7], [%at], 8, %p0;"
                              "cp.async.wait_all; ld.shared.b64 %out, [%r7];",
                    "b64", {"b64"}, {{7, 8, 9}}),
            (Values{0, 8, 9}));
}

/// Lane 0 makes an mbarrier for that many arrivals, at %r6.
std::string barrier(int count) {
  return ".shared .align 8 .b64 bar; mov.u32 %r6, bar;"
         "setp.eq.u32 %p7, %lane, 0;"
         "@%p7 mbarrier.init.shared.b64 [%r6], " +
         std::to_string(count) + "; bar.warp.sync -1;\n";
}

TEST(Mbarrier, TellsHowManyWereAwaited) {
  // Lanes arrive one after the other; the last one completes the phase.
  EXPECT_EQ(compute(barrier(32) +
                        "mbarrier.arrive.shared.b64 %d0, [%r6];"
                        "mbarrier.pending_count.b64 %out, %d0;"
                        "mbarrier.test_wait.shared.b64 %p0, [%r6], %d0;"
                        "@!%p0 mov.u32 %out, 99;",
                    "b32", {"b32"}, {{0, 0, 0, 0}}),
            (Values{32, 31, 30, 29}));
}

TEST(Mbarrier, WaitsForBytes) {
  auto phase = [](const std::string &code) {
    return compute(barrier(1) + "mov.u32 %out, 9; @!%p7 bra END;" + code +
                       "mbarrier.test_wait.parity.shared.b64 %p0, [%r6], 0;"
                       "selp.u32 %out, 1, 0, %p0; END:",
                   "b32", {"b32"}, {{0}});
  };
  const std::string expect =
                        "mbarrier.arrive.expect_tx.shared.b64 _, [%r6], 24;",
                    alone = "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r6], "
                            "24; mbarrier.arrive.shared.b64 _, [%r6];",
                    some = "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r6], "
                           "16;",
                    rest = "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r6], "
                           "8;";
  EXPECT_EQ(phase(expect), (Values{0}));
  EXPECT_EQ(phase(expect + some), (Values{0}));
  EXPECT_EQ(phase(expect + some + rest), (Values{1}));
  EXPECT_EQ(phase(alone + some + rest), (Values{1}));
  // Bytes may come before anybody expects them, but not instead of arrivals.
  EXPECT_EQ(phase(some + rest + expect), (Values{1}));
  EXPECT_EQ(phase("mbarrier.expect_tx.shared.b64 [%r6], 8;" + rest),
            (Values{0}));
}

TEST(Atomic, OfSixteenBytes) {
  const std::string cell = ".reg .b128 %q<4>; .shared .align 16 .b8 sm[512];"
                           "mov.u32 %r7, sm; mad.lo.u32 %r7, %lane, 16, %r7;"
                           "st.shared.v2.b64 [%r7], {%in0, %in1};"
                           "mov.b128 %q0, {%in1, %in0};";
  // Where both halves are as compared, they are exchanged.
  EXPECT_EQ(compute(cell + "mov.b64 %d0, 5; mov.b128 %q1, {%d0, %in1};"
                           "atom.shared.cas.b128 %q2, [%r7], %q1, %q0;"
                           "ld.shared.b64 %out, [%r7];",
                    "b64", {"b64", "b64"}, {{5, 6}, {1, 2}}),
            (Values{1, 6}));
  EXPECT_EQ(compute(cell + "atom.shared.exch.b128 %q2, [%r7], %q0;"
                           "mov.b128 {%d0, %d1}, %q2; ld.shared.b64 %d2, "
                           "[%r7+8]; mad.lo.u64 %out, %d1, 100, %d2;",
                    "b64", {"b64", "b64"}, {{5, 6}, {1, 2}}),
            (Values{105, 206}));
}

} // namespace
