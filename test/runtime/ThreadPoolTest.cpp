// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "fusec/runtime.hpp"

namespace {

template <typename Body>
void run(fusec::ThreadPool &pool, int64_t n, int64_t grain, Body body) {
  fusec_thread_pool_parallel_for(
      pool.get(), n, grain,
      [](void *ctx, int64_t begin, int64_t end) {
        (*static_cast<Body *>(ctx))(begin, end);
      },
      &body);
}

} // namespace

TEST(ThreadPool, CoversEachRangeOnce) {
  for (uint32_t threads : {1u, 2u, 3u, 8u}) {
    fusec::ThreadPool pool(threads);
    ASSERT_TRUE(pool);
    EXPECT_EQ(pool.threads(), threads);
    for (int64_t n : {1, 2, 7, 16, 100, 1001}) {
      for (int64_t grain : {0, 1, 3, 50, 2000}) {
        std::vector<std::atomic<int>> seen(static_cast<size_t>(n));
        run(pool, n, grain, [&](int64_t begin, int64_t end) {
          EXPECT_LT(begin, end);
          EXPECT_TRUE(end == n || end - begin >= grain);
          for (int64_t i = begin; i < end; ++i)
            ++seen[static_cast<size_t>(i)];
        });
        for (const std::atomic<int> &times : seen)
          ASSERT_EQ(times.load(), 1);
      }
    }
  }
}

TEST(ThreadPool, EmptyLoops) {
  fusec::ThreadPool pool(2);
  run(pool, 0, 1, [](int64_t, int64_t) { FAIL(); });
  run(pool, -5, 1, [](int64_t, int64_t) { FAIL(); });
}

TEST(ThreadPool, UsesItsThreads) {
  fusec::ThreadPool pool(2);
  std::atomic<int> inside{0};
  // Both iterations wait for each other: this ends only with two threads.
  run(pool, 2, 1, [&](int64_t, int64_t) {
    ++inside;
    while (inside.load() < 2)
      std::this_thread::yield();
  });
  EXPECT_EQ(inside.load(), 2);
}

TEST(ThreadPool, WakesAfterSleep) {
  fusec::ThreadPool pool(3);
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    std::atomic<int> inside{0};
    run(pool, 3, 1, [&](int64_t, int64_t) {
      ++inside;
      while (inside.load() < 3)
        std::this_thread::yield();
    });
    EXPECT_EQ(inside.load(), 3);
  }
}

TEST(ThreadPool, SmallLoopsStayOnTheCaller) {
  fusec::ThreadPool pool(4);
  const auto caller = std::this_thread::get_id();
  int calls = 0;
  run(pool, 10, 10, [&](int64_t begin, int64_t end) {
    ++calls;
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 10);
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
  EXPECT_EQ(calls, 1);
}

TEST(ThreadPool, LoopsInsideOfLoops) {
  fusec::ThreadPool pool(4);
  std::atomic<int64_t> sum{0};
  run(pool, 16, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      run(pool, 100, 1, [&](int64_t b, int64_t e) { sum += e - b; });
  });
  EXPECT_EQ(sum.load(), 1600);
}

TEST(ThreadPool, ManyCallers) {
  fusec::ThreadPool pool(3);
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i < 500; ++i)
        run(pool, 64, 4,
            [&](int64_t begin, int64_t end) { sum += end - begin; });
    });
  for (std::thread &t : callers)
    t.join();
  EXPECT_EQ(sum.load(), 4 * 500 * 64);
}

TEST(ThreadPool, ResultsAreVisibleToTheCaller) {
  // Plain stores: a thread sanitizer build checks the ordering.
  fusec::ThreadPool pool(4);
  std::vector<int> values(1000);
  for (int round = 1; round <= 200; ++round) {
    run(pool, 1000, 10, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        values[static_cast<size_t>(i)] += round;
    });
    ASSERT_EQ(values[static_cast<size_t>(round)], round * (round + 1) / 2);
  }
}

TEST(ThreadPool, DestroyedWhileBusySpinningOrAsleep) {
  for (int i = 0; i < 20; ++i) {
    fusec::ThreadPool pool(4);
    run(pool, 8, 1, [](int64_t, int64_t) {});
    if (i % 2)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(ThreadPool, DefaultIsThisProcessesCpus) {
  fusec::ThreadPool pool;
  EXPECT_GE(pool.threads(), 1u);
  EXPECT_EQ(fusec_thread_pool_create(1, nullptr), FUSEC_INVALID_ARGUMENT);
}
