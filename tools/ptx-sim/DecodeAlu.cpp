// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that only compute are rows of alu/: here are the names they have
// there.
#include "tools/ptx-sim/Decoder.h"
#include "tools/ptx-sim/WarpOps.h"
#include "tools/ptx-sim/alu/Conversion.h"
#include "tools/ptx-sim/alu/Numbers.h"

#include <fmt/format.h>
#include <set>

using namespace fusec::ptx;

namespace {

std::string bitsNamed(Scalar type) {
  return type == Scalar::Pred ? "pred" : fmt::format("b{}", 8 * sizeOf(type));
}

} // namespace

/// Looks the row up and places its operands. Whatever modifiers there were are
/// in the name.
bool Decoder::finishAlu(const std::string &name) {
  const AluRow *row = findAluRow(name.c_str());
  if (!row)
    return false;
  modifiers.clear();
  inst.flow = Flow::Alu;
  inst.compute = row->handler;
  size_t count = static_cast<size_t>(row->count);
  expectOperands(1 + count, 1 + count);
  inst.alu.dst = result(operand(0), row->result);
  inst.alu.dst2 =
      operand(0).second ? result(*operand(0).second, row->result) : kSinkSlot;
  for (size_t i = 0; i < count; ++i) {
    if (operand(i + 1).negated)
      bad("a negated operand does not belong here");
    inst.alu.src[i] = source(operand(i + 1), row->sources[i]);
  }
  for (size_t i = count; i < 4; ++i)
    inst.alu.src[i] = kSinkSlot; // handlers for several counts read it
  return true;
}

bool Decoder::decodeAlu() {
  inst.flow = Flow::Alu; // whoever has looked before may have set it
  const std::string &opcode = instruction->opcode;
  if (opcode == "mov")
    return decodeMove();
  if (opcode == "cvt")
    return decodeConvert();
  if (opcode == "setp" || opcode == "set")
    return decodeCompare();
  std::string name = opcode;
  static const std::set<std::string> ofBits = {"and",  "or",  "xor",  "not",
                                               "cnot", "shl", "selp", "slct"};
  static const std::set<std::string> roundsToNearest = {
      "add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt"};
  bool first = true;
  for (const std::string &modifier : modifiers) {
    if (modifier == "rn" && roundsToNearest.count(opcode))
      continue;
    Scalar type = scalarNamed(modifier);
    if (ofBits.count(opcode) && type != Scalar::None && first) {
      name += "." + bitsNamed(type);
      first = false; // of slct only the first
    } else {
      name += "." + modifier;
    }
  }
  if ((opcode == "min" || opcode == "max") && instruction->operands.size() == 4)
    name.replace(0, 3, opcode + "3");
  bool combines = instruction->operands.size() && operand(0).second;
  if (combines)
    unsupported("a second result is not supported");
  return finishAlu(name);
}

bool Decoder::decodeCompare() {
  static const std::map<std::string, std::string> unsignedNames = {
      {"lo", "lt"}, {"ls", "le"}, {"hi", "gt"}, {"hs", "ge"}};
  std::string name = instruction->opcode;
  uint32_t how = take("and")   ? kAnd
                 : take("or")  ? kOr
                 : take("xor") ? kXor
                               : kNoCombine;
  std::vector<std::string> parts = modifiers;
  for (size_t i = 0; i < parts.size(); ++i) {
    auto plain = unsignedNames.find(parts[i]);
    if (plain != unsignedNames.end())
      parts[i] = plain->second;
    // Bits are compared for equality only.
    if (parts[i] == "b16" || parts[i] == "b32" || parts[i] == "b64")
      parts[i][0] = 'u';
    if (name.rfind("set.", 0) == 0 && parts[i] == "s32" && i + 1 < parts.size())
      parts[i] = "u32";
    name += "." + parts[i];
  }
  const AluRow *row = findAluRow(name.c_str());
  if (!row)
    return false;
  modifiers.clear();
  inst.compute = row->handler;
  size_t count = how == kNoCombine ? 3 : 4;
  expectOperands(count, count);
  inst.alu.dst = result(operand(0), row->result);
  inst.alu.dst2 =
      operand(0).second ? result(*operand(0).second, Scalar::Pred) : kSinkSlot;
  inst.alu.src[0] = source(operand(1), row->sources[0]);
  inst.alu.src[1] = source(operand(2), row->sources[1]);
  inst.alu.aux = how;
  if (how != kNoCombine) {
    inst.alu.src[2] = predicateOf(operand(3));
    if (operand(3).negated)
      inst.alu.aux |= kNegated;
  }
  return true;
}

bool Decoder::decodeConvert() {
  if (take("pack"))
    return false;
  uint32_t aux = 0;
  static const std::map<std::string, std::pair<Round, bool>> roundings = {
      {"rn", {Round::Nearest, false}},
      {"rz", {Round::Zero, false}},
      {"rm", {Round::Down, false}},
      {"rp", {Round::Up, false}},
      {"rna", {Round::NearestAway, false}},
      {"rni", {Round::Nearest, true}},
      {"rzi", {Round::Zero, true}},
      {"rmi", {Round::Down, true}},
      {"rpi", {Round::Up, true}}};
  for (const auto &[name, round] : roundings)
    if (take(name.c_str())) {
      aux |= static_cast<uint32_t>(round.first);
      if (round.second)
        aux |= kToIntegral;
    }
  if (take("ftz"))
    aux |= kConvertFtz;
  if (take("satfinite"))
    aux |= kSatFinite;
  if (take("sat"))
    aux |= kConvertSat;
  if (take("relu"))
    aux |= kConvertRelu;
  Scalar to = takeType(), from = takeType();
  std::string name = fmt::format("cvt.{}.{}", nameOf(to), nameOf(from));
  const AluRow *row = findAluRow(name.c_str());
  if (!row)
    return false;
  if (to == Scalar::TF32 || row->count == 2 || to == Scalar::E4M3x2 ||
      to == Scalar::E5M2x2 || from == Scalar::E4M3x2 ||
      from == Scalar::E5M2x2) {
    if (!finishAlu(name))
      return false;
    inst.alu.aux = aux & 0xff;
    return true;
  }
  if (aux & kSatFinite)
    unsupported(".satfinite is not supported for these types");
  // Between integers no rounding is meant; to integers one always is.
  bool toFloat = isFloat(to), fromFloat = isFloat(from);
  if (!toFloat && !fromFloat)
    aux &= kConvertSat;
  else if (!toFloat)
    aux = (aux & kRoundMask) | (aux & kConvertFtz) | kToIntegral;
  inst.compute = row->handler;
  expectOperands(2, 2);
  unsigned toBytes = sizeOf(to), fromBytes = sizeOf(from);
  inst.alu.dst = registerOf(operand(0), toBytes);
  if (operand(1).kind == Operand::Register)
    inst.alu.src[0] = registerOf(operand(1), fromBytes);
  else
    inst.alu.src[0] = source(operand(1), from);
  if (toBytes < sizeOf(to) || fromBytes < sizeOf(from))
    bad("a register is too narrow for its type");
  inst.alu.aux = aux | fromBytes << kSourceShift | toBytes << kResultShift;
  return true;
}

bool Decoder::decodeMove() {
  Scalar type = takeType();
  expectOperands(2, 2);
  const Operand &to = operand(0), &from = operand(1);
  if (from.kind == Operand::Special &&
      (from.name == "%clock" || from.name == "%clock64" ||
       from.name == "%clock_hi" || from.name.rfind("%globaltimer", 0) == 0)) {
    inst.flow = Flow::Op;
    inst.run = readClock;
    inst.mode = sizeOf(type);
    inst.alu.aux = from.name == "%clock_hi" || from.name == "%globaltimer_hi";
    inst.alu.dst = result(to, type);
    return true;
  }
  if (to.kind != Operand::Vector && from.kind != Operand::Vector &&
      type != Scalar::B128)
    return finishAlu("mov." + bitsNamed(type));
  auto move = std::make_shared<MoveDetail>();
  auto place = [&](const Operand &operand, std::vector<uint32_t> &slots,
                   unsigned &bytes) {
    bytes = sizeOf(type);
    if (operand.kind != Operand::Vector) {
      slots.push_back(source(operand, type));
      return;
    }
    bytes /= static_cast<unsigned>(operand.elements.size());
    Scalar each = bytes == 1   ? Scalar::B8
                  : bytes == 2 ? Scalar::B16
                  : bytes == 4 ? Scalar::B32
                               : Scalar::B64;
    for (const Operand &element : operand.elements)
      slots.push_back(element.kind == Operand::Sink ? kSinkSlot
                                                    : source(element, each));
  };
  place(to, move->to, move->toBytes);
  place(from, move->from, move->fromBytes);
  inst.flow = Flow::Op;
  inst.run = moveVector;
  inst.move = move;
  return true;
}
