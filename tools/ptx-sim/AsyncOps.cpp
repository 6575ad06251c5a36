// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cp.async and mbarrier. A copy lands when its group is waited for, not before:
// what is read in between is undefined.
#include "tools/ptx-sim/MemoryOps.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

using namespace fusec::ptx;

namespace {

/// One copy arrives, as a write of the thread that asked for it.
void land(Exec &exec, Warp &of, const PendingCopy &copy) {
  Warp *current = exec.warp;
  exec.warp = &of;
  View to, from;
  if (exec.locate(Space::Shared, copy.to, copy.bytes, to)) {
    uint8_t value[16] = {};
    if (copy.sourceBytes &&
        exec.locate(Space::Global, copy.from, copy.sourceBytes, from))
      std::memcpy(value, from.data + (copy.from - from.base), copy.sourceBytes);
    uint64_t offset = copy.to - to.base;
    std::memcpy(to.data + offset, value, copy.bytes);
    MemDetail detail;
    exec.noteWrite(*copy.inst, to, offset, copy.bytes, copy.lane, detail, false,
                   value);
    to.shadow->defined.set(offset + to.shadowBase, copy.bytes, true);
  }
  exec.warp = current;
}

/// What a thread gets as it arrives: the phase, and above it how many were
/// still awaited.
constexpr int kPendingShift = 32;

} // namespace

void Exec::landCopies(unsigned lane, uint64_t limit) {
  std::vector<PendingCopy> kept, ready;
  for (const PendingCopy &copy : warp->copies) {
    bool waits = copy.lane != lane ||
                 (limit != PendingCopy::kOpen && copy.group >= limit);
    (waits ? kept : ready).push_back(copy);
  }
  warp->copies.swap(kept);
  for (const PendingCopy &copy : ready)
    land(*this, *warp, copy);
}

void fusec::ptx::copyAsync(Exec &exec, const Inst &inst, Mask mask) {
  const CopyDetail &detail = *inst.copy;
  unsigned bytes = detail.to.bytes;
  alignas(64) uint64_t to[kLanes], from[kLanes];
  exec.addresses(detail.to, to);
  exec.addresses(detail.from, from);
  uint32_t sourceBytes[kLanes];
  Mask whole = 0, partial = 0, ignored = 0;
  if (detail.ignored != kNoSlot)
    ignored =
        exec.predicate(detail.ignored) ^ (detail.ignoredNegated ? ~0u : 0);
  for (int i = 0; i < kLanes; ++i) {
    sourceBytes[i] = ignored >> i & 1 ? 0
                     : detail.sourceBytes == kNoSlot
                         ? bytes
                         : exec.lanes<uint32_t>(detail.sourceBytes)[i];
    if (!(mask >> i & 1))
      continue;
    sourceBytes[i] = std::min<uint32_t>(sourceBytes[i], bytes);
    if (sourceBytes[i] == bytes)
      whole |= 1u << i;
    else if (sourceBytes[i])
      partial |= 1u << i;
  }
  Mask readable = mask & ~whole & ~partial;
  exec.onViews(
      inst, detail.from, whole, from, bytes,
      [&](const View &view, Mask lanes, const Pattern &pattern,
          uint64_t first) {
        if (exec.check(inst, detail.from, view, pattern, first, Access::Read))
          readable |= lanes;
      });
  for (Mask rest = partial; rest; rest &= rest - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    bool fine = true;
    uint64_t at[kLanes] = {};
    for (uint32_t k = 0; k < sourceBytes[lane]; ++k) {
      at[lane] = from[lane] + k;
      bool found = false;
      exec.onViews(
          inst, detail.from, 1u << lane, at, 1,
          [&](const View &view, Mask, const Pattern &pattern, uint64_t first) {
            found = exec.check(inst, detail.from, view, pattern, first,
                               Access::Read);
          });
      fine &= found;
    }
    if (fine)
      readable |= 1u << lane;
  }
  exec.onViews(
      inst, detail.to, readable, to, bytes,
      [&](const View &view, Mask lanes, const Pattern &pattern,
          uint64_t first) {
        if (!exec.check(inst, detail.to, view, pattern, first, Access::Write))
          return;
        for (Mask rest = lanes; rest; rest &= rest - 1) {
          unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
          uint64_t offset = first + pattern.relative[lane];
          exec.noteWrite(inst, view, offset, bytes, lane, detail.to, false,
                         nullptr);
          view.shadow->defined.set(offset + view.shadowBase, bytes, false);
          std::memset(view.data + offset, 0xff, bytes);
          exec.warp->copies.push_back(
              {lane, static_cast<uint32_t>(view.base + offset), from[lane],
               bytes, sourceBytes[lane], &inst, PendingCopy::kOpen});
        }
      });
  exec.progress();
  exec.warp->sinceProgress = 0;
}

void fusec::ptx::commitCopies(Exec &exec, const Inst &, Mask mask) {
  for (PendingCopy &copy : exec.warp->copies)
    if ((mask >> copy.lane & 1) && copy.group == PendingCopy::kOpen)
      copy.group = exec.warp->committed[copy.lane];
  for (Mask rest = mask; rest; rest &= rest - 1)
    ++exec.warp->committed[__builtin_ctz(rest)];
}

void fusec::ptx::waitCopies(Exec &exec, const Inst &inst, Mask mask) {
  for (Mask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    uint64_t committed = exec.warp->committed[lane];
    if (inst.mode == ~0u)
      exec.landCopies(lane, PendingCopy::kOpen);
    else if (committed > inst.mode)
      exec.landCopies(lane, committed - inst.mode);
  }
}

void fusec::ptx::mbarrier(Exec &exec, const Inst &inst, Mask mask) {
  const MemDetail &detail = *inst.memory;
  alignas(64) uint64_t at[kLanes];
  exec.addresses(detail, at);
  Block &block = *exec.block;
  auto complete = [&](MbarrierState &state) {
    if (state.pending || state.bytes)
      return;
    for (auto &[of, copy] : state.copies) {
      land(exec, *of, copy);
      auto more = std::make_shared<Knowledge>();
      more->add(Knowledge::threadKey(block.id, of->index * 32 + copy.lane),
                exec.device.now());
      state.arriving = join(state.arriving, more);
    }
    state.copies.clear();
    exec.device.step();
    ++state.phase;
    state.pending = state.expected;
    state.completed = join(state.completed, state.arriving);
    state.arriving = nullptr;
    exec.progress();
  };
  exec.onViews(
      inst, detail, mask, at, 8,
      [&](const View &view, Mask lanes, const Pattern &pattern,
          uint64_t first) {
        if (!view.isShared) {
          exec.report("out-of-bounds", inst,
                      "an mbarrier must be in shared memory");
          return;
        }
        bool isInit = inst.mode == kMbarrierInit;
        bool isTest =
            inst.mode == kMbarrierTest || inst.mode == kMbarrierTestParity;
        if (!exec.check(inst, detail, view, pattern, first,
                        isInit ? Access::Write : Access::Atomic))
          return;
        bool failed = false;
        for (Mask rest = lanes; rest; rest &= rest - 1) {
          unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
          uint64_t offset = first + pattern.relative[lane];
          MemDetail strong;
          strong.scope = Scope::Cta;
          exec.noteWrite(inst, view, offset, 8, lane, strong, !isInit, nullptr);
          view.shadow->defined.set(offset + view.shadowBase, 8, true);
          MbarrierState &state =
              block.mbarriers[static_cast<uint32_t>(view.base + offset)];
          uint32_t count = 1;
          if (inst.alu.src[0] != kNoSlot && inst.mode != kMbarrierTest)
            count = exec.lanes<uint32_t>(inst.alu.src[0])[lane];
          if (inst.alu.aux) {
            state.bytes += count;
            count = 1;
          }
          auto arrive = [&] {
            state.arriving = join(state.arriving, exec.snapshot(lane));
            exec.device.step();
            uint64_t token =
                uint64_t(state.pending) << kPendingShift | state.phase;
            if (inst.alu.dst != kNoSlot)
              exec.lanes<uint64_t>(inst.alu.dst)[lane] = token;
            state.pending -= std::min(count, state.pending);
            complete(state);
            exec.progress();
          };
          auto attach = [&] {
            auto &copies = exec.warp->copies;
            for (size_t i = 0; i < copies.size();)
              if (copies[i].lane == lane) {
                state.copies.push_back({exec.warp, copies[i]});
                copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(i));
              } else {
                ++i;
              }
          };
          switch (inst.mode) {
          case kMbarrierInit:
            state = MbarrierState();
            state.expected = state.pending = count;
            break;
          case kMbarrierInval:
            block.mbarriers.erase(static_cast<uint32_t>(view.base + offset));
            break;
          case kMbarrierArriveDrop:
            state.expected -= std::min(count, state.expected);
            arrive();
            break;
          case kMbarrierArrive:
            arrive();
            break;
          case kMbarrierCopiesNoInc:
            attach();
            count = 1;
            arrive();
            break;
          case kMbarrierCopies:
            attach();
            break;
          case kMbarrierExpectBytes:
            state.bytes += count;
            break;
          case kMbarrierCompleteBytes:
            state.bytes -= count;
            complete(state);
            exec.progress();
            break;
          default: {
            bool done =
                inst.mode == kMbarrierTest
                    ? state.phase != static_cast<uint32_t>(exec.lanes<uint64_t>(
                                         inst.alu.src[0])[lane])
                    : (state.phase & 1) != (count & 1);
            Mask &to = exec.predicate(inst.alu.dst);
            to = done ? to | 1u << lane : to & ~(1u << lane);
            if (done) {
              ThreadClock &clock = exec.clockOf(lane);
              clock.known = join(clock.known, state.completed);
            } else {
              failed = true;
            }
          }
          }
        }
        if (isTest && failed)
          exec.yield();
      });
}

void fusec::ptx::pendingCount(Exec &exec, const Inst &inst, Mask mask) {
  const uint64_t *tokens = exec.lanes<uint64_t>(inst.alu.src[0]);
  uint32_t *to = exec.lanes<uint32_t>(inst.alu.dst);
  for (Mask rest = mask; rest; rest &= rest - 1) {
    int lane = __builtin_ctz(rest);
    to[lane] = static_cast<uint32_t>(tokens[lane] >> kPendingShift);
  }
}
