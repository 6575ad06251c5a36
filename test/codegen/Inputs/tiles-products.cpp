// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the products by each instruction set that the processor has, and prints
// which of them ran; fails where the bits differ.
#include <cstdio>
#include <random>
#include <vector>

#include "fusec/runtime.hpp"
#include "products.h"

int main(int, char **arguments) {
  fusec::Model model(fusec_products_query, arguments[1]);
  std::mt19937 random(1);
  std::vector<uint8_t> x(37 * 72), y(37 * 64), first;
  std::vector<fusec::bf16> u(37 * 72);
  std::vector<float> v(37 * 40), second;
  for (uint8_t &code : x)
    code = static_cast<uint8_t>(random());
  for (fusec::bf16 &number : u)
    number.bits = uint16_t((random() & 0x80ff) | 0x3f00);
  for (const char *isa :
       {"baseline", "avx2", "avx512", "avx512vnni", "avx512bf16", "amx"}) {
    fusec_session_options options = {};
    options.isa = isa;
    fusec::Session session(model, options);
    if (products::run(session, {x, u}, {y, v}) != FUSEC_OK)
      return 1;
    if (first.empty()) {
      first = y;
      second = v;
    }
    if (y != first || v != second) {
      std::printf("%s has other bits\n", session.isa());
      return 1;
    }
    std::printf("%s\n", session.isa());
  }
  return 0;
}
