// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the model: a norm and an activation that are formulas in norms.fop.
#include "normed.h"

#include <cstdio>
#include <vector>

int main(int argc, char **argv) {
  fusec::Model model(fusec_normed_query, argc > 1 ? argv[1] : nullptr);
  fusec::Session session(model);
  if (!session) {
    std::fprintf(stderr, "%s\n", session.error());
    return 1;
  }
  std::vector<float> x(normed::in::x::size), y(normed::out::y::size);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i % 2); // every row is 0, 1, 0, 1, ...
  if (normed::run(session, {x}, {y}) != FUSEC_OK) {
    std::fprintf(stderr, "%s\n", session.error());
    return 1;
  }
  // The norm of the first element is -1 * 0.5 - 1.
  std::printf("y[0][0] = %.4f\n", y[0]);
}
