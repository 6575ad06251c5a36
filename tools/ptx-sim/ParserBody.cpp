// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/Parser.h"

#include <cstring>

using namespace fusec::ptx;

void Parser::parseBody() {
  location = -1;
  expect('{');
  parseBlock();
  for (const Instruction &instruction : function->body)
    for (const Operand &operand : instruction.operands)
      if (operand.kind == Operand::Symbol && instruction.opcode == "bra" &&
          !function->labels.count(operand.name))
        lexer.fail(instruction.line, "there is no label " + operand.name);
}

/// Up to its '}'.
void Parser::parseBlock() {
  scopes.emplace_back();
  scopes.back().number = scopeCount++;
  while (!accept('}')) {
    if (token.kind == Token::End)
      fail("expected '}'");
    parseStatement();
  }
  scopes.pop_back();
}

void Parser::parseStatement() {
  if (accept(';'))
    return;
  if (accept('{'))
    return parseBlock();
  if (token.kind == Token::Dotted) {
    if (acceptDotted("reg"))
      return parseRegisters();
    if (acceptDotted("loc"))
      return parseLoc();
    if (acceptDotted("shared"))
      return parseLocalVariables(Space::Shared);
    if (acceptDotted("local"))
      return parseLocalVariables(Space::Local);
    if (acceptDotted("param"))
      return parseLocalVariables(Space::Param);
    if (acceptDotted("const"))
      return parseVariables(Space::Const, false, module->variables);
    if (acceptDotted("global"))
      return parseVariables(Space::Global, false, module->variables);
    if (acceptDotted("pragma")) {
      advance();
      return expect(';');
    }
    fail("expected a statement");
  }
  if (token.kind == Token::Name) {
    // A label? The lexer has read the name only.
    size_t colon = lexer.text.find_first_not_of(" \t", token.end);
    if (colon != std::string::npos && lexer.text[colon] == ':') {
      std::string label = expectName("a label");
      expect(':');
      if (token.kind == Token::Dotted && token.text == "branchtargets")
        return parseBranchTargets(label);
      if (token.kind == Token::Dotted && token.text == "callprototype") {
        while (!accept(';')) {
          if (token.kind == Token::End)
            fail("expected ';'");
          advance();
        }
        return;
      }
      if (scopes.size() > 1) {
        // Inline assembly may use the same name in each of its blocks.
        std::string unique = label + "$" + std::to_string(scopes.back().number);
        scopes.back().labels[label] = unique;
        function->labels[unique] = static_cast<int>(function->body.size());
      }
      function->labels.emplace(label, static_cast<int>(function->body.size()));
      return;
    }
  }
  parseInstruction();
}

void Parser::parseBranchTargets(const std::string &label) {
  advance();
  auto &targets = function->branchTargets[label];
  do
    targets.push_back(expectName("a label"));
  while (accept(','));
  expect(';');
}

void Parser::parseRegisters() {
  Scalar type = Scalar::None;
  while (token.kind == Token::Dotted) {
    type = scalarNamed(token.text);
    if (type == Scalar::None)
      fail("expected the type of registers");
    advance();
  }
  if (type == Scalar::None)
    fail("expected the type of registers");
  do {
    std::string name = expectName("the name of a register");
    int first = static_cast<int>(function->registers.size());
    uint64_t count = 1;
    if (accept('<')) {
      count = expectInteger("the number of registers");
      if (count > 1 << 20)
        fail("that are too many registers");
      expect('>');
      scopes.back().families.push_back(
          {name, {static_cast<int>(count), first}});
    } else {
      scopes.back().registers[name] = first;
    }
    for (uint64_t i = 0; i < count; ++i)
      function->registers.push_back({type, name});
  } while (accept(','));
  expect(';');
}

void Parser::parseLocalVariables(Space space) {
  size_t before = function->variables.size();
  parseVariables(space, false, function->variables);
  for (size_t i = before; i < function->variables.size(); ++i) {
    // Blocks may declare param0 again and again.
    Variable &variable = function->variables[i];
    std::string unique = variable.name;
    if (scopes.size() > 1)
      unique += "$" + std::to_string(scopes.back().number);
    scopes.back().variables[variable.name] = unique;
    variable.name = unique;
  }
}

void Parser::parseLoc() {
  Location parsed;
  parsed.file = static_cast<int>(expectInteger("the number of a file"));
  parsed.line = static_cast<int>(expectInteger("a line"));
  parsed.column = static_cast<int>(expectInteger("a column"));
  if (accept(',')) {
    expectName("function_name");
    expectName("the name of a function");
    if (accept('+'))
      expectInteger("an offset");
    expect(',');
    expectName("inlined_at");
    std::vector<int> caller;
    for (int i = 0; i < 3; ++i)
      caller.push_back(static_cast<int>(expectInteger("a place")));
    auto known = locationOf.find(caller);
    if (known == locationOf.end()) {
      Location outer;
      outer.file = caller[0], outer.line = caller[1], outer.column = caller[2];
      known =
          locationOf.emplace(caller, static_cast<int>(module->locations.size()))
              .first;
      module->locations.push_back(outer);
    }
    parsed.parent = known->second;
  }
  location = static_cast<int>(module->locations.size());
  module->locations.push_back(parsed);
  locationOf[{parsed.file, parsed.line, parsed.column}] = location;
}

int Parser::findRegister(const std::string &name) const {
  size_t digits = name.size();
  while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    --digits;
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    auto found = scope->registers.find(name);
    if (found != scope->registers.end())
      return found->second;
    if (digits == name.size() || name.size() - digits > 8)
      continue;
    for (const auto &[family, range] : scope->families)
      if (name.compare(0, digits, family) == 0 && family.size() == digits) {
        int number = std::stoi(name.substr(digits));
        if (number < range.first)
          return range.second + number;
      }
  }
  return -1;
}

/// A name that the end of the file cuts is not to blame.
void Parser::undeclared(const std::string &name, int line) {
  if (token.kind == Token::End)
    fail("'" + name + "' is not all of the instruction");
  lexer.fail(line, "the register " + name + " is not declared");
}

std::string Parser::resolve(const std::string &name) const {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    auto variable = scope->variables.find(name);
    if (variable != scope->variables.end())
      return variable->second;
  }
  return name;
}

Operand Parser::parseNumber() {
  Operand operand;
  bool negative = false;
  while (at('-') || at('+')) {
    negative ^= at('-');
    advance();
  }
  operand.value = token.value;
  operand.isSingle = token.isSingle;
  if (token.kind == Token::Integer) {
    operand.kind = Operand::Integer;
    if (negative)
      operand.value = -operand.value;
  } else if (token.kind == Token::Float) {
    operand.kind = Operand::Float;
    if (negative)
      operand.value ^= operand.isSingle ? 1ull << 31 : 1ull << 63;
  } else {
    fail("expected a value");
  }
  advance();
  return operand;
}

Operand Parser::parseAddress() {
  Operand operand;
  operand.kind = Operand::Address;
  if (token.kind == Token::Name) {
    std::string name = expectName("an address");
    operand.reg = findRegister(name);
    if (operand.reg < 0)
      operand.name = resolve(name);
    if (operand.reg < 0 && name[0] == '%')
      undeclared(name, token.line);
    if (at('+') || at('-')) {
      bool negative = at('-');
      if (!negative)
        advance();
      operand.value = expectInteger("an offset");
    }
  } else {
    operand.value = expectInteger("an address");
  }
  if (at(',')) // a tensor map's coordinates
    throw Error(Error::Unsupported, module->path + ":" +
                                        std::to_string(token.line) +
                                        ": addresses with coordinates are not "
                                        "supported");
  expect(']');
  return operand;
}

Operand Parser::parseOperand() {
  Operand operand;
  if (accept('['))
    return parseAddress();
  if (accept('{')) {
    operand.kind = Operand::Vector;
    do
      operand.elements.push_back(parseOperand());
    while (accept(','));
    expect('}');
    return operand;
  }
  if (accept('!')) {
    operand = parseOperand();
    operand.negated = true;
    return operand;
  }
  if (token.kind != Token::Name)
    return parseNumber();
  int line = token.line;
  std::string name = expectName("an operand");
  if (name == "_") {
    operand.kind = Operand::Sink;
  } else if ((operand.reg = findRegister(name)) >= 0) {
    operand.kind = Operand::Register;
  } else if (name[0] == '%') {
    operand.kind = Operand::Special;
    while (token.kind == Token::Dotted) {
      name += "." + token.text;
      advance();
    }
    operand.name = name;
    static const std::set<std::string> known = {"%tid",
                                                "%ntid",
                                                "%ctaid",
                                                "%nctaid",
                                                "%laneid",
                                                "%warpid",
                                                "%nwarpid",
                                                "%smid",
                                                "%nsmid",
                                                "%gridid",
                                                "%lanemask_eq",
                                                "%lanemask_le",
                                                "%lanemask_lt",
                                                "%lanemask_ge",
                                                "%lanemask_gt",
                                                "%clock",
                                                "%clock64",
                                                "%clock_hi",
                                                "%globaltimer",
                                                "%globaltimer_lo",
                                                "%globaltimer_hi",
                                                "%dynamic_smem_size",
                                                "%total_smem_size",
                                                "%envreg1",
                                                "%envreg2",
                                                "%cluster_ctaid",
                                                "%cluster_nctaid",
                                                "%cluster_ctarank",
                                                "%cluster_nctarank",
                                                "%clusterid",
                                                "%nclusterid",
                                                "%is_explicit_cluster",
                                                "%aggr_smem_size",
                                                "%reserved_smem_offset_begin"};
    if (!known.count(name.substr(0, name.find('.'))))
      undeclared(name, line);
  } else {
    operand.kind = Operand::Symbol;
    operand.name = resolve(name);
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
      if (auto label = scope->labels.find(name); label != scope->labels.end()) {
        operand.name = label->second;
        break;
      }
    if (accept('+'))
      operand.value = expectInteger("an offset");
  }
  if (at('|')) {
    advance();
    operand.second = std::make_shared<Operand>(parseOperand());
  }
  return operand;
}

void Parser::parseCall(Instruction &instruction) {
  // (results), function, (arguments), prototype
  auto list = [&] {
    Operand operand;
    operand.kind = Operand::Vector;
    expect('(');
    while (!accept(')')) {
      operand.elements.push_back(parseOperand());
      if (!at(')'))
        expect(',');
    }
    return operand;
  };
  Operand none;
  none.kind = Operand::Vector;
  Operand results = none, arguments = none;
  if (at('(')) {
    results = list();
    expect(',');
  }
  Operand callee = parseOperand();
  if (accept(',')) {
    if (at('('))
      arguments = list();
    while (accept(','))
      parseOperand();
  }
  instruction.operands = {results, callee, arguments};
}

void Parser::parseInstruction() {
  Instruction instruction;
  instruction.line = token.line;
  instruction.location = location;
  size_t begin = token.begin;
  if (accept('@')) {
    instruction.predicateNegated = accept('!');
    int line = token.line;
    std::string name = expectName("a predicate");
    instruction.predicate = findRegister(name);
    if (instruction.predicate < 0)
      undeclared(name, line);
  }
  instruction.opcode = expectName("an instruction");
  while (token.kind == Token::Dotted && token.glued) {
    instruction.modifiers.push_back(token.text);
    advance();
  }
  if (instruction.opcode == "call") {
    parseCall(instruction);
  } else if (!at(';')) {
    do
      instruction.operands.push_back(parseOperand());
    while (accept(','));
  }
  size_t end = token.begin;
  if (!at(';'))
    fail("expected ';' after '" + instruction.opcode + "'");
  for (size_t i = begin; i < end; ++i) {
    char c = lexer.text[i];
    if (c == '\n' || c == '\t' || c == '\r')
      c = ' ';
    if (c != ' ' ||
        (!instruction.text.empty() && instruction.text.back() != ' '))
      instruction.text += c;
  }
  while (!instruction.text.empty() && instruction.text.back() == ' ')
    instruction.text.pop_back();
  advance();
  function->body.push_back(std::move(instruction));
}
