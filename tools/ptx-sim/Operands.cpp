// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/Decoder.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

using namespace fusec::ptx;

/// What is wrong with the instruction, at its line of the PTX and, where it is
/// known, of the source.
std::string Decoder::place(const std::string &what) const {
  std::string text =
      fmt::format("{}:{}: in {}: {}: {}", module.path, instruction->line,
                  function->name, what, instruction->text);
  int line;
  if (instruction->location >= 0)
    text += ", from " + module.describe(*instruction, &line);
  return text;
}

void Decoder::unsupported(const std::string &what) const {
  throw Error(Error::Unsupported, place(what));
}

void Decoder::bad(const std::string &what) const {
  throw Error(Error::BadInput, place(what));
}

bool Decoder::take(const char *modifier) {
  auto at = std::find(modifiers.begin(), modifiers.end(), modifier);
  if (at == modifiers.end())
    return false;
  modifiers.erase(at);
  return true;
}

Scalar Decoder::takeType() {
  if (modifiers.empty())
    bad("a type is missing");
  Scalar type = scalarNamed(modifiers.front());
  if (type == Scalar::None)
    unsupported("." + modifiers.front() + " of " + instruction->opcode +
                " is not supported");
  modifiers.erase(modifiers.begin());
  return type;
}

const Operand &Decoder::operand(size_t index) const {
  if (index >= instruction->operands.size())
    bad(fmt::format("operand {} is missing", index + 1));
  return instruction->operands[index];
}

void Decoder::expectOperands(size_t fewest, size_t most) const {
  size_t count = instruction->operands.size();
  if (count < fewest || count > most)
    bad(fmt::format("{} operands, where there should be {}", count,
                    fewest == most ? std::to_string(most)
                                   : fmt::format("{} to {}", fewest, most)));
}

uint32_t Decoder::constant(uint32_t bytes, uint64_t low, uint64_t high) {
  if (bytes < 8)
    low &= (1ull << (8 * bytes)) - 1;
  auto [place, isNew] = constants.emplace(std::make_tuple(bytes, low, high), 0);
  if (isNew) {
    place->second = allocate(bytes * kLanes);
    code->constants.push_back({place->second, bytes, low, high});
  }
  return place->second;
}

uint64_t Decoder::valueOf(const Operand &operand, Scalar type) const {
  if (operand.kind == Operand::Integer)
    return operand.value;
  double value;
  if (operand.isSingle) {
    float single;
    std::memcpy(&single, &operand.value, sizeof single);
    if (sizeOf(type) == 4)
      return operand.value;
    value = single;
  } else {
    std::memcpy(&value, &operand.value, sizeof value);
  }
  if (sizeOf(type) == 8 && !operand.isSingle)
    return operand.value;
  if (sizeOf(type) != 4)
    bad("a floating-point constant does not fit here");
  float single = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &single, sizeof bits);
  return bits;
}

uint64_t Decoder::addressOfSymbol(const std::string &name, Space &space) const {
  if (auto shared = sharedOffsets.find(name); shared != sharedOffsets.end()) {
    space = Space::Shared;
    return shared->second;
  }
  if (auto local = localOffsets.find(name); local != localOffsets.end()) {
    space = Space::Local;
    return local->second;
  }
  if (auto global = addressOf.find(name); global != addressOf.end()) {
    space = Space::Global;
    return global->second;
  }
  if (function->isEntry)
    for (size_t i = 0; i < function->params.size(); ++i)
      if (function->params[i].name == name) {
        space = Space::Param;
        return program.paramOffsets[i];
      }
  if (module.functions.count(name))
    unsupported("addresses of functions are not supported");
  bad("there is no variable " + name);
}

uint32_t Decoder::predicateOf(const Operand &operand) {
  return source(operand, Scalar::Pred);
}

uint32_t Decoder::source(const Operand &operand, Scalar type) {
  uint32_t bytes = sizeOf(type);
  switch (operand.kind) {
  case Operand::Register: {
    Scalar has = function->registers[operand.reg].type;
    if ((has == Scalar::Pred) != (type == Scalar::Pred) || sizeOf(has) != bytes)
      bad(fmt::format("an operand is a register of type {}, where {} is needed",
                      nameOf(has), nameOf(type)));
    if (operand.negated && type != Scalar::Pred)
      bad("only predicates are negated");
    return registerSlots[operand.reg];
  }
  case Operand::Integer:
  case Operand::Float:
    if (type == Scalar::Pred) {
      uint32_t slot = constant(4, operand.value ? ~0u : 0);
      return slot;
    }
    return constant(bytes, valueOf(operand, type),
                    static_cast<int64_t>(operand.value) < 0 ? ~0ull : 0);
  case Operand::Special: {
    if (operand.name == "%clock" || operand.name == "%clock64" ||
        operand.name.rfind("%globaltimer", 0) == 0 ||
        operand.name.rfind("%cluster", 0) == 0 || operand.name == "%gridid" ||
        operand.name == "%nclusterid" || operand.name == "%clock_hi")
      unsupported(operand.name + " is not supported here");
    auto [place, isNew] = specials.emplace(operand.name, 0);
    if (isNew) {
      place->second = allocate(4 * kLanes);
      code->specials.push_back({place->second, operand.name});
    }
    if (bytes != 4)
      unsupported(operand.name + " is read as 32 bits only");
    return place->second;
  }
  case Operand::Symbol: {
    Space space;
    uint64_t address = addressOfSymbol(operand.name, space) + operand.value;
    if (space == Space::Local && function->isEntry == false)
      return localBaseSlot(address, bytes);
    return constant(bytes, address);
  }
  default:
    bad("an operand is of no kind that fits here");
  }
}

uint32_t Decoder::result(const Operand &operand, Scalar type) {
  if (operand.kind == Operand::Sink)
    return kSinkSlot;
  if (operand.kind != Operand::Register)
    bad("the result must be a register");
  return source(operand, type);
}

uint32_t Decoder::registerOf(const Operand &operand, unsigned &bytes) {
  if (operand.kind == Operand::Sink)
    return kSinkSlot;
  if (operand.kind != Operand::Register)
    bad("an operand must be a register");
  Scalar type = function->registers[operand.reg].type;
  if (type == Scalar::Pred)
    bad("an operand is a predicate");
  bytes = sizeOf(type);
  return registerSlots[operand.reg];
}

std::optional<uint32_t> Decoder::paramSlot(const std::string &name,
                                           uint32_t &size) const {
  for (const ParamSlot &slot : paramSlots)
    if (slot.name == name) {
      size = slot.size;
      return slot.slot;
    }
  return std::nullopt;
}

void Decoder::decodeAddress(const Operand &operand, MemDetail &detail) {
  if (operand.kind != Operand::Address)
    bad("an operand must be an address");
  detail.offset = static_cast<int64_t>(operand.value);
  if (operand.reg >= 0) {
    unsigned bytes = sizeOf(function->registers[operand.reg].type);
    if (bytes != 4 && bytes != 8)
      bad("an address has 32 or 64 bits");
    detail.narrowAddress = bytes == 4;
    detail.address = registerSlots[operand.reg];
  } else if (!operand.name.empty()) {
    Space space;
    uint64_t base = addressOfSymbol(operand.name, space);
    if (detail.space == Space::Generic)
      detail.space = space;
    if (space == Space::Local && !function->isEntry) {
      detail.address = localBaseSlot(base, 8);
      return;
    }
    detail.offset += static_cast<int64_t>(base);
  }
}

/// In a called function, local variables begin where those of its callers end.
uint32_t Decoder::localBaseSlot(uint64_t offset, uint32_t bytes) {
  std::string name = fmt::format("%local{}.{}", bytes, offset);
  auto [place, isNew] = specials.emplace(name, 0);
  if (isNew) {
    place->second = allocate(8 * kLanes);
    code->locals.push_back(
        {place->second, bytes, static_cast<uint32_t>(offset)});
  }
  return place->second;
}
