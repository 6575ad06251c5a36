// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// check [--time] FOLDER [NAME...]
//   Runs the models of the pack in FOLDER, or those of these names, on the
//   first GPU, and compares. Prints a line for each that is not as expected,
//   and how often results have the bits of the simulator. With --time, prints
//   instead what each kernel takes: "time MODEL KERNEL MEDIAN LEAST",
//   microseconds by events. Exit codes: 0 all are right, 1 some are not, 4
//   there is no GPU, or no such model.
#include "data.h"

#include "fusec/cuda_driver.h"
#include "fusec/runtime.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>

#define MODEL(name, batch)                                                     \
  extern "C" const fusec_model_desc *fusec_##name##_query(uint32_t);           \
  extern "C" const fusec_device_image fusec_##batch##_kernels_image;
#include "models.inc"
#undef MODEL

namespace {

struct Packed {
  const char *name;
  fusec_query_fn query;
  const fusec_device_image *image;
};
const Packed kModels[] = {
#define MODEL(name, batch)                                                     \
  {#name, fusec_##name##_query, &fusec_##batch##_kernels_image},
#include "models.inc"
#undef MODEL
};

/// Runs that count, and before them, until clocks have risen.
constexpr int kRuns = 50, kWarmUps = 50;

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

std::vector<fusec_tensor> describe(const fusec_tensor_desc *tensors,
                                   std::vector<std::vector<char>> &arrays) {
  std::vector<fusec_tensor> result;
  for (size_t i = 0; i < arrays.size(); ++i)
    result.push_back(
        {arrays[i].data(),
         countElements(tensors[i]) * fusec_dtype_bytes(tensors[i].dtype),
         tensors[i].dims, tensors[i].rank, tensors[i].dtype});
  return result;
}

class Checker {
public:
  Checker(const fusec_device &gpu, std::string folder, bool isTimed)
      : gpu(gpu), folder(std::move(folder)), isTimed(isTimed) {}

  /// Why it is not right; throws where it does not run.
  std::string check(const Packed &packed);
  uint64_t compared = 0, same = 0;

private:
  const fusec_device &gpu;
  std::string folder;
  bool isTimed;
};

std::string Checker::check(const Packed &packed) {
  const std::string place = folder + "/models/" + packed.name;
  const fusec_model_desc *desc = packed.query(FUSEC_ABI_VERSION);
  if (!desc)
    return "is of another version of fusec";
  Data data = readData(place + "/data.bin", *desc);
  fusec::Model model(desc, (place + "/weights.bin").c_str());
  Times times;
  fusec_session_options options = {};
  options.device = &gpu;
  options.image = packed.image;
  options.threads = 2;
  options.profile = isTimed ? &times.hook : nullptr;
  fusec::Session session(model, options);
  if (!session)
    return session.error();
  std::vector<std::vector<char>> results;
  for (uint32_t i = 0; i < desc->num_outputs; ++i)
    results.emplace_back(countElements(desc->outputs[i]) *
                                 fusec_dtype_bytes(desc->outputs[i].dtype) +
                             1, // a pointer for empty arrays, too
                         char(0x7f));
  const std::vector<fusec_tensor> in = describe(desc->inputs, data.inputs),
                                  out = describe(desc->outputs, results);
  for (int run = 0; run < (isTimed ? kWarmUps + kRuns : 1); ++run) {
    if (run == kWarmUps)
      times.microseconds.clear();
    if (session.run(in.data(), desc->num_inputs, out.data(), desc->num_outputs))
      return session.error();
  }
  if (isTimed)
    times.print(*desc);
  std::string problem;
  for (uint32_t i = 0; i < desc->num_outputs; ++i) {
    const Difference difference =
        compare(desc->outputs[i], results[i].data(), data.outputs[i]);
    compared += difference.compared;
    same += difference.same;
    if (!difference.text.empty())
      problem = std::string("output ") + desc->outputs[i].name + ": " +
                difference.text;
  }
  return problem;
}

bool isNamed(const char *name, int count, char **names) {
  for (int i = 0; i < count; ++i)
    if (strcmp(name, names[i]) == 0)
      return true;
  return count == 0;
}

} // namespace

int main(int argc, char **argv) {
  const bool isTimed = argc > 1 && strcmp(argv[1], "--time") == 0;
  argc -= 1 + isTimed;
  argv += 1 + isTimed;
  if (argc < 1) {
    std::fprintf(stderr, "usage: check [--time] FOLDER [NAME...]\n");
    return 64;
  }
  // What was found is seen though a kernel does not end.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  fusec_device *gpu = nullptr;
  if (fusec_cuda_device_create(nullptr, &gpu)) {
    std::fprintf(stderr, "check: %s\n", fusec_last_error(nullptr));
    return 4;
  }
  std::printf("%s, sm_%u, driver %s\n", gpu->name, gpu->architecture,
              gpu->driver);
  Checker checker(*gpu, argv[0], isTimed);
  int right = 0, wrong = 0;
  for (const Packed &packed : kModels) {
    if (!isNamed(packed.name, argc - 1, argv + 1))
      continue;
    std::string problem;
    try {
      problem = checker.check(packed);
    } catch (const std::runtime_error &error) {
      problem = error.what();
    }
    ++(problem.empty() ? right : wrong);
    if (!problem.empty())
      std::printf("FAILED %s: %s\n", packed.name, problem.c_str());
  }
  std::printf("%d of %d models are right; %llu of %llu elements have the bits "
              "of the simulator\n",
              right, right + wrong,
              static_cast<unsigned long long>(checker.same),
              static_cast<unsigned long long>(checker.compared));
  fusec_cuda_device_destroy(gpu);
  return wrong ? 1 : right ? 0 : 4;
}
