// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What findings say.
#include "tools/ptx-sim/Exec.h"

#include <fmt/format.h>

using namespace fusec::ptx;

void Exec::report(const char *kind, const Inst &inst,
                  const std::string &message) {
  Finding finding;
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

void Exec::reportRace(const Inst &inst, const View &view, uint64_t offset,
                      unsigned bytes, unsigned lane, bool isWrite,
                      uint32_t otherBlock, uint32_t otherThread, Time otherTime,
                      uint32_t otherInst, bool otherWrote) {
  bool sameBlock = otherBlock == block->id;
  bool earlier = otherBlock < firstBlock;
  std::string other =
      earlier ? device.workAt(otherTime) : thread(otherBlock, otherThread);
  const char *hint =
      earlier ? "order the two by stream or event"
      : !sameBlock
          ? "order them by a fence and an atomic flag, or by another launch"
      : otherThread / 32 == warp->index
          ? "__syncwarp() between them is missing"
          : "__syncthreads() between them is missing";
  std::string by;
  if (!earlier && otherInst >= 1 && otherInst < program.byId.size())
    by = " at " + where(*program.byId[otherInst]);
  report(
      earlier ? "launch-race" : "race", inst,
      fmt::format(
          "{} {} {} bytes at {}, which {} {}{}, and nothing orders the two: {}",
          thread(block->id, threadOf(lane)), isWrite ? "writes" : "reads",
          bytes, place(view, offset), other, otherWrote ? "wrote" : "read", by,
          hint));
}
