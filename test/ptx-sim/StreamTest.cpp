// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work on streams: what nothing orders may not touch the same bytes.
#include "test/ptx-sim/Snippet.h"

using namespace fusec::ptx;

namespace {

constexpr const char *kText = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry increment(.param .u64 x) {
  .reg .b64 %a; .reg .b32 %i, %v;
  ld.param.u64 %a, [x];
  mov.u32 %i, %tid.x;
  mad.wide.u32 %a, %i, 4, %a;
  ld.global.u32 %v, [%a];
  add.u32 %v, %v, 1;
  st.global.u32 [%a], %v;
}
.visible .entry read(.param .u64 x, .param .u64 y) {
  .reg .b64 %a, %b; .reg .b32 %i, %v;
  ld.param.u64 %a, [x];
  ld.param.u64 %b, [y];
  mov.u32 %i, %tid.x;
  mad.wide.u32 %a, %i, 4, %a;
  mad.wide.u32 %b, %i, 4, %b;
  ld.global.u32 %v, [%a];
  st.global.u32 [%b], %v;
}
)";

struct Streams : ::testing::Test {
  Device device;
  Module &module = device.load("streams.ptx", kText);
  uint64_t x = device.allocate(128, "x"), y = device.allocate(128, "y"),
           z = device.allocate(128, "z");
  Stream other = device.createStream();

  Streams() {
    std::vector<uint32_t> data(32, 7);
    device.copyIn(x, data.data(), 128);
  }
  void launch(const char *kernel, Stream stream, std::vector<uint64_t> pointers,
              uint32_t blocks = 1) {
    LaunchConfig config;
    config.kernel = kernel;
    config.grid.x = blocks;
    config.block.x = 32;
    config.stream = stream;
    fusec::ptx::launch(device, module, config, pointers);
  }
};

TEST_F(Streams, OneStreamIsOrdered) {
  launch("increment", 0, {x});
  launch("increment", 0, {x});
  uint32_t out[32];
  device.copyOut(out, x, 128);
  EXPECT_EQ(out[31], 9u);
  EXPECT_TRUE(device.findings.empty());
}

TEST_F(Streams, TwoAreNot) {
  launch("increment", 0, {x});
  launch("increment", other, {x});
  ASSERT_FALSE(device.findings.empty());
  EXPECT_EQ(device.findings.all()[0].kind, "launch-race");
  EXPECT_NE(device.findings.all()[0].message.find("increment"),
            std::string::npos);
}

TEST_F(Streams, AnEventOrdersThem) {
  launch("increment", 0, {x});
  Event event = device.record(0);
  device.wait(other, event);
  launch("increment", other, {x});
  EXPECT_TRUE(device.findings.empty());
  // What comes behind the event is not covered.
  launch("increment", 0, {x});
  EXPECT_FALSE(device.findings.empty());
}

TEST_F(Streams, SynchronisingOrdersThem) {
  launch("increment", 0, {x});
  device.synchronize(0);
  launch("increment", other, {x});
  EXPECT_TRUE(device.findings.empty());
}

TEST_F(Streams, BothMayRead) {
  launch("read", 0, {x, y});
  launch("read", other, {x, z});
  EXPECT_TRUE(device.findings.empty());
  launch("increment", other, {x}); // but stream 0 still reads it
  EXPECT_FALSE(device.findings.empty());
}

TEST_F(Streams, ManyReadersAreRememberedAsWork) {
  for (size_t most : {size_t(0), size_t(1) << 20}) {
    device.mostLists = most;
    launch("read", 0, {x, y}, 5);
    launch("read", 0, {x, y}, 5);
    launch("read", other, {x, z}, 5);
    launch("increment", 0, {y}); // gives back what the reads took
    EXPECT_TRUE(device.findings.empty());
    Event event = device.record(0);
    device.wait(other, event);
    launch("increment", other, {x});
    EXPECT_TRUE(device.findings.empty());
    device.synchronize();
  }
  launch("read", 0, {x, y}, 5);
  device.mostLists = 0;
  launch("read", other, {x, z}, 5);
  launch("increment", other, {x}); // but stream 0 still reads it
  EXPECT_FALSE(device.findings.empty());
}

TEST_F(Streams, FillsAndCopiesCount) {
  launch("read", 0, {x, y});
  const uint32_t zero = 0;
  device.fill(x, &zero, 4, 32, other);
  ASSERT_FALSE(device.findings.empty());
  EXPECT_EQ(device.findings.all()[0].kind, "launch-race");
}

TEST_F(Streams, TheLastOfSeveralReadersIsNotAll) {
  launch("read", 0, {x, y});
  launch("read", other, {x, z});
  const uint32_t zero = 0;
  device.fill(x, &zero, 4, 32, other); // but stream 0 still reads it
  ASSERT_FALSE(device.findings.empty());
  EXPECT_EQ(device.findings.all()[0].kind, "launch-race");
}

TEST_F(Streams, TheHostReadsWhatSomebodyWrote) {
  uint32_t out[32];
  device.copyOut(out, x, 128);
  EXPECT_TRUE(device.findings.empty());
  device.copyOut(out, y, 128);
  ASSERT_FALSE(device.findings.empty());
  EXPECT_EQ(device.findings.all()[0].kind, "uninitialised");
}

TEST_F(Streams, WritesOfOneValueRaceWhereThatIsAskedFor) {
  const char *text = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry same(.param .u64 x) {
  .reg .b64 %a; .reg .b32 %v;
  ld.param.u64 %a, [x];
  mov.u32 %v, 3;
  st.global.u32 [%a], %v;
}
)";
  Module &same = device.load("same.ptx", text);
  LaunchConfig config;
  config.kernel = "same";
  config.block.x = 32;
  device.launch(same, config, {bytesOf(x)});
  EXPECT_TRUE(device.findings.empty());
  device.isStrict = true;
  device.findings.isFirstEnough = true;
  EXPECT_THROW(device.launch(same, config, {bytesOf(x)}), Error);
  ASSERT_EQ(device.findings.all().size(), 1u);
  EXPECT_EQ(device.findings.all()[0].kind, "race");
}

TEST_F(Streams, CopiesCarryWhatIsUndefined) {
  device.copy(z, y, 128);
  EXPECT_FALSE(device.isDefined(z, 4));
  launch("increment", 0, {z});
  ASSERT_FALSE(device.findings.empty());
  EXPECT_EQ(device.findings.all()[0].kind, "uninitialised");
}

TEST_F(Streams, FreedMemoryIsOutOfBounds) {
  device.free(x);
  launch("increment", 0, {x});
  ASSERT_FALSE(device.findings.empty());
  EXPECT_EQ(device.findings.all()[0].kind, "out-of-bounds");
}

TEST_F(Streams, WrongLaunchesAreErrors) {
  EXPECT_THROW(launch("increment", 0, {x, y}), Error);
  EXPECT_THROW(launch("nothing", 0, {x}), Error);
  EXPECT_THROW(launch("increment", 9, {x}), Error);
}

} // namespace
