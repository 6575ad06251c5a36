// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// atom and red. Lanes take their turns in order.
#include "tools/ptx-sim/MemoryOps.h"
#include "tools/ptx-sim/alu/Numbers.h"

#include <algorithm>
#include <cstring>

using namespace fusec::ptx;

namespace {

template <class T> T integer(AtomicOp op, T old, T b, T c) {
  switch (op) {
  case AtomicOp::Add:
    return static_cast<T>(old + b);
  case AtomicOp::Min:
    return std::min(old, b);
  case AtomicOp::Max:
    return std::max(old, b);
  case AtomicOp::And:
    return old & b;
  case AtomicOp::Or:
    return old | b;
  case AtomicOp::Xor:
    return old ^ b;
  case AtomicOp::Exch:
    return b;
  case AtomicOp::Cas:
    return old == b ? c : old;
  case AtomicOp::Inc:
    return old >= b ? 0 : static_cast<T>(old + 1);
  case AtomicOp::Dec:
    return old == 0 || old > b ? b : static_cast<T>(old - 1);
  }
  return old;
}

template <class T>
uint64_t integerBits(AtomicOp op, uint64_t old, uint64_t b, uint64_t c) {
  T value =
      integer<T>(op, static_cast<T>(old), static_cast<T>(b), static_cast<T>(c));
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class H> uint16_t halfSum(AtomicOp op, uint16_t old, uint16_t b) {
  double x = toFloat(H{old}), y = toFloat(H{b});
  if (op == AtomicOp::Add)
    return roundTo(static_cast<H *>(nullptr), x + y).bits;
  bool first = op == AtomicOp::Min ? x <= y : x >= y;
  return y != y || first ? old : b;
}

using Widest = unsigned __int128;

/// exch and cas of any width.
Widest exchanged(AtomicOp op, Widest old, Widest b, Widest c) {
  return op == AtomicOp::Exch ? b : old == b ? c : old;
}

uint64_t compute(const MemDetail &detail, uint64_t old, uint64_t b,
                 uint64_t c) {
  AtomicOp op = detail.op;
  switch (detail.type) {
  case Scalar::F32:
    if (op == AtomicOp::Add) {
      float sum = canonical(bitsTo<float>(static_cast<uint32_t>(old)) +
                            bitsTo<float>(static_cast<uint32_t>(b)));
      return bitsTo<uint32_t>(sum);
    }
    break;
  case Scalar::F64:
    if (op == AtomicOp::Add)
      return bitsTo<uint64_t>(bitsTo<double>(old) + bitsTo<double>(b));
    break;
  case Scalar::F16:
    return halfSum<Half>(op, static_cast<uint16_t>(old),
                         static_cast<uint16_t>(b));
  case Scalar::BF16:
    return halfSum<Bfloat>(op, static_cast<uint16_t>(old),
                           static_cast<uint16_t>(b));
  case Scalar::F16x2:
    return halfSum<Half>(op, static_cast<uint16_t>(old),
                         static_cast<uint16_t>(b)) |
           static_cast<uint32_t>(halfSum<Half>(op,
                                               static_cast<uint16_t>(old >> 16),
                                               static_cast<uint16_t>(b >> 16)))
               << 16;
  case Scalar::BF16x2:
    return halfSum<Bfloat>(op, static_cast<uint16_t>(old),
                           static_cast<uint16_t>(b)) |
           static_cast<uint32_t>(
               halfSum<Bfloat>(op, static_cast<uint16_t>(old >> 16),
                               static_cast<uint16_t>(b >> 16)))
               << 16;
  case Scalar::S32:
    return integerBits<int32_t>(op, old, b, c);
  case Scalar::S64:
    return integerBits<int64_t>(op, old, b, c);
  default:
    break;
  }
  switch (detail.bytes) {
  case 2:
    return integerBits<uint16_t>(op, old, b, c);
  case 4:
    return integerBits<uint32_t>(op, old, b, c);
  default:
    return integerBits<uint64_t>(op, old, b, c);
  }
}

} // namespace

void fusec::ptx::atomic(Exec &exec, const Inst &inst, Mask mask) {
  const MemDetail &detail = *inst.memory;
  const MoveDetail &values = *inst.move;
  alignas(64) uint64_t at[kLanes];
  exec.addresses(detail, at);
  exec.counts.atomics += static_cast<unsigned>(__builtin_popcount(mask));
  unsigned bytes = detail.bytes;
  auto valueOf = [&](uint32_t slot, unsigned lane) {
    Widest bits = 0;
    std::memcpy(&bits, exec.registers + slot + lane * bytes, bytes);
    return bits;
  };
  exec.onViews(
      inst, detail, mask, at, bytes * detail.count,
      [&](const View &view, Mask lanes, const Pattern &pattern,
          uint64_t first) {
        if (!exec.check(inst, detail, view, pattern, first, Access::Atomic))
          return;
        bool changed = false;
        uint64_t seen = 0;
        for (Mask rest = lanes; rest; rest &= rest - 1) {
          unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
          uint64_t offset = first + pattern.relative[lane];
          exec.noteWrite(inst, view, offset, bytes * detail.count, lane, detail,
                         true, nullptr);
          exec.acquire(view, offset, lane, detail.order, detail.scope);
          exec.release(view, offset, lane, detail.order, detail.scope, true);
          for (unsigned e = 0; e < detail.count; ++e) {
            uint8_t *place = view.data + offset + e * bytes;
            Widest old = 0, b = valueOf(values.from[e], lane);
            Widest c =
                detail.op == AtomicOp::Cas ? valueOf(inst.alu.src[1], lane) : 0;
            std::memcpy(&old, place, bytes);
            Widest now = bytes > 8 ? exchanged(detail.op, old, b, c)
                                   : compute(detail, static_cast<uint64_t>(old),
                                             static_cast<uint64_t>(b),
                                             static_cast<uint64_t>(c));
            changed |= now != old;
            seen = static_cast<uint64_t>(old);
            std::memcpy(place, &now, bytes);
            if (!values.to.empty())
              std::memcpy(exec.registers + values.to[e] + lane * bytes, &old,
                          bytes);
          }
        }
        if (changed) {
          exec.progress();
          exec.warp->sinceProgress = 0;
        } else {
          exec.watchSpin(inst, view.base + first, seen);
        }
      });
}
