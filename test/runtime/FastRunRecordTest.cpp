// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Fast-Run remembers: its text and its algebra.
#include "test/runtime/FastRunRecords.h"

#include <gtest/gtest.h>

using namespace fusec::fast_run;

namespace {
std::string parseError(const std::string &line) {
  Line parsed;
  return parse(line, parsed);
}

/// A line of `body` with the sum that it should have.
std::string sign(const std::string &body) { return hash(body) + " " + body; }
} // namespace

TEST(FastRunText, IsReadAsItWasWritten) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = print(makeRecord(random));
    Line line;
    ASSERT_EQ(parse(text, line), "") << text;
    ASSERT_TRUE(line.record);
    ASSERT_EQ(print(*line.record), text);
  }
}

TEST(FastRunText, EachDamagedByteShows) {
  Random random(2);
  const std::string text = print(makeRecord(random));
  for (size_t at = 0; at < text.size(); ++at) {
    std::string damaged = text;
    damaged[at] ^= 1;
    EXPECT_NE(parseError(damaged), "") << damaged;
    EXPECT_NE(parseError(text.substr(0, at)), "");
  }
}

TEST(FastRunText, SaysWhatIsWrong) {
  const std::string key = "key=0123456789abcdef";
  EXPECT_EQ(parseError(sign("group " + key)), "");
  EXPECT_EQ(parseError("nonsense"), "does not begin with the sum of a line");
  EXPECT_EQ(
      parseError(sign("kernel " + key)),
      "neither a group nor a model: 'kernel' is of a newer version, or of "
      "none");
  EXPECT_EQ(parseError(sign("group")), "no key");
  EXPECT_EQ(parseError(sign("group key=1")),
            "field 'key' is not 16 hexadecimal digits");
  EXPECT_EQ(parseError(sign("group " + key + " at=99999999999999999999")),
            "field 'at' is no number of 64 bits");
  EXPECT_EQ(parseError(sign("group " + key + " at=-1")),
            "field 'at' is no number of 64 bits");
  EXPECT_EQ(parseError(sign("group " + key + " colour=red")),
            "a field 'colour' that this version does not know");
  EXPECT_EQ(parseError(sign("group " + key + " device=\"AMD")),
            "a quote that does not end");
  EXPECT_EQ(parseError(sign("group " + key + " | picoseconds=1")),
            "a timing without a name");
  EXPECT_EQ(parseError(sign("group " + key + " device=\x1b[2J")),
            "control characters");
  EXPECT_EQ(parseError(sign("group " + key + " device=\"AMD\"")),
            "not as fusec writes it");
  EXPECT_EQ(parseError(std::string(kMostLineBytes + 1, 'x')),
            "more than 262144 bytes");
  EXPECT_EQ(parseError(sign("group " + std::string(1000, 'x') + "=1")),
            "a field '" + std::string(40, 'x') +
                "...' that this version does not know");
  std::string many = "group " + key;
  for (size_t i = 0; i <= kMostTimings; ++i)
    many += " | name=x";
  EXPECT_EQ(parseError(sign(many)), "more than 256 timings");
}

TEST(FastRunText, WritesNoControlCharacters) {
  Record record;
  record.key = hash("");
  record.backend.device = "a\nb\x1b";
  EXPECT_NE(print(record).find("device=a?b?"), std::string::npos);
}

TEST(FastRunRecord, EachFieldOfTheBackendCounts) {
  for (const BackendField &field : getBackendFields()) {
    Backend one, other;
    other.*field.member = "x";
    EXPECT_FALSE(one == other) << field.name;
    EXPECT_EQ(one.getDifferences(other), field.name);
    EXPECT_EQ(one.isSameMachine(other), std::string(field.name) == "compiler");
  }
}

TEST(FastRunRecord, HasAllThatWasMeasured) {
  const auto make = [](const char *name, uint64_t time, uint64_t workspace,
                       bool reproducible) {
    Timing timing;
    timing.name = name;
    timing.picoseconds = time;
    timing.workspace = workspace;
    timing.reproducible = reproducible;
    return timing;
  };
  Record record;
  record.timings = {make("slow", 4, 0, true), make("fast", 1, 100, false),
                    make("dominated", 3, 100, false),
                    make("small", 2, 10, false), make("wrong", 0, 0, true)};
  record.timings.back().failure = "other results than the naive one";
  sortTimings(record.timings);
  std::string names;
  for (const Timing &timing : record.timings)
    names += timing.name + " ";
  EXPECT_EQ(names, "fast small dominated slow wrong ");

  Wish wish;
  EXPECT_EQ(choose(record, wish)->name, "fast");
  wish.workspaceLimit = 50;
  EXPECT_EQ(choose(record, wish)->name, "small");
  wish.reproducible = true;
  EXPECT_EQ(choose(record, wish)->name, "slow");
  record.timings[3].naive = true;
  wish.naive = false;
  EXPECT_EQ(choose(record, wish), nullptr);
  // The default stays where it is not slower by more than the spread.
  wish = {};
  record.timings[1].isDefault = true;
  record.timings[1].picoseconds = record.timings[0].picoseconds + 5;
  EXPECT_EQ(choose(record, wish)->name, "fast");
  record.timings[0].spread = 5;
  EXPECT_EQ(choose(record, wish)->name, "small");
}

TEST(FastRunRecords, MergeIsThatOfSets) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const Records a = makeRecords(random), b = makeRecords(random),
                  c = makeRecords(random);
    ASSERT_EQ(merge(a, b).print(), merge(b, a).print());
    ASSERT_EQ(merge(merge(a, b), c).print(), merge(a, merge(b, c)).print());
    ASSERT_EQ(merge(a, a).print(), a.print());
    Contents again;
    parseSegment(a.print(), "file", again);
    ASSERT_TRUE(again.damages.empty());
    ASSERT_TRUE(again.segments.front().closed);
    ASSERT_EQ(again.records.print(), a.print());
  }
}

TEST(FastRunRecords, OfOneKernelTheNewestStays) {
  Record record;
  record.key = hash("key");
  record.timings.resize(1);
  record.timings[0].name = "fast";
  record.timings[0].kernel = hash("old kernel");
  record.at = 1;
  Records records;
  records.add(record);
  record.at = 3;
  records.add(record);
  record.at = 2;
  records.add(record);
  EXPECT_EQ(records.size(), 1u);
  record.timings[0].kernel = hash("new kernel");
  records.add(record);
  const auto found = records.find(RecordKind::group, record.key);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0]->at, 3u);
  EXPECT_EQ(found[1]->at, 2u);
  EXPECT_TRUE(records.find(RecordKind::model, record.key).empty());
}
