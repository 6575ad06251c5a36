// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp runs as groups of lanes at the same instruction: the innermost call
// first, then the lowest; groups that meet merge.
#include "tools/ptx-sim/Exec.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

using namespace fusec::ptx;

namespace {
/// A warp that neither writes nor meets anybody for so long never will.
constexpr uint64_t kEndless = 1ull << 24;
} // namespace

Frame *Exec::makeFrame(Warp &warp, const Code &code, Frame *parent) {
  std::unique_ptr<Frame> frame;
  for (auto &spareFrame : warp.freeFrames)
    if (spareFrame->code == &code) {
      frame = std::move(spareFrame);
      spareFrame = std::move(warp.freeFrames.back());
      warp.freeFrames.pop_back();
      break;
    }
  if (!frame) {
    frame = std::make_unique<Frame>();
    frame->code = &code;
    frame->storage.resize(code.frameBytes + 64);
    auto address = reinterpret_cast<uintptr_t>(frame->storage.data());
    frame->registers = frame->storage.data() + ((64 - address % 64) % 64);
    for (const Code::Constant &constant : code.constants)
      for (uint32_t i = 0; i < kLanes; ++i)
        std::memcpy(frame->registers + constant.slot + i * constant.bytes,
                    &constant.low, constant.bytes);
  }
  frame->parent = parent;
  frame->depth = parent ? parent->depth + 1 : 0;
  frame->localBase = parent ? parent->localBase + parent->code->localBytes : 0;
  uint32_t needed = (frame->localBase + code.localBytes + 15) & ~15u;
  if (needed >
      warp.localBytes) { // lanes lie one behind the other: move them apart
    std::vector<uint8_t> local(needed * kLanes, 0xff),
        defined(needed * kLanes, 0);
    for (uint32_t i = 0; i < kLanes; ++i) {
      std::copy_n(warp.local.data() + i * warp.localBytes, warp.localBytes,
                  local.data() + i * needed);
      std::copy_n(warp.localDefined.data() + i * warp.localBytes,
                  warp.localBytes, defined.data() + i * needed);
    }
    warp.local.swap(local);
    warp.localDefined.swap(defined);
    warp.localBytes = needed;
  }
  setSpecials(warp, *frame);
  warp.frames.push_back(std::move(frame));
  return warp.frames.back().get();
}

void Exec::dropLanes(Frame *frame, Mask mask) {
  frame->lanes &= ~mask;
  if (frame->lanes)
    return;
  auto &frames = warp->frames;
  auto at = std::find_if(frames.begin(), frames.end(),
                         [&](const auto &one) { return one.get() == frame; });
  warp->freeFrames.push_back(std::move(*at));
  frames.erase(at);
}

/// The group whose turn it is, after those at its place have joined it.
Group *Exec::pick(Warp &warp) {
  Group *best = nullptr;
  for (Group &group : warp.groups) {
    if (group.state != Group::Ready || group.yielded)
      continue;
    if (!best || group.frame->depth > best->frame->depth ||
        (group.frame->depth == best->frame->depth && group.pc < best->pc))
      best = &group;
  }
  if (!best)
    return nullptr;
  Frame *frame = best->frame;
  uint32_t pc = best->pc;
  Mask joined = best->mask;
  size_t count = warp.groups.size();
  for (size_t i = 0; i < warp.groups.size();) {
    Group &other = warp.groups[i];
    if (&other != best && other.frame == frame && other.pc == pc &&
        other.state != Group::AtBarrier) {
      joined |= other.mask;
      other.mask = 0;
    }
    ++i;
  }
  best->mask = joined;
  best->yielded = false;
  if (count > 1) {
    auto last = std::remove_if(warp.groups.begin(), warp.groups.end(),
                               [](const Group &group) { return !group.mask; });
    if (last != warp.groups.end()) {
      warp.groups.erase(last, warp.groups.end());
      for (Group &group : warp.groups)
        if (group.mask == joined)
          return &group;
    }
  }
  return best;
}

Exec::Stop Exec::runWarp(Warp &running) {
  warp = &running;
  for (Group &one : running.groups)
    one.yielded = false;
  while (!aborted) {
    Group *next = pick(running);
    if (!next) {
      bool yielded = std::any_of(running.groups.begin(), running.groups.end(),
                                 [](const Group &one) { return one.yielded; });
      if (yielded)
        return Stop::Yielded;
      if (!settle(running))
        return Stop::Blocked;
      continue;
    }
    group = next;
    runGroup(*next);
  }
  return Stop::Blocked;
}

/// Puts lanes of a group elsewhere.
void Exec::split(Group &from, Mask mask, uint32_t pc) {
  Group other = from;
  other.mask = mask;
  other.pc = pc;
  other.state = Group::Ready;
  other.yielded = false;
  from.mask &= ~mask;
  warp->groups.push_back(other);
}

/// Returns whether the group goes on alone.
bool Exec::branch(Group &running, Mask taken, uint32_t target) {
  if (taken == running.mask) {
    running.pc = target;
    return true;
  }
  if (!taken) {
    ++running.pc;
    return true;
  }
  split(running, taken, target);
  ++running.pc;
  return false;
}

void Exec::exitLanes(Group &leaving, Mask mask) {
  leaving.mask &= ~mask;
  warp->exited |= mask;
  block->exited += static_cast<uint32_t>(__builtin_popcount(mask));
  for (Frame *frame = leaving.frame; frame;) {
    Frame *parent = frame->parent;
    dropLanes(frame, mask);
    frame = parent;
  }
  if (!leaving.mask)
    warp->groups.erase(
        std::find_if(warp->groups.begin(), warp->groups.end(),
                     [&](const Group &one) { return &one == &leaving; }));
  progress();
  for (unsigned i = 0; i < 16; ++i)
    tryBarrier(i);
}

void Exec::callFunction(Group &caller, const Inst &inst, Mask mask) {
  if (mask != caller.mask) { // the others go on behind the call
    split(caller, caller.mask & ~mask, caller.pc + 1);
  }
  if (caller.frame->depth > 200) {
    report("deadlock", inst,
           "calls nest deeper than 200: an endless recursion?");
    aborted = true;
    return;
  }
  const Code &callee = *inst.call->callee;
  Frame *parent = caller.frame;
  Frame *frame = makeFrame(*warp, callee, parent);
  frame->lanes = mask;
  frame->callSite = &inst;
  frame->returnTo = caller.pc + 1;
  for (size_t i = 0; i < callee.params.size(); ++i)
    std::copy_n(parent->registers + inst.call->arguments[i],
                callee.params[i].size * kLanes,
                frame->registers + callee.params[i].slot);
  caller.frame = frame;
  caller.pc = 0;
}

void Exec::returnFrom(Group &returning, Mask mask) {
  Frame *frame = returning.frame;
  if (!frame->parent) {
    exitLanes(returning, mask);
    return;
  }
  const CallDetail &call = *frame->callSite->call;
  for (size_t i = 0; i < frame->code->results.size(); ++i) {
    const ParamSlot &result = frame->code->results[i];
    for (Mask rest = mask; rest; rest &= rest - 1) {
      unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
      std::copy_n(
          frame->registers + result.slot + lane * result.size, result.size,
          frame->parent->registers + call.results[i] + lane * result.size);
    }
  }
  if (mask != returning.mask)
    split(returning, returning.mask & ~mask, returning.pc + 1);
  returning.mask = mask;
  returning.pc = frame->returnTo;
  returning.frame = frame->parent;
  dropLanes(frame, mask);
}

/// Runs the group until it meets another one, waits, yields or ends.
void Exec::runGroup(Group &running) {
  Frame *frame = running.frame;
  registers = frame->registers;
  const Inst *code = frame->code->insts.data();
  uint32_t limit = ~0u;
  for (const Group &other : warp->groups)
    if (&other != &running && other.frame == frame &&
        other.state != Group::AtBarrier)
      limit = std::min(limit, other.pc > running.pc ? other.pc : limit);
  uint32_t pc = running.pc;
  uint64_t executed = 0, lanesExecuted = 0;
  auto leave = [&] {
    counts.warpInstructions += executed;
    counts.threadInstructions += lanesExecuted;
    warp->sinceProgress += executed;
    if (warp->sinceProgress > kEndless && !aborted) {
      report(
          "deadlock", code[std::min<size_t>(pc, frame->code->insts.size() - 1)],
          fmt::format("{} runs for {} instructions without writing anything or "
                      "meeting anybody: an endless loop?",
                      thread(block->id, threadOf(__builtin_ctz(running.mask))),
                      warp->sinceProgress));
      aborted = true;
    }
  };
  while (pc < limit) {
    const Inst &inst = code[pc];
    Mask mask = running.mask;
    if (inst.hasPredicate) {
      Mask value = *reinterpret_cast<const Mask *>(registers + inst.predicate);
      mask &= inst.negated ? ~value : value;
    }
    ++executed;
    lanesExecuted += static_cast<unsigned>(__builtin_popcount(mask));
    switch (inst.flow) {
    case Flow::Alu:
      if (mask)
        inst.compute(registers, inst.alu, mask);
      ++pc;
      continue;
    case Flow::Op:
      if (mask) {
        inst.run(*this, inst, mask);
        if (stopYielding || aborted) {
          stopYielding = false;
          running.pc = pc + 1;
          running.yielded = true;
          return leave();
        }
      }
      ++pc;
      continue;
    case Flow::Branch:
      if (mask == running.mask) {
        // Others may be where it leads back to; and loops that do nothing else
        // must end, too.
        if (inst.target <= pc &&
            (warp->groups.size() > 1 || executed > 1 << 20)) {
          running.pc = inst.target;
          return leave();
        }
        pc = inst.target;
        continue;
      }
      if (!mask) {
        ++pc;
        continue;
      }
      running.pc = pc;
      branch(running, mask, inst.target);
      return leave();
    default:
      break;
    }
    running.pc = pc;
    leave();
    if (inst.flow != Flow::Exit && inst.flow != Flow::Return && !mask) {
      ++running.pc;
      return;
    }
    switch (inst.flow) {
    case Flow::BranchIndexed: {
      const uint32_t *index = lanes<uint32_t>(inst.alu.src[0]);
      uint32_t of[kLanes];
      std::copy_n(index, kLanes, of);
      if (mask != running.mask)
        split(running, running.mask & ~mask, pc + 1);
      while (running.mask) {
        uint32_t chosen = of[__builtin_ctz(running.mask)];
        Mask same = 0;
        for (Mask rest = running.mask; rest; rest &= rest - 1)
          if (of[__builtin_ctz(rest)] == chosen)
            same |= rest & -rest;
        if (chosen >= inst.targets.size()) {
          report("out-of-bounds", inst,
                 fmt::format("the index {} is past the {} targets", chosen,
                             inst.targets.size()));
          aborted = true;
          return;
        }
        if (same == running.mask) {
          running.pc = inst.targets[chosen];
          return;
        }
        split(running, same, inst.targets[chosen]);
      }
      return;
    }
    case Flow::Call:
      return callFunction(running, inst, mask);
    case Flow::Return:
    case Flow::Exit:
      if (mask != running.mask && !mask) {
        ++running.pc;
        return;
      }
      if (inst.flow == Flow::Return)
        return returnThese(running, mask);
      if (mask != running.mask) {
        split(running, running.mask & ~mask, pc + 1);
        running.mask = mask;
      }
      return exitLanes(running, mask);
    case Flow::WarpSync:
      if (mask != running.mask) {
        split(running, running.mask & ~mask, pc + 1);
        running.mask = mask;
      }
      if (syncReady(running, inst)) {
        finishSync(running, inst);
        return;
      }
      running.state = Group::AtSync;
      return;
    case Flow::Barrier:
    case Flow::Arrive:
      if (mask != running.mask) {
        split(running, running.mask & ~mask, pc + 1);
        running.mask = mask;
      }
      return arrive(running, inst, mask, inst.flow == Flow::Barrier);
    default:
      return;
    }
  }
  running.pc = pc;
  leave();
}

void Exec::returnThese(Group &returning, Mask mask) {
  if (mask != returning.mask) {
    split(returning, returning.mask & ~mask, returning.pc + 1);
    returning.mask = mask;
  }
  returnFrom(returning, mask);
}
