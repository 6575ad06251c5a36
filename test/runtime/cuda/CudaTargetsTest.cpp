// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which target's kernels a session takes.
#include "fusec/weights_hash.h"
#include "test/runtime/cuda/GpuModel.h"

using namespace fusec_gpu_model;

namespace {

/// The same model for GPUs of two architectures, and for CPUs, which add 1.
int32_t runOnCpu(const fusec_run_ctx *run) {
  auto *x = static_cast<const float *>(run->inputs[0]);
  auto *y = static_cast<float *>(run->outputs[0]);
  for (int i = 0; i < 8; ++i)
    y[i] = x[i] + 1;
  return 0;
}
size_t count(const std::string &text, const std::string &part) {
  size_t number = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++number;
  return number;
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
      {'F', 'U', 'S', 'E', 'C', 'W', 'T', '1'}, sizeof(file), 7, 0, {}};
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

/// Of a swap, sessions that there are keep their copy of the weights, and those
/// to come share one of the new ones.
TEST_F(CudaTargets, WeightsAreUploadedAnewForSessionsBehindASwap) {
  alignas(64) char files[2][128] = {};
  fusec_model_options weights[2] = {};
  for (int number : {0, 1}) {
    files[number][64] = char(number);
    fusec::WeightsHash hash;
    hash.add(files[number] + 64, 64);
    const fusec_weights_header header = {
        {'F', 'U', 'S', 'E', 'C', 'W', 'T', '1'}, 128, hash.value(), 5, {}};
    memcpy(files[number], &header, sizeof(header));
    weights[number].weights = files[number];
    weights[number].weights_bytes = 128;
    for (fusec_model_desc *each : {&desc, &on80, &on90}) {
      each->weights_bytes = 128;
      each->weights_structure = 5;
      if (number == 0)
        each->weights_id = header.id;
    }
  }
  sm80.weights_begin = 64;
  sm80.weights_end = 128;
  fusec::Model model(&desc, nullptr, weights[0]);
  fusec::Session first(model);
  ASSERT_TRUE(first) << first.error();
  takeLog();
  ASSERT_EQ(model.swapWeights(nullptr, weights[1]), FUSEC_OK)
      << fusec_last_error(nullptr);
  EXPECT_EQ(takeLog(), ""); // a device is given nothing that nobody uses yet
  fusec::Session second(model), third(model);
  EXPECT_EQ(count(takeLog(), "alloc 64\nto device 64\n"), 1u);
}

} // namespace

namespace {

/// The same for four elements, with the larger arena of the two.
const int64_t four[] = {4};
const fusec_tensor_desc shortInputs[] = {
    {"x", four, 1, FUSEC_F32, 4, FUSEC_TENSOR_CONTIGUOUS, -1, 0}};
const fusec_tensor_desc shortOutputs[] = {
    {"y", four, 1, FUSEC_F32, 4, FUSEC_TENSOR_CONTIGUOUS, -1, 0},
    {"n", three, 1, FUSEC_I64, 8, FUSEC_TENSOR_CONTIGUOUS, -1, 0}};
const fusec_device_kernel shortKernels[] = {{"twice", 1, 4, 0, 2, 0, 0},
                                            {"broken", 1, 4, 16, 2, 0, 0},
                                            {"twice", 1, 4, 0, 2, 8, 0}};
const fusec_device_kernel *const shortTables[] = {shortKernels, shortKernels};
int32_t planShort(const int64_t *, const uint32_t *, fusec_plan *plan) {
  plan->arena_bytes = 4096;
  plan->workspace_bytes = 0;
  plan->output_dims[0] = 4;
  plan->output_dims[1] = 3;
  return 0;
}

} // namespace

TEST_F(Cuda, EntriesHaveTheirCodeWeightsAndArenaInCommon) {
  fusec_device_desc onDeviceToo = onDevice;
  onDeviceToo.kernels = shortTables;
  fusec_model_desc entry = desc;
  entry.inputs = shortInputs;
  entry.outputs = shortOutputs;
  entry.device = &onDeviceToo;
  entry.plan = planShort;
  const char *const symbols[] = {"n"};
  desc.symbols = entry.symbols = symbols;
  desc.num_symbols = entry.num_symbols = 1;
  desc.extents = eight;
  entry.extents = four;
  const fusec_model_desc *const others[] = {&entry};
  desc.others = others;
  desc.num_others = 1;

  fusec::Model model(&desc);
  ASSERT_TRUE(model) << model.error();
  fusec::Session session = makeSession(model);
  ASSERT_TRUE(session) << session.error();
  const std::string log = takeLog();
  EXPECT_EQ(count(log, "load"), 1u) << log;
  EXPECT_EQ(count(log, "alloc 4096\n"), 1u) << log;
  ASSERT_EQ(runOn(session), FUSEC_OK) << session.error();
  EXPECT_EQ(y[7], 32);
  const fusec_tensor in[] = {{x, 16, four, 1, FUSEC_F32}};
  const fusec_tensor out[] = {{y, 16, four, 1, FUSEC_F32},
                              {n, 24, three, 1, FUSEC_I64}};
  y[0] = y[3] = y[4] = 0;
  ASSERT_EQ(session.run(in, 1, out, 2), FUSEC_OK) << session.error();
  EXPECT_EQ(y[0], 4);
  EXPECT_EQ(y[3], 16);
  EXPECT_EQ(y[4], 0);
  ASSERT_EQ(runOn(session), FUSEC_OK) << session.error();
  EXPECT_EQ(y[7], 32);
  EXPECT_EQ(count(takeLog(), "alloc"), 0u);
}
