// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/fop/Lexer.h"

#include "llvm/ADT/StringExtras.h"

namespace fusec::fop {

std::string Token::describe() const {
  return kind == TokenKind::End ? "the end of the text"
                                : "'" + text.str() + "'";
}

static bool isNameStart(char c) { return llvm::isAlpha(c) || c == '_'; }
static bool isNamePart(char c) { return llvm::isAlnum(c) || c == '_'; }

/// How many characters of `text`, which begins with a digit, are a number.
static size_t measureNumber(llvm::StringRef text) {
  size_t end = 0;
  auto skipDigits = [&] {
    while (end < text.size() && llvm::isDigit(text[end]))
      ++end;
  };
  skipDigits();
  if (end < text.size() && text[end] == '.') {
    ++end;
    skipDigits();
  }
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    ++end;
    if (end < text.size() && (text[end] == '+' || text[end] == '-'))
      ++end;
    skipDigits();
  }
  // What runs on is no number, and is refused as a whole.
  while (end < text.size() && isNamePart(text[end]))
    ++end;
  return end;
}

/// How many characters a symbol at the beginning of `text` has; 0: there is
/// none.
static size_t measureSymbol(llvm::StringRef text) {
  for (llvm::StringRef both : {"->", "//", "==", "!=", "<=", ">="})
    if (text.starts_with(both))
      return 2;
  return llvm::StringRef("()[]{},:;=+-*/%^<>.").contains(text.front()) ? 1 : 0;
}

std::vector<Token> readTokens(llvm::StringRef text) {
  std::vector<Token> tokens;
  Place place;
  auto take = [&](size_t count) {
    llvm::StringRef part = text.take_front(count);
    text = text.drop_front(count);
    place.column += count;
    return part;
  };
  while (!text.empty()) {
    const char c = text.front();
    if (c == '\n') {
      text = text.drop_front();
      ++place.line;
      place.column = 1;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      take(1);
    } else if (c == '#') {
      take(std::min(text.find('\n'), text.size()));
    } else if (isNameStart(c)) {
      const Place start = place;
      size_t end = text.find_if_not(isNamePart);
      tokens.push_back(
          {TokenKind::Name, take(std::min(end, text.size())), start});
    } else if (llvm::isDigit(c)) {
      const Place start = place;
      llvm::StringRef word = take(measureNumber(text));
      int64_t whole;
      double number;
      if (!word.getAsInteger(10, whole))
        tokens.push_back({TokenKind::Integer, word, start});
      else if (!word.ends_with(".") && !word.starts_with("0x") &&
               !word.getAsDouble(number) && number - number == 0)
        tokens.push_back({TokenKind::Number, word, start});
      else
        refuse(start,
               "'" + word.take_front(40) + "' is no number that fits 64 bits");
    } else if (size_t length = measureSymbol(text)) {
      const Place start = place;
      tokens.push_back({TokenKind::Symbol, take(length), start});
    } else if (llvm::isPrint(c)) {
      refuse(place, "'" + text.take_front(1) + "' has no meaning here");
    } else {
      refuse(place, "a byte 0x" + llvm::utohexstr(uint8_t(c)) +
                        " that is no text; names have letters, digits and _");
    }
  }
  tokens.push_back({TokenKind::End, "", place});
  return tokens;
}

} // namespace fusec::fop
