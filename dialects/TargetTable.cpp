// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of the table of targets, and what they are put together from.
#include "dialects/TargetInfo.h"

namespace fusec {

/// The processor that the program itself runs on. g++ takes some seconds for
/// 4096 operations, and longer than in proportion for more.
static constexpr Platform kHost = {"cpu", /*isDevice=*/false,
                                   /*narrowsIndices=*/false,
                                   /*mostUnrolled=*/4096};

/// GPUs by CUDA. Registers of their threads have no number that is computed, so
/// that loops over them stay unrolled.
static constexpr Platform kCuda = {"cuda", /*isDevice=*/true,
                                   /*narrowsIndices=*/true,
                                   /*mostUnrolled=*/std::nullopt};

static constexpr const Unit *kFmaOnly[] = {&kFmaUnit};
static constexpr const Unit *kTerms[] = {&kFmaUnit, &kPairsUnit, &kQuadsUnit};
static constexpr const Unit *kTermsAndBf16[] = {&kFmaUnit, &kPairsUnit,
                                                &kBf16PairsUnit, &kQuadsUnit};
static constexpr const Unit *kTermsAndTiles[] = {
    &kFmaUnit, &kPairsUnit, &kQuadsUnit, &kQuadTilesUnit, &kBf16TilesUnit};

// On AVX2 a vector of 16 f32 takes two of the 16 registers, so six rows of one
// vector are the largest tile that does not spill: 63 to 87 GF/s a core there,
// against 32 for eight rows of two.
static constexpr InstructionSet kAvx2 = {"avx2",
                                         /*vectorBytes=*/32,
                                         /*registers=*/16,
                                         /*fmaLatency=*/4,
                                         /*fmasPerCycle=*/2,
                                         /*units=*/kTerms,
                                         /*loopOperations=*/128};

static constexpr InstructionSet kAvx512 = {"avx512",
                                           /*vectorBytes=*/64,
                                           /*registers=*/32,
                                           /*fmaLatency=*/4,
                                           /*fmasPerCycle=*/2,
                                           /*units=*/kTerms,
                                           /*loopOperations=*/128};

// Zen 4 and 5 begin as many VDPBF16PS in a cycle as multiply-adds, of twice as
// many products: on Zen 5 two, with a latency of 6 cycles. Sapphire Rapids
// begins half as many.
static constexpr InstructionSet kAvx512Bf16 = {"avx512",
                                               /*vectorBytes=*/64,
                                               /*registers=*/32,
                                               /*fmaLatency=*/4,
                                               /*fmasPerCycle=*/2,
                                               /*units=*/kTermsAndBf16,
                                               /*loopOperations=*/128};

static constexpr InstructionSet kAvx512Amx = {"avx512",
                                              /*vectorBytes=*/64,
                                              /*registers=*/32,
                                              /*fmaLatency=*/4,
                                              /*fmasPerCycle=*/2,
                                              /*units=*/kTermsAndTiles,
                                              /*loopOperations=*/128};

// What compilers make of vector extensions for SSE2, which has no multiply-add:
// a multiplication and an addition, of which one begins in a cycle. A tile of
// 2x16 takes all of the 16 registers.
static constexpr InstructionSet kPortable = {"baseline",
                                             /*vectorBytes=*/16,
                                             /*registers=*/16,
                                             /*fmaLatency=*/4,
                                             /*fmasPerCycle=*/1,
                                             /*units=*/kFmaOnly,
                                             /*loopOperations=*/128};

// The same for AArch64: twice as many registers hold what AVX2's do, 6x16.
static constexpr InstructionSet kNeon = {"baseline",
                                         /*vectorBytes=*/16,
                                         /*registers=*/32,
                                         /*fmaLatency=*/4,
                                         /*fmasPerCycle=*/2,
                                         /*units=*/kFmaOnly,
                                         /*loopOperations=*/128};

/// Any processor may run what is for any, and those without AVX2 take its
/// tiles. NEON wants the same ones. SSE2 does not: a product of 512^3 takes
/// 7.3 ms with 6x16 and 7.2 with 2x16 from g++ 12 on Zen 4, but 9.1 and 7.1
/// from clang 22. A third text of each kernel is too much for that; the row
/// "portable" has it.
static constexpr const InstructionSet *kAnySets[] = {&kAvx2, &kAvx512};
static constexpr const InstructionSet *kPortableOnly[] = {&kPortable};
static constexpr const InstructionSet *kNeonOnly[] = {&kNeon};
/// A processor with AVX-512 runs nothing else.
static constexpr const InstructionSet *kAvx512Only[] = {&kAvx512};
static constexpr const InstructionSet *kAvx512Bf16Only[] = {&kAvx512Bf16};
static constexpr const InstructionSet *kAvx512AmxOnly[] = {&kAvx512Amx};

// From x86 of the 2020s: throughput in cache for arithmetic, between cache and
// memory for loads. Here and below numbers are given by name, since what shifts
// among so many shows in nothing but speed.
static constexpr OperationCosts makeX86Costs(double ownership) {
  OperationCosts costs = {};
  costs.simple = 0.3;
  costs.loop = 0.6;
  costs.vectorAccess = 1.5;
  costs.stridedAccess = 6;
  costs.secondCacheLoad = 0.6;
  costs.farLoad = 4;
  costs.memoryLoad = 8;
  costs.ownership = ownership;
  costs.gather = 1;
  costs.vectorGather = 8;
  costs.division = 1.5;
  costs.vectorDivision = 3;
  costs.intDivision = 3;
  costs.vectorIntDivision = 20;
  costs.reduce = 3;
  costs.function = 5;
  costs.power = 25;
  costs.localAccess = 0.075;
  costs.sharedLoad = 0.15;
  costs.crowded = 1.6;
  return costs;
}

/// Where loads cost nothing, only what costs nothing is as cheap.
static_assert([] {
  OperationCosts costs = {};
  costs.simple = 1;
  return costs.getCheapSteps() == 0;
}());

/// A cache of a core, in a row.
struct CoreCache {
  int64_t bytes, ways;
};

/// A row of x86-64, which differ in their caches. Eight cores are those of a
/// small machine; a larger one gets enough to do as well, a smaller one loses
/// next to nothing. A core sums about 4 elements a nanosecond from cache, half
/// as many from memory, and a launch reaches the threads within about 4 us.
template <size_t N>
static constexpr TargetInfo
makeX86(llvm::StringLiteral name, llvm::StringLiteral description,
        const InstructionSet *const (&sets)[N], CoreCache first,
        CoreCache second, int64_t lastCache, double ownership) {
  TargetInfo row = {};
  row.name = name;
  row.description = description;
  row.platform = &kHost;
  row.kind = TargetKind::cpu;
  row.cores = 8;
  row.lanes = 16;
  row.sets = sets;
  row.tiledFor = sets[0];
  row.firstCache = first.bytes;
  row.firstWays = first.ways;
  row.secondCache = second.bytes;
  row.secondWays = second.ways;
  row.lastCache = lastCache;
  row.cacheLine = 64;
  row.foreseenStride = 2048;
  row.fetchedLines = 8;
  row.launchSteps = 16384;
  row.longSteps = 131072;
  row.forkNanoseconds = 5000;
  row.stackBytes = 64 << 10;
  row.costs = makeX86Costs(ownership);
  return row;
}

/// On Zen 4 stores past the last cache wrote 42 GB/s a core instead of 28.
static constexpr double kOwnership = 1.5;

static constexpr const MatrixUnit *kMmaUnits[] = {&kMmaF16Unit, &kMmaBf16Unit,
                                                  &kMmaS8Unit, &kMmaTf32x3Unit};

/// What architectures differ in. Sizes are those of the CUDA C++ Programming
/// Guide, table "Technical Specifications per Compute Capability".
struct Architecture {
  llvm::StringLiteral name;
  /// Threads that are resident on a multiprocessor.
  int64_t threads;
  /// Shared memory of a multiprocessor and of a block, in KiB.
  int64_t sharedKiB, blockSharedKiB;
  /// Latencies in cycles, rounded.
  int64_t sharedLatency, memoryLatency;
};

// Latencies of sm_75 are those of Jia et al., "Dissecting the NVIDIA Turing T4
// GPU via Microbenchmarking" (2019), later ones of others after it; sm_86 has
// those of sm_80, and sm_100 and sm_120 those of sm_90.
static constexpr Architecture kSm75 = {"sm_75", 1024, 64, 64, 19, 430};
static constexpr Architecture kSm80 = {"sm_80", 2048, 164, 163, 23, 470};
static constexpr Architecture kSm86 = {"sm_86", 1536, 100, 99, 23, 470};
static constexpr Architecture kSm89 = {"sm_89", 1536, 100, 99, 30, 540};
static constexpr Architecture kSm90 = {"sm_90", 2048, 228, 227, 29, 560};
static constexpr Architecture kSm100 = {"sm_100", 2048, 228, 227, 29, 560};
static constexpr Architecture kSm120 = {"sm_120", 1536, 100, 99, 29, 560};

/// A multiprocessor of an architecture in a card of `memoryBytes` bytes a
/// nanosecond. `matrixSpeed` is 0.65 of what data sheets promise, which is what
/// the best kernels of mma.sync reach; at 0 there is neither mma.sync of both
/// narrow floats nor cp.async.
static constexpr Multiprocessor makeMultiprocessor(const Architecture &of,
                                                   int64_t memoryBytes,
                                                   double matrixSpeed) {
  return {of.name,
          /*warp=*/32,
          /*blockThreads=*/1024,
          /*threads=*/of.threads,
          /*usualThreads=*/256,
          /*schedulers=*/4,
          /*otherRegisters=*/40,
          /*loadsInFlight=*/4,
          /*copySteps=*/5,
          /*threadPoints=*/64,
          /*enoughThreads=*/4096,
          /*registers=*/65536,
          /*threadRegisters=*/255,
          /*sharedBytes=*/of.sharedKiB << 10,
          /*blockSharedBytes=*/of.blockSharedKiB << 10,
          /*staticSharedBytes=*/48 << 10,
          /*functionSharedBytes=*/4 << 10,
          /*accessBytes=*/16,
          /*copyBytes=*/matrixSpeed > 0 ? 16 : 0,
          /*asyncSteps=*/matrixSpeed > 0 ? 4 : 0,
          /*sharedLatency=*/of.sharedLatency,
          /*memoryLatency=*/of.memoryLatency,
          /*memoryBytes=*/memoryBytes,
          /*combineLatency=*/30,
          /*atomicCycles=*/2,
          /*matrixUnits=*/matrixSpeed > 0
              ? llvm::ArrayRef(kMmaUnits)
              : llvm::ArrayRef<const MatrixUnit *>(),
          /*matrixSpeed=*/matrixSpeed};
}

// Bandwidths and speeds are those of the cards that the table names. Against
// multiply-adds of f32, products of f16 that add to f32 have 16 times the rate
// on A100 and H100, 4 times on A10 and L40S, and twice on GeForce cards; what
// mma.sync reaches on B200, where other instructions are faster, is not
// published.
static constexpr Multiprocessor kT4 = makeMultiprocessor(kSm75, 320, 0);
static constexpr Multiprocessor kA100 = makeMultiprocessor(kSm80, 1555, 10);
static constexpr Multiprocessor kA10 = makeMultiprocessor(kSm86, 600, 2.6);
static constexpr Multiprocessor kL40S = makeMultiprocessor(kSm89, 864, 2.6);
static constexpr Multiprocessor kH100 = makeMultiprocessor(kSm90, 3350, 10);
static constexpr Multiprocessor kB200 = makeMultiprocessor(kSm100, 8000, 10);
static constexpr Multiprocessor kRtx5090 =
    makeMultiprocessor(kSm120, 1792, 1.3);

// A warp is to a GPU what a vector is to a CPU: a value of all of its threads
// is one of 32 lanes in a register of 128 bytes, of which tiles may take half
// of a thread's, so that two blocks of 256 threads are on a multiprocessor.
static constexpr InstructionSet kWarp = {"warp",
                                         /*vectorBytes=*/128,
                                         /*registers=*/128,
                                         /*fmaLatency=*/4,
                                         /*fmasPerCycle=*/1,
                                         /*units=*/kFmaOnly,
                                         /*loopOperations=*/512};
static constexpr const InstructionSet *kWarpOnly[] = {&kWarp};

/// A row of an NVIDIA GPU. A core is one of the four schedulers of a
/// multiprocessor. Costs are those of a warp's instruction, in nanoseconds of
/// such a core at 1.5 GHz.
static constexpr TargetInfo makeCuda(llvm::StringLiteral name,
                                     llvm::StringLiteral description,
                                     const Multiprocessor &multiprocessor,
                                     int64_t multiprocessors,
                                     int64_t lastCache) {
  TargetInfo row = {};
  row.name = name;
  row.description = description;
  row.platform = &kCuda;
  row.kind = TargetKind::gpu;
  row.multiprocessor = &multiprocessor;
  row.cores = multiprocessor.schedulers * multiprocessors;
  row.lanes = multiprocessor.warp;
  row.sets = kWarpOnly;
  row.tiledFor = kWarpOnly[0];
  // Shared memory takes the place of a cache of a block's own.
  row.firstCache = multiprocessor.staticSharedBytes;
  row.firstWays = 4;
  row.secondCache = multiprocessor.sharedBytes;
  row.secondWays = 4;
  row.lastCache = lastCache;
  row.cacheLine = 128;
  // A launch takes some 3 us, and a core sums about one element a nanosecond
  // from memory.
  row.launchSteps = 4096;
  row.longSteps = 4096;
  row.stackBytes = 4 * multiprocessor.threadRegisters;
  OperationCosts &costs = row.costs;
  costs.simple = 0.7;
  costs.loop = 2;
  costs.vectorAccess = 2.7;
  costs.stridedAccess = 21;
  costs.gather = 2.7;
  costs.vectorGather = 21;
  costs.division = costs.vectorDivision = 6;
  costs.intDivision = costs.vectorIntDivision = 14;
  costs.reduce = 20;
  costs.function = 9;
  costs.power = 45;
  costs.localAccess = 0.07;
  costs.sharedLoad = 1.3;
  costs.crowded = 1; // What a block multiplies it has copied.
  return row;
}

static constexpr TargetInfo kTargets[] = {
    makeX86(kDefaultTarget, "any CPU: what most of them have", kAnySets,
            {32 << 10, 8}, {512 << 10, 8}, 32 << 20, kOwnership),
    // Stores past the caches have no words in what portable kernels are of.
    makeX86("portable", "x86-64 without AVX2", kPortableOnly, {32 << 10, 8},
            {256 << 10, 8}, 8 << 20, /*ownership=*/0),
    // What operations cost on x86-64 stands for AArch64 too.
    makeX86("neon", "AArch64 (Neoverse N1 and later)", kNeonOnly, {64 << 10, 4},
            {1 << 20, 8}, 32 << 20, /*ownership=*/0),
    makeX86("zen4", "AMD Zen 4 (EPYC 9004, Ryzen 7000)", kAvx512Bf16Only,
            {32 << 10, 8}, {1 << 20, 8}, 32 << 20, kOwnership),
    makeX86("sapphire-rapids", "Intel Sapphire Rapids and Emerald Rapids",
            kAvx512Only, {48 << 10, 12}, {2 << 20, 16}, 60 << 20,
            /*ownership=*/0),
    makeX86("sapphire-rapids-amx", "the same where programs may use AMX",
            kAvx512AmxOnly, {48 << 10, 12}, {2 << 20, 16}, 60 << 20,
            /*ownership=*/0),
    makeCuda("cuda-sm75", "NVIDIA Turing (T4)", kT4, 40, 4 << 20),
    makeCuda("cuda-sm80", "NVIDIA Ampere (A100)", kA100, 108, 40 << 20),
    makeCuda("cuda-sm86", "NVIDIA Ampere (A10, A40, RTX 30)", kA10, 72,
             6 << 20),
    makeCuda("cuda-sm89", "NVIDIA Ada (L4, L40S, RTX 40)", kL40S, 142,
             96 << 20),
    makeCuda("cuda-sm90", "NVIDIA Hopper (H100, H200)", kH100, 132, 50 << 20),
    makeCuda("cuda-sm100", "NVIDIA Blackwell (B200, GB200)", kB200, 148,
             126 << 20),
    makeCuda("cuda-sm120", "NVIDIA Blackwell (RTX 50, RTX PRO)", kRtx5090, 170,
             96 << 20),
};

llvm::ArrayRef<TargetInfo> getTargets() { return kTargets; }

} // namespace fusec
