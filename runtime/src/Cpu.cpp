// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cpu.h"

#include <algorithm>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "CpuQuota.h"

namespace fusec::rt {

#if defined(__x86_64__)
namespace {

struct Leaf {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Leaf cpuid(unsigned leaf, unsigned subleaf = 0) {
  Leaf r;
  __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
  return r;
}

/// The register states that the operating system saves (XCR0).
unsigned savedStates() {
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

bool has(unsigned value, unsigned mask) { return (value & mask) == mask; }

/// Configuration and contents of the matrix registers of AMX, as savedStates
/// has them.
constexpr unsigned kTileStates = 3u << 17;

/// Whether this process may use the matrix registers from now on. Linux gives
/// room to save them, which signal handlers need too, to who asks for it.
bool requestTiles() {
#if defined(__linux__)
  constexpr long kRequest = 0x1023, kTileData = 18; // ARCH_REQ_XCOMP_PERM
  return syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
#else
  return false;
#endif
}

} // namespace

fusec_isa detectIsa() {
  const Leaf one = cpuid(1), seven = cpuid(7);
  if (!has(one.ecx, bit_OSXSAVE))
    return FUSEC_ISA_BASELINE;
  const unsigned states = savedStates();
  // XMM and YMM; then opmask and both parts of ZMM.
  const bool ymm = has(states, 0x6), zmm = has(states, 0xe6);
  // The levels of the psABI; LZCNT and MOVBE come with the others.
  const bool v3 = ymm &&
                  has(one.ecx, bit_AVX | bit_FMA | bit_F16C | bit_MOVBE |
                                   bit_SSE4_2 | bit_POPCNT) &&
                  has(seven.ebx, bit_AVX2 | bit_BMI | bit_BMI2) &&
                  has(cpuid(0x80000001).ecx, bit_LZCNT);
  if (!v3)
    return FUSEC_ISA_BASELINE;
  const bool v4 =
      zmm && has(seven.ebx, bit_AVX512F | bit_AVX512BW | bit_AVX512CD |
                                bit_AVX512DQ | bit_AVX512VL);
  if (!v4)
    return FUSEC_ISA_AVX2;
  if (!has(seven.ecx, bit_AVX512VNNI))
    return FUSEC_ISA_AVX512;
  // Not all compilers have names for these.
  constexpr unsigned kBf16 = 1u << 5;
  constexpr unsigned kAmx = 1u << 22 | 1u << 24 | 1u << 25; // BF16, TILE, INT8
  if (!has(cpuid(7, 1).eax, kBf16))
    return FUSEC_ISA_AVX512VNNI;
  static const bool hasTiles =
      has(seven.edx, kAmx) && has(states, kTileStates) && requestTiles();
  return hasTiles ? FUSEC_ISA_AMX : FUSEC_ISA_AVX512BF16;
}
#else
fusec_isa detectIsa() { return FUSEC_ISA_BASELINE; }
#endif

const char *isaName(fusec_isa isa) {
  static const char *const names[FUSEC_ISA_COUNT] = {
      "baseline", "avx2", "avx512", "avx512vnni", "avx512bf16", "amx"};
  return isa < FUSEC_ISA_COUNT ? names[isa] : "?";
}

fusec_isa getScheduledIsa(fusec_isa isa) {
  return isa > FUSEC_ISA_AVX512 ? fusec_isa(FUSEC_ISA_AVX512) : isa;
}

/// CPUs that the scheduler may run this process on, at least 1.
static uint32_t affineCpus() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
    return static_cast<uint32_t>(CPU_COUNT(&set));
#endif
  const long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? static_cast<uint32_t>(n) : 1;
}

uint32_t availableCpus() {
  const uint32_t quota = quotaCpus();
  return quota ? std::min(affineCpus(), quota) : affineCpus();
}

} // namespace fusec::rt
