// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic that does not round to nearest (.rz, .rm, .rp): the host's own,
// with its rounding mode set. Compiled with -frounding-math, and once: nobody
// needs it fast.
#include "tools/ptx-sim/alu/Loops.h"

#include <cfenv>

namespace fusec::ptx {
namespace {

struct Add {
  template <class T> static T apply(T a, T b, T) { return a + b; }
};
struct Sub {
  template <class T> static T apply(T a, T b, T) { return a - b; }
};
struct Mul {
  template <class T> static T apply(T a, T b, T) { return a * b; }
};
struct Div {
  template <class T> static T apply(T a, T b, T) { return a / b; }
};
struct Rcp {
  template <class T> static T apply(T a, T, T) { return T(1) / a; }
};
struct Sqrt {
  static float apply(float a, float, float) { return __builtin_sqrtf(a); }
  static double apply(double a, double, double) { return __builtin_sqrt(a); }
};
struct Fma {
  static float apply(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
  }
  static double apply(double a, double b, double c) {
    return __builtin_fma(a, b, c);
  }
};

double canonical(double x) { return x; }
double flush(double x) { return x; }

template <class F, class T, int kMode, bool kFtz, bool kSat>
void rounded(uint8_t *frame, const AluInst &inst, Mask mask) {
  const T *a = lanesOf<T>(frame, inst.src[0]),
          *b = lanesOf<T>(frame, inst.src[1]),
          *c = lanesOf<T>(frame, inst.src[2]);
  T values[kLanes];
  int before = std::fegetround();
  std::fesetround(kMode);
  for (int i = 0; i < kLanes; ++i) {
    // Volatile: neither folded nor moved to where the mode is another.
    volatile T x = kFtz ? flush(a[i]) : a[i], y = kFtz ? flush(b[i]) : b[i],
               z = kFtz ? flush(c[i]) : c[i];
    volatile T r = F::apply(T(x), T(y), T(z));
    values[i] = r;
  }
  std::fesetround(before);
  for (T &value : values) {
    if (kFtz)
      value = flush(value);
    if (kSat)
      value = value > 0 ? (value < 1 ? value : T(1)) : T(0);
    value = canonical(value);
  }
  store(frame, inst.dst, values, mask);
}

template <class F, int kMode>
void addMode(AluSink sink, void *context, int count,
             const char *const names[5]) {
  Scalar f = Scalar::F32, d = Scalar::F64;
  sink(context,
       {names[0], rounded<F, float, kMode, false, false>, f, {f, f, f}, count});
  sink(context,
       {names[1], rounded<F, float, kMode, true, false>, f, {f, f, f}, count});
  sink(context,
       {names[2], rounded<F, float, kMode, false, true>, f, {f, f, f}, count});
  sink(context,
       {names[3], rounded<F, float, kMode, true, true>, f, {f, f, f}, count});
  sink(
      context,
      {names[4], rounded<F, double, kMode, false, false>, d, {d, d, d}, count});
}

} // namespace

void addRoundedRows(AluSink sink, void *context) {
#define ROWS(OP, NAME, COUNT, MODE, SUFFIX)                                    \
  {                                                                            \
    static const char *const names[] = {                                       \
        NAME SUFFIX ".f32", NAME SUFFIX ".ftz.f32", NAME SUFFIX ".sat.f32",    \
        NAME SUFFIX ".ftz.sat.f32", NAME SUFFIX ".f64"};                       \
    addMode<OP, MODE>(sink, context, COUNT, names);                            \
  }
#define MODES(OP, NAME, COUNT)                                                 \
  ROWS(OP, NAME, COUNT, FE_TOWARDZERO, ".rz")                                  \
  ROWS(OP, NAME, COUNT, FE_DOWNWARD, ".rm")                                    \
  ROWS(OP, NAME, COUNT, FE_UPWARD, ".rp")
  MODES(Add, "add", 2)
  MODES(Sub, "sub", 2) MODES(Mul, "mul", 2) MODES(Div, "div", 2)
      MODES(Fma, "fma", 3) MODES(Fma, "mad", 3) MODES(Rcp, "rcp", 1)
          MODES(Sqrt, "sqrt", 1)
}

} // namespace fusec::ptx
