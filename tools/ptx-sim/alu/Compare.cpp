// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// setp and set.
#include "tools/ptx-sim/alu/Loops.h"

namespace fusec::ptx {
namespace {

struct Eq {
  template <class T> static bool apply(T a, T b) { return a == b; }
};
struct Ne {
  template <class T> static bool apply(T a, T b) { return a < b || a > b; }
};
struct Lt {
  template <class T> static bool apply(T a, T b) { return a < b; }
};
struct Le {
  template <class T> static bool apply(T a, T b) { return a <= b; }
};
struct Gt {
  template <class T> static bool apply(T a, T b) { return a > b; }
};
struct Ge {
  template <class T> static bool apply(T a, T b) { return a >= b; }
};
// The unordered ones are true for NaN.
struct Equ {
  template <class T> static bool apply(T a, T b) { return !(a < b || a > b); }
};
struct Neu {
  template <class T> static bool apply(T a, T b) { return !(a == b); }
};
struct Ltu {
  template <class T> static bool apply(T a, T b) { return !(a >= b); }
};
struct Leu {
  template <class T> static bool apply(T a, T b) { return !(a > b); }
};
struct Gtu {
  template <class T> static bool apply(T a, T b) { return !(a <= b); }
};
struct Geu {
  template <class T> static bool apply(T a, T b) { return !(a < b); }
};
struct Num {
  template <class T> static bool apply(T a, T b) { return a == a && b == b; }
};
struct Nan {
  template <class T> static bool apply(T a, T b) { return a != a || b != b; }
};

template <class T> T valueOf(T a) { return a; }
float valueOf(Half a) { return toFloat(a); }
float valueOf(Bfloat a) { return toFloat(a); }
struct Same {
  template <class T> static T apply(T a) { return a; }
};
struct Flush {
  static float apply(float a) { return flush(a); }
  static Half apply(Half a) {
    return (a.bits & 0x7c00) == 0 ? Half{uint16_t(a.bits & 0x8000)} : a;
  }
};

template <class P, class T, class Z>
Mask compareLanes(const uint8_t *frame, const AluInst &inst) {
  const T *a = lanesOf<T>(frame, inst.src[0]),
          *b = lanesOf<T>(frame, inst.src[1]);
  Mask result = 0;
  for (int i = 0; i < kLanes; ++i)
    result |= Mask(P::apply(valueOf(Z::apply(a[i])), valueOf(Z::apply(b[i]))))
              << i;
  return result;
}

Mask combine(const uint8_t *frame, const AluInst &inst, Mask value) {
  uint32_t how = inst.aux & ~kNegated;
  if (how == kNoCombine)
    return value;
  Mask other = *lanesOf<Mask>(frame, inst.src[2]);
  if (inst.aux & kNegated)
    other = ~other;
  return how == kAnd  ? value & other
         : how == kOr ? value | other
                      : value ^ other;
}

void storeMask(uint8_t *frame, uint32_t slot, Mask value, Mask mask) {
  Mask &d = *reinterpret_cast<Mask *>(frame + slot);
  d = (d & ~mask) | (value & mask);
}

template <class P, class T, class Z>
void setp(uint8_t *frame, const AluInst &inst, Mask mask) {
  Mask value = compareLanes<P, T, Z>(frame, inst);
  Mask first = combine(frame, inst, value);
  Mask second = combine(frame, inst, ~value);
  storeMask(frame, inst.dst, first, mask);
  storeMask(frame, inst.dst2, second, mask);
}

/// Both halves of 32 bits, each with a predicate of its own.
template <class P, class H, class Z>
void setpPairs(uint8_t *frame, const AluInst &inst, Mask mask) {
  const uint32_t *a = lanesOf<uint32_t>(frame, inst.src[0]);
  const uint32_t *b = lanesOf<uint32_t>(frame, inst.src[1]);
  Mask low = 0, high = 0;
  for (int i = 0; i < kLanes; ++i) {
    auto value = [](uint32_t x) { return toFloat(Z::apply(H{uint16_t(x)})); };
    low |= Mask(P::apply(value(a[i]), value(b[i]))) << i;
    high |= Mask(P::apply(value(a[i] >> 16), value(b[i] >> 16))) << i;
  }
  Mask first = combine(frame, inst, low), second = combine(frame, inst, high);
  storeMask(frame, inst.dst, first, mask);
  storeMask(frame, inst.dst2, second, mask);
}

template <class D> D truth() { return D(-1); }
template <> float truth<float>() { return 1.0f; }
template <> Half truth<Half>() { return {0x3c00}; }
template <> Bfloat truth<Bfloat>() { return {0x3f80}; }

template <class P, class D, class T, class Z>
void set(uint8_t *frame, const AluInst &inst, Mask mask) {
  Mask value = combine(frame, inst, compareLanes<P, T, Z>(frame, inst));
  alignas(64) D values[kLanes];
  for (int i = 0; i < kLanes; ++i)
    values[i] = value >> i & 1 ? truth<D>() : D{};
  store(frame, inst.dst, values, mask);
}

template <class P, class D, class H, class Z>
void setPairs(uint8_t *frame, const AluInst &inst, Mask mask) {
  const uint32_t *a = lanesOf<uint32_t>(frame, inst.src[0]);
  const uint32_t *b = lanesOf<uint32_t>(frame, inst.src[1]);
  alignas(64) uint32_t values[kLanes];
  for (int i = 0; i < kLanes; ++i) {
    auto half = [&](int shift) -> uint32_t {
      bool is = P::apply(toFloat(Z::apply(H{uint16_t(a[i] >> shift)})),
                         toFloat(Z::apply(H{uint16_t(b[i] >> shift)})));
      return is ? bitsTo<uint16_t>(truth<D>()) : 0;
    };
    values[i] = half(0) | half(16) << 16;
  }
  store(frame, inst.dst, values, mask);
}

} // namespace

namespace FUSEC_PTX_ISA {

#define INTEGER_TESTS(X)                                                       \
  X(Eq, "eq") X(Ne, "ne") X(Lt, "lt") X(Le, "le") X(Gt, "gt") X(Ge, "ge")
#define FLOAT_TESTS(X)                                                         \
  INTEGER_TESTS(X)                                                             \
  X(Equ, "equ") X(Neu, "neu") X(Ltu, "ltu") X(Leu, "leu") X(Gtu, "gtu")        \
      X(Geu, "geu") X(Num, "num") X(Nan, "nan")

void addCompareRows(AluSink sink, void *context) {
  Scalar p = Scalar::Pred, u32 = Scalar::U32;
#define SETP(P, T, Z, NAME)                                                    \
  sink(context,                                                                \
       {NAME, setp<P, T, Z>, p, {ScalarOf<T>::value, ScalarOf<T>::value}, 2});
#define SET(P, D, T, Z, NAME)                                                  \
  sink(context, {NAME,                                                         \
                 set<P, D, T, Z>,                                              \
                 ScalarOf<D>::value,                                           \
                 {ScalarOf<T>::value, ScalarOf<T>::value},                     \
                 2});
// To what a comparison gives as numbers; of halves also 16 bits.
#define SETS(P, T, Z, TEST, FROM)                                              \
  SET(P, uint32_t, T, Z, "set." TEST ".u32." FROM)                             \
  SET(P, float, T, Z, "set." TEST ".f32." FROM)                                \
  SET(P, Half, T, Z, "set." TEST ".f16." FROM)                                 \
  SET(P, Bfloat, T, Z, "set." TEST ".bf16." FROM)
#define SETP_PAIRS(P, H, Z, NAME)                                              \
  sink(context, {NAME, setpPairs<P, H, Z>, p, {u32, u32}, 2});
#define SET_PAIRS(P, D, H, Z, NAME)                                            \
  sink(context, {NAME, setPairs<P, D, H, Z>, u32, {u32, u32}, 2});
#define BOTH(P, T, TEST, TYPE)                                                 \
  SETP(P, T, Same, "setp." TEST "." TYPE)                                      \
  SETS(P, T, Same, TEST, TYPE)
#define ROWS(P, TEST)                                                          \
  BOTH(P, int16_t, TEST, "s16")                                                \
  BOTH(P, uint16_t, TEST, "u16")                                               \
  BOTH(P, int32_t, TEST, "s32")                                                \
  BOTH(P, uint32_t, TEST, "u32")                                               \
  BOTH(P, int64_t, TEST, "s64") BOTH(P, uint64_t, TEST, "u64")
  INTEGER_TESTS(ROWS)
#undef ROWS
#define FLUSHED(P, T, TEST, TYPE)                                              \
  SETP(P, T, Flush, "setp." TEST ".ftz." TYPE)                                 \
  SETS(P, T, Flush, TEST ".ftz", TYPE)
#define ROWS(P, TEST)                                                          \
  BOTH(P, float, TEST, "f32")                                                  \
  BOTH(P, double, TEST, "f64")                                                 \
  BOTH(P, Half, TEST, "f16")                                                   \
  BOTH(P, Bfloat, TEST, "bf16")                                                \
  FLUSHED(P, float, TEST, "f32")                                               \
  FLUSHED(P, Half, TEST, "f16")                                                \
  SET(P, uint16_t, Half, Same, "set." TEST ".u16.f16")                         \
  SET(P, uint16_t, Half, Flush, "set." TEST ".ftz.u16.f16")                    \
  SET(P, uint16_t, Bfloat, Same, "set." TEST ".u16.bf16")                      \
  SETP_PAIRS(P, Half, Same, "setp." TEST ".f16x2")                             \
  SETP_PAIRS(P, Half, Flush, "setp." TEST ".ftz.f16x2")                        \
  SETP_PAIRS(P, Bfloat, Same, "setp." TEST ".bf16x2")                          \
  SET_PAIRS(P, Half, Half, Same, "set." TEST ".f16x2.f16x2")                   \
  SET_PAIRS(P, Half, Half, Flush, "set." TEST ".ftz.f16x2.f16x2")              \
  SET_PAIRS(P, Bfloat, Bfloat, Same, "set." TEST ".bf16x2.bf16x2")             \
  SET_PAIRS(P, uint16_t, Half, Same, "set." TEST ".u32.f16x2")                 \
  SET_PAIRS(P, uint16_t, Half, Flush, "set." TEST ".ftz.u32.f16x2")            \
  SET_PAIRS(P, uint16_t, Bfloat, Same, "set." TEST ".u32.bf16x2")
  FLOAT_TESTS(ROWS)
#undef ROWS
}

} // namespace FUSEC_PTX_ISA
} // namespace fusec::ptx
