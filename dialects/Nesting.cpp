// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Nesting.h"

#include "dialects/Limits.h"

#include "llvm/ADT/SmallVector.h"

namespace fusec {

/// The position behind the string that begins at `at`, or the end of the text.
static size_t skipString(llvm::StringRef text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\')
      ++at;
  return at + 1;
}

std::optional<size_t> findTooDeep(llvm::StringRef text) {
  llvm::SmallVector<char> open; // what closes each
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    switch (c) {
    case '"':
      at = skipString(text, at) - 1;
      break;
    case '/':
      if (text.substr(at).starts_with("//"))
        at = std::min(text.find('\n', at), text.size());
      break;
    case '(':
    case '[':
    case '{':
    case '<':
      // "<=" is no bracket.
      if (text.substr(at).starts_with("<="))
        break;
      open.push_back(c == '(' ? ')' : char(c + 2));
      if (open.size() > kMaxNesting)
        return at;
      break;
    case '>':
      // Neither is ">=", nor the head of an arrow.
      if (!open.empty() && open.back() == c &&
          !text.take_front(at).ends_with("-"))
        open.pop_back();
      break;
    case ')':
    case ']':
    case '}':
      // What closes nothing is for the parser to refuse.
      while (!open.empty() && open.back() == '>')
        open.pop_back();
      if (!open.empty() && open.back() == c)
        open.pop_back();
      break;
    default:
      break;
    }
  }
  return std::nullopt;
}

std::string describeTooDeep() {
  return "has brackets nested more than " + std::to_string(kMaxNesting) +
         " deep";
}

llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text) {
  if (findTooDeep(text))
    return llvm::createStringError(describeTooDeep());
  return llvm::json::parse(text);
}

} // namespace fusec
