// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of each byte of an allocation or of a block's shared memory:
// whether it was written, and who accessed it last.
#ifndef FUSEC_TOOLS_PTXSIM_SHADOW_H
#define FUSEC_TOOLS_PTXSIM_SHADOW_H

#include "tools/ptx-sim/Clock.h"

#include <array>
#include <functional>

namespace fusec::ptx {

/// One bit a byte.
class DefinedBytes {
public:
  void resize(uint64_t bytes, bool defined) {
    bits.assign((bytes + 63) / 64 + 1, defined ? ~0ull : 0);
    all = defined;
  }
  bool allOf(uint64_t offset, uint64_t count) const {
    return all || test(offset, count);
  }
  void set(uint64_t offset, uint64_t count, bool defined);

private:
  bool test(uint64_t offset, uint64_t count) const {
    uint64_t word = offset >> 6, shift = offset & 63;
    if (shift + count <= 64) {
      uint64_t want = count == 64 ? ~0ull : (1ull << count) - 1;
      return (bits[word] >> shift & want) == want;
    }
    return testLong(offset, count);
  }
  bool testLong(uint64_t offset, uint64_t count) const;

  std::vector<uint64_t> bits;
  bool all = false;
};

/// Threads of one block that read at one time: the same lanes of some warps.
struct ReadSet {
  Time time;
  uint32_t block, warps, lanes;
  /// Also atomic writes are kept here, before all reads: whoever reads must
  /// know all of them.
  bool isAtomic;

  static ReadSet ofThread(Time time, uint32_t block, uint32_t thread,
                          bool isAtomic = false) {
    return {time, block, 1u << (thread / 32), 1u << (thread % 32), isAtomic};
  }
  uint32_t firstThread() const {
    return static_cast<uint32_t>(__builtin_ctz(warps) * 32 +
                                 __builtin_ctz(lanes));
  }
};

/// The last accesses to four bytes (or to one, where the four differ). A write
/// forgets the reads before it: they are ordered before it, or a race was
/// reported.
struct Cell {
  enum Flags : uint8_t {
    Strong = 1, ///< the write was atomic, volatile or has an order
    Narrow = 2, ///< and its scope is the block
    Split = 4,  ///< each byte has a cell of its own
    /// Two blocks of one launch read, neither of which can ever be ordered
    /// before another block of it. They stand for all of its readers: a later
    /// writer of the launch races with one of the two, whichever block it is
    /// in, and later work is ordered behind the whole launch or behind none.
    Pair = 8,
  };
  static constexpr uint32_t kList = ~0u;

  Time writeTime = 0;
  uint32_t writeBlock = 0;
  uint16_t writeThread = 0;
  uint8_t flags = 0;
  /// The instruction that wrote, for reports.
  uint32_t writeInst = 0;
  /// All reads at one time by the same lanes of some warps of one block; or, if
  /// readBlock is kList, readWarps is the number of a list of such. Of a pair
  /// they are the blocks, and readLanes a thread of each, of 16 bits.
  Time readTime = 0;
  uint32_t readBlock = 0, readWarps = 0, readLanes = 0;

  bool isPair() const { return flags & Pair; }
  void setReaders(const ReadSet &set) {
    readTime = set.time;
    readBlock = set.block;
    readWarps = set.warps;
    readLanes = set.lanes;
    flags &= ~Pair;
  }
  void setPair(const ReadSet &first, const ReadSet &second) {
    readTime = second.time;
    readBlock = first.block;
    readWarps = second.block;
    readLanes = first.firstThread() | second.firstThread() << 16;
    flags |= Pair;
  }
  /// Without a list: who read, the first of a pair.
  ReadSet readers() const {
    if (isPair())
      return ReadSet::ofThread(readTime, readBlock, readLanes & 0xffff);
    return {readTime, readBlock, readWarps, readLanes, false};
  }
  ReadSet secondReader() const {
    return ReadSet::ofThread(readTime, readWarps, readLanes >> 16);
  }
};
static_assert(sizeof(Cell) == 32, "there is one for each word of a model");

class Shadow {
public:
  void resize(uint64_t bytes, bool isDefined);
  /// Forgets everything; for shared memory, which the next block gets.
  void reset(bool isDefined);

  Cell &word(uint64_t offset) {
    Page *page = pages[offset >> 12].get();
    if (!page)
      page = makePage(offset >> 12);
    return page->words[offset >> 2 & 1023];
  }
  Cell &byte(uint64_t offset) {
    return pages[offset >> 12]->bytes[offset & 4095];
  }
  /// Gives each byte of the word a cell of its own.
  void split(uint64_t offset);

  std::vector<ReadSet> &listOf(const Cell &cell) {
    return lists[cell.readWarps];
  }
  void makeList(Cell &cell);
  /// The cell forgets its list, if it has one.
  void dropList(Cell &cell) {
    if (cell.readBlock != Cell::kList)
      return;
    lists[cell.readWarps].clear();
    freeLists.push_back(cell.readWarps);
    cell.readBlock = 0;
    cell.readTime = 0;
  }

  /// How many cells have a list.
  size_t countLists() const { return lists.size() - freeLists.size(); }
  /// Keeps one of the accesses in a list that are of one piece of work, which
  /// is over: later work is ordered behind all of them or behind none. `workOf`
  /// numbers it by their times.
  void mergeLists(const std::function<size_t(Time)> &workOf);

  DefinedBytes defined;
  uint64_t size = 0;

private:
  void mergeList(Cell &cell, const std::function<size_t(Time)> &workOf);
  struct Page {
    std::array<Cell, 1024> words;
    std::unique_ptr<Cell[]> bytes;
  };
  Page *makePage(uint64_t index);
  std::vector<std::unique_ptr<Page>> pages;
  std::vector<std::vector<ReadSet>> lists;
  std::vector<uint32_t> freeLists;
};

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_SHADOW_H
