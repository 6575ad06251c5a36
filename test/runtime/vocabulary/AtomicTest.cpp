// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads combine at once.
#include "test/runtime/vocabulary/Support.h"

#include <thread>

namespace fusec {

namespace {

constexpr int kThreads = 4, kEach = 20000;

/// Calls update(n) for n from 1 to kThreads * kEach, shared out to threads.
template <class Update> void onThreads(const Update &update) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&update, t] {
      for (int i = 0; i < kEach; ++i)
        update(1 + t * kEach + i);
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace

TEST(Atomic, NoUpdateIsLost) {
  float ones = 0.0f;
  double sum = 0.0;
  int32_t most = 0;
  int64_t least = 1 << 30;
  onThreads([&](int n) {
    atomic_add(ones, 1.0f);
    atomic_add(sum, static_cast<double>(n));
    atomic_max(most, int32_t{n});
    atomic_min(least, int64_t{n});
  });
  constexpr int count = kThreads * kEach;
  EXPECT_EQ(ones, static_cast<float>(count));
  EXPECT_EQ(sum, 0.5 * count * (count + 1.0));
  EXPECT_EQ(most, count);
  EXPECT_EQ(least, 1);
}

TEST(Atomic, Combines) {
  int32_t odd = 1;
  onThreads([&](int) { atomic_mul(odd, int32_t{-1}); });
  EXPECT_EQ(odd, 1);
  bool all = true, any = false;
  onThreads([&](int n) {
    atomic_and(all, n != 7);
    atomic_or(any, n == 7);
  });
  EXPECT_FALSE(all);
  EXPECT_TRUE(any);
  float extreme = 1.0f;
  atomic_max(extreme, __builtin_nanf(""));
  EXPECT_TRUE(isnan(extreme));
  atomic_min(extreme, 0.0f);
  EXPECT_TRUE(isnan(extreme));
}

} // namespace fusec
