// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of targets: everything that passes may know of a machine. A module
// names its row. Decisions depend on the row and never on the machine that
// compiles, so that a model gives the same sources everywhere.
#ifndef FUSEC_DIALECTS_TARGETINFO_H
#define FUSEC_DIALECTS_TARGETINFO_H

#include "dialects/Units.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cstdint>
#include <optional>

namespace fusec {

/// The most iterations of a loop that is unrolled. FUSEC_UNROLL of emitted
/// sources unrolls as many.
inline constexpr int64_t kMaxUnrolled = 64;

/// An instruction set, as far as tiles and costs depend on it.
struct InstructionSet {
  /// The name in emitted sources and in their dispatch table. "baseline" is the
  /// set that every processor of the row's architecture has.
  llvm::StringLiteral name;
  /// Bytes of a vector register, and the number of vector registers.
  int64_t vectorBytes, registers;
  /// Latency of a multiply-add in cycles, and multiply-adds that begin in each
  /// cycle.
  int64_t fmaLatency, fmasPerCycle;
  /// What adds products to the lanes of a vector, that of the fewest terms
  /// first.
  llvm::ArrayRef<const Unit *> units;
  /// Operations of an unrolled loop body that still fit into the cache of
  /// decoded instructions, with room for what stands around the loop.
  int64_t loopOperations;

  /// Registers for a vector of `bytes`, which may take several.
  int64_t countRegisters(int64_t bytes) const;
  /// Accumulators of `bytes` that must be added to in turn to hide the latency
  /// of a multiply-add.
  int64_t countInFlight(int64_t bytes) const;
  /// The most rows of a register tile whose accumulators, of `bytes` each, stay
  /// in registers beside the operands of a step: `bytes` of one factor, and one
  /// element of the other on all lanes.
  int64_t countRows(int64_t bytes) const;
  /// Copies into which a step of a reduction may be unrolled that adds to
  /// `rows` accumulators of `bytes` each. Compilers keep what the copies share
  /// in registers; there is one copy where that would spill accumulators.
  int64_t countCopies(int64_t rows, int64_t bytes) const;
  /// Whether a register tile of one row of `bytes` fits.
  bool holds(int64_t bytes) const {
    return 2 * countRegisters(bytes) + 1 <= registers;
  }
  /// The unit of `units` with this name, or null.
  const Unit *getUnit(llvm::StringRef unit) const {
    for (const Unit *each : units)
      if (each->name == unit)
        return each;
    return nullptr;
  }
};

/// Costs in nanoseconds of one operation on a core, with operands in the
/// first-level cache. They rank alternatives and are no predictions of time.
struct OperationCosts {
  /// Scalar arithmetic, loads and stores, and a vector's arithmetic.
  double simple;
  /// Starting a loop.
  double loop;
  /// Loading or storing a vector of contiguous elements, and of strided ones.
  double vectorAccess, stridedAccess;
  /// The additional cost of loading a vector from the second-level cache, from
  /// the last-level cache, and from memory, where weights are that nobody has
  /// read in this run.
  double secondCacheLoad, farLoad, memoryLoad;
  /// Reading a cache line for ownership before it is stored to; 0 where cores
  /// see that all of a line is overwritten.
  double ownership;
  /// A load at computed positions: of a scalar, and of all lanes of a vector.
  double gather, vectorGather;
  /// Division or square root of floats: of a scalar, and of a vector.
  double division, vectorDivision;
  /// Division of integers: of a scalar, and of a vector.
  double intDivision, vectorIntDivision;
  /// Reducing the lanes of a vector to one value.
  double reduce;
  /// A function of the vocabulary such as exp; and a power, which takes a
  /// logarithm of more digits than a float has.
  double function, power;
  /// An access to a local array of a kernel, which lies in registers or the
  /// first-level cache; and a load that the iterations of a tile share, which
  /// overlaps with arithmetic.
  double localAccess, sharedLoad;
  /// The additional cost of a multiply-add whose rows evict each other from the
  /// second-level cache, because they map to the same sets.
  double crowded;

  /// The two as multiples of a simple operation.
  constexpr double getLocalWeight() const { return localAccess / simple; }
  constexpr double getSharedWeight() const { return sharedLoad / simple; }
  /// `nanoseconds` in steps of simple arithmetic.
  constexpr unsigned countSteps(double nanoseconds) const {
    return unsigned(nanoseconds / simple + 0.5);
  }
  /// Steps of loading or storing a value, at least one.
  constexpr unsigned getLoadSteps() const {
    return std::max(1u, countSteps(vectorAccess));
  }
  /// Steps up to which computing a value again is about as cheap as loading it:
  /// one fewer than the load, as its operands are loaded too.
  constexpr unsigned getCheapSteps() const { return getLoadSteps() - 1; }
};

/// A set-associative cache of a core. All sizes are in bytes.
struct Cache {
  int64_t bytes, ways, line;

  int64_t getSets() const { return bytes / (ways * line); }
};

/// The two hierarchies of levels at which kernels run.
enum class TargetKind { cpu, gpu };

/// The levels at which a target of `kind` runs iterations and has arrays,
/// outermost first, by the names that configs give them.
llvm::ArrayRef<llvm::StringLiteral> getLevelKinds(TargetKind kind);

/// What runs kernels, and how a program reaches it: facts that the rows of a
/// family of processors share. What is emitted and built for a platform stands
/// in codegen/PlatformFiles.h and tools/fusec/DeviceTools.h.
struct Platform {
  /// The name in keys of groups and choices.
  llvm::StringLiteral name;
  /// Whether a program launches kernels on a device, which has a memory of its
  /// own. Otherwise it calls them, on its own processor and in its own memory.
  bool isDevice;
  /// Whether kernels have indices of 32 bits where those suffice.
  bool narrowsIndices;
  /// The most operations that the unrolled loops of a kernel may become, if
  /// there is a limit.
  std::optional<int64_t> mostUnrolled;
};

/// A multiprocessor of a GPU, which runs blocks of threads.
struct Multiprocessor {
  /// Bytes of a sector, the least that a memory access transfers.
  static constexpr int64_t sectorBytes = 32;
  /// The architecture as nvcc names it: "sm_80".
  llvm::StringLiteral architecture;
  /// The number of the architecture: 80 of "sm_80".
  unsigned getNumber() const;
  /// Threads of a warp, the most threads of a block, and the most of all blocks
  /// that are resident at a time.
  int64_t warp, blockThreads, threads;
  /// Threads of a block where nothing else decides; several such blocks are
  /// resident.
  int64_t usualThreads;
  /// Warp schedulers. Each counts as one of the row's `cores`.
  int64_t schedulers;
  /// Registers of a thread besides its accumulators and their operands.
  int64_t otherRegisters;
  /// Outstanding loads of a thread.
  int64_t loadsInFlight;
  /// Instructions of a copy of one element to shared memory besides its load:
  /// the address, the test of bounds and the store.
  int64_t copySteps;
  /// Points of a large kernel for which one more thread pays, and the number of
  /// threads that suffices for any kernel.
  int64_t threadPoints, enoughThreads;
  /// Registers of 32 bits of the multiprocessor, and the most of a thread.
  int64_t registers, threadRegisters;
  /// Bytes of shared memory of the multiprocessor, the most of a block, and the
  /// most of a block whose launch does not request more.
  int64_t sharedBytes, blockSharedBytes, staticSharedBytes;
  /// Bytes of shared memory that are left to functions of the vocabulary:
  /// results of warps, and who is last.
  int64_t functionSharedBytes;
  /// Bytes of a thread's widest access.
  int64_t accessBytes;
  /// Bytes of the widest asynchronous copy from memory to shared memory, 0
  /// where there is none; and what `copySteps` are for such a copy, which uses
  /// no register and no store.
  int64_t copyBytes, asyncSteps;
  /// Latency of a load in cycles, from shared memory and from memory.
  int64_t sharedLatency, memoryLatency;
  /// Memory bandwidth of the whole GPU, in bytes a nanosecond.
  int64_t memoryBytes;
  /// Cycles that a block waits where its threads combine their values, and the
  /// cycles between two atomic operations on one address.
  int64_t combineLatency, atomicCycles;
  /// What multiplies matrices.
  llvm::ArrayRef<const MatrixUnit *> matrixUnits;
  /// How many times as many products of 16 bits they add in a cycle as
  /// multiply-adds of threads do; of 8 bits twice as many.
  double matrixSpeed;

  /// The unit of `matrixUnits` with this name, or null.
  const MatrixUnit *getMatrixUnit(llvm::StringRef unit) const;

  /// Bytes of shared memory that the arrays of a kernel may have.
  int64_t getArrayBytes() const {
    return blockSharedBytes - functionSharedBytes;
  }
  /// The most of `extent` contiguous columns that a block may have whose
  /// threads share the reduction of each: a power of two that divides `extent`,
  /// at most a warp; 0 where that is less than a sector of memory.
  int64_t countColumns(int64_t extent) const;
};

/// One row of the table. A step is a scalar operation of one core on an element
/// that it reads from memory.
struct TargetInfo {
  llvm::StringRef name;
  /// The machines that the row stands for, for people.
  llvm::StringRef description;
  const Platform *platform;
  /// Which levels its configs are of.
  TargetKind kind;
  /// Of a GPU; null for a CPU.
  const Multiprocessor *multiprocessor;
  /// Cores that a kernel should keep busy; of a GPU, all warp schedulers.
  int64_t cores;
  /// Elements of a vector in emitted code; of a GPU, threads of a warp.
  int64_t lanes;
  /// The instruction sets that have tiles of their own, the weakest first.
  /// Where two of them take different tiles, the emitted sources have both. A
  /// processor takes those of the strongest listed set that it has, or else of
  /// the first one.
  llvm::ArrayRef<const InstructionSet *> sets;
  /// The one of `sets` that decisions are made for: the first, or the one that
  /// a scop or kernel is limited to (`kIsaAttr`).
  const InstructionSet *tiledFor;
  /// Bytes of a core's first and second-level caches, of the last-level cache
  /// that cores share, and of a cache line.
  int64_t firstCache, secondCache, lastCache, cacheLine;
  /// The largest constant stride in bytes that the hardware prefetches.
  int64_t foreseenStride;
  /// The least cache lines of a row for which a software prefetch pays.
  int64_t fetchedLines;
  /// Associativity of the first and the second-level cache.
  int64_t firstWays, secondWays;
  /// Steps of a core in the time of a launch.
  int64_t launchSteps;
  /// Steps of one core from which a second core pays.
  int64_t longSteps;
  /// Nanoseconds of work for which waking another thread pays.
  double forkNanoseconds;
  /// The most bytes of an array on a thread's stack.
  int64_t stackBytes;
  OperationCosts costs;

  /// Whether kernels run as blocks of threads, which share memory and wait for
  /// each other.
  bool hasBlocks() const { return multiprocessor; }
  /// Bytes of the widest copy that arrives while threads compute, 0 where there
  /// is none.
  int64_t getCopyBytes() const {
    return multiprocessor ? multiprocessor->copyBytes : 0;
  }
  /// Bytes of a vector in emitted code. `lane` is the bytes of one lane
  /// (`getLaneBytes`), here and below.
  int64_t getVectorBytes(int64_t lane) const { return lanes * lane; }
  /// The most rows of a register tile of a contraction whose columns are
  /// `vectors` vectors.
  int64_t getRows(int64_t lane, int64_t vectors = 1) const {
    return tiledFor->countRows(vectors * getVectorBytes(lane));
  }
  /// Vectors that a reduction must add to in turn to hide the latency of
  /// adding, where nothing else does.
  int64_t getVectorsInFlight(int64_t lane) const {
    return tiledFor->countInFlight(getVectorBytes(lane));
  }
  /// The most vectors of a local array, some of which a compiler may keep in
  /// registers at a time.
  int64_t getMostLocalVectors(int64_t lane) const {
    return 16 * tiledFor->registers / lane;
  }
  Cache getFirstCache() const { return {firstCache, firstWays, cacheLine}; }
  Cache getSecondCache() const { return {secondCache, secondWays, cacheLine}; }
  /// Bytes of the first-level cache that one of several arrays in use may take,
  /// and of the second-level cache.
  int64_t getBlockBytes() const { return firstCache / 2; }
  int64_t getPanelBytes() const { return secondCache / 2; }
  /// The most bytes of a block of rows that tiles of one product make and tiles
  /// of another read: of an array of a thread in the second-level cache.
  int64_t getRowBlockBytes() const {
    return std::min(stackBytes, getNearBytes());
  }
  /// The most elements of such a row: at least four rows of a block share the
  /// loads of what they are multiplied with.
  int64_t getBlockedRowElements(int64_t lane) const {
    return getRowBlockBytes() / (4 * lane);
  }
  /// The most bytes of an array that is still in the second-level cache when
  /// the next statement reads it.
  int64_t getNearBytes() const { return secondCache / 8; }
  /// The additional nanoseconds of loading a cache line of a working set of
  /// `bytes`: as much as a vector from the second-level cache, as much as a
  /// strided vector from beyond.
  double getLineCost(double bytes) const {
    return bytes <= double(getBlockBytes())   ? 0
           : bytes <= double(getPanelBytes()) ? costs.vectorAccess
                                              : costs.stridedAccess;
  }
  /// The fraction of `tasks` equal tasks that the busiest core has.
  double getLargestShare(int64_t tasks) const {
    return double((tasks + cores - 1) / cores) / double(tasks);
  }
  /// Elements of an array that may be in the first-level cache.
  int64_t getBlockElements(int64_t lane) const {
    return getBlockBytes() / lane;
  }
  /// Points of a kernel whose work takes as long as its launch.
  int64_t getSmallPoints() const { return launchSteps; }
  /// Points from which threads should share a reduction: it takes as long as
  /// two launches, its own and that of what follows it.
  int64_t getLongReduction() const { return 2 * launchSteps; }
  /// The largest share of a constant matrix that may be a sparse one: each
  /// entry takes a multiply-add with three loads that no other shares, of its
  /// value, its place and a vector.
  double getSparseShare() const {
    return costs.simple / (costs.simple + 3 * costs.sharedLoad);
  }
  /// The fewest columns that its entries are worth loading for.
  int64_t getSparseColumns() const { return 4 * lanes; }
  /// Tasks that keep all cores busy. On a GPU a task is a block's, which keeps
  /// all schedulers of a multiprocessor busy.
  int64_t getEnoughTasks() const {
    return multiprocessor ? cores / multiprocessor->schedulers : cores;
  }
  /// Iterations of a parallel loop that balance well enough over the cores.
  int64_t getEnoughIterations() const { return 8 * cores; }

  /// The instruction set of `sets` with this name, or null.
  const InstructionSet *getSet(llvm::StringRef set) const;

  /// How many parts of a loop nest that reduces can run at once. `extents` are
  /// those of its parallel loops. `contiguous` are the loops that follow the
  /// innermost subscript of an operand: the last of these runs on lanes. With
  /// `reuses` (a contraction) the innermost other loop is the rows, of results
  /// with `lane` bytes.
  int64_t countTasks(llvm::ArrayRef<int64_t> extents,
                     llvm::ArrayRef<unsigned> contiguous, bool reuses,
                     int64_t lane) const;
};

/// The attribute of a module that names its row: a string.
inline constexpr llvm::StringLiteral kTargetAttr = "fuse.target";
/// The row of a module that names none.
inline constexpr llvm::StringLiteral kDefaultTarget = "generic";

/// The attribute of a scop or a kernel that is limited to one of its row's
/// instruction sets: a string. Without it, it serves all of them.
inline constexpr llvm::StringLiteral kIsaAttr = "isa";

/// All rows, the default one first.
llvm::ArrayRef<TargetInfo> getTargets();
/// The row of `name`, or null.
const TargetInfo *getTargetInfo(llvm::StringRef name);
/// The row that the module around `op` names, as the instruction set sees it
/// that `op`, or what is around it, is limited to.
const TargetInfo &getTargetInfo(mlir::Operation *op);
/// Checks the attribute `kTargetAttr` of `op`.
mlir::LogicalResult verifyTarget(mlir::Operation *op, mlir::Attribute target);
/// Checks that the row of `op` tiles for the instruction set `isa`, if any.
mlir::LogicalResult verifyIsa(mlir::Operation *op,
                              std::optional<llvm::StringRef> isa);
/// The row of the processor that this program runs on, or the one that comes
/// nearest: the default one of x86-64 with AVX2, with or without AVX-512.
const TargetInfo &getNativeTarget();

} // namespace fusec

#endif // FUSEC_DIALECTS_TARGETINFO_H
