// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of the graph optimiser: each rewrite, of a pattern or of a pass,
// that a user can see and switch off. A rule is declared where it is
// implemented; `listRules` (compiler/Rules.h) has all of them.
#ifndef FUSEC_PASSES_RULES_H
#define FUSEC_PASSES_RULES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace fusec {

/// What a rule is about. The areas are those of ONNX Runtime.
enum class RuleArea { Compute, Layout, QDQ, Transposes, Selectors };

/// What a rule does to the bits of results, up to which NaN one is.
enum class Bits { Kept, Changed };

/// Levels of optimisation are 0 to this one.
inline constexpr unsigned kHighestLevel = 3;

struct Rule {
  /// "piece.rule": a piece is several rules that belong together.
  llvm::StringRef name;
  RuleArea area;
  /// The lowest level of optimisation, 0 to 3, that applies it. Those of
  /// levels 0 and 1 keep bits.
  unsigned level;
  Bits bits;
  /// What it does, a sentence.
  llvm::StringRef summary;
  /// What there must be for it to apply, say routines of a library; may be
  /// empty.
  llvm::StringRef needs = "";

  llvm::StringRef getPiece() const { return name.split('.').first; }
};

/// Whether `disabled`, names of rules and of pieces, leaves the rule `name`
/// out.
inline bool isDisabled(llvm::StringRef name,
                       llvm::ArrayRef<std::string> disabled) {
  return llvm::any_of(disabled, [&](llvm::StringRef other) {
    return other == name || other == name.split('.').first;
  });
}

} // namespace fusec

#endif // FUSEC_PASSES_RULES_H
