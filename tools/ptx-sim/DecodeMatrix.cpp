// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/Decoder.h"
#include "tools/ptx-sim/MemoryOps.h"

#include <fmt/format.h>

using namespace fusec::ptx;

bool Decoder::decodeMatrix() {
  const std::string &opcode = instruction->opcode;
  if (opcode == "mma")
    return decodeMma();
  if (opcode == "ldmatrix" || opcode == "stmatrix")
    return decodeLoadMatrix(opcode == "stmatrix");
  if (opcode == "movmatrix") {
    if (!take("sync") || !take("aligned") || !take("m8n8") || !take("trans") ||
        !take("b16"))
      return false;
    inst.flow = Flow::Op;
    inst.run = moveMatrix;
    inst.alu.dst = result(operand(0), Scalar::B32);
    inst.alu.src[0] = source(operand(1), Scalar::B32);
    return true;
  }
  return false;
}

/// Whether there is an instruction for elements of so many bits.
static bool isShape(const MatrixDetail &of, int bits, bool floats) {
  if (of.n != 8 || (of.m != 8 && of.m != 16))
    return false;
  if (bits == 64)
    return of.k == 4 || (of.m == 16 && (of.k == 8 || of.k == 16));
  const int row = of.k * bits;
  return of.m == 16 ? row == 128 || row == 256 : row == 128 && !floats;
}

bool Decoder::decodeMma() {
  auto detail = std::make_shared<MatrixDetail>();
  if (!take("sync") || !take("aligned"))
    return false;
  if (modifiers.empty() || std::sscanf(modifiers.front().c_str(), "m%dn%dk%d",
                                       &detail->m, &detail->n, &detail->k) != 3)
    return false;
  modifiers.erase(modifiers.begin());
  // The layout of A, then of B.
  if (modifiers.size() < 2)
    bad("the layouts are missing");
  detail->rowA = modifiers[0] == "row";
  detail->rowB = modifiers[1] == "row";
  modifiers.erase(modifiers.begin(), modifiers.begin() + 2);
  detail->saturates = take("satfinite");
  detail->isXor = take("xor");
  bool isAnd = take("and");
  take("popc");
  if (modifiers.size() != 4)
    return false; // sparse, block-scaled, ...
  std::string typeD = modifiers[0], typeC = modifiers[3];
  detail->typeA = modifiers[1];
  detail->typeB = modifiers[2];
  modifiers.clear();
  detail->d = scalarNamed(typeD);
  detail->c = scalarNamed(typeC);
  static const std::map<std::string, unsigned> bits = {
      {"f16", 16}, {"bf16", 16}, {"tf32", 32}, {"f64", 64},
      {"s8", 8},   {"u8", 8},    {"s4", 4},    {"u4", 4},
      {"b1", 1},   {"e4m3", 8},  {"e5m2", 8}};
  auto a = bits.find(detail->typeA), b = bits.find(detail->typeB);
  if (a == bits.end() || b == bits.end() || a->second != b->second)
    return false;
  bool isQuad = detail->m == 8 && detail->n == 8 && detail->k == 4 &&
                detail->typeA == "f16";
  if (!isQuad && (!detail->rowA || detail->rowB))
    bad("A must be .row and B .col");
  if ((detail->typeA == "b1") != (detail->isXor || isAnd))
    return false;
  bool floats = detail->typeA[0] == 'f' || detail->typeA == "bf16" ||
                detail->typeA == "tf32" || detail->typeA[0] == 'e';
  auto fits = [&](Scalar type) {
    if (detail->typeA == "f64")
      return type == Scalar::F64;
    if (!floats)
      return type == Scalar::S32;
    return type == Scalar::F32 ||
           (type == Scalar::F16 &&
            (detail->typeA == "f16" || detail->typeA[0] == 'e'));
  };
  if (!fits(detail->c) || !fits(detail->d))
    bad(fmt::format("{} does not accumulate {}", typeD, detail->typeA));
  // Integers alone saturate; only the oldest shape adds to a sum of another
  // type.
  if ((detail->saturates && floats) || (!isQuad && detail->c != detail->d))
    return false;
  if (!isQuad && !isShape(*detail, int(a->second), floats))
    return false;
  expectOperands(4, 4);
  auto fragment = [&](size_t index, Scalar type, int elements,
                      unsigned elementBits, std::vector<uint32_t> &slots) {
    const Operand &from = operand(index);
    size_t wanted = static_cast<size_t>(elements) * elementBits /
                    (kLanes * (elementBits == 64 ? 64 : 32));
    std::vector<Operand> single = {from};
    const auto &list = from.kind == Operand::Vector ? from.elements : single;
    if (list.size() != wanted || !wanted)
      bad(fmt::format("a fragment has {} registers, where the shape needs {}",
                      list.size(), wanted));
    for (const Operand &element : list)
      slots.push_back(index ? source(element, type) : result(element, type));
  };
  auto accumulator = [&](Scalar type) {
    return type == Scalar::F64 ? 64u : type == Scalar::F16 ? 16u : 32u;
  };
  Scalar input = detail->typeA == "f64" ? Scalar::F64 : Scalar::B32;
  int m = detail->m, n = detail->n, k = detail->k;
  if (isQuad) // four of them
    m *= 4;
  fragment(0, detail->d == Scalar::F64 ? Scalar::F64 : Scalar::B32, m * n,
           accumulator(detail->d), detail->fragmentD);
  fragment(1, input, m * k, a->second, detail->fragmentA);
  fragment(2, input, (isQuad ? 4 : 1) * n * k, a->second, detail->fragmentB);
  fragment(3, detail->c == Scalar::F64 ? Scalar::F64 : Scalar::B32, m * n,
           accumulator(detail->c), detail->fragmentC);
  inst.flow = Flow::WarpSync;
  inst.alu.src[3] = constant(4, ~0u);
  inst.run = multiply;
  inst.matrix = detail;
  return true;
}

bool Decoder::decodeLoadMatrix(bool isStore) {
  auto detail = std::make_shared<MatrixDetail>();
  if (!take("sync") || !take("aligned") || !take("m8n8"))
    return false;
  size_t count = take("x1") ? 1 : take("x2") ? 2 : take("x4") ? 4 : 0;
  detail->transposed = take("trans");
  // Without a space, a generic address is in shared memory too.
  if (take("shared") || take("shared::cta"))
    detail->memory.space = Space::Shared;
  if (!count || !take("b16"))
    return false;
  expectOperands(2, 2);
  detail->memory.bytes = 16;
  detail->memory.isCollective = !isStore;
  decodeAddress(operand(isStore ? 0 : 1), detail->memory);
  const Operand &list = operand(isStore ? 1 : 0);
  std::vector<Operand> single = {list};
  const auto &elements = list.kind == Operand::Vector ? list.elements : single;
  if (elements.size() != count)
    bad(fmt::format("{} registers, where there should be {}", elements.size(),
                    count));
  for (const Operand &element : elements)
    detail->fragmentD.push_back(isStore ? source(element, Scalar::B32)
                                        : result(element, Scalar::B32));
  inst.flow = Flow::WarpSync;
  inst.alu.src[3] = constant(4, ~0u);
  inst.run = isStore ? storeMatrix : loadMatrix;
  inst.matrix = detail;
  return true;
}
