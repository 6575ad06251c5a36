// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as a file of a Fast-Run cache: what can be read of it is written
// and read again, merged and asked for. Nothing may crash, and what is said of
// the rest must be fit for a terminal.
#include "runtime/fast_run/Cache.h"
#include "runtime/fast_run/RecordText.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace fusec::fast_run;

static void check(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

static Records readFile(const std::string &text) {
  Contents contents;
  parseSegment(text, "file", contents);
  check(contents.segments.size() == 1, "a file is a segment");
  for (const Damage &damage : contents.damages) {
    constexpr size_t longest = 200;
    check(!damage.reason.empty() && damage.reason.size() <= longest,
          "what is wrong is told in a few words");
    check(std::none_of(damage.reason.begin(), damage.reason.end(),
                       [](char c) {
                         return static_cast<unsigned char>(c) < 0x20 ||
                                c == 0x7f;
                       }),
          "what is wrong is told without control characters");
  }
  return contents.records;
}

/// What a session asks of a record.
static void askOf(Record record) {
  sortTimings(record.timings);
  for (const bool reproducible : {false, true})
    for (const bool naive : {false, true})
      for (const uint64_t limit : {uint64_t(0), UINT64_MAX}) {
        const Wish wish{reproducible, naive, limit};
        const Timing *taken = choose(record, wish);
        check(!taken || (taken->failure.empty() && taken->workspace <= limit &&
                         (naive || !taken->naive) &&
                         (!reproducible || taken->reproducible)),
              "what is chosen is as wished");
      }
}

static Records checkFile(const std::string &text) {
  const Records records = readFile(text);
  const std::string printed = records.print();
  Contents again;
  parseSegment(printed, "file", again);
  check(again.damages.empty() && again.segments.front().closed,
        "what is written is whole");
  check(again.records.print() == printed, "it is read as it was written");
  again.records.add(records);
  check(again.records.print() == printed, "merging is idempotent");
  for (const Record *record : records.getAll()) {
    check(text.find("\n" + print(*record) + "\n") != text.npos,
          "a record has one spelling");
    const auto found = records.find(record->kind, record->key);
    check(std::find(found.begin(), found.end(), record) != found.end(),
          "what is there is found");
    askOf(*record);
  }
  return records;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string text(reinterpret_cast<const char *>(data), size);
  checkFile(text);
  // Each line with the sum that it should have, which nobody hits by chance,
  // in two files by turns.
  const std::string header = std::string(kCacheHeader) + '\n';
  std::string files[] = {header, header};
  size_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    files[number++ % 2] += hash(line) + " " + line + "\n";
    begin = end + 1;
  }
  const Records a = checkFile(files[0]), b = checkFile(files[1]);
  Records ab = a, ba = b;
  ab.add(b);
  ba.add(a);
  check(ab.print() == ba.print(), "merging is commutative");
  return 0;
}
