// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A text as the model reads it.
#ifndef TEXT_PAIRS_H
#define TEXT_PAIRS_H

#include <array>
#include <cstdint>
#include <string>

/// The numbers of the first pairs of letters, from 1; 0 behind the last.
/// Anything but a letter of ASCII is a blank, and several blanks are one.
template <size_t Count>
std::array<int64_t, Count> pairsOf(const std::string &text) {
  std::array<int64_t, Count> pairs{};
  size_t count = 0;
  int last = 0;
  for (unsigned char c : text) {
    int lower = c | 32;
    int letter = lower >= 'a' && lower <= 'z' ? lower - 'a' + 1 : 0;
    if (letter == 0 && last == 0)
      continue;
    if (count == Count)
      break;
    pairs[count++] = 1 + last * 27 + letter;
    last = letter;
  }
  return pairs;
}

constexpr const char *kLanguages[] = {"English", "German", "French", "Spanish"};

#endif
