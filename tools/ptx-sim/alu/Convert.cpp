// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cvt, by the types alone: rounding and saturation are in AluInst::aux.
#include "tools/ptx-sim/alu/Conversion.h"
#include "tools/ptx-sim/alu/Loops.h"

namespace fusec::ptx {
namespace {

template <class T> constexpr bool kSigned = T(-1) < T(0);
template <class T> struct IsFloat { static constexpr bool value = false; };
template <> struct IsFloat<Half> { static constexpr bool value = true; };
template <> struct IsFloat<Bfloat> { static constexpr bool value = true; };
template <> struct IsFloat<float> { static constexpr bool value = true; };
template <> struct IsFloat<double> { static constexpr bool value = true; };

Round roundOf(uint32_t aux) { return static_cast<Round>(aux & kRoundMask); }

float toSingle(double x, Round round) {
  uint32_t bits = narrow(x, 23, 8, round);
  return bitsTo<float>((bits & 0x7fffffff) > 0x7f800000 ? kNan32 : bits);
}

double integral(double x, Round round) {
  switch (round) {
  case Round::Nearest:
  case Round::NearestAway:
    return __builtin_rint(x);
  case Round::Zero:
    return __builtin_trunc(x);
  case Round::Down:
    return __builtin_floor(x);
  case Round::Up:
    return __builtin_ceil(x);
  }
  return x;
}

template <class T> struct Limits {
  static constexpr T highest =
      kSigned<T> ? T(~(1ull << (8 * sizeof(T) - 1))) : T(-1);
  static constexpr T lowest =
      kSigned<T> ? T(1ull << (8 * sizeof(T) - 1)) : T(0);
};

double widen(Half h) { return toFloat(h); }
double widen(Bfloat h) { return toFloat(h); }
double widen(float x) { return x; }
double widen(double x) { return x; }

template <class S> double flushed(S x, uint32_t aux) {
  double wide = widen(x);
  if ((aux & kConvertFtz) && sizeof(S) == 4 && __builtin_fabs(wide) < 0x1p-126)
    return __builtin_copysign(0.0, wide);
  return wide;
}

/// A 64-bit integer as a double whose last bit says whether it is inexact.
template <class S> double toOdd(S x) {
  double high = double(int64_t(int64_t(x) >> 32)), low = double(uint32_t(x));
  if (!kSigned<S>)
    high = double(uint64_t(x) >> 32);
  return addToOdd(high * 0x1p32, low);
}

template <class D> D roundedTo(double x, Round round);
template <> Half roundedTo<Half>(double x, Round round) {
  return toHalf(x, round);
}
template <> Bfloat roundedTo<Bfloat>(double x, Round round) {
  return toBfloat(x, round);
}
template <> float roundedTo<float>(double x, Round round) {
  return round == Round::Nearest ? canonical(float(x)) : toSingle(x, round);
}
template <> double roundedTo<double>(double x, Round) { return x; }

template <class D, class S> D convert(S x, uint32_t aux) {
  if constexpr (IsFloat<S>::value && IsFloat<D>::value) {
    double wide = flushed(x, aux);
    if (aux & kToIntegral)
      wide = integral(wide, roundOf(aux));
    if (aux & kConvertSat)
      wide = wide > 0 ? (wide < 1 ? wide : 1.0) : 0.0;
    if ((aux & kConvertRelu) && wide <= 0)
      wide = 0;
    bool exact = sizeof(D) > sizeof(S) || (aux & kToIntegral);
    D result = roundedTo<D>(wide, exact ? Round::Nearest : roundOf(aux));
    if constexpr (sizeof(D) == 4)
      return aux & kConvertFtz ? flush(result) : result;
    if constexpr (sizeof(D) == 2)
      if ((aux & kSatFinite) && wide == wide &&
          (result.bits & 0x7fff) == roundedTo<D>(1e300, Round::Nearest).bits)
        --result.bits; // infinity to the largest number
    return result;
  } else if constexpr (IsFloat<S>::value) {
    double wide = integral(flushed(x, aux), roundOf(aux));
    if (wide != wide)
      return 0;
    if (wide <= double(Limits<D>::lowest))
      return Limits<D>::lowest;
    if (wide >= double(Limits<D>::highest))
      return Limits<D>::highest;
    return D(wide);
  } else if constexpr (IsFloat<D>::value) {
    double wide = sizeof(S) == 8 && sizeof(D) < 8 ? toOdd(x) : double(x);
    if (sizeof(D) == 8 && sizeof(S) == 8 && roundOf(aux) != Round::Nearest) {
      __int128 exact = x, got = __int128(wide);
      bool down =
          roundOf(aux) == Round::Down || (roundOf(aux) == Round::Zero && x > 0);
      uint64_t bits = bitsTo<uint64_t>(wide);
      if (down && got > exact)
        wide = bitsTo<double>(wide > 0 ? bits - 1 : bits + 1);
      else if (!down && got < exact)
        wide = bitsTo<double>(wide > 0 ? bits + 1 : bits - 1);
    }
    if (aux & kConvertSat)
      wide = wide > 0 ? (wide < 1 ? wide : 1.0) : 0.0;
    return roundedTo<D>(wide, roundOf(aux));
  } else {
    if (aux & kConvertSat) {
      __int128 wide = x;
      if (wide < Limits<D>::lowest)
        return Limits<D>::lowest;
      if (wide > Limits<D>::highest)
        return Limits<D>::highest;
    }
    return D(x);
  }
}

/// Of lanes that are wider than the type: the low bytes.
template <class T> void gather(T *to, const uint8_t *from, uint32_t stride) {
  for (int i = 0; i < kLanes; ++i)
    __builtin_memcpy(&to[i], from + i * stride, sizeof(T));
}

template <class T>
void scatter(uint8_t *to, const T *values, uint32_t stride, Mask mask) {
  for (int i = 0; i < kLanes; ++i) {
    if (!(mask >> i & 1))
      continue;
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &values[i], sizeof(T));
    if constexpr (!IsFloat<T>::value)
      if (kSigned<T>)
        bits = uint64_t(int64_t(values[i]));
    __builtin_memcpy(to + i * stride, &bits, stride);
  }
}

template <class D, class S>
void cvt(uint8_t *frame, const AluInst &inst, Mask mask) {
  uint32_t sourceStride = inst.aux >> kSourceShift & 0xff;
  uint32_t resultStride = inst.aux >> kResultShift & 0xff;
  alignas(64) D values[kLanes];
  alignas(64) S wide[kLanes];
  const S *a = lanesOf<S>(frame, inst.src[0]);
  if (sourceStride != sizeof(S)) {
    gather(wide, frame + inst.src[0], sourceStride);
    a = wide;
  }
  uint32_t flags = inst.aux & 0xff;
  constexpr uint32_t toZero = uint32_t(Round::Zero) | kToIntegral;
  if (flags == 0) { // constants here let the common ones vectorise
    FUSEC_PTX_LANES values[i] = convert<D, S>(a[i], 0);
  } else if (flags == toZero) {
    FUSEC_PTX_LANES values[i] = convert<D, S>(a[i], toZero);
  } else {
    for (int i = 0; i < kLanes; ++i)
      values[i] = convert<D, S>(a[i], flags);
  }
  if (resultStride == sizeof(D))
    store(frame, inst.dst, values, mask);
  else
    scatter(frame + inst.dst, values, resultStride, mask);
}

/// cvt.rna.tf32.f32 and its kin: 10 bits of mantissa in an f32.
void toTf32(uint8_t *frame, const AluInst &inst, Mask mask) {
  const float *a = lanesOf<float>(frame, inst.src[0]);
  alignas(64) uint32_t values[kLanes];
  for (int i = 0; i < kLanes; ++i) {
    float x = a[i];
    if ((inst.aux & kConvertRelu) && x <= 0)
      x = 0;
    uint32_t bits = bitsTo<uint32_t>(x);
    if (x != x)
      bits = kNan32;
    else if ((bits & 0x7f800000) != 0x7f800000)
      bits = (bits & ~0x1fffu) +
             (roundsUp(bits & 0x7fffffff, 13, bits >> 31, roundOf(inst.aux))
              << 13);
    if ((inst.aux & kSatFinite) && (bits & 0x7fffffff) == 0x7f800000)
      bits -= 0x2000;
    values[i] = bits;
  }
  store(frame, inst.dst, values, mask);
}

/// cvt.pack: b and above it a, saturated to as many bits as aux says, and above
/// both what fits of c.
template <bool kIsSigned, bool kHasRest>
void pack(uint8_t *frame, const AluInst &inst, Mask mask) {
  const int32_t *a = lanesOf<int32_t>(frame, inst.src[0]),
                *b = lanesOf<int32_t>(frame, inst.src[1]);
  const uint32_t *c = lanesOf<uint32_t>(frame, inst.src[kHasRest ? 2 : 0]);
  const uint32_t bits = inst.aux;
  const int32_t high = (1 << (kIsSigned ? bits - 1 : bits)) - 1;
  const int32_t low = kIsSigned ? -high - 1 : 0;
  auto field = [&](int32_t x) {
    return uint32_t(x < low ? low : x > high ? high : x) & ((1u << bits) - 1);
  };
  alignas(64) uint32_t values[kLanes];
  for (int i = 0; i < kLanes; ++i)
    values[i] =
        field(b[i]) | field(a[i]) << bits | (kHasRest ? c[i] << (2 * bits) : 0);
  store(frame, inst.dst, values, mask);
}

/// Two f32 to a pair; the first is the upper half.
template <class H> void toPair(uint8_t *frame, const AluInst &inst, Mask mask) {
  const float *high = lanesOf<float>(frame, inst.src[0]);
  const float *low = lanesOf<float>(frame, inst.src[1]);
  alignas(64) uint32_t values[kLanes];
  auto one = [&](float x) -> uint32_t {
    return convert<H, float>(x, inst.aux & 0xff).bits;
  };
  for (int i = 0; i < kLanes; ++i)
    values[i] = one(high[i]) << 16 | one(low[i]);
  store(frame, inst.dst, values, mask);
}

// f8: infinities and what is too large become the largest number (.satfinite).
template <int kMantissa> uint32_t toF8(double x, bool relu) {
  constexpr int exponentBits = 7 - kMantissa;
  uint32_t sign = bitsTo<uint64_t>(x) >> 63 ? 0x80 : 0;
  if (x != x)
    return 0x7f;
  if (relu && x <= 0)
    return 0;
  // e4m3 uses the exponent of infinity too: only all ones are NaN.
  constexpr uint32_t largest = kMantissa == 3 ? 0x7e : 0x7b;
  constexpr double maximum = kMantissa == 3 ? 448 : 57344;
  double magnitude = __builtin_fabs(x);
  if (magnitude >= maximum)
    return sign | largest;
  if (kMantissa == 3 && magnitude >= 256) { // 256 to 448 in steps of 32
    double steps = __builtin_rint((magnitude - 256) / 32);
    return sign | (0x78 + uint32_t(steps));
  }
  uint32_t bits = narrow(x, kMantissa, exponentBits, Round::Nearest);
  return (bits & 0x7f) > largest ? sign | largest : bits & 0xff;
}
template <int kMantissa>
void toF8Pair(uint8_t *frame, const AluInst &inst, Mask mask) {
  const float *high = lanesOf<float>(frame, inst.src[0]);
  const float *low = lanesOf<float>(frame, inst.src[1]);
  alignas(64) uint16_t values[kLanes];
  bool relu = inst.aux & kConvertRelu;
  for (int i = 0; i < kLanes; ++i)
    values[i] =
        toF8<kMantissa>(high[i], relu) << 8 | toF8<kMantissa>(low[i], relu);
  store(frame, inst.dst, values, mask);
}
template <int kMantissa>
void halvesToF8(uint8_t *frame, const AluInst &inst, Mask mask) {
  const uint32_t *a = lanesOf<uint32_t>(frame, inst.src[0]);
  alignas(64) uint16_t values[kLanes];
  bool relu = inst.aux & kConvertRelu;
  for (int i = 0; i < kLanes; ++i)
    values[i] = toF8<kMantissa>(toFloat(Half{uint16_t(a[i] >> 16)}), relu)
                    << 8 |
                toF8<kMantissa>(toFloat(Half{uint16_t(a[i])}), relu);
  store(frame, inst.dst, values, mask);
}
template <int kMantissa> uint32_t f8ToHalf(uint8_t x) {
  if (kMantissa == 2) // the upper byte of an f16
    return (x & 0x7f) > 0x7c ? kNan16 : uint32_t(x) << 8;
  if ((x & 0x7f) == 0x7f)
    return kNan16;
  double scaled = double(toFloat(Half{uint16_t((x & 0x7f) << 7)})) * 256;
  return toHalf(scaled).bits | (x & 0x80) << 8;
}
template <int kMantissa>
void f8ToHalves(uint8_t *frame, const AluInst &inst, Mask mask) {
  const uint16_t *a = lanesOf<uint16_t>(frame, inst.src[0]);
  alignas(64) uint32_t values[kLanes];
  auto one = [&](uint8_t x) {
    uint32_t h = f8ToHalf<kMantissa>(x);
    return (inst.aux & kConvertRelu) && (h & 0x8000) ? 0 : h;
  };
  for (int i = 0; i < kLanes; ++i)
    values[i] = one(uint8_t(a[i] >> 8)) << 16 | one(uint8_t(a[i]));
  store(frame, inst.dst, values, mask);
}

} // namespace

namespace FUSEC_PTX_ISA {

void addConvertRows(AluSink sink, void *context) {
#define ROW(D, S, DN, SN)                                                      \
  sink(context, {"cvt." DN "." SN,                                             \
                 cvt<D, S>,                                                    \
                 ScalarOf<D>::value,                                           \
                 {ScalarOf<S>::value},                                         \
                 1});
#define ROWS(D, DN)                                                            \
  ROW(D, uint8_t, DN, "u8")                                                    \
  ROW(D, int8_t, DN, "s8") ROW(D, uint16_t, DN, "u16")                         \
      ROW(D, int16_t, DN, "s16") ROW(D, uint32_t, DN, "u32")                   \
          ROW(D, int32_t, DN, "s32") ROW(D, uint64_t, DN, "u64")               \
              ROW(D, int64_t, DN, "s64") ROW(D, Half, DN, "f16")               \
                  ROW(D, Bfloat, DN, "bf16") ROW(D, float, DN, "f32")          \
                      ROW(D, double, DN, "f64")
  ROWS(uint8_t, "u8")
  ROWS(int8_t, "s8") ROWS(uint16_t, "u16") ROWS(int16_t, "s16")
      ROWS(uint32_t, "u32") ROWS(int32_t, "s32") ROWS(uint64_t, "u64")
          ROWS(int64_t, "s64") ROWS(Half, "f16") ROWS(Bfloat, "bf16")
              ROWS(float, "f32") ROWS(double, "f64")
#undef ROWS
#undef ROW
                  Scalar f32 = Scalar::F32,
                         u32 = Scalar::U32, u16 = Scalar::U16;
  sink(context, {"cvt.tf32.f32", toTf32, u32, {f32}, 1});
  Scalar s32 = Scalar::S32;
  sink(context, {"cvt.pack.u", pack<false, false>, u32, {s32, s32}, 2});
  sink(context, {"cvt.pack.s", pack<true, false>, u32, {s32, s32}, 2});
  sink(context, {"cvt.pack.u.c", pack<false, true>, u32, {s32, s32, u32}, 3});
  sink(context, {"cvt.pack.s.c", pack<true, true>, u32, {s32, s32, u32}, 3});
  sink(context, {"cvt.f16x2.f32", toPair<Half>, u32, {f32, f32}, 2});
  sink(context, {"cvt.bf16x2.f32", toPair<Bfloat>, u32, {f32, f32}, 2});
  sink(context, {"cvt.e4m3x2.f32", toF8Pair<3>, u16, {f32, f32}, 2});
  sink(context, {"cvt.e5m2x2.f32", toF8Pair<2>, u16, {f32, f32}, 2});
  sink(context, {"cvt.e4m3x2.f16x2", halvesToF8<3>, u16, {u32}, 1});
  sink(context, {"cvt.e5m2x2.f16x2", halvesToF8<2>, u16, {u32}, 1});
  sink(context, {"cvt.f16x2.e4m3x2", f8ToHalves<3>, u32, {u16}, 1});
  sink(context, {"cvt.f16x2.e5m2x2", f8ToHalves<2>, u32, {u16}, 1});
}

} // namespace FUSEC_PTX_ISA
} // namespace fusec::ptx
