// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/Lexer.h"

#include <cctype>
#include <cstdlib>
#include <cstring>

using namespace fusec::ptx;

namespace {

bool startsName(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '%';
}

bool continuesName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

} // namespace

void Lexer::fail(int line, const std::string &what) const {
  throw Error(Error::BadInput, path + ":" + std::to_string(line) + ": " + what);
}

void Lexer::skipSpace() {
  while (at < text.size()) {
    if (text[at] == '\n')
      ++line;
    if (std::isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
    } else if (text.compare(at, 2, "//") == 0) {
      while (at < text.size() && text[at] != '\n')
        ++at;
    } else if (text.compare(at, 2, "/*") == 0) {
      size_t end = text.find("*/", at + 2);
      if (end == std::string::npos)
        fail(line, "a comment has no end; the file was cut short?");
      for (; at < end + 2; ++at)
        line += text[at] == '\n';
    } else {
      return;
    }
  }
}

Token Lexer::next() {
  size_t before = at;
  skipSpace();
  Token token;
  token.glued = before == at;
  token.line = line;
  token.begin = at;
  if (at == text.size()) {
    token.end = at;
    return token;
  }
  char c = text[at];
  if (startsName(c)) {
    size_t begin = at++;
    while (at < text.size() && continuesName(text[at]))
      ++at;
    token.kind = Token::Name;
    token.text = text.substr(begin, at - begin);
  } else if (c == '.' && at + 1 < text.size() && continuesName(text[at + 1])) {
    size_t begin = ++at;
    while (at < text.size() &&
           (continuesName(text[at]) || text.compare(at, 2, "::") == 0))
      at += text[at] == ':' ? 2 : 1;
    token.kind = Token::Dotted;
    token.text = text.substr(begin, at - begin);
  } else if (std::isdigit(static_cast<unsigned char>(c))) {
    return number(token);
  } else if (c == '"') {
    size_t end = text.find('"', at + 1);
    if (end == std::string::npos)
      fail(line, "a string has no end; the file was cut short?");
    token.kind = Token::String;
    token.text = text.substr(at + 1, end - at - 1);
    at = end + 1;
  } else {
    token.kind = Token::Punctuation;
    token.text = std::string(1, c);
    ++at;
  }
  token.end = at;
  return token;
}

Token Lexer::number(Token token) {
  const char *begin = text.c_str() + at;
  char *end = nullptr;
  token.kind = Token::Integer;
  bool isHexFloat =
      begin[0] == '0' && std::strchr("fFdD", begin[1]) && begin[1];
  if (isHexFloat) {
    token.kind = Token::Float;
    token.isSingle = std::tolower(begin[1]) == 'f';
    size_t digits = token.isSingle ? 8 : 16;
    std::string hex;
    while (hex.size() < digits &&
           std::isxdigit(static_cast<unsigned char>(begin[2 + hex.size()])))
      hex += begin[2 + hex.size()];
    if (hex.size() != digits)
      fail(line, "'" + std::string(begin, 2) + hex +
                     "' is no number: it needs " + std::to_string(digits) +
                     " hexadecimal digits");
    token.value = std::strtoull(hex.c_str(), nullptr, 16);
    at += 2 + digits;
    token.end = at;
    return token;
  }
  if (begin[0] == '0' && (begin[1] == 'b' || begin[1] == 'B'))
    token.value = std::strtoull(begin + 2, &end, 2);
  else
    token.value = std::strtoull(begin, &end, 0);
  if (*end == '.' || ((*end == 'e' || *end == 'E') && begin[1] != 'x')) {
    double value = std::strtod(begin, &end);
    token.kind = Token::Float;
    std::memcpy(&token.value, &value, sizeof value);
  } else if (*end == 'U') {
    ++end;
  }
  at += end - begin;
  token.end = at;
  return token;
}
