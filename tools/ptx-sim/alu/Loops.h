// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functors to handlers: loops over 32 lanes that compilers vectorise. All lanes
// are computed, and those outside of the mask keep their old values.
#ifndef FUSEC_TOOLS_PTXSIM_ALU_LOOPS_H
#define FUSEC_TOOLS_PTXSIM_ALU_LOOPS_H

#include "tools/ptx-sim/alu/Alu.h"
#include "tools/ptx-sim/alu/Numbers.h"

#if defined(__clang__)
#define FUSEC_PTX_LANES                                                        \
  _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < kLanes;   \
                                                      ++i)
#else
#define FUSEC_PTX_LANES _Pragma("GCC ivdep") for (int i = 0; i < kLanes; ++i)
#endif

namespace fusec::ptx {
namespace {

template <class T> struct ScalarOf;
template <> struct ScalarOf<uint8_t> {
  static constexpr Scalar value = Scalar::U8;
};
template <> struct ScalarOf<int8_t> {
  static constexpr Scalar value = Scalar::S8;
};
template <> struct ScalarOf<uint16_t> {
  static constexpr Scalar value = Scalar::U16;
};
template <> struct ScalarOf<int16_t> {
  static constexpr Scalar value = Scalar::S16;
};
template <> struct ScalarOf<uint32_t> {
  static constexpr Scalar value = Scalar::U32;
};
template <> struct ScalarOf<int32_t> {
  static constexpr Scalar value = Scalar::S32;
};
template <> struct ScalarOf<uint64_t> {
  static constexpr Scalar value = Scalar::U64;
};
template <> struct ScalarOf<int64_t> {
  static constexpr Scalar value = Scalar::S64;
};
template <> struct ScalarOf<float> {
  static constexpr Scalar value = Scalar::F32;
};
template <> struct ScalarOf<double> {
  static constexpr Scalar value = Scalar::F64;
};
template <> struct ScalarOf<Half> {
  static constexpr Scalar value = Scalar::F16;
};
template <> struct ScalarOf<Bfloat> {
  static constexpr Scalar value = Scalar::BF16;
};

template <class T> const T *lanesOf(const uint8_t *frame, uint32_t slot) {
  return reinterpret_cast<const T *>(frame + slot);
}

template <class T>
inline void store(uint8_t *frame, uint32_t slot, const T *values, Mask mask) {
  T *out = reinterpret_cast<T *>(frame + slot);
  if (mask == ~0u) {
    FUSEC_PTX_LANES out[i] = values[i];
  } else {
    FUSEC_PTX_LANES out[i] = (mask >> i) & 1 ? values[i] : out[i];
  }
}

template <class F, class D, class A>
void unary(uint8_t *frame, const AluInst &inst, Mask mask) {
  const A *a = lanesOf<A>(frame, inst.src[0]);
  alignas(64) D values[kLanes];
  FUSEC_PTX_LANES values[i] = F::apply(a[i]);
  store(frame, inst.dst, values, mask);
}

template <class F, class D, class A, class B>
void binary(uint8_t *frame, const AluInst &inst, Mask mask) {
  const A *a = lanesOf<A>(frame, inst.src[0]);
  const B *b = lanesOf<B>(frame, inst.src[1]);
  alignas(64) D values[kLanes];
  FUSEC_PTX_LANES values[i] = F::apply(a[i], b[i]);
  store(frame, inst.dst, values, mask);
}

template <class F, class D, class A, class B, class C>
void ternary(uint8_t *frame, const AluInst &inst, Mask mask) {
  const A *a = lanesOf<A>(frame, inst.src[0]);
  const B *b = lanesOf<B>(frame, inst.src[1]);
  const C *c = lanesOf<C>(frame, inst.src[2]);
  alignas(64) D values[kLanes];
  FUSEC_PTX_LANES values[i] = F::apply(a[i], b[i], c[i]);
  store(frame, inst.dst, values, mask);
}

template <class F, class D, class A, class B, class C, class E>
void quaternary(uint8_t *frame, const AluInst &inst, Mask mask) {
  const A *a = lanesOf<A>(frame, inst.src[0]);
  const B *b = lanesOf<B>(frame, inst.src[1]);
  const C *c = lanesOf<C>(frame, inst.src[2]);
  const E *e = lanesOf<E>(frame, inst.src[3]);
  alignas(64) D values[kLanes];
  FUSEC_PTX_LANES values[i] = F::apply(a[i], b[i], c[i], e[i]);
  store(frame, inst.dst, values, mask);
}

/// Adds rows to the table, by the number and types of the operands.
struct Rows {
  AluSink sink;
  void *context;

  template <class F, class D, class A> void add1(const char *name) {
    sink(context,
         {name, unary<F, D, A>, ScalarOf<D>::value, {ScalarOf<A>::value}, 1});
  }
  template <class F, class D, class A, class B> void add2(const char *name) {
    sink(context, {name,
                   binary<F, D, A, B>,
                   ScalarOf<D>::value,
                   {ScalarOf<A>::value, ScalarOf<B>::value},
                   2});
  }
  template <class F, class D, class A, class B, class C>
  void add3(const char *name) {
    sink(context, {name,
                   ternary<F, D, A, B, C>,
                   ScalarOf<D>::value,
                   {ScalarOf<A>::value, ScalarOf<B>::value, ScalarOf<C>::value},
                   3});
  }
  template <class F, class D, class A, class B, class C, class E>
  void add4(const char *name) {
    sink(context, {name,
                   quaternary<F, D, A, B, C, E>,
                   ScalarOf<D>::value,
                   {ScalarOf<A>::value, ScalarOf<B>::value, ScalarOf<C>::value,
                    ScalarOf<E>::value},
                   4});
  }
};

} // namespace
} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_ALU_LOOPS_H
