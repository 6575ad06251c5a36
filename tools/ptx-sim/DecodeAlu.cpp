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
  if (combines && opcode == "lop3")
    return decodeLop3Test();
  if (combines)
    unsupported("a second result is not supported");
  return finishAlu(name);
}

/// lop3.and.b32 d|p, a, b, c, table, q: p is (d != 0) and q.
bool Decoder::decodeLop3Test() {
  uint32_t how = take("and") ? kAnd : take("or") ? kOr : kNoCombine;
  if (how == kNoCombine || !take("b32"))
    return false;
  expectOperands(6, 6);
  const Operand &table = operand(4), &predicate = operand(5);
  if (table.kind != Operand::Integer || table.value > 255)
    bad("the table of the function must be a constant from 0 to 255");
  inst.compute = findAluRow("lop3.test.b32")->handler;
  inst.alu.dst = result(operand(0), Scalar::B32);
  inst.alu.dst2 = result(*operand(0).second, Scalar::Pred);
  for (size_t i = 0; i < 3; ++i)
    inst.alu.src[i] = source(operand(i + 1), Scalar::B32);
  inst.alu.src[3] = predicateOf(predicate);
  if (predicate.negated)
    how |= kNegated;
  inst.alu.aux = static_cast<uint32_t>(table.value) | how << 8;
  return true;
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
    // The result of set has the same bits with a sign and without.
    if (instruction->opcode == "set" && i + 1 < parts.size() &&
        (parts[i] == "s32" || parts[i] == "s16"))
      parts[i][0] = 'u';
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

/// cvt.pack.sat.u8.s32.b32: the width is in Inst::aux.
bool Decoder::decodePack() {
  if (!take("sat") || modifiers.empty())
    return false;
  static const std::map<std::string, uint32_t> widths = {
      {"2", 2}, {"4", 4}, {"8", 8}, {"16", 16}};
  const std::string type = modifiers.front();
  modifiers.erase(modifiers.begin());
  auto width = widths.find(type.substr(1));
  if (width == widths.end() || (type[0] != 'u' && type[0] != 's') ||
      !take("s32"))
    return false;
  // Two of 16 bits leave nothing of a third operand.
  const bool hasRest = width->second < 16;
  if (hasRest && !take("b32"))
    return false;
  if (!modifiers.empty() ||
      !finishAlu(fmt::format("cvt.pack.{}{}", type[0], hasRest ? ".c" : "")))
    return false;
  inst.alu.aux = width->second;
  return true;
}

bool Decoder::decodeConvert() {
  if (take("pack"))
    return decodePack();
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
  if ((aux & kSatFinite) && to != Scalar::F16 && to != Scalar::BF16)
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
