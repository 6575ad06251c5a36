// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/Shadow.h"

#include <algorithm>

using namespace fusec::ptx;

void DefinedBytes::set(uint64_t offset, uint64_t count, bool defined) {
  if (all && defined)
    return;
  all = false;
  while (count) {
    uint64_t shift = offset & 63, here = std::min<uint64_t>(count, 64 - shift);
    uint64_t mask = (here == 64 ? ~0ull : (1ull << here) - 1) << shift;
    if (defined)
      bits[offset >> 6] |= mask;
    else
      bits[offset >> 6] &= ~mask;
    offset += here;
    count -= here;
  }
}

bool DefinedBytes::testLong(uint64_t offset, uint64_t count) const {
  while (count) {
    uint64_t here = std::min<uint64_t>(count, 64 - (offset & 63));
    if (!test(offset, here))
      return false;
    offset += here;
    count -= here;
  }
  return true;
}

void Shadow::resize(uint64_t bytes, bool isDefined) {
  size = bytes;
  pages.clear();
  pages.resize((bytes >> 12) + 1);
  lists.clear();
  freeLists.clear();
  defined.resize(bytes, isDefined);
}

void Shadow::reset(bool isDefined) {
  for (std::unique_ptr<Page> &page : pages)
    if (page) {
      page->words.fill(Cell());
      page->bytes.reset();
    }
  lists.clear();
  freeLists.clear();
  defined.resize(size, isDefined);
}

Shadow::Page *Shadow::makePage(uint64_t index) {
  pages[index] = std::make_unique<Page>();
  return pages[index].get();
}

void Shadow::split(uint64_t offset) {
  Cell &whole = word(offset);
  Page &page = *pages[offset >> 12];
  if (!page.bytes)
    page.bytes = std::make_unique<Cell[]>(4096);
  for (int i = 0; i < 4; ++i) {
    Cell &part = page.bytes[(offset & 4092) + i];
    part = whole;
    if (whole.readBlock == Cell::kList) {
      part.readWarps = static_cast<uint32_t>(lists.size());
      lists.push_back(std::vector<ReadSet>(lists[whole.readWarps]));
    }
  }
  whole.flags |= Cell::Split;
}

void Shadow::makeList(Cell &cell) {
  dropList(cell);
  ReadSet before = cell.readers();
  cell.flags &= ~Cell::Pair;
  cell.readBlock = Cell::kList;
  if (freeLists.empty()) {
    cell.readWarps = static_cast<uint32_t>(lists.size());
    lists.emplace_back();
  } else {
    cell.readWarps = freeLists.back();
    freeLists.pop_back();
  }
  if (cell.readTime)
    lists[cell.readWarps].push_back(before);
}

void Shadow::mergeList(Cell &cell, const std::function<size_t(Time)> &workOf) {
  if (cell.readBlock != Cell::kList)
    return;
  std::vector<ReadSet> &list = listOf(cell), kept;
  for (const ReadSet &set : list) {
    auto isLike = [&](const ReadSet &other) {
      return other.isAtomic == set.isAtomic &&
             workOf(other.time) == workOf(set.time);
    };
    if (std::none_of(kept.begin(), kept.end(), isLike))
      kept.push_back(set);
  }
  if (kept.size() > 1 || (kept.size() == 1 && kept[0].isAtomic)) {
    list = kept;
    list.shrink_to_fit();
    return;
  }
  list = {};
  list.shrink_to_fit();
  dropList(cell);
  if (!kept.empty())
    cell.setReaders(kept[0]);
}

void Shadow::mergeLists(const std::function<size_t(Time)> &workOf) {
  for (std::unique_ptr<Page> &page : pages) {
    if (!page)
      continue;
    for (Cell &word : page->words)
      mergeList(word, workOf);
    for (uint64_t i = 0; page->bytes && i < 4096; ++i)
      mergeList(page->bytes[i], workOf);
  }
}
