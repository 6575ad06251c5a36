// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What orders memory: barriers, syncs of a warp, fences, releases and acquires.
//
// A relaxed write hands over what its thread knew at its last fence, a
// releasing one all that it knows. What a fence covered stays covered through a
// barrier: threads may each write and fence, meet at a barrier, and one of them
// says so with an atomic.
#include "tools/ptx-sim/Exec.h"

using namespace fusec::ptx;

bool Exec::knows(unsigned lane, uint32_t other, uint32_t thread,
                 Time time) const {
  if (time <= device.safeTime)
    return true;
  if (other < firstBlock) // an earlier launch or copy
    return device.isOrdered(time);
  if (other == block->id) {
    if (time <= block->barrierTime || thread == threadOf(lane))
      return true;
    if (thread / 32 == warp->index) {
      if (time <= warp->synced)
        return true;
      if (warp->laneSynced && time <= (*warp->laneSynced)[lane][thread & 31])
        return true;
    }
  }
  if (block->known && block->known->of(other, thread) >= time)
    return true;
  if (block->clocks.empty())
    return false;
  const ThreadClock &clock = block->clocks[threadOf(lane)];
  return clock.known && clock.known->of(other, thread) >= time;
}

ThreadClock &Exec::clockOf(unsigned lane) {
  if (block->clocks.empty())
    block->clocks.resize(block->warps.size() * 32);
  return block->clocks[threadOf(lane)];
}

/// All that a lane knows, itself included.
KnowledgePtr Exec::snapshot(unsigned lane) {
  auto all = std::make_shared<Knowledge>();
  if (block->known)
    all->join(*block->known);
  if (!block->clocks.empty() && clockOf(lane).known)
    all->join(*clockOf(lane).known);
  if (block->barrierTime)
    all->add(Knowledge::blockKey(block->id), block->barrierTime);
  if (warp->synced > block->barrierTime)
    all->add(Knowledge::warpKey(block->id, warp->index), warp->synced);
  if (warp->laneSynced)
    for (unsigned i = 0; i < kLanes; ++i)
      if (Time time = (*warp->laneSynced)[lane][i])
        all->add(Knowledge::threadKey(block->id, threadOf(i)), time);
  all->add(Knowledge::threadKey(block->id, threadOf(lane)), device.time);
  return all;
}

void Exec::fence(Mask mask, Scope scope, uint32_t sides) {
  for (Mask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    ThreadClock &clock = clockOf(lane);
    if (sides & kFenceAcquires) {
      clock.known = join(clock.known, clock.pendingCta);
      clock.pendingCta = nullptr;
      if (scope != Scope::Cta) {
        clock.known = join(clock.known, clock.pendingGpu);
        clock.pendingGpu = nullptr;
      }
    }
    if (!(sides & kFenceReleases))
      continue;
    KnowledgePtr now = snapshot(lane);
    clock.fencedCta = now;
    if (scope != Scope::Cta)
      clock.fencedGpu = now;
  }
  ++device.time;
}

/// The lanes have met: each knows what any of them knew.
void Exec::syncLanes(Mask mask) {
  Time now = device.time++;
  if (mask == warp->lanes) {
    warp->synced = now;
  } else {
    if (!warp->laneSynced)
      warp->laneSynced =
          std::make_unique<std::array<std::array<Time, kLanes>, kLanes>>();
    auto &synced = *warp->laneSynced;
    std::array<Time, kLanes> all{};
    for (Mask rest = mask; rest; rest &= rest - 1) {
      unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
      for (unsigned i = 0; i < kLanes; ++i)
        all[i] = std::max(all[i], synced[lane][i]);
      all[lane] = now;
    }
    for (Mask rest = mask; rest; rest &= rest - 1)
      synced[__builtin_ctz(rest)] = all;
  }
  if (block->clocks.empty())
    return;
  ThreadClock met;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const ThreadClock &clock = clockOf(__builtin_ctz(rest));
    met.known = join(met.known, clock.known);
    met.fencedGpu = join(met.fencedGpu, clock.fencedGpu);
    met.fencedCta = join(met.fencedCta, clock.fencedCta);
  }
  if (!met.known && !met.fencedCta)
    return;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    ThreadClock &clock = clockOf(__builtin_ctz(rest));
    clock.known = met.known;
    clock.fencedGpu = met.fencedGpu;
    clock.fencedCta = met.fencedCta;
  }
}

void Exec::release(const View &view, uint64_t offset, unsigned lane,
                   Order order, Scope scope, bool isAtomic) {
  KnowledgePtr wide, narrow;
  if (!block->clocks.empty()) {
    wide = clockOf(lane).fencedGpu;
    narrow = clockOf(lane).fencedCta;
  }
  wide = join(wide, block->fencedGpu);
  narrow = join(narrow, block->fencedCta);
  if (order == Order::Release || order == Order::AcqRel) {
    KnowledgePtr now = snapshot(lane);
    ++device.time;
    narrow = now;
    if (scope != Scope::Cta)
      wide = now;
  }
  if (scope == Scope::Cta)
    wide = nullptr;
  uint64_t key = view.base + offset;
  bool known = view.isShared
                   ? block->locations.count(static_cast<uint32_t>(key))
                   : device.locations.count(key);
  if (!wide && !narrow && !known)
    return;
  SyncLocation &location = view.isShared
                               ? block->locations[static_cast<uint32_t>(key)]
                               : device.locations[key];
  if (!isAtomic) { // an atomic goes on with what the write before it handed
                   // over
    location.wide = nullptr;
    location.narrow.clear();
  }
  location.wide = join(location.wide, wide);
  KnowledgePtr &here = location.narrow[block->id];
  here = join(here, narrow);
}

void Exec::acquire(const View &view, uint64_t offset, unsigned lane,
                   Order order, Scope scope) {
  uint64_t key = view.base + offset;
  const SyncLocation *location = nullptr;
  if (view.isShared) {
    auto found = block->locations.find(static_cast<uint32_t>(key));
    location = found == block->locations.end() ? nullptr : &found->second;
  } else if (!device.locations.empty()) {
    auto found = device.locations.find(key);
    location = found == device.locations.end() ? nullptr : &found->second;
  }
  if (!location)
    return;
  auto here = location->narrow.find(block->id);
  KnowledgePtr narrow = here == location->narrow.end() ? nullptr : here->second;
  KnowledgePtr wide = scope == Scope::Cta ? nullptr : location->wide;
  ThreadClock &clock = clockOf(lane);
  if (order == Order::Acquire || order == Order::AcqRel ||
      order == Order::Legacy) {
    clock.known = join(join(clock.known, wide), narrow);
  } else {
    clock.pendingGpu = join(clock.pendingGpu, wide);
    clock.pendingCta = join(clock.pendingCta, narrow);
  }
}

/// Lanes of this warp meet at a barrier of some threads of the block.
void Exec::joinBarrier(Mask mask, BarrierState &barrier) {
  for (Mask rest = mask; rest; rest &= rest - 1)
    barrier.arrivals = join(barrier.arrivals, snapshot(__builtin_ctz(rest)));
}

void Exec::progress() { ++progressCount; }

void Exec::watchSpin(const Inst &inst, uint64_t address, uint64_t value) {
  if (warp->lastSpin == &inst && warp->lastSpinAddress == address &&
      warp->lastSpinValue == value) {
    if (++warp->spins >= 3)
      yield();
    return;
  }
  warp->lastSpin = &inst;
  warp->lastSpinAddress = address;
  warp->lastSpinValue = value;
  warp->spins = 0;
}
