// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/Clock.h"

#include <algorithm>

using namespace fusec::ptx;

void Knowledge::add(uint64_t key, Time time) {
  auto at = std::lower_bound(
      entries.begin(), entries.end(), key,
      [](const Entry &entry, uint64_t key) { return entry.key < key; });
  if (at != entries.end() && at->key == key)
    at->time = std::max(at->time, time);
  else
    entries.insert(at, {key, time});
}

void Knowledge::join(const Knowledge &other) {
  if (&other == this || other.entries.empty())
    return;
  std::vector<Entry> both;
  both.reserve(entries.size() + other.entries.size());
  auto a = entries.begin();
  auto b = other.entries.begin();
  while (a != entries.end() || b != other.entries.end()) {
    if (b == other.entries.end() || (a != entries.end() && a->key < b->key)) {
      both.push_back(*a++);
    } else if (a == entries.end() || b->key < a->key) {
      both.push_back(*b++);
    } else {
      both.push_back({a->key, std::max(a->time, b->time)});
      ++a, ++b;
    }
  }
  entries.swap(both);
}

Time Knowledge::find(uint64_t key) const {
  auto at = std::lower_bound(
      entries.begin(), entries.end(), key,
      [](const Entry &entry, uint64_t key) { return entry.key < key; });
  return at != entries.end() && at->key == key ? at->time : 0;
}

Time Knowledge::of(uint32_t block, uint32_t thread) const {
  if (entries.empty())
    return 0;
  return std::max({find(blockKey(block)), find(warpKey(block, thread / 32)),
                   find(threadKey(block, thread))});
}

KnowledgePtr fusec::ptx::join(const KnowledgePtr &a, const KnowledgePtr &b) {
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  auto both = std::make_shared<Knowledge>(*a);
  both->join(*b);
  return both;
}
