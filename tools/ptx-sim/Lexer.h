// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX text to tokens.
#ifndef FUSEC_TOOLS_PTXSIM_LEXER_H
#define FUSEC_TOOLS_PTXSIM_LEXER_H

#include "tools/ptx-sim/Module.h"

namespace fusec::ptx {

struct Token {
  enum Kind : uint8_t {
    End,
    Name,
    Dotted,
    Integer,
    Float,
    String,
    Punctuation
  };
  Kind kind = End;
  /// Of a name, of what follows the dot, of a string without quotes.
  std::string text;
  uint64_t value = 0;    ///< of a number: its bits
  bool isSingle = false; ///< of a Float: 32 bits
  bool glued = false;    ///< no space before it
  int line = 0;
  size_t begin = 0, end = 0;

  bool is(char c) const {
    return kind == Punctuation && text.size() == 1 && text[0] == c;
  }
};

class Lexer {
public:
  Lexer(const std::string &path, const std::string &text)
      : path(path), text(text) {}

  Token next();
  [[noreturn]] void fail(int line, const std::string &what) const;

  const std::string &path, &text;

private:
  void skipSpace();
  Token number(Token token);

  size_t at = 0;
  int line = 1;
};

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_LEXER_H
