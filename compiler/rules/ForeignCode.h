// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whose code is running, if it is a user's: a crash in it is no bug of fusec.
#ifndef FUSEC_COMPILER_RULES_FOREIGNCODE_H
#define FUSEC_COMPILER_RULES_FOREIGNCODE_H

#include <string>

namespace fusec {

/// As long as this lives, the thread runs code of a library of a user's.
class ForeignCode {
public:
  ForeignCode(std::string library, std::string what, std::string hint)
      : library(std::move(library)), what(std::move(what)),
        hint(std::move(hint)), outer(innermost) {
    innermost = this;
  }
  ~ForeignCode() { innermost = outer; }
  ForeignCode(const ForeignCode &) = delete;
  ForeignCode &operator=(const ForeignCode &) = delete;

  /// What this thread runs, or null.
  static const ForeignCode *running() { return innermost; }

  /// The file.
  const std::string library;
  /// What of it runs: "the rule argmax.skip-softmax".
  const std::string what;
  /// What to do where it fails.
  const std::string hint;

private:
  const ForeignCode *outer;
  static inline thread_local const ForeignCode *innermost = nullptr;
};

} // namespace fusec

#endif // FUSEC_COMPILER_RULES_FOREIGNCODE_H
