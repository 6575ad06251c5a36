// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the model on four threads: the operator's loop takes them, too.
#include "scaled.h"

#include <cstdio>
#include <vector>

int main() {
  fusec::Model model(fusec_scaled_query);
  fusec_session_options options = {};
  options.threads = 4;
  fusec::Session session(model, options);
  if (!session) {
    std::fprintf(stderr, "%s\n", session.error());
    return 1;
  }
  std::vector<float> x(scaled::in::x::size, 1.0f), w(scaled::in::w::size, 0.5f),
      y(scaled::out::y::size);
  if (scaled::run(session, {x, w}, {y}) != FUSEC_OK) {
    std::fprintf(stderr, "%s\n", session.error());
    return 1;
  }
  std::printf("y[0][0] = %g\n", y[0]); // relu(0.25 * (2 * 64 * 0.5)) + 1
}
