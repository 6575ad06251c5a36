// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Labels rows of numbers with the model that the rules were applied to, and
// with the one that they were not.
//   rules_demo FOLDER    with the folders of the models' weights
#include "classifier.h"
#include "classifier_plain.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

/// Rows of waves, the same on every machine.
static std::vector<float> makeRows() {
  std::vector<float> x(classifier::in::x::size);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = std::sin(0.7f * float(i));
  return x;
}

/// Exits where there are none. A model's `Inputs` and `Outputs` have members
/// that are called as its inputs and outputs.
template <typename Inputs, typename Outputs, typename Run>
static std::vector<int64_t> label(const char *name, fusec_query_fn query,
                                  const std::string &folder, Run run) {
  const std::string weights = folder + "/" + name + "/weights.bin";
  fusec::Model model(query, weights.c_str());
  fusec::Session session(model);
  std::vector<float> x = makeRows();
  std::vector<int64_t> labels(classifier::out::label::size);
  if (!session ||
      run(session, Inputs{/*x=*/x}, Outputs{/*label=*/labels}) != FUSEC_OK) {
    std::fprintf(stderr, "%s: %s\n", name, session.error());
    std::exit(1);
  }
  return labels;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  auto labels = label<classifier::Inputs, classifier::Outputs>(
      "classifier", fusec_classifier_query, argv[1], classifier::run);
  auto plain = label<classifier_plain::Inputs, classifier_plain::Outputs>(
      "classifier_plain", fusec_classifier_plain_query, argv[1],
      classifier_plain::run);
  for (int64_t number : labels)
    std::printf("%d ", int(number));
  std::printf("%s\n", labels == plain ? "with the rules and without"
                                      : "with the rules, others without");
}
