// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs all entries by their extents, and what there is none for.
#include "net.h"

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

/// Runs an entry on ones: each row of y is the same.
bool runEntry(fusec::Session &session, const net::Extents &extents) {
  const auto count = static_cast<size_t>(extents.batch * extents.seq);
  const auto batch = static_cast<size_t>(extents.batch);
  const std::vector<float> x(count * 16, 1.0f);
  const float c[16] = {};
  float gates[16] = {};
  std::vector<float> y(count * 24), last(batch * 24);
  if (net::run(session, extents, {x, c}, {y, last, gates}) != FUSEC_OK) {
    std::printf("%s\n", session.error());
    return false;
  }
  for (size_t i = 0; i < y.size(); ++i)
    if (std::fabs(y[i] - y[i % 24]) > 1e-6f)
      return false;
  for (size_t i = 0; i < last.size(); ++i)
    if (last[i] != y[i % 24])
      return false;
  std::printf("batch=%d seq=%d: gates[15] = %g, y[0][0][0] = %s\n",
              static_cast<int>(extents.batch), static_cast<int>(extents.seq),
              static_cast<double>(gates[15]), y[0] >= 0 ? "fine" : "wrong");
  return true;
}

} // namespace

int main(int, char **argv) {
  fusec::Model model(fusec_net_query, argv[1]);
  fusec::Session session(model);
  if (!session) {
    std::printf("%s\n", session.error());
    return 1;
  }
  for (const net::Extents &extents : net::entries)
    if (!runEntry(session, extents))
      return 1;
  // Extents that fit no entry; an array of another size than the extents say.
  if (runEntry(session, {3, 8}))
    return 1;
  std::vector<float> x(7), c(16), y(8 * 24), last(24), gates(16);
  if (net::run(session, {1, 8}, {x, c}, {y, last, gates}) == FUSEC_OK)
    return 1;
  std::printf("%s\n", session.error());
  return 0;
}
