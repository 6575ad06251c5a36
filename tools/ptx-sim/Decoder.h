// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions as they are written to Inst. Each modifier must be taken by who
// decodes the instruction: one that is left over is an error.
#ifndef FUSEC_TOOLS_PTXSIM_DECODER_H
#define FUSEC_TOOLS_PTXSIM_DECODER_H

#include "tools/ptx-sim/Program.h"

#include <functional>
#include <optional>

namespace fusec::ptx {

class Decoder {
public:
  Decoder(const Module &module, Program &program,
          const std::unordered_map<std::string, uint64_t> &addressOf)
      : module(module), program(program), addressOf(addressOf) {}

  void decodeProgram(const std::string &kernel);

private:
  // Decoder.cpp
  Code &decodeFunction(const Function &function);
  void layOutShared(const std::vector<const Function *> &functions);
  void layOutFrame();
  void decode(const Instruction &from);
  uint32_t allocate(uint32_t bytes);

  // Operands (Operands.cpp).
  bool take(const char *modifier);
  /// Takes the next modifier, which must be a type.
  Scalar takeType();
  std::string place(const std::string &what) const;
  [[noreturn]] void unsupported(const std::string &what) const;
  [[noreturn]] void bad(const std::string &what) const;
  const Operand &operand(size_t index) const;
  void expectOperands(size_t fewest, size_t most) const;
  uint32_t constant(uint32_t bytes, uint64_t low, uint64_t high = 0);
  uint32_t source(const Operand &operand, Scalar type);
  uint32_t result(const Operand &operand, Scalar type);
  /// Of any width: `bytes` says which.
  uint32_t registerOf(const Operand &operand, unsigned &bytes);
  uint32_t predicateOf(const Operand &operand);
  uint64_t valueOf(const Operand &operand, Scalar type) const;
  uint64_t addressOfSymbol(const std::string &name, Space &space) const;
  void decodeAddress(const Operand &operand, MemDetail &detail);
  uint32_t localBaseSlot(uint64_t offset, uint32_t bytes);
  std::optional<uint32_t> paramSlot(const std::string &name,
                                    uint32_t &size) const;

  // DecodeAlu.cpp
  bool decodeAlu();
  bool decodeMove();
  bool decodeLop3Test();
  bool decodeConvert();
  bool decodePack();
  bool decodeCompare();
  bool finishAlu(const std::string &name);
  // DecodeMemory.cpp
  bool decodeMemory();
  void takeMemoryModifiers(MemDetail &detail, bool isAtomic);
  bool decodeLoadStore(bool isStore);
  bool decodeParam(bool isStore, const MemDetail &detail, const Operand &value);
  bool decodeAtomic(bool hasResult);
  bool decodeAsync();
  bool decodeMbarrier();
  bool decodeAddressSpace();
  // DecodeControl.cpp
  bool decodeControl();
  bool decodeBranch();
  bool decodeCall();
  bool decodeAssertion();
  bool decodeBarrier();
  bool decodeWarp();
  // DecodeMatrix.cpp
  bool decodeMatrix();
  bool decodeMma();
  bool decodeLoadMatrix(bool isStore);

  const Module &module;
  Program &program;
  const std::unordered_map<std::string, uint64_t> &addressOf;
  std::map<std::string, uint32_t> sharedOffsets;
  Code *code = nullptr;
  const Function *function = nullptr;
  std::vector<uint32_t> registerSlots;
  std::map<std::tuple<uint32_t, uint64_t, uint64_t>, uint32_t> constants;
  std::map<std::string, uint32_t> specials, localOffsets;
  std::vector<ParamSlot> paramSlots;
  const Instruction *instruction = nullptr;
  std::vector<std::string> modifiers; ///< that nobody has taken yet
  Inst inst;
};

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_DECODER_H
