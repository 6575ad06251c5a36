// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that launch kernels of their own on a GPU, of which there is a fake
// one here: on whose stream, in which context, with which memory.
#include "test/runtime/cuda/GpuModel.h"

#include "fusec/op.h"
#include "fusec/op_launch.h"

using namespace fusec_gpu_model;
using namespace fusec::op;

namespace {

/// What the form for GPUs was called with last.
struct Seen {
  int calls = 0;
  void *stream = nullptr, *context = nullptr;
  bool onGpu = false, mustFail = false, launchesBroken = false;
  size_t workspaceBytes = 0;
  std::vector<void *> memory;
} seen;

using CopyFunction = int(uint64_t to, uint64_t from, size_t bytes, void *);
using FindFunction = int(void **, void *, const char *);
using LaunchFunction = int(void *, unsigned, unsigned, unsigned, unsigned,
                           unsigned, unsigned, unsigned, void *, void **,
                           void **);

/// y = x, by the driver.
void launchCopy(const std::vector<Tensor> &in, const Param &,
                std::vector<Tensor> &out, const Context &context) {
  ++seen.calls;
  seen.stream = context.stream();
  seen.context = getCurrent();
  seen.onGpu = in[0].device() == "cuda" && out[0].device() == "cuda";
  seen.workspaceBytes = context.workspaceBytes();
  seen.memory = {context.workspace<void>(), out[0].data<void>()};
  if (seen.mustFail)
    throw std::runtime_error("does not fit");
  if (seen.launchesBroken) {
    void *function = nullptr;
    void *arguments[] = {&seen.workspaceBytes};
    find<FindFunction>("cuModuleGetFunction")(&function, nullptr, "broken");
    find<LaunchFunction>("cuLaunchKernel")(
        function, 1, 1, 1, 1, 1, 1, 0, context.stream(), arguments, nullptr);
  }
  find<CopyFunction>("cuMemcpyDtoDAsync_v2")(
      reinterpret_cast<uintptr_t>(out[0].data<void>()),
      reinterpret_cast<uintptr_t>(in[0].data<void>()), 32, context.stream());
}

void copyOnHost(const std::vector<Tensor> &in, const Param &params,
                std::vector<Tensor> &out, const Context &context) {
  float *space = context.workspace<float>();
  for (int i = 0; i < 8; ++i)
    space[i] = in[0].data<float>()[i] + float(params["more"]);
  std::memcpy(out[0].data<float>(), space, 32);
}

FUSEC_OP(Both)
    .inputs(1)
    .outputs(1)
    .param("more", 0.5)
    .compute("cpu", copyOnHost)
    .compute("cuda", launchCopy);

/// The unit of a source in CUDA, which adds a form.
const fusec_op_unit *queryAlone(uint32_t) {
  static Unit unit;
  static const fusec_op_unit *made = [] {
    unit.add("Alone").compute("cuda", launchCopy);
    return unit.describe();
  }();
  return made;
}

const fusec::OpTensor kTensor[] = {{FUSEC_OP_F32, 1, eight}};
const double kMore[] = {0.5};
const fusec_op_value kValue = {
    sizeof(fusec_op_value), FUSEC_OP_FLOAT, "more", 1, nullptr, kMore, nullptr};
const fusec_op_value *const kParams[] = {&kValue};

/// z = 2 x, y = z by the operator.
template <fusec::OpSite &site> int32_t runCopy(const fusec_run_ctx *run) {
  using namespace fusec;
  float *z = arena<float>(run, 0), *y = output<float>(run, 0);
  launch<twice_fn>(run, 0, input<float>(run, 0), z);
  if (const int32_t failed =
          launch_op(run, 2, site, {z}, {y}, arena<char>(run, 64), 96))
    return failed;
  fill_device(run, output<int64_t>(run, 1), 3, int64_t(1) << 40);
  return finish_run(run);
}
int32_t planCopy(const int64_t *, const uint32_t *, fusec_plan *plan) {
  plan->arena_bytes = 192;
  plan->workspace_bytes = 0;
  plan->output_dims[0] = 8;
  plan->output_dims[1] = 3;
  return 0;
}

fusec::OpSite both(fusec_op_query, "acme", "Both", 1, kTensor, 1, kTensor, 1,
                   kParams, 1, {}, fusec_op_query);
fusec::OpSite hostOnly(fusec_op_query, "acme", "Both", 1, kTensor, 1, kTensor,
                       1, kParams, 1);
fusec::OpSite alone(fusec_op_query, "acme", "Alone", 1, kTensor, 1, kTensor, 1,
                    nullptr, 0, {}, queryAlone);

class OpLaunch : public Cuda {
protected:
  OpLaunch() {
    desc.plan = planCopy;
    desc.run = runCopy<both>;
    seen = {};
  }
  /// Whether y is `factor` x and `more`.
  void expect(float factor, float more) {
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(y[i], factor * x[i] + more);
  }
};

TEST_F(OpLaunch, GivesTheSessionsStreamItsWork) {
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  takeLog();
  ASSERT_EQ(runOn(session), FUSEC_OK) << session.error();
  expect(2, 0);
  EXPECT_EQ(seen.calls, 1);
  EXPECT_NE(seen.stream, nullptr);
  EXPECT_EQ(seen.context, getContext(0));
  EXPECT_TRUE(seen.onGpu);
  EXPECT_EQ(seen.workspaceBytes, 96u);
  for (void *memory : seen.memory)
    EXPECT_TRUE(gpu->holds(gpu->self, memory));
  EXPECT_EQ(getCurrent(), nullptr);
  // Nothing is allocated, copied to the host, or waited for on its account.
  const std::string first = takeLog();
  EXPECT_EQ(first, "to device 32\n"
                   "launch twice 2 4 0\n"
                   "on device 32\n"
                   "set 2D 32 1x3\n"
                   "set 2D 32 1x3\n"
                   "to host 32\n"
                   "to host 24\n"
                   "wait\n");
  ASSERT_EQ(runOn(session), FUSEC_OK) << session.error();
  EXPECT_EQ(takeLog(), first);
}

TEST_F(OpLaunch, TakesTheCallersStreamAndContext) {
  int stream = 0;
  options.stream = &stream;
  choose.context = getContext(2);
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  ASSERT_EQ(runOn(session), FUSEC_OK) << session.error();
  EXPECT_EQ(seen.stream, &stream);
  EXPECT_EQ(seen.context, getContext(2));
  expect(2, 0);
}

TEST_F(OpLaunch, SaysWhyItFailed) {
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  seen.mustFail = true;
  EXPECT_EQ(runOn(session), FUSEC_OP_FAILED);
  EXPECT_STREQ(session.error(),
               "model 'gpu' failed: the operator acme.Both: does not fit");
  seen.mustFail = false;
  EXPECT_EQ(runOn(session), FUSEC_OK) << session.error();
  expect(2, 0);
}

TEST_F(OpLaunch, IsBlamedForItsKernelsAlone) {
  seen.launchesBroken = true;
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  EXPECT_EQ(runOn(session), FUSEC_DEVICE_ERROR);
  EXPECT_STREQ(session.error(),
               "model 'gpu': the operator Both failed on Fake GPU: an illegal "
               "memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)");
  setGpu(80, 1);
  seen.launchesBroken = false;
  takeBroken("twice");
  fusec::Session next = makeSession(model);
  ASSERT_TRUE(next) << next.error();
  EXPECT_EQ(runOn(next), FUSEC_DEVICE_ERROR);
  EXPECT_EQ(std::string(next.error()).find("model 'gpu': kernel first failed"),
            0u)
      << next.error();
}

/// A device that runs kernels of the model alone, as a simulator does.
TEST_F(OpLaunch, RunsOnTheHostWhereNothingElseIsLaunched) {
  ASSERT_EQ(fusec_cuda_device_create(&choose, &gpu), FUSEC_OK);
  gpu->within = nullptr;
  for (auto *run : {runCopy<both>, runCopy<hostOnly>}) {
    desc.run = run;
    fusec::Model model(&desc);
    fusec::Session session = makeSession(model);
    ASSERT_TRUE(session) << session.error();
    ASSERT_EQ(runOn(session), FUSEC_OK) << session.error();
    expect(2, 0.5);
  }
  EXPECT_EQ(seen.calls, 0);
  desc.run = runCopy<alone>;
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  EXPECT_EQ(runOn(session), FUSEC_UNSUPPORTED);
  EXPECT_STREQ(
      session.error(),
      "model 'gpu' failed: the operator acme.Alone: its sources do not "
      "declare it for CPUs");
}

TEST_F(OpLaunch, FindsTheFormOfASourceInCuda) {
  desc.run = runCopy<alone>;
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  ASSERT_EQ(runOn(session), FUSEC_OK) << session.error();
  expect(2, 0);
  EXPECT_EQ(seen.calls, 1);
}

TEST_F(OpLaunch, IsTimedByEvents) {
  std::vector<uint32_t> steps;
  const fusec_profile_hook hook = {
      [](void *self, uint32_t step) {
        static_cast<std::vector<uint32_t> *>(self)->push_back(step);
      },
      [](void *, uint32_t) {}, &steps, [](void *, uint32_t, double) {}};
  options.profile = &hook;
  fusec::Model model(&desc);
  fusec::Session session = makeSession(model);
  ASSERT_EQ(runOn(session), FUSEC_OK) << session.error();
  EXPECT_EQ(steps, (std::vector<uint32_t>{0, 2}));
}

} // namespace
