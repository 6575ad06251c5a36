// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which language a text is in. The model stays inside.
#ifndef TEXT_LANGUAGE_H
#define TEXT_LANGUAGE_H

#include <memory>
#include <string>

class LanguageGuesser {
public:
  /// Maps the weights. Throws std::runtime_error if they cannot be read.
  explicit LanguageGuesser(const std::string &weights);
  ~LanguageGuesser();

  /// "English", ...: what the first 256 pairs of letters look like most.
  const char *guess(const std::string &text);

private:
  struct State;
  std::unique_ptr<State> state;
};

#endif
