// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions, from what binds least to what binds most: or, and, not,
// comparisons, + -, * / // %, signs, ^.
#include "compiler/fop/Parser.h"

namespace fusec::fop {

bool isReduction(llvm::StringRef name) {
  for (llvm::StringRef known :
       {"sum", "mean", "max", "min", "prod", "argmax", "argmin"})
    if (name == known)
      return true;
  return false;
}

Parser::Nested::Nested(Parser &parser) : parser(parser) {
  if (++parser.depth > kMaxDepth)
    refuse(parser.peek().place, "more than " + llvm::Twine(kMaxDepth) +
                                    " expressions within each other");
}

ExprPtr Parser::make(ExprKind kind, const Token &token, llvm::StringRef text,
                     std::vector<ExprPtr> operands) {
  auto made = std::make_unique<Expr>(Expr{kind, token.place, text.str()});
  made->operands = std::move(operands);
  for (const ExprPtr &operand : made->operands)
    made->depth = std::max(made->depth, operand->depth + 1);
  if (made->depth > kMaxDepth)
    refuse(token.place, "more than " + llvm::Twine(kMaxDepth) +
                            " expressions within each other; give a part a "
                            "name of its own");
  return made;
}

ExprPtr Parser::binary(const Token &token, ExprPtr lhs, ExprPtr rhs) {
  std::vector<ExprPtr> operands;
  operands.push_back(std::move(lhs));
  operands.push_back(std::move(rhs));
  return make(ExprKind::Binary, token, token.text, std::move(operands));
}

ExprPtr Parser::parseExpression() {
  Nested nested(*this);
  return parseOr();
}

ExprPtr Parser::parseOr() {
  ExprPtr left = parseAnd();
  while (isAt("or")) {
    Token token = next();
    left = binary(token, std::move(left), parseAnd());
  }
  return left;
}

ExprPtr Parser::parseAnd() {
  ExprPtr left = parseNot();
  while (isAt("and")) {
    Token token = next();
    left = binary(token, std::move(left), parseNot());
  }
  return left;
}

ExprPtr Parser::parseNot() {
  if (!isAt("not"))
    return parseComparison();
  Nested nested(*this);
  Token token = next();
  std::vector<ExprPtr> operands;
  operands.push_back(parseNot());
  return make(ExprKind::Unary, token, token.text, std::move(operands));
}

ExprPtr Parser::parseComparison() {
  ExprPtr left = parseSum();
  auto isComparison = [&] {
    for (llvm::StringRef known : {"==", "!=", "<", "<=", ">", ">="})
      if (isAt(known))
        return true;
    return false;
  };
  if (!isComparison())
    return left;
  Token token = next();
  ExprPtr made = binary(token, std::move(left), parseSum());
  if (isComparison())
    refuse(peek().place, "two comparisons in a row; write a < b and b < c");
  return made;
}

ExprPtr Parser::parseSum() {
  ExprPtr left = parseProduct();
  while (isAt("+") || isAt("-")) {
    Token token = next();
    left = binary(token, std::move(left), parseProduct());
  }
  return left;
}

ExprPtr Parser::parseProduct() {
  ExprPtr left = parseSign();
  while (isAt("*") || isAt("/") || isAt("//") || isAt("%")) {
    Token token = next();
    left = binary(token, std::move(left), parseSign());
  }
  return left;
}

ExprPtr Parser::parseSign() {
  if (!isAt("-") && !isAt("+"))
    return parsePower();
  Nested nested(*this);
  Token token = next();
  std::vector<ExprPtr> operands;
  operands.push_back(parseSign());
  return make(ExprKind::Unary, token, token.text, std::move(operands));
}

ExprPtr Parser::parsePower() {
  ExprPtr base = parsePrimary();
  if (!isAt("^"))
    return base;
  Nested nested(*this);
  Token token = next();
  return binary(token, std::move(base), parseSign());
}

ExprPtr Parser::parsePrimary() {
  Token token = next();
  if (token.kind == TokenKind::Symbol && token.text == "(") {
    ExprPtr inner = parseExpression();
    expect(")", "behind an expression");
    return inner;
  }
  if (token.kind == TokenKind::Integer || token.kind == TokenKind::Number ||
      token.text == "true" || token.text == "false") {
    ExprPtr made = make(ExprKind::Number, token, token.text, {});
    int64_t whole = 0;
    double number = 0;
    if (token.kind == TokenKind::Name)
      made->number = token.text == "true";
    else if (!token.text.getAsInteger(10, whole))
      made->number = whole;
    else if (!token.text.getAsDouble(number))
      made->number = number;
    return made;
  }
  if (token.kind != TokenKind::Name || isKeyword(token.text))
    refuse(token.place, "expected an expression, not " + token.describe());
  if (isReduction(token.text) && isAt("["))
    return parseReduction(token);
  if (isAt("["))
    return parseSubscript(token);
  if (isAt("(") || isAt("."))
    return parseCall(token);
  return make(ExprKind::Name, token, token.text, {});
}

ExprPtr Parser::parseSubscript(const Token &name) {
  expect("[", "behind a name");
  std::vector<ExprPtr> operands;
  while (!isAt("]")) {
    if (isAt("*")) {
      next();
      Token group = expectName("the name of a group of dimensions");
      operands.push_back(make(ExprKind::Name, group, group.text, {}));
      operands.back()->isGroup = true;
    } else {
      operands.push_back(parseExpression());
    }
    if (!accept(","))
      break;
  }
  expect("]", "behind the subscripts of '" + name.text.str() + "'");
  ExprPtr made =
      make(ExprKind::Subscript, name, name.text, std::move(operands));
  if (accept("else")) {
    Nested nested(*this);
    made->fill = parseSign();
    made->depth = std::max(made->depth, made->fill->depth + 1);
  }
  return made;
}

ExprPtr Parser::parseReduction(const Token &name) {
  expect("[", "behind a reduction");
  std::vector<IndexName> indices = parseIndices();
  if (indices.empty())
    refuse(name.place, "'" + name.text +
                           "' needs the dimensions that it runs "
                           "over, as in " +
                           name.text + "[n](x)");
  if (!isAt("("))
    refuse(peek().place, "expected '(' and what '" + name.text +
                             "' takes, not " + peek().describe());
  next();
  std::vector<ExprPtr> operands;
  operands.push_back(parseExpression());
  expect(")", "behind what '" + name.text.str() + "' takes");
  ExprPtr made = make(ExprKind::Reduce, name, name.text, std::move(operands));
  made->indices = std::move(indices);
  return made;
}

ExprPtr Parser::parseCall(const Token &name) {
  const std::string callee = parseRest(name);
  expect("(", "behind '" + callee + "'");
  std::vector<ExprPtr> operands;
  while (!isAt(")")) {
    operands.push_back(parseExpression());
    if (!accept(","))
      break;
  }
  expect(")", "behind what '" + callee + "' takes");
  return make(ExprKind::Call, name, callee, std::move(operands));
}

} // namespace fusec::fop
