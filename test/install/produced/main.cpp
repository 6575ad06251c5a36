// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the numbers that the model multiplies by, doubled by the next model,
// and where the last one finds the largest of them.
#include "largest.h"
#include "scale.h"
#include "scales.h"
#include "shift.h"

#include <cstdio>

int main(int, char **argv) {
  fusec::Model model(fusec_scale_query, argv[1]);
  fusec::Session session(model);
  float x[12] = {1, 1, 1, 1, 0}, y[12], z[4], value[1];
  int64_t place[1];
  fusec::Model doubling(fusec_shift_query);
  fusec::Session second(doubling);
  fusec::Model library(fusec_largest_query);
  fusec::Session third(library);
  fusec::Model sizes(fusec_scales_query, argv[2]);
  fusec::Session any(sizes);
  float row[4];
  const float *begin = y; // of which the next model takes the first 4
  if (!session || !second || !third || !any ||
      scale::run(session, {x}, {y}) != FUSEC_OK ||
      shift::run(second, {begin}, {z}) != FUSEC_OK ||
      largest::run(third, {z}, {value, place}) != FUSEC_OK)
    return 1;
  // Of the model for two sizes, both compute what the one for one size does.
  float again[12];
  if (scales::run(any, {/*n=*/3}, {x}, {again}) != FUSEC_OK ||
      scales::run(any, {/*n=*/1}, {{x, 4}}, {row}) != FUSEC_OK)
    return 1;
  for (int i = 0; i < 12; ++i)
    if (again[i] != y[i] || (i < 4 && row[i] != y[i]))
      return 1;
  std::printf("%g %g %g %g, largest %d\n", z[0], z[1], z[2], z[3],
              static_cast<int>(place[0]));
}
