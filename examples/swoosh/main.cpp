// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the model: an activation of one's own, in the kernel of its neighbours.
#include "swooshed.h"

#include <cstdio>
#include <vector>

int main(int argc, char **argv) {
  fusec::Model model(fusec_swooshed_query, argc > 1 ? argv[1] : nullptr);
  fusec::Session session(model);
  if (!session) {
    std::fprintf(stderr, "%s\n", session.error());
    return 1;
  }
  std::vector<float> x(swooshed::in::x::size), y(swooshed::out::y::size);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i % 2); // every row is 0, 1, 0, 1, ...
  if (swooshed::run(session, {x}, {y}) != FUSEC_OK) {
    std::fprintf(stderr, "%s\n", session.error());
    return 1;
  }
  // Half of Swoosh(0 - 2).
  std::printf("y[0][0] = %.4f\n", y[0]);
}
