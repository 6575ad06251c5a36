// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who is asked about groups and choices that no lock decides.
#ifndef FUSEC_PASSES_LOCK_ADVISOR_H
#define FUSEC_PASSES_LOCK_ADVISOR_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace fusec::lock {

/// What a line of a fusec.lock is about, for one instruction set.
struct Subject {
  enum class Kind { group, choice };
  Kind kind;
  llvm::StringRef key, isa;
  llvm::StringRef name; ///< in the model
};

/// What a line of a fusec.lock would say behind the key of a subject:
/// "proposer=... variant=... config=..." or "algorithm=...".
struct Advice {
  unsigned threads; ///< of sessions that have as many; 0: any
  std::string text;
};

/// Knows what is fast. Unlike a lock it decides nothing: what it says and what
/// does not fit a group or a choice is left, with a warning, for the default.
class Advisor {
public:
  virtual ~Advisor() = default;

  /// A compilation begins: what was asked before is no part of it.
  virtual void begin() = 0;

  /// The key of the model (GroupKeys), before it is asked about what is in it.
  virtual void enter(llvm::StringRef model) = 0;

  /// What is known of `subject`, by threads, the fewest first; where nothing
  /// is, nothing.
  virtual std::vector<Advice> advise(const Subject &subject) = 0;

  /// A text that differs wherever the advice may differ.
  virtual std::string getDigest() const = 0;
};

} // namespace fusec::lock

#endif // FUSEC_PASSES_LOCK_ADVISOR_H
