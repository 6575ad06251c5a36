// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs three models one after the other, with whatever arrays the standard has.
#include "fill_in.h"
#include "scale.h"
#include "negate.h"

#include <array>
#include <cstdio>
#include <limits>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

static_assert(fill_in::in::x::size == 4, "four elements");
static_assert(fill_in::in::x::rank == 2 && fill_in::in::x::dims[1] == 4, "1x4");
static_assert(scale::out::y::bytes == 16, "floats");

static const int64_t *dims() { return fill_in::out::y::dims; } // which has an address

static int complain(const char *text) {
  std::printf("%s\n", text);
  return 1;
}

int main(int, char **arguments) {
  fusec::Model fillModel(fusec_fill_in_query, arguments[1]);
  fusec::Model scaleModel(fusec_scale_query); // holds its weights
  fusec::Model negateModel(fusec_negate_query);
  fusec::Session one(fillModel), two(scaleModel), three(negateModel);
  if (!one || !two || !three)
    return complain(!one ? one.error() : !two ? two.error() : three.error());

  const std::vector<float> x = {1, std::numeric_limits<float>::quiet_NaN(), 3, 4};
  std::array<float, fill_in::out::y::size> y;
  float z[scale::out::y::size], t[4];
  if (fill_in::run(one, {x}, {y}) || scale::run(two, {y}, {z}) ||
      negate::run(three, {&z[0]}, {t}))
    return complain("does not run");
#if __cplusplus >= 202002L
  std::span<const float> part(x);
  if (fill_in::run(one, {part}, {y}))
    return complain(one.error());
  part = part.first(3);
  if (!fill_in::run(one, {part}, {y}))
    return complain("took a span that is too short");
#endif
  const std::vector<float> shorter(3);
  if (fill_in::run(one, {shorter}, {y}) != FUSEC_INVALID_ARGUMENT)
    return complain("took a vector that is too short");
  std::printf("%s\n", one.error());
  fill_in::Inputs inputs = {x.data()}; // pointers are taken as they are
  inputs.x = y.data();
  if (inputs.x[0] != 1 || dims()[1] != 4)
    return complain("other values");
  std::printf("%g %g %g %g\n", t[0], t[1], t[2], t[3]);
}
