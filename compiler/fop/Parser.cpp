// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/fop/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace fusec::fop {

bool isKeyword(llvm::StringRef name) {
  for (llvm::StringRef known :
       {"op", "where", "in", "else", "and", "or", "not", "true", "false"})
    if (name == known)
      return true;
  return false;
}

Token Parser::expect(llvm::StringRef text, llvm::StringRef where) {
  if (!isAt(text))
    refuse(peek().place,
           "expected '" + text + "' " + where + ", not " + peek().describe());
  return next();
}

Token Parser::expectName(llvm::StringRef what) {
  Token token = peek();
  if (token.kind != TokenKind::Name)
    refuse(token.place, "expected " + what + ", not " + token.describe());
  if (isKeyword(token.text))
    refuse(token.place, "expected " + what + ", and '" + token.text +
                            "' is a word of the language");
  return next();
}

std::string Parser::parseRest(const Token &first) {
  std::string name = first.text.str();
  while (accept("."))
    name += "." + expectName("a part of an operator's name").text.str();
  return name;
}

int64_t Parser::expectInteger(llvm::StringRef what) {
  Token token = next();
  int64_t value = 0;
  if (token.kind != TokenKind::Integer || token.text.getAsInteger(10, value))
    refuse(token.place, "expected " + what + ", not " + token.describe());
  return value;
}

std::vector<Definition> Parser::parse() {
  std::vector<Definition> all;
  while (peek().kind != TokenKind::End)
    all.push_back(parseDefinition());
  return all;
}

Definition Parser::parseDefinition() {
  Definition op;
  expect("op", "at the beginning of an operator");
  Token name = expectName("the operator's name, as acme.LayerNorm");
  op.place = name.place;
  std::vector<std::string> parts{name.text.str()};
  while (accept("."))
    parts.push_back(expectName("a part of the operator's name").text.str());
  op.type = parts.back();
  parts.pop_back();
  op.domain = parts.empty() ? "custom" : llvm::join(parts, ".");
  if (peek().kind == TokenKind::Name) {
    Token version = next();
    llvm::StringRef digits = version.text;
    if (!digits.consume_front("v") || digits.getAsInteger(10, op.version) ||
        op.version < 1)
      refuse(version.place,
             "expected a version, as v1, or '(', not " + version.describe());
  }
  expect("(", "in front of the inputs");
  while (!isAt(")")) {
    parseInput(op);
    if (!accept(","))
      break;
  }
  expect(")", "behind the inputs");
  expect("->", "in front of the outputs");
  expect("(", "in front of the outputs");
  while (!isAt(")")) {
    Token output = expectName("the name of an output");
    expect(":", "behind the name of an output");
    op.outputs.push_back(parseTensor(output));
    if (!accept(","))
      break;
  }
  Token end = expect(")", "behind the outputs");
  if (op.outputs.empty())
    refuse(end.place, "an operator needs an output");
  if (accept("gradient")) {
    const Token gradient = expectName("the operator that is the gradient");
    op.gradientPlace = gradient.place;
    op.gradient = parseRest(gradient);
  }
  if (accept("where"))
    parseWhere(op);
  expect("{", "in front of the body");
  while (!isAt("}")) {
    op.body.push_back(parseStatement());
    while (accept(";"))
      ;
  }
  next();
  return op;
}

void Parser::parseInput(Definition &op) {
  Token name = expectName("the name of an input or parameter");
  expect(":", "behind '" + name.text.str() + "', and its type");
  const bool isList = isAt("[", 1) && (isAt("int") || isAt("float"));
  if (isList || (!isAt("[", 1) && !isAt(".", 1))) {
    op.params.push_back(parseParam(name));
    return;
  }
  op.inputs.push_back(parseTensor(name));
}

Param Parser::parseParam(const Token &name) {
  Token type = expectName("a type");
  Param param{name.place, name.text.str(), ParamKind::Flag, {}, {}};
  if (type.text == "int")
    param.kind = ParamKind::Integer;
  else if (type.text == "float")
    param.kind = ParamKind::Number;
  else if (type.text != "bool")
    refuse(type.place,
           "'" + type.text +
               "' is no type of a parameter, which are bool, int, float, int[] "
               "and float[]; that of a tensor has its dimensions, as in " +
               type.text + "[n]");
  if (accept("[")) {
    param.kind = param.kind == ParamKind::Integer ? ParamKind::Integers
                                                  : ParamKind::Numbers;
    if (!isAt("]"))
      param.length = expectInteger("how many numbers the list has");
    expect("]", "behind the type of a list");
  }
  if (accept("="))
    param.value = parseDefault(param);
  return param;
}

Number Parser::parseLiteral(llvm::StringRef what) {
  const bool isNegative = accept("-");
  Token token = next();
  int64_t whole = 0;
  double number = 0;
  if (!isNegative && (token.text == "true" || token.text == "false"))
    return token.text == "true";
  if (token.kind == TokenKind::Integer && !token.text.getAsInteger(10, whole))
    return isNegative ? -whole : whole;
  if (token.kind == TokenKind::Number && !token.text.getAsDouble(number))
    return isNegative ? -number : number;
  refuse(token.place,
         "expected the default of " + what + ", not " + token.describe());
}

ParamValue Parser::parseDefault(const Param &param) {
  const std::string what = "'" + param.name + "'";
  auto integer = [&]() -> int64_t {
    const Place place = peek().place;
    Number number = parseLiteral(what);
    if (const auto *whole = std::get_if<int64_t>(&number))
      return *whole;
    refuse(place, "the default of " + what + " is no integer");
  };
  auto real = [&]() -> double {
    const Place place = peek().place;
    Number number = parseLiteral(what);
    if (const auto *whole = std::get_if<int64_t>(&number))
      return double(*whole);
    if (const auto *held = std::get_if<double>(&number))
      return *held;
    refuse(place, "the default of " + what + " is no number");
  };
  auto list = [&](auto read) {
    std::vector<decltype(read())> all;
    Token open = expect("[", "in front of the numbers of " + what);
    while (!isAt("]")) {
      all.push_back(read());
      if (!accept(","))
        break;
    }
    expect("]", "behind the numbers of " + what);
    if (param.length && int64_t(all.size()) != *param.length)
      refuse(open.place,
             "the default of " + what + " has " + llvm::Twine(all.size()) +
                 " numbers, and its type " + llvm::Twine(*param.length));
    return all;
  };
  switch (param.kind) {
  case ParamKind::Flag: {
    const Place place = peek().place;
    Number number = parseLiteral(what);
    if (const auto *flag = std::get_if<bool>(&number))
      return *flag;
    refuse(place, "the default of " + what + " is neither true nor false");
  }
  case ParamKind::Integer:
    return integer();
  case ParamKind::Number:
    return real();
  case ParamKind::Integers:
    return list(integer);
  case ParamKind::Numbers:
    return list(real);
  }
  llvm_unreachable("covers all kinds");
}

Tensor Parser::parseTensor(const Token &name) {
  Token type = expectName("the type of '" + name.text.str() + "'");
  Tensor tensor{name.place, name.text.str(), type.place, type.text.str(), {}};
  expect("[", "behind the type of '" + tensor.name + "', and its dimensions");
  while (!isAt("]")) {
    tensor.dims.push_back(parseDim());
    if (!accept(","))
      break;
  }
  expect("]", "behind the dimensions of '" + tensor.name + "'");
  return tensor;
}

Dim Parser::parseDim() {
  Dim dim{peek().place, "", false, {}};
  if (accept("*")) {
    dim.isGroup = true;
    dim.name = expectName("the name of a group of dimensions").text.str();
    return dim;
  }
  const bool isAlone = isAt(",", 1) || isAt("]", 1);
  if (peek().kind == TokenKind::Name && (isAlone || isAt("=", 1))) {
    dim.name = expectName("a dimension").text.str();
    if (accept("="))
      dim.extent = parseExpression();
    return dim;
  }
  dim.extent = parseExpression();
  return dim;
}

void Parser::parseWhere(Definition &op) {
  do {
    if (!isAt("in", 1)) {
      op.conditions.push_back(parseExpression());
      continue;
    }
    Token name = expectName("a type's name");
    next();
    TypeSet set{name.place, name.text.str(), {}};
    do {
      Token type = expectName("an element type");
      auto element = io::elementTypeFromName(type.text);
      if (!element)
        refuse(type.place, "'" + type.text +
                               "' is no element type; they are f16, bf16, f32, "
                               "f64, i8 to i64, u8 to u64, bool");
      set.types.push_back(*element);
    } while (isAt(",") && peek(1).kind == TokenKind::Name &&
             io::elementTypeFromName(peek(1).text) && !isAt("in", 2) &&
             accept(","));
    op.typeSets.push_back(std::move(set));
  } while (accept(","));
}

std::vector<IndexName> Parser::parseIndices() {
  std::vector<IndexName> all;
  while (!isAt("]")) {
    IndexName index{peek().place, "", accept("*"), {}};
    index.name = expectName("the name of a dimension").text.str();
    if (!index.isGroup && accept(":"))
      index.extent = parseExpression();
    all.push_back(std::move(index));
    if (!accept(","))
      break;
  }
  expect("]", "behind the dimensions");
  return all;
}

Statement Parser::parseStatement() {
  Statement statement;
  statement.place = peek().place;
  do {
    Token name = expectName("a statement, as y = x + 1, or '}'");
    statement.names.push_back(name.text.str());
    statement.namePlaces.push_back(name.place);
  } while (accept(","));
  if (accept("[")) {
    statement.hasIndices = true;
    statement.indices = parseIndices();
  }
  expect("=", "behind '" + statement.names.back() + "'");
  statement.value = parseExpression();
  return statement;
}

} // namespace fusec::fop
