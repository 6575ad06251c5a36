// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Libraries of rules of users (--rules; fusec/rule_abi.h).
#ifndef FUSEC_COMPILER_RULES_RULELIBRARY_H
#define FUSEC_COMPILER_RULES_RULELIBRARY_H

#include "fusec/rule_abi.h"
#include "passes/Rules.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace fusec::rules {

/// A rule of a library, and how it is called. All texts are the library's own,
/// which stays loaded until the program ends.
struct ForeignRule {
  Rule rule;
  llvm::StringRef anchor;
  /// The file, as the user names it.
  std::string library;
  const fusec_rule_desc *functions;
};

/// What to do about a rule that is wrong.
inline std::string hintAt(const ForeignRule &rule) {
  return ("mend the library, or leave the rule out with --disable-rule=" +
          rule.rule.name)
      .str();
}

/// Why a library cannot be used: the file, the reason, and what to do.
class RuleLibraryError : public llvm::ErrorInfo<RuleLibraryError> {
public:
  static char ID;
  RuleLibraryError(std::string path, std::string reason, std::string hint)
      : path(std::move(path)), reason(std::move(reason)),
        hint(std::move(hint)) {}

  void log(llvm::raw_ostream &os) const override {
    os << path << ": " << reason << "; " << hint;
  }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  const std::string path, reason, hint;
};

/// Loads the libraries `paths` and returns their rules, in the order in which
/// they are tried. `own` are rules of fusec, whose names nobody else may give.
/// Errors: a RuleLibraryError for a file that is not there or cannot be loaded,
/// is no library of rules, needs a later version, or declares a rule that
/// cannot be.
llvm::Expected<llvm::SmallVector<ForeignRule>>
loadRules(llvm::ArrayRef<std::string> paths, llvm::ArrayRef<Rule> own);

} // namespace fusec::rules

#endif // FUSEC_COMPILER_RULES_RULELIBRARY_H
