// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ldmatrix, stmatrix and mma.sync. Fragments lie as the PTX ISA says: a
// register of A holds neighbours of a row, those of B neighbours of a column;
// four lanes share a row.
#include "tools/ptx-sim/MemoryOps.h"
#include "tools/ptx-sim/alu/Numbers.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

using namespace fusec::ptx;

namespace {

/// Reports lanes that are missing from what a whole warp must do.
void expectWarp(Exec &exec, const Inst &inst, Mask mask) {
  if (mask != ~0u)
    exec.report(
        "shuffle-mask", inst,
        fmt::format(
            "lanes {} of warp {} of block ({},{},{}) do not execute this, "
            "which all 32 must do together",
            exec.list(~mask), exec.warp->index, exec.block->index.x,
            exec.block->index.y, exec.block->index.z));
}

unsigned bitsOf(const std::string &type) {
  if (type == "b1")
    return 1;
  return type == "s4" || type == "u4"                     ? 4
         : type == "f64"                                  ? 64
         : type == "tf32"                                 ? 32
         : type == "s8" || type == "u8" || type[0] == 'e' ? 8
                                                          : 16;
}

double f8(uint32_t bits, int mantissa) {
  int exponentBits = 7 - mantissa, bias = (1 << (exponentBits - 1)) - 1;
  int exponent = static_cast<int>(bits >> mantissa) & ((1 << exponentBits) - 1);
  double fraction = bits & ((1u << mantissa) - 1);
  bool isNan = mantissa == 3 ? (bits & 0x7f) == 0x7f : (bits & 0x7f) > 0x7c;
  if (isNan)
    return __builtin_nan("");
  if (mantissa == 2 && (bits & 0x7f) == 0x7c)
    return bits & 0x80 ? -__builtin_inf() : __builtin_inf();
  double steps = static_cast<double>(1 << mantissa);
  double value = exponent
                     ? __builtin_ldexp(1 + fraction / steps, exponent - bias)
                     : __builtin_ldexp(fraction / steps, 1 - bias);
  return bits & 0x80 ? -value : value;
}

/// An element, of its bits.
double valueOf(uint64_t bits, const std::string &type) {
  if (type == "f16")
    return toFloat(Half{static_cast<uint16_t>(bits)});
  if (type == "bf16")
    return toFloat(Bfloat{static_cast<uint16_t>(bits)});
  if (type == "tf32") // the lowest 13 bits are not looked at
    return bitsTo<float>(static_cast<uint32_t>(bits) & ~0x1fffu);
  if (type == "f64")
    return bitsTo<double>(bits);
  if (type == "s8")
    return static_cast<int8_t>(bits);
  if (type == "s4")
    return static_cast<int8_t>(static_cast<uint8_t>(bits << 4)) >> 4;
  if (type == "e4m3")
    return f8(static_cast<uint32_t>(bits), 3);
  if (type == "e5m2")
    return f8(static_cast<uint32_t>(bits), 2);
  return static_cast<double>(bits);
}

struct Matrix {
  int columns;
  std::vector<double> values;
  Matrix(int rows, int columns)
      : columns(columns), values(static_cast<size_t>(rows) * columns) {}
  double &at(int row, int column) {
    return values[static_cast<size_t>(row) * columns + column];
  }
};

uint64_t bitsAt(const Exec &exec, uint32_t slot, unsigned lane,
                unsigned registerBytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, exec.registers + slot + lane * registerBytes,
              registerBytes);
  return bits;
}

/// A, or B as if it were transposed: `rows` by k.
void gather(Exec &exec, const std::vector<uint32_t> &slots,
            const std::string &type, bool isA, int rows, Matrix &to) {
  unsigned bits = bitsOf(type), registerBytes = bits == 64 ? 8 : 4;
  unsigned perRegister = std::max(1u, 32 / bits);
  if (bits == 64)
    perRegister = 1;
  uint64_t elementMask = bits == 64 ? ~0ull : (1ull << bits) - 1;
  for (size_t r = 0; r < slots.size(); ++r)
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      uint64_t value = bitsAt(exec, slots[r], lane, registerBytes);
      bool twoRows = isA && rows == 16;
      int row = static_cast<int>(lane / 4 + (twoRows ? 8 * (r & 1) : 0));
      size_t block = twoRows ? r / 2 : r;
      for (unsigned j = 0; j < perRegister; ++j) {
        int k = static_cast<int>(block * 4 * perRegister +
                                 lane % 4 * perRegister + j);
        to.at(row, k) = valueOf(value >> (bits * j) & elementMask, type);
      }
    }
}

/// The accumulator's element i of a lane.
std::pair<int, int> accumulatorAt(unsigned lane, unsigned i) {
  return {static_cast<int>(lane / 4 + 8 * (i / 2)),
          static_cast<int>(lane % 4 * 2 + (i & 1))};
}

/// How many elements a lane has, and where one of them is.
struct Accumulator {
  uint32_t slot;
  unsigned shift; ///< within 32 bits
};
Accumulator element(const std::vector<uint32_t> &slots, Scalar type,
                    unsigned i) {
  if (type == Scalar::F16)
    return {slots[i / 2], 16 * (i & 1)};
  return {slots[i], 0};
}

double readElement(Exec &exec, const std::vector<uint32_t> &slots, Scalar type,
                   unsigned lane, unsigned i) {
  Accumulator at = element(slots, type, i);
  if (type == Scalar::F64)
    return bitsTo<double>(bitsAt(exec, at.slot, lane, 8));
  uint32_t bits =
      static_cast<uint32_t>(bitsAt(exec, at.slot, lane, 4)) >> at.shift;
  if (type == Scalar::F16)
    return toFloat(Half{static_cast<uint16_t>(bits)});
  if (type == Scalar::S32)
    return static_cast<int32_t>(bits);
  return bitsTo<float>(bits);
}

void writeElement(Exec &exec, const std::vector<uint32_t> &slots, Scalar type,
                  unsigned lane, unsigned i, double value, bool saturates) {
  Accumulator at = element(slots, type, i);
  uint8_t *to = exec.registers + at.slot + lane * (type == Scalar::F64 ? 8 : 4);
  if (type == Scalar::F64) {
    std::memcpy(to, &value, 8);
  } else if (type == Scalar::F16) {
    uint16_t bits = toHalf(value).bits;
    std::memcpy(to + at.shift / 8, &bits, 2);
  } else if (type == Scalar::S32) {
    if (saturates)
      value = std::min(2147483647.0, std::max(-2147483648.0, value));
    auto bits = static_cast<uint32_t>(static_cast<int64_t>(value));
    std::memcpy(to, &bits, 4);
  } else {
    float single = canonical(static_cast<float>(value));
    std::memcpy(to, &single, 4);
  }
}

/// m8n8k4 of f16: four products, each of eight lanes.
void multiplyQuads(Exec &exec, const MatrixDetail &detail) {
  for (unsigned quad = 0; quad < 4; ++quad) {
    Matrix a(8, 4), b(8, 4);
    unsigned lanes[8];
    for (unsigned i = 0; i < 8; ++i)
      lanes[i] = quad * 4 + i % 4 + (i / 4) * 16;
    for (unsigned i = 0; i < 8; ++i)
      for (unsigned e = 0; e < 4; ++e) {
        auto bits = [&](const std::vector<uint32_t> &slots) {
          return bitsAt(exec, slots[e / 2], lanes[i], 4) >> (16 * (e & 1)) &
                 0xffff;
        };
        int half = static_cast<int>(i / 4 * 4), in = static_cast<int>(i % 4);
        int at = static_cast<int>(e);
        double x = valueOf(bits(detail.fragmentA), "f16");
        double y = valueOf(bits(detail.fragmentB), "f16");
        if (detail.rowA)
          a.at(in + half, at) = x;
        else
          a.at(at + half, in) = x;
        if (detail.rowB) // b as its transpose: column, k
          b.at(at + half, in) = y;
        else
          b.at(in + half, at) = y;
      }
    auto place = [&](Scalar type, unsigned i,
                     unsigned e) -> std::pair<int, int> {
      int half = static_cast<int>(i / 4 * 4), in = static_cast<int>(i % 4);
      int at = static_cast<int>(e);
      if (type == Scalar::F16)
        return {in + half, at};
      return {(in & 1) + (at & 2) + half, (at & 4) + (in & 2) + (at & 1)};
    };
    double sums[8][8];
    for (unsigned i = 0; i < 8; ++i)
      for (unsigned e = 0; e < 8; ++e) {
        auto [row, column] = place(detail.c, i, e);
        double sum = readElement(exec, detail.fragmentC, detail.c, lanes[i], e);
        for (int k = 0; k < 4; ++k)
          sum += a.at(row, k) * b.at(column, k);
        sums[row][column] = sum;
      }
    for (unsigned i = 0; i < 8; ++i)
      for (unsigned e = 0; e < 8; ++e) {
        auto [row, column] = place(detail.d, i, e);
        writeElement(exec, detail.fragmentD, detail.d, lanes[i], e,
                     sums[row][column], false);
      }
  }
}

} // namespace

void fusec::ptx::multiply(Exec &exec, const Inst &inst, Mask mask) {
  expectWarp(exec, inst, mask);
  const MatrixDetail &detail = *inst.matrix;
  if (detail.m == 8 && detail.k == 4 && detail.typeA == "f16") {
    multiplyQuads(exec, detail);
    return;
  }
  Matrix a(detail.m, detail.k), b(detail.n, detail.k);
  gather(exec, detail.fragmentA, detail.typeA, true, detail.m, a);
  gather(exec, detail.fragmentB, detail.typeB, false, detail.n, b);
  unsigned elements = static_cast<unsigned>(detail.m * detail.n / kLanes);
  std::vector<double> sums(static_cast<size_t>(elements) * kLanes);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < elements; ++i) {
      auto [row, column] = accumulatorAt(lane, i);
      const double *x = &a.at(row, 0), *y = &b.at(column, 0);
      double sum = 0;
      if (detail.typeA == "b1")
        for (int k = 0; k < detail.k; ++k)
          sum += detail.isXor ? x[k] != y[k] : x[k] * y[k];
      else
        for (int k = 0; k < detail.k; ++k)
          sum += x[k] * y[k];
      sums[lane * elements + i] =
          sum + readElement(exec, detail.fragmentC, detail.c, lane, i);
    }
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < elements; ++i)
      writeElement(exec, detail.fragmentD, detail.d, lane, i,
                   sums[lane * elements + i], detail.saturates);
}

/// Rows of 16 bytes at the addresses of the first lanes, eight for each matrix.
static void withRows(Exec &exec, const Inst &inst, Mask mask, Access access,
                     uint8_t *rows[kLanes]) {
  expectWarp(exec, inst, mask);
  const MatrixDetail &detail = *inst.matrix;
  unsigned count = static_cast<unsigned>(detail.fragmentD.size()) * 8;
  Mask used = count == 32 ? ~0u : (1u << count) - 1;
  alignas(64) uint64_t at[kLanes];
  exec.addresses(detail.memory, at);
  exec.onViews(
      inst, detail.memory, used & mask, at, 16,
      [&](const View &view, Mask lanes, const Pattern &pattern,
          uint64_t first) {
        if (!view.isShared) {
          exec.report("out-of-bounds", inst,
                      "rows of matrices must be in shared memory");
          return;
        }
        if (!exec.check(inst, detail.memory, view, pattern, first, access))
          return;
        for (Mask rest = lanes; rest; rest &= rest - 1) {
          unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
          uint64_t offset = first + pattern.relative[lane];
          rows[lane] = view.data + offset;
          if (access == Access::Write) {
            exec.noteWrite(inst, view, offset, 16, lane, detail.memory, false,
                           nullptr);
            view.shadow->defined.set(offset + view.shadowBase, 16, true);
          }
        }
      });
}

void fusec::ptx::loadMatrix(Exec &exec, const Inst &inst, Mask mask) {
  uint8_t *rows[kLanes] = {};
  withRows(exec, inst, mask, Access::Read, rows);
  const MatrixDetail &detail = *inst.matrix;
  uint32_t values[4][kLanes] = {};
  for (size_t m = 0; m < detail.fragmentD.size(); ++m)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      for (unsigned j = 0; j < 2; ++j) {
        unsigned row = detail.transposed ? lane % 4 * 2 + j : lane / 4;
        unsigned column = detail.transposed ? lane / 4 : lane % 4 * 2 + j;
        uint16_t value = 0xffff;
        if (rows[m * 8 + row])
          std::memcpy(&value, rows[m * 8 + row] + 2 * column, 2);
        values[m][lane] |= static_cast<uint32_t>(value) << (16 * j);
      }
  for (size_t m = 0; m < detail.fragmentD.size(); ++m)
    std::copy_n(values[m], kLanes, exec.lanes<uint32_t>(detail.fragmentD[m]));
}

void fusec::ptx::storeMatrix(Exec &exec, const Inst &inst, Mask mask) {
  uint8_t *rows[kLanes] = {};
  withRows(exec, inst, mask, Access::Write, rows);
  const MatrixDetail &detail = *inst.matrix;
  for (size_t m = 0; m < detail.fragmentD.size(); ++m)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      for (unsigned j = 0; j < 2; ++j) {
        unsigned row = detail.transposed ? lane % 4 * 2 + j : lane / 4;
        unsigned column = detail.transposed ? lane / 4 : lane % 4 * 2 + j;
        uint16_t value = static_cast<uint16_t>(
            exec.lanes<uint32_t>(detail.fragmentD[m])[lane] >> (16 * j));
        if (rows[m * 8 + row])
          std::memcpy(rows[m * 8 + row] + 2 * column, &value, 2);
      }
}

/// movmatrix: the transpose of an 8x8 fragment.
void fusec::ptx::moveMatrix(Exec &exec, const Inst &inst, Mask mask) {
  expectWarp(exec, inst, mask);
  uint32_t from[kLanes];
  std::copy_n(exec.lanes<uint32_t>(inst.alu.src[0]), kLanes, from);
  uint32_t *to = exec.lanes<uint32_t>(inst.alu.dst);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint32_t value = 0;
    for (unsigned j = 0; j < 2; ++j) {
      unsigned row = lane % 4 * 2 + j, column = lane / 4;
      uint32_t bits =
          from[row * 4 + column / 2] >> (16 * (column & 1)) & 0xffff;
      value |= bits << (16 * j);
    }
    to[lane] = value;
  }
}
