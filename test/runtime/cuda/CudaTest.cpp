// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sessions on a GPU of CUDA's driver, of which there is a fake one here.
#include "test/runtime/cuda/GpuModel.h"

using namespace fusec_gpu_model;

namespace {

/// Goes on while the device says so, which it always does.
int rounds = 0;
int32_t runWhile(const fusec_run_ctx *run) {
  using namespace fusec;
  float more = 1;
  for (rounds = 0; more != 0 && rounds < 100; ++rounds) {
    launch<twice_fn>(run, 1, input<float>(run, 0), output<float>(run, 0));
    copy_to_host(run, &more, input<float>(run, 0), sizeof(float));
  }
  return finish_run(run);
}

TEST_F(Cuda, RunsOnTheHostsMemory) {
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  takeLog();
  ASSERT_EQ(runOn(session), FUSEC_OK) << session.error();
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(y[i], 4 * x[i]);
  for (int64_t number : n)
    EXPECT_EQ(number, int64_t(1) << 40);
  // Nothing is allocated; 8 bytes are two columns; the run waits for its end.
  EXPECT_EQ(takeLog(), "to device 32\n"
                       "launch twice 2 4 0\n"
                       "launch twice 2 4 0\n"
                       "set 2D 32 1x3\n"
                       "set 2D 32 1x3\n"
                       "to host 32\n"
                       "to host 24\n"
                       "wait\n");
}

TEST_F(Cuda, RunsOnTheDevicesMemory) {
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  void *from = nullptr, *to = nullptr;
  ASSERT_EQ(gpu->allocate(gpu->self, 32, &from), FUSEC_OK);
  ASSERT_EQ(gpu->allocate(gpu->self, 32, &to), FUSEC_OK);
  ASSERT_EQ(gpu->copy(gpu->self, nullptr, from, x, 32, FUSEC_COPY_TO_DEVICE),
            FUSEC_OK);
  takeLog();
  ASSERT_EQ(runOn(session, from, to), FUSEC_OK) << session.error();
  EXPECT_EQ(takeLog().find("to device"), std::string::npos);
  ASSERT_EQ(gpu->copy(gpu->self, nullptr, y, to, 32, FUSEC_COPY_TO_HOST),
            FUSEC_OK);
  EXPECT_EQ(y[7], 32);
  gpu->release(gpu->self, from);
  gpu->release(gpu->self, to);
}

TEST_F(Cuda, CopiesWhatIsNotAlignedThere) {
  fusec_model_options told = {};
  std::string log;
  told.log_self = &log;
  told.log = [](void *self, const char *text) {
    *static_cast<std::string *>(self) += std::string(text) + "\n";
  };
  fusec::Model model(&desc, nullptr, told);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  void *from = nullptr, *to = nullptr;
  ASSERT_EQ(gpu->allocate(gpu->self, 64, &from), FUSEC_OK);
  ASSERT_EQ(gpu->allocate(gpu->self, 64, &to), FUSEC_OK);
  void *odd = static_cast<char *>(from) + 4,
       *other = static_cast<char *>(to) + 8;
  ASSERT_EQ(gpu->copy(gpu->self, nullptr, odd, x, 32, FUSEC_COPY_TO_DEVICE),
            FUSEC_OK);
  log.clear();
  for (int i = 0; i < 2; ++i) {
    takeLog();
    ASSERT_EQ(runOn(session, odd, other), FUSEC_OK) << session.error();
    // In place of what the host has, the same copies as of that, there.
    EXPECT_EQ(takeLog(), "on device 32\n"
                         "launch twice 2 4 0\n"
                         "launch twice 2 4 0\n"
                         "set 2D 32 1x3\n"
                         "set 2D 32 1x3\n"
                         "on device 32\n"
                         "to host 24\n"
                         "wait\n");
  }
  EXPECT_EQ(log, "model 'gpu': input x begins at no multiple of 16 bytes on "
                 "Fake GPU: each such run copies its 32 bytes there\n"
                 "model 'gpu': output y begins at no multiple of 16 bytes on "
                 "Fake GPU: each such run copies its 32 bytes there\n");
  ASSERT_EQ(gpu->copy(gpu->self, nullptr, y, other, 32, FUSEC_COPY_TO_HOST),
            FUSEC_OK);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(y[i], 4 * x[i]);
  gpu->release(gpu->self, from);
  gpu->release(gpu->self, to);
}

TEST_F(Cuda, ZeroesOnceWhatLaunchesLeaveAtZero) {
  take("last", "split");
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  EXPECT_NE(takeLog().find("set 8 8x1\n"), std::string::npos);
  ASSERT_EQ(runOn(session), FUSEC_OK) << session.error();
  const std::string log = takeLog();
  EXPECT_EQ(log.find("set 8 "), std::string::npos) << log;
  EXPECT_NE(log.find("with scratch"), std::string::npos) << log;
}

TEST_F(Cuda, ZeroesEachTimeInACallersArena) {
  take("last", "split");
  fusec::Model model(&desc);
  ASSERT_TRUE(makeSession(model));
  void *arena = nullptr;
  ASSERT_EQ(gpu->allocate(gpu->self, 256, &arena), FUSEC_OK);
  options.arena = arena;
  options.arena_bytes = 256;
  {
    fusec::Session session = makeSession(model);
    ASSERT_TRUE(session) << session.error();
    for (int i = 0; i < 2; ++i) {
      takeLog();
      ASSERT_EQ(runOn(session), FUSEC_OK) << session.error();
      EXPECT_NE(takeLog().find("set 8 8x1\n"), std::string::npos) << i;
    }
  }
  gpu->release(gpu->self, arena);
}

TEST_F(Cuda, SessionsShareCode) {
  fusec::Model model(&desc);
  fusec::Session first = makeSession(model);
  takeLog();
  fusec::Session second = makeSession(model);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(takeLog().find("load"), std::string::npos);
  EXPECT_EQ(runOn(first), FUSEC_OK);
  EXPECT_EQ(runOn(second), FUSEC_OK);
}

TEST_F(Cuda, AnErrorNamesAFewSteps) {
  takeBroken("last");
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  EXPECT_EQ(runOn(session), FUSEC_DEVICE_ERROR);
  EXPECT_STREQ(
      session.error(),
      "model 'gpu': one of 3 steps, from kernel first to a fill, failed on "
      "Fake GPU: an illegal memory access was encountered "
      "(CUDA_ERROR_ILLEGAL_ADDRESS); with mark_every = 1 (fusec run "
      "--mark-every 1) an error names the one");
}

TEST_F(Cuda, AnErrorNamesKernels) {
  // The fault of the second kernel is seen at the end, when all calls fail.
  options.mark_every = 1;
  takeBroken("last");
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  takeLog();
  EXPECT_EQ(runOn(session), FUSEC_DEVICE_ERROR);
  EXPECT_STREQ(
      session.error(),
      "model 'gpu': kernel second failed on Fake GPU: an illegal memory "
      "access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)");
  // More shared memory than a kernel may declare is asked for before.
  EXPECT_NE(takeLog().find("allow broken 8 49168\n"
                           "launch broken 2 4 49168 with scratch"),
            std::string::npos);
  // It stays an error, which the next run says of what it does itself.
  EXPECT_EQ(runOn(session), FUSEC_DEVICE_ERROR);
}

TEST_F(Cuda, AnErrorEndsALoop) {
  desc.run = runWhile;
  takeBroken("last");
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  EXPECT_EQ(runOn(session), FUSEC_DEVICE_ERROR);
  EXPECT_EQ(rounds, 1);
}

TEST_F(Cuda, AnErrorOfALaterCallNamesTheKernel) {
  options.mark_every = 1;
  takeBroken("twice");
  int stream = 0;
  options.stream = &stream;
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  void *from = nullptr, *to = nullptr;
  ASSERT_EQ(gpu->allocate(gpu->self, 32, &from), FUSEC_OK);
  ASSERT_EQ(gpu->allocate(gpu->self, 64, &to), FUSEC_OK);
  const fusec_tensor in[] = {{from, 32, eight, 1, FUSEC_F32}};
  const fusec_tensor out[] = {
      {to, 32, eight, 1, FUSEC_F32},
      {static_cast<char *>(to) + 32, 24, three, 1, FUSEC_I64}};
  // The run does not wait; the next one is told by its first call.
  EXPECT_EQ(session.run(in, 1, out, 2), FUSEC_OK) << session.error();
  EXPECT_EQ(gpu->synchronize(gpu->self, &stream), FUSEC_DEVICE_ERROR);
  EXPECT_EQ(session.run(in, 1, out, 2), FUSEC_DEVICE_ERROR);
  EXPECT_STREQ(
      session.error(),
      "model 'gpu': kernel first failed on Fake GPU: an illegal memory "
      "access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)");
  gpu->release(gpu->self, from);
  gpu->release(gpu->self, to);
}

TEST_F(Cuda, TellsDriverAndClocks) {
  ASSERT_EQ(fusec_cuda_device_create(&choose, &gpu), FUSEC_OK);
  EXPECT_STREQ(gpu->driver, "13.2");
  uint32_t processor = 0, memory = 0;
  ASSERT_EQ(gpu->clocks(gpu->self, &processor, &memory), FUSEC_OK);
  EXPECT_EQ(processor, 1410u);
  EXPECT_EQ(memory, 1593u);
  fusec_cuda_device_destroy(gpu);
  choose.monitor = "libno-such-monitor.so.1";
  ASSERT_EQ(fusec_cuda_device_create(&choose, &gpu), FUSEC_OK);
  EXPECT_EQ(gpu->clocks(gpu->self, &processor, &memory), FUSEC_UNSUPPORTED);
}

TEST_F(Cuda, TimesByEvents) {
  struct Seen {
    int begun = 0, ended = 0;
    double milliseconds = 0;
  } seen;
  const fusec_profile_hook hook = {
      [](void *self, uint32_t) { ++static_cast<Seen *>(self)->begun; },
      [](void *self, uint32_t) { ++static_cast<Seen *>(self)->ended; }, &seen,
      [](void *self, uint32_t, double milliseconds) {
        static_cast<Seen *>(self)->milliseconds += milliseconds;
      }};
  options.profile = &hook;
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_EQ(runOn(session), FUSEC_OK) << session.error();
  EXPECT_EQ(seen.begun, 2);
  EXPECT_EQ(seen.ended, 2);
  EXPECT_EQ(seen.milliseconds, 3.0);
}

TEST_F(Cuda, SaysWhatIsMissing) {
  choose.library = "libno-such-driver.so.1";
  EXPECT_EQ(fusec_cuda_device_create(&choose, &gpu), FUSEC_UNSUPPORTED);
  EXPECT_NE(std::string(fusec_last_error(nullptr)).find("there is no driver"),
            std::string::npos);
  choose.library = FUSEC_FAKE_CUDA;
  choose.ordinal = 2;
  EXPECT_EQ(fusec_cuda_device_create(&choose, &gpu), FUSEC_UNSUPPORTED);
  EXPECT_STREQ(fusec_last_error(nullptr),
               "there is no GPU 2: the driver has 1");
  setGpu(80, 0);
  choose.ordinal = 0;
  EXPECT_EQ(fusec_cuda_device_create(&choose, &gpu), FUSEC_UNSUPPORTED);
  EXPECT_STREQ(fusec_last_error(nullptr),
               "NVIDIA's driver finds no GPU: something else "
               "(CUDA_ERROR_NO_DEVICE)");
}

TEST_F(Cuda, RefusesWhatDoesNotFit) {
  fusec::Model model(&desc);
  fusec::Session none(model, options);
  EXPECT_EQ(none.status(), FUSEC_INVALID_ARGUMENT);
  EXPECT_STREQ(none.error(), "model 'gpu' runs on a device: give the session "
                             "one (options.device)");
  setGpu(75, 1);
  fusec::Session old = makeSession(model);
  EXPECT_EQ(old.status(), FUSEC_UNSUPPORTED);
  EXPECT_STREQ(old.error(), "model 'gpu' needs a device of architecture sm_80 "
                            "or later; Fake GPU is of sm_75");
  fusec_cuda_device_destroy(gpu);
  gpu = nullptr;
  setGpu(90, 1);
  const fusec_device_image bad = {"junk", 5, FUSEC_IMAGE_PTX, 0};
  options.image = &bad;
  fusec::Session junk = makeSession(model);
  EXPECT_EQ(junk.status(), FUSEC_DEVICE_ERROR);
  EXPECT_NE(std::string(junk.error()).find("this is no code"),
            std::string::npos);
}

TEST_F(Cuda, TakesTheCallersContext) {
  int context = 0;
  choose.context = &context;
  fusec::Model model(&desc);
  {
    fusec::Session session = makeSession(model);
    ASSERT_TRUE(session) << session.error();
    EXPECT_EQ(runOn(session), FUSEC_OK) << session.error();
  }
  EXPECT_TRUE(takeUsed(&context));
  // The device has none of its own.
  EXPECT_EQ(countLive(), 0);
}

TEST_F(Cuda, TakesTheGpuOfItsNumber) {
  setGpu(80, 3);
  choose.ordinal = 2;
  fusec::Model model(&desc);
  {
    fusec::Session session = makeSession(model);
    ASSERT_TRUE(session) << session.error();
    EXPECT_EQ(runOn(session), FUSEC_OK) << session.error();
  }
  EXPECT_TRUE(takeUsed(getContext(2)));
}

TEST_F(Cuda, LeavesTheCurrentContextAsItIs) {
  int callers = 0;
  auto push = find<int(void *)>("cuCtxPushCurrent_v2");
  auto pop = find<int(void **)>("cuCtxPopCurrent_v2");
  push(&callers);
  fusec::Model model(&desc);
  {
    fusec::Session session = makeSession(model);
    ASSERT_TRUE(session) << session.error();
    EXPECT_EQ(getCurrent(), &callers);
    EXPECT_EQ(runOn(session), FUSEC_OK) << session.error();
    EXPECT_EQ(getCurrent(), &callers);
  }
  EXPECT_TRUE(takeUsed(getContext(0)));
  void *popped = nullptr;
  pop(&popped);
  EXPECT_EQ(popped, &callers);
}

} // namespace
