// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// check [--time] [--jobs N] FOLDER [NAME...]
//   Runs the models of the pack in FOLDER, or those of these names, on the
//   first GPU, and compares. Prints a line for each that is not as expected,
//   and how often results have the bits of the simulator. With --time, prints
//   instead what each kernel takes: "time MODEL KERNEL MEDIAN LEAST",
//   microseconds by events. N processes work side by side (one, where there are
//   times). Exit codes: 0 all are right, 1 some are not, 4 there is no GPU, or
//   no such model.
#include "models.h"
#include "workers.h"

#include "fusec/cuda_driver.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>

namespace {

/// Runs that count, and before them, until clocks have risen.
constexpr int kRuns = 50, kWarmUps = 50;

/// What a model may take, that is made, run and compared.
constexpr unsigned kSeconds = 60;

/// What launches took, by number.
struct Times {
  std::map<uint32_t, std::vector<double>> microseconds;
  fusec_profile_hook hook = {
      [](void *, uint32_t) {}, [](void *, uint32_t) {}, this,
      [](void *self, uint32_t step, double milliseconds) {
        static_cast<Times *>(self)->microseconds[step].push_back(1e3 *
                                                                 milliseconds);
      }};

  void print(const fusec_model_desc &model) {
    for (auto &[step, all] : microseconds) {
      std::sort(all.begin(), all.end());
      std::printf("time %s %s %.2f %.2f\n", model.name,
                  model.launches[step].name, all[all.size() / 2], all.front());
    }
  }
};

class Checker {
public:
  Checker(std::string folder, bool isTimed)
      : folder(std::move(folder)), isTimed(isTimed) {}

  /// Says in `outcome` why it is not right.
  void check(const Packed &packed, Outcome &outcome);

private:
  std::string folder;
  bool isTimed;
  fusec_device *gpu = nullptr; ///< the process ends with it

  void run(const Packed &packed, Outcome &outcome);
};

/// An empty text: it is right.
void fail(Outcome &outcome, const char *problem, int status = FUSEC_OK) {
  std::snprintf(outcome.problem, sizeof(outcome.problem), "%s", problem);
  // To all further calls the driver answers with the same error.
  outcome.isLast = status == FUSEC_DEVICE_ERROR;
}

void Checker::check(const Packed &packed, Outcome &outcome) {
  try {
    if (!gpu && fusec_cuda_device_create(nullptr, &gpu))
      fail(outcome, fusec_last_error(nullptr));
    else
      run(packed, outcome);
  } catch (const std::runtime_error &error) {
    fail(outcome, error.what());
  }
}

void Checker::run(const Packed &packed, Outcome &outcome) {
  Loaded loaded(packed, folder);
  Times times;
  fusec_session_options options = loaded.options(gpu);
  options.profile = isTimed ? &times.hook : nullptr;
  fusec::Session session(loaded.model, options);
  if (!session)
    return fail(outcome, session.error(), session.status());
  for (int run = 0; run < (isTimed ? kWarmUps + kRuns : 1); ++run) {
    if (run == kWarmUps)
      times.microseconds.clear();
    if (const int status = loaded.run(session))
      return fail(outcome, session.error(), status);
  }
  if (isTimed)
    times.print(loaded.desc);
  const Difference difference = loaded.compare();
  outcome.compared = difference.compared;
  outcome.same = difference.same;
  fail(outcome, difference.text.c_str());
}

/// Names the GPU; whether there is one. The process must not fork afterwards.
bool printGpu() {
  fusec_device *gpu = nullptr;
  if (fusec_cuda_device_create(nullptr, &gpu)) {
    std::fprintf(stderr, "check: %s\n", fusec_last_error(nullptr));
    return false;
  }
  std::printf("%s, sm_%u, driver %s\n", gpu->name, gpu->architecture,
              gpu->driver);
  fusec_cuda_device_destroy(gpu);
  return true;
}

bool isNamed(const char *name, int count, char **names) {
  for (int i = 0; i < count; ++i)
    if (strcmp(name, names[i]) == 0)
      return true;
  return count == 0;
}

} // namespace

int main(int argc, char **argv) {
  bool isTimed = false;
  unsigned jobs = 1;
  int at = 1;
  for (; at < argc && argv[at][0] == '-'; ++at) {
    if (strcmp(argv[at], "--time") == 0)
      isTimed = true;
    else if (strcmp(argv[at], "--jobs") == 0 && at + 1 < argc)
      jobs = static_cast<unsigned>(std::atoi(argv[++at]));
    else
      at = argc;
  }
  if (at >= argc) {
    std::fprintf(stderr, "usage: check [--time] [--jobs N] FOLDER [NAME...]\n");
    return 64;
  }
  // What was found is seen though a kernel does not end.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  bool hasGpu = false;
  runTasks(
      1, 1, kSeconds, [](Outcome &outcome) { outcome.isLast = !printGpu(); },
      [&](const Outcome &outcome) {
        hasGpu = !outcome.isLast && !outcome.problem[0];
      });
  if (!hasGpu)
    return 4;
  std::vector<const Packed *> selected;
  for (const Packed &packed : allModels())
    if (isNamed(packed.name, argc - at - 1, argv + at + 1))
      selected.push_back(&packed);
  Checker checker(argv[at], isTimed);
  uint32_t wrong = 0;
  uint64_t compared = 0, same = 0;
  runTasks(
      static_cast<uint32_t>(selected.size()), isTimed ? 1 : jobs, kSeconds,
      [&](Outcome &outcome) {
        checker.check(*selected[outcome.task], outcome);
      },
      [&](const Outcome &outcome) {
        compared += outcome.compared;
        same += outcome.same;
        if (outcome.problem[0] == 0)
          return;
        ++wrong;
        std::printf("FAILED %s: %s\n", selected[outcome.task]->name,
                    outcome.problem);
      });
  std::printf("%zu of %zu models are right; %llu of %llu elements have the "
              "bits of the simulator\n",
              selected.size() - wrong, selected.size(),
              static_cast<unsigned long long>(same),
              static_cast<unsigned long long>(compared));
  return wrong ? 1 : selected.empty() ? 4 : 0;
}
