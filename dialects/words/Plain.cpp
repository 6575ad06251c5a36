// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/words/Plain.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

namespace fusec {

using llvm::StringRef;

static bool isHidden(llvm::UTF32 c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0xfeff ||
         (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2060 && c <= 0x2069);
}

/// A character, or a byte that is part of none.
namespace {
struct Character {
  StringRef text;
  llvm::UTF32 code = 0;
  bool isBroken = false;
};
} // namespace

static Character takeFirst(StringRef text) {
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data()),
             *end = begin + text.size(), *next = begin;
  Character first;
  if (llvm::convertUTF8Sequence(&next, end, &first.code,
                                llvm::strictConversion) == llvm::conversionOK)
    first.text = text.take_front(next - begin);
  else
    first = {text.take_front(1), begin[0], /*isBroken=*/true};
  return first;
}

static std::string rewrite(StringRef text,
                           llvm::function_ref<std::string(Character)> spell) {
  std::string result;
  while (!text.empty()) {
    Character first = takeFirst(text);
    if (first.isBroken || isHidden(first.code))
      result += spell(first);
    else
      result += first.text;
    text = text.drop_front(first.text.size());
  }
  return result;
}

static std::string asEscape(Character character) {
  if (character.isBroken)
    return "\\x" + llvm::utohexstr(character.code, /*LowerCase=*/true, 2);
  return "\\u" + llvm::utohexstr(character.code, /*LowerCase=*/true, 4);
}

std::string onOneLine(StringRef text) {
  return rewrite(text, [](Character character) -> std::string {
    return character.text == "\n"   ? "\\n"
           : character.text == "\t" ? "\\t"
                                    : asEscape(character);
  });
}

std::string onOwnLines(StringRef text, StringRef indent) {
  return rewrite(text, [&](Character character) {
    return character.text == "\n" ? ("\n" + indent).str() : asEscape(character);
  });
}

std::string blankHidden(StringRef text) {
  return rewrite(text, [](Character) -> std::string { return " "; });
}

std::string plainJson(StringRef json) {
  // What stands between strings is of JSON's own: spaces and newlines.
  return rewrite(json, [](Character character) -> std::string {
    return character.text == "\n" ? "\n"
           : character.isBroken   ? "\\ufffd"
                                  : asEscape(character);
  });
}

} // namespace fusec
