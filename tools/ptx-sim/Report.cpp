// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What findings say.
#include "tools/ptx-sim/Exec.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

using namespace fusec::ptx;

void Exec::report(const char *kind, const Inst &inst,
                  const std::string &message, int reach) {
  Finding finding;
  finding.reach = reach;
  finding.kind = kind;
  finding.kernel = config.kernel;
  std::string at = program.module->describe(*inst.source, &finding.line);
  finding.file = at.substr(0, at.rfind(':'));
  finding.instruction = inst.source->text;
  finding.message = message;
  device.findings.add(std::move(finding));
}

std::string Exec::where(const Inst &inst) const {
  int line;
  return program.module->describe(*inst.source, &line) + " (" +
         inst.source->text + ")";
}

std::string Exec::thread(uint32_t number, uint32_t linear) const {
  if (number < firstBlock)
    return "earlier work";
  const Dim3 &size = config.block;
  const Dim3 &at = blockIndexes[number - firstBlock];
  return fmt::format("thread ({},{},{}) of block ({},{},{})", linear % size.x,
                     linear / size.x % size.y, linear / size.x / size.y, at.x,
                     at.y, at.z);
}

std::string Exec::place(const View &view, uint64_t offset) const {
  if (view.isShared)
    return fmt::format("shared address {:#x}", view.base + offset);
  return fmt::format("byte {} of {}", offset, *view.name);
}

std::string Exec::list(Mask lanes) const {
  std::string text;
  for (unsigned i = 0; i < kLanes; ++i) {
    if (!(lanes >> i & 1))
      continue;
    unsigned end = i;
    while (end + 1 < kLanes && (lanes >> (end + 1) & 1))
      ++end;
    text += (text.empty() ? "" : ", ") + std::to_string(i);
    if (end > i)
      text += "-" + std::to_string(end);
    i = end;
  }
  return text;
}

void Exec::reportOutside(const Inst &inst, const MemDetail &detail,
                         const uint64_t *at, Mask missing, unsigned bytes) {
  unsigned lane = static_cast<unsigned>(__builtin_ctz(missing));
  uint64_t address = at[lane];
  Space space = resolve(detail.space, address);
  std::string what;
  if (space == Space::Shared)
    what = fmt::format(
        "shared address {:#x}: the block has {} bytes ({} static, {} "
        "given at the launch)",
        address, program.staticBytes + config.dynamicShared,
        program.staticBytes, config.dynamicShared);
  else if (space == Space::Local)
    what = fmt::format("local address {:#x}: a thread has {} bytes", address,
                       warp->localBytes);
  else
    what = device.memory.describe(address);
  unsigned lanesMissing = static_cast<unsigned>(__builtin_popcount(missing));
  std::string more =
      lanesMissing > 1
          ? fmt::format(" (and {} more of its warp)", lanesMissing - 1)
          : "";
  report("out-of-bounds", inst,
         fmt::format("{}{} accesses {} bytes at {}",
                     thread(block->id, threadOf(lane)), more, bytes, what));
}

/// Whether an instruction stores to an address what it or another one computed
/// of a load from the same: `load`, or any if that is null.
static bool isUpdate(const Inst *load, const Inst &store) {
  const MemDetail *to = store.memory.get();
  if (!to || to->order != Order::Weak || (load && load->code != store.code))
    return false;
  std::set<uint32_t> computed;
  for (const Inst &inst : store.code->insts) {
    if (&inst == &store)
      break;
    const MemDetail *from = inst.memory.get();
    if (from && (!load || &inst == load) && from->address == to->address &&
        from->offset == to->offset && from->space == to->space)
      computed.insert(from->slots, from->slots + from->count);
    const auto &sources = inst.alu.src;
    if (inst.compute &&
        std::any_of(std::begin(sources), std::end(sources),
                    [&](uint32_t slot) { return computed.count(slot); }))
      computed.insert(inst.alu.dst);
  }
  return std::any_of(to->slots, to->slots + to->count,
                     [&](uint32_t slot) { return computed.count(slot); });
}

Advice Exec::adviseOn(const Inst &inst, unsigned lane, bool isWrite,
                      const Conflict &other) {
  const bool isOfWarp =
      other.block == block->id && other.thread / 32 == warp->index;
  if (isWrite && isOfWarp && inst.memory && inst.memory->order == Order::Weak) {
    // What an instruction does last is what its pattern says.
    const Pattern &pattern = inst.memory->pattern;
    const unsigned otherLane = other.thread % 32;
    if ((pattern.mask >> otherLane & 1) &&
        pattern.relative[otherLane] == pattern.relative[lane])
      return {Advice::OfInstruction,
              "both write it by one instruction: let one thread do so, or make "
              "it an atomic"};
  }
  const Inst *wrote =
      other.wasWrite && other.inst && other.inst < program.byId.size()
          ? program.byId[other.inst]
          : nullptr;
  bool isUpdated = false;
  if (const Inst *store = isWrite ? &inst : wrote) {
    const Inst *load = isWrite ? nullptr : &inst;
    auto [place, isNew] = updates.emplace(std::pair(load, store), false);
    if (isNew)
      place->second = isUpdate(load, *store);
    isUpdated = place->second;
  }
  // A loop of compare-and-swap that uses what it loads before it is compared
  // needs no order, but another load.
  const Inst *swap = isWrite ? &inst : wrote;
  std::string also;
  if (swap && isSwap(*swap) && isWrite != other.wasWrite)
    also = ", or a volatile load (or one by cuda::atomic_ref) where any value "
           "will do";
  if (other.block != block->id)
    return {Advice::OfGrid,
            "order them by a fence and an atomic flag, or by another launch" +
                (isUpdated ? ", or make it an atomic" : also)};
  if (!isOfWarp)
    return {Advice::OfBlock,
            "__syncthreads() between them is missing" +
                (isUpdated ? ", or an atomic if each updates it" : also)};
  if (isUpdated && !isWrite)
    return {Advice::OfWarp, "an atomic is missing"};
  return {Advice::OfWarp, "__syncwarp() between them is missing" + also};
}

void Exec::reportRace(const Inst &inst, const View &view, uint64_t offset,
                      unsigned bytes, unsigned lane, bool isWrite,
                      const Conflict &other) {
  const bool isEarlier = other.block < firstBlock;
  std::string who =
      isEarlier ? device.workAt(other.time) : thread(other.block, other.thread);
  Advice advice =
      isEarlier ? Advice{Advice::OfGrid, "order the two by stream or event"}
                : adviseOn(inst, lane, isWrite, other);
  std::string by;
  if (!isEarlier && other.inst >= 1 && other.inst < program.byId.size())
    by = " at " + where(*program.byId[other.inst]);
  report(
      isEarlier ? "launch-race" : "race", inst,
      fmt::format(
          "{} {} {} bytes at {}, which {} {}{}, and nothing orders the two: {}",
          thread(block->id, threadOf(lane)), isWrite ? "writes" : "reads",
          bytes, place(view, offset), who, other.wasWrite ? "wrote" : "read",
          by, advice.text),
      advice.reach);
}
