// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two accesses to a byte, one of them a write, race unless the first is known
// to who does the second, or both are strong (atomic, volatile, ordered) in
// scopes that reach each other.
#include "tools/ptx-sim/Exec.h"

#include <cstring>

using namespace fusec::ptx;

namespace {

constexpr size_t kManyReaders = 24;

/// The accesses of an instruction to one cell.
class Accessor {
public:
  Accessor(Exec &exec, Cell &cell, Shadow &shadow, Time safe, bool isStrong,
           bool isNarrow)
      : exec(exec), cell(cell), shadow(shadow), safe(safe), isStrong(isStrong),
        isNarrow(isNarrow) {}

  bool read(Mask lanes, Conflict &conflict);
  bool write(unsigned lane, uint32_t inst, bool isAtomic, bool &sameMatters,
             Conflict &conflict);

private:
  bool knownToAll(Mask lanes, uint32_t block, uint32_t thread,
                  Time time) const {
    for (Mask rest = lanes; rest; rest &= rest - 1)
      if (!exec.knows(__builtin_ctz(rest), block, thread, time))
        return false;
    return true;
  }
  /// The first thread of a set that not all of the lanes know, one of another
  /// warp if there is one; -1 if all are known.
  int unknownOf(const ReadSet &set, Mask lanes) const {
    const uint32_t own =
        set.block == exec.block->id ? 1u << exec.warp->index : 0;
    for (uint32_t warps : {set.warps & ~own, set.warps & own})
      for (uint32_t w = warps; w; w &= w - 1)
        for (uint32_t l = set.lanes; l; l &= l - 1) {
          uint32_t thread = __builtin_ctz(w) * 32 + __builtin_ctz(l);
          if (!knownToAll(lanes, set.block, thread, set.time))
            return static_cast<int>(thread);
        }
    return -1;
  }
  /// Whether the two are of a warp (0), a block or a grid.
  int distanceTo(const Conflict &other) const {
    return other.block != exec.block->id
               ? 2
               : other.thread / 32 != exec.warp->index;
  }
  /// The first conflict, or one from further away: what helps against that
  /// helps against the nearer one, too. Those with earlier work are of another
  /// kind.
  void takeWider(const Conflict &other, bool &fine, Conflict &conflict) const {
    if (fine || (exec.isOwn(other.time) && exec.isOwn(conflict.time) &&
                 distanceTo(other) > distanceTo(conflict)))
      conflict = other;
    fine = false;
  }
  /// Strong accesses do not race where the scope of each reaches the other.
  bool reaches(uint32_t otherBlock, bool otherNarrow) const {
    return otherBlock == exec.block->id || (!isNarrow && !otherNarrow);
  }
  void record(Mask lanes);
  bool recordPair(const ReadSet &reader);

  Exec &exec;
  Cell &cell;
  Shadow &shadow;
  Time safe;
  bool isStrong, isNarrow;
};

bool Accessor::read(Mask lanes, Conflict &conflict) {
  bool fine = true;
  if (cell.writeTime > safe &&
      !(isStrong && (cell.flags & Cell::Strong) &&
        reaches(cell.writeBlock, cell.flags & Cell::Narrow)) &&
      !knownToAll(lanes, cell.writeBlock, cell.writeThread, cell.writeTime)) {
    conflict = {cell.writeBlock, cell.writeThread, cell.writeTime,
                cell.writeInst, true};
    fine = false;
  }
  if (cell.readTime > safe && cell.readBlock == Cell::kList && !isStrong)
    for (const ReadSet &set : shadow.listOf(cell)) {
      if (!set.isAtomic) // they come first
        break;
      int unknown = set.time > safe ? unknownOf(set, lanes) : -1;
      if (unknown < 0)
        continue;
      takeWider({set.block, static_cast<uint32_t>(unknown), set.time, 0, true},
                fine, conflict);
    }
  if (!isStrong)
    record(lanes);
  return fine;
}

/// Adds a reader to those of a launch in which nothing orders blocks: two
/// blocks that read are enough. False: they are not there yet.
bool Accessor::recordPair(const ReadSet &reader) {
  if (exec.program.ordersBlocks)
    return false;
  if (cell.readBlock != Cell::kList) {
    ReadSet before = cell.readers();
    if (!exec.isOwn(before.time) || before.block == reader.block)
      return false;
    cell.setPair(before, reader);
    return true;
  }
  // What the launch read is at the end: all by one block, or one read of each
  // of two.
  std::vector<ReadSet> &list = shadow.listOf(cell);
  auto isRead = [&](const ReadSet &set) {
    return !set.isAtomic && exec.isOwn(set.time);
  };
  if (list.empty() || !isRead(list.back()))
    return false;
  uint32_t last = list.back().block;
  if (list.size() > 1 && isRead(list[list.size() - 2]) &&
      list[list.size() - 2].block != last)
    return true;
  if (last == reader.block)
    return false;
  while (list.size() > 1 && isRead(list[list.size() - 2]))
    list.pop_back();
  if (list.size() == 1) {
    ReadSet before = list[0];
    shadow.dropList(cell);
    cell.setPair(before, reader);
  } else {
    list.push_back(reader);
    cell.readTime = reader.time;
  }
  return true;
}

void Accessor::record(Mask lanes) {
  uint32_t block = exec.block->id, warps = 1u << exec.warp->index;
  Time now = exec.device.now();
  if (cell.isPair() && exec.isOwn(cell.readTime))
    return;
  if (cell.readBlock != Cell::kList) {
    if (cell.readTime == now && cell.readBlock == block) {
      if (cell.readLanes == lanes) {
        cell.readWarps |= warps;
        return;
      }
      if (cell.readWarps == warps) {
        cell.readLanes |= lanes;
        return;
      }
    }
    if (cell.readTime <= safe || unknownOf(cell.readers(), lanes) < 0) {
      cell.setReaders({now, block, warps, lanes, false});
      return;
    }
  }
  if (recordPair({now, block, warps, lanes, false}))
    return;
  if (cell.readBlock != Cell::kList)
    shadow.makeList(cell);
  std::vector<ReadSet> &list = shadow.listOf(cell);
  for (size_t i = list.size(); i-- > 0 && i + 4 > list.size();) {
    ReadSet &set = list[i];
    if (set.block != block || set.isAtomic)
      continue;
    // Who knows of a thread's last read knows of those before.
    bool areAll = !(set.lanes & ~lanes) && !(set.warps & ~warps);
    if (areAll ||
        (set.time == now && (set.lanes == lanes || set.warps == warps))) {
      set = {now, block, set.warps | warps, set.lanes | lanes, false};
      cell.readTime = now;
      return;
    }
  }
  if (list.size() >= kManyReaders && (list.size() & (list.size() - 1)) == 0) {
    std::vector<ReadSet> kept;
    for (const ReadSet &set : list)
      if (set.time > safe && unknownOf(set, lanes) >= 0)
        kept.push_back(set);
    list.swap(kept);
  }
  list.push_back({now, block, warps, lanes, false});
  cell.readTime = now;
}

bool Accessor::write(unsigned lane, uint32_t inst, bool isAtomic,
                     bool &sameMatters, Conflict &conflict) {
  bool fine = true;
  sameMatters = false;
  Mask self = 1u << lane;
  bool writeKnown =
      cell.writeTime <= safe ||
      exec.knows(lane, cell.writeBlock, cell.writeThread, cell.writeTime);
  bool bothStrong = isStrong && (cell.flags & Cell::Strong) &&
                    reaches(cell.writeBlock, cell.flags & Cell::Narrow);
  if (!writeKnown && !bothStrong) {
    conflict = {cell.writeBlock, cell.writeThread, cell.writeTime,
                cell.writeInst, true};
    fine = false;
    // Two plain writes of one value are harmless.
    sameMatters = !isStrong && !exec.device.isStrict;
  }
  std::vector<ReadSet> kept;
  if (cell.readTime > safe) {
    ReadSet few[] = {cell.readers(), {}};
    const ReadSet *sets = few;
    size_t count = 1;
    if (cell.isPair())
      few[count++] = cell.secondReader();
    if (cell.readBlock == Cell::kList) {
      sets = shadow.listOf(cell).data();
      count = shadow.listOf(cell).size();
    }
    for (size_t i = 0; i < count; ++i) {
      if (sets[i].time <= safe)
        continue;
      int unknown = unknownOf(sets[i], self);
      if (unknown < 0)
        continue;
      if (sets[i].isAtomic && isStrong) {
        kept.push_back(sets[i]);
        continue;
      }
      fine |= sameMatters; // that one does not count
      takeWider({sets[i].block, static_cast<uint32_t>(unknown), sets[i].time, 0,
                 sets[i].isAtomic},
                fine, conflict);
      sameMatters = false;
    }
  }
  if (!writeKnown && bothStrong && isAtomic) {
    kept.push_back(ReadSet::ofThread(cell.writeTime, cell.writeBlock,
                                     cell.writeThread, true));
  }
  shadow.dropList(cell);
  cell.readTime = 0;
  if (!kept.empty()) {
    shadow.makeList(cell);
    for (const ReadSet &set : kept)
      cell.readTime = std::max(cell.readTime, set.time);
    shadow.listOf(cell).swap(kept);
  }
  cell.writeTime = exec.device.now();
  cell.writeBlock = exec.block->id;
  cell.writeThread = static_cast<uint16_t>(exec.threadOf(lane));
  cell.writeInst = inst;
  cell.flags = (cell.flags & Cell::Split) | (isStrong ? Cell::Strong : 0) |
               (isNarrow ? Cell::Narrow : 0);
  return fine;
}

bool isStrongOrder(Order order) { return order != Order::Weak; }

} // namespace

/// Calls f for the cells of the bytes: a word's own, or those of its bytes.
template <class F>
static void onCells(Shadow &shadow, uint64_t offset, unsigned bytes,
                    bool isWrite, F f) {
  for (unsigned done = 0; done < bytes;) {
    uint64_t at = offset + done;
    unsigned here = std::min<unsigned>(bytes - done, 4 - (at & 3));
    Cell &word = shadow.word(at);
    if (here < 4 && !(word.flags & Cell::Split))
      shadow.split(at);
    if (!(word.flags & Cell::Split)) {
      f(word);
    } else {
      for (unsigned i = 0; i < here; ++i)
        f(shadow.byte(at + i));
      if (here == 4 && isWrite) { // all four are the same from now on
        word = shadow.byte(at);
        word.flags &= ~Cell::Split;
      }
    }
    done += here;
  }
}

/// The first of the lanes that does not know what another thread did.
unsigned Exec::unknowing(Mask lanes, const Conflict &other) const {
  for (Mask rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    if (!knows(lane, other.block, other.thread, other.time))
      return lane;
  }
  return static_cast<unsigned>(__builtin_ctz(lanes));
}

void Exec::noteRead(const Inst &inst, const View &view, uint64_t offset,
                    unsigned bytes, Mask lanes, const MemDetail &detail) {
  uint64_t at = offset + view.shadowBase;
  Time safe = view.isShared ? block->barrierTime : device.safeTime;
  bool strong = isStrongOrder(detail.order);
  Time now = device.time;
  uint32_t bit = 1u << warp->index;
  uint32_t id = block->id;
  // Whole words in a row that need nothing more than a note: most reads.
  if (!strong && !((at | bytes) & 3) && (at & 4095) + bytes <= 4096) {
    Cell *cell = &view.shadow->word(at), *end = cell + bytes / 4;
    for (; cell != end; ++cell) {
      if (cell->writeTime > safe || (cell->flags & Cell::Split))
        break;
      if (cell->readTime == now && cell->readBlock == id &&
          cell->readLanes == lanes && !cell->isPair()) {
        cell->readWarps |= bit;
      } else if (cell->readTime <= safe && cell->readBlock != Cell::kList) {
        cell->setReaders({now, id, bit, lanes, false});
      } else if (!cell->isPair() || !isOwn(cell->readTime)) {
        break;
      }
    }
    unsigned left = static_cast<unsigned>(end - cell) * 4;
    if (!left)
      return;
    at += bytes - left;
    bytes = left;
  }
  onCells(*view.shadow, at, bytes, false, [&](Cell &cell) {
    if (cell.writeTime <= safe && cell.readTime <= safe && !strong) {
      view.shadow->dropList(cell);
      cell.setReaders({now, id, bit, lanes, false});
      return;
    }
    Accessor accessor(*this, cell, *view.shadow, safe, strong,
                      detail.scope == Scope::Cta);
    Conflict conflict;
    if (!accessor.read(lanes, conflict))
      reportRace(inst, view, offset, bytes, unknowing(lanes, conflict), false,
                 conflict);
  });
}

void Exec::noteWrite(const Inst &inst, const View &view, uint64_t offset,
                     unsigned bytes, unsigned lane, const MemDetail &detail,
                     bool isAtomic, const uint8_t *value) {
  uint64_t at = offset + view.shadowBase;
  Time safe = view.isShared ? block->barrierTime : device.safeTime;
  bool strong = isAtomic || isStrongOrder(detail.order);
  bool reported = false;
  onCells(*view.shadow, at, bytes, true, [&](Cell &cell) {
    if (cell.writeTime <= safe && cell.readTime <= safe && !strong) {
      cell.writeTime = device.time;
      cell.writeBlock = block->id;
      cell.writeThread = static_cast<uint16_t>(threadOf(lane));
      cell.writeInst = inst.id;
      cell.flags &= Cell::Split;
      view.shadow->dropList(cell);
      cell.readTime = 0;
      return;
    }
    Accessor accessor(*this, cell, *view.shadow, safe, strong,
                      detail.scope == Scope::Cta);
    Conflict conflict;
    bool sameMatters;
    if (accessor.write(lane, inst.id, isAtomic, sameMatters, conflict) ||
        reported)
      return;
    bool same = value && !std::memcmp(view.data + offset, value, bytes);
    if (sameMatters && same)
      return;
    reported = true;
    reportRace(inst, view, offset, bytes, lane, true, conflict);
  });
}
