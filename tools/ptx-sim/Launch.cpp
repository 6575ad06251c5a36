// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks run one after another, warp by warp from barrier to barrier. A block
// that waits for another one yields: then the next one starts, and they take
// turns.
#include "tools/ptx-sim/Exec.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

using namespace fusec::ptx;

Exec::Exec(Device &device, Program &program, const LaunchConfig &config,
           std::vector<uint8_t> params)
    : device(device), program(program), config(config),
      params(std::move(params)), sharedVariables(program.shared),
      firstTime(device.now()) {
  // All arrays that are declared extern are what the launch gives.
  if (config.dynamicShared)
    sharedVariables.push_back({program.dynamicShared, config.dynamicShared});
}

std::unique_ptr<Block> Exec::startBlock(uint64_t linear) {
  std::unique_ptr<Block> made;
  uint32_t bytes = program.dynamicShared + config.dynamicShared;
  uint32_t threads = static_cast<uint32_t>(config.block.count());
  if (!spare.empty()) {
    made = std::move(spare.back());
    spare.pop_back();
    auto warps = std::move(made->warps);
    auto shared = std::move(made->shared);
    auto shadow = std::move(made->shadow);
    *made = Block();
    made->warps = std::move(warps);
    made->shared = std::move(shared);
    made->shadow = std::move(shadow);
    made->shadow.reset(false);
    std::fill(made->shared.begin(), made->shared.end(), 0xff);
  } else {
    made = std::make_unique<Block>();
    made->shared.assign(bytes, 0xff);
    made->shadow.resize(bytes, false);
    for (uint32_t w = 0; w * 32 < threads; ++w)
      made->warps.push_back(std::make_unique<Warp>());
  }
  for (auto [offset, size] : program.padding)
    made->shadow.defined.set(offset, size, true);
  made->linear = linear;
  made->id = firstBlock + static_cast<uint32_t>(linear);
  made->index = blockIndexes[linear];
  made->threads = threads;
  block = made.get();
  for (uint32_t w = 0; w < made->warps.size(); ++w) {
    Warp &each = *made->warps[w];
    each.index = w;
    uint32_t lanes = std::min(32u, threads - w * 32);
    each.lanes = lanes == 32 ? ~0u : (1u << lanes) - 1;
    initialise(each);
  }
  return made;
}

void Exec::initialise(Warp &starting) {
  starting.exited = 0;
  starting.groups.clear();
  for (auto &frame : starting.frames)
    starting.freeFrames.push_back(std::move(frame));
  starting.frames.clear();
  starting.copies.clear();
  std::fill_n(starting.committed, kLanes, 0);
  starting.synced = 0;
  starting.laneSynced.reset();
  starting.lastSpin = nullptr;
  starting.sinceProgress = 0;
  std::fill(starting.localDefined.begin(), starting.localDefined.end(), 0);
  Group all;
  all.mask = starting.lanes;
  all.frame = makeFrame(starting, *program.entry, nullptr);
  all.frame->lanes = starting.lanes;
  starting.groups.push_back(all);
}

void Exec::setSpecials(Warp &of, Frame &frame) {
  for (const Code::LocalAddress &local : frame.code->locals) {
    uint64_t address = frame.localBase + local.offset;
    for (uint32_t i = 0; i < kLanes; ++i)
      std::memcpy(frame.registers + local.slot + i * local.bytes, &address,
                  local.bytes);
  }
  auto part = [](const Dim3 &dim, char axis) {
    return axis == 'x' ? dim.x : axis == 'y' ? dim.y : dim.z;
  };
  for (const auto &[slot, name] : frame.code->specials) {
    auto *to = reinterpret_cast<uint32_t *>(frame.registers + slot);
    char axis = name.back();
    std::string base = name.substr(0, name.find('.'));
    for (uint32_t i = 0; i < kLanes; ++i) {
      uint32_t linear = of.index * 32 + i;
      if (base == "%tid")
        to[i] = axis == 'x'   ? linear % config.block.x
                : axis == 'y' ? linear / config.block.x % config.block.y
                              : linear / config.block.x / config.block.y;
      else if (base == "%ntid")
        to[i] = part(config.block, axis);
      else if (base == "%ctaid")
        to[i] = part(block->index, axis);
      else if (base == "%nctaid")
        to[i] = part(config.grid, axis);
      else if (base == "%laneid")
        to[i] = i;
      else if (base == "%warpid")
        to[i] = of.index;
      else if (base == "%nwarpid")
        to[i] = static_cast<uint32_t>(block->warps.size());
      else if (base == "%nsmid")
        to[i] = 1;
      else if (base == "%lanemask_eq")
        to[i] = 1u << i;
      else if (base == "%lanemask_lt")
        to[i] = (1u << i) - 1;
      else if (base == "%lanemask_le")
        to[i] = (2u << i) - 1;
      else if (base == "%lanemask_gt")
        to[i] = ~((2u << i) - 1);
      else if (base == "%lanemask_ge")
        to[i] = ~((1u << i) - 1);
      else if (base == "%dynamic_smem_size")
        to[i] = config.dynamicShared;
      else if (base == "%total_smem_size")
        to[i] = program.staticBytes + config.dynamicShared;
      else if (base == "%envreg1")
        to[i] = static_cast<uint32_t>(workspace >> 32);
      else if (base == "%envreg2")
        to[i] = static_cast<uint32_t>(workspace);
      else // %smid: there is one multiprocessor
        to[i] = 0;
    }
  }
}

/// Until it ends (true), or waits for other blocks (false).
bool Exec::runBlock(Block &running) {
  block = &running;
  size_t count = running.warps.size();
  while (!running.isFinished() && !aborted) {
    bool yielded = false;
    uint64_t before = progressCount;
    uint64_t executed = counts.warpInstructions;
    for (size_t i = 0; i < count && !aborted; ++i) {
      Warp &next =
          *running
               .warps[config.direction == Direction::Forward ? i
                                                             : count - 1 - i];
      if (!next.groups.empty())
        yielded |= runWarp(next) == Stop::Yielded;
    }
    if (running.isFinished() || aborted)
      break;
    if (yielded && progressCount == before)
      return false;
    if (!yielded && counts.warpInstructions == executed) {
      const Inst *inst = nullptr;
      for (auto &each : running.warps)
        for (const Group &group : each->groups)
          if (!inst)
            inst = &group.frame->code->insts[group.pc];
      report("divergent-barrier", *inst, stuckMessage(running));
      aborted = true;
    }
  }
  return true;
}

/// Where the threads of a block stand that cannot go on.
std::string Exec::stuckMessage(const Block &stuck) const {
  std::map<std::pair<const Inst *, bool>, uint32_t> waiting;
  for (const auto &each : stuck.warps)
    for (const Group &group : each->groups)
      waiting[{&group.frame->code->insts[group.pc], group.yielded}] +=
          static_cast<uint32_t>(__builtin_popcount(group.mask));
  std::string text =
      fmt::format("of the {} threads of block ({},{},{})", stuck.threads,
                  stuck.index.x, stuck.index.y, stuck.index.z);
  const char *separator = " ";
  for (const auto &[at, threads] : waiting) {
    text += fmt::format("{}{} {} at {}", separator, threads,
                        at.second ? "spin" : "wait", where(*at.first));
    separator = ", ";
  }
  if (stuck.exited)
    text += fmt::format("{}{} have exited", separator, stuck.exited);
  return text + ": none of them can go on";
}

void Exec::run() {
  uint64_t total = config.grid.count();
  firstBlock = device.nextBlock;
  device.nextBlock += static_cast<uint32_t>(total);
  for (uint32_t z = 0; z < config.grid.z; ++z)
    for (uint32_t y = 0; y < config.grid.y; ++y)
      for (uint32_t x = 0; x < config.grid.x; ++x)
        blockIndexes.push_back({x, y, z});
  counts.launches = 1;
  std::vector<std::unique_ptr<Block>> resident;
  uint64_t started = 0;
  while (!aborted && (started < total || !resident.empty())) {
    // Those that wait first, for what they wait for may have come.
    uint64_t before = progressCount;
    for (size_t i = 0; i < resident.size() && !aborted;) {
      if (runBlock(*resident[i])) {
        spare.push_back(std::move(resident[i]));
        resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    if (aborted)
      break;
    if (started < total) {
      uint64_t linear = config.direction == Direction::Forward
                            ? started
                            : total - 1 - started;
      ++started;
      std::unique_ptr<Block> next = startBlock(linear);
      if (runBlock(*next))
        spare.push_back(std::move(next));
      else
        resident.push_back(std::move(next));
    } else if (!resident.empty() && progressCount == before) {
      block = resident.front().get();
      const Inst *inst = nullptr;
      for (auto &each : block->warps)
        for (const Group &one : each->groups)
          if (one.yielded && !inst)
            inst = &one.frame->code->insts[one.pc ? one.pc - 1 : 0];
      report("deadlock", *inst,
             fmt::format("all {} blocks that have not ended wait; {}",
                         resident.size(), stuckMessage(*block)));
      break;
    }
  }
}
