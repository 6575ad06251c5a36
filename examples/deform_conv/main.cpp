// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the model and its twin, and says how far apart they are.
#include "sampled.h"
#include "twin.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char **argv) {
  const std::string folder = argc > 1 ? argv[1] : "fusec";
  fusec::Model own(fusec_sampled_query,
                   (folder + "/sampled/weights.bin").c_str()),
      native(fusec_twin_query, (folder + "/twin/weights.bin").c_str());
  fusec::Session first(own), second(native);
  if (!first || !second) {
    std::fprintf(stderr, "%s\n", first ? second.error() : first.error());
    return 1;
  }
  std::vector<float> x(sampled::in::x::size), offset(sampled::in::offset::size),
      y(sampled::out::y::size), z(twin::out::y::size);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = std::sin(0.1f * float(i));
  for (size_t i = 0; i < offset.size(); ++i)
    offset[i] = 2 * std::sin(0.7f * float(i));
  if (sampled::run(first, {x, offset}, {y}) != FUSEC_OK ||
      twin::run(second, {x, offset}, {z}) != FUSEC_OK) {
    std::fprintf(stderr, "%s%s\n", first.error(), second.error());
    return 1;
  }
  float apart = 0;
  for (size_t i = 0; i < y.size(); ++i)
    apart = std::max(apart, std::fabs(y[i] - z[i]));
  std::printf("at most %.0e apart: %s\n", apart,
              apart < 1e-4f ? "the same" : "WRONG");
  return apart < 1e-4f ? 0 : 1;
}
