// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The recursive-descent parser behind parseModule: Parser.cpp has what stands
// outside functions, ParserBody.cpp what stands inside.
#ifndef FUSEC_TOOLS_PTXSIM_PARSER_H
#define FUSEC_TOOLS_PTXSIM_PARSER_H

#include "tools/ptx-sim/Lexer.h"

#include <set>

namespace fusec::ptx {

class Parser {
public:
  Parser(const std::string &path, const std::string &text)
      : lexer(path, text), module(std::make_unique<Module>()) {
    module->path = path;
    token = lexer.next();
  }
  std::unique_ptr<Module> parse();

private:
  // Tokens.
  void advance() { token = lexer.next(); }
  bool at(char c) const { return token.is(c); }
  bool accept(char c);
  void expect(char c);
  bool acceptDotted(const char *text);
  std::string expectName(const char *what);
  uint64_t expectInteger(const char *what);
  [[noreturn]] void fail(const std::string &what);

  // Outside of functions.
  void parseTopLevel();
  void parseFunction(bool isEntry);
  void parseParams(std::vector<Variable> &params);
  /// After ".global", up to its semicolon.
  void parseVariables(Space space, bool isExtern,
                      std::vector<Variable> &variables);
  Variable parseVariable(Space space);
  void parseInitializer(Variable &variable, Scalar element);
  void parseElement(Variable &variable, Scalar element);
  void skipSection();
  void parseFile();
  void parseLoc();

  // Inside.
  struct Scope {
    std::map<std::string, int> registers;
    /// %r<33> declares %r0 to %r32: name, count, first.
    std::vector<std::pair<std::string, std::pair<int, int>>> families;
    std::map<std::string, std::string> variables; ///< to unique names
    std::map<std::string, std::string> labels;
    int number = 0;
  };
  void parseBody();
  void parseBlock();
  void parseStatement();
  void parseRegisters();
  void parseLocalVariables(Space space);
  void parseBranchTargets(const std::string &label);
  void parseInstruction();
  void parseCall(Instruction &instruction);
  Operand parseOperand();
  Operand parseAddress();
  Operand parseNumber();
  int findRegister(const std::string &name) const;
  [[noreturn]] void undeclared(const std::string &name, int line);
  std::string resolve(const std::string &name) const;

  Lexer lexer;
  Token token;
  std::unique_ptr<Module> module;
  Function *function = nullptr;
  std::vector<Scope> scopes;
  int scopeCount = 0;
  int location = -1;
  /// Where a location was last seen, to find the caller of an inlined one.
  std::map<std::vector<int>, int> locationOf;
};

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_PARSER_H
