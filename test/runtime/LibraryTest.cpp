// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library's routines where models do not lead: every half, threads against
// none, indices and numbers that no model should have.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "fusec/kernel/kernel.h"
#include "fusec/library/non_max_suppression.h"
#include "fusec/library/regions.h"
#include "fusec/library/scatter.h"
#include "fusec/library/top_k.h"
#include "fusec/runtime.hpp"

namespace lib = fusec::library;

namespace {

/// A context whose loops run on `threads` threads.
class Context {
public:
  explicit Context(uint32_t threads) : pool(threads) {
    ctx.parallel_for = [](void *self, int64_t n, int64_t grain,
                          fusec_range_fn body, void *closure) {
      fusec_thread_pool_parallel_for(
          static_cast<fusec::ThreadPool *>(self)->get(), n, grain, body,
          closure);
    };
    ctx.parallel_self = &pool;
    ctx.threads = threads;
  }
  const fusec_kernel_ctx *get() const { return &ctx; }

private:
  fusec::ThreadPool pool;
  fusec_kernel_ctx ctx = {};
};

std::vector<float> random(size_t count, int values) {
  std::mt19937 engine(7);
  std::vector<float> result(count);
  for (float &x : result)
    x = static_cast<float>(static_cast<int>(engine() % values) - values / 2);
  return result;
}

} // namespace

TEST(Library, HalvesAreThoseOfTheVocabulary) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const fusec::f16 half = {static_cast<uint16_t>(bits)};
    const fusec::bf16 brain = {static_cast<uint16_t>(bits)};
    const float value = lib::number(half), wide = lib::number(brain);
    EXPECT_EQ(lib::bits_from(value), lib::bits_from(fusec::load(&half)));
    EXPECT_EQ(lib::bits_from(wide), lib::bits_from(fusec::load(&brain)));
    // Between two halves, too.
    for (float x : {value, wide, value * 1.0003f, value * 1.0005f}) {
      fusec::f16 expected;
      fusec::bf16 expected_brain;
      fusec::store(&expected, x);
      fusec::store(&expected_brain, x);
      EXPECT_EQ(lib::Element<fusec::f16>::from(x).bits, expected.bits) << x;
      EXPECT_EQ(lib::Element<fusec::bf16>::from(x).bits, expected_brain.bits)
          << x;
    }
  }
}

TEST(Library, TopKOfNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x = {nan, 1, nan, INFINITY, nan, -INFINITY};
  std::vector<float> values(6);
  std::vector<int64_t> indices(6);
  lib::top_k(Context(1).get(), x.data(), values.data(), indices.data(), 1, 6, 1,
             6, true);
  EXPECT_EQ(indices, (std::vector<int64_t>{0, 2, 4, 3, 1, 5}));
  lib::top_k(Context(1).get(), x.data(), values.data(), indices.data(), 1, 6, 1,
             6, false);
  EXPECT_EQ(indices, (std::vector<int64_t>{5, 1, 3, 0, 2, 4}));
}

TEST(Library, ThreadsDoNotMatter) {
  const std::vector<float> x = random(64 * 999, 20);
  std::vector<int64_t> at(x.size());
  std::mt19937 engine(11);
  for (int64_t &index : at)
    index = static_cast<int64_t>(engine() % 200) - 100;
  const std::vector<int64_t> rows = {1, -1, 1, 7, 9, 1, 0, -9};
  std::vector<std::vector<float>> results;
  for (uint32_t threads : {1u, 2u, 5u}) {
    Context context(threads);
    std::vector<float> values(64 * 9), elements(x.size()), slices(x.size());
    std::vector<int64_t> indices(64 * 9);
    lib::top_k(context.get(), x.data(), values.data(), indices.data(), 64, 999,
               1, 9, true);
    lib::scatter_elements(context.get(), x.data(), at.data(), x.data(),
                          elements.data(), {64, 999}, {64, 999}, 0,
                          lib::Reduction::add);
    lib::scatter_nd(context.get(), x.data(), rows.data(), x.data(),
                    slices.data(), {8, 7992}, 8, 1, lib::Reduction::add);
    for (int64_t index : indices)
      values.push_back(static_cast<float>(index));
    values.insert(values.end(), elements.begin(), elements.end());
    values.insert(values.end(), slices.begin(), slices.end());
    results.push_back(values);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Library, IndicesThatLeadOutUpdateNothing) {
  const int64_t lowest = std::numeric_limits<int64_t>::min(),
                highest = std::numeric_limits<int64_t>::max();
  const std::vector<float> data = {1, 2, 3}, updates = {10, 20, 30, 40, 50};
  const std::vector<int64_t> indices = {lowest, 3, -4, highest, -3};
  std::vector<float> result(3);
  lib::scatter_elements(Context(1).get(), data.data(), indices.data(),
                        updates.data(), result.data(), {3}, {5}, 0,
                        lib::Reduction::none);
  EXPECT_EQ(result, (std::vector<float>{50, 2, 3}));
  lib::scatter_nd(Context(1).get(), data.data(), indices.data(), updates.data(),
                  result.data(), {3}, 5, 1, lib::Reduction::mul);
  EXPECT_EQ(result, (std::vector<float>{50, 2, 3}));
}

TEST(Library, WhatIsUpdatedInPlaceIsNotCopied) {
  // Each loop of so much data is one of several threads: those of copies are
  // what is counted.
  unsigned loops = 0;
  fusec_kernel_ctx ctx = {};
  ctx.parallel_for = [](void *self, int64_t n, int64_t, fusec_range_fn body,
                        void *closure) {
    ++*static_cast<unsigned *>(self);
    body(closure, 0, n);
  };
  ctx.parallel_self = &loops;
  ctx.threads = 2;
  const int64_t rows = 1 << 20;
  std::vector<float> data(rows, 1), result(rows);
  const std::vector<int64_t> indices = {7, -1};
  const std::vector<float> updates = {2, 3};
  auto scatter = [&](std::vector<float> &to, bool isNd) {
    loops = 0;
    if (isNd)
      lib::scatter_nd(&ctx, data.data(), indices.data(), updates.data(),
                      to.data(), {rows}, 2, 1, lib::Reduction::add);
    else
      lib::scatter_elements(&ctx, data.data(), indices.data(), updates.data(),
                            to.data(), {rows}, {2}, 0, lib::Reduction::add);
    return loops;
  };
  for (bool isNd : {false, true}) {
    EXPECT_EQ(scatter(result, isNd), 1u);
    const std::vector<float> expected = result;
    EXPECT_EQ(scatter(data, isNd), 0u);
    EXPECT_EQ(data, expected);
  }
}

TEST(Library, IntegersWrap) {
  const std::vector<int32_t> data = {INT32_MAX, 1 << 20},
                             updates = {1, 1 << 20};
  const std::vector<int64_t> indices = {0, 1};
  std::vector<int32_t> result(2);
  auto scatter = [&](lib::Reduction reduction) {
    lib::scatter_elements(Context(1).get(), data.data(), indices.data(),
                          updates.data(), result.data(), {2}, {2}, 0,
                          reduction);
    return result;
  };
  EXPECT_EQ(scatter(lib::Reduction::add),
            (std::vector<int32_t>{INT32_MIN, 1 << 21}));
  EXPECT_EQ(scatter(lib::Reduction::mul), (std::vector<int32_t>{INT32_MAX, 0}));
}

TEST(Library, SuppressionOfDegenerateBoxes) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  // A box, the same with its corners the other way round, one without area, one
  // of NaN; the last has no score to compare.
  const std::vector<float> boxes = {0, 0, 1,   1,   1,   1,   0, 0, 0, 0,
                                    0, 5, nan, nan, nan, nan, 3, 3, 4, 4};
  const std::vector<float> scores = {0.9f, 0.8f, 0.7f, 0.6f, nan};
  const int64_t limit = 10;
  const float overlap = 0.5f, least = 0;
  std::vector<int64_t> rows(4 * 3), workspace(5);
  lib::non_max_suppression(Context(1).get(), boxes.data(), scores.data(),
                           &limit, &overlap, &least, rows.data(),
                           workspace.data(), 1, 1, 5, 4, false);
  EXPECT_EQ(rows,
            (std::vector<int64_t>{0, 0, 0, 0, 0, 2, 0, 0, 3, -1, -1, -1}));
}

TEST(Library, RegionsOfAnySize) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> sides = {std::nanf(""), -inf,  inf,   -3e38f, 3e38f,
                                    -1e30f,        1e9f,  -2e9f, 1e5f,   -1e5f,
                                    -1.0f,         -0.4f, 0.0f,  2.5f,   5.0f};
  const std::vector<int64_t> numbers = {std::numeric_limits<int64_t>::min(),
                                        std::numeric_limits<int64_t>::max()};
  const std::vector<float> x(2 * 3 * 4, 1.0f);
  // Nothing leads outside, takes for ever or makes a number out of nothing.
  for (float low : sides)
    for (float high : sides)
      for (int flags = 0; flags < 4; ++flags) {
        const std::vector<float> corners = {low, 0, high, 2, 0, low, 3, high};
        std::vector<float> y(2 * 2 * 2, -1.0f);
        lib::roi_align(Context(1).get(), x.data(), corners.data(),
                       numbers.data(), y.data(), 2, 1, 3, 4, 2, 2, 2,
                       (flags & 1) != 0, (flags & 2) != 0);
        for (float value : y)
          EXPECT_TRUE(value >= 0 && value <= 1.0001f)
              << low << " to " << high << ": " << value;
        const std::vector<float> regions = {low,  low, 0,   high, 2,
                                            high, 0,   low, 3,    high};
        lib::max_roi_pool(Context(1).get(), x.data(), regions.data(), y.data(),
                          2, 1, 3, 4, 2, 2, 2);
        for (float value : y)
          EXPECT_TRUE(value == 0 || value == 1) << low << " to " << high;
      }
}

TEST(Library, PointsBesideTheImageAreCounted) {
  // Of 3 million points along each dimension, 4 or so lie on the image: visited
  // one by one, they would take minutes.
  const std::vector<float> x = {1, 1, 1, 1};
  const std::vector<double> wide = {-1e6, -1e6, 2e6, 2e6, -1, -1, 3, 3};
  const std::vector<double> image(x.begin(), x.end());
  const std::vector<int64_t> numbers = {0, 0};
  std::vector<double> y(2);
  lib::roi_align(Context(1).get(), image.data(), wide.data(), numbers.data(),
                 y.data(), 1, 1, 2, 2, 2, 1, 1, true, false);
  EXPECT_NEAR(y[0], 16 / 9e12, 1e-18); // at -1, 0, 1 and 2
  EXPECT_EQ(y[1], 1);
}
