// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads handwritten digits with the compiled network.
//   digits_demo DATA-FOLDER MODEL-FOLDER UNFUSED-FOLDER
// The two models come from one digits.onnx: compiled as usual, and with each
// operator as a kernel of its own.
#include "digits.h"
#include "digits_unfused.h"

#include "npy.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

namespace {

constexpr int kImages = 320, kSide = 8, kPixels = kSide * kSide, kClasses = 10;

void print(const float *image, int64_t label, int guess) {
  static const char shades[] = " .:-=+*#%@";
  for (int row = 0; row < kSide; ++row) {
    std::printf("    ");
    for (int column = 0; column < kSide; ++column) {
      // Twice, since a character is about twice as high as wide.
      char shade = shades[static_cast<int>(image[row * kSide + column] * 9)];
      std::printf("%c%c", shade, shade);
    }
    std::printf("\n");
  }
  std::printf("    read as %d, written as %d\n\n", guess, static_cast<int>(label));
}

/// The median times of two programs that take turns, so that whatever else the
/// machine does slows both.
template <typename First, typename Second>
std::pair<double, double> medianMilliseconds(First first, Second second) {
  using Clock = std::chrono::steady_clock;
  constexpr int warmUps = 5, repeats = 51;
  std::vector<double> times[2];
  for (int i = 0; i < warmUps + repeats; ++i) {
    Clock::time_point begin = Clock::now();
    first();
    Clock::time_point between = Clock::now();
    second();
    Clock::time_point end = Clock::now();
    if (i < warmUps)
      continue;
    using Milliseconds = std::chrono::duration<double, std::milli>;
    times[0].push_back(Milliseconds(between - begin).count());
    times[1].push_back(Milliseconds(end - between).count());
  }
  for (std::vector<double> &of : times)
    std::nth_element(of.begin(), of.begin() + repeats / 2, of.end());
  return {times[0][repeats / 2], times[1][repeats / 2]};
}

/// A model with a session of one thread, so that both are timed alike.
struct Compiled {
  fusec::Model model;
  fusec::Session session;

  Compiled(fusec_query_fn query, const std::string &folder)
      : model(query, (folder + "/weights.bin").c_str()) {
    if (!model)
      throw std::runtime_error(model.error());
    session = fusec::Session(model);
    if (!session)
      throw std::runtime_error(session.error());
  }
};

void check(fusec_status status, const fusec::Session &session) {
  if (status != FUSEC_OK)
    throw std::runtime_error(session.error());
}

int run(const std::string &data, const std::string &folder,
        const std::string &unfusedFolder) {
  std::vector<float> images = readNpy<float>(data + "/images.npy", "<f4");
  std::vector<int64_t> labels = readNpy<int64_t>(data + "/labels.npy", "<i8");
  std::vector<float> expected = readNpy<float>(data + "/logits.npy", "<f4");
  if (images.size() != kImages * kPixels || labels.size() != kImages ||
      expected.size() != kImages * kClasses)
    throw std::runtime_error(data + ": not the 320 images of this example");

  Compiled fused(fusec_digits_query, folder);
  Compiled unfused(fusec_digits_unfused_query, unfusedFolder);
  std::vector<float> logits(kImages * kClasses);
  auto runFused = [&] {
    check(digits::run(fused.session, {images.data()}, {logits.data()}),
          fused.session);
  };
  std::vector<float> unfusedLogits(logits.size());
  auto runUnfused = [&] {
    check(digits_unfused::run(unfused.session, {images.data()},
                              {unfusedLogits.data()}),
          unfused.session);
  };

  auto [fusedTime, unfusedTime] = medianMilliseconds(runFused, runUnfused);

  int right = 0, asOnnxRuntime = 0;
  float difference = 0;
  for (int i = 0; i < kImages; ++i) {
    const float *row = &logits[i * kClasses], *want = &expected[i * kClasses];
    int guess = static_cast<int>(std::max_element(row, row + kClasses) - row);
    int wanted = static_cast<int>(std::max_element(want, want + kClasses) - want);
    right += guess == labels[i];
    asOnnxRuntime += guess == wanted;
    for (int c = 0; c < kClasses; ++c)
      difference = std::max(difference, std::fabs(row[c] - want[c]));
    if (i < 2)
      print(&images[i * kPixels], labels[i], guess);
  }
  std::printf("accuracy        %d of %d images (%.1f %%)\n", right, kImages,
              100.0 * right / kImages);
  std::printf("ONNX Runtime    same answer for %d of %d, logits within %.1e\n",
              asOnnxRuntime, kImages, static_cast<double>(difference));
  std::printf("time            %.3f ms for all %d images, %u launches, one "
              "thread, %s\n",
              fusedTime, kImages, fused.model.desc().num_launches,
              fused.session.isa());
  std::printf("unfused         %.3f ms, %u launches: fusion is %.2f times as "
              "fast\n",
              unfusedTime, unfused.model.desc().num_launches,
              unfusedTime / fusedTime);
  return asOnnxRuntime == kImages ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr,
                 "usage: %s DATA-FOLDER MODEL-FOLDER UNFUSED-FOLDER\n", argv[0]);
    return 64;
  }
  try {
    return run(argv[1], argv[2], argv[3]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "digits_demo: %s\n", error.what());
    return 4;
  }
}
