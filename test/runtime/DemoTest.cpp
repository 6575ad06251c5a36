// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The demo folder, which the emitter's output looks like: right on every
// instruction set that this machine has, with both variants, on any threads.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "test/runtime/demo/demo.h"

namespace {

constexpr int rows = 10, inner = 20, columns = 24;
const char *const weightsPath = FUSEC_DEMO_FOLDER "/weights.bin";

std::vector<float> makeInput() {
  std::vector<float> x(rows * inner);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = std::sin(static_cast<float>(i) * 0.37f) * 2.0f;
  return x;
}

/// The model's formula in double; the weights as their file was made.
std::vector<double> reference(const std::vector<float> &x) {
  std::vector<double> y(rows * columns);
  for (int i = 0; i < rows; ++i) {
    double sum = 0.0;
    for (int j = 0; j < columns; ++j) {
      double h = (j % 5 - 2) / 4.0;
      for (int k = 0; k < inner; ++k)
        h += static_cast<double>(x[size_t(i * inner + k)]) *
             ((k * columns + j) % 13 - 6) / 16.0;
      y[size_t(i * columns + j)] = std::exp(std::fmax(h, 0.0));
      sum += y[size_t(i * columns + j)];
    }
    for (int j = 0; j < columns; ++j)
      y[size_t(i * columns + j)] /= sum;
  }
  return y;
}

std::vector<float> runDemo(const char *isa, const char *variant,
                           uint32_t threads) {
  fusec::Model model(fusec_demo_query, weightsPath);
  EXPECT_TRUE(model) << model.error();
  const fusec_choice choice = {nullptr, variant};
  fusec_session_options options = {};
  options.isa = isa;
  options.choices = &choice;
  options.num_choices = 1;
  options.threads = threads;
  fusec::Session session(model, options);
  EXPECT_TRUE(session) << session.error();
  const std::vector<float> x = makeInput();
  std::vector<float> y(rows * columns);
  EXPECT_EQ(demo::run(session, {x.data()}, {y.data()}), FUSEC_OK)
      << session.error();
  return y;
}

} // namespace

TEST(Demo, AgreesWithTheReference) {
  const std::vector<double> want = reference(makeInput());
  for (const char *isa : {"baseline", "avx2", "avx512"}) {
    for (const char *variant : {"default", "naive"}) {
      const std::vector<float> y = runDemo(isa, variant, 1);
      for (size_t i = 0; i < y.size(); ++i)
        ASSERT_NEAR(static_cast<double>(y[i]), want[i], 1e-5 * want[i])
            << isa << ' ' << variant << ' ' << i;
    }
  }
}

TEST(Demo, SameBitsOnAnyThreads) {
  const std::vector<float> one = runDemo(nullptr, "default", 1);
  for (uint32_t threads : {2u, 5u})
    EXPECT_EQ(runDemo(nullptr, "default", threads), one);
}

TEST(Demo, PicksTheBestInstructionSet) {
  fusec::Model model(fusec_demo_query, weightsPath);
  fusec::Session best(model);
  fusec_session_options options = {};
  options.isa = "baseline";
  fusec::Session limited(model, options);
  EXPECT_STREQ(limited.isa(), "baseline");
  options.isa = best.isa();
  EXPECT_STREQ(fusec::Session(model, options).isa(), best.isa());
}

TEST(Demo, HasTwoVariantsOfEachGroup) {
  const fusec_model_desc *desc = fusec_demo_query(FUSEC_ABI_VERSION);
  for (auto *table : desc->kernels) {
    ASSERT_EQ(desc->num_kernels, desc->num_groups);
    for (uint32_t g = 0; table && g < desc->num_groups; ++g) {
      ASSERT_EQ(table[g]->num_variants, 2u);
      EXPECT_STREQ(table[g]->variants[0].name, "default");
      EXPECT_STREQ(table[g]->variants[1].name, "naive");
    }
  }
}
