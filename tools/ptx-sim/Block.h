// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block that runs: its warps, their frames, its shared memory and barriers.
#ifndef FUSEC_TOOLS_PTXSIM_BLOCK_H
#define FUSEC_TOOLS_PTXSIM_BLOCK_H

#include "tools/ptx-sim/Program.h"
#include "tools/ptx-sim/Shadow.h"

#include <deque>

namespace fusec::ptx {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// The registers of one call. Lanes that entered together share it.
struct Frame {
  const Code *code = nullptr;
  Frame *parent = nullptr;
  uint32_t returnTo = 0;
  const Inst *callSite = nullptr;
  Mask lanes = 0;
  unsigned depth = 0;
  uint32_t localBase = 0;
  uint8_t *registers = nullptr; ///< aligned, inside of storage
  std::vector<uint8_t> storage;
};

/// Lanes at the same instruction.
struct Group {
  enum State : uint8_t { Ready, AtSync, AtBarrier };
  Mask mask = 0;
  Frame *frame = nullptr;
  uint32_t pc = 0;
  State state = Ready;
  bool yielded = false;
  uint32_t barrier = 0; ///< which one it waits at
};

struct PendingCopy {
  unsigned lane;
  uint32_t to; ///< offset in shared memory
  uint64_t from;
  uint32_t bytes, sourceBytes;
  const Inst *inst;
  /// Groups of the lane's copies that were committed before this one's; copies
  /// that are not committed yet have none.
  uint64_t group;
  static constexpr uint64_t kOpen = ~0ull;
};

/// What one thread knows beyond its block's barriers and its warp's syncs.
struct ThreadClock {
  KnowledgePtr known;
  /// What was known at the last fence, by its scope: what a later relaxed write
  /// hands over.
  KnowledgePtr fencedGpu, fencedCta;
  /// What relaxed reads saw, for the next fence.
  KnowledgePtr pendingGpu, pendingCta;
};

struct Warp {
  unsigned index = 0;
  Mask lanes = 0, exited = 0;
  std::deque<Group> groups; ///< references stay valid while one is added
  std::vector<std::unique_ptr<Frame>> frames, freeFrames;
  std::vector<uint8_t> local;        ///< lane by lane
  std::vector<uint8_t> localDefined; ///< one byte a byte
  uint32_t localBytes = 0;           ///< of a lane
  std::vector<PendingCopy> copies;
  uint64_t committed[kLanes] = {}; ///< groups of copies, by lane

  /// All lanes synchronised at that time, and each pair of them.
  Time synced = 0;
  std::unique_ptr<std::array<std::array<Time, kLanes>, kLanes>> laneSynced;

  // How a spinning warp is recognised: a strong read that repeats itself.
  const Inst *lastSpin = nullptr;
  uint64_t lastSpinAddress = 0, lastSpinValue = 0;
  unsigned spins = 0;
  uint64_t sinceProgress = 0; ///< instructions
};

/// Of a named barrier.
struct BarrierState {
  uint32_t arrived = 0;  ///< threads
  uint32_t expected = 0; ///< 0: all threads that have not exited
  uint32_t countTrue = 0;
  const Inst *first = nullptr; ///< the instruction of the first that waits
  KnowledgePtr arrivals;       ///< what those know who only arrive
  bool sawOther = false;       ///< somebody waits at another instruction
};

/// What was handed over through a memory location.
struct SyncLocation {
  KnowledgePtr wide; ///< with a scope beyond the block
  std::unordered_map<uint32_t, KnowledgePtr> narrow; ///< by block
};

/// An mbarrier: kept here, its address in shared memory only names it.
struct MbarrierState {
  uint32_t expected = 0, pending = 0, phase = 0;
  int64_t bytes = 0; ///< that transactions still have to bring
  KnowledgePtr arriving, completed;
  std::vector<std::pair<Warp *, PendingCopy>> copies; ///< land with the phase
};

struct Block {
  uint32_t id = 0; ///< its own in a session
  Dim3 index;
  uint64_t linear = 0;
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<uint8_t> shared;
  Shadow shadow;
  uint32_t threads = 0, exited = 0;
  BarrierState barriers[16];
  std::unordered_map<uint32_t, SyncLocation> locations;
  std::unordered_map<uint32_t, MbarrierState> mbarriers;

  // Clocks.
  Time barrierTime = 0; ///< of the last barrier of all
  KnowledgePtr known, fencedGpu, fencedCta;
  std::vector<ThreadClock> clocks; ///< by thread; empty until one is needed
  bool isFinished() const { return exited == threads; }
};

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_BLOCK_H
