// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Horizontal functions, numbering, and parallel_for's ranges.
#include "test/runtime/vocabulary/Support.h"

namespace fusec {
using namespace vocabulary;

TEST(Lanes, BroadcastAndIota) {
  for (int l = 0; l < 16; ++l) {
    EXPECT_EQ(get(broadcast(2.5f), l), 2.5f);
    EXPECT_EQ(get(broadcast(-7), l), -7);
    EXPECT_EQ(get(broadcast(int64_t{1} << 40), l), int64_t{1} << 40);
    EXPECT_EQ(get(iota<i32x16>(), l), l);
    EXPECT_EQ(get(iota<i32x16>(100), l), 100 + l);
    EXPECT_EQ(get(iota<i64x16>(int64_t{1} << 40), l), (int64_t{1} << 40) + l);
    EXPECT_EQ(get(iota<f32x16>(0.5f), l), 0.5f + static_cast<float>(l));
    EXPECT_EQ(get(zero<f32x16>(), l), 0.0f);
    EXPECT_EQ(get(zero<i64x16>(), l), 0);
    EXPECT_TRUE(std::signbit(get(broadcast(-0.0f), l)));
  }
  EXPECT_EQ(zero<float>(), 0.0f);
  EXPECT_EQ(zero<int64_t>(), 0);
}

namespace {
/// The order that reduce_* promises.
template <typename S, typename Op> S tree(std::vector<S> lanes, Op op) {
  for (size_t n = 8; n >= 1; n /= 2)
    for (size_t l = 0; l < n; ++l)
      lanes[l] = op(lanes[l], lanes[l + n]);
  return lanes[0];
}
} // namespace

TEST(Lanes, ReduceFloat) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> value(-3.0f, 3.0f);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<float> v(16);
    for (float &x : v)
      x = value(random);
    const f32x16 x = load<f32x16>(v.data());
    EXPECT_EQ(reduce_add(x), tree(v, [](float a, float b) { return a + b; }));
    EXPECT_EQ(reduce_mul(x), tree(v, [](float a, float b) { return a * b; }));
    EXPECT_EQ(reduce_max(x), *std::max_element(v.begin(), v.end()));
    EXPECT_EQ(reduce_min(x), *std::min_element(v.begin(), v.end()));
    v[static_cast<size_t>(trial) % 16] = FUSEC_NAN;
    EXPECT_TRUE(std::isnan(reduce_max(load<f32x16>(v.data()))));
    EXPECT_TRUE(std::isnan(reduce_min(load<f32x16>(v.data()))));
  }
}

TEST(Lanes, ReduceIntegers) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<int32_t> v(16);
    std::vector<int64_t> w(16);
    uint32_t sum = 0, product = 1;
    uint64_t wideSum = 0, wideProduct = 1;
    for (size_t l = 0; l < 16; ++l) {
      w[l] = static_cast<int64_t>(random());
      v[l] = static_cast<int32_t>(w[l]);
      sum += static_cast<uint32_t>(v[l]);
      product *= static_cast<uint32_t>(v[l]);
      wideSum += static_cast<uint64_t>(w[l]);
      wideProduct *= static_cast<uint64_t>(w[l]);
    }
    const i32x16 x = load<i32x16>(v.data());
    const i64x16 y = load<i64x16>(w.data());
    EXPECT_EQ(reduce_add(x), static_cast<int32_t>(sum));
    EXPECT_EQ(reduce_mul(x), static_cast<int32_t>(product));
    EXPECT_EQ(reduce_max(x), *std::max_element(v.begin(), v.end()));
    EXPECT_EQ(reduce_min(x), *std::min_element(v.begin(), v.end()));
    EXPECT_EQ(reduce_add(y), static_cast<int64_t>(wideSum));
    EXPECT_EQ(reduce_mul(y), static_cast<int64_t>(wideProduct));
    EXPECT_EQ(reduce_max(y), *std::max_element(w.begin(), w.end()));
    EXPECT_EQ(reduce_min(y), *std::min_element(w.begin(), w.end()));
  }
}

namespace {
void backwards(void *, int64_t n, int64_t grain, fusec_range_fn body,
               void *ctx) {
  for (int64_t end = n; end > 0; end -= grain)
    body(ctx, end > grain ? end - grain : 0, end);
}
} // namespace

TEST(ParallelFor, RunsSmallLoopsRightHere) {
  fusec_kernel_ctx ctx = {};
  ctx.threads = 4; // without a parallel_for: calling it would crash
  int calls = 0;
  parallel_for(&ctx, 10, 10, [&](int64_t begin, int64_t end) {
    ++calls;
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 10);
  });
  parallel_for(&ctx, 0, 1, [&](int64_t, int64_t) { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(ParallelFor, CoversTheRange) {
  fusec_kernel_ctx ctx = {};
  ctx.threads = 4;
  ctx.parallel_for = backwards;
  std::vector<int> seen(101);
  parallel_for(&ctx, 101, 7, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      ++seen[static_cast<size_t>(i)];
  });
  for (int times : seen)
    EXPECT_EQ(times, 1);
}

} // namespace fusec
