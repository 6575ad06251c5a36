// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/lock/Lock.h"

#include "dialects/TargetInfo.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace fusec::lock {

template <typename T>
static ArrayRef<T> listEntries(const std::map<std::string, std::vector<T>> &all,
                               const std::string &key) {
  auto found = all.find(key);
  return found == all.end() ? ArrayRef<T>() : ArrayRef(found->second);
}

static bool isFor(const Entry &entry, StringRef isa) {
  return entry.isa.empty() || entry.isa == isa;
}

template <typename T> static const T *find(ArrayRef<T> entries, StringRef isa) {
  const auto *found = llvm::find_if(entries, [&](const T &entry) {
    return entry.threads == 0 && isFor(entry, isa);
  });
  return found == entries.end() ? nullptr : found;
}

template <typename T>
static SmallVector<const T *> findByThreads(ArrayRef<T> entries,
                                            StringRef isa) {
  SmallVector<const T *> result;
  for (const T &entry : entries)
    if (entry.threads && isFor(entry, isa))
      result.push_back(&entry);
  llvm::sort(result,
             [](const T *a, const T *b) { return a->threads < b->threads; });
  return result;
}

const Choice *Lock::findChoice(const std::string &key, StringRef isa) const {
  return find(listEntries(choices, key), isa);
}

const Group *Lock::findGroup(const std::string &key, StringRef isa) const {
  return find(listEntries(groups, key), isa);
}

SmallVector<const Choice *> Lock::findChoicesByThreads(const std::string &key,
                                                       StringRef isa) const {
  return findByThreads(listEntries(choices, key), isa);
}

SmallVector<const Group *> Lock::findGroupsByThreads(const std::string &key,
                                                     StringRef isa) const {
  return findByThreads(listEntries(groups, key), isa);
}

const Group *Lock::findAny(const std::string &key) const {
  ArrayRef<Group> entries = listEntries(groups, key);
  return entries.empty() ? nullptr : &entries.front();
}

bool Lock::isDecided(const std::string &key) const {
  return llvm::all_of(getTargetInfo(row)->sets, [&](const auto *set) {
    return findGroup(key, set->name) || findChoice(key, set->name);
  });
}

template <typename T>
static void sortByPlace(std::vector<T> &entries, StringRef row) {
  const TargetInfo &target = *getTargetInfo(row);
  auto rank = [&](const T &entry) {
    size_t set = entry.isa.empty()
                     ? 0
                     : 1 + (llvm::find(target.sets, target.getSet(entry.isa)) -
                            target.sets.begin());
    return std::pair(set, entry.threads);
  };
  llvm::sort(entries,
             [&](const T &a, const T &b) { return rank(a) < rank(b); });
}

void sortEntries(std::vector<Choice> &entries, StringRef row) {
  sortByPlace(entries, row);
}

void sortEntries(std::vector<Group> &entries, StringRef row) {
  sortByPlace(entries, row);
}

/// Puts `entries` in the place of those of the key, whose comments stay.
template <typename T>
static void replace(std::vector<T> &known, const std::vector<T> &entries) {
  std::vector<T> old = std::move(known);
  known = entries;
  for (const T &before : old)
    for (T &entry : known)
      if (!before.comment.empty() &&
          ((entry.isa == before.isa && entry.threads == before.threads) ||
           &entry == &known.front()))
        entry.comment = before.comment;
}

void Lock::add(const Lock &other) {
  for (const auto &[key, entries] : other.choices)
    replace(choices[key], entries);
  for (const auto &[key, entries] : other.groups)
    replace(groups[key], entries);
}

std::string Lock::print() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << header << kMagic << ' ' << kFormat << '\n';
  std::map<std::string, std::string> sections = others;
  sections[row] = printSection();
  for (const auto &[name, section] : sections)
    os << '\n' << section;
  if (!trailer.empty())
    os << '\n' << trailer;
  return text;
}

std::string Lock::printSection() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << comment << "target " << row << '\n';
  auto begin = [&](const Entry &entry, StringRef kind, StringRef key) {
    os << '\n' << entry.comment << kind << ' ' << key;
    if (!entry.isa.empty())
      os << " isa=" << entry.isa;
    if (entry.threads)
      os << " threads=" << entry.threads;
  };
  for (const auto &[key, entries] : choices)
    for (const Choice &choice : entries) {
      begin(choice, "choice", key);
      os << " algorithm=" << choice.algorithm << '\n';
    }
  for (const auto &[key, entries] : groups)
    for (const Group &group : entries) {
      begin(group, "group", key);
      os << " proposer=" << group.proposer << " variant=" << group.variant
         << " config=" << group.config << '\n';
    }
  return text;
}

} // namespace fusec::lock
