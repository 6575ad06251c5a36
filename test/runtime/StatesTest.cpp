// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What sessions carry from one run to the next, and how it is kept and changed.
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fusec/runtime.hpp"
#include "test/runtime/StatesModel.h"

namespace {

fusec_tensor describe(std::vector<float> &array, const int64_t &dim) {
  return {array.data(), array.size() * sizeof(float), &dim, 1, FUSEC_F32};
}

/// Runs the entry for x's length; empty if that fails.
std::vector<float> run(fusec::Session &session, std::vector<float> x) {
  std::vector<float> y(x.size());
  const int64_t n = static_cast<int64_t>(x.size());
  const fusec_tensor in = describe(x, n), out = describe(y, n);
  return session.run(&in, 1, &out, 1) == FUSEC_OK ? y : std::vector<float>();
}

using Floats = std::vector<float>;

int countRuns(fusec::Session &session) {
  int32_t runs[2] = {};
  const int64_t two = 2;
  EXPECT_EQ(session.getState("runs", {runs, sizeof(runs), &two, 1, FUSEC_I32}),
            FUSEC_OK);
  return runs[0];
}

} // namespace

TEST(States, AreCarriedByEachSessionForItself) {
  CountingModel f;
  fusec::Session one(f.model), other(f.model);
  ASSERT_TRUE(one) << one.error();
  EXPECT_EQ(run(one, {1, 2}), Floats({1, 2}));
  EXPECT_EQ(run(one, {1, 2}), Floats({2, 4}));
  EXPECT_EQ(run(other, {5, 5}), Floats({5, 5}));
  EXPECT_EQ(run(one, {1, 2}), Floats({3, 6}));
  EXPECT_EQ(countRuns(one), 3);
  EXPECT_EQ(countRuns(other), 1);
  EXPECT_EQ(one.reset(), FUSEC_OK);
  EXPECT_EQ(countRuns(one), 0);
  EXPECT_EQ(run(one, {1, 2}), Floats({1, 2}));
}

TEST(States, StayWhereARunFails) {
  CountingModel f;
  fusec::Session session(f.model);
  run(session, {1, 2});
  EXPECT_EQ(run(session, {-1, 7}), Floats()); // behind what it has written
  EXPECT_EQ(run(session, {}), Floats());      // before it begins
  EXPECT_EQ(run(session, {1, 2}), Floats({2, 4}));
  EXPECT_EQ(countRuns(session), 2);
}

TEST(States, OfAnotherShapeNeedAReset) {
  CountingModel f;
  fusec::Session session(f.model);
  run(session, {1, 2});
  EXPECT_EQ(run(session, {1, 2, 3}), Floats());
  EXPECT_STREQ(session.error(),
               "state 'total' is f32[2] from the runs before, and this run "
               "needs f32[3]: reset the session first");
  EXPECT_EQ(run(session, {1, 2}), Floats({2, 4}));
  ASSERT_EQ(session.reset(), FUSEC_OK);
  EXPECT_EQ(run(session, {1, 2, 3}), Floats({1, 2, 3}));
  EXPECT_EQ(run(session, {1, 2, 3}), Floats({2, 4, 6}));
}

TEST(States, AreReadAndWrittenByName) {
  CountingModel f;
  fusec::Session session(f.model);
  run(session, {1, 2});
  Floats total = {10, 20}, longer = {0, 0, 0};
  const int64_t two = 2, three = 3;
  EXPECT_EQ(session.setState("total", describe(total, two)), FUSEC_OK);
  EXPECT_EQ(run(session, {1, 2}), Floats({11, 22}));

  EXPECT_EQ(session.setState("total", describe(longer, three)),
            FUSEC_INVALID_ARGUMENT);
  EXPECT_STREQ(session.error(), "state 'total': expected f32[2], got f32[3]");
  fusec_tensor integers = describe(total, two);
  integers.dtype = FUSEC_I32;
  EXPECT_EQ(session.setState("total", integers), FUSEC_INVALID_ARGUMENT);
  EXPECT_EQ(session.setState("totals", describe(total, two)),
            FUSEC_INVALID_ARGUMENT);
  EXPECT_STREQ(session.error(),
               "model 'counter' has no state 'totals'; it has 2, the first of "
               "them 'total'");
  EXPECT_EQ(session.getState(nullptr, describe(total, two)),
            FUSEC_INVALID_ARGUMENT);
  EXPECT_EQ(run(session, {1, 2}), Floats({12, 24}));
}

TEST(States, AreSavedAndRestored) {
  CountingModel f;
  fusec::Session one(f.model), other(f.model);
  run(one, {1, 2, 3});
  const std::string saved = one.save();
  ASSERT_FALSE(saved.empty());
  run(one, {1, 2, 3});
  run(other, {7, 7});
  // What was saved has the shapes of its entry, whatever ran since.
  ASSERT_EQ(other.restore(saved), FUSEC_OK) << other.error();
  EXPECT_EQ(run(other, {1, 2, 3}), Floats({2, 4, 6}));
  EXPECT_EQ(countRuns(other), 2);
  EXPECT_EQ(other.save(), one.save());

  std::string room(saved.size() - 1, '\0');
  uint64_t bytes = 0;
  EXPECT_EQ(fusec_session_save(one.get(), &room[0], room.size(), &bytes),
            FUSEC_INVALID_ARGUMENT);
  EXPECT_EQ(bytes, saved.size());
}

TEST(States, OfOtherModelsAndDamagedOnesAreRefused) {
  CountingModel f, another(/*weightsId=*/1);
  fusec::Session session(f.model);
  run(session, {1, 2});
  const std::string saved = session.save();
  fusec::Session foreign(another.model);
  EXPECT_EQ(foreign.restore(saved), FUSEC_BAD_STATE);
  EXPECT_STREQ(foreign.error(), "the saved states are another model's than "
                                "'counter', or of one with other weights");
  EXPECT_EQ(run(foreign, {1, 2}), Floats({1, 2}));

  run(session, {1, 2});
  for (size_t at = 0; at < saved.size(); ++at) {
    std::string damaged = saved;
    damaged[at] ^= 1;
    EXPECT_EQ(session.restore(damaged), FUSEC_BAD_STATE) << at;
    EXPECT_EQ(session.restore(saved.substr(0, at)), FUSEC_BAD_STATE) << at;
  }
  EXPECT_EQ(session.restore(saved + "x"), FUSEC_BAD_STATE);
  EXPECT_EQ(fusec_session_restore(session.get(), nullptr, 9), FUSEC_BAD_STATE);
  EXPECT_EQ(run(session, {1, 2}), Floats({3, 6}));
}

TEST(States, OfAModelWithoutAnyAreNothing) {
  CountingModel f;
  for (CountingEntry *entry : {&f.small, &f.large})
    entry->desc.num_states = 0;
  fusec::Session session(f.model);
  ASSERT_TRUE(session) << session.error();
  EXPECT_EQ(session.reset(), FUSEC_OK);
  EXPECT_EQ(session.restore(session.save()), FUSEC_OK);
  Floats x = {1, 2};
  const int64_t two = 2;
  EXPECT_EQ(session.getState("total", describe(x, two)),
            FUSEC_INVALID_ARGUMENT);
  EXPECT_EQ(fusec_session_reset(nullptr), FUSEC_INVALID_ARGUMENT);
}
