// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the model, on the GPU if there is one and the model is for it.
#include "softmaxed.h"

#include <cstdio>
#include <vector>

int main(int argc, char **argv) {
  fusec::Model model(fusec_softmaxed_query, argc > 1 ? argv[1] : nullptr);
  fusec::Session session(model);
  if (!session) {
    std::fprintf(stderr, "%s\n", session.error());
    return 1;
  }
  std::vector<float> x(softmaxed::in::x::size, 1.0f),
      y(softmaxed::out::y::size);
  if (softmaxed::run(session, {x}, {y}) != FUSEC_OK) {
    std::fprintf(stderr, "%s\n", session.error());
    return 1;
  }
  float sum = 0;
  for (int64_t j = 0; j < softmaxed::out::y::dims[1]; ++j)
    sum += y[j];
  std::printf("the first row sums to %.3f\n", sum); // 3 times 1
}
