// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one table of targets: what passes may know of a machine. A module names
// its row, so that decisions rest on the table and never on the machine that
// compiles: a model gives the same sources everywhere.
#ifndef FUSEC_DIALECTS_TARGETINFO_H
#define FUSEC_DIALECTS_TARGETINFO_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cstdint>
#include <optional>

namespace fusec {

/// Loops of more iterations are not unrolled: as many as FUSEC_UNROLL unrolls.
inline constexpr int64_t kMaxUnrolled = 64;

/// What kernels for an instruction set may count on.
struct InstructionSet {
  /// As emitted text and its dispatch table spell it: "baseline" is whatever a
  /// processor has at least.
  llvm::StringLiteral name;
  /// Bytes of a vector register, and how many there are.
  int64_t vectorBytes, registers;
  /// Cycles until a multiply-add has its result, and how many begin in each.
  int64_t fmaLatency, fmasPerCycle;
  /// Terms of a sum of products of 16-bit integers that a lane adds in one
  /// step; 1 where there is nothing for them.
  int64_t terms;
  /// Operations in the body of a loop that a core holds decoded, with room for
  /// others around it.
  int64_t loopOperations;

  /// Registers that `bytes` side by side take.
  int64_t countRegisters(int64_t bytes) const;
  /// How many accumulators of `bytes` hide the latency of adding to them.
  int64_t countInFlight(int64_t bytes) const;
  /// The most rows of accumulators, one of `bytes` each, that stay in registers
  /// together with what they multiply: as many bytes of one factor, and one
  /// element of the other on all lanes.
  int64_t countRows(int64_t bytes) const;
  /// How many copies of a step of a reduction may stand side by side that adds
  /// to `rows` of `bytes` each: compilers keep what the copies share in
  /// registers, so that there is one where accumulators would leave theirs.
  int64_t countCopies(int64_t rows, int64_t bytes) const;
  /// Whether that is one row at least.
  bool holds(int64_t bytes) const {
    return 2 * countRegisters(bytes) + 1 <= registers;
  }
};

/// Nanoseconds of one operation on a core, from the first-level cache.
struct OperationCosts {
  /// Scalar arithmetic, loads and stores, and a vector's arithmetic.
  double simple;
  /// Until a loop has begun.
  double loop;
  /// A vector of elements side by side, and of others, loaded or stored.
  double vectorAccess, stridedAccess;
  /// What a vector's load costs more from the second-level cache, from beyond
  /// it, and from memory, where weights are that no group has read in this run.
  double secondCacheLoad, farLoad, memoryLoad;
  /// What a line that is stored past the last cache takes where it is read
  /// first; none where a core sees that all of it is overwritten.
  double ownership;
  /// A load at computed positions, of a scalar and of lanes.
  double gather, vectorGather;
  /// Division and square root of floats, of a scalar and of lanes.
  double division, vectorDivision;
  /// Division of integers, of a scalar and of lanes.
  double intDivision, vectorIntDivision;
  /// One value from the lanes of a vector.
  double reduce;
  /// A function of the vocabulary such as exp.
  double function;
  /// What an access to an array of a kernel takes, which lies in registers or
  /// the first-level cache, and a load that a tile shares, which begins beside
  /// arithmetic.
  double localAccess, sharedLoad;
  /// How much longer a multiply-add of a tile takes where the rows that it
  /// loads take each other's place in the second-level cache.
  double crowded;

  /// What the two cost against an operation on what they load.
  constexpr double getLocalWeight() const { return localAccess / simple; }
  constexpr double getSharedWeight() const { return sharedLoad / simple; }
  /// `nanoseconds` in steps of simple arithmetic.
  constexpr unsigned countSteps(double nanoseconds) const {
    return unsigned(nanoseconds / simple + 0.5);
  }
  /// Steps that loading a value takes, or storing it: no fewer than one.
  constexpr unsigned getLoadSteps() const {
    return std::max(1u, countSteps(vectorAccess));
  }
  /// Steps that are about as cheap as a load of what they make: one fewer, for
  /// what that is made from is loaded too.
  constexpr unsigned getCheapSteps() const { return getLoadSteps() - 1; }
};

/// A cache of a core: each line may lie in `ways` places of one set.
struct Cache {
  int64_t bytes, ways, line;

  int64_t getSets() const { return bytes / (ways * line); }
};

/// What runs the kernels of a row.
enum class TargetKind { cpu, gpu };

/// The levels at which a target of `kind` runs iterations and has arrays,
/// outermost first, by the names that configs give them.
llvm::ArrayRef<llvm::StringLiteral> getLevelKinds(TargetKind kind);

/// A multiprocessor of a GPU: what runs blocks of threads.
struct Multiprocessor {
  /// Bytes that memory moves at least.
  static constexpr int64_t sectorBytes = 32;
  /// As compilers call the architecture: "sm_80".
  llvm::StringLiteral architecture;
  /// The number in it: 80.
  unsigned getNumber() const;
  /// Threads that run in step, the most of a block, and of all blocks that are
  /// on it at a time.
  int64_t warp, blockThreads, threads;
  /// How many a block has where nothing else decides: several are on it.
  int64_t usualThreads;
  /// What gives warps their turns, each of which a core of the row stands for.
  int64_t schedulers;
  /// Registers of a thread for all but what it adds up and what it multiplies.
  int64_t otherRegisters;
  /// Loads of a thread that are on their way at a time.
  int64_t loadsInFlight;
  /// Instructions that move an element to shared memory beside its load: where
  /// it lies, whether it is inside of its array, a store.
  int64_t copySteps;
  /// Points of a large kernel that are worth a thread, and how many threads are
  /// enough for any.
  int64_t threadPoints, enoughThreads;
  /// Registers of 32 bits: all of them, and the most of a thread.
  int64_t registers, threadRegisters;
  /// Bytes of shared memory: all of it, the most of a block, and the most of a
  /// block that does not ask for more when it is launched.
  int64_t sharedBytes, blockSharedBytes, staticSharedBytes;
  /// Bytes of the widest access of a thread.
  int64_t accessBytes;
  /// The same of a copy from memory to shared memory that arrives while its
  /// thread goes on; 0 where there is none. What is left of `copySteps` then:
  /// it has no registers between, and no store.
  int64_t copyBytes, asyncSteps;
  /// Cycles until a load has its value, from shared memory and from memory.
  int64_t sharedLatency, memoryLatency;
  /// Bytes that all of the GPU's multiprocessors together load from memory, or
  /// store, in a nanosecond.
  int64_t memoryBytes;
  /// Cycles that a block waits where its threads combine what they have, and
  /// from one atomic access of an address to the next.
  int64_t combineLatency, atomicCycles;

  /// Of `extent` columns side by side, so many as blocks whose threads share
  /// their reductions may have each: a power of two that divides it, up to a
  /// warp; 0 where that is less than a sector of memory.
  int64_t countColumns(int64_t extent) const;
};

/// One row of the table. Where it says steps, one is a scalar operation on an
/// element by one core, which reads the element from memory.
struct TargetInfo {
  llvm::StringRef name;
  /// For people: which machines it stands for.
  llvm::StringRef description;
  TargetKind kind;
  /// Of a GPU; null otherwise.
  const Multiprocessor *multiprocessor;
  /// Cores that a kernel should have work for.
  int64_t cores;
  /// Elements of a vector: a loop that runs on lanes gives a core this many.
  int64_t lanes;
  /// The instruction sets that tiles are cut for, the weakest first. Where two
  /// want different ones, emitted text has both; a set that is not listed takes
  /// the text of the strongest listed one below it, or else the first one's.
  llvm::ArrayRef<const InstructionSet *> sets;
  /// Of these the one that is asked about: the first, but for what is limited
  /// to another (`kIsaAttr`).
  const InstructionSet *tiledFor;
  /// Bytes of a core's own caches, of the last one, which cores share, and of a
  /// line of them.
  int64_t firstCache, secondCache, lastCache, cacheLine;
  /// Bytes from one access of an instruction to its next, all the same, up to
  /// which a processor fetches ahead by itself.
  int64_t foreseenStride;
  /// Lines of a row from which it hides something to fetch it ahead.
  int64_t fetchedLines;
  /// Places that a line may lie in, in each of the two.
  int64_t firstWays, secondWays;
  /// Steps of a core in the time that a launch takes to reach the threads.
  int64_t launchSteps;
  /// Steps of one core from which it pays to find work for the others.
  int64_t longSteps;
  /// Nanoseconds of work that are worth waking another thread for.
  double forkNanoseconds;
  /// Bytes that an array on the stack of a thread may have.
  int64_t stackBytes;
  OperationCosts costs;

  /// Bytes of a vector in emitted text: `lane` are those of one of its lanes
  /// (`getLaneBytes`), here and below.
  int64_t getVectorBytes(int64_t lane) const { return lanes * lane; }
  /// Rows of a contraction that one task computes together, of so many vectors
  /// of columns, so that each element of the other operand is loaded once for
  /// all of them.
  int64_t getRows(int64_t lane, int64_t vectors = 1) const {
    return tiledFor->countRows(vectors * getVectorBytes(lane));
  }
  /// Vectors that are accumulated to side by side where nothing else keeps a
  /// core busy while it adds.
  int64_t getVectorsInFlight(int64_t lane) const {
    return tiledFor->countInFlight(getVectorBytes(lane));
  }
  /// Vectors that an array may have for it to profit from lying in registers,
  /// some at a time.
  int64_t getMostLocalVectors(int64_t lane) const {
    return 16 * tiledFor->registers / lane;
  }
  Cache getFirstCache() const { return {firstCache, firstWays, cacheLine}; }
  Cache getSecondCache() const { return {secondCache, secondWays, cacheLine}; }
  /// What one of several arrays in use at a time may take of the first-level
  /// cache, in bytes, and of the second-level one.
  int64_t getBlockBytes() const { return firstCache / 2; }
  int64_t getPanelBytes() const { return secondCache / 2; }
  /// What an array may have to be in the second-level cache, and near enough,
  /// when it is read, in bytes.
  int64_t getNearBytes() const { return secondCache / 8; }
  /// Nanoseconds that a line takes more than from the first-level cache, of
  /// `bytes` that are in use together: from the second-level one as much as a
  /// vector, from memory as much as a vector of scattered elements.
  double getLineCost(double bytes) const {
    return bytes <= double(getBlockBytes())   ? 0
           : bytes <= double(getPanelBytes()) ? costs.vectorAccess
                                              : costs.stridedAccess;
  }
  /// The part of so many equal tasks that the core with most of them has.
  double getLargestShare(int64_t tasks) const {
    return double((tasks + cores - 1) / cores) / double(tasks);
  }
  /// Lanes that a block has room for.
  int64_t getBlockElements(int64_t lane) const {
    return getBlockBytes() / lane;
  }
  /// Points of a kernel whose launch takes as long as its work.
  int64_t getSmallPoints() const { return launchSteps; }
  /// Points from which a reduction is so long that threads should share it: it
  /// takes as long as two launches, its own and that of what follows it.
  int64_t getLongReduction() const { return 2 * launchSteps; }
  /// How many tasks give all of it work: on a GPU a block shares one, with all
  /// schedulers of a multiprocessor.
  int64_t getEnoughTasks() const {
    return multiprocessor ? cores / multiprocessor->schedulers : cores;
  }
  /// Iterations of a parallel loop that share out evenly enough.
  int64_t getEnoughIterations() const { return 8 * cores; }

  /// The one of `sets` that is called so, or null.
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
/// nearest: the default one of x86-64 with AVX2 and no more.
const TargetInfo &getNativeTarget();

} // namespace fusec

#endif // FUSEC_DIALECTS_TARGETINFO_H
