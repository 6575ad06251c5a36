// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of f16 and bf16, single and in pairs. Sums and products of two are
// computed in f64, which holds them with room to spare; fma rounds to odd in
// between.
#include "tools/ptx-sim/alu/Loops.h"

#include <math.h>

namespace fusec::ptx {
namespace {

template <class H> H nanOf() { return H{kNan16}; }
template <class H> bool isNan(H h) { return toFloat(h) != toFloat(h); }
template <class H> H round(double x) {
  return roundTo(static_cast<H *>(nullptr), x);
}

struct Add {
  template <class H> static H apply(H a, H b) {
    return round<H>(addToOdd(double(toFloat(a)), double(toFloat(b))));
  }
};
struct Sub {
  template <class H> static H apply(H a, H b) {
    return round<H>(addToOdd(double(toFloat(a)), -double(toFloat(b))));
  }
};
struct Mul {
  template <class H> static H apply(H a, H b) {
    return round<H>(double(toFloat(a)) * double(toFloat(b)));
  }
};
struct Fma {
  template <class H> static H apply(H a, H b, H c) {
    return round<H>(
        addToOdd(double(toFloat(a)) * double(toFloat(b)), toFloat(c)));
  }
};
struct Min {
  template <class H> static H apply(H a, H b) {
    float x = toFloat(a), y = toFloat(b);
    if (x != x)
      return y != y ? nanOf<H>() : b;
    if (y != y)
      return a;
    return x < y || (x == y && (a.bits & 0x8000)) ? a : b;
  }
};
struct Max {
  template <class H> static H apply(H a, H b) {
    float x = toFloat(a), y = toFloat(b);
    if (x != x)
      return y != y ? nanOf<H>() : b;
    if (y != y)
      return a;
    return x > y || (x == y && !(a.bits & 0x8000)) ? a : b;
  }
};
template <class F> struct Nan {
  template <class H> static H apply(H a, H b) {
    return isNan(a) || isNan(b) ? nanOf<H>() : F::apply(a, b);
  }
};
template <class F> struct XorsignAbs {
  template <class H> static H apply(H a, H b) {
    uint16_t sign = (a.bits ^ b.bits) & 0x8000;
    H r = F::apply(H{uint16_t(a.bits & 0x7fff)}, H{uint16_t(b.bits & 0x7fff)});
    return isNan(r) ? r : H{uint16_t(r.bits | sign)};
  }
};
struct Abs {
  template <class H> static H apply(H a) { return {uint16_t(a.bits & 0x7fff)}; }
};
struct Neg {
  template <class H> static H apply(H a) { return {uint16_t(a.bits ^ 0x8000)}; }
};
struct Ex2 {
  template <class H> static H apply(H a) {
    return round<H>(exp2(double(toFloat(a))));
  }
};
struct Tanh {
  template <class H> static H apply(H a) {
    return round<H>(tanh(double(toFloat(a))));
  }
};

/// fma.oob: a factor that TMA filled in beyond the bounds of a tensor, a NaN of
/// its own, makes it zero.
template <class F> struct Oob {
  template <class H> static H apply(H a, H b, H c) {
    auto isOutside = [](H h) { return (h.bits & 0x7fff) == kOutside16; };
    return isOutside(a) || isOutside(b) ? H{0} : F::apply(a, b, c);
  }
};

template <class F> struct Ftz {
  template <class H, class... A> static H apply(H a, A... rest) {
    auto flush = [](H h) {
      return (h.bits & 0x7c00) == 0 ? H{uint16_t(h.bits & 0x8000)} : h;
    };
    return flush(F::apply(flush(a), flush(rest)...));
  }
};
template <class F> struct Sat {
  template <class H, class... A> static H apply(H a, A... rest) {
    return round<H>(saturate(toFloat(F::apply(a, rest...))));
  }
};
template <class F> struct Relu { // NaN stays NaN
  template <class H, class... A> static H apply(H a, A... rest) {
    H r = F::apply(a, rest...);
    return isNan(r) ? nanOf<H>() : r.bits & 0x8000 ? H{0} : r;
  }
};

/// The same on both halves of 32 bits.
template <class F, class H> struct Both {
  template <class... A> static uint32_t apply(A... a) {
    uint32_t low = F::apply(H{uint16_t(a)}...).bits;
    uint32_t high = F::apply(H{uint16_t(a >> 16)}...).bits;
    return low | high << 16;
  }
};

} // namespace

namespace FUSEC_PTX_ISA {

void addHalfRows(AluSink sink, void *context) {
  Rows rows{sink, context};
  using U = uint32_t;
#define ONE(OP, H, NAME, TYPE)                                                 \
  rows.add1<OP, H, H>(NAME "." TYPE);                                          \
  rows.add1<Both<OP, H>, U, U>(NAME "." TYPE "x2");
#define TWO(OP, H, NAME, TYPE)                                                 \
  rows.add2<OP, H, H, H>(NAME "." TYPE);                                       \
  rows.add2<Both<OP, H>, U, U, U>(NAME "." TYPE "x2");
#define THREE(OP, H, NAME, TYPE)                                               \
  rows.add3<OP, H, H, H, H>(NAME "." TYPE);                                    \
  rows.add3<Both<OP, H>, U, U, U, U>(NAME "." TYPE "x2");
#define EXTREMES(OP, H, NAME, TYPE)                                            \
  TWO(OP, H, NAME, TYPE)                                                       \
  TWO(Nan<OP>, H, NAME ".NaN", TYPE)                                           \
  TWO(XorsignAbs<OP>, H, NAME ".xorsign.abs", TYPE)                            \
  TWO(Nan<XorsignAbs<OP>>, H, NAME ".NaN.xorsign.abs", TYPE)
#define FLUSHED_EXTREMES(OP, NAME)                                             \
  TWO(Ftz<OP>, Half, NAME, "f16")                                              \
  TWO(Ftz<Nan<OP>>, Half, NAME ".NaN", "f16")                                  \
  TWO(Ftz<XorsignAbs<OP>>, Half, NAME ".xorsign.abs", "f16")                   \
  TWO(Ftz<Nan<XorsignAbs<OP>>>, Half, NAME ".NaN.xorsign.abs", "f16")
#define ALL(H, TYPE)                                                           \
  TWO(Add, H, "add", TYPE)                                                     \
  TWO(Sub, H, "sub", TYPE)                                                     \
  TWO(Mul, H, "mul", TYPE)                                                     \
  THREE(Fma, H, "fma", TYPE)                                                   \
  THREE(Relu<Fma>, H, "fma.relu", TYPE)                                        \
  THREE(Oob<Fma>, H, "fma.oob", TYPE)                                          \
  THREE(Oob<Relu<Fma>>, H, "fma.oob.relu", TYPE)                               \
  EXTREMES(Min, H, "min", TYPE)                                                \
  EXTREMES(Max, H, "max", TYPE)                                                \
  ONE(Abs, H, "abs", TYPE) ONE(Neg, H, "neg", TYPE)                            \
      ONE(Tanh, H, "tanh.approx", TYPE)
  ALL(Half, "f16")
  ALL(Bfloat, "bf16")
  ONE(Ex2, Half, "ex2.approx", "f16")
  ONE(Ftz<Ex2>, Bfloat, "ex2.approx.ftz", "bf16")
#define SATURATED(OP, NAME)                                                    \
  TWO(Sat<OP>, Half, NAME ".sat", "f16")                                       \
  TWO(Ftz<OP>, Half, NAME ".ftz", "f16")                                       \
  TWO(Sat<Ftz<OP>>, Half, NAME ".ftz.sat", "f16")
  SATURATED(Add, "add")
  SATURATED(Sub, "sub")
  SATURATED(Mul, "mul")
  THREE(Sat<Fma>, Half, "fma.sat", "f16")
  THREE(Ftz<Fma>, Half, "fma.ftz", "f16")
  THREE(Sat<Ftz<Fma>>, Half, "fma.ftz.sat", "f16")
  THREE(Relu<Ftz<Fma>>, Half, "fma.ftz.relu", "f16")
  ONE(Ftz<Abs>, Half, "abs.ftz", "f16")
  ONE(Ftz<Neg>, Half, "neg.ftz", "f16")
  FLUSHED_EXTREMES(Min, "min.ftz")
  FLUSHED_EXTREMES(Max, "max.ftz")
}

} // namespace FUSEC_PTX_ISA
} // namespace fusec::ptx
