// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where lanes wait for each other: within a warp for the lanes of a mask,
// within a block at its barriers.
#include "tools/ptx-sim/Exec.h"
#include "tools/ptx-sim/WarpOps.h"

#include <algorithm>
#include <fmt/format.h>

using namespace fusec::ptx;

/// Whether all lanes that the masks name are here, or have exited.
bool Exec::syncReady(const Group &waiting, const Inst &inst) const {
  const uint32_t *members = reinterpret_cast<const uint32_t *>(
      waiting.frame->registers + inst.alu.src[3]);
  for (Mask rest = waiting.mask; rest; rest &= rest - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    if (members[lane] & warp->lanes & ~warp->exited & ~waiting.mask)
      return false;
  }
  return true;
}

void Exec::finishSync(Group &waiting, const Inst &inst) {
  group = &waiting;
  registers = waiting.frame->registers;
  waiting.state = Group::Ready;
  ++waiting.pc;
  inst.run(*this, inst, waiting.mask);
}

/// No lane of the warp can go on. Lets lanes that wait for others of the warp
/// go, where these are at a sync of the same mask, or will never come. False:
/// nobody waits so.
bool Exec::settle(Warp &) {
  auto instOf = [](const Group &one) -> const Inst & {
    return one.frame->code->insts[one.pc];
  };
  Group *waiting = nullptr;
  for (Group &one : warp->groups) {
    if (one.state != Group::AtSync)
      continue;
    // Those whom it waited for may have exited since.
    if (syncReady(one, instOf(one))) {
      finishSync(one, instOf(one));
      return true;
    }
    if (!waiting)
      waiting = &one;
  }
  if (!waiting)
    return false;
  auto membersOf = [&](const Group &one) {
    return *reinterpret_cast<const uint32_t *>(one.frame->registers +
                                               instOf(one).alu.src[3] +
                                               4 * __builtin_ctz(one.mask));
  };
  // __syncwarp() may be called from several places at once.
  const Inst &inst = instOf(*waiting);
  if (inst.run == syncWarp) {
    Mask members = membersOf(*waiting), here = 0;
    for (const Group &one : warp->groups)
      if (one.state == Group::AtSync && instOf(one).run == syncWarp &&
          membersOf(one) == members)
        here |= one.mask;
    if (!(members & warp->lanes & ~warp->exited & ~here)) {
      syncLanes(here);
      for (Group &one : warp->groups)
        if (one.state == Group::AtSync && (one.mask & here)) {
          one.state = Group::Ready;
          ++one.pc;
        }
      return true;
    }
  }
  Mask missing =
      membersOf(*waiting) & warp->lanes & ~warp->exited & ~waiting->mask;
  std::string others;
  for (const Group &one : warp->groups)
    if (one.mask & missing)
      others += fmt::format("{}lanes {} wait at {}", others.empty() ? "" : ", ",
                            list(one.mask & missing), where(instOf(one)));
  report(inst.run == syncWarp ? "divergent-barrier" : "shuffle-mask", inst,
         fmt::format(
             "lanes {} of warp {} of block ({},{},{}) name lanes {} in their "
             "mask, which do not come: {}",
             list(waiting->mask), warp->index, block->index.x, block->index.y,
             block->index.z, list(missing), others));
  finishSync(*waiting, inst);
  return true;
}

void Exec::arrive(Group &arriving, const Inst &inst, Mask mask, bool waits) {
  warp->sinceProgress = 0;
  progress();
  ++counts.barriers;
  // Numbers and counts are the same in all lanes.
  unsigned lane = static_cast<unsigned>(__builtin_ctz(mask));
  uint32_t number = lanes<uint32_t>(inst.alu.src[0])[lane];
  uint32_t expected =
      inst.alu.src[1] == kNoSlot ? 0 : lanes<uint32_t>(inst.alu.src[1])[lane];
  if (number > 15) {
    report("divergent-barrier", inst,
           fmt::format("there is no barrier {}, only 0 to 15", number));
    aborted = true;
    return;
  }
  BarrierState &barrier = block->barriers[number];
  uint32_t count = static_cast<uint32_t>(__builtin_popcount(mask));
  if (expected && inst.mode & 1) // .aligned: a warp counts whole
    count = 32;
  if (barrier.arrived && barrier.expected != expected)
    report(
        "divergent-barrier", inst,
        fmt::format("barrier {} is awaited by {} threads here, and by {} at {}",
                    number, expected ? std::to_string(expected) : "all",
                    barrier.expected ? std::to_string(barrier.expected) : "all",
                    where(*barrier.first)));
  barrier.expected = expected;
  if (!barrier.first)
    barrier.first = &inst;
  else if (barrier.first != &inst && !expected && !barrier.sawOther) {
    barrier.sawOther = true;
    report(
        "divergent-barrier", inst,
        fmt::format("lanes {} of warp {} wait here for all threads of block "
                    "({},{},{}), others wait at {}: all must wait at the same "
                    "barrier",
                    list(mask), warp->index, block->index.x, block->index.y,
                    block->index.z, where(*barrier.first)));
  }
  barrier.arrived += count;
  if (inst.alu.src[2] != kNoSlot) {
    Mask value = predicate(inst.alu.src[2]);
    if (inst.mode & 2)
      value = ~value;
    barrier.countTrue +=
        static_cast<uint32_t>(__builtin_popcount(value & mask));
  }
  if (expected)
    joinBarrier(mask, barrier);
  if (waits) {
    arriving.state = Group::AtBarrier;
    arriving.barrier = number;
  } else {
    ++arriving.pc;
    ++device.time;
  }
  tryBarrier(number);
}

/// Opens the barrier if all are there.
void Exec::tryBarrier(unsigned number) {
  BarrierState &barrier = block->barriers[number];
  if (!barrier.arrived ||
      barrier.arrived < (barrier.expected ? barrier.expected : live()))
    return;
  Time now = device.time++;
  if (!barrier.expected) {
    block->barrierTime = now;
    for (ThreadClock &clock : block->clocks) {
      block->known = join(block->known, clock.known);
      block->fencedGpu = join(block->fencedGpu, clock.fencedGpu);
      block->fencedCta = join(block->fencedCta, clock.fencedCta);
      clock.known = clock.fencedGpu = clock.fencedCta = nullptr;
    }
  }
  KnowledgePtr fencedGpu, fencedCta;
  for (int pass = 0; pass < 2; ++pass)
    for (auto &other : block->warps)
      for (Group &waiting : other->groups) {
        if (waiting.state != Group::AtBarrier || waiting.barrier != number)
          continue;
        if (barrier.expected && !block->clocks.empty())
          for (Mask rest = waiting.mask; rest; rest &= rest - 1) {
            ThreadClock &clock =
                block->clocks[other->index * 32 + __builtin_ctz(rest)];
            if (pass == 0) {
              fencedGpu = join(fencedGpu, clock.fencedGpu);
              fencedCta = join(fencedCta, clock.fencedCta);
            } else {
              clock.fencedGpu = fencedGpu;
              clock.fencedCta = fencedCta;
            }
          }
        if (pass == 0)
          continue;
        if (barrier.expected) {
          if (block->clocks.empty())
            block->clocks.resize(block->warps.size() * 32);
          for (Mask rest = waiting.mask; rest; rest &= rest - 1) {
            ThreadClock &clock =
                block->clocks[other->index * 32 + __builtin_ctz(rest)];
            clock.known = join(clock.known, barrier.arrivals);
          }
        }
        const Inst &inst = waiting.frame->code->insts[waiting.pc];
        finishReduction(waiting, inst, barrier);
        waiting.state = Group::Ready;
        ++waiting.pc;
      }
  barrier = BarrierState();
}

/// barrier.red: how many, all or any of the predicates are true.
void Exec::finishReduction(Group &waiting, const Inst &inst,
                           const BarrierState &barrier) {
  if (inst.alu.src[2] == kNoSlot)
    return;
  uint8_t *frame = waiting.frame->registers;
  if (inst.mode & 4) { // popc
    auto *to = reinterpret_cast<uint32_t *>(frame + inst.alu.dst);
    for (int i = 0; i < kLanes; ++i)
      if (waiting.mask >> i & 1)
        to[i] = barrier.countTrue;
    return;
  }
  bool value = inst.mode & 8 ? barrier.countTrue == barrier.arrived
                             : barrier.countTrue != 0;
  Mask &to = *reinterpret_cast<Mask *>(frame + inst.alu.dst);
  to = value ? to | waiting.mask : to & ~waiting.mask;
}
