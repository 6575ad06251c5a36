// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the product by each instruction set that the processor has, with numbers
// of all sizes, and prints which of them ran; fails where the bits differ.
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "fusec/runtime.hpp"
#include "product.h"

int main(int, char **arguments) {
  fusec::Model model(fusec_product_query, arguments[1]);
  std::mt19937 random(1);
  std::vector<fusec::bf16> x(9 * 38);
  for (size_t i = 0; i < x.size(); ++i) {
    // Finite, of two ranges: beside 1, and around the least normal number.
    const auto bits = static_cast<uint16_t>(random());
    x[i].bits = uint16_t((bits & 0x807f) | (i % 3 ? 0x3f80 : bits % 5 << 7));
  }
  std::vector<float> first, y(9 * 47);
  for (const char *isa :
       {"baseline", "avx2", "avx512", "avx512vnni", "avx512bf16", "amx"}) {
    fusec_session_options options = {};
    options.isa = isa;
    fusec::Session session(model, options);
    if (product::run(session, {x}, {y}) != FUSEC_OK)
      return 1;
    if (first.empty())
      first = y;
    if (std::memcmp(first.data(), y.data(), y.size() * sizeof(float)) != 0) {
      std::printf("%s has other bits\n", session.isa());
      return 1;
    }
    std::printf("%s\n", session.isa());
  }
  return 0;
}
