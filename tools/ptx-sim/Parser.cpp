// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/Parser.h"

#include "tools/ptx-sim/Architectures.h"

#include <cstring>

using namespace fusec::ptx;

void Parser::fail(const std::string &what) {
  if (token.kind == Token::End)
    lexer.fail(token.line, "the file ends " +
                               (function ? "inside of " + function->name
                                         : std::string("too early")) +
                               ": " + what + "; it was cut short?");
  std::string found = token.kind == Token::Dotted ? "." + token.text
                      : token.text.empty()        ? std::string("a number")
                                                  : token.text;
  const char *end = token.end == lexer.text.size()
                        ? ", where the file ends: it was cut short?"
                        : "";
  lexer.fail(token.line, what + ", not '" + found + "'" + end);
}

bool Parser::accept(char c) {
  if (!at(c))
    return false;
  advance();
  return true;
}

void Parser::expect(char c) {
  if (!accept(c))
    fail(std::string("expected '") + c + "'");
}

bool Parser::acceptDotted(const char *text) {
  if (token.kind != Token::Dotted || token.text != text)
    return false;
  advance();
  return true;
}

std::string Parser::expectName(const char *what) {
  if (token.kind != Token::Name)
    fail(std::string("expected ") + what);
  std::string name = token.text;
  advance();
  return name;
}

uint64_t Parser::expectInteger(const char *what) {
  bool negative = accept('-');
  if (token.kind != Token::Integer)
    fail(std::string("expected ") + what);
  uint64_t value = token.value;
  advance();
  return negative ? -value : value;
}

std::unique_ptr<Module> Parser::parse() {
  if (!acceptDotted("version")) {
    if (lexer.text.find('\0') != std::string::npos)
      lexer.fail(token.line,
                 "this is a binary, not PTX, which is text: cuobjdump -ptx "
                 "shows the PTX that a binary holds, nvcc -ptx makes PTX of a "
                 ".cu");
    fail("PTX begins with .version");
  }
  if (token.kind != Token::Float && token.kind != Token::Integer)
    fail("expected the version");
  advance();
  while (token.kind != Token::End)
    parseTopLevel();
  if (module->target.empty())
    fail("there is no .target");
  return std::move(module);
}

void Parser::parseTopLevel() {
  bool isExtern = false;
  while (acceptDotted("visible") || acceptDotted("weak") ||
         acceptDotted("common") ||
         (token.text == "extern" && (isExtern = acceptDotted("extern"))))
    ;
  if (acceptDotted("target")) {
    const int line = token.line;
    module->target = expectName("an architecture");
    if (!findArchitecture(module->target))
      lexer.fail(line, module->target +
                           " is no architecture that is known: compile it for "
                           "one of " +
                           architectureNames());
    while (accept(','))
      expectName("a target option");
  } else if (acceptDotted("address_size")) {
    if (expectInteger("the address size") != 64)
      throw Error(Error::Unsupported, module->path + ":" +
                                          std::to_string(token.line) +
                                          ": only 64-bit addresses");
  } else if (acceptDotted("entry")) {
    parseFunction(/*isEntry=*/true);
  } else if (acceptDotted("func")) {
    parseFunction(/*isEntry=*/false);
  } else if (acceptDotted("global")) {
    parseVariables(Space::Global, isExtern, module->variables);
  } else if (acceptDotted("const")) {
    parseVariables(Space::Const, isExtern, module->variables);
  } else if (acceptDotted("shared")) {
    parseVariables(Space::Shared, isExtern, module->variables);
  } else if (acceptDotted("file")) {
    parseFile();
  } else if (acceptDotted("section")) {
    skipSection();
  } else if (acceptDotted("pragma")) {
    advance();
    expect(';');
  } else if (acceptDotted("alias")) {
    throw Error(Error::Unsupported, module->path + ": .alias is not supported");
  } else if (!accept(';')) {
    fail("expected a function or a variable");
  }
}

void Parser::parseFile() {
  int number = static_cast<int>(expectInteger("the number of a file"));
  if (token.kind != Token::String)
    fail("expected the name of a file");
  module->files[number] = token.text;
  advance();
  while (accept(','))
    expectInteger("a time or size");
}

void Parser::skipSection() {
  while (!at('{') && token.kind != Token::End)
    advance();
  expect('{');
  for (int depth = 1; depth;) {
    if (token.kind == Token::End)
      fail("expected '}'");
    depth += at('{') ? 1 : at('}') ? -1 : 0;
    advance();
  }
}

Variable Parser::parseVariable(Space space) {
  Variable variable;
  variable.space = space;
  Scalar type = Scalar::None;
  unsigned lanes = 1;
  while (token.kind == Token::Dotted) {
    Scalar named = scalarNamed(token.text);
    if (named != Scalar::None) {
      type = named;
      variable.align = std::max(variable.align, sizeOf(type));
      advance();
    } else if (acceptDotted("align")) {
      variable.align = static_cast<unsigned>(expectInteger("an alignment"));
      if (!variable.align || (variable.align & (variable.align - 1)))
        fail("an alignment is a power of two");
    } else if (token.text == "v2" || token.text == "v4") {
      lanes = token.text[1] - '0';
      advance();
    } else if (acceptDotted("ptr") || acceptDotted("global") ||
               acceptDotted("shared") || acceptDotted("const") ||
               acceptDotted("local") || acceptDotted("attribute")) {
      // .param .u64 .ptr .global .align 16 x: what the pointer points to.
      if (accept('('))
        while (!accept(')'))
          advance();
      if (acceptDotted("align"))
        expectInteger("an alignment");
    } else {
      fail("expected the type of a variable");
    }
  }
  if (type == Scalar::None)
    fail("expected the type of a variable");
  variable.type = type;
  variable.name = expectName("the name of a variable");
  uint64_t count = lanes;
  bool isOpen = false;
  while (accept('[')) {
    if (at(']'))
      isOpen = true;
    else
      count *= expectInteger("the extent of an array");
    expect(']');
  }
  variable.align = std::max(variable.align, sizeOf(type) * lanes);
  variable.size = isOpen ? 0 : count * sizeOf(type);
  if (accept('=')) {
    parseInitializer(variable, type);
    if (isOpen)
      variable.size = variable.initial.size();
    variable.initial.resize(variable.size);
  }
  return variable;
}

void Parser::parseInitializer(Variable &variable, Scalar element) {
  if (!accept('{')) {
    parseElement(variable, element);
    return;
  }
  while (!accept('}')) {
    parseInitializer(variable, element);
    if (!at('}'))
      expect(',');
  }
}

void Parser::parseElement(Variable &variable, Scalar element) {
  uint64_t value = 0;
  if (token.kind == Token::Name) {
    std::string name = expectName("a value");
    bool isGeneric = name == "generic" && accept('(');
    if (isGeneric)
      name = expectName("a variable");
    if (isGeneric)
      expect(')');
    int64_t addend = accept('+') ? expectInteger("an offset") : 0;
    variable.fixups.push_back({variable.initial.size(), name, addend});
  } else {
    Operand number = parseNumber();
    value = number.value;
    double asDouble;
    std::memcpy(&asDouble, &value, sizeof value);
    if (number.kind == Operand::Float && !number.isSingle &&
        element == Scalar::F32) {
      float single = static_cast<float>(asDouble);
      std::memcpy(&value, &single, sizeof single);
    }
  }
  const auto *bytes = reinterpret_cast<const uint8_t *>(&value);
  variable.initial.insert(variable.initial.end(), bytes,
                          bytes + sizeOf(element));
}

void Parser::parseVariables(Space space, bool isExtern,
                            std::vector<Variable> &variables) {
  do {
    variables.push_back(parseVariable(space));
    variables.back().isExtern = isExtern;
  } while (accept(','));
  expect(';');
}

void Parser::parseParams(std::vector<Variable> &params) {
  expect('(');
  while (!accept(')')) {
    if (token.kind == Token::Dotted && token.text == "reg")
      throw Error(Error::Unsupported,
                  module->path + ":" + std::to_string(token.line) +
                      ": parameters in registers are not supported; declare "
                      "them .param");
    if (!acceptDotted("param"))
      fail("expected .param");
    params.push_back(parseVariable(Space::Param));
    if (!at(')'))
      expect(',');
  }
}

void Parser::parseFunction(bool isEntry) {
  Function parsed;
  parsed.isEntry = isEntry;
  parsed.line = token.line;
  acceptDotted("noreturn");
  if (at('('))
    parseParams(parsed.results);
  parsed.name = expectName("the name of a function");
  if (at('('))
    parseParams(parsed.params);
  while (token.kind == Token::Dotted) { // .maxnreg and other hints
    const std::string name = token.text;
    std::vector<uint64_t> values;
    advance();
    while (token.kind == Token::Integer || at(',')) {
      if (token.kind == Token::Integer)
        values.push_back(token.value);
      advance();
    }
    if (name == "maxntid")
      parsed.maxBlock = values;
    else if (name == "reqntid")
      parsed.requiredBlock = values;
  }
  parsed.isDeclaration = accept(';');
  auto &known = module->functions[parsed.name];
  if (parsed.isDeclaration) {
    if (known.name.empty())
      known = std::move(parsed);
    return;
  }
  known = std::move(parsed);
  function = &known;
  parseBody();
  function = nullptr;
}

std::unique_ptr<Module> fusec::ptx::parseModule(const std::string &path,
                                                const std::string &text) {
  return Parser(path, text).parse();
}
