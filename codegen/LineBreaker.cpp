// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/LineBreaker.h"

#include "codegen/Expr.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>

namespace fusec::codegen {

namespace {

/// What stands between two parts: text[begin, end) with spaces around, or a
/// comma or semicolon with one after it.
struct Separator {
  size_t begin, end;
  Precedence precedence;
};

/// Text from some column on, in lines of which only the first lacks its indent.
using Lines = std::vector<std::string>;

class LineBreaker {
public:
  explicit LineBreaker(size_t columns) : columns(columns) {}

  /// `text` from `column` on; `tail` characters follow its last line.
  Lines format(llvm::StringRef text, size_t column, size_t tail) const;

private:
  Lines formatList(llvm::StringRef text, llvm::ArrayRef<Separator> separators,
                   size_t column, size_t tail) const;
  Lines formatAssignment(llvm::StringRef text, Separator sign, size_t column,
                         size_t tail) const;
  Lines formatTernary(llvm::StringRef text, llvm::ArrayRef<Separator> signs,
                      size_t column, size_t tail) const;
  Lines formatBracket(llvm::StringRef text, size_t column, size_t tail) const;

  /// The layout with less beyond the last column; else the first one, unless
  /// the second saves at least so many lines.
  const Lines &better(const Lines &first, const Lines &second, size_t saves,
                      size_t column, size_t tail) const;

  size_t columns;
};

} // namespace

static size_t endColumn(const Lines &lines, size_t column) {
  return lines.back().size() + (lines.size() == 1 ? column : 0);
}

static void append(Lines &lines, const Lines &more) {
  lines.back() += more.front();
  lines.insert(lines.end(), more.begin() + 1, more.end());
}

static void startLine(Lines &lines, size_t column) {
  lines.push_back(std::string(column, ' '));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Goes through a text and knows the brackets around each character.
class Scanner {
public:
  explicit Scanner(llvm::StringRef text) : text(text) {}

  /// Takes in character `i`; false if it is part of a literal.
  bool take(size_t i) {
    char c = text[i];
    if (inLiteral) {
      inLiteral = escaped || c != '"';
      escaped = c == '\\' && !escaped;
      return false;
    }
    if (c == '"') {
      inLiteral = true;
      return false;
    }
    // Operators have spaces around them.
    bool opensTemplate = c == '<' && i > 0 && llvm::isAlnum(text[i - 1]);
    if (c == '(' || c == '[' || c == '{' || opensTemplate)
      open.push_back(c);
    else if (!open.empty() && (c == ')' || c == ']' || c == '}' ||
                               (c == '>' && open.back() == '<')))
      open.pop_back();
    return true;
  }
  size_t depth() const { return open.size(); }

private:
  llvm::StringRef text;
  llvm::SmallVector<char> open;
  bool inLiteral = false, escaped = false;
};

} // namespace

static Precedence precedenceOf(llvm::StringRef sign) {
  return llvm::StringSwitch<Precedence>(sign)
      .Cases({"=", "+=", "-="}, Precedence::Assignment)
      .Cases({"?", ":"}, Precedence::Ternary)
      .Case("||", Precedence::Or)
      .Case("&&", Precedence::And)
      .Case("|", Precedence::BitOr)
      .Case("^", Precedence::BitXor)
      .Case("&", Precedence::BitAnd)
      .Cases({"==", "!="}, Precedence::Equality)
      .Cases({"<", "<=", ">", ">="}, Precedence::Relational)
      .Cases({"<<", ">>"}, Precedence::Shift)
      .Cases({"+", "-"}, Precedence::Additive)
      .Cases({"*", "/", "%"}, Precedence::Multiplicative)
      .Default(Precedence::Primary);
}

/// The separators of `text` outside of brackets that bind weakest.
static llvm::SmallVector<Separator> findSeparators(llvm::StringRef text) {
  llvm::SmallVector<Separator> found;
  Scanner scanner(text);
  bool ternary = false;
  auto add = [&](Separator separator) {
    if (!found.empty() && found.front().precedence < separator.precedence)
      return;
    if (!found.empty() && found.front().precedence > separator.precedence)
      found.clear();
    found.push_back(separator);
  };
  for (size_t i = 0; i < text.size(); ++i) {
    bool isCode = scanner.take(i);
    if (!isCode || scanner.depth() != 0)
      continue;
    if ((text[i] == ',' || text[i] == ';') && i + 1 < text.size())
      add({i, i + 1,
           text[i] == ',' ? Precedence::Comma : Precedence::Semicolon});
    if (text[i] != ' ')
      continue;
    llvm::StringRef sign = text.substr(i + 1).split(' ').first;
    ternary |= sign == "?";
    // `enum index : uint32_t`.
    if (sign == ":" && !ternary)
      continue;
    size_t end = i + 1 + sign.size();
    Precedence precedence = precedenceOf(sign);
    if (precedence != Precedence::Primary && end < text.size())
      add({i + 1, end, precedence});
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

const Lines &LineBreaker::better(const Lines &first, const Lines &second,
                                 size_t saves, size_t column,
                                 size_t tail) const {
  auto beyond = [&](const Lines &lines) {
    size_t most = std::max(endColumn(lines, column) + tail, columns);
    for (auto [number, line] : llvm::enumerate(lines))
      most = std::max(most, line.size() + (number == 0 ? column : 0));
    return most - columns;
  };
  size_t left = beyond(first), right = beyond(second);
  if (left != right)
    return left < right ? first : second;
  return second.size() + saves <= first.size() ? second : first;
}

/// Parts one after the other, as many in a line as fit. One that takes several
/// lines stands by itself.
Lines LineBreaker::formatList(llvm::StringRef text,
                              llvm::ArrayRef<Separator> separators,
                              size_t column, size_t tail) const {
  bool after = separators.front().precedence <= Precedence::Comma;
  Lines lines = {""};
  bool alone = false;
  for (size_t i = 0; i <= separators.size(); ++i) {
    bool last = i == separators.size();
    size_t begin = i == 0 ? 0 : separators[i - 1].end;
    size_t end = last ? text.size() : separators[i].begin;
    llvm::StringRef part = text.slice(begin, end).trim();
    std::string sign;
    if (!after && i > 0)
      sign = text.slice(separators[i - 1].begin, separators[i - 1].end).str() +
             " ";
    std::string closing;
    if (after && !last)
      closing = text.slice(end, separators[i].end);
    size_t follows = closing.size() + (last ? tail : 0);
    size_t size = sign.size() + part.size() + follows;
    if (i > 0) {
      bool fits = endColumn(lines, column) + 1 + size <= columns;
      if (fits && !alone)
        lines.back() += " ";
      else
        startLine(lines, column);
    }
    lines.back() += sign;
    Lines formatted = format(part, endColumn(lines, column), follows);
    alone = formatted.size() > 1;
    append(lines, formatted);
    lines.back() += closing;
  }
  return lines;
}

/// Below the sign, if beside it is not fewer lines.
Lines LineBreaker::formatAssignment(llvm::StringRef text, Separator sign,
                                    size_t column, size_t tail) const {
  llvm::StringRef target = text.take_front(sign.end);
  llvm::StringRef value = text.substr(sign.end + 1);
  Lines below = {target.str()};
  startLine(below, column + 4);
  append(below, format(value, column + 4, tail));
  Lines beside = {target.str() + " "};
  append(beside, format(value, column + target.size() + 1, tail));
  return better(below, beside, 1, column, tail);
}

/// `condition ? a`, and below the sign `: b`; or all below the condition.
Lines LineBreaker::formatTernary(llvm::StringRef text,
                                 llvm::ArrayRef<Separator> signs, size_t column,
                                 size_t tail) const {
  Separator yes = signs.front(), no = signs.back();
  llvm::StringRef condition = text.take_front(yes.begin - 1);
  llvm::StringRef first = text.slice(yes.end + 1, no.begin - 1);
  llvm::StringRef second = text.substr(no.end + 1);
  auto arrange = [&](bool isBelow) {
    Lines lines = format(condition, column, 0);
    if (isBelow)
      startLine(lines, column + 4);
    else
      lines.back() += " ";
    size_t at = endColumn(lines, column);
    lines.back() += "? ";
    append(lines, format(first, at + 2, 0));
    startLine(lines, at);
    lines.back() += ": ";
    append(lines, format(second, at + 2, tail));
    return lines;
  };
  Lines beside = arrange(false), below = arrange(true);
  return better(beside, below, 1, column, tail);
}

/// A call: what is in its longest brackets beside or below their beginning.
Lines LineBreaker::formatBracket(llvm::StringRef text, size_t column,
                                 size_t tail) const {
  Scanner scanner(text);
  size_t begin = 0, end = 0, start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    size_t before = scanner.depth();
    if (!scanner.take(i))
      continue;
    if (before == 0 && scanner.depth() == 1)
      start = i + 1;
    // Those of a lambda's call end in another line.
    bool closes = before == 1 && scanner.depth() == 0;
    bool isOpen = i + 1 == text.size() && scanner.depth() > 0;
    size_t stop = closes ? i : text.size();
    if ((closes || isOpen) && text[start - 1] != '<' &&
        stop - start > end - begin) {
      begin = start;
      end = stop;
    }
  }
  if (begin == end)
    return {text.str()};
  // Spaces inside of brackets stay there.
  while (begin < end && text[begin] == ' ')
    ++begin;
  while (begin < end && text[end - 1] == ' ')
    --end;
  llvm::StringRef head = text.take_front(begin), rest = text.substr(end);
  llvm::StringRef content = text.slice(begin, end);
  size_t follows = rest.size() + tail;
  Lines beside = {head.str()};
  append(beside, format(content, column + head.size(), follows));
  beside.back() += rest;
  bool isName = head.size() > 1 && head.back() != '[';
  if (!isName)
    return beside;
  Lines below = {head.rtrim().str()};
  startLine(below, column + 4);
  append(below, format(content, column + 4, follows));
  below.back() += rest;
  return better(beside, below, 2, column, tail);
}

Lines LineBreaker::format(llvm::StringRef text, size_t column,
                          size_t tail) const {
  if (column + text.size() + tail <= columns)
    return {text.str()};
  // Of a statement the value breaks, not the word before it.
  llvm::StringRef value = text, word = "return ";
  if (value.consume_front(word)) {
    Lines lines = {word.str()};
    append(lines, format(value, column + word.size(), tail));
    return lines;
  }
  llvm::SmallVector<Separator> separators = findSeparators(text);
  if (separators.empty())
    return formatBracket(text, column, tail);
  switch (separators.front().precedence) {
  case Precedence::Assignment:
    return formatAssignment(text, separators.front(), column, tail);
  case Precedence::Ternary:
    return formatTernary(text, separators, column, tail);
  default:
    return formatList(text, separators, column, tail);
  }
}

std::vector<std::string> breakLines(llvm::StringRef text, size_t indent,
                                    size_t columns) {
  // What is after a comment's sign belongs to it.
  Scanner scanner(text);
  size_t code = text.size();
  for (size_t i = 0; i < text.size(); ++i)
    if (scanner.take(i) && text.substr(i).starts_with(" //")) {
      code = i;
      break;
    }
  // What ends a statement is no part of its expression.
  llvm::StringRef statement = text.take_front(code);
  for (llvm::StringRef end : {" {", ";", ","})
    statement.consume_back(end);
  llvm::StringRef tail = text.substr(statement.size());
  Lines lines = LineBreaker(columns).format(statement, indent, tail.size());
  lines.front() = std::string(indent, ' ') + lines.front();
  lines.back() += tail;
  return lines;
}

} // namespace fusec::codegen
