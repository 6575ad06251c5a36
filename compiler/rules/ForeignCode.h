// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whose code is running, if it is a user's: a crash in it is no bug of fusec.
#ifndef FUSEC_COMPILER_RULES_FOREIGNCODE_H
#define FUSEC_COMPILER_RULES_FOREIGNCODE_H

#include <memory>
#include <string>

namespace fusec {

/// As long as this lives, the thread runs code of a library of a user's.
class ForeignCode {
public:
  /// Whose code it is. It is not in a frame, as a crash leaves those behind, nor
  /// in what a thread's end destroys, which is before the program's.
  struct Owner {
    /// The file.
    std::string library;
    /// What of it runs: "the rule argmax.skip-softmax".
    std::string what;
    /// What to do where it fails.
    std::string hint;
  };

  ForeignCode(std::string library, std::string what, std::string hint)
      : owner(new Owner{std::move(library), std::move(what), std::move(hint)}),
        outer(innermost) {
    innermost = owner.get();
  }
  ~ForeignCode() { innermost = outer; }
  ForeignCode(const ForeignCode &) = delete;
  ForeignCode &operator=(const ForeignCode &) = delete;

  /// As long as nothing else is set, this thread runs code of `owner`'s, which
  /// outlives it; null: nobody's.
  static void set(const Owner *owner) { innermost = owner; }

  /// Whose code this thread runs, or null.
  static const Owner *running() { return innermost; }

private:
  std::unique_ptr<const Owner> owner;
  const Owner *outer;
  static inline thread_local const Owner *innermost = nullptr;
};

} // namespace fusec

#endif // FUSEC_COMPILER_RULES_FOREIGNCODE_H
