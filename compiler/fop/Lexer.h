// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_COMPILER_FOP_LEXER_H
#define FUSEC_COMPILER_FOP_LEXER_H

#include "compiler/fop/Ast.h"
#include "llvm/ADT/StringRef.h"

namespace fusec::fop {

enum class TokenKind { Name, Integer, Number, Symbol, End };

struct Token {
  TokenKind kind;
  llvm::StringRef text; ///< a part of the text that was read
  Place place;

  /// "'x'", or "the end of the text", for messages.
  std::string describe() const;
};

/// All tokens of `text`, with the end as the last one. Throws Mistake.
std::vector<Token> readTokens(llvm::StringRef text);

} // namespace fusec::fop

#endif // FUSEC_COMPILER_FOP_LEXER_H
