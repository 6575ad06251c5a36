// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/Message.h"

#include "dialects/words/Plain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Process.h"

namespace fusec {

using llvm::StringRef;

// Of the terminal's own palette, so that they suit its background.
static constexpr StringRef kPlain = "\033[0m", kBold = "\033[1m",
                           kHint = "\033[32m", kName = "\033[36m";

namespace {
struct Kind {
  StringRef word, colour;
};
} // namespace
/// The longer before what it ends in.
static constexpr Kind kKinds[] = {{"internal error:", "\033[1;31m"},
                                  {"error:", "\033[1;31m"},
                                  {"unsupported:", "\033[1;35m"},
                                  {"warning:", "\033[1;33m"},
                                  {"remark:", "\033[1;34m"}};

bool hasColours(const llvm::raw_ostream &os) {
  auto refused = llvm::sys::Process::GetEnv("NO_COLOR");
  auto terminal = llvm::sys::Process::GetEnv("TERM");
  // raw_ostream does not promise the question to be const.
  return const_cast<llvm::raw_ostream &>(os).is_displayed() &&
         !(refused && !refused->empty()) && terminal && *terminal != "dumb";
}

/// Names stand in single quotes; an apostrophe within a word opens none.
static void printNames(llvm::raw_ostream &os, StringRef text) {
  while (!text.empty()) {
    size_t begin = text.find('\'');
    bool opens = begin == 0 ||
                 (begin != StringRef::npos && !llvm::isAlnum(text[begin - 1]));
    size_t end = opens ? text.find('\'', begin + 1) : begin;
    if (end == StringRef::npos) {
      os << text;
      return;
    }
    if (opens)
      os << text.take_front(begin) << kName << text.slice(begin, end + 1)
         << kPlain;
    else
      os << text.take_front(end + 1);
    text = text.drop_front(end + 1);
  }
}

static void printLine(llvm::raw_ostream &os, StringRef line) {
  if (line.ltrim().starts_with("hint:")) {
    size_t end = line.find(':') + 1;
    os << kHint << line.take_front(end) << kPlain << line.drop_front(end);
    return;
  }
  for (const Kind &kind : kKinds) {
    size_t at = line.find((" " + kind.word + " ").str());
    if (at == StringRef::npos)
      continue;
    os << kBold << line.take_front(at) << kPlain << ' ' << kind.colour
       << kind.word << kPlain;
    line = line.drop_front(at + 1 + kind.word.size());
    break;
  }
  printNames(os, line);
}

std::string didYouMean(StringRef text, llvm::ArrayRef<std::string> names) {
  const std::string *nearest = nullptr;
  unsigned least = text.size() / 3 + 1;
  for (const std::string &name : names) {
    unsigned distance = text.edit_distance_insensitive(name, true, least);
    // Where nothing of the shorter is left, nothing is alike.
    bool alike = distance < std::min(text.size(), name.size());
    if (alike && (distance < least || (distance == least && !nearest))) {
      least = distance;
      nearest = &name;
    }
  }
  return nearest ? "did you mean " + *nearest + "?" : "";
}

std::string shellWord(StringRef text) {
  auto isPlain = [](char c) {
    return llvm::isAlnum(c) || StringRef("_-./:=,+@%").contains(c);
  };
  if (!text.empty() && llvm::all_of(text, isPlain))
    return text.str();
  std::string word = "'";
  for (char c : text)
    word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

std::string joinHints(const llvm::Twine &first, const llvm::Twine &second) {
  std::string text = first.str(), more = second.str();
  return text + (text.empty() || more.empty() ? "" : " ") + more;
}

void printTableHeader(llvm::raw_ostream &os, StringRef text) {
  bool colours = hasColours(os);
  os << (colours ? kBold : "") << text << (colours ? kPlain : "") << '\n';
}

void printBar(llvm::raw_ostream &os, double percent) {
  constexpr double kPercentPerBlock = 4;
  bool colours = hasColours(os);
  os << (colours ? kName : "");
  for (int i = 0; i < int(percent / kPercentPerBlock + 0.5); ++i)
    os << "█";
  os << (colours ? kPlain : "");
}

void printMessage(llvm::raw_ostream &os, StringRef written) {
  const std::string text = onOwnLines(written, /*indent=*/"");
  if (!hasColours(os)) {
    os << text << '\n';
    return;
  }
  for (StringRef line : llvm::split(StringRef(text), '\n')) {
    printLine(os, line);
    os << '\n';
  }
}

} // namespace fusec
