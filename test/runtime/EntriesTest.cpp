// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sessions of a model with several entries: the hand-written C model, for three
// lengths.
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fusec/runtime.hpp"
#include "test/runtime/EntriesModel.h"

namespace {

bool contains(const char *text, const char *part) {
  return std::strstr(text, part) != nullptr;
}

struct Fixture : Entries {
  fusec_model_options modelOptions = {};
  fusec_session_options options = {};
  int64_t mode = 0;
  std::vector<float> x, cache, y, cacheOut;

  fusec::Model makeModel() {
    modelOptions.weights = testmodel_weights(&modelOptions.weights_bytes);
    return fusec::Model(&descs[0], nullptr, modelOptions);
  }
  fusec_status run(fusec::Session &session, int64_t n) {
    const size_t size = static_cast<size_t>(n);
    x.assign(size, 2.0f);
    cache.assign(size, 0.5f);
    y.assign(size, 0.0f);
    cacheOut.assign(size, 0.0f);
    const int64_t dims[] = {n};
    const fusec_tensor in[] = {fusec::tensor(x.data(), dims),
                               fusec::tensor(cache.data(), dims),
                               fusec::tensor(&mode)};
    const fusec_tensor out[] = {fusec::tensor(y.data(), dims),
                                fusec::tensor(cacheOut.data(), dims)};
    return session.run(in, 3, out, 2);
  }
  void expectResult() const {
    for (size_t i = 0; i < y.size(); ++i) {
      ASSERT_EQ(y[i], 18.0f);
      ASSERT_EQ(cacheOut[i], 2.5f);
    }
  }
};

} // namespace

TEST(Entries, RunsTakeTheOneThatTheirInputsFit) {
  Fixture f;
  fusec::Model model = f.makeModel();
  ASSERT_TRUE(model) << model.error();
  fusec::Session session(model);
  ASSERT_TRUE(session) << session.error();
  EXPECT_EQ(session.desc().extents[0], 8);
  for (int64_t n : {1000, 8, 8, 16, 1000}) {
    ASSERT_EQ(f.run(session, n), FUSEC_OK) << session.error();
    f.expectResult();
    EXPECT_EQ(session.desc().extents[0], n);
  }
}

TEST(Entries, WhatFitsNoneIsToldAllOfThem) {
  Fixture f;
  fusec::Model model = f.makeModel();
  fusec::Session session(model);
  ASSERT_EQ(f.run(session, 16), FUSEC_OK);
  EXPECT_EQ(f.run(session, 9), FUSEC_INVALID_ARGUMENT);
  EXPECT_STREQ(session.error(), "model 'testmodel' has no entry for n=9; its "
                                "entries are n=8, n=16, n=1000");
  EXPECT_EQ(session.desc().extents[0], 16);
  // What is wrong otherwise is said as it is of other models.
  const int64_t square[] = {4, 4};
  const fusec_tensor in[] = {fusec::tensor(f.x.data(), square),
                             fusec::tensor(f.cache.data(), square),
                             fusec::tensor(&f.mode)};
  EXPECT_EQ(session.run(in, 3, nullptr, 2), FUSEC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(session.error(), "null")) << session.error();
  EXPECT_EQ(session.run(in, 2, nullptr, 2), FUSEC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(session.error(), "3 inputs")) << session.error();
}

TEST(Entries, ArePickedByTheirExtents) {
  Fixture f;
  fusec::Model model = f.makeModel();
  fusec::Session session(model);
  const int64_t good = 1000, bad = 1001, negative = -1;
  EXPECT_EQ(session.pick(&good, 1), FUSEC_OK);
  EXPECT_EQ(session.desc().outputs[0].dims[0], 1000);
  EXPECT_EQ(session.pick(&bad, 1), FUSEC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(session.error(), "n=8, n=16, n=1000"));
  EXPECT_EQ(session.pick(&negative, 1), FUSEC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(session.error(), "-1 is no extent of 'n'"));
  EXPECT_EQ(session.pick(&good, 2), FUSEC_INVALID_ARGUMENT);
  EXPECT_EQ(session.pick(nullptr, 1), FUSEC_INVALID_ARGUMENT);
  EXPECT_EQ(session.desc().outputs[0].dims[0], 1000);
  EXPECT_EQ(fusec_session_pick(nullptr, &good, 1), FUSEC_INVALID_ARGUMENT);
  // A model whose symbols are open has none.
  fusec_session_options options = {};
  options.symbols = &good;
  fusec::Model open(fusec_testmodel_query, nullptr, f.modelOptions);
  fusec::Session ofOpen(open, options);
  ASSERT_TRUE(ofOpen) << ofOpen.error();
  EXPECT_EQ(ofOpen.pick(&good, 1), FUSEC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(ofOpen.error(), "no entries"));
}

TEST(Entries, ShareTheArenaOfTheLargest) {
  Fixture f;
  fusec::Model model = f.makeModel();
  uint64_t all = 0, one = 0;
  ASSERT_EQ(fusec_session_memory(model.get(), nullptr, &all), FUSEC_OK);
  const int64_t n = 16, none = 17;
  f.options.symbols = &n;
  ASSERT_EQ(fusec_session_memory(model.get(), &f.options, &one), FUSEC_OK);
  EXPECT_EQ(all, 4032u); // 4000, aligned
  EXPECT_EQ(one, 64u);
  // A session for one entry alone has no other.
  fusec::Session session(model, f.options);
  ASSERT_TRUE(session) << session.error();
  EXPECT_EQ(f.run(session, 16), FUSEC_OK) << session.error();
  f.expectResult();
  EXPECT_EQ(f.run(session, 8), FUSEC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(session.error(), "f32[16]")) << session.error();
  f.options.symbols = &none;
  fusec::Session refused(model, f.options);
  EXPECT_EQ(refused.status(), FUSEC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(refused.error(), "n=8, n=16, n=1000"));
}

TEST(Entries, OfAnotherModelAreRefused) {
  Fixture f;
  f.descs[2].extents = nullptr;
  fusec::Model model = f.makeModel();
  EXPECT_EQ(model.status(), FUSEC_ABI_MISMATCH);
  f.descs[2].extents = f.descs[1].extents;
  f.descs[2].num_symbols = 0;
  EXPECT_EQ(f.makeModel().status(), FUSEC_ABI_MISMATCH);
}

TEST(Entries, LongListsAreCut) {
  Fixture f;
  std::vector<int64_t> extents(300);
  std::vector<fusec_model_desc> descs(300, f.descs[0]);
  std::vector<const fusec_model_desc *> others;
  for (size_t e = 0; e < extents.size(); ++e) {
    extents[e] = static_cast<int64_t>(1000 + e);
    descs[e].extents = &extents[e];
    descs[e].num_others = 0;
    if (e)
      others.push_back(&descs[e]);
  }
  descs[0].others = others.data();
  descs[0].num_others = 299;
  f.descs[0] = descs[0];
  fusec::Model model = f.makeModel();
  fusec::Session session(model);
  ASSERT_TRUE(session) << session.error();
  const int64_t last = 1299, none = 7;
  EXPECT_EQ(session.pick(&last, 1), FUSEC_OK);
  EXPECT_EQ(session.pick(&none, 1), FUSEC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(session.error(), "n=1000, n=1001")) << session.error();
  EXPECT_TRUE(contains(session.error(), " more")) << session.error();
}

TEST(Entries, SmallerExtentsArePaddedToTheNextLarger) {
  Fixture f;
  f.pad();
  fusec::Model model = f.makeModel();
  fusec::Session session(model);
  ASSERT_TRUE(session) << session.error();
  for (int64_t n : {7, 8, 1, 9, 16, 500, 17, 1000, 3}) {
    ASSERT_EQ(f.run(session, n), FUSEC_OK) << session.error();
    f.expectResult();
    EXPECT_EQ(session.desc().extents[0], n);
    EXPECT_EQ(session.desc().outputs[0].dims[0], n);
  }
  for (int64_t n : {0, 1001}) {
    EXPECT_EQ(f.run(session, n), FUSEC_INVALID_ARGUMENT);
    EXPECT_TRUE(contains(session.error(),
                         "its entries are n=8, n=16, n=1000, to which smaller "
                         "extents are padded"))
        << session.error();
  }
  // An output is written as far as it goes, and checked as others are.
  float x[3] = {2, 2, 2}, cache[3] = {}, y[5] = {0, 0, 0, -1, -1}, next[3];
  const int64_t dims[] = {3}, longer[] = {4};
  const fusec_tensor in[] = {fusec::tensor(x, dims), fusec::tensor(cache, dims),
                             fusec::tensor(&f.mode)};
  const fusec_tensor out[] = {fusec::tensor(y, dims),
                              fusec::tensor(next, dims)};
  ASSERT_EQ(session.run(in, 3, out, 2), FUSEC_OK) << session.error();
  EXPECT_EQ(y[2], 18.0f);
  EXPECT_EQ(y[3], -1.0f);
  const fusec_tensor odd[] = {fusec::tensor(y, longer),
                              fusec::tensor(next, dims)};
  EXPECT_EQ(session.run(in, 3, odd, 2), FUSEC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(session.error(), "output 'y': expected f32[3]"))
      << session.error();
}

TEST(Entries, ASessionOfOneEntryPadsAsWell) {
  Fixture f;
  f.pad();
  fusec::Model model = f.makeModel();
  const int64_t n = 16;
  f.options.symbols = &n;
  fusec::Session session(model, f.options);
  ASSERT_TRUE(session) << session.error();
  ASSERT_EQ(f.run(session, 11), FUSEC_OK) << session.error();
  f.expectResult();
  EXPECT_EQ(f.run(session, 8), FUSEC_INVALID_ARGUMENT);
}
