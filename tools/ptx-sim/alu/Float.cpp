// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of f32 and f64, rounded to nearest. Approximations (ex2.approx,
// ...) are computed in f64 and rounded, so they lie within every error that the
// PTX ISA allows.
#include "tools/ptx-sim/alu/Loops.h"

#include <math.h>

namespace fusec::ptx {
namespace {

struct Add {
  template <class T> static T apply(T a, T b) { return a + b; }
};
struct Sub {
  template <class T> static T apply(T a, T b) { return a - b; }
};
struct Mul {
  template <class T> static T apply(T a, T b) { return a * b; }
};
struct Div {
  template <class T> static T apply(T a, T b) { return a / b; }
};
struct Fma {
  static float apply(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
  }
  static double apply(double a, double b, double c) {
    return __builtin_fma(a, b, c);
  }
};
template <class T> bool signOf(T x) { return __builtin_signbit(x); }
// A number wins over NaN, and -0 is less than +0.
struct Min {
  template <class T> static T apply(T a, T b) {
    T less = a < b || (a == b && signOf(a)) ? a : b;
    return a != a ? b : b != b ? a : less;
  }
};
struct Max {
  template <class T> static T apply(T a, T b) {
    T more = a > b || (a == b && !signOf(a)) ? a : b;
    return a != a ? b : b != b ? a : more;
  }
};
// Unless NaN is to win.
template <class F> struct Nan {
  static float apply(float a, float b) {
    return a != a || b != b ? bitsTo<float>(kNan32) : F::apply(a, b);
  }
};
template <class F> struct XorsignAbs {
  static float apply(float a, float b) {
    uint32_t sign = (bitsTo<uint32_t>(a) ^ bitsTo<uint32_t>(b)) & 0x80000000;
    float r = F::apply(__builtin_fabsf(a), __builtin_fabsf(b));
    return bitsTo<float>(bitsTo<uint32_t>(r) | sign);
  }
};
template <class F> struct Three {
  static float apply(float a, float b, float c) {
    return F::apply(F::apply(a, b), c);
  }
};
struct Abs {
  static float apply(float a) { return __builtin_fabsf(a); }
  static double apply(double a) { return __builtin_fabs(a); }
};
struct Neg {
  template <class T> static T apply(T a) { return -a; }
};
struct Rcp {
  template <class T> static T apply(T a) { return T(1) / a; }
};
struct Sqrt {
  static float apply(float a) { return __builtin_sqrtf(a); }
  static double apply(double a) { return __builtin_sqrt(a); }
};
struct Rsqrt {
  static float apply(float a) {
    if (a == 0) // 1 / 0 with its sign
      return 1.0f / a;
    return float(1.0 / __builtin_sqrt(double(a)));
  }
  static double apply(double a) { return 1.0 / __builtin_sqrt(a); }
};
struct Sin {
  static float apply(float a) { return float(sin(double(a))); }
};
struct Cos {
  static float apply(float a) { return float(cos(double(a))); }
};
struct Lg2 {
  static float apply(float a) { return float(log2(double(a))); }
};
struct Ex2 {
  static float apply(float a) { return float(exp2(double(a))); }
};
struct Tanh {
  static float apply(float a) { return float(tanh(double(a))); }
};
struct Copysign { // the sign of a, the rest of b
  static float apply(float a, float b) { return __builtin_copysignf(b, a); }
  static double apply(double a, double b) { return __builtin_copysign(b, a); }
};
/// rcp.approx.ftz.f64 and its kin look at the upper half only.
template <class F> struct UpperHalf {
  static double apply(double a) {
    auto upper = [](double x) {
      uint64_t bits = bitsTo<uint64_t>(x);
      if ((bits & 0x7ff0000000000000) == 0)
        bits &= 0x8000000000000000;
      return bitsTo<double>(bits & 0xffffffff00000000);
    };
    return upper(F::apply(upper(a)));
  }
};

// What surrounds an f32 operation. Moves of signs (neg, abs) keep a NaN as it
// is.
template <class F> struct Plain {
  template <class... A> static float apply(A... a) {
    return canonical(F::apply(a...));
  }
};
template <class F> struct Ftz {
  template <class... A> static float apply(A... a) {
    return canonical(flush(F::apply(flush(a)...)));
  }
};
template <class F> struct Sat {
  template <class... A> static float apply(A... a) {
    return saturate(F::apply(a...));
  }
};
template <class F> struct FtzSat {
  template <class... A> static float apply(A... a) {
    return saturate(flush(F::apply(flush(a)...)));
  }
};

using F = float;
using D = double;

template <class P> struct Test {
  template <class T> static bool apply(T a) { return P::apply(a); }
};
template <class T> bool isSubnormal(T a) {
  return a != 0 && __builtin_fabs(double(a)) <
                       (sizeof(T) == 4 ? 1.17549435082228750797e-38
                                       : 2.2250738585072013831e-308);
}
template <class T> bool isInf(T a) { return a == a && a - a != a - a; }
struct Finite {
  template <class T> static bool apply(T a) { return a - a == 0; }
};
struct Infinite {
  template <class T> static bool apply(T a) { return isInf(a); }
};
struct Number {
  template <class T> static bool apply(T a) { return a == a; }
};
struct NotANumber {
  template <class T> static bool apply(T a) { return a != a; }
};
struct Normal {
  template <class T> static bool apply(T a) {
    return a - a == 0 && a != 0 && !isSubnormal(a);
  }
};
struct Subnormal {
  template <class T> static bool apply(T a) { return isSubnormal(a); }
};
template <class P, class T>
void testp(uint8_t *frame, const AluInst &inst, Mask mask) {
  const T *a = lanesOf<T>(frame, inst.src[0]);
  Mask result = 0;
  for (int i = 0; i < kLanes; ++i)
    result |= Mask(P::apply(a[i])) << i;
  Mask &d = *reinterpret_cast<Mask *>(frame + inst.dst);
  d = (d & ~mask) | (result & mask);
}

} // namespace

namespace FUSEC_PTX_ISA {

void addFloatRows(AluSink sink, void *context) {
  Rows rows{sink, context};
#define ROWS(OP, NAME)                                                         \
  rows.add2<Plain<OP>, F, F, F>(NAME ".f32");                                  \
  rows.add2<Ftz<OP>, F, F, F>(NAME ".ftz.f32");                                \
  rows.add2<Sat<OP>, F, F, F>(NAME ".sat.f32");                                \
  rows.add2<FtzSat<OP>, F, F, F>(NAME ".ftz.sat.f32");
  ROWS(Add, "add")
  ROWS(Sub, "sub") ROWS(Mul, "mul")
#undef ROWS
#define ROWS(NAME)                                                             \
  rows.add3<Plain<Fma>, F, F, F, F>(NAME ".f32");                              \
  rows.add3<Ftz<Fma>, F, F, F, F>(NAME ".ftz.f32");                            \
  rows.add3<Sat<Fma>, F, F, F, F>(NAME ".sat.f32");                            \
  rows.add3<FtzSat<Fma>, F, F, F, F>(NAME ".ftz.sat.f32");                     \
  rows.add3<Fma, D, D, D, D>(NAME ".f64");
      ROWS("fma") ROWS("mad")
#undef ROWS
#define ROWS(OP, NAME) rows.add2<OP, D, D, D>(NAME ".f64");
          ROWS(Add, "add") ROWS(Sub, "sub") ROWS(Mul, "mul") ROWS(Div, "div")
              ROWS(Min, "min") ROWS(Max, "max") ROWS(Copysign, "copysign")
#undef ROWS
#define ROWS(OP, NAME)                                                         \
  rows.add2<Plain<OP>, F, F, F>(NAME ".f32");                                  \
  rows.add2<Ftz<OP>, F, F, F>(NAME ".ftz.f32");
                  ROWS(Div, "div") ROWS(Div, "div.approx") ROWS(Div, "div.full")
                      ROWS(Min, "min") ROWS(Max, "max")
                          rows.add2<Copysign, F, F, F>("copysign.f32");
#undef ROWS
#define ROWS(OP, NAME)                                                         \
  rows.add2<Nan<OP>, F, F, F>(NAME ".NaN.f32");                                \
  rows.add2<Ftz<Nan<OP>>, F, F, F>(NAME ".ftz.NaN.f32");                       \
  rows.add2<Plain<XorsignAbs<OP>>, F, F, F>(NAME ".xorsign.abs.f32");          \
  rows.add2<Ftz<XorsignAbs<OP>>, F, F, F>(NAME ".ftz.xorsign.abs.f32");        \
  rows.add2<Nan<XorsignAbs<OP>>, F, F, F>(NAME ".NaN.xorsign.abs.f32");        \
  rows.add2<Ftz<Nan<XorsignAbs<OP>>>, F, F, F>(NAME                            \
                                               ".ftz.NaN.xorsign.abs.f32");    \
  rows.add3<Plain<Three<OP>>, F, F, F, F>(NAME "3.f32");                       \
  rows.add3<Three<Nan<OP>>, F, F, F, F>(NAME "3.NaN.f32");
  ROWS(Min, "min")
  ROWS(Max, "max")
#undef ROWS
#define ROWS(OP, NAME)                                                         \
  rows.add1<Plain<OP>, F, F>(NAME ".f32");                                     \
  rows.add1<Ftz<OP>, F, F>(NAME ".ftz.f32");
      ROWS(Rcp, "rcp") ROWS(Rcp, "rcp.approx") ROWS(Sqrt, "sqrt")
          ROWS(Sqrt, "sqrt.approx") ROWS(Rsqrt, "rsqrt.approx")
              ROWS(Sin, "sin.approx") ROWS(Cos, "cos.approx")
                  ROWS(Lg2, "lg2.approx") ROWS(Ex2, "ex2.approx")
                      ROWS(Tanh, "tanh.approx")
#undef ROWS
                          rows.add1<Abs, F, F>("abs.f32");
  rows.add1<Ftz<Abs>, F, F>("abs.ftz.f32");
  rows.add1<Neg, F, F>("neg.f32");
  rows.add1<Ftz<Neg>, F, F>("neg.ftz.f32");
  rows.add1<Abs, D, D>("abs.f64");
  rows.add1<Neg, D, D>("neg.f64");
  rows.add1<Rcp, D, D>("rcp.f64");
  rows.add1<Sqrt, D, D>("sqrt.f64");
  rows.add1<Rsqrt, D, D>("rsqrt.approx.f64");
  rows.add1<UpperHalf<Rcp>, D, D>("rcp.approx.ftz.f64");
  rows.add1<UpperHalf<Rsqrt>, D, D>("rsqrt.approx.ftz.f64");
#define ROWS(OP, NAME)                                                         \
  sink(context,                                                                \
       {"testp." NAME ".f32", testp<OP, F>, Scalar::Pred, {Scalar::F32}, 1});  \
  sink(context,                                                                \
       {"testp." NAME ".f64", testp<OP, D>, Scalar::Pred, {Scalar::F64}, 1});
  ROWS(Finite, "finite")
  ROWS(Infinite, "infinite") ROWS(Number, "number")
      ROWS(NotANumber, "notanumber") ROWS(Normal, "normal")
          ROWS(Subnormal, "subnormal")
#undef ROWS
}

} // namespace FUSEC_PTX_ISA
} // namespace fusec::ptx
