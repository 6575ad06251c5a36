// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sessions of the hand-written C model that share a tuner, and a clock that the
// tests turn.
#ifndef FUSEC_TEST_RUNTIME_TUNEDSESSIONS_H
#define FUSEC_TEST_RUNTIME_TUNEDSESSIONS_H

#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fusec/runtime.hpp"
#include "runtime/fast_run/Cache.h"
#include "test/runtime/KnownModel.h"

namespace tuned_sessions {

/// A session and its arguments.
struct Runner {
  static constexpr int64_t n = 100;
  int64_t dims[1] = {n};
  int64_t symbols[1] = {n};
  int64_t mode = 0;
  std::vector<float> x = std::vector<float>(n, 2.0f), cache = x, y = x,
                     cacheOut = x;
  fusec::Model model;
  fusec_session_options options = {};
  fusec::Session session;

  Runner(KnownModel &known, const fusec::Tuner &tuner,
         std::vector<fusec_choice> choices = {})
      : model(known.load()) {
    options.symbols = symbols;
    options.tuner = tuner.get();
    options.choices = choices.data();
    options.num_choices = uint32_t(choices.size());
    session = fusec::Session(model, options);
    EXPECT_TRUE(session) << session.error();
  }

  std::string variant() { return fusec_session_variant(session.get(), 0); }

  fusec_status tryRun() {
    const fusec_tensor in[] = {fusec::tensor(x.data(), dims),
                               fusec::tensor(cache.data(), dims),
                               fusec::tensor(&mode)};
    const fusec_tensor out[] = {fusec::tensor(y.data(), dims),
                                fusec::tensor(cacheOut.data(), dims)};
    return session.run(in, 3, out, 2);
  }

  /// Runs once and says which variant that was. Results are right whatever it
  /// is.
  std::string run() {
    y.assign(n, -1.0f);
    EXPECT_EQ(tryRun(), FUSEC_OK) << session.error();
    for (const float value : y)
      EXPECT_EQ(value, 18.0f);
    return variant();
  }
};

/// A clock by which the variants take what `costs` says, in nanoseconds.
struct Clock {
  Runner *runner = nullptr;
  uint64_t time = 0;
  uint64_t defaultCost = 900, packedCost = 300, copyingCost = 500;

  static uint64_t read(void *self) {
    Clock &clock = *static_cast<Clock *>(self);
    const std::string name = clock.runner->variant();
    clock.time += name == "packed"    ? clock.packedCost
                  : name == "copying" ? clock.copyingCost
                                      : clock.defaultCost;
    return clock.time;
  }
};

class TunerTest : public testing::Test {
protected:
  TunerTest() {
    char name[] = "/tmp/fusec-tuner-XXXXXX";
    folder = mkdtemp(name);
    cache = folder + "/cache";
    options.clock = Clock::read;
    options.clock_self = &clock;
    options.log = [](void *self, const char *message) {
      static_cast<TunerTest *>(self)->messages += std::string(message) + "\n";
    };
    options.log_self = this;
  }
  ~TunerTest() override { (void)!system(("rm -r " + folder).c_str()); }

  void setRange(uint64_t begin, uint64_t end) {
    options.begin = begin;
    options.end = end;
  }
  /// The variants of `count` runs.
  std::vector<std::string> run(Runner &runner, size_t count) {
    clock.runner = &runner;
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i)
      names.push_back(runner.run());
    return names;
  }
  size_t countRecords() {
    return fusec::fast_run::read(fusec::fast_run::getFileSystem(), cache, true)
        .records.size();
  }

  std::string folder, cache, messages;
  Clock clock;
  fusec_tuner_options options = {};
  KnownModel known;
};

} // namespace tuned_sessions

#endif // FUSEC_TEST_RUNTIME_TUNEDSESSIONS_H
