// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/SourceWriter.h"

#include "codegen/LineBreaker.h"
#include "dialects/words/Plain.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/JSON.h"

namespace fusec::codegen {

std::string commentText(llvm::StringRef text, size_t limit) {
  std::string clean = blankHidden(text);
  // A backslash at the end of a line would continue the comment, and so would
  // the trigraph for it.
  for (size_t i = 0; i < clean.size(); ++i)
    if (clean[i] == '\\' || (clean[i] == '?' && i > 0 && clean[i - 1] == '?'))
      clean[i] = ' ';
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

void SourceWriter::append(const SourceWriter &other) {
  lines.insert(lines.end(), other.lines.begin(), other.lines.end());
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
  std::string clean = commentText(text, text.size());
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(clean).split(words, ' ', -1, /*KeepEmpty=*/false);
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
  std::string text = header.str();
  text.insert(0, 2 * blocks.size(), ' ');
  text += header.isTriviallyEmpty() ? "{" : " {";
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

void SourceWriter::wrap(std::string text) {
  size_t indent = std::min(text.find_first_not_of(' '), text.size());
  for (std::string &line :
       breakLines(llvm::StringRef(text).drop_front(indent), indent, kColumns))
    append(std::move(line));
}

} // namespace fusec::codegen
