// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches and calls, barriers, and what lanes of a warp do together.
#include "tools/ptx-sim/Decoder.h"
#include "tools/ptx-sim/MemoryOps.h"
#include "tools/ptx-sim/WarpOps.h"

#include <fmt/format.h>

using namespace fusec::ptx;

bool Decoder::decodeControl() {
  const std::string &opcode = instruction->opcode;
  if (opcode == "bra" || opcode == "brx")
    return decodeBranch();
  if (opcode == "call")
    return decodeCall();
  if (opcode == "ret" || opcode == "exit") {
    take("uni");
    inst.flow = opcode == "exit" ? Flow::Exit : Flow::Return;
    return true;
  }
  if (opcode == "trap" || opcode == "brkpt") {
    inst.flow = Flow::Op;
    inst.run = trap;
    return true;
  }
  if (opcode == "nanosleep") {
    takeType();
    inst.flow = Flow::Op;
    inst.run = sleep;
    return true;
  }
  if (opcode == "bar" || opcode == "barrier")
    return decodeBarrier();
  if (opcode == "membar" || opcode == "fence") {
    inst.flow = Flow::Op;
    // Proxies do not matter: there is only the generic one (nothing that would
    // use another is supported).
    if (take("proxy")) {
      if (modifiers.empty() ||
          (modifiers[0] != "alias" && modifiers[0] != "async"))
        return false;
      modifiers.clear();
      inst.run = nothing;
      return true;
    }
    inst.run = fence;
    take("sc");
    take("acq_rel");
    inst.alu.aux = take("acquire")   ? kFenceAcquires
                   : take("release") ? kFenceReleases
                                     : kFenceAcquires | kFenceReleases;
    bool cta = take("cta");
    if (!cta && !take("gl") && !take("gpu") && !take("sys") && !take("cluster"))
      return false;
    inst.mode = static_cast<uint32_t>(cta ? Scope::Cta : Scope::Gpu);
    return true;
  }
  return decodeWarp();
}

bool Decoder::decodeBranch() {
  take("uni");
  auto indexOf = [&](const std::string &label) {
    auto found = function->labels.find(label);
    if (found == function->labels.end())
      bad("there is no label " + label);
    return static_cast<uint32_t>(found->second);
  };
  if (instruction->opcode == "brx") {
    if (!take("idx"))
      return false;
    expectOperands(2, 2);
    auto targets = function->branchTargets.find(operand(1).name);
    if (targets == function->branchTargets.end())
      bad("there are no .branchtargets " + operand(1).name);
    inst.flow = Flow::BranchIndexed;
    inst.alu.src[0] = source(operand(0), Scalar::U32);
    for (const std::string &label : targets->second)
      inst.targets.push_back(indexOf(label));
    return true;
  }
  expectOperands(1, 1);
  inst.flow = Flow::Branch;
  inst.target = indexOf(operand(0).name);
  return true;
}

bool Decoder::decodeCall() {
  take("uni");
  const Operand &callee = operand(1);
  if (callee.kind != Operand::Symbol)
    unsupported("calls through pointers are not supported");
  auto found = module.functions.find(callee.name);
  if (found == module.functions.end() || found->second.isDeclaration) {
    if (callee.name == "__assertfail")
      return decodeAssertion();
    unsupported(fmt::format("{} is called, which is not defined in this file",
                            callee.name));
  }
  const Function &target = found->second;
  auto call = std::make_shared<CallDetail>();
  call->callee = program.codes.at(callee.name).get();
  auto place = [&](const Operand &list, const std::vector<Variable> &wanted,
                   std::vector<uint32_t> &slots) {
    if (list.elements.size() != wanted.size())
      bad(fmt::format("{} parameters, where {} has {}", list.elements.size(),
                      callee.name, wanted.size()));
    for (size_t i = 0; i < wanted.size(); ++i) {
      uint32_t size = 0;
      auto slot = paramSlot(list.elements[i].name, size);
      if (!slot)
        unsupported("only .param variables are passed");
      if (size != wanted[i].size)
        bad(fmt::format("parameter {} has {} bytes, where {} has {}",
                        list.elements[i].name, size, callee.name,
                        wanted[i].size));
      slots.push_back(*slot);
    }
  };
  place(operand(0), target.results, call->results);
  place(operand(2), target.params, call->arguments);
  inst.flow = Flow::Call;
  inst.call = call;
  return true;
}

/// What assert() calls where it fails: __assertfail(message, file, line,
/// function, size of a char).
bool Decoder::decodeAssertion() {
  const std::vector<Operand> &given = operand(2).elements;
  constexpr uint32_t kBytes[] = {8, 8, 4, 8, 8};
  if (given.size() != std::size(kBytes))
    bad(fmt::format("{} parameters, where __assertfail has {}", given.size(),
                    std::size(kBytes)));
  for (size_t i = 0; i < std::size(kBytes); ++i) {
    uint32_t size = 0;
    auto slot = paramSlot(given[i].name, size);
    if (!slot || size != kBytes[i])
      bad(fmt::format("parameter {} of __assertfail is a .param of {} bytes",
                      i + 1, kBytes[i]));
    if (i < std::size(inst.alu.src))
      inst.alu.src[i] = *slot;
  }
  inst.flow = Flow::Op;
  inst.run = failAssertion;
  return true;
}

bool Decoder::decodeBarrier() {
  if (take("warp")) {
    if (!take("sync"))
      return false;
    inst.flow = Flow::WarpSync;
    inst.run = syncWarp;
    expectOperands(1, 1);
    inst.alu.src[3] = source(operand(0), Scalar::U32);
    return true;
  }
  if (take("cluster"))
    unsupported("clusters are not supported");
  bool aligned = take("aligned") || instruction->opcode == "bar";
  take("cta");
  inst.mode = aligned ? 1 : 0;
  inst.alu.src[1] = inst.alu.src[2] = kNoSlot;
  if (take("red")) {
    inst.flow = Flow::Barrier;
    inst.mode |= take("popc") ? 4 : take("and") ? 8 : take("or") ? 0 : 16;
    if (inst.mode & 16)
      return false;
    Scalar type = takeType();
    expectOperands(3, 4);
    inst.alu.dst = result(operand(0), type);
    inst.alu.src[0] = source(operand(1), Scalar::U32);
    if (instruction->operands.size() == 4)
      inst.alu.src[1] = source(operand(2), Scalar::U32);
    const Operand &value = instruction->operands.back();
    inst.alu.src[2] = predicateOf(value);
    inst.mode |= value.negated ? 2 : 0;
    return true;
  }
  bool arrives = take("arrive");
  if (!arrives && !take("sync"))
    return false;
  inst.flow = arrives ? Flow::Arrive : Flow::Barrier;
  expectOperands(arrives ? 2 : 1, 2);
  inst.alu.src[0] = source(operand(0), Scalar::U32);
  if (instruction->operands.size() == 2)
    inst.alu.src[1] = source(operand(1), Scalar::U32);
  return true;
}

bool Decoder::decodeWarp() {
  const std::string &opcode = instruction->opcode;
  if (opcode == "activemask") {
    takeType();
    inst.flow = Flow::Op;
    inst.run = activeMask;
    inst.alu.dst = result(operand(0), Scalar::U32);
    return true;
  }
  bool isWarp = opcode == "shfl" || opcode == "vote" || opcode == "match" ||
                opcode == "redux" || opcode == "elect";
  if (!isWarp)
    return false;
  if (!take("sync"))
    unsupported("without .sync it is obsolete, and not supported");
  inst.flow = Flow::WarpSync;
  inst.alu.dst2 = kSinkSlot;
  const Operand &to = operand(0);
  auto second = [&] {
    if (to.second)
      inst.alu.dst2 = result(*to.second, Scalar::Pred);
  };
  inst.alu.src[3] =
      source(instruction->operands.back(), Scalar::U32); // the mask comes last
  if (opcode == "elect") {
    expectOperands(2, 2);
    inst.run = elect;
    inst.alu.dst = result(to, Scalar::U32);
    second();
    return true;
  }
  if (opcode == "shfl") {
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    for (inst.mode = 0; inst.mode < 4; ++inst.mode)
      if (take(modes[inst.mode]))
        break;
    if (inst.mode == 4 || !take("b32"))
      return false;
    expectOperands(5, 5);
    inst.run = shuffle;
    inst.alu.dst = result(to, Scalar::B32);
    second();
    for (int i = 0; i < 3; ++i)
      inst.alu.src[i] = source(operand(1 + i), Scalar::U32);
    return true;
  }
  if (opcode == "vote") {
    static const char *const modes[] = {"all", "any", "uni", "ballot"};
    for (inst.mode = 0; inst.mode < 4; ++inst.mode)
      if (take(modes[inst.mode]))
        break;
    if (inst.mode == 4)
      return false;
    Scalar type = takeType();
    expectOperands(3, 3);
    inst.run = vote;
    inst.alu.dst = result(to, type);
    inst.alu.src[0] = predicateOf(operand(1));
    inst.alu.aux = operand(1).negated;
    return true;
  }
  if (opcode == "match") {
    bool all = take("all");
    if (!all && !take("any"))
      return false;
    Scalar type = takeType();
    expectOperands(3, 3);
    inst.run = match;
    inst.mode = sizeOf(type) | (all ? 16 : 0);
    inst.alu.dst = result(to, Scalar::B32);
    second();
    inst.alu.src[0] = source(operand(1), type);
    return true;
  }
  static const char *const operations[] = {"add", "min", "max",
                                           "and", "or",  "xor"};
  for (inst.mode = 0; inst.mode < 6; ++inst.mode)
    if (take(operations[inst.mode]))
      break;
  if (inst.mode == 6)
    return false;
  Scalar type = takeType();
  if (isFloat(type))
    return false;
  expectOperands(3, 3);
  inst.run = reduceLanes;
  inst.alu.aux = isSigned(type);
  inst.alu.dst = result(to, type);
  inst.alu.src[0] = source(operand(1), type);
  return true;
}
