// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_COMPILER_FOP_PARSER_H
#define FUSEC_COMPILER_FOP_PARSER_H

#include "compiler/fop/Lexer.h"

namespace fusec::fop {

/// Reads definitions out of tokens. All functions throw Mistake.
class Parser {
public:
  explicit Parser(std::vector<Token> tokens) : tokens(std::move(tokens)) {}

  std::vector<Definition> parse();

private:
  //===- Tokens -----------------------------------------------------------===//
  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(at + ahead, tokens.size() - 1)];
  }
  Token next() {
    Token token = peek();
    at += token.kind != TokenKind::End;
    return token;
  }
  bool isAt(llvm::StringRef text, size_t ahead = 0) const {
    return peek(ahead).kind != TokenKind::End && peek(ahead).text == text;
  }
  bool accept(llvm::StringRef text) { return isAt(text) && (next(), true); }
  /// `where` says what is read, as in "behind the inputs".
  Token expect(llvm::StringRef text, llvm::StringRef where);
  Token expectName(llvm::StringRef what);
  /// The name of an operator that begins with `first`: acme.LayerNorm.
  std::string parseRest(const Token &first);
  int64_t expectInteger(llvm::StringRef what);

  //===- Definitions (Parser.cpp) -----------------------------------------===//
  Definition parseDefinition();
  void parseInput(Definition &op);
  Param parseParam(const Token &name);
  ParamValue parseDefault(const Param &param);
  Number parseLiteral(llvm::StringRef what);
  Tensor parseTensor(const Token &name);
  Dim parseDim();
  void parseWhere(Definition &op);
  Statement parseStatement();
  /// Behind the opening bracket, with the closing one.
  std::vector<IndexName> parseIndices();

  //===- Expressions (ParseExpression.cpp) --------------------------------===//
  ExprPtr parseExpression();
  ExprPtr parseOr();
  ExprPtr parseAnd();
  ExprPtr parseNot();
  ExprPtr parseComparison();
  ExprPtr parseSum();
  ExprPtr parseProduct();
  ExprPtr parseSign();
  ExprPtr parsePower();
  ExprPtr parsePrimary();
  ExprPtr parseSubscript(const Token &name);
  ExprPtr parseReduction(const Token &name);
  ExprPtr parseCall(const Token &name);
  /// An expression of these operands; refuses one that is too deep.
  ExprPtr make(ExprKind kind, const Token &token, llvm::StringRef text,
               std::vector<ExprPtr> operands);
  ExprPtr binary(const Token &token, ExprPtr lhs, ExprPtr rhs);

  /// Counts brackets within brackets, as long as it lives.
  struct Nested {
    Nested(Parser &parser);
    ~Nested() { --parser.depth; }
    Parser &parser;
  };

  std::vector<Token> tokens;
  size_t at = 0;
  unsigned depth = 0;
};

/// Whether `name` is a word of the language, which nothing may be called.
bool isKeyword(llvm::StringRef name);
/// Whether `name` is a reduction: `sum`, ... .
bool isReduction(llvm::StringRef name);

} // namespace fusec::fop

#endif // FUSEC_COMPILER_FOP_PARSER_H
