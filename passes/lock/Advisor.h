// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who is asked about groups that no lock decides.
#ifndef FUSEC_PASSES_LOCK_ADVISOR_H
#define FUSEC_PASSES_LOCK_ADVISOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace fusec::lock {

/// Knows what is fast. Unlike a lock it decides nothing: what it says and what
/// does not fit a group is left, with a warning, for the default.
class Advisor {
public:
  virtual ~Advisor() = default;

  /// The keys of a model's groups, before it is asked about them, and the row
  /// of targets that their defaults are decided by.
  virtual void begin(llvm::StringRef row, llvm::ArrayRef<std::string> keys) = 0;

  /// What a line of a fusec.lock for instruction set `isa` would say behind the
  /// key of the group: "proposer=... variant=... config=...". Empty where
  /// nothing is known. `group` is its name in the model.
  virtual std::string advise(llvm::StringRef key, llvm::StringRef isa,
                             llvm::StringRef group) = 0;

  /// A text that differs wherever the advice may differ.
  virtual std::string getDigest() const = 0;
};

} // namespace fusec::lock

#endif // FUSEC_PASSES_LOCK_ADVISOR_H
