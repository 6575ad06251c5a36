// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A PTX file as it was written: names are resolved to registers and symbols,
// nothing is interpreted yet.
#ifndef FUSEC_TOOLS_PTXSIM_MODULE_H
#define FUSEC_TOOLS_PTXSIM_MODULE_H

#include "tools/ptx-sim/Scalar.h"

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace fusec::ptx {

/// What goes wrong before a kernel runs: the input is bad, or ptx-sim lacks
/// something.
struct Error : std::runtime_error {
  enum Kind { BadInput, Unsupported, Usage };
  Error(Kind kind, const std::string &message)
      : std::runtime_error(message), kind(kind) {}
  Kind kind;
};

enum class Space : uint8_t { Generic, Global, Shared, Local, Const, Param };

/// Bytes of a value; a predicate has none.
unsigned sizeOf(Scalar type);
/// The type that ".u32" names, None if it names none.
Scalar scalarNamed(const std::string &name);
const char *nameOf(Scalar type);
inline bool isSigned(Scalar t) { return t >= Scalar::S8 && t <= Scalar::S64; }
inline bool isFloat(Scalar t) { return t >= Scalar::F16; }

/// Where an instruction comes from: a .loc of the PTX, and where the function
/// that holds it was inlined.
struct Location {
  int file = 0, line = 0, column = 0;
  int parent = -1; ///< index of the location of the call, -1 if not inlined
};

struct Operand {
  enum Kind : uint8_t {
    Register, ///< reg; negated: !%p1
    Integer,  ///< value
    Float,    ///< value: the bits of a double, or of a float if isSingle
    Special,  ///< name: %tid.x
    Symbol,   ///< name: a variable, function or label
    Address,  ///< [reg + value], [name + value] or [value]
    Vector,   ///< elements
    Sink,     ///< _
  };
  Kind kind = Sink;
  bool negated = false, isSingle = false;
  int reg = -1;
  uint64_t value = 0;
  std::string name;
  std::vector<Operand> elements;
  /// The second result in "%r1|%p1", otherwise none.
  std::shared_ptr<Operand> second;
};

struct Instruction {
  int predicate = -1; ///< a register
  bool predicateNegated = false;
  std::string opcode;                 ///< "add"
  std::vector<std::string> modifiers; ///< "rn", "f32"
  std::vector<Operand> operands;
  int line = 0;      ///< in the PTX file
  int location = -1; ///< index into Module::locations
  std::string text;
};

struct Variable {
  std::string name;
  Space space = Space::Global;
  Scalar type = Scalar::None; ///< of an element
  uint64_t size = 0; ///< 0: as many bytes as the launch gives (extern shared)
  unsigned align = 1;
  std::vector<uint8_t> initial;
  /// Addresses of other variables in `initial`: offset, name, addend.
  struct Fixup {
    uint64_t offset;
    std::string name;
    int64_t addend;
  };
  std::vector<Fixup> fixups;
  bool isExtern = false;
};

struct RegisterInfo {
  Scalar type;
  std::string name;
};

struct Function {
  std::string name;
  bool isEntry = false, isDeclaration = false;
  std::vector<Variable> params, results;
  std::vector<RegisterInfo> registers;
  std::vector<Variable> variables; ///< shared, local and param variables
  std::vector<Instruction> body;
  std::map<std::string, int> labels; ///< index into body
  std::map<std::string, std::vector<std::string>> branchTargets;
  /// The extents of .maxntid (__launch_bounds__), of which a block may have as
  /// many threads as their product, and of .reqntid, which a block must have;
  /// empty if there are none.
  std::vector<uint64_t> maxBlock, requiredBlock;
  int line = 0;
};

struct Module {
  std::string path, target;
  std::vector<Variable> variables;
  std::map<std::string, Function> functions;
  std::map<int, std::string> files;
  std::vector<Location> locations;

  /// "kernel.cu:12" for a location, "kernel.ptx:40" for an instruction without.
  /// Of code that was inlined it is the innermost place in the kernel's own file
  /// or in files below its folder, but for those in a folder `include`.
  std::string describe(const Instruction &instruction, int *line) const;
};

/// Parses PTX text. Throws Error with "path:line: what".
std::unique_ptr<Module> parseModule(const std::string &path,
                                    const std::string &text);

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_MODULE_H
