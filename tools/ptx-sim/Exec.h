// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A launch that runs. Handlers of instructions get it with the warp and the
// group of lanes whose turn it is.
#ifndef FUSEC_TOOLS_PTXSIM_EXEC_H
#define FUSEC_TOOLS_PTXSIM_EXEC_H

#include "tools/ptx-sim/Device.h"

namespace fusec::ptx {

/// Memory that some lanes access: an allocation, or a block's shared memory.
struct View {
  uint8_t *data = nullptr;
  Shadow *shadow = nullptr;
  uint64_t base = 0, size = 0; ///< addresses are relative to base
  uint64_t shadowBase = 0;     ///< where the view begins in the shadow
  bool isShared = false, isReadOnly = false;
  const std::string *name = nullptr;
};

enum class Access : uint8_t { Read, Write, Atomic };

/// Who did what was there before an access, which nothing orders.
struct Conflict {
  uint32_t block, thread;
  Time time;
  uint32_t inst; ///< 0: not known
  bool wasWrite;
};

/// What is missing, and how far it reaches: of several races of an instruction
/// the one whose remedy reaches furthest is told.
struct Advice {
  enum Reach { OfWarp = 1, OfBlock, OfGrid, OfInstruction };
  Reach reach;
  std::string text;
};

class Exec {
public:
  Exec(Device &device, Program &program, const LaunchConfig &config,
       std::vector<uint8_t> params);
  void run();

  // For handlers: where we are.
  template <class T> T *lanes(uint32_t slot) const {
    return reinterpret_cast<T *>(registers + slot);
  }
  Mask &predicate(uint32_t slot) const {
    return *reinterpret_cast<Mask *>(registers + slot);
  }
  uint32_t threadOf(unsigned lane) const { return warp->index * 32 + lane; }
  uint8_t *registers = nullptr;
  Group *group = nullptr;
  Warp *warp = nullptr;
  Block *block = nullptr;
  Device &device;
  Program &program;
  const LaunchConfig &config;
  std::vector<uint8_t> params;
  Counts counts;
  uint64_t workspace = 0; ///< of a cooperative grid, whose sync lives there

  // Memory (Access.cpp).
  void addresses(const MemDetail &detail, uint64_t *at) const;
  /// The space that a generic address is in, which then becomes one of that
  /// space.
  static Space resolve(Space space, uint64_t &address);
  bool locate(Space space, uint64_t address, uint64_t bytes, View &view);
  /// Calls f(view, lanes, pattern, first): each set of lanes in one view, after
  /// what is outside of all was reported, with the offset of the first lane.
  template <class F>
  void onViews(const Inst &inst, const MemDetail &detail, Mask mask,
               const uint64_t *at, unsigned bytes, F &&f);
  /// Alignment, definedness (of what is read) and races of a warp's access.
  /// False if it must not take place.
  bool check(const Inst &inst, const MemDetail &detail, const View &view,
             const Pattern &pattern, uint64_t first, Access access);
  void checkDefined(const Inst &inst, const View &view, const Pattern &pattern,
                    uint64_t first);
  void count(const MemDetail &detail, const View &view, const Pattern &pattern,
             Access access);
  uint8_t *local(unsigned lane, uint64_t address, unsigned bytes);

  // Who is ordered before whom (Order.cpp, Races.cpp).
  bool knows(unsigned lane, uint32_t block, uint32_t thread, Time time) const;
  unsigned unknowing(Mask lanes, const Conflict &other) const;
  void noteRead(const Inst &inst, const View &view, uint64_t offset,
                unsigned bytes, Mask lanes, const MemDetail &detail);
  void noteWrite(const Inst &inst, const View &view, uint64_t offset,
                 unsigned bytes, unsigned lane, const MemDetail &detail,
                 bool isAtomic, const uint8_t *value);
  void reportRace(const Inst &inst, const View &view, uint64_t offset,
                  unsigned bytes, unsigned lane, bool isWrite,
                  const Conflict &other);
  /// What is missing between the accesses of a lane and of another thread.
  Advice adviseOn(const Inst &inst, unsigned lane, bool isWrite,
                  const Conflict &other);
  ThreadClock &clockOf(unsigned lane);
  KnowledgePtr snapshot(unsigned lane);
  void fence(Mask mask, Scope scope, uint32_t sides);
  void syncLanes(Mask mask);
  /// What a strong write hands over, and a strong read takes.
  void release(const View &view, uint64_t offset, unsigned lane, Order order,
               Scope scope, bool isAtomic);
  void acquire(const View &view, uint64_t offset, unsigned lane, Order order,
               Scope scope);
  /// After a strong read: whether the warp spins.
  void watchSpin(const Inst &inst, uint64_t address, uint64_t value);
  void progress();
  void joinBarrier(Mask mask, BarrierState &barrier);

  // Reports (Report.cpp).
  void report(const char *kind, const Inst &inst, const std::string &message,
              int reach = 0);
  void reportOutside(const Inst &inst, const MemDetail &detail,
                     const uint64_t *at, Mask lanes, unsigned bytes);
  std::string thread(uint32_t block, uint32_t thread) const;
  std::string place(const View &view, uint64_t offset) const;
  std::string where(const Inst &inst) const;
  std::string list(Mask lanes) const;

  // Blocks of the warp (Warps.cpp, Barriers.cpp).
  void yield() { stopYielding = true; }
  void landCopies(unsigned lane, uint64_t group);
  bool stopYielding = false;
  bool aborted = false;

private:
  enum class Stop { Blocked, Yielded };

  // Launch.cpp
  std::unique_ptr<Block> startBlock(uint64_t linear);
  void initialise(Warp &warp);
  bool runBlock(Block &block); ///< false: it yields
  std::string stuckMessage(const Block &block) const;
  std::vector<std::unique_ptr<Block>> spare;
  /// isUpdate of Report.cpp, of each load (or none) and store that raced.
  std::map<std::pair<const Inst *, const Inst *>, bool> updates;
  std::vector<Dim3> blockIndexes;
  uint32_t firstBlock = 0;
  /// Of a block: an offset and a size each.
  std::vector<std::pair<uint32_t, uint32_t>> sharedVariables;
  const Time firstTime; ///< of this launch
  uint64_t progressCount = 0;

  // Warps.cpp
  Stop runWarp(Warp &warp);
  Group *pick(Warp &warp);
  void runGroup(Group &group);
  bool branch(Group &group, Mask taken, uint32_t target);
  void split(Group &group, Mask mask, uint32_t pc);
  void exitLanes(Group &group, Mask mask);
  void callFunction(Group &group, const Inst &inst, Mask mask);
  void returnFrom(Group &group, Mask mask);
  void returnThese(Group &group, Mask mask);
  void setSpecials(Warp &warp, Frame &frame);
  Frame *makeFrame(Warp &warp, const Code &code, Frame *parent);
  void dropLanes(Frame *frame, Mask mask);
  bool syncReady(const Group &group, const Inst &inst) const;
  bool settle(Warp &warp);
  void finishSync(Group &group, const Inst &inst);

public:
  // Barriers.cpp
  void arrive(Group &group, const Inst &inst, Mask mask, bool waits);
  void tryBarrier(unsigned number);
  void finishReduction(Group &waiting, const Inst &inst,
                       const BarrierState &barrier);
  uint32_t live() const { return block->threads - block->exited; }
  bool sameProgress(uint64_t &last) {
    bool same = last == progressCount;
    last = progressCount;
    return same;
  }
  /// Whether the launch did it at that time, rather than work before it.
  bool isOwn(Time time) const { return time >= firstTime; }
  const std::vector<Dim3> &indexes() const { return blockIndexes; }
  uint32_t firstBlockId() const { return firstBlock; }
};

template <class F>
void Exec::onViews(const Inst &inst, const MemDetail &detail, Mask mask,
                   const uint64_t *at, unsigned bytes, F &&f) {
  Pattern &pattern = detail.pattern;
  while (mask) {
    unsigned first = static_cast<unsigned>(__builtin_ctz(mask));
    uint64_t base = at[first];
    Space space = resolve(detail.space, base);
    View view;
    if (!locate(space, base, bytes, view)) {
      // Once for all lanes that miss: the first is the one to name.
      Mask missing = 0;
      for (unsigned i = first; i < kLanes; ++i)
        if (mask >> i & 1) {
          uint64_t address = at[i];
          Space its = resolve(detail.space, address);
          View other;
          if (!locate(its, address, bytes, other))
            missing |= 1u << i;
        }
      reportOutside(inst, detail, at, missing, bytes);
      mask &= ~missing;
      continue;
    }
    uint64_t shift = at[first] - base; // a generic address to one of its space
    alignas(64) int32_t offsets[kLanes];
    Mask inside = 0;
    uint64_t begin = view.base + shift, room = view.size - bytes;
    for (int i = 0; i < kLanes; ++i) {
      bool in = (mask >> i & 1) && at[i] - begin <= room;
      inside |= static_cast<Mask>(in) << i;
      offsets[i] = in ? static_cast<int32_t>(at[i] - at[first]) : 0;
    }
    pattern.update(offsets, inside, bytes, base);
    f(view, inside, pattern, base - view.base);
    mask &= ~inside;
  }
}

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_EXEC_H
