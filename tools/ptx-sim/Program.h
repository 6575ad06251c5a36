// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions decoded for execution: each instruction once, operands as places in
// a frame.
#ifndef FUSEC_TOOLS_PTXSIM_PROGRAM_H
#define FUSEC_TOOLS_PTXSIM_PROGRAM_H

#include "tools/ptx-sim/Module.h"
#include "tools/ptx-sim/Pattern.h"

#include <set>
#include <unordered_map>

namespace fusec::ptx {

class Exec;
struct Inst;
struct Code;
using OpHandler = void (*)(Exec &exec, const Inst &inst, Mask mask);

/// How an instruction moves the lanes that execute it.
enum class Flow : uint8_t {
  Alu, ///< registers to registers
  Op,  ///< on to the next
  Branch,
  BranchIndexed,
  Call,
  Return,
  Exit,
  WarpSync, ///< waits for the lanes of its mask, src[3]
  Barrier,  ///< waits for the block
  Arrive,   ///< tells the block, and goes on
};

enum class Order : uint8_t {
  Weak,
  Guess, ///< weak, but an atomic compares what is loaded (Guesses.cpp)
  Volatile,
  Relaxed,
  Acquire,
  Release,
  AcqRel,
  Legacy
};
enum class Scope : uint8_t { Cta, Gpu, Sys };
enum class AtomicOp : uint8_t {
  Add,
  Min,
  Max,
  And,
  Or,
  Xor,
  Exch,
  Cas,
  Inc,
  Dec,
};

constexpr uint32_t kNoSlot = ~0u;

/// A fence's AluInst::aux: what it orders.
enum FenceSide : uint32_t { kFenceAcquires = 1, kFenceReleases = 2 };

/// Of what accesses memory.
struct MemDetail {
  Space space = Space::Generic;
  uint8_t bytes = 4;         ///< of an element
  uint8_t count = 1;         ///< elements of a vector
  uint8_t registerBytes = 4; ///< of a lane
  bool isSigned = false;
  Order order = Order::Weak;
  Scope scope = Scope::Sys;
  Scalar type = Scalar::B32;
  AtomicOp op = AtomicOp::Add;
  uint32_t address = kNoSlot; ///< none: the offset alone
  bool narrowAddress = false; ///< 32 bits
  bool isCollective = false;  ///< all lanes get something of each address
  int64_t offset = 0;
  uint32_t slots[8] = {};  ///< of the elements
  mutable Pattern pattern; ///< what this instruction did last
};

/// cp.async.
struct CopyDetail {
  MemDetail to, from;
  uint32_t sourceBytes = kNoSlot; ///< how many are copied, the rest are zeros
  uint32_t ignored = kNoSlot;     ///< a predicate: nothing is copied
  bool ignoredNegated = false;
};

/// mma, ldmatrix: fragments of registers.
struct MatrixDetail {
  int m = 0, n = 0, k = 0;
  std::string typeA, typeB; ///< "f16", "s4": also what no register has
  Scalar c = Scalar::F32, d = Scalar::F32;
  bool saturates = false, transposed = false, isXor = false;
  bool rowA = true, rowB = false;
  std::vector<uint32_t> fragmentA, fragmentB, fragmentC, fragmentD;
  MemDetail memory;
};

struct CallDetail {
  const Code *callee = nullptr;
  std::vector<uint32_t> arguments, results; ///< slots of params here
};

/// mov of vectors: pieces of `bytes` each in and out.
struct MoveDetail {
  std::vector<uint32_t> from, to;
  unsigned fromBytes = 0, toBytes = 0;
};

struct Inst {
  AluInst alu;
  Flow flow = Flow::Alu;
  bool hasPredicate = false, negated = false;
  uint32_t predicate = 0;
  uint32_t target = 0; ///< of a branch, an index
  AluHandler compute = nullptr;
  OpHandler run = nullptr;
  uint32_t mode = 0; ///< a variant that the handler knows
  std::shared_ptr<MemDetail> memory;
  std::shared_ptr<CopyDetail> copy;
  std::shared_ptr<MatrixDetail> matrix;
  std::shared_ptr<CallDetail> call;
  std::shared_ptr<MoveDetail> move;
  std::vector<uint32_t> targets; ///< of an indexed branch
  const Instruction *source = nullptr;
  const Code *code = nullptr;
  uint32_t id = 0; ///< number in the program, from 1
};

struct ParamSlot {
  std::string name;
  uint32_t slot = 0; ///< 32 lanes of `size` bytes
  uint32_t size = 0;
};

struct Code {
  const Function *function = nullptr;
  std::vector<Inst> insts;
  uint32_t frameBytes = kFirstSlot;
  /// The same in all lanes, written once into each frame.
  struct Constant {
    uint32_t slot, bytes;
    uint64_t low, high;
  };
  std::vector<Constant> constants;
  std::vector<std::pair<uint32_t, std::string>> specials;
  /// Addresses of local variables, which depend on who calls.
  struct LocalAddress {
    uint32_t slot, bytes, offset;
  };
  std::vector<LocalAddress> locals;
  std::vector<ParamSlot> params, results;
  uint32_t localBytes = 0;
};

/// Where variables are. Windows of generic addresses are far from each other.
constexpr uint64_t kSharedWindow = 0x100000000000,
                   kLocalWindow = 0x200000000000, kParamWindow = 0x300000000000,
                   kGlobalBase = 0x700000000000, kWindowSize = 0x100000000;

/// A kernel and what it calls.
struct Program {
  const Module *module = nullptr;
  const Code *entry = nullptr;
  std::map<std::string, std::unique_ptr<Code>> codes;
  /// Static shared memory: an offset and a size a variable; what lies between
  /// is nobody's. Dynamic shared memory begins at dynamicShared.
  std::vector<std::pair<uint32_t, uint32_t>> shared;
  /// What lies behind their ends up to their alignment: it may be read together
  /// with what they have.
  std::vector<std::pair<uint32_t, uint32_t>> padding;
  uint32_t dynamicShared = 0, staticBytes = 0;
  /// Whether it has what could order its blocks: a fence or a release beyond
  /// the block.
  bool ordersBlocks = false;
  std::vector<uint32_t> paramOffsets;
  uint32_t paramBytes = 0;
  std::vector<const Inst *> byId; ///< index: id
  std::vector<std::unique_ptr<Instruction>>
      ends; ///< the return that ends a function
};

/// A compare-and-swap.
bool isSwap(const Inst &inst);
/// Finds the loads whose values an atomic compares before they are used.
void markGuesses(Code &code);

/// Decodes a kernel. `addressOf` are the module's global and const variables.
std::unique_ptr<Program>
decodeKernel(const Module &module, const std::string &kernel,
             const std::unordered_map<std::string, uint64_t> &addressOf);

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_PROGRAM_H
