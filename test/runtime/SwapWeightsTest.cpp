// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Other weights for a model that runs, on the hand-written C model, which
// multiplies by its one weight twice.
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "fusec/runtime.hpp"
#include "fusec/weights_hash.h"
#include "test/runtime/TestModel.h"

namespace {

/// A weights file of the test model.
struct File {
  alignas(FUSEC_ALIGNMENT) char bytes[128] = {};
  fusec_model_options options = {};

  explicit File(float w) {
    options.weights = bytes;
    const void *compiled = testmodel_weights(&options.weights_bytes);
    std::memcpy(bytes, compiled, options.weights_bytes);
    std::memcpy(bytes + sizeof(fusec_weights_header), &w, sizeof(w));
    edit([&](fusec_weights_header &header) {
      fusec::WeightsHash hash;
      hash.add(&w, sizeof(w));
      header.id = hash.value();
    });
  }
  template <typename Edit> void edit(Edit change) {
    fusec_weights_header header;
    std::memcpy(&header, bytes, sizeof(header));
    change(header);
    std::memcpy(bytes, &header, sizeof(header));
  }
};

/// Models with the weight 3, as compiled, whose files outlive them.
struct SwapWeights : testing::Test {
  fusec_model_desc desc = *fusec_testmodel_query(FUSEC_ABI_VERSION);
  fusec::Model model = make();
  static constexpr int64_t n = 64;
  const int64_t symbols[1] = {n}, dims[1] = {n};

  fusec::Model make() {
    fusec_model_options options = {};
    options.weights = testmodel_weights(&options.weights_bytes);
    return fusec::Model(&desc, nullptr, options);
  }
  fusec::Session create(const char *variant = "default") {
    const fusec_choice choice = {"scale", variant};
    fusec_session_options options = {};
    options.symbols = symbols;
    options.choices = &choice;
    options.num_choices = 1;
    return fusec::Session(model, options);
  }
  /// The square of the weight that a run has multiplied each element by; -1
  /// where they were several.
  float run(fusec::Session &session) const {
    std::vector<float> x(n, 1), cache(n), y(n), cacheOut(n);
    int64_t mode = 0;
    const fusec_tensor in[] = {fusec::tensor(x.data(), dims),
                               fusec::tensor(cache.data(), dims),
                               fusec::tensor(&mode)};
    const fusec_tensor out[] = {fusec::tensor(y.data(), dims),
                                fusec::tensor(cacheOut.data(), dims)};
    EXPECT_EQ(session.run(in, 3, out, 2), FUSEC_OK) << session.error();
    for (const float each : y)
      if (each != y[0])
        return -1;
    return y[0];
  }
  void expectRefused(const File &file, fusec_status status, const char *text) {
    EXPECT_EQ(model.swapWeights(nullptr, file.options), status);
    EXPECT_NE(std::string(fusec_last_error(nullptr)).find(text),
              std::string::npos)
        << fusec_last_error(nullptr);
    fusec::Session after = create();
    EXPECT_EQ(run(after), 9);
  }
};

} // namespace

TEST_F(SwapWeights, NewSessionsHaveThemAndOldOnesDoNot) {
  File two(2), five(5);
  fusec::Session first = create(), packed = create("packed");
  const uint32_t packs = testmodel_packs();
  ASSERT_EQ(model.swapWeights(nullptr, two.options), FUSEC_OK)
      << fusec_last_error(nullptr);
  EXPECT_TRUE(model.checkWeights());
  fusec::Session second = create(), packedAgain = create("packed");
  // Packed copies are renewed, once for each launch.
  EXPECT_EQ(testmodel_packs(), packs + 2);
  EXPECT_EQ(run(first), 9);
  EXPECT_EQ(run(packed), 9);
  EXPECT_EQ(run(second), 4);
  EXPECT_EQ(run(packedAgain), 4);
  ASSERT_EQ(model.swapWeights(nullptr, five.options), FUSEC_OK);
  fusec::Session third = create("packed");
  EXPECT_EQ(run(first), 9);
  EXPECT_EQ(run(second), 4);
  EXPECT_EQ(run(packedAgain), 4);
  EXPECT_EQ(run(third), 25);
}

TEST_F(SwapWeights, AModelMayBeginWithThem) {
  File two(2);
  model = fusec::Model(&desc, nullptr, two.options);
  ASSERT_TRUE(model) << model.error();
  fusec::Session session = create();
  EXPECT_EQ(run(session), 4);
  EXPECT_TRUE(model.checkWeights());
  two.bytes[sizeof(fusec_weights_header)] ^= 1;
  EXPECT_FALSE(model.checkWeights());
}

TEST_F(SwapWeights, OfAModelForItsOwnAreRefused) {
  desc.weights_structure = 0;
  model = make();
  expectRefused(File(2), FUSEC_UNSUPPORTED,
                "model 'testmodel' was compiled for the weights that it has: "
                "compile it with --swappable-weights");
  EXPECT_EQ(fusec_model_swap_weights(nullptr, nullptr, nullptr),
            FUSEC_INVALID_ARGUMENT);
}

TEST_F(SwapWeights, OfAnotherModelOrDamagedAreRefused) {
  File other(2);
  other.edit([](fusec_weights_header &header) { header.structure = 6; });
  expectRefused(other, FUSEC_BAD_WEIGHTS,
                "not of the structure that model 'testmodel' has (6, expected "
                "5)");
  File damaged(2);
  damaged.bytes[sizeof(fusec_weights_header)] ^= 1;
  expectRefused(damaged, FUSEC_BAD_WEIGHTS, "have changed");
  File cut(2);
  cut.options.weights_bytes -= 1;
  expectRefused(cut, FUSEC_BAD_WEIGHTS, "have 67 bytes, expected 68");
  File noFile(2);
  noFile.bytes[0] = 'X';
  expectRefused(noFile, FUSEC_BAD_WEIGHTS, "no fusec weights file");
  EXPECT_EQ(model.swapWeights("/nowhere/weights.bin"), FUSEC_IO_ERROR);
  // Neither a file nor memory, and the program holds none.
  EXPECT_EQ(model.swapWeights(nullptr), FUSEC_INVALID_ARGUMENT);
}

TEST_F(SwapWeights, ASwapGoesBackToThoseThatTheProgramHolds) {
  uint64_t bytes = 0;
  desc.weights = testmodel_weights(&bytes);
  model = make();
  File two(2);
  // What the program holds is checked as any other file is.
  EXPECT_EQ(model.swapWeights(nullptr), FUSEC_BAD_WEIGHTS);
  File three(3);
  desc.weights = three.bytes;
  ASSERT_EQ(model.swapWeights(nullptr, two.options), FUSEC_OK);
  fusec::Session session = create();
  EXPECT_EQ(run(session), 4);
  ASSERT_EQ(model.swapWeights(nullptr), FUSEC_OK) << fusec_last_error(nullptr);
  fusec::Session back = create();
  EXPECT_EQ(run(back), 9);
}

// No run reads both, and weights last as long as their sessions: this runs
// under the thread sanitizer, too.
TEST_F(SwapWeights, AreSwappedWhileSessionsRun) {
  File two(2), five(5);
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (const char *variant : {"default", "packed", "packed"})
    threads.emplace_back([&, variant] {
      while (!done) {
        fusec::Session session = create(variant);
        const float square = run(session);
        EXPECT_TRUE(square == 9 || square == 4 || square == 25) << square;
        for (int again = 0; again < 3; ++again)
          EXPECT_EQ(run(session), square);
      }
    });
  for (int swap = 0; swap < 200; ++swap)
    EXPECT_EQ(model.swapWeights(nullptr, swap % 2 ? two.options : five.options),
              FUSEC_OK);
  done = true;
  for (std::thread &thread : threads)
    thread.join();
}
