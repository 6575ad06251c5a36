// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models and sessions, on the hand-written C model.
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "fusec/runtime.hpp"
#include "fusec/weights_hash.h"
#include "test/runtime/TestModel.h"

namespace {

fusec_model_options inMemory() {
  fusec_model_options options = {};
  options.weights = testmodel_weights(&options.weights_bytes);
  return options;
}

/// A session of the test model and arguments that fit it.
struct Fixture {
  static constexpr int64_t n = 1000;
  int64_t dims[1] = {n};
  int64_t symbols[1] = {n};
  int64_t mode = 0;
  std::vector<float> x = std::vector<float>(n), cache = std::vector<float>(n),
                     y = std::vector<float>(n),
                     cacheOut = std::vector<float>(n);
  fusec::Model model{fusec_testmodel_query, nullptr, inMemory()};
  fusec_session_options options = {};

  Fixture() {
    options.symbols = symbols;
    for (int64_t i = 0; i < n; ++i) {
      x[size_t(i)] = float(i);
      cache[size_t(i)] = 0.5f;
    }
  }

  fusec_tensor vector(std::vector<float> &v) {
    return fusec::tensor(v.data(), dims);
  }
  fusec_status run(fusec::Session &session) {
    const fusec_tensor in[] = {vector(x), vector(cache), fusec::tensor(&mode)};
    const fusec_tensor out[] = {vector(y), vector(cacheOut)};
    return session.run(in, 3, out, 2);
  }
  void expectResult() {
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(y[size_t(i)], float(i) * 9.0f);
      ASSERT_EQ(cacheOut[size_t(i)], float(i) + 0.5f);
    }
  }
};

bool contains(const char *text, const char *part) {
  return std::strstr(text, part) != nullptr;
}

} // namespace

TEST(Model, RefusesAnotherAbi) {
  EXPECT_EQ(fusec_testmodel_query(FUSEC_ABI_VERSION + 1), nullptr);
  fusec::Model none(static_cast<const fusec_model_desc *>(nullptr));
  EXPECT_FALSE(none);
  EXPECT_EQ(none.status(), FUSEC_ABI_MISMATCH);
  fusec_model_desc other = *fusec_testmodel_query(FUSEC_ABI_VERSION);
  other.abi_version = FUSEC_ABI_VERSION + 1;
  fusec::Model wrong(&other, nullptr, inMemory());
  EXPECT_EQ(wrong.status(), FUSEC_ABI_MISMATCH);
  const std::string version =
      "ABI version " + std::to_string(FUSEC_ABI_VERSION + 1);
  EXPECT_TRUE(contains(wrong.error(), version.c_str())) << wrong.error();
}

TEST(Model, RefusesABrokenDescriptor) {
  fusec_model_desc broken = *fusec_testmodel_query(FUSEC_ABI_VERSION);
  broken.num_kernels = 1;
  fusec::Model kernels(&broken, nullptr, inMemory());
  EXPECT_EQ(kernels.status(), FUSEC_ABI_MISMATCH);
  EXPECT_TRUE(contains(kernels.error(), "'accumulate'")) << kernels.error();
  broken = *fusec_testmodel_query(FUSEC_ABI_VERSION);
  broken.num_groups = 1;
  fusec::Model launches(&broken, nullptr, inMemory());
  EXPECT_TRUE(contains(launches.error(), "'accumulate'")) << launches.error();
}

TEST(Model, ChecksItsWeights) {
  const fusec_query_fn query = fusec_testmodel_query;
  fusec::Model missing(query);
  EXPECT_EQ(missing.status(), FUSEC_INVALID_ARGUMENT);
  fusec::Model noFile(query, "/nowhere/weights.bin");
  EXPECT_EQ(noFile.status(), FUSEC_IO_ERROR);
  EXPECT_TRUE(contains(noFile.error(), "/nowhere/weights.bin"));
  fusec::Session without(noFile);
  EXPECT_EQ(without.status(), noFile.status());
  EXPECT_TRUE(contains(without.error(), "/nowhere/weights.bin"))
      << without.error();
  // Each object knows its own reason.
  fusec::Model other(query, "/elsewhere/weights.bin");
  fusec::Session withOther(other);
  EXPECT_TRUE(contains(noFile.error(), "/nowhere/weights.bin"));
  EXPECT_TRUE(contains(without.error(), "/nowhere/weights.bin"));
  EXPECT_TRUE(contains(withOther.error(), "/elsewhere/weights.bin"));
  fusec::Model folder(query, "/");
  EXPECT_EQ(folder.status(), FUSEC_IO_ERROR);

  alignas(64) char bytes[128] = {};
  fusec_model_options options = inMemory();
  std::memcpy(bytes, options.weights, options.weights_bytes);
  options.weights = bytes;
  options.weights_bytes = 67;
  EXPECT_EQ(fusec::Model(query, nullptr, options).status(), FUSEC_BAD_WEIGHTS);
  options.weights_bytes = 20;
  EXPECT_EQ(fusec::Model(query, nullptr, options).status(), FUSEC_BAD_WEIGHTS);
  options.weights_bytes = 68;
  bytes[16] ^= 1; // the id
  fusec_model_desc ownOnly = *query(FUSEC_ABI_VERSION);
  ownOnly.weights_structure = 0; // no others may be swapped in
  fusec::Model otherId(&ownOnly, nullptr, options);
  EXPECT_EQ(otherId.status(), FUSEC_BAD_WEIGHTS);
  EXPECT_TRUE(contains(otherId.error(), "testmodel")) << otherId.error();
  bytes[16] ^= 1;
  EXPECT_EQ(fusec::Model(query, nullptr, options).status(), FUSEC_OK);
  bytes[0] = 'X';
  EXPECT_EQ(fusec::Model(query, nullptr, options).status(), FUSEC_BAD_WEIGHTS);
  options.weights = bytes + 4;
  EXPECT_EQ(fusec::Model(query, nullptr, options).status(),
            FUSEC_INVALID_ARGUMENT);
}

TEST(Model, TellsThatWeightsChanged) {
  alignas(64) char bytes[128] = {};
  fusec_model_options options = inMemory();
  std::memcpy(bytes, options.weights, options.weights_bytes);
  options.weights = bytes;
  fusec_model_desc desc = *fusec_testmodel_query(FUSEC_ABI_VERSION);
  fusec::WeightsHash hash;
  hash.add(bytes + sizeof(fusec_weights_header),
           desc.weights_bytes - sizeof(fusec_weights_header));
  desc.weights_id = hash.value();
  std::memcpy(bytes + 16, &desc.weights_id, sizeof(desc.weights_id));
  fusec::Model model(&desc, nullptr, options);
  ASSERT_EQ(model.status(), FUSEC_OK) << model.error();
  EXPECT_TRUE(model.checkWeights());
  // Whoever changes a weight changes what the model computes.
  bytes[desc.weights_bytes - 1] ^= 1;
  EXPECT_FALSE(model.checkWeights());
  EXPECT_TRUE(contains(fusec_last_error(nullptr), "have changed"));
  EXPECT_FALSE(fusec::Model().checkWeights());
  EXPECT_EQ(fusec_model_check_weights(nullptr), FUSEC_INVALID_ARGUMENT);
}

TEST(Session, Runs) {
  Fixture f;
  fusec::Session session(f.model, f.options);
  ASSERT_TRUE(session) << session.error();
  EXPECT_STREQ(session.isa(), "baseline");
  ASSERT_EQ(f.run(session), FUSEC_OK) << session.error();
  f.expectResult();
}

TEST(Session, UpdatesInPlaceWhereDeclared) {
  Fixture f;
  fusec::Session session(f.model, f.options);
  const fusec_tensor in[] = {f.vector(f.x), f.vector(f.cache),
                             fusec::tensor(&f.mode)};
  const fusec_tensor out[] = {f.vector(f.y), f.vector(f.cache)};
  ASSERT_EQ(session.run(in, 3, out, 2), FUSEC_OK) << session.error();
  EXPECT_EQ(f.cache[10], 10.5f);
  ASSERT_EQ(session.run(in, 3, out, 2), FUSEC_OK);
  EXPECT_EQ(f.cache[10], 20.5f);
}

TEST(Session, RefusesOverlap) {
  Fixture f;
  fusec::Session session(f.model, f.options);
  fusec_tensor in[] = {f.vector(f.x), f.vector(f.cache),
                       fusec::tensor(&f.mode)};
  const auto expect = [&](fusec_tensor y, fusec_tensor cacheOut,
                          const char *text) {
    const fusec_tensor out[] = {y, cacheOut};
    EXPECT_EQ(session.run(in, 3, out, 2), FUSEC_INVALID_ARGUMENT);
    EXPECT_TRUE(contains(session.error(), text)) << session.error();
  };
  expect(f.vector(f.x), f.vector(f.cacheOut), "output 'y' overlaps input 'x'");
  expect(f.vector(f.y), f.vector(f.y), "'cache_out' overlaps output 'y'");
  // Declared, but shifted by one element.
  std::vector<float> longer(1001);
  in[1] = fusec::tensor(longer.data(), f.dims);
  expect(f.vector(f.y), fusec::tensor(longer.data() + 1, f.dims),
         "does not start where it does");
}

TEST(Session, NamesWhatIsWrongWithAnArgument) {
  Fixture f;
  fusec::Session session(f.model, f.options);
  const fusec_tensor good[] = {f.vector(f.x), f.vector(f.cache),
                               fusec::tensor(&f.mode)};
  const fusec_tensor out[] = {f.vector(f.y), f.vector(f.cacheOut)};
  const auto expect = [&](fusec_tensor x, const char *text) {
    const fusec_tensor in[] = {x, good[1], good[2]};
    EXPECT_EQ(session.run(in, 3, out, 2), FUSEC_INVALID_ARGUMENT);
    EXPECT_TRUE(contains(session.error(), text)) << session.error();
  };
  const int64_t shorter[] = {999};
  expect(fusec::tensor(f.x.data(), shorter),
         "input 'x': expected f32[1000], got f32[999]");
  std::vector<int32_t> integers(1000);
  expect(fusec::tensor(integers.data(), f.dims), "got i32[1000]");
  expect(fusec::tensor(f.x.data()), "got f32[]");
  fusec_tensor odd = good[0];
  odd.rank = UINT32_MAX; // there are not that many dimensions to read
  expect(odd, "expected f32[1000], got f32 of rank 4294967295");
  odd = good[0];
  odd.bytes = 12;
  expect(odd, "expected 4000 bytes for f32[1000], got 12");
  odd = good[0];
  odd.data = nullptr;
  expect(odd, "null pointer");
  odd = good[0];
  odd.data = reinterpret_cast<char *>(f.x.data()) + 1;
  expect(odd, "aligned to 4 bytes");
  EXPECT_EQ(session.run(good, 2, out, 2), FUSEC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(session.error(), "3 inputs and 2 outputs, got 2 and 2"));
  EXPECT_EQ(session.run(nullptr, 3, out, 2), FUSEC_INVALID_ARGUMENT);
  // A good run clears the text.
  EXPECT_EQ(session.run(good, 3, out, 2), FUSEC_OK);
  EXPECT_STREQ(session.error(), "");
}

TEST(Session, TakesPointersOfElementAlignment) {
  Fixture f;
  fusec::Session session(f.model, f.options);
  std::vector<float> x(1001), y(1001);
  x[1] = 2.0f;
  const fusec_tensor in[] = {fusec::tensor(x.data() + 1, f.dims),
                             f.vector(f.cache), fusec::tensor(&f.mode)};
  const fusec_tensor out[] = {fusec::tensor(y.data() + 1, f.dims),
                              f.vector(f.cacheOut)};
  ASSERT_EQ(session.run(in, 3, out, 2), FUSEC_OK) << session.error();
  EXPECT_EQ(y[1], 18.0f);
}

TEST(Session, ReportsAFailingModel) {
  Fixture f;
  fusec::Session session(f.model, f.options);
  f.mode = 7;
  EXPECT_EQ(f.run(session), FUSEC_UNSUPPORTED);
  EXPECT_TRUE(contains(session.error(), "model 'testmodel' failed"));
}

TEST(Session, ChoosesVariantsByName) {
  Fixture f;
  const fusec_choice choices[] = {{nullptr, "default"}, {"scale", "copying"}};
  f.options.choices = choices;
  f.options.num_choices = 2;
  fusec::Session session(f.model, f.options);
  ASSERT_TRUE(session) << session.error();
  EXPECT_STREQ(fusec_session_variant(session.get(), 0), "copying");
  EXPECT_STREQ(fusec_session_variant(session.get(), 1), "default");
  EXPECT_EQ(fusec_session_variant(session.get(), 2), nullptr);
  ASSERT_EQ(f.run(session), FUSEC_OK);
  f.expectResult();

  const fusec_choice wrong[] = {
      {"scale", "fast"}, {"scales", "default"}, {nullptr, "fast"}};
  const char *const texts[] = {"group 'scale' has no variant 'fast'",
                               "has no group 'scales'",
                               "model 'testmodel' has no variant 'fast'"};
  for (int i = 0; i < 3; ++i) {
    f.options.choices = &wrong[i];
    f.options.num_choices = 1;
    fusec::Session none(f.model, f.options);
    EXPECT_EQ(none.status(), FUSEC_UNSUPPORTED);
    EXPECT_TRUE(contains(none.error(), texts[i])) << none.error();
  }
}

TEST(Session, RefusesChoicesWithoutAList) {
  Fixture f;
  f.options.choices = nullptr;
  f.options.num_choices = 3;
  fusec::Session session(f.model, f.options);
  EXPECT_FALSE(session);
  EXPECT_TRUE(contains(session.error(), "3 choices")) << session.error();
}

TEST(Session, PacksOncePerModel) {
  Fixture f;
  const fusec_choice choice = {"scale", "packed"};
  f.options.choices = &choice;
  f.options.num_choices = 1;
  const uint32_t before = testmodel_packs();
  for (int i = 0; i < 3; ++i) {
    fusec::Session session(f.model, f.options);
    ASSERT_EQ(f.run(session), FUSEC_OK);
    f.expectResult();
  }
  EXPECT_EQ(testmodel_packs() - before, 2u); // one for each launch
}

TEST(Session, NeedsItsSymbols) {
  Fixture f;
  f.options.symbols = nullptr;
  fusec::Session session(f.model, f.options);
  EXPECT_EQ(session.status(), FUSEC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(session.error(), "'n'")) << session.error();
  const int64_t zero = 0;
  f.options.symbols = &zero;
  EXPECT_EQ(fusec::Session(f.model, f.options).status(),
            FUSEC_INVALID_ARGUMENT);
}

TEST(Session, UsesTheCallersArena) {
  Fixture f;
  const fusec_choice choice = {"scale", "copying"};
  f.options.choices = &choice;
  f.options.num_choices = 1;
  uint64_t bytes = 0;
  ASSERT_EQ(fusec_session_memory(f.model.get(), &f.options, &bytes), FUSEC_OK);
  EXPECT_EQ(bytes, 4032u + 64u); // arena of 4000 bytes, then workspace
  std::vector<char> memory(bytes + 64);
  char *start = memory.data() +
                (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) % 64;
  f.options.arena = start;
  f.options.arena_bytes = bytes;
  {
    fusec::Session session(f.model, f.options);
    ASSERT_EQ(f.run(session), FUSEC_OK) << session.error();
    f.expectResult();
    float first;
    std::memcpy(&first, start + 4, sizeof(first));
    EXPECT_EQ(first, 3.0f); // w * x[1]
  }
  f.options.arena_bytes = bytes - 1;
  EXPECT_EQ(fusec::Session(f.model, f.options).status(),
            FUSEC_INVALID_ARGUMENT);
  f.options.arena = start + 4;
  EXPECT_EQ(fusec::Session(f.model, f.options).status(),
            FUSEC_INVALID_ARGUMENT);
}

TEST(Session, ReportsItsLaunches) {
  Fixture f;
  std::vector<int> seen;
  const auto begin = [](void *self, uint32_t launch) {
    static_cast<std::vector<int> *>(self)->push_back(int(launch) + 1);
  };
  const auto end = [](void *self, uint32_t launch) {
    static_cast<std::vector<int> *>(self)->push_back(-int(launch) - 1);
  };
  const fusec_profile_hook hook = {begin, end, &seen, nullptr};
  f.options.profile = &hook;
  fusec::Session session(f.model, f.options);
  ASSERT_EQ(f.run(session), FUSEC_OK);
  EXPECT_EQ(seen, (std::vector<int>{1, -1, 2, -2}));
}

TEST(Session, LogsThroughTheCallback) {
  std::string log;
  fusec_model_options options = inMemory();
  options.log = [](void *self, const char *message) {
    *static_cast<std::string *>(self) += message;
  };
  options.log_self = &log;
  Fixture f;
  f.model = fusec::Model(fusec_testmodel_query, nullptr, options);
  fusec::Session session(f.model, f.options);
  EXPECT_NE(log.find("baseline kernels"), std::string::npos) << log;
}

TEST(Session, RefusesAnUnknownInstructionSet) {
  Fixture f;
  f.options.isa = "sse9";
  fusec::Session session(f.model, f.options);
  EXPECT_EQ(session.status(), FUSEC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(session.error(), "sse9"));
}

TEST(Session, RunsOnceAtATime) {
  Fixture f;
  // The first run waits in its own parallel_for until the second was refused.
  struct State {
    Fixture *f;
    fusec::Session *session;
    fusec_status second = FUSEC_OK;
  } state{&f, nullptr};
  f.options.threads = 2;
  f.options.parallel_self = &state;
  f.options.parallel_for = [](void *self, int64_t n, int64_t,
                              fusec_range_fn body, void *ctx) {
    State &s = *static_cast<State *>(self);
    std::thread([&] { s.second = s.f->run(*s.session); }).join();
    body(ctx, 0, n);
  };
  fusec::Session session(f.model, f.options);
  state.session = &session;
  EXPECT_EQ(f.run(session), FUSEC_OK);
  EXPECT_EQ(state.second, FUSEC_BUSY);
  f.expectResult();
}

TEST(Session, SessionsOfOneModelRunTogether) {
  Fixture shared;
  fusec::ThreadPool pool(2);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Fixture f;
      f.options.pool = pool.get();
      const fusec_choice choice = {"scale", t % 2 ? "packed" : "default"};
      f.options.choices = &choice;
      f.options.num_choices = 1;
      fusec::Session session(shared.model, f.options);
      for (int i = 0; i < 50; ++i) {
        std::fill(f.y.begin(), f.y.end(), 0.0f);
        ASSERT_EQ(f.run(session), FUSEC_OK);
        f.expectResult();
      }
    });
  }
  for (std::thread &t : threads)
    t.join();
}

TEST(Session, NullArguments) {
  fusec_session *session;
  EXPECT_EQ(fusec_session_create(nullptr, nullptr, &session),
            FUSEC_INVALID_ARGUMENT);
  EXPECT_EQ(session, nullptr);
  EXPECT_EQ(fusec_session_run(nullptr, nullptr, 0, nullptr, 0),
            FUSEC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(fusec_last_error(nullptr), "no session"));
  fusec_session_destroy(nullptr);
  fusec_model_destroy(nullptr);
  EXPECT_STREQ(fusec_status_name(FUSEC_BAD_WEIGHTS), "bad weights");
  EXPECT_STREQ(fusec_dtype_name(FUSEC_BF16), "bf16");
  EXPECT_EQ(fusec_dtype_bytes(FUSEC_I64), 8u);
}
