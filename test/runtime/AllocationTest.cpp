// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing allocates after create: no malloc, no mmap, on no thread.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sys/mman.h>
#include <vector>

#include <gtest/gtest.h>

#include "fusec/op.h"
#include "fusec/op_call.h"
#include "test/runtime/AllocationCounter.h"
#include "test/runtime/EntriesModel.h"
#include "test/runtime/StatesModel.h"
#include "test/runtime/demo/demo.h"

TEST(Allocation, TheCounterCounts) {
  const uint64_t before = fusec_allocations();
  void *volatile p = std::malloc(10);
  std::free(p);
  int *volatile q = new int(3);
  delete q;
  void *r = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(r, 4096);
  EXPECT_EQ(fusec_allocations() - before, 3u);
}

TEST(Allocation, NoneFromTheSecondRunOn) {
  for (const char *variant : {"default", "naive"}) {
    for (uint32_t threads : {1u, 3u}) {
      fusec::Model model(fusec_demo_query, FUSEC_DEMO_FOLDER "/weights.bin");
      const fusec_choice choice = {nullptr, variant};
      fusec_session_options options = {};
      options.threads = threads;
      options.choices = &choice;
      options.num_choices = 1;
      fusec::Session session(model, options);
      ASSERT_TRUE(session) << session.error();
      std::vector<float> x(200, 0.25f), y(240);
      ASSERT_EQ(demo::run(session, {x.data()}, {y.data()}), FUSEC_OK);
      const uint64_t before = fusec_allocations();
      fusec_status status = FUSEC_OK;
      for (int run = 2; run <= 10; ++run)
        status |= demo::run(session, {x.data()}, {y.data()});
      const uint64_t after = fusec_allocations();
      EXPECT_EQ(status, FUSEC_OK);
      EXPECT_EQ(after - before, 0u) << variant << ", " << threads << " threads";
    }
  }
}

TEST(Allocation, NoneWhereEntriesAreSwitched) {
  Entries entries;
  fusec_model_options modelOptions = {};
  modelOptions.weights = testmodel_weights(&modelOptions.weights_bytes);
  fusec::Model model(&entries.descs[0], nullptr, modelOptions);
  fusec_session_options options = {};
  options.threads = 2;
  const fusec_choice choice = {"scale", "packed"};
  options.choices = &choice;
  options.num_choices = 1;
  fusec::Session session(model, options);
  ASSERT_TRUE(session) << session.error();
  std::vector<float> x(1000, 2.0f), cache(1000), y(1000), cacheOut(1000);
  int64_t mode = 0;
  const uint64_t before = fusec_allocations();
  fusec_status status = FUSEC_OK;
  for (int run = 0; run < 12; ++run) {
    const int64_t dims[] = {Entries::extents[run % Entries::count]};
    const fusec_tensor in[] = {fusec::tensor(x.data(), dims),
                               fusec::tensor(cache.data(), dims),
                               fusec::tensor(&mode)};
    const fusec_tensor out[] = {fusec::tensor(y.data(), dims),
                                fusec::tensor(cacheOut.data(), dims)};
    status |= session.run(in, 3, out, 2);
    status |= session.pick(&Entries::extents[(run + 2) % Entries::count], 1);
  }
  EXPECT_EQ(status, FUSEC_OK) << session.error();
  EXPECT_EQ(fusec_allocations() - before, 0u);
  EXPECT_EQ(y[999], 18.0f);
}

TEST(Allocation, NoneWhereRunsArePadded) {
  Entries entries;
  entries.pad();
  fusec_model_options modelOptions = {};
  modelOptions.weights = testmodel_weights(&modelOptions.weights_bytes);
  fusec::Model model(&entries.descs[0], nullptr, modelOptions);
  fusec::Session session(model);
  ASSERT_TRUE(session) << session.error();
  std::vector<float> x(1000, 2.0f), cache(1000), y(1000), cacheOut(1000);
  int64_t mode = 0;
  const uint64_t before = fusec_allocations();
  fusec_status status = FUSEC_OK;
  for (int64_t n : {3, 9, 1000, 999, 16, 1, 18}) {
    const fusec_tensor in[] = {
        {x.data(), uint64_t(n) * 4, &n, 1, FUSEC_F32},
        {cache.data(), uint64_t(n) * 4, &n, 1, FUSEC_F32},
        fusec::tensor(&mode)};
    const fusec_tensor out[] = {
        {y.data(), uint64_t(n) * 4, &n, 1, FUSEC_F32},
        {cacheOut.data(), uint64_t(n) * 4, &n, 1, FUSEC_F32}};
    status |= session.run(in, 3, out, 2);
    EXPECT_EQ(y[n - 1], 18.0f);
  }
  EXPECT_EQ(status, FUSEC_OK) << session.error();
  EXPECT_EQ(fusec_allocations() - before, 0u);

  // A switch takes less than a microsecond; the best of several tries, as
  // others may be at work.
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    constexpr int kSwitches = 1000;
    const auto start = std::chrono::steady_clock::now();
    for (int64_t n = 0; n < kSwitches; ++n) {
      const int64_t extent = 1 + n * 7 % 1000;
      status |= session.pick(&extent, 1);
    }
    const std::chrono::duration<double, std::micro> spent =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, spent.count() / kSwitches);
  }
  EXPECT_EQ(status, FUSEC_OK);
  EXPECT_LT(best, 1.0);
}

FUSEC_OP(Scale)
    .inputs(1)
    .outputs(1)
    .param("scale", 2.0)
    .compute("cpu", [](const std::vector<fusec::op::Tensor> &in,
                       const fusec::op::Param &params,
                       std::vector<fusec::op::Tensor> &out) {
      const float scale = params["scale"];
      for (int64_t i = 0; i < in[0].shape().elements(); ++i)
        out[0].data<float>()[i] = scale * in[0].data<float>()[i];
    });

TEST(Allocation, NoneWhereStatesAreCarried) {
  CountingModel model;
  fusec::Session session(model.model);
  ASSERT_TRUE(session) << session.error();
  const float x[] = {1, 2, 3};
  float y[3] = {}, total[3] = {};
  std::vector<char> saved(1000);
  uint64_t bytes = 0;
  const uint64_t before = fusec_allocations();
  fusec_status status = FUSEC_OK;
  for (int64_t n : {2, 3, 2}) {
    const uint64_t size = static_cast<uint64_t>(n) * sizeof(float);
    const fusec_tensor in = {const_cast<float *>(x), size, &n, 1, FUSEC_F32};
    const fusec_tensor out = {y, size, &n, 1, FUSEC_F32};
    status |= session.run(&in, 1, &out, 1);
    status |= session.run(&in, 1, &out, 1);
    status |= session.getState("total", {total, size, &n, 1, FUSEC_F32});
    status |=
        fusec_session_save(session.get(), saved.data(), saved.size(), &bytes);
    status |= fusec_session_restore(session.get(), saved.data(), bytes);
    status |= session.reset();
  }
  const uint64_t after = fusec_allocations();
  EXPECT_EQ(status, FUSEC_OK) << session.error();
  EXPECT_EQ(total[1], 4.0f);
  EXPECT_EQ(after - before, 0u);
}

TEST(Allocation, NoneInCallsOfOperatorsOfUsers) {
  const int64_t dims[] = {4};
  const fusec::OpTensor type = {FUSEC_OP_F32, 1, dims};
  const fusec_op_desc &op = *fusec_op_query(FUSEC_OP_ABI_VERSION)->ops[0];
  fusec::OpSite site(fusec_op_query, "custom", "Scale", 1, &type, 1, &type, 1,
                     op.params, op.num_params);
  fusec_kernel_ctx kernel = {};
  fusec_run_ctx run = {};
  run.kernel_ctx = &kernel;
  float x[4] = {1, 2, 3, 4}, y[4];
  int32_t status = fusec::call_op(&run, 0, site, {x}, {y}, nullptr, 0);
  const uint64_t before = fusec_allocations();
  for (int i = 0; i < 100; ++i)
    status |= fusec::call_op(&run, 0, site, {x}, {y}, nullptr, 0);
  EXPECT_EQ(fusec_allocations() - before, 0u);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(y[3], 8.0f);
}

TEST(Allocation, NoneInTheThreadPool) {
  fusec::ThreadPool pool(3);
  ASSERT_TRUE(pool);
  const auto body = [](void *ctx, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      static_cast<int *>(ctx)[i] += 1;
  };
  std::vector<int> values(64);
  fusec_thread_pool_parallel_for(pool.get(), 64, 1, body, values.data());
  const uint64_t before = fusec_allocations();
  for (int i = 0; i < 100; ++i)
    fusec_thread_pool_parallel_for(pool.get(), 64, 1, body, values.data());
  EXPECT_EQ(fusec_allocations() - before, 0u);
  EXPECT_EQ(values[5], 101);
}
