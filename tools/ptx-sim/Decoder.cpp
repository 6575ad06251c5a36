// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/Decoder.h"
#include "tools/ptx-sim/WarpOps.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

using namespace fusec::ptx;

namespace {

uint32_t alignUp(uint64_t value, uint64_t to) {
  return static_cast<uint32_t>((value + to - 1) & ~(to - 1));
}

constexpr uint32_t kSharedGap = 64; ///< between variables, and nobody's

std::string joined(const std::vector<std::string> &names) {
  std::string all;
  for (const std::string &name : names)
    all += (all.empty() ? "" : ", ") + name;
  return all;
}

} // namespace

uint32_t Decoder::allocate(uint32_t bytes) {
  uint32_t slot = alignUp(code->frameBytes, 64);
  code->frameBytes = slot + bytes;
  return slot;
}

void Decoder::layOutFrame() {
  registerSlots.clear();
  constants.clear();
  specials.clear();
  localOffsets.clear();
  paramSlots.clear();
  for (const RegisterInfo &info : function->registers)
    registerSlots.push_back(
        allocate(info.type == Scalar::Pred ? 4 : sizeOf(info.type) * kLanes));
  auto place = [&](const Variable &variable) {
    uint32_t size = static_cast<uint32_t>(variable.size);
    ParamSlot slot{variable.name, allocate(size * kLanes), size};
    paramSlots.push_back(slot);
    return slot;
  };
  if (!function->isEntry)
    for (const Variable &param : function->params)
      code->params.push_back(place(param));
  for (const Variable &result : function->results)
    code->results.push_back(place(result));
  for (const Variable &variable : function->variables) {
    if (variable.space == Space::Param) {
      place(variable);
    } else if (variable.space == Space::Local) {
      code->localBytes = alignUp(code->localBytes, variable.align);
      localOffsets[variable.name] = code->localBytes;
      code->localBytes += static_cast<uint32_t>(variable.size);
    }
  }
  code->localBytes = alignUp(code->localBytes, 16);
}

/// Shared variables of the kernel and what it calls, apart from each other, and
/// the dynamic part at the end.
void Decoder::layOutShared(const std::vector<const Function *> &functions) {
  std::vector<const Variable *> variables;
  std::set<std::string> used;
  for (const Function *each : functions) {
    for (const Variable &variable : each->variables)
      if (variable.space == Space::Shared)
        variables.push_back(&variable);
    std::function<void(const Operand &)> note = [&](const Operand &operand) {
      used.insert(operand.name);
      for (const Operand &element : operand.elements)
        note(element);
    };
    for (const Instruction &one : each->body)
      for (const Operand &operand : one.operands)
        note(operand);
  }
  for (const Variable &variable : module.variables)
    if (variable.space == Space::Shared && used.count(variable.name))
      variables.push_back(&variable);
  uint64_t at = 0;
  for (const Variable *variable : variables) {
    if (!variable->size)
      continue;
    at = alignUp(at, std::max(16u, variable->align));
    sharedOffsets[variable->name] = static_cast<uint32_t>(at);
    // Compilers read arrays by the widest accesses that their alignment allows:
    // nothing else lies behind their ends up to there, and they use none of it.
    const uint64_t size =
        alignUp(variable->size, std::min(16u, variable->align));
    program.shared.push_back(
        {static_cast<uint32_t>(at), static_cast<uint32_t>(size)});
    if (size > variable->size)
      program.padding.push_back({static_cast<uint32_t>(at + variable->size),
                                 static_cast<uint32_t>(size - variable->size)});
    program.staticBytes = alignUp(program.staticBytes, variable->align);
    program.staticBytes += static_cast<uint32_t>(variable->size);
    at += size + kSharedGap;
    if (at > 1 << 24)
      throw Error(Error::BadInput,
                  "more than 16 MB of shared memory are declared");
  }
  program.dynamicShared = alignUp(at, 1024);
  for (const Variable *variable : variables)
    if (!variable->size)
      sharedOffsets[variable->name] = program.dynamicShared;
}

void Decoder::decodeProgram(const std::string &kernel) {
  auto found = module.functions.find(kernel);
  if (found == module.functions.end() || !found->second.isEntry) {
    std::vector<std::string> names;
    for (const auto &[name, one] : module.functions)
      if (one.isEntry)
        names.push_back(name);
    throw Error(Error::BadInput,
                fmt::format("{}: there is no kernel {}; {}", module.path,
                            kernel,
                            names.empty() ? "there is none at all"
                                          : "there are: " + joined(names)));
  }
  // All functions that may be called.
  std::vector<const Function *> functions = {&found->second};
  for (size_t i = 0; i < functions.size(); ++i)
    for (const Instruction &one : functions[i]->body) {
      if (one.opcode != "call")
        continue;
      const Operand &callee = one.operands[1];
      auto target = module.functions.find(callee.name);
      if (callee.kind == Operand::Symbol && target != module.functions.end() &&
          std::find(functions.begin(), functions.end(), &target->second) ==
              functions.end())
        functions.push_back(&target->second);
    }
  layOutShared(functions);
  const Function &entry = found->second;
  for (const Variable &param : entry.params) {
    program.paramBytes = alignUp(program.paramBytes, param.align);
    program.paramOffsets.push_back(program.paramBytes);
    program.paramBytes += static_cast<uint32_t>(param.size);
  }
  for (const Function *each : functions) {
    auto made = std::make_unique<Code>();
    made->function = each;
    program.codes[each->name] = std::move(made);
  }
  program.byId.push_back(nullptr);
  for (const Function *each : functions)
    decodeFunction(*each);
  program.entry = program.codes[kernel].get();
}

Code &Decoder::decodeFunction(const Function &from) {
  function = &from;
  code = program.codes[from.name].get();
  layOutFrame();
  for (const Instruction &one : from.body)
    decode(one);
  // Whoever runs past the end returns.
  program.ends.push_back(std::make_unique<Instruction>());
  Instruction *end = program.ends.back().get();
  end->opcode = "ret";
  end->text = "ret";
  end->line = from.body.empty() ? from.line : from.body.back().line;
  end->location = from.body.empty() ? -1 : from.body.back().location;
  decode(*end);
  markGuesses(*code);
  for (Inst &each : code->insts) {
    each.id = static_cast<uint32_t>(program.byId.size());
    program.byId.push_back(&each);
  }
  return *code;
}

void Decoder::decode(const Instruction &from) {
  instruction = &from;
  modifiers = from.modifiers;
  inst = Inst();
  inst.source = &from;
  inst.code = code;
  if (from.predicate >= 0) {
    if (function->registers[from.predicate].type != Scalar::Pred)
      bad("the guard is no predicate");
    inst.hasPredicate = true;
    inst.negated = from.predicateNegated;
    inst.predicate = registerSlots[from.predicate];
  }
  if (!decodeMemory() && !decodeControl() && !decodeMatrix() && !decodeAlu())
    unsupported("the instruction " + from.opcode + " is not supported");
  if (!modifiers.empty())
    unsupported("." + modifiers.front() + " of " + from.opcode +
                " is not supported");
  if (inst.run == fence)
    program.ordersBlocks |= static_cast<Scope>(inst.mode) != Scope::Cta;
  if (inst.memory)
    program.ordersBlocks |= inst.memory->scope != Scope::Cta &&
                            (inst.memory->order == Order::Release ||
                             inst.memory->order == Order::AcqRel);
  code->insts.push_back(inst);
}

std::unique_ptr<Program> fusec::ptx::decodeKernel(
    const Module &module, const std::string &kernel,
    const std::unordered_map<std::string, uint64_t> &addressOf) {
  auto program = std::make_unique<Program>();
  program->module = &module;
  Decoder decoder(module, *program, addressOf);
  decoder.decodeProgram(kernel);
  return program;
}
