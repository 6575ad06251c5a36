// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of operators, random and damaged: both ways to compute it agree, and
// nothing crashes or hangs.
//   fuzz-fop formulas FIRST COUNT         operators that are right, by seeds
//   fuzz-fop damage FIRST COUNT FILES...  files, damaged, by seeds
//   fuzz-fop print SEED                   an operator, and in a comment
//   operands fuzz-fop show SEED FILES...           a damaged text
// COUNT is a number, or a time as in 600s.
#include "compiler/fop/Lexer.h"
#include "compiler/io/MappedFile.h"
#include "test/fuzz-fop/Formulas.h"
#include "test/fuzz-fop/Judge.h"
#include "llvm/ADT/StringExtras.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace fusec;

namespace {

/// Texts, and what they are made of.
struct Corpus {
  std::vector<std::string> texts, words;
};

Corpus readCorpus(int count, char **paths) {
  Corpus corpus;
  for (int i = 0; i < count; ++i) {
    auto bytes = io::readFile(paths[i]);
    if (!bytes) {
      std::fprintf(stderr, "%s\n", llvm::toString(bytes.takeError()).c_str());
      std::exit(2);
    }
    const llvm::StringRef all = (*bytes)->getBuffer();
    for (const fop::Token &token : fop::readTokens(all))
      corpus.words.push_back(token.text.str());
    // As a whole, and each operator by itself.
    corpus.texts.push_back(all.str());
    llvm::SmallVector<llvm::StringRef> parts;
    all.split(parts, "\nop ");
    for (llvm::StringRef part : llvm::drop_begin(parts))
      corpus.texts.push_back("op " + part.str());
  }
  for (const char *word :
       {"(",      ")",      "[",          "]",
        "{",      "}",      "*",          "//",
        "%",      "^",      "else",       "-",
        "0",      "1",      "-1",         "9223372036854775807",
        "1e308",  "1e-320", "4294967296", "op",
        "sum",    "argmax", "index",      "size",
        "select", "f16",    "i8",         "u64",
        "bool",   "where",  "in",         "not",
        ":",      "=",      "==",         "#",
        "\n",     "floor",  "x",          "n"})
    corpus.words.push_back(word);
  return corpus;
}

/// A text of the corpus with some words, or bytes, changed.
std::string damage(const Corpus &corpus, uint64_t seed) {
  std::mt19937_64 random(seed);
  auto draw = [&](size_t count) { return size_t(random() % count); };
  const std::string &text = corpus.texts[draw(corpus.texts.size())];
  if (draw(10) == 0) {
    std::string bytes = text.substr(0, draw(text.size()) + 1);
    for (size_t i = draw(4); i > 0; --i)
      bytes[draw(bytes.size())] = char(random());
    return bytes;
  }
  std::vector<std::string> words;
  for (const fop::Token &token : fop::readTokens(text))
    words.push_back(token.text.str());
  for (size_t i = 1 + draw(3); i > 0 && words.size() > 1; --i) {
    const size_t at = draw(words.size());
    switch (draw(12)) {
    case 0:
      words.erase(words.begin() + at);
      break;
    case 1:
      words.insert(words.begin() + at, words[draw(words.size())]);
      break;
    case 2:
      std::swap(words[at], words[draw(words.size())]);
      break;
    case 3: {
      // A part again, somewhere else.
      const size_t from = draw(words.size());
      std::vector<std::string> part(
          words.begin() + from,
          words.begin() + std::min(from + 1 + draw(12), words.size()));
      words.insert(words.begin() + at, part.begin(), part.end());
      break;
    }
    case 4: {
      // Brackets in brackets.
      const size_t deep = draw(4) == 0 ? 100000 : draw(300);
      const char *bracket = draw(2) ? "(" : draw(2) ? "-" : "x[";
      words.insert(words.begin() + at, deep, bracket);
      break;
    }
    case 5:
      words[at] = corpus.words[draw(corpus.words.size())];
      break;
    default: {
      // Another word of the kind.
      auto kindOf = [](const std::string &word) {
        return llvm::isAlpha(word.empty() ? ' ' : word[0])   ? 0
               : llvm::isDigit(word.empty() ? ' ' : word[0]) ? 1
                                                             : 2;
      };
      const std::string &other = words[draw(words.size())];
      if (kindOf(other) == kindOf(words[at]))
        words[at] = std::string(other);
    }
    }
  }
  std::string made;
  for (const std::string &word : words)
    made += word + " ";
  return made;
}

/// COUNT: numbers, or seconds.
class Limit {
public:
  explicit Limit(const char *text)
      : count(std::strtoull(text, nullptr, 10)),
        isTime(text[std::strlen(text) - 1] == 's') {}
  bool isOver(uint64_t done) const {
    if (!isTime)
      return done >= count;
    return std::chrono::steady_clock::now() - begin >=
           std::chrono::seconds(count);
  }

private:
  uint64_t count;
  bool isTime;
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
};

int fuzz(bool isDamage, uint64_t first, const Limit &limit,
         const Corpus &corpus) {
  Judge judge;
  uint64_t done = 0, read = 0, checked = 0, compared = 0, faults = 0;
  double slowest = 0;
  for (; !limit.isOver(done) && faults < 10; ++done) {
    const uint64_t seed = first + done;
    const auto begin = std::chrono::steady_clock::now();
    Formula formula;
    if (isDamage)
      formula.text = damage(corpus, seed);
    else
      formula = writeFormula(seed);
    Verdict verdict =
        judge.judge(formula.text, isDamage ? nullptr : &formula.inputs);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count();
    slowest = std::max(slowest, seconds);
    if (seconds > 5 && verdict.fault.empty())
      verdict.fault = "takes " + std::to_string(seconds) + " s";
    read += verdict.isRead;
    checked += verdict.isChecked;
    compared += verdict.isCompared;
    if (verdict.fault.empty())
      continue;
    ++faults;
    std::printf("seed %llu: %s\n%.3000s\n", (unsigned long long)seed,
                verdict.fault.c_str(), formula.text.c_str());
  }
  std::printf("%llu texts: %llu read, %llu of right types, %llu computed both "
              "ways, %llu faults, %.2f s the slowest\n",
              (unsigned long long)done, (unsigned long long)read,
              (unsigned long long)checked, (unsigned long long)compared,
              (unsigned long long)faults, slowest);
  // Where hardly anything is computed, nothing is shown.
  const bool isShown = compared * (isDamage ? 100 : 2) >= done;
  if (!isShown)
    std::printf("too few are computed\n");
  return faults || !isShown ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  const std::string what = argc > 2 ? argv[1] : "";
  const uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  if (what == "print") {
    const Formula formula = writeFormula(first);
    for (const fop::TensorType &type : formula.inputs)
      std::printf("# %s\n", type.describe().c_str());
    std::printf("%s", formula.text.c_str());
    return 0;
  }
  if (what == "show" && argc > 3) {
    std::printf("%s", damage(readCorpus(argc - 3, argv + 3), first).c_str());
    return 0;
  }
  if (what == "formulas" && argc == 4)
    return fuzz(false, first, Limit(argv[3]), {});
  if (what == "damage" && argc > 4)
    return fuzz(true, first, Limit(argv[3]), readCorpus(argc - 4, argv + 4));
  std::fprintf(stderr,
               "usage: fuzz-fop formulas|damage FIRST COUNT [FILE...]\n");
  return 64;
}
