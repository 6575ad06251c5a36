// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/SourceWriter.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

namespace fusec::codegen {

/// Whether `text` begins with a character that changes the direction of what is
/// written after it (U+202A to U+202E, U+2066 to U+2069): a comment with one
/// may look like code, and compilers warn of it.
static bool isDirection(llvm::StringRef text) {
  if (text.size() < 3 || text[0] != '\xe2')
    return false;
  return (text[1] == '\x80' && text[2] >= '\xaa' && text[2] <= '\xae') ||
         (text[1] == '\x81' && text[2] >= '\xa6' && text[2] <= '\xa9');
}

std::string commentText(llvm::StringRef text, size_t limit) {
  std::string clean = llvm::json::fixUTF8(text);
  for (size_t i = 0; i < clean.size(); ++i) {
    char c = clean[i];
    // A backslash at the end of a line would continue the comment, and so would
    // the trigraph for it.
    bool isTrigraph = c == '?' && i > 0 && clean[i - 1] == '?';
    bool isControl = !llvm::isPrint(c) && static_cast<signed char>(c) >= 0;
    if (c == '\\' || isTrigraph || isControl)
      clean[i] = ' ';
    else if (isDirection(llvm::StringRef(clean).substr(i)))
      clean.replace(i, 3, 3, ' ');
  }
  if (clean.size() <= limit)
    return clean;
  clean.resize(limit);
  // Not in the middle of a character.
  while (!clean.empty() && !llvm::json::isUTF8(clean))
    clean.pop_back();
  return clean + "...";
}

void SourceWriter::append(std::string text) {
  lines.push_back(std::move(text));
}

void SourceWriter::raw(const llvm::Twine &text) { append(text.str()); }

void SourceWriter::line(const llvm::Twine &text) {
  if (!blocks.empty())
    ++blocks.back().statements;
  wrap(std::string(2 * blocks.size(), ' ') + text.str());
}

void SourceWriter::indented(const llvm::Twine &text) {
  wrap(std::string(2 * blocks.size() + 4, ' ') + text.str());
}

void SourceWriter::comment(llvm::StringRef text) {
  std::string indent(2 * blocks.size(), ' ');
  std::string line = indent + "//";
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) {
    if (line.size() + 1 + word.size() > kColumns && line != indent + "//") {
      append(std::move(line));
      line = indent + "//";
    }
    line += " " + word.str();
  }
  append(std::move(line));
}

void SourceWriter::open(const llvm::Twine &header) {
  std::string text = std::string(2 * blocks.size(), ' ') + header.str() + " {";
  if (!blocks.empty()) {
    ++blocks.back().statements;
    blocks.back().compound = true;
  }
  wrap(std::move(text));
  blocks.push_back({lines.size() - 1});
}

void SourceWriter::close(llvm::StringRef tail, bool elide) {
  OpenBlock block = blocks.back();
  blocks.pop_back();
  if (elide && block.statements == 1 && !block.compound) {
    std::string &header = lines[block.headerEnd];
    header.resize(header.size() - 2);
    return;
  }
  append(std::string(2 * blocks.size(), ' ') + "}" + tail.str());
}

void SourceWriter::elseBlock() {
  append(std::string(2 * (blocks.size() - 1), ' ') + "} else {");
  blocks.back().headerEnd = lines.size() - 1;
}

std::string SourceWriter::text() const {
  std::string result;
  for (const std::string &line : lines)
    result += line + "\n";
  return result;
}

namespace {
/// A place where a line may end.
struct Break {
  size_t end;     ///< what is before stays on the line
  size_t resume;  ///< what the next line starts with
  unsigned depth; ///< of brackets
  size_t open;    ///< where the innermost bracket's content starts, or 0
  bool assignment = false;
  bool comma = false;
  bool bracket = false; ///< right after an opening bracket: the last resort
};
} // namespace

/// The places to break in `text`: at spaces outside of string literals, after
/// commas and binary operators, never before them.
static llvm::SmallVector<Break> findBreaks(llvm::StringRef text) {
  static constexpr llvm::StringLiteral operators = ",=+-*/%&|^<>?:;";
  llvm::SmallVector<Break> breaks;
  llvm::SmallVector<size_t> open;
  size_t initialiser = 0; // where the right side of an assignment starts
  bool inString = false;
  for (size_t i = text.find_first_not_of(' '); i < text.size(); ++i) {
    char c = text[i];
    if (c == '"' && text[i - 1] != '\\')
      inString = !inString;
    if (inString)
      continue;
    // What follows a comment's sign belongs to it.
    if (text.substr(i).starts_with("//"))
      break;
    if (c == '(' || c == '[' || c == '{') {
      size_t outer = open.empty() ? 0 : open.back();
      open.push_back(i + 1);
      if (c != '[' && i + 1 < text.size() && text[i + 1] != ')')
        breaks.push_back({i + 1, i + 1, unsigned(open.size()), outer, false,
                          false, /*bracket=*/true});
    }
    if ((c == ')' || c == ']' || c == '}') && !open.empty())
      open.pop_back();
    if (c != ' ' || i + 1 >= text.size() || i == 0)
      continue;
    char before = text[i - 1];
    // A declarator's star and a lambda's brace stay where they are.
    bool binds = (before == '*' && text[i - 2] != ' ') || text[i + 1] == '{';
    if (binds || !operators.contains(before))
      continue;
    bool assignment = before == '=' && text[i - 2] == ' ' && open.empty();
    breaks.push_back({i, i + 1, unsigned(open.size()),
                      open.empty() ? initialiser : open.back(), assignment,
                      before == ',' || before == ';'});
    if (assignment)
      initialiser = i + 1;
  }
  return breaks;
}

/// The lines of `text`, whose first one is indented. `first`, where not null,
/// is where the first line ends.
static llvm::SmallVector<std::string> breakLines(llvm::StringRef text,
                                                 size_t indent, size_t columns,
                                                 llvm::ArrayRef<Break> breaks,
                                                 const Break *first) {
  llvm::SmallVector<std::string> lines;
  // Where each line so far starts: in `text`, and in which column.
  llvm::SmallVector<std::pair<size_t, size_t>> starts = {{0, 0}};
  auto column = [&](size_t position) {
    size_t at = starts.size() - 1;
    while (starts[at].first > position)
      --at;
    return position - starts[at].first + starts[at].second;
  };
  auto target = [&](const Break &candidate) {
    if (candidate.bracket || candidate.open == 0)
      return (candidate.open ? column(candidate.open) : indent) + 4;
    return column(candidate.open);
  };
  auto add = [&](size_t end) {
    auto [begin, at] = starts.back();
    lines.push_back(std::string(begin ? at : 0, ' ') +
                    text.slice(begin, end).str());
  };
  while (true) {
    auto [begin, at] = starts.back();
    if (at + text.size() - begin <= columns)
      break;
    const Break *best = nullptr;
    auto rank = [&](const Break &b) {
      // After `=` only if that settles it.
      bool settles = target(b) + text.size() - b.resume <= columns;
      bool last = b.bracket || (b.assignment && !settles);
      bool other = !b.comma && !b.assignment;
      return (last ? 1000u : 0u) + 2 * b.depth + other;
    };
    for (const Break &candidate : breaks) {
      if (candidate.end <= std::max(begin, indent) ||
          candidate.end - begin + at > columns ||
          target(candidate) >= column(candidate.resume))
        continue;
      if (!best || rank(candidate) <= rank(*best))
        best = &candidate;
    }
    if (lines.empty() && first)
      best = first;
    if (!best)
      break;
    size_t next = target(*best);
    add(best->end);
    starts.push_back({best->resume, next});
  }
  add(text.size());
  return lines;
}

void SourceWriter::wrap(std::string text) {
  size_t indent = text.find_first_not_of(' ');
  if (text.size() <= kColumns)
    return append(std::move(text));
  auto fits = [](llvm::ArrayRef<std::string> lines) {
    return llvm::all_of(
        lines, [](const std::string &line) { return line.size() <= kColumns; });
  };
  llvm::SmallVector<Break> breaks = findBreaks(text);
  auto lines = breakLines(text, indent, kColumns, breaks, nullptr);
  // Arguments that are too long beside a long name go below it.
  auto bracket =
      llvm::find_if(breaks, [](const Break &b) { return b.bracket; });
  if (!fits(lines) && bracket != breaks.end() && bracket->end <= kColumns)
    if (auto below = breakLines(text, indent, kColumns, breaks, bracket);
        fits(below))
      lines = below;
  for (std::string &line : lines)
    append(std::move(line));
}

} // namespace fusec::codegen
