// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Logic, shifts, fields of bits, moves and selections.
#include "tools/ptx-sim/alu/Loops.h"

namespace fusec::ptx {
namespace {

struct And {
  template <class T> static T apply(T a, T b) { return a & b; }
};
struct Or {
  template <class T> static T apply(T a, T b) { return a | b; }
};
struct Xor {
  template <class T> static T apply(T a, T b) { return a ^ b; }
};
struct Not {
  template <class T> static T apply(T a) { return ~a; }
};
struct Cnot {
  template <class T> static T apply(T a) { return a == 0; }
};
struct Move {
  template <class T> static T apply(T a) { return a; }
};
template <class T> constexpr uint32_t kBits = 8 * sizeof(T);

// Shifts by as many bits as there are, or more, are clamped.
struct Shl {
  template <class T> static T apply(T a, uint32_t n) {
    return n >= kBits<T> ? T(0) : T(a << (n & (kBits<T> - 1)));
  }
};
struct Shr {
  template <class T> static T apply(T a, uint32_t n) {
    return n < kBits<T> ? T(a >> (n & (kBits<T> - 1))) : T(a < 0 ? -1 : 0);
  }
};
template <bool kLeft, bool kWrap> struct Funnel {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t n = kWrap ? c & 31 : c > 32 ? 32 : c;
    uint64_t both = uint64_t(b) << 32 | a;
    return kLeft ? uint32_t(both << n >> 32) : uint32_t(both >> n);
  }
};
struct Lop3 {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
    uint32_t result = 0;
    for (int k = 0; k < 8; ++k)
      result |= (0u - (table >> k & 1)) & (k & 4 ? a : ~a) & (k & 2 ? b : ~b) &
                (k & 1 ? c : ~c);
    return result;
  }
};

uint32_t byteAt(uint64_t bytes, uint32_t selector) {
  uint32_t byte = uint32_t(bytes >> (8 * (selector & 7))) & 0xff;
  return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}
struct Prmt {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t bytes = uint64_t(b) << 32 | a;
    return byteAt(bytes, c & 15) | byteAt(bytes, c >> 4 & 15) << 8 |
           byteAt(bytes, c >> 8 & 15) << 16 | byteAt(bytes, c >> 12 & 15) << 24;
  }
};
/// f4e, b4e, rc8, ecl, ecr, rc16: the selector for each of the four values of
/// c.
template <int kMode> struct PrmtMode {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    constexpr uint16_t selectors[6][4] = {
        {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
        {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
        {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
    return Prmt::apply(a, b, selectors[kMode][c & 3]);
  }
};

template <class T> int leading(T a) {
  return a == 0 ? int(kBits<T>)
                : __builtin_clzll(uint64_t(a)) - (64 - int(kBits<T>));
}
struct Clz {
  template <class T> static uint32_t apply(T a) { return leading(a); }
};
struct Popc {
  template <class T> static uint32_t apply(T a) {
    return __builtin_popcountll(uint64_t(a));
  }
};
struct Brev {
  template <class T> static T apply(T a) {
    uint64_t r = a;
    r = (r >> 1 & 0x5555555555555555) | (r & 0x5555555555555555) << 1;
    r = (r >> 2 & 0x3333333333333333) | (r & 0x3333333333333333) << 2;
    r = (r >> 4 & 0x0f0f0f0f0f0f0f0f) | (r & 0x0f0f0f0f0f0f0f0f) << 4;
    return T(__builtin_bswap64(r) >> (64 - kBits<T>));
  }
};
/// The highest bit that differs from the sign.
template <bool kShift> struct Bfind {
  template <class T> static uint32_t apply(T a) {
    using Bits = decltype(+a);
    Bits negative = a < 0 ? ~Bits(0) : Bits(0);
    uint64_t bits = uint64_t(a ^ negative);
    if (kBits<T> == 32)
      bits &= 0xffffffff;
    if (!bits)
      return ~0u;
    uint32_t place = 63 - __builtin_clzll(bits);
    return kShift ? kBits<T> - 1 - place : place;
  }
};
struct Bfe {
  template <class T> static T apply(T a, uint32_t position, uint32_t length) {
    position &= 0xff, length &= 0xff;
    constexpr bool isSigned = T(-1) < T(0);
    constexpr uint32_t bits = kBits<T>;
    if (!length)
      return 0;
    uint32_t top = position + length - 1;
    top = top < bits ? top : bits - 1;
    bool sign = isSigned && (a >> top & 1);
    uint64_t field = position < bits ? uint64_t(a) : 0;
    if (bits == 32)
      field &= 0xffffffff;
    field = position < bits ? field >> position : 0;
    // Places past the top of the number or of the field hold the sign.
    uint32_t valid = position < bits ? top - position + 1 : 0;
    uint64_t kept = valid >= 64 ? ~0ull : (1ull << valid) - 1;
    return T((field & kept) | (sign ? ~kept : 0));
  }
};
struct Bfi {
  template <class T>
  static T apply(T a, T b, uint32_t position, uint32_t length) {
    position &= 0xff, length &= 0xff;
    if (position >= kBits<T> || !length)
      return b;
    T field = length >= kBits<T> ? T(~T(0)) : T((T(1) << length) - 1);
    field = T(field << position);
    return T((b & ~field) | (T(a << position) & field));
  }
};
template <bool kClamp> struct Bmsk {
  static uint32_t apply(uint32_t a, uint32_t b) {
    if (!kClamp)
      a &= 31, b &= 31;
    if (a >= 32 || !b)
      return 0;
    uint32_t ones = b >= 32 ? ~0u : (1u << b) - 1;
    return ones << a;
  }
};
template <bool kClamp> struct Szext {
  template <class T> static T apply(T a, uint32_t n) {
    if (!kClamp)
      n &= 31;
    if (n >= 32)
      return a;
    if (!n)
      return 0;
    return T(T(uint32_t(a) << (32 - n)) >> (32 - n));
  }
};
struct Fns {
  static uint32_t apply(uint32_t mask, uint32_t base, int32_t offset) {
    int step = offset < 0 ? -1 : 1, count = offset < 0 ? -offset : offset;
    if (!offset)
      return base < 32 && (mask >> base & 1) ? base : ~0u;
    for (int at = int(base); at >= 0 && at < 32; at += step)
      if (mask >> at & 1)
        if (--count == 0)
          return at;
    return ~0u;
  }
};

template <class T> void select(uint8_t *frame, const AluInst &inst, Mask mask) {
  const T *a = lanesOf<T>(frame, inst.src[0]),
          *b = lanesOf<T>(frame, inst.src[1]);
  Mask chosen = *lanesOf<Mask>(frame, inst.src[2]);
  alignas(64) T values[kLanes];
  FUSEC_PTX_LANES values[i] = (chosen >> i) & 1 ? a[i] : b[i];
  store(frame, inst.dst, values, mask);
}
/// slct: a where c >= 0; NaN chooses b.
template <class T, class C> struct Slct {
  static T apply(T a, T b, C c) { return c >= 0 ? a : b; }
};

/// lop3.and and lop3.or: whether the result is not zero, and or or a predicate,
/// is the second result. AluInst::aux is the table, and how they are combined
/// above it.
void lop3Test(uint8_t *frame, const AluInst &inst, Mask mask) {
  const uint32_t *a = lanesOf<uint32_t>(frame, inst.src[0]),
                 *b = lanesOf<uint32_t>(frame, inst.src[1]),
                 *c = lanesOf<uint32_t>(frame, inst.src[2]);
  Mask other = *lanesOf<Mask>(frame, inst.src[3]), test = 0;
  uint32_t how = inst.aux >> 8;
  if (how & kNegated)
    other = ~other;
  alignas(64) uint32_t values[kLanes];
  for (int i = 0; i < kLanes; ++i) {
    values[i] = Lop3::apply(a[i], b[i], c[i], inst.aux & 0xff);
    test |= Mask(values[i] != 0) << i;
  }
  store(frame, inst.dst, values, mask);
  test = (how & ~kNegated) == kAnd ? test & other : test | other;
  Mask &d = *reinterpret_cast<Mask *>(frame + inst.dst2);
  d = (d & ~mask) | (test & mask);
}

// Predicates are masks.
template <class F>
void predicates(uint8_t *frame, const AluInst &inst, Mask mask) {
  Mask a = *lanesOf<Mask>(frame, inst.src[0]);
  Mask b = *lanesOf<Mask>(frame, inst.src[1]);
  Mask &d = *reinterpret_cast<Mask *>(frame + inst.dst);
  d = (d & ~mask) | (F::apply(a, b) & mask);
}
template <class F>
void predicate(uint8_t *frame, const AluInst &inst, Mask mask) {
  Mask a = *lanesOf<Mask>(frame, inst.src[0]);
  Mask &d = *reinterpret_cast<Mask *>(frame + inst.dst);
  d = (d & ~mask) | (F::apply(a) & mask);
}

} // namespace

namespace FUSEC_PTX_ISA {

void addBitRows(AluSink sink, void *context) {
  Rows rows{sink, context};
#define ROWS(T, NAME)                                                          \
  rows.add2<And, T, T, T>("and." NAME);                                        \
  rows.add2<Or, T, T, T>("or." NAME);                                          \
  rows.add2<Xor, T, T, T>("xor." NAME);                                        \
  rows.add1<Not, T, T>("not." NAME);                                           \
  rows.add1<Cnot, T, T>("cnot." NAME);                                         \
  rows.add1<Move, T, T>("mov." NAME);                                          \
  rows.add2<Shl, T, T, uint32_t>("shl." NAME);                                 \
  sink(context, {"selp." NAME,                                                 \
                 select<T>,                                                    \
                 ScalarOf<T>::value,                                           \
                 {ScalarOf<T>::value, ScalarOf<T>::value, Scalar::Pred},       \
                 3});                                                          \
  rows.add3<Slct<T, int32_t>, T, T, T, int32_t>("slct." NAME ".s32");          \
  rows.add3<Slct<T, float>, T, T, T, float>("slct." NAME ".f32");              \
  rows.add3<Slct<T, float>, T, T, T, float>("slct.ftz." NAME ".f32");
  ROWS(uint16_t, "b16")
  ROWS(uint32_t, "b32") ROWS(uint64_t, "b64")
#undef ROWS
#define ROWS(T, NAME) rows.add2<Shr, T, T, uint32_t>("shr." NAME);
      ROWS(uint16_t, "b16") ROWS(uint32_t, "b32") ROWS(uint64_t, "b64")
          ROWS(uint16_t, "u16") ROWS(uint32_t, "u32") ROWS(uint64_t, "u64")
              ROWS(int16_t, "s16") ROWS(int32_t, "s32") ROWS(int64_t, "s64")
#undef ROWS
#define ROWS(T, NAME)                                                          \
  rows.add3<Bfe, T, T, uint32_t, uint32_t>("bfe." NAME);                       \
  rows.add1<Bfind<false>, uint32_t, T>("bfind." NAME);                         \
  rows.add1<Bfind<true>, uint32_t, T>("bfind.shiftamt." NAME);
                  ROWS(uint32_t, "u32") ROWS(uint64_t, "u64")
                      ROWS(int32_t, "s32") ROWS(int64_t, "s64")
#undef ROWS
#define ROWS(T, NAME)                                                          \
  rows.add4<Bfi, T, T, T, uint32_t, uint32_t>("bfi." NAME);                    \
  rows.add1<Brev, T, T>("brev." NAME);                                         \
  rows.add1<Clz, uint32_t, T>("clz." NAME);                                    \
  rows.add1<Popc, uint32_t, T>("popc." NAME);
                          ROWS(uint32_t, "b32") ROWS(uint64_t, "b64")
#undef ROWS
                              using U = uint32_t;
  rows.add3<Funnel<true, true>, U, U, U, U>("shf.l.wrap.b32");
  rows.add3<Funnel<true, false>, U, U, U, U>("shf.l.clamp.b32");
  rows.add3<Funnel<false, true>, U, U, U, U>("shf.r.wrap.b32");
  rows.add3<Funnel<false, false>, U, U, U, U>("shf.r.clamp.b32");
  rows.add4<Lop3, U, U, U, U, U>("lop3.b32");
  rows.add3<Prmt, U, U, U, U>("prmt.b32");
  rows.add3<PrmtMode<0>, U, U, U, U>("prmt.b32.f4e");
  rows.add3<PrmtMode<1>, U, U, U, U>("prmt.b32.b4e");
  rows.add3<PrmtMode<2>, U, U, U, U>("prmt.b32.rc8");
  rows.add3<PrmtMode<3>, U, U, U, U>("prmt.b32.ecl");
  rows.add3<PrmtMode<4>, U, U, U, U>("prmt.b32.ecr");
  rows.add3<PrmtMode<5>, U, U, U, U>("prmt.b32.rc16");
  rows.add2<Bmsk<true>, U, U, U>("bmsk.clamp.b32");
  rows.add2<Bmsk<false>, U, U, U>("bmsk.wrap.b32");
  rows.add2<Szext<true>, U, U, U>("szext.clamp.u32");
  rows.add2<Szext<false>, U, U, U>("szext.wrap.u32");
  rows.add2<Szext<true>, int32_t, int32_t, U>("szext.clamp.s32");
  rows.add2<Szext<false>, int32_t, int32_t, U>("szext.wrap.s32");
  rows.add3<Fns, U, U, U, int32_t>("fns.b32");
  Scalar p = Scalar::Pred, u32 = Scalar::U32;
  sink(context, {"lop3.test.b32", lop3Test, u32, {u32, u32, u32, p}, 4});
  sink(context, {"and.pred", predicates<And>, p, {p, p}, 2});
  sink(context, {"or.pred", predicates<Or>, p, {p, p}, 2});
  sink(context, {"xor.pred", predicates<Xor>, p, {p, p}, 2});
  sink(context, {"not.pred", predicate<Not>, p, {p}, 1});
  sink(context, {"mov.pred", predicate<Move>, p, {p}, 1});
}

} // namespace FUSEC_PTX_ISA
} // namespace fusec::ptx
