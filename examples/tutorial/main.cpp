// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the tutorial's network at each level of optimisation on one batch of
// images, and says how its results differ from those of level 0.
//   tutorial_demo FOLDER   with the folders of the models' weights
#include "tutorial_o0.h"
#include "tutorial_o1.h"
#include "tutorial_o2.h"
#include "tutorial_o3.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using Values = std::vector<float>;
static constexpr size_t kPixels = tutorial_o0::in::image::size,
                        kScores = tutorial_o0::out::scores::size;

/// Images of waves, the same on every machine.
static Values makeImages() {
  Values image(kPixels);
  for (size_t i = 0; i < image.size(); ++i)
    image[i] = std::sin(0.05f * float(i % 3072)) * std::cos(0.3f * float(i / 32));
  return image;
}

/// Milliseconds of a run; exits where there is none. A model's `Inputs` and
/// `Outputs` have members that are called as its inputs and outputs.
template <typename Inputs, typename Outputs, typename Run>
static double time(const char *name, fusec_query_fn query,
                   const std::string &folder, const Values &image,
                   Values &scores, Run run) {
  const std::string weights = folder + "/" + name + "/weights.bin";
  fusec::Model model(query, weights.c_str());
  fusec::Session session(model);
  if (!session) {
    std::fprintf(stderr, "%s: %s\n", name, session.error());
    std::exit(1);
  }
  auto begin = std::chrono::steady_clock::now();
  if (run(session, Inputs{/*image=*/image}, Outputs{/*scores=*/scores}) !=
      FUSEC_OK) {
    std::fprintf(stderr, "%s: %s\n", name, session.error());
    std::exit(1);
  }
  std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - begin;
  return took.count();
}

static void report(int level, double milliseconds, const Values &scores,
                   const Values &first) {
  float most = 0;
  for (size_t i = 0; i < scores.size(); ++i)
    most = std::fmax(most, std::fabs(scores[i] - first[i]));
  bool same = !std::memcmp(scores.data(), first.data(),
                           scores.size() * sizeof(float));
  std::printf("level %d: %zu x 10 scores, %.2f ms, %s, at most %g apart\n",
              level, scores.size() / 10, milliseconds,
              same ? "the bits of level 0" : "other bits than level 0", most);
}

#define RUN(level)                                                             \
  time<tutorial_o##level::Inputs, tutorial_o##level::Outputs>(                 \
      "tutorial_o" #level, fusec_tutorial_o##level##_query, argv[1], image,    \
      scores, tutorial_o##level::run)

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: tutorial_demo FOLDER\n");
    return 64;
  }
  Values image = makeImages(), scores(kScores), first(kScores);
  double took = RUN(0);
  first = scores;
  report(0, took, scores, first);
  took = RUN(1);
  report(1, took, scores, first);
  took = RUN(2);
  report(2, took, scores, first);
  took = RUN(3);
  report(3, took, scores, first);
  return 0;
}
