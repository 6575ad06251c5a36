// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pool that runs one loop at a time.
//
// A loop is published by making `epoch` odd, and closed by making it even
// again. A worker that sees a new odd epoch joins by counting itself in
// `joined` and then looking at the epoch once more; the caller closes the epoch
// and then waits for `joined` to fall to 0. Both sides write one variable
// before they read the other (sequentially consistent), so either the worker
// sees that the loop is closed or the caller sees the worker. Only workers that
// took part are waited for: a sleeping one costs nothing but its wake-up call.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sched.h>

#include "Cpu.h"
#include "Error.h"

using fusec::rt::threadError;

namespace {

constexpr auto spinTime = std::chrono::microseconds(100);

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Spins until `done()`, for as long as spinTime; true if it came to that.
template <typename Done> bool spinUntil(Done done) {
  if (done())
    return true;
  const auto end = std::chrono::steady_clock::now() + spinTime;
  do {
    for (int i = 0; i < 64; ++i) {
      if (done())
        return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

} // namespace

struct fusec_thread_pool {
  // The loop; written while the epoch is even and nobody has joined.
  fusec_range_fn body = nullptr;
  void *bodyCtx = nullptr;
  int64_t size = 0;
  int64_t chunk = 0;

  alignas(64) std::atomic<int64_t> next{0};
  alignas(64) std::atomic<uint64_t> epoch{0};
  alignas(64) std::atomic<uint32_t> joined{0};
  alignas(64) std::atomic<bool> busy{false};
  std::atomic<bool> stopping{false};
  std::atomic<uint32_t> sleepers{0};
  std::mutex mutex;
  std::condition_variable wake;

  uint32_t threads = 1;
  uint32_t started = 0; // workers
  pthread_t *workers = nullptr;

  /// Takes chunks until none is left.
  void work() {
    for (;;) {
      const int64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
      if (begin >= size)
        return;
      const int64_t left = size - begin;
      body(bodyCtx, begin, begin + (left < chunk ? left : chunk));
    }
  }

  /// Blocks until there is another epoch than `seen` or the pool stops.
  void awaitEpoch(uint64_t seen) {
    const auto changed = [&] {
      return epoch.load() != seen || stopping.load();
    };
    if (spinUntil(changed))
      return;
    std::unique_lock<std::mutex> lock(mutex);
    sleepers.fetch_add(1);
    wake.wait(lock, changed);
    sleepers.fetch_sub(1);
  }

  void workerMain() {
    uint64_t seen = 0;
    while (!stopping.load()) {
      const uint64_t now = epoch.load();
      if (now == seen || now % 2 == 0) {
        seen = now;
        awaitEpoch(now);
        continue;
      }
      joined.fetch_add(1);
      if (epoch.load() == now)
        work();
      joined.fetch_sub(1);
      seen = now;
    }
  }

  void run(int64_t n, int64_t chunkSize, fusec_range_fn fn, void *ctx) {
    body = fn;
    bodyCtx = ctx;
    size = n;
    chunk = chunkSize;
    next.store(0, std::memory_order_relaxed);
    epoch.fetch_add(1);
    if (sleepers.load() != 0) {
      std::lock_guard<std::mutex> lock(mutex);
      wake.notify_all();
    }
    work();
    epoch.fetch_add(1);
    const auto left = [&] { return joined.load() == 0; };
    while (!spinUntil(left))
      sched_yield();
  }

  static void *start(void *self) {
    static_cast<fusec_thread_pool *>(self)->workerMain();
    return nullptr;
  }
};

extern "C" fusec_status fusec_thread_pool_create(uint32_t threads,
                                                 fusec_thread_pool **result) {
  if (!result)
    return threadError().set(FUSEC_INVALID_ARGUMENT,
                             "fusec_thread_pool_create: no place for the pool");
  *result = nullptr;
  if (threads == 0)
    threads = fusec::rt::availableCpus();
  auto *pool = new (std::nothrow) fusec_thread_pool;
  if (pool)
    pool->workers = new (std::nothrow) pthread_t[threads];
  if (!pool || !pool->workers) {
    delete pool;
    return threadError().set(FUSEC_OUT_OF_MEMORY,
                             "cannot allocate a pool of %u threads", threads);
  }
  pool->threads = threads;
  for (uint32_t i = 0; i + 1 < threads; ++i) {
    const int why = pthread_create(&pool->workers[i], nullptr,
                                   fusec_thread_pool::start, pool);
    if (why != 0) {
      fusec_thread_pool_destroy(pool);
      return threadError().set(FUSEC_OUT_OF_MEMORY,
                               "cannot start thread %u of %u: %s", i + 1,
                               threads, strerror(why));
    }
    ++pool->started;
  }
  *result = pool;
  return FUSEC_OK;
}

extern "C" void fusec_thread_pool_destroy(fusec_thread_pool *pool) {
  if (!pool)
    return;
  {
    std::lock_guard<std::mutex> lock(pool->mutex);
    pool->stopping.store(true);
    pool->wake.notify_all();
  }
  for (uint32_t i = 0; i < pool->started; ++i)
    pthread_join(pool->workers[i], nullptr);
  delete[] pool->workers;
  delete pool;
}

extern "C" uint32_t fusec_thread_pool_threads(const fusec_thread_pool *pool) {
  return pool ? pool->threads : 1;
}

extern "C" void fusec_thread_pool_parallel_for(void *self, int64_t n,
                                               int64_t grain,
                                               fusec_range_fn body, void *ctx) {
  if (n <= 0)
    return;
  auto *pool = static_cast<fusec_thread_pool *>(self);
  if (grain < 1)
    grain = 1;
  // A busy pool serves another session, or this is a loop inside of a loop.
  if (n <= grain || pool->threads == 1 || pool->busy.exchange(true))
    return body(ctx, 0, n);
  // Four chunks a thread even out threads of unequal speed.
  const int64_t pieces = int64_t{4} * pool->threads;
  const int64_t even = (n + pieces - 1) / pieces;
  pool->run(n, even > grain ? even : grain, body, ctx);
  pool->busy.store(false);
}
