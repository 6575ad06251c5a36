// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What sessions give a GPU as graphs, and how they wait within.
#include "runtime/src/DeviceSteps.h"
#include "test/runtime/cuda/GpuModel.h"

#include <random>
#include <vector>

using namespace fusec_gpu_model;
using fusec::rt::DeviceNodes;
using fusec::rt::DeviceSteps;

namespace {

/// The program: each step doubles what is in one place into another one. Place
/// 0 is the input, place 1 the output, the others lie in the arena.
std::vector<std::pair<int, int>> program;
/// Which of them is a copy, in which case the result is not doubled.
int copied = -1;
bool hasHostSteps = false;

int32_t runProgram(const fusec_run_ctx *run) {
  using namespace fusec;
  int number = 0;
  for (auto [from, to] : program) {
    const float *x =
        from ? arena<float>(run, 32u * unsigned(from)) : input<float>(run, 0);
    if (from == 1)
      x = output<float>(run, 0);
    float *y =
        to == 1 ? output<float>(run, 0) : arena<float>(run, 32u * unsigned(to));
    if (number++ == copied)
      copy_on_device(run, y, x, 32);
    else
      launch<twice_fn>(run, number == int(program.size()) ? 1 : 0, x, y);
  }
  fill_device(run, output<int64_t>(run, 1), 3, int64_t(1) << 40);
  if (hasHostSteps)
    copy_to_host(run, host_arena<float>(run, 0), output<float>(run, 0), 4);
  return finish_run(run);
}
int32_t planProgram(const int64_t *, const uint32_t *, fusec_plan *plan) {
  plan->arena_bytes = 32 * 64;
  plan->workspace_bytes = 0;
  plan->output_dims[0] = 8;
  plan->output_dims[1] = 3;
  plan->host_arena_bytes = hasHostSteps ? 64 : 0;
  return 0;
}

class Graph : public Cuda {
protected:
  Graph() {
    desc.run = runProgram;
    desc.plan = planProgram;
    copied = -1;
    hasHostSteps = false;
  }
  ~Graph() override {
    for (void *place : onDevice)
      gpu->release(gpu->self, place);
  }
  /// 32 bytes of the device.
  void *allocate() {
    void *place = nullptr;
    EXPECT_EQ(gpu->allocate(gpu->self, 32, &place), FUSEC_OK);
    onDevice.push_back(place);
    return place;
  }
  /// As many steps, each of what the one before has made.
  static void makeChain(int steps) {
    program.clear();
    for (int i = 0; i < steps; ++i)
      program.push_back({i ? i + 1 : 0, i + 1 == steps ? 1 : i + 2});
  }
  void capture(void *stream, bool isCaptured) {
    find<decltype(fake_cuda_capture)>("fake_cuda_capture")(stream, isCaptured);
  }

  std::vector<void *> onDevice;
};

TEST_F(Graph, IsMadeOnce) {
  program = {{0, 2}, {0, 3}, {2, 4}, {3, 2}, {4, 5}, {5, 1}};
  copied = 4;
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  takeLog();
  ASSERT_EQ(runOn(session), FUSEC_OK) << session.error();
  // The fourth step writes what the third one reads; 8 bytes are two columns.
  EXPECT_EQ(takeLog(), "to device 32\n"
                       "node 0 twice\n"
                       "node 1 twice\n"
                       "node 2 twice after 0\n"
                       "node 3 twice after 2 1\n"
                       "node 4 copy after 2\n"
                       "node 5 twice after 4\n"
                       "node 6 fill\n"
                       "node 7 fill after 6\n"
                       "launch graph\n"
                       "to host 32\n"
                       "to host 24\n"
                       "wait\n");
  EXPECT_EQ(y[7], 64);
  EXPECT_EQ(n[2], int64_t(1) << 40);
  x[7] = 1;
  ASSERT_EQ(runOn(session), FUSEC_OK) << session.error();
  EXPECT_EQ(takeLog(), "to device 32\n"
                       "launch graph\n"
                       "to host 32\n"
                       "to host 24\n"
                       "wait\n");
  EXPECT_EQ(y[7], 8);
}

TEST_F(Graph, TakesOtherMemory) {
  makeChain(6);
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  void *from = allocate(), *to = allocate(), *other = allocate();
  ASSERT_EQ(gpu->copy(gpu->self, nullptr, from, x, 32, FUSEC_COPY_TO_DEVICE),
            FUSEC_OK);
  ASSERT_EQ(runOn(session, from, to), FUSEC_OK) << session.error();
  takeLog();
  ASSERT_EQ(runOn(session, from, other), FUSEC_OK) << session.error();
  EXPECT_EQ(takeLog(), "update 5\nlaunch graph\nto host 24\nwait\n");
  ASSERT_EQ(gpu->copy(gpu->self, nullptr, y, other, 32, FUSEC_COPY_TO_HOST),
            FUSEC_OK);
  EXPECT_EQ(y[1], 128);
  // The same memory again needs nothing.
  takeLog();
  ASSERT_EQ(runOn(session, from, other), FUSEC_OK) << session.error();
  EXPECT_EQ(takeLog(), "launch graph\nto host 24\nwait\n");
}

TEST_F(Graph, IsMadeAnewWhereStepsWaitForOthers) {
  // Where the output is the input's memory, who writes it waits for who reads.
  program = {{0, 2}, {0, 3}, {2, 4}, {2, 1}};
  fusec_tensor_desc mayAlias[] = {outputs[0], outputs[1]};
  mayAlias[0].alias_of = 0;
  desc.outputs = mayAlias;
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  void *from = allocate(), *to = allocate();
  ASSERT_EQ(runOn(session, from, to), FUSEC_OK) << session.error();
  takeLog();
  ASSERT_EQ(runOn(session, from, from), FUSEC_OK) << session.error();
  EXPECT_NE(takeLog().find("node 3 twice after 1 0\n"), std::string::npos);
  // Both are kept.
  ASSERT_EQ(runOn(session, from, to), FUSEC_OK) << session.error();
  EXPECT_EQ(takeLog(), "launch graph\nto host 24\nwait\n");
}

TEST_F(Graph, ErrorsNameTheStepsOfTwoSpans) {
  makeChain(21);
  fusec_launch_desc named[] = {{"doubled", 0, 0}, {"last", 1, 0}};
  desc.launches = named;
  takeBroken("last");
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  takeLog();
  EXPECT_EQ(runOn(session), FUSEC_DEVICE_ERROR);
  const std::string log = takeLog();
  // A node behind each 8 steps, and the third span begins when the first is
  // over, if nothing else tells it to wait.
  EXPECT_NE(log.find("node 8 mark 8 after 7\n"), std::string::npos) << log;
  EXPECT_NE(log.find("node 17 mark 16 after 8 16\n"), std::string::npos) << log;
  EXPECT_NE(log.find("node 18 twice after 16 8\n"), std::string::npos) << log;
  // The fill is beside the chain; behind all the mark is as it was.
  EXPECT_NE(log.find(" mark 0 after 17 22 24\n"), std::string::npos) << log;
  const char *why =
      "model 'gpu': one of 6 steps, from kernel doubled to a fill, failed on "
      "Fake GPU: an illegal memory access was encountered "
      "(CUDA_ERROR_ILLEGAL_ADDRESS); with mark_every = 1 (fusec run "
      "--mark-every 1) an error names the one";
  EXPECT_STREQ(session.error(), why);
  // What the first run left of its marks says nothing of the next one.
  setGpu(80, 1);
  EXPECT_EQ(runOn(session), FUSEC_DEVICE_ERROR);
  EXPECT_STREQ(session.error(), why);
}

TEST_F(Graph, IsForManyStepsThatNobodyWatches) {
  makeChain(2);
  fusec::Model model(&desc);
  {
    fusec::Session session = makeSession(model);
    ASSERT_EQ(runOn(session), FUSEC_OK) << session.error();
    EXPECT_EQ(takeLog().find("graph"), std::string::npos);
  }
  makeChain(30);
  options.mark_every = 1;
  fusec::Session session = makeSession(model);
  ASSERT_EQ(runOn(session), FUSEC_OK) << session.error();
  EXPECT_EQ(takeLog().find("graph"), std::string::npos);
}

TEST_F(Graph, IsMadeForSoManyPrograms) {
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  const int most = 64;
  for (int extra = 0; extra <= most; ++extra) {
    program.assign(size_t(4 + extra), {0, 1});
    takeLog();
    ASSERT_EQ(runOn(session), FUSEC_OK) << session.error();
    EXPECT_EQ(takeLog().find("launch graph") != std::string::npos,
              extra < most);
    EXPECT_EQ(y[3], 8);
  }
}

TEST_F(Graph, RunsJoinACapture) {
  makeChain(20);
  int stream = 0;
  options.stream = &stream;
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  void *from = allocate(), *to = allocate(), *count = allocate();
  const fusec_tensor in[] = {{from, 32, eight, 1, FUSEC_F32}};
  const fusec_tensor out[] = {{to, 32, eight, 1, FUSEC_F32},
                              {count, 24, three, 1, FUSEC_I64}};
  capture(&stream, true);
  takeLog();
  ASSERT_EQ(session.run(in, 1, out, 2), FUSEC_OK) << session.error();
  const std::string log = takeLog();
  EXPECT_EQ(log.find("graph"), std::string::npos) << log;
  EXPECT_EQ(log.find("wait"), std::string::npos) << log;
  EXPECT_EQ(log.find("mark"), std::string::npos) << log;
  // What the host has would be copied when the run is back.
  EXPECT_EQ(runOn(session), FUSEC_INVALID_ARGUMENT);
  EXPECT_STREQ(session.error(),
               "model 'gpu': its stream is captured, and the host has input x; "
               "give memory of the device");
  EXPECT_EQ(runOn(session, from, to), FUSEC_INVALID_ARGUMENT);
  EXPECT_EQ(takeLog(), "");
  capture(&stream, false);
  ASSERT_EQ(session.run(in, 1, out, 2), FUSEC_OK) << session.error();
  EXPECT_NE(takeLog().find("launch graph"), std::string::npos);
}

TEST_F(Graph, RunsThatWaitRefuseACapture) {
  makeChain(4);
  hasHostSteps = true;
  int stream = 0;
  options.stream = &stream;
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  capture(&stream, true);
  takeLog();
  EXPECT_EQ(runOn(session), FUSEC_INVALID_ARGUMENT);
  EXPECT_STREQ(session.error(),
               "model 'gpu': its stream is captured, and its host program "
               "waits for what the device has computed; run it outside of the "
               "capture");
  EXPECT_EQ(takeLog(), "");
  capture(&stream, false);
  EXPECT_EQ(runOn(session), FUSEC_OK) << session.error();
}

/// Random steps wait, directly or not, for all with which they conflict and for
/// those of earlier spans, and marks for those that they count.
TEST(Nodes, WaitForWhatTheyMust) {
  std::mt19937 random(7);
  auto below = [&](uint32_t n) { return uint32_t(random() % n); };
  static char memory[400];
  for (int round = 0; round < 300; ++round) {
    const uint32_t count = 1 + below(70), span = 1 + below(16);
    const uint32_t places = 1 + below(40);
    DeviceSteps steps;
    ASSERT_TRUE(steps.allocate(count, 3 * count));
    for (uint32_t i = 0; i < count; ++i) {
      steps.add(0, "kernel ", "", {});
      for (uint32_t k = below(3); k-- > 0;)
        steps.access(memory + 10 * below(places), below(15), below(3) == 0);
    }
    DeviceNodes nodes;
    ASSERT_TRUE(nodes.allocate(count, span));
    const volatile uint32_t mark = 0;
    nodes.order(steps, &mark);
    std::vector<std::vector<bool>> waits;
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      const fusec_device_node &node = nodes.data()[i];
      std::vector<bool> &all = waits.emplace_back(nodes.size());
      for (uint32_t k = 0; k < node.num_before; ++k) {
        const uint32_t before = node.before[k];
        ASSERT_LT(before, i);
        all[before] = true;
        for (uint32_t other = 0; other < before; ++other)
          all[other] = all[other] || waits[before][other];
      }
      if (node.kind != FUSEC_NODE_MARK)
        continue;
      const uint64_t done = node.value ? node.value : count;
      for (uint32_t step = 0; step < done; ++step)
        EXPECT_TRUE(all[nodes.getPlace(step)]) << step;
    }
    for (uint32_t i = 0; i < count; ++i)
      for (uint32_t k = 0; k < i; ++k)
        if (steps.conflict(k, i) || k / span + 1 < i / span) {
          EXPECT_TRUE(waits[nodes.getPlace(i)][nodes.getPlace(k)])
              << k << " before " << i << ", span " << span;
        }
    EXPECT_EQ(nodes.size() > count, count > 2 * span);
  }
}

} // namespace
