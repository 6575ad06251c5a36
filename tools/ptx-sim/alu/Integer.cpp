// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer arithmetic.
#include "tools/ptx-sim/alu/Loops.h"

namespace fusec::ptx {
namespace {

// Sums wrap: computed without sign.
template <class T> struct UnsignedOf { using type = T; };
template <> struct UnsignedOf<int16_t> { using type = uint16_t; };
template <> struct UnsignedOf<int32_t> { using type = uint32_t; };
template <> struct UnsignedOf<int64_t> { using type = uint64_t; };
template <class T> struct WideOf;
template <> struct WideOf<int16_t> { using type = int32_t; };
template <> struct WideOf<uint16_t> { using type = uint32_t; };
template <> struct WideOf<int32_t> { using type = int64_t; };
template <> struct WideOf<uint32_t> { using type = uint64_t; };
template <> struct WideOf<int64_t> { using type = __int128; };
template <> struct WideOf<uint64_t> { using type = unsigned __int128; };
template <class T> constexpr bool kSigned = T(-1) < T(0);
template <class T> constexpr int kBits = 8 * sizeof(T);

template <class T> using U = typename UnsignedOf<T>::type;
template <class T> using W = typename WideOf<T>::type;

struct Add {
  template <class T> static T apply(T a, T b) { return T(U<T>(a) + U<T>(b)); }
};
struct Sub {
  template <class T> static T apply(T a, T b) { return T(U<T>(a) - U<T>(b)); }
};
struct MulLo {
  template <class T> static T apply(T a, T b) {
    return T(uint64_t(U<T>(a)) * U<T>(b));
  }
};
struct MulHi {
  template <class T> static T apply(T a, T b) {
    return T((W<T>(a) * W<T>(b)) >> kBits<T>);
  }
};
struct MulWide {
  template <class T> static W<T> apply(T a, T b) { return W<T>(a) * W<T>(b); }
};
struct MadLo {
  template <class T> static T apply(T a, T b, T c) {
    return Add::apply(MulLo::apply(a, b), c);
  }
};
struct MadHi {
  template <class T> static T apply(T a, T b, T c) {
    return Add::apply(MulHi::apply(a, b), c);
  }
};
int32_t saturated(int64_t x) {
  return x > 0x7fffffff      ? 0x7fffffff
         : x < -0x80000000ll ? int32_t(0x80000000)
                             : int32_t(x);
}
struct MadHiSat {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return saturated(int64_t(MulHi::apply(a, b)) + c);
  }
};
struct MadWide {
  template <class T> static W<T> apply(T a, T b, W<T> c) {
    return Add::apply(MulWide::apply(a, b), c);
  }
};
struct AddSat {
  static int32_t apply(int32_t a, int32_t b) {
    return saturated(int64_t(a) + b);
  }
};
struct SubSat {
  static int32_t apply(int32_t a, int32_t b) {
    return saturated(int64_t(a) - b);
  }
};
template <class T> int64_t low24(T a) {
  return kSigned<T> ? int64_t(int32_t(uint32_t(a) << 8) >> 8)
                    : int64_t(uint32_t(a) & 0xffffff);
}
struct Mul24Lo {
  template <class T> static T apply(T a, T b) { return T(low24(a) * low24(b)); }
};
struct Mul24Hi { // bits 47 to 16
  template <class T> static T apply(T a, T b) {
    return T((low24(a) * low24(b)) >> 16);
  }
};
struct Mad24Lo {
  template <class T> static T apply(T a, T b, T c) {
    return Add::apply(Mul24Lo::apply(a, b), c);
  }
};
struct Mad24Hi {
  template <class T> static T apply(T a, T b, T c) {
    return Add::apply(Mul24Hi::apply(a, b), c);
  }
};
struct Mad24HiSat {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return saturated(int64_t(Mul24Hi::apply(a, b)) + c);
  }
};
struct Sad {
  template <class T> static T apply(T a, T b, T c) {
    return Add::apply(c, a < b ? Sub::apply(b, a) : Sub::apply(a, b));
  }
};
// Division by zero gives all ones, as the hardware does.
struct Div {
  template <class T> static T apply(T a, T b) {
    if (b == 0)
      return T(-1);
    if (kSigned<T> && b == T(-1))
      return Sub::apply(T(0), a);
    return a / b;
  }
};
struct Rem {
  template <class T> static T apply(T a, T b) {
    if (b == 0)
      return a;
    if (kSigned<T> && b == T(-1))
      return 0;
    return a % b;
  }
};
struct Abs {
  template <class T> static T apply(T a) {
    return a < 0 ? Sub::apply(T(0), a) : a;
  }
};
struct Neg {
  template <class T> static T apply(T a) { return Sub::apply(T(0), a); }
};
struct Min {
  template <class T> static T apply(T a, T b) { return a < b ? a : b; }
};
struct Max {
  template <class T> static T apply(T a, T b) { return a > b ? a : b; }
};
template <class F> struct Relu {
  template <class T> static T apply(T a, T b) {
    return Max::apply(F::apply(a, b), T(0));
  }
};

// Pairs of 16 bits in 32.
template <class F, class T> struct Pairs {
  static uint32_t apply(uint32_t a, uint32_t b) {
    uint32_t low = uint16_t(F::apply(T(a), T(b)));
    uint32_t high = uint16_t(F::apply(T(a >> 16), T(b >> 16)));
    return low | high << 16;
  }
};

// Sums of products of bytes.
template <class A> int32_t byteOf(A a, int i) {
  return kSigned<A> ? int32_t(int8_t(uint32_t(a) >> (8 * i)))
                    : int32_t(uint8_t(uint32_t(a) >> (8 * i)));
}
template <class A> int32_t wordOf(A a, int i) {
  return kSigned<A> ? int32_t(int16_t(uint32_t(a) >> (16 * i)))
                    : int32_t(uint16_t(uint32_t(a) >> (16 * i)));
}
struct Dp4a {
  template <class A, class B, class C> static C apply(A a, B b, C c) {
    uint32_t sum = c;
    for (int i = 0; i < 4; ++i)
      sum += uint32_t(byteOf(a, i) * byteOf(b, i));
    return C(sum);
  }
};
template <int kHigh> struct Dp2a {
  template <class A, class B, class C> static C apply(A a, B b, C c) {
    uint32_t sum = c;
    for (int i = 0; i < 2; ++i)
      sum += uint32_t(wordOf(a, i) * byteOf(b, i + 2 * kHigh));
    return C(sum);
  }
};

// With carries; borrows are kept as they are, not inverted.
enum class Carry { Add, Sub, MadLo, MadHi };
template <class S, Carry kKind, bool kIn, bool kOut>
void withCarry(uint8_t *frame, const AluInst &inst, Mask mask) {
  using T = U<S>;
  const T *a = lanesOf<T>(frame, inst.src[0]),
          *b = lanesOf<T>(frame, inst.src[1]);
  const T *c = lanesOf<T>(frame, inst.src[kKind >= Carry::MadLo ? 2 : 0]);
  Mask &flags = *reinterpret_cast<Mask *>(frame + kCarrySlot);
  T values[kLanes];
  Mask out = 0;
  for (int i = 0; i < kLanes; ++i) {
    T left = a[i], right = b[i], in = kIn ? flags >> i & 1 : 0;
    if (kKind == Carry::MadLo || kKind == Carry::MadHi) {
      left = kKind == Carry::MadLo ? MulLo::apply(a[i], b[i])
                                   : T(MulHi::apply(S(a[i]), S(b[i])));
      right = c[i];
    }
    using Wide = unsigned __int128;
    Wide sum =
        kKind == Carry::Sub ? Wide(left) - right - in : Wide(left) + right + in;
    values[i] = T(sum);
    out |= Mask(sum >> kBits<T> & 1) << i;
  }
  store(frame, inst.dst, values, mask);
  if (kOut)
    flags = (flags & ~mask) | (out & mask);
}

template <class T> void addCarryRows(Rows &rows, const char *const names[]) {
  Scalar t = ScalarOf<T>::value;
  auto two = [&](int i, AluHandler f) {
    rows.sink(rows.context, {names[i], f, t, {t, t}, 2});
  };
  auto three = [&](int i, AluHandler f) {
    rows.sink(rows.context, {names[i], f, t, {t, t, t}, 3});
  };
  two(0, withCarry<T, Carry::Add, false, true>);
  two(1, withCarry<T, Carry::Add, true, false>);
  two(2, withCarry<T, Carry::Add, true, true>);
  two(3, withCarry<T, Carry::Sub, false, true>);
  two(4, withCarry<T, Carry::Sub, true, false>);
  two(5, withCarry<T, Carry::Sub, true, true>);
  three(6, withCarry<T, Carry::MadLo, false, true>);
  three(7, withCarry<T, Carry::MadLo, true, false>);
  three(8, withCarry<T, Carry::MadLo, true, true>);
  three(9, withCarry<T, Carry::MadHi, false, true>);
  three(10, withCarry<T, Carry::MadHi, true, false>);
  three(11, withCarry<T, Carry::MadHi, true, true>);
}

} // namespace

namespace FUSEC_PTX_ISA {

#define EACH_TYPE(X)                                                           \
  X(int16_t, "s16")                                                            \
  X(uint16_t, "u16") X(int32_t, "s32") X(uint32_t, "u32") X(int64_t, "s64")    \
      X(uint64_t, "u64")
#define NARROW_TYPES(X)                                                        \
  X(int16_t, "s16") X(uint16_t, "u16") X(int32_t, "s32") X(uint32_t, "u32")

void addIntegerRows(AluSink sink, void *context) {
  Rows rows{sink, context};
#define ROWS(T, NAME)                                                          \
  rows.add2<Add, T, T, T>("add." NAME);                                        \
  rows.add2<Sub, T, T, T>("sub." NAME);                                        \
  rows.add2<MulLo, T, T, T>("mul.lo." NAME);                                   \
  rows.add2<MulHi, T, T, T>("mul.hi." NAME);                                   \
  rows.add3<MadLo, T, T, T, T>("mad.lo." NAME);                                \
  rows.add3<MadHi, T, T, T, T>("mad.hi." NAME);                                \
  rows.add3<Sad, T, T, T, T>("sad." NAME);                                     \
  rows.add2<Div, T, T, T>("div." NAME);                                        \
  rows.add2<Rem, T, T, T>("rem." NAME);                                        \
  rows.add2<Min, T, T, T>("min." NAME);                                        \
  rows.add2<Max, T, T, T>("max." NAME);
  EACH_TYPE(ROWS)
#undef ROWS
#define ROWS(T, NAME)                                                          \
  rows.add2<MulWide, W<T>, T, T>("mul.wide." NAME);                            \
  rows.add3<MadWide, W<T>, T, T, W<T>>("mad.wide." NAME);
  NARROW_TYPES(ROWS)
#undef ROWS
#define ROWS(T, NAME)                                                          \
  rows.add1<Abs, T, T>("abs." NAME);                                           \
  rows.add1<Neg, T, T>("neg." NAME);
  ROWS(int16_t, "s16")
  ROWS(int32_t, "s32") ROWS(int64_t, "s64")
#undef ROWS
#define ROWS(T, NAME)                                                          \
  rows.add2<Mul24Lo, T, T, T>("mul24.lo." NAME);                               \
  rows.add2<Mul24Hi, T, T, T>("mul24.hi." NAME);                               \
  rows.add3<Mad24Lo, T, T, T, T>("mad24.lo." NAME);                            \
  rows.add3<Mad24Hi, T, T, T, T>("mad24.hi." NAME);
      ROWS(int32_t, "s32") ROWS(uint32_t, "u32")
#undef ROWS
          rows.add2<AddSat, int32_t, int32_t, int32_t>("add.sat.s32");
  rows.add2<SubSat, int32_t, int32_t, int32_t>("sub.sat.s32");
  rows.add3<MadHiSat, int32_t, int32_t, int32_t, int32_t>("mad.hi.sat.s32");
  rows.add3<Mad24HiSat, int32_t, int32_t, int32_t, int32_t>("mad24.hi.sat.s32");
#define ROWS(OP, NAME)                                                         \
  rows.add2<Relu<OP>, int32_t, int32_t, int32_t>(NAME ".s32");                 \
  rows.add2<Pairs<Relu<OP>, int16_t>, uint32_t, uint32_t, uint32_t>(NAME       \
                                                                    ".s16x2");
  ROWS(Min, "min.relu")
  ROWS(Max, "max.relu")
#undef ROWS
#define ROWS(OP, NAME)                                                         \
  rows.add2<Pairs<OP, int16_t>, uint32_t, uint32_t, uint32_t>(NAME ".s16x2");  \
  rows.add2<Pairs<OP, uint16_t>, uint32_t, uint32_t, uint32_t>(NAME ".u16x2");
  ROWS(Add, "add")
  ROWS(Min, "min")
  ROWS(Max, "max")
#undef ROWS
#define ROWS(A, B, C, NAME)                                                    \
  rows.add3<Dp4a, C, A, B, C>("dp4a." NAME);                                   \
  rows.add3<Dp2a<0>, C, A, B, C>("dp2a.lo." NAME);                             \
  rows.add3<Dp2a<1>, C, A, B, C>("dp2a.hi." NAME);
      ROWS(int32_t, int32_t, int32_t, "s32.s32")
          ROWS(int32_t, uint32_t, int32_t, "s32.u32")
              ROWS(uint32_t, int32_t, int32_t, "u32.s32")
                  ROWS(uint32_t, uint32_t, uint32_t, "u32.u32")
#undef ROWS
#define ROWS(T, NAME)                                                          \
  {                                                                            \
    static const char *const names[] = {                                       \
        "add.cc." NAME,    "addc." NAME,    "addc.cc." NAME,                   \
        "sub.cc." NAME,    "subc." NAME,    "subc.cc." NAME,                   \
        "mad.lo.cc." NAME, "madc.lo." NAME, "madc.lo.cc." NAME,                \
        "mad.hi.cc." NAME, "madc.hi." NAME, "madc.hi.cc." NAME};               \
    addCarryRows<T>(rows, names);                                              \
  }
                  ROWS(uint32_t, "u32")
                  ROWS(uint64_t, "u64")
                  ROWS(int32_t, "s32") ROWS(int64_t, "s64")
#undef ROWS
}

} // namespace FUSEC_PTX_ISA
} // namespace fusec::ptx
