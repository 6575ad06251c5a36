// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who read a word, where many blocks of a launch do: two of them say as much as
// all, unless something may order blocks.
#include "test/ptx-sim/Snippet.h"

using namespace fusec::ptx;

namespace {

// Each thread reads a word that all blocks read, and one block writes it: of
// `plain` the one that is given, of `told` the one that takes the last ticket,
// which knows of all blocks but `silent`, which has no fence.
constexpr const char *kText = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry plain(.param .u64 x, .param .u64 writer) {
  .reg .b64 %a; .reg .b32 %i, %w, %v; .reg .pred %p;
  ld.param.u64 %a, [x];
  ld.param.u32 %w, [writer];
  mov.u32 %i, %tid.x;
  mad.wide.u32 %a, %i, 4, %a;
  ld.global.u32 %v, [%a];
  bar.sync 0;
  mov.u32 %i, %ctaid.x;
  setp.eq.u32 %p, %i, %w;
  @%p st.global.u32 [%a], %i;
}
.visible .entry told(.param .u64 x, .param .u64 tickets, .param .u64 silent) {
  .reg .b64 %a, %t; .reg .b32 %i, %s, %v; .reg .pred %p;
  ld.param.u64 %a, [x];
  ld.param.u64 %t, [tickets];
  ld.param.u32 %s, [silent];
  mov.u32 %i, %tid.x;
  mad.wide.u32 %a, %i, 4, %a;
  mad.wide.u32 %t, %i, 4, %t;
  ld.global.u32 %v, [%a];
  mov.u32 %i, %ctaid.x;
  setp.ne.u32 %p, %i, %s;
  @%p membar.gl;
  atom.global.add.u32 %v, [%t], 1;
  mov.u32 %i, %nctaid.x;
  sub.u32 %i, %i, 1;
  setp.eq.u32 %p, %i, %v;
  @%p membar.gl;
  @%p st.global.u32 [%a], %v;
}
)";

constexpr uint32_t kBlocks = 5, kNobody = ~0u;

struct Readers : ::testing::TestWithParam<Direction> {
  Device device;
  Module &module = device.load("readers.ptx", kText);
  uint64_t x = device.allocate(128, "x"), tickets = device.allocate(128);

  Readers() {
    const std::vector<uint32_t> zeros(32);
    device.copyIn(x, zeros.data(), 128);
    device.copyIn(tickets, zeros.data(), 128);
  }
  void launch(const char *kernel, const std::vector<uint64_t> &values,
              Stream stream = 0) {
    LaunchConfig config;
    config.kernel = kernel;
    config.grid.x = kBlocks;
    config.block.x = 32;
    config.stream = stream;
    config.direction = GetParam();
    fusec::ptx::launch(device, module, config, values);
  }
  /// In how many accesses a race was found.
  uint64_t count() const {
    uint64_t count = 0;
    for (const Finding &finding : device.findings.all())
      count += finding.count;
    return count;
  }
};

TEST_P(Readers, NeedNoListsWhereNothingOrdersBlocks) {
  launch("plain", {x, kNobody});
  launch("plain", {x, kNobody});
  EXPECT_EQ(device.countLists(), 0u);
  EXPECT_TRUE(device.findings.empty());
}

TEST_P(Readers, RaceWithAWriterInWhicheverBlock) {
  for (uint32_t writer = 0; writer < kBlocks; ++writer) {
    const uint64_t before = count();
    launch("plain", {x, writer});
    // Each lane's write is told once for all readers before it, and each read
    // after it.
    const uint32_t earlier =
        GetParam() == Direction::Forward ? writer : kBlocks - 1 - writer;
    EXPECT_EQ(count() - before,
              32 * (kBlocks - 1 - earlier + (earlier ? 1 : 0)))
        << writer;
  }
}

TEST_P(Readers, OfEarlierWorkCountToo) {
  const Stream other = device.createStream();
  launch("plain", {x, kNobody});
  launch("plain", {x, kNobody}, other);
  EXPECT_TRUE(device.findings.empty());
  // Behind the second launch, not behind the first.
  launch("plain", {x, 0}, other);
  bool isFound = false;
  for (const Finding &finding : device.findings.all())
    isFound |= finding.kind == "launch-race";
  EXPECT_TRUE(isFound);
}

TEST_P(Readers, AreForgottenBehindTheirLaunch) {
  launch("plain", {x, kNobody});
  const uint32_t one = 1;
  device.fill(x, &one, 4, 32);
  EXPECT_TRUE(device.findings.empty());
}

TEST_P(Readers, WhoAllToldTheWriterAreFine) {
  launch("told", {x, tickets, kNobody});
  EXPECT_TRUE(device.findings.empty());
}

TEST_P(Readers, AreEachToBeToldOf) {
  launch("told", {x, tickets, 2});
  ASSERT_FALSE(device.findings.empty());
  EXPECT_NE(device.findings.all()[0].message.find("block (2,0,0) read"),
            std::string::npos)
      << device.findings.all()[0].message;
}

INSTANTIATE_TEST_SUITE_P(Orders, Readers,
                         ::testing::Values(Direction::Forward,
                                           Direction::Reverse));

} // namespace
