// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tuning in a program whose shapes come and go: each entry has kernels of its
// own, and may have some in common with others.
#include "test/runtime/TunedSessions.h"

using namespace tuned_sessions;

namespace {

using Names = std::vector<std::string>;

/// The model as it is compiled for two lengths, whose kernels have these keys.
struct KnownEntries {
  int64_t lengths[2] = {Runner::n, 2 * Runner::n};
  KnownModel small, large;
  fusec_tensor_desc inputs[2][3], outputs[2][2];
  const fusec_model_desc *others[1] = {&large.desc};

  KnownEntries(uint64_t smallKey, uint64_t largeKey)
      : small(smallKey), large(largeKey) {
    for (int e : {0, 1}) {
      fusec_model_desc &desc = e ? large.desc : small.desc;
      for (int i : {0, 1, 2})
        inputs[e][i] = desc.inputs[i];
      for (int i : {0, 1})
        outputs[e][i] = desc.outputs[i];
      inputs[e][0].dims = inputs[e][1].dims = &lengths[e];
      outputs[e][0].dims = outputs[e][1].dims = &lengths[e];
      desc.inputs = inputs[e];
      desc.outputs = outputs[e];
      desc.extents = &lengths[e];
    }
    small.desc.others = others;
    small.desc.num_others = 1;
  }
  KnownEntries(const KnownEntries &) = delete;
};

/// One session, which has both.
struct TunedEntries : TunerTest {
  fusec::Model model;
  fusec::Session session;
  /// What the clock says that the variants of either take.
  uint64_t costs[2][3] = {{900, 300, 500}, {900, 700, 200}};
  size_t entry = 0;

  TunedEntries() {
    options.clock = [](void *self) {
      auto &test = *static_cast<TunedEntries *>(self);
      const std::string name = test.variant();
      return test.clock.time += test.costs[test.entry][name == "packed"    ? 1
                                                       : name == "copying" ? 2
                                                                           : 0];
    };
    options.clock_self = this;
  }

  void create(KnownEntries &entries, const fusec::Tuner &tuner) {
    model = entries.small.load();
    fusec_session_options with = {};
    with.tuner = tuner.get();
    session = fusec::Session(model, with);
    ASSERT_TRUE(session) << session.error();
  }
  std::string variant() { return fusec_session_variant(session.get(), 0); }

  /// Runs the entry of that number, and says which variant that was.
  std::string runEntry(size_t number) {
    entry = number;
    const int64_t n = int64_t(number + 1) * Runner::n, dims[] = {n};
    int64_t mode = 0;
    std::vector<float> x(n, 2.0f), cache(n), y(n), cacheOut(n);
    const fusec_tensor in[] = {fusec::tensor(x.data(), dims),
                               fusec::tensor(cache.data(), dims),
                               fusec::tensor(&mode)};
    const fusec_tensor out[] = {fusec::tensor(y.data(), dims),
                                fusec::tensor(cacheOut.data(), dims)};
    EXPECT_EQ(session.run(in, 3, out, 2), FUSEC_OK) << session.error();
    for (const float value : y)
      EXPECT_EQ(value, 18.0f);
    return variant();
  }
  size_t count(const std::string &text, const std::string &part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos;
         at = text.find(part, at + 1))
      ++found;
    return found;
  }
};

} // namespace

TEST_F(TunedEntries, EachIsSearchedByItselfWhileShapesComeAndGo) {
  KnownEntries entries(0xa1, 0xa2);
  setRange(1, 19);
  fusec::Tuner tuner(options);
  create(entries, tuner);
  EXPECT_EQ(runEntry(1), "default"); // before the range
  Names small, large;
  for (int turn = 0; turn < 9; ++turn) {
    small.push_back(runEntry(0));
    large.push_back(runEntry(1));
  }
  // An entry's turns do not depend on those of another one.
  EXPECT_EQ(small, Names({"default", "packed", "copying", "default", "packed",
                          "copying", "default", "packed", "copying"}));
  EXPECT_EQ(large, small);
  EXPECT_EQ(runEntry(0), "packed");
  EXPECT_EQ(runEntry(1), "copying");
  EXPECT_EQ(runEntry(0), "packed");
  const std::string report = tuner.report();
  EXPECT_EQ(count(report, "\"from\":\"search\""), 2u) << report;
  // The rate of each step is that of its entry, of which two launches have a
  // key: nothing was known in the range, and everything behind it.
  EXPECT_EQ(count(report, "\"hits\":0,\"misses\":2,"), 19u) << report;
  EXPECT_NE(report.find("\"later\":{\"hits\":6,\"misses\":0,"),
            std::string::npos)
      << report;
}

TEST_F(TunedEntries, OneThatIsFirstSeenAfterTheRangeTakesItsDefault) {
  KnownEntries entries(0xa1, 0xa2);
  setRange(0, 9);
  options.cache = cache.c_str();
  {
    fusec::Tuner tuner(options);
    create(entries, tuner);
    for (int turn = 0; turn < 9; ++turn)
      runEntry(0);
    EXPECT_EQ(runEntry(1), "default");
    EXPECT_EQ(runEntry(0), "packed");
    EXPECT_EQ(runEntry(1), "default");
    const std::string report = tuner.report();
    EXPECT_EQ(count(report, "\"from\":\"search\""), 1u) << report;
    EXPECT_EQ(count(report, "\"from\":\"none\""), 1u) << report;
    EXPECT_NE(report.find("\"later\":{\"hits\":2,\"misses\":4,"),
              std::string::npos)
        << report;
    EXPECT_EQ(messages, "");
    session = fusec::Session();
  }
  // The next process knows the one, and searches the other.
  EXPECT_EQ(countRecords(), 1u);
  fusec::Tuner again(options);
  create(entries, again);
  EXPECT_EQ(runEntry(0), "packed");
  EXPECT_EQ(runEntry(1), "default");
  EXPECT_EQ(runEntry(1), "packed");
}

TEST_F(TunedEntries, OneThatIsSeenTooRarelyKeepsItsDefaultAndThatIsSaid) {
  KnownEntries entries(0xa1, 0xa2);
  setRange(0, 13);
  fusec::Tuner tuner(options);
  create(entries, tuner);
  for (int turn = 0; turn < 4; ++turn)
    runEntry(1);
  for (int turn = 0; turn < 9; ++turn)
    runEntry(0);
  EXPECT_EQ(runEntry(0), "packed");
  EXPECT_EQ(runEntry(1), "default");
  EXPECT_NE(messages.find("of 1 group some variant ran fewer than 3 times"),
            std::string::npos)
      << messages;
}

TEST_F(TunedEntries, WhatTheyHaveInCommonIsSearchedOnce) {
  KnownEntries entries(0xa1, 0xa1);
  setRange(0, 9);
  fusec::Tuner tuner(options);
  create(entries, tuner);
  for (int turn = 0; turn < 9; ++turn)
    runEntry(0);
  EXPECT_EQ(runEntry(0), "packed");
  // Though this entry has not run yet.
  EXPECT_EQ(runEntry(1), "packed");
  const std::string report = tuner.report();
  EXPECT_EQ(count(report, "\"key\":"), 1u) << report;
}
