// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// probe THREADS: what this machine can do, as one JSON object: f32 operations
// of FMAs, operations on bytes and exponentials, all in 1e9 a second, and for
// buffers of growing size, over all threads, the GB/s of reading or of copying
// (bytes read and written), whichever is more. Each is the best of a few
// repetitions of some milliseconds.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sys/mman.h>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

#if defined(__AVX512F__)
constexpr int lanes = 16;
#elif defined(__AVX__)
constexpr int lanes = 8;
#else
constexpr int lanes = 4;
#endif
typedef float Floats __attribute__((vector_size(4 * lanes)));
typedef int32_t Ints __attribute__((vector_size(4 * lanes)));

unsigned threads = 1;

// So that a result counts as used.
void keep(Floats &value) { __asm__ volatile("" : "+m"(value)); }

// Seconds that `work(thread)` takes on all threads at once; the best of
// `repeat`.
double bestTime(int repeat, const std::function<void(unsigned)> &work) {
  double best = 1e9;
  for (int i = 0; i < repeat; ++i) {
    std::atomic<unsigned> ready{0};
    std::vector<double> seconds(threads);
    auto run = [&](unsigned self) {
      ready.fetch_add(1);
      while (ready.load() != threads)
        ;
      auto begin = std::chrono::steady_clock::now();
      work(self);
      seconds[self] = std::chrono::duration<double>(
                          std::chrono::steady_clock::now() - begin)
                          .count();
    };
    std::vector<std::thread> others;
    for (unsigned t = 1; t < threads; ++t)
      others.emplace_back(run, t);
    run(0);
    for (std::thread &other : others)
      other.join();
    best = std::min(best, *std::max_element(seconds.begin(), seconds.end()));
  }
  return best;
}

double fmaRate() {
  constexpr int64_t count = 200000;
  constexpr int chains = 12; // more than a latency times two units
  double seconds = bestTime(8, [](unsigned self) {
    Floats sums[chains], a = Floats{} + 0.999f, b = Floats{} + float(self);
    for (Floats &sum : sums)
      sum = b;
    for (int64_t i = 0; i < count; ++i) {
      for (Floats &sum : sums)
        sum = sum * a + b;
      __asm__ volatile(""); // once per count, whatever the optimiser finds
    }
    for (Floats &sum : sums)
      keep(sum);
  });
  return 2.0 * lanes * chains * count * threads / seconds / 1e9;
}

// Multiplications and additions of 8-bit integers: four products for each sum
// of 32 bits in one instruction where there is VNNI, else two of the terms
// extended to 16 bits.
double byteRate() {
#if defined(__AVX512VNNI__) || defined(__AVX2__)
  constexpr int64_t count = 200000;
  constexpr int chains = 12;
#if defined(__AVX512VNNI__)
  using Bytes = __m512i;
  constexpr int products = 64;
  const auto step = [](Bytes sum, Bytes a, Bytes b) {
    return _mm512_dpbusd_epi32(sum, a, b);
  };
#else
  using Bytes = __m256i;
  constexpr int products = 16;
  const auto step = [](Bytes sum, Bytes a, Bytes b) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
  };
#endif
  double seconds = bestTime(8, [step](unsigned self) {
    Bytes sums[chains], a = Bytes{} + 3, b = Bytes{} + int(self);
    for (Bytes &sum : sums)
      sum = b;
    for (int64_t i = 0; i < count; ++i) {
      for (Bytes &sum : sums)
        sum = step(sum, a, b);
      __asm__ volatile("");
    }
    for (Bytes &sum : sums)
      __asm__ volatile("" : "+m"(sum));
  });
  return 2.0 * products * chains * count * threads / seconds / 1e9;
#else
  return fmaRate();
#endif
}

// Multiplications and additions of bf16: two products for each sum in f32 in
// one instruction where there is one, else those of f32.
double pairRate() {
#if defined(__AVX512BF16__)
  constexpr int64_t count = 200000;
  constexpr int chains = 16; // more than a latency of 6 times two units
  double seconds = bestTime(8, [](unsigned self) {
    __m512 sums[chains];
    const __m512i a = _mm512_set1_epi32(0x3f803f80),
                  b = _mm512_set1_epi32(int(self));
    for (__m512 &sum : sums)
      sum = _mm512_setzero_ps();
    for (int64_t i = 0; i < count; ++i) {
      for (__m512 &sum : sums)
        sum = _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b);
      __asm__ volatile("");
    }
    for (__m512 &sum : sums)
      __asm__ volatile("" : "+m"(sum));
  });
  return 2.0 * 32 * chains * count * threads / seconds / 1e9;
#else
  return fmaRate();
#endif
}

// 2^n * p(r), with x = (n + r) ln 2 and a polynomial of degree 5.
Floats exponential(Floats x) {
  const float magic = 12582912.0f; // 1.5 * 2^23: rounds to an integer
  Floats shifted = x * 1.44269504f + magic;
  Floats r = x * 1.44269504f - (shifted - magic);
  Floats p = r * 1.8775767e-3f + 8.9893397e-3f;
  p = p * r + 5.5826318e-2f;
  p = p * r + 2.4015361e-1f;
  p = p * r + 6.9315308e-1f;
  p = p * r + 1.0f;
  return (Floats)((Ints)p + ((Ints)shifted << 23));
}

double exponentialRate() {
  constexpr int size = 256, count = 2000; // 16 KB at most: in the first cache
  double seconds = bestTime(5, [](unsigned self) {
    Floats values[size];
    for (int i = 0; i < size; ++i)
      values[i] = Floats{} + (0.001f * i + self);
    for (int n = 0; n < count; ++n) {
      for (Floats &value : values)
        value = exponential(value * 0.01f);
      keep(values[n % size]);
    }
  });
  return 1.0 * lanes * size * count * threads / seconds / 1e9;
}

void readAll(const Floats *from, int64_t size) {
  Floats sums[8] = {};
  for (int64_t i = 0; i + 8 <= size; i += 8)
    for (int j = 0; j < 8; ++j)
      sums[j] += from[i + j];
  for (Floats &sum : sums)
    keep(sum);
}

// GB/s over `bytes` of memory, shared out to the threads.
double bandwidth(Floats *memory, int64_t bytes) {
  int64_t size = bytes / sizeof(Floats) / threads;
  int times = int(std::max<int64_t>(1, (64 << 20) / bytes));
  double reading = bestTime(3, [&](unsigned self) {
    for (int i = 0; i < times; ++i)
      readAll(memory + self * size, size);
  });
  double copying = bestTime(3, [&](unsigned self) {
    Floats *from = memory + self * size, *to = from + size / 2;
    for (int i = 0; i < times; ++i) {
      std::copy(from, from + size / 2, to);
      keep(*to);
    }
  });
  return 1.0 * bytes * times / std::min(reading, copying) / 1e9;
}

} // namespace

int main(int argc, char **argv) {
  threads = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
  constexpr int64_t largest = int64_t{256} << 20;
  void *memory = mmap(nullptr, largest, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return 1;
  madvise(memory, largest, MADV_HUGEPAGE);
  std::fill_n(static_cast<char *>(memory), largest, 0);
  std::printf("{\"gflops\": %.1f, \"gops8\": %.1f, \"gflops16\": %.1f, "
              "\"gexps\": %.2f, \"gbs\": {",
              fmaRate(), byteRate(), pairRate(), exponentialRate());
  for (int64_t bytes = 1 << 20; bytes <= largest; bytes *= 4)
    std::printf("%s\"%lld\": %.1f", bytes > 1 << 20 ? ", " : "",
                static_cast<long long>(bytes),
                bandwidth(static_cast<Floats *>(memory), bytes));
  std::printf("}}\n");
}
