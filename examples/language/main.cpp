// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says of each line of its input which language it is in.
//   language_demo WEIGHTS < TEXT
#include "Language.h"

#include <cstdio>
#include <iostream>
#include <stdexcept>

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s WEIGHTS < TEXT\n", argv[0]);
    return 64;
  }
  try {
    LanguageGuesser guesser(argv[1]);
    for (std::string line; std::getline(std::cin, line);)
      std::printf("%s: %s\n", guesser.guess(line), line.c_str());
  } catch (const std::runtime_error &error) {
    std::fprintf(stderr, "language_demo: %s\n", error.what());
    return 4;
  }
  return 0;
}
