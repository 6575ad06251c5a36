// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sessions on a GPU of CUDA's driver, of which there is a fake one here.
#include "fusec/cuda_driver.h"
#include "fusec/device_host.h"
#include "fusec/runtime.hpp"
#include "test/runtime/cuda/FakeCuda.h"

#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>

namespace {

template <typename Function> Function *find(const char *name) {
  static void *library = dlopen(FUSEC_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function *>(dlsym(library, name));
}
std::string takeLog() {
  return find<decltype(fake_cuda_take_log)>("fake_cuda_take_log")();
}
int countLive() {
  return find<decltype(fake_cuda_count_live)>("fake_cuda_count_live")();
}
void setGpu(int architecture, int count) {
  find<decltype(fake_cuda_set)>("fake_cuda_set")(architecture, count);
}

// A model of two launches, with what lies between: y = 4 x, and a fill.
using twice_fn = void(const float *x, float *y);
int32_t run(const fusec_run_ctx *run) {
  using namespace fusec;
  const float *x = input<float>(run, 0);
  float *y = output<float>(run, 0);
  int64_t *n = output<int64_t>(run, 1);
  float *half = arena<float>(run, 0);
  launch<twice_fn>(run, 0, x, half);
  launch<twice_fn>(run, 1, half, y);
  fill_device(run, n, 3, int64_t(1) << 40);
  return finish_run(run);
}
int32_t plan(const int64_t *, const uint32_t *, fusec_plan *plan) {
  plan->arena_bytes = 64;
  plan->workspace_bytes = 0;
  plan->output_dims[0] = 8;
  plan->output_dims[1] = 3;
  return 0;
}
const int64_t eight[] = {8}, three[] = {3};
const fusec_tensor_desc inputs[] = {
    {"x", eight, 1, FUSEC_F32, 4, FUSEC_TENSOR_CONTIGUOUS, -1, 0}};
const fusec_tensor_desc outputs[] = {
    {"y", eight, 1, FUSEC_F32, 4, FUSEC_TENSOR_CONTIGUOUS, -1, 0},
    {"n", three, 1, FUSEC_I64, 8, FUSEC_TENSOR_CONTIGUOUS, -1, 0}};
const fusec_variant_desc variants[] = {
    {"default", nullptr, nullptr, nullptr, nullptr, 0, 0, 0, 0, 0},
    {"broken", nullptr, nullptr, nullptr, nullptr, 0, 128, 0, 0, 0}};
const fusec_variant_list list = FUSEC_VARIANT_LIST(variants);
const fusec_group_desc groups[] = {{"twice", nullptr, 0}, {"last", nullptr, 0}};
const fusec_launch_desc launches[] = {{"first", 0, 0}, {"second", 1, 0}};
const fusec_device_image code = {"code", 5, FUSEC_IMAGE_FATBIN, 0};
const fusec_device_kernel kernels[] = {{"twice", 2, 4, 0, 2, 0, 0},
                                       {"broken", 2, 4, 16, 2, 0, 0}};
const fusec_variant_list *const tables[] = {&list, &list};
const fusec_device_kernel *const kernelTables[] = {kernels, kernels};
const fusec_device_desc onDevice = {&code, tables, kernelTables, 80,     0,
                                    0,     0,      nullptr,      nullptr};
fusec_model_desc makeDesc() {
  fusec_model_desc desc = {};
  desc.abi_version = FUSEC_ABI_VERSION;
  desc.struct_bytes = sizeof(desc);
  desc.name = "gpu";
  desc.inputs = inputs;
  desc.outputs = outputs;
  desc.groups = groups;
  desc.launches = launches;
  desc.num_inputs = 1;
  desc.num_outputs = 2;
  desc.num_groups = 2;
  desc.num_launches = 2;
  desc.num_kernels = 2;
  desc.plan = plan;
  desc.run = run;
  desc.device = &onDevice;
  desc.target = "cuda-sm80";
  return desc;
}

class Cuda : public ::testing::Test {
protected:
  Cuda() {
    setGpu(80, 1);
    takeLog();
    choose.library = choose.monitor = FUSEC_FAKE_CUDA;
  }
  ~Cuda() override {
    fusec_cuda_device_destroy(gpu);
    EXPECT_EQ(countLive(), 0);
  }
  /// A session on the GPU.
  fusec::Session makeSession(const fusec::Model &model) {
    if (!gpu) {
      EXPECT_EQ(fusec_cuda_device_create(&choose, &gpu), FUSEC_OK)
          << fusec_last_error(nullptr);
    }
    options.device = gpu;
    return fusec::Session(model, options);
  }
  fusec_status runOn(fusec::Session &session, void *from = nullptr,
                     void *to = nullptr) {
    const fusec_tensor in[] = {{from ? from : x, 32, eight, 1, FUSEC_F32}};
    const fusec_tensor out[] = {{to ? to : y, 32, eight, 1, FUSEC_F32},
                                {n, 24, three, 1, FUSEC_I64}};
    return session.run(in, 1, out, 2);
  }

  fusec_cuda_options choose = {};
  fusec_session_options options = {};
  fusec_device *gpu = nullptr;
  fusec_model_desc desc = makeDesc();
  float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8] = {};
  int64_t n[3] = {};
};

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

TEST_F(Cuda, AnErrorNamesKernels) {
  // The fault of the second kernel is seen at the end, when all calls fail.
  const fusec_choice broken = {"last", "broken"};
  options.choices = &broken;
  options.num_choices = 1;
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  takeLog();
  EXPECT_EQ(runOn(session), FUSEC_DEVICE_ERROR);
  EXPECT_STREQ(
      session.error(),
      "model 'gpu': kernel second failed on Fake GPU: an illegal memory "
      "access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)");
  EXPECT_NE(takeLog().find("launch broken 2 4 16 with scratch"),
            std::string::npos);
  // It stays an error, which the next run says of what it does itself.
  EXPECT_EQ(runOn(session), FUSEC_DEVICE_ERROR);
}

TEST_F(Cuda, AnErrorOfALaterCallNamesTheKernel) {
  const fusec_choice broken = {"twice", "broken"};
  options.choices = &broken;
  options.num_choices = 1;
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

/// The same model for GPUs of two architectures, and for CPUs, which add 1.
int32_t runOnCpu(const fusec_run_ctx *run) {
  auto *x = static_cast<const float *>(run->inputs[0]);
  auto *y = static_cast<float *>(run->outputs[0]);
  for (int i = 0; i < 8; ++i)
    y[i] = x[i] + 1;
  return 0;
}
int32_t openFake(fusec_device **device) {
  fusec_cuda_options options = {};
  options.library = options.monitor = FUSEC_FAKE_CUDA;
  return fusec_cuda_device_create(&options, device);
}
class CudaTargets : public Cuda {
protected:
  CudaTargets() {
    sm80.open = openFake;
    sm80.close = fusec_cuda_device_destroy;
    sm90 = sm80;
    sm90.architecture = 90;
    on80.device = &sm80;
    on90.device = &sm90;
    on90.target = "cuda-sm90";
    desc.device = nullptr;
    desc.target = "cpu";
    desc.run = runOnCpu;
    desc.num_groups = desc.num_launches = desc.num_kernels = 0;
    desc.others = others;
    desc.num_others = 2;
  }
  /// What a session takes, where it is given no device.
  std::string take(const fusec_model_desc &of) {
    fusec::Model model(&of);
    fusec::Session session(model, options);
    return session ? session.desc().target : session.error();
  }

  fusec_device_desc sm80 = onDevice, sm90 = onDevice;
  fusec_model_desc on80 = makeDesc(), on90 = makeDesc();
  const fusec_model_desc *others[2] = {&on80, &on90};
};

TEST_F(CudaTargets, TakesTheHighestArchitectureThatTheGpuRuns) {
  EXPECT_EQ(take(desc), "cuda-sm80");
  setGpu(89, 1);
  EXPECT_EQ(take(desc), "cuda-sm80");
  setGpu(120, 1);
  EXPECT_EQ(take(desc), "cuda-sm90");
  options.target = "cuda-sm80";
  EXPECT_EQ(take(desc), "cuda-sm80");
  options.target = "cpu";
  EXPECT_EQ(take(desc), "cpu");
  options.target = "cuda-sm75";
  EXPECT_EQ(take(desc), "model 'gpu' is not for target 'cuda-sm75'; it is for "
                        "cpu, cuda-sm80, cuda-sm90");
}

TEST_F(CudaTargets, RunsOnTheCpuWhereThereIsNoGpu) {
  fusec::Model model(&desc);
  {
    fusec::Session session(model);
    ASSERT_EQ(runOn(session), FUSEC_OK) << session.error();
    EXPECT_EQ(y[7], 32);
  }
  setGpu(75, 1);
  EXPECT_EQ(take(desc), "cpu");
  setGpu(80, 0);
  EXPECT_EQ(take(desc), "cpu");
  fusec::Model other(&desc);
  fusec::Session session(other);
  ASSERT_EQ(runOn(session), FUSEC_OK) << session.error();
  EXPECT_EQ(y[7], 9);
}

TEST_F(CudaTargets, SaysWhyThereIsNoGpuWhereThereAreNoKernelsForCpus) {
  const fusec_model_desc *other[] = {&on90};
  on80.others = other;
  on80.num_others = 1;
  EXPECT_EQ(take(on80), "cuda-sm80");
  setGpu(75, 1);
  EXPECT_EQ(take(on80), "model 'gpu' needs a device of architecture sm_80 or "
                        "later; Fake GPU is of sm_75");
  setGpu(80, 0);
  EXPECT_EQ(take(on80),
            "model 'gpu' finds no GPU: NVIDIA's driver finds no GPU: something "
            "else (CUDA_ERROR_NO_DEVICE)");
}

TEST_F(CudaTargets, RefusesMemoryOfTheHostForAnArena) {
  alignas(64) char arena[64];
  options.arena = arena;
  options.arena_bytes = sizeof(arena);
  EXPECT_EQ(take(desc), "model 'gpu' runs on Fake GPU, and the arena is not in "
                        "its memory: allocate it there, or ask for another "
                        "target");
  options.target = "cpu";
  EXPECT_EQ(take(desc), "cpu");
}

TEST_F(CudaTargets, RefusesTargetsOfAnotherModel) {
  on90.weights_id = 1;
  fusec::Model model(&desc);
  EXPECT_STREQ(model.error(),
               "model 'gpu' is another one for target 'cuda-sm90'");
}

/// A target's weights are those of its part of the file.
TEST_F(CudaTargets, TakesItsPartOfTheWeights) {
  alignas(64) char file[256] = {};
  const fusec_weights_header header = {
      {'F', 'U', 'S', 'E', 'C', 'W', 'T', '1'}, sizeof(file), 7, {}};
  memcpy(file, &header, sizeof(header));
  for (fusec_model_desc *each : {&desc, &on80, &on90}) {
    each->weights_bytes = sizeof(file);
    each->weights_id = 7;
  }
  sm80.weights_begin = 128;
  sm80.weights_end = 192;
  fusec_model_options weights = {};
  weights.weights = file;
  weights.weights_bytes = sizeof(file);
  fusec::Model model(&desc, nullptr, weights);
  takeLog();
  fusec::Session session(model);
  ASSERT_TRUE(session) << session.error();
  EXPECT_NE(takeLog().find("load\nalloc 64\nto device 64\n"),
            std::string::npos);
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
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  EXPECT_EQ(runOn(session), FUSEC_OK) << session.error();
}

} // namespace
