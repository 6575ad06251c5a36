// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What instructions compute, against values from the PTX ISA's definitions or
// the host.
#include "test/ptx-sim/Snippet.h"

#include <cfenv>
#include <cmath>
#include <random>

using namespace fusec::ptx;
using Values = std::vector<uint64_t>;

namespace {

Values one(const std::string &code, const std::string &out,
           const std::string &in, const Values &a) {
  return compute(code, out, {in}, {a});
}
Values two(const std::string &code, const std::string &type, const Values &a,
           const Values &b) {
  return compute(code, type, {type, type}, {a, b});
}

Values randomBits(unsigned seed) {
  std::mt19937_64 engine(seed);
  Values values(32);
  for (uint64_t &value : values)
    value = engine() & 0xffffffff;
  return values;
}

Values randomFloats(unsigned seed, float low, float high) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> of(low, high);
  Values values(32);
  for (uint64_t &value : values)
    value = bits(of(engine));
  return values;
}

TEST(Integer, HighAndWideProducts) {
  Values a = randomBits(1), b = randomBits(2);
  Values high = two("mul.hi.s32 %out, %in0, %in1;", "b32", a, b);
  Values low = two("mul.lo.u32 %out, %in0, %in1;", "b32", a, b);
  Values wide =
      compute("mul.wide.s32 %out, %in0, %in1;", "b64", {"b32", "b32"}, {a, b});
  for (size_t i = 0; i < 32; ++i) {
    int64_t product = int64_t(int32_t(a[i])) * int32_t(b[i]);
    EXPECT_EQ(wide[i], uint64_t(product));
    EXPECT_EQ(high[i], uint32_t(product >> 32));
    EXPECT_EQ(low[i], uint32_t(product));
  }
}

TEST(Integer, DivisionAtItsEdges) {
  Values a = {7, uint32_t(-7), 0x80000000, 5}, b = {2, 2, 0xffffffff, 0};
  EXPECT_EQ(two("div.s32 %out, %in0, %in1;", "b32", a, b),
            (Values{3, uint32_t(-3), 0x80000000, 0xffffffff}));
  EXPECT_EQ(two("rem.s32 %out, %in0, %in1;", "b32", a, b),
            (Values{1, uint32_t(-1), 0, 5}));
}

TEST(Integer, CarriesReachTheUpperHalf) {
  Values a = {0xffffffffffffffff, 0x00000000ffffffff, 5}, b = {1, 1, 7};
  EXPECT_EQ(two("mov.b64 {%r0,%r1}, %in0; mov.b64 {%r2,%r3}, %in1;"
                "add.cc.u32 %r4, %r0, %r2; addc.u32 %r5, %r1, %r3;"
                "mov.b64 %out, {%r4,%r5};",
                "b64", a, b),
            (Values{0, 0x100000000, 12}));
  EXPECT_EQ(two("mov.b64 {%r0,%r1}, %in0; mov.b64 {%r2,%r3}, %in1;"
                "sub.cc.u32 %r4, %r0, %r2; subc.u32 %r5, %r1, %r3;"
                "mov.b64 %out, {%r4,%r5};",
                "b64", a, b),
            (Values{0xfffffffffffffffe, 0xfffffffe, uint64_t(-2)}));
}

TEST(Integer, SaturationAndDotProducts) {
  EXPECT_EQ(two("add.sat.s32 %out, %in0, %in1;", "b32",
                {0x7fffffff, 0x80000000}, {1, 0xffffffff}),
            (Values{0x7fffffff, 0x80000000}));
  EXPECT_EQ(two("dp4a.s32.s32 %out, %in0, %in1, 10;", "b32",
                {0x01020304, 0xff000000}, {0x01010101, 0x02000000}),
            (Values{20, 8}));
  EXPECT_EQ(two("dp2a.hi.u32.u32 %out, %in0, %in1, 0;", "b32", {0x00020003},
                {0x05040000}),
            (Values{22}));
}

TEST(Integer, SignedHighProductsWithCarries) {
  // -2 * 3 has an upper half of all ones; the carry comes from the lower one.
  Values a = {uint32_t(-2), 0x7fffffff}, b = {3, 4};
  EXPECT_EQ(two("mad.lo.cc.s32 %r0, %in0, %in1, 6;"
                "madc.hi.s32 %out, %in0, %in1, 0;",
                "b32", a, b),
            (Values{0, 2}));
  EXPECT_EQ(two("mad.hi.cc.s32 %r0, %in0, %in1, 1; addc.u32 %out, 0, 0;", "b32",
                a, b),
            (Values{1, 0}));
  EXPECT_EQ(two("mad24.hi.sat.s32 %out, %in0, %in0, %in1;", "b32",
                {0x7fffff, 0x7fffff}, {0x7fffffff, 5}),
            (Values{0x7fffffff, 0x40000000 - 256 + 5}));
}

TEST(Integer, PairsOfWords) {
  EXPECT_EQ(two("max.relu.s16x2 %out, %in0, %in1;", "b32", {0xfff00005},
                {0xffff8000}),
            (Values{0x00000005}));
  EXPECT_EQ(two("min.relu.s16x2 %out, %in0, %in1;", "b32", {0x0010fff0},
                {0x00080007}),
            (Values{0x00080000}));
}

TEST(Bits, ShiftsAreClamped) {
  Values a = {0x80000001, 0x80000001, 0x80000001}, n = {1, 31, 40};
  EXPECT_EQ(two("shl.b32 %out, %in0, %in1;", "b32", a, n),
            (Values{2, 0x80000000, 0}));
  EXPECT_EQ(two("shr.u32 %out, %in0, %in1;", "b32", a, n),
            (Values{0x40000000, 1, 0}));
  EXPECT_EQ(two("shr.s32 %out, %in0, %in1;", "b32", a, n),
            (Values{0xc0000000, 0xffffffff, 0xffffffff}));
  EXPECT_EQ(two("shf.l.wrap.b32 %out, %in0, %in0, %in1;", "b32", a, n),
            (Values{3, 0xc0000000, 0x00000180}));
}

TEST(Bits, Fields) {
  EXPECT_EQ(one("bfe.u32 %out, %in0, 4, 8;", "b32", "b32", {0xabcd}),
            (Values{0xbc}));
  EXPECT_EQ(one("bfe.s32 %out, %in0, 4, 8;", "b32", "b32", {0xabcd}),
            (Values{0xffffffbc}));
  EXPECT_EQ(one("bfe.s32 %out, %in0, 28, 8;", "b32", "b32", {0x90000000}),
            (Values{0xfffffff9}));
  EXPECT_EQ(two("bfi.b32 %out, %in0, %in1, 8, 4;", "b32", {0xff}, {0}),
            (Values{0xf00}));
  EXPECT_EQ(two("prmt.b32 %out, %in0, %in1, 0x7610;", "b32", {0x33221100},
                {0x77665544}),
            (Values{0x77661100}));
  EXPECT_EQ(one("prmt.b32 %out, %in0, 0, 0xb;", "b32", "b32", {0x80000000})[0] &
                0xff,
            0xffu);
  EXPECT_EQ(two("lop3.b32 %out, %in0, %in1, 0xff00ff00, 0xe8;", "b32",
                {0xf0f0f0f0}, {0xcccccccc}),
            (Values{(0xf0f0f0f0u & 0xcccccccc) | (0xf0f0f0f0u & 0xff00ff00) |
                    (0xccccccccu & 0xff00ff00)}));
  EXPECT_EQ(one("clz.b32 %out, %in0;", "b32", "b32", {0, 1, 0xffffffff}),
            (Values{32, 31, 0}));
  EXPECT_EQ(one("bfind.s32 %out, %in0;", "b32", "b32",
                {0, 0xffffffff, 0xfffffff0, 8}),
            (Values{0xffffffff, 0xffffffff, 3, 3}));
  EXPECT_EQ(one("brev.b32 %out, %in0;", "b32", "b32", {1}),
            (Values{0x80000000}));
}

TEST(Bits, FunctionsThatAlsoTest) {
  auto code = [](const std::string &op, const std::string &q) {
    return "setp.eq.u32 %p1, %in1, 1;lop3." + op +
           ".b32 %r0|%p0, %in0, 0xff, 0, 0xc0, " + q +
           "; selp.u32 %r1, 256, 0, %p0; or.b32 %out, %r0, %r1;";
  };
  Values a = {0x1203, 0x1200, 0x1203, 0x1200}, q = {1, 1, 0, 0};
  EXPECT_EQ(two(code("and", "%p1"), "b32", a, q), (Values{0x103, 0, 0x003, 0}));
  EXPECT_EQ(two(code("or", "%p1"), "b32", a, q),
            (Values{0x103, 0x100, 0x103, 0}));
  EXPECT_EQ(two(code("or", "!%p1"), "b32", a, q),
            (Values{0x103, 0, 0x103, 0x100}));
  EXPECT_EQ(
      two("setp.ne.u32 %p1, %in1, %in1; lop3.or.b32 _|%p1, %in0, 0xff, 0, "
          "0xc0, %p1; selp.u32 %out, 1, 0, %p1;",
          "b32", a, q),
      (Values{1, 0, 1, 0}));
}

TEST(Float, MagnitudesWithTheSignOfAProduct) {
  // Checked on an H100, as are those of f16.
  uint64_t nan = 0xffc00000, x = bits(-2.0f), y = bits(3.0f), tiny = 0x80000001;
  EXPECT_EQ(two("min.xorsign.abs.f32 %out, %in0, %in1;", "b32",
                {x, x, nan, nan}, {y, x, x, nan}),
            (Values{x, bits(2.0f), bits(2.0f), 0x7fffffff}));
  EXPECT_EQ(two("max.ftz.NaN.xorsign.abs.f32 %out, %in0, %in1;", "b32",
                {x, tiny, nan}, {y, tiny, x}),
            (Values{bits(-3.0f), 0, 0x7fffffff}));
  EXPECT_EQ(two("min.ftz.xorsign.abs.f16 %out, %in0, %in1;", "b16",
                {0x8001, 0xfe00, 0xfe00}, {0x4000, 0xc000, 0x7e00}),
            (Values{0x8000, 0x4000, 0x7fff}));
  EXPECT_EQ(two("max.ftz.NaN.f16x2 %out, %in0, %in1;", "b32", {0x7e000001},
                {0x3c008001}),
            (Values{0x7fff0000}));
}

TEST(Float, RoundsAsAsked) {
  Values a = randomFloats(3, -10, 10), b = randomFloats(4, -1, 1);
  const std::pair<const char *, int> modes[] = {{"rn", FE_TONEAREST},
                                                {"rz", FE_TOWARDZERO},
                                                {"rm", FE_DOWNWARD},
                                                {"rp", FE_UPWARD}};
  for (auto [name, mode] : modes)
    for (const char *op : {"add", "mul", "div"}) {
      Values out = two(std::string(op) + "." + name + ".f32 %out, %in0, %in1;",
                       "b32", a, b);
      std::fesetround(mode);
      for (size_t i = 0; i < 32; ++i) {
        volatile float x = valueOf<float>(a[i]), y = valueOf<float>(b[i]);
        volatile float z = op[0] == 'a' ? x + y : op[0] == 'm' ? x * y : x / y;
        EXPECT_EQ(out[i], bits(float(z))) << op << "." << name;
      }
      std::fesetround(FE_TONEAREST);
    }
}

TEST(Float, NanZeroAndSaturation) {
  uint64_t nan = 0x7fc00001, zero = 0, minus = 0x80000000, big = bits(5.0f);
  EXPECT_EQ(two("min.f32 %out, %in0, %in1;", "b32", {nan, zero, minus, nan},
                {big, minus, zero, nan}),
            (Values{big, minus, minus, 0x7fffffff}));
  EXPECT_EQ(
      two("max.NaN.f32 %out, %in0, %in1;", "b32", {nan, zero}, {big, minus}),
      (Values{0x7fffffff, zero}));
  EXPECT_EQ(two("add.sat.f32 %out, %in0, %in1;", "b32", {nan, big, bits(-1.0f)},
                {big, big, zero}),
            (Values{0, bits(1.0f), 0}));
  EXPECT_EQ(two("mul.ftz.f32 %out, %in0, %in1;", "b32", {1, bits(1e-30f)},
                {bits(1.0f), bits(-1e-10f)}),
            (Values{0, 0x80000000}));
  EXPECT_EQ(one("neg.f32 %out, %in0;", "b32", "b32", {zero}), (Values{minus}));
  EXPECT_EQ(two("fma.rn.f32 %out, %in0, %in1, %in1;", "b32", {bits(1e30f)},
                {bits(1e30f)}),
            (Values{0x7f800000}));
}

TEST(Float, ApproximationsAreWithinTheirErrors) {
  Values a = randomFloats(5, 0.01f, 20);
  struct Row {
    const char *op;
    double (*f)(double);
  };
  const Row rows[] = {
      {"ex2.approx.f32", [](double x) { return std::exp2(x); }},
      {"lg2.approx.f32", [](double x) { return std::log2(x); }},
      {"rcp.approx.f32", [](double x) { return 1 / x; }},
      {"sqrt.approx.f32", [](double x) { return std::sqrt(x); }},
      {"rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); }},
      {"tanh.approx.f32", [](double x) { return std::tanh(x); }}};
  for (const Row &row : rows) {
    Values out = one(std::string(row.op) + " %out, %in0;", "b32", "b32", a);
    for (size_t i = 0; i < 32; ++i) {
      double exact = row.f(valueOf<float>(a[i]));
      EXPECT_NEAR(valueOf<float>(out[i]), exact,
                  std::fabs(exact) * 0x1p-22 + 1e-30)
          << row.op;
    }
  }
}

TEST(Float, ConstantsOfEitherWidth) {
  EXPECT_EQ(one("mov.f64 %g0, 0d4008000000000000; cvt.rn.f32.f64 %f0, %g0;"
                "mov.f32 %f1, 0f40000000; mul.f32 %out, %f0, %f1;",
                "f32", "b32", {0}),
            (Values{bits(6.0f)}));
}

TEST(Half, RoundsOnce) {
  // 1 + 2^-11 lies between two halves and goes to the even one; a bit more goes
  // up.
  EXPECT_EQ(two("add.f16 %out, %in0, %in1;", "b16", {0x3c00, 0x3c01, 0x7bff},
                {0x1000, 0x1000, 0x7bff}),
            (Values{0x3c00, 0x3c02, 0x7c00}));
  // 65504 * 2^-24 + ...: the product is exact, the sum is rounded once.
  EXPECT_EQ(compute("fma.rn.f16 %out, %in0, %in1, %in2;", "b16",
                    {"b16", "b16", "b16"}, {{0x3c01}, {0x3c01}, {0x0001}}),
            (Values{0x3c02}));
  EXPECT_EQ(
      two("mul.f16x2 %out, %in0, %in1;", "b32", {0x40003c00}, {0x42004200}),
      (Values{0x46004200}));
  EXPECT_EQ(two("max.NaN.bf16 %out, %in0, %in1;", "b16", {0x7fc0, 0x3f80},
                {0x3f80, 0x4000}),
            (Values{0x7fff, 0x4000}));
  EXPECT_EQ(two("fma.rn.relu.bf16x2 %out, %in0, %in1, %in1;", "b32",
                {0xbf803f80}, {0x40004000}),
            (Values{0x00004080}));
}

TEST(Half, NothingComesFromOutsideOfATensor) {
  // As on an H100.
  EXPECT_EQ(compute("fma.rn.oob.f16 %out, %in0, %in1, %in2;", "b16",
                    {"b16", "b16", "b16"},
                    {{0x7ff7, 0x3c00, 0x7ff6, 0x4000, 0x3c00, 0x7ff7},
                     {0x4000, 0xfff7, 0x4000, 0x4000, 0x3c00, 0x7c00},
                     {0x3c00, 0xc000, 0x3c00, 0xc800, 0x7ff7, 0x7fff}}),
            (Values{0, 0, 0x7fff, 0xc400, 0x7fff, 0}));
  EXPECT_EQ(two("fma.rn.oob.relu.bf16x2 %out, %in0, %in1, %in1;", "b32",
                {0x7ff7bfff}, {0x40004000}),
            (Values{0}));
}

TEST(Convert, Packed) {
  Values a = {300, uint32_t(-5), 7}, b = {uint32_t(-200), 100, 70000};
  EXPECT_EQ(
      two("cvt.pack.sat.u8.s32.b32 %out, %in0, %in1, 0x1234abcd;", "b32", a, b),
      (Values{0xabcdff00, 0xabcd0064, 0xabcd07ff}));
  EXPECT_EQ(
      two("cvt.pack.sat.s4.s32.b32 %out, %in0, %in1, 0xabcd;", "b32", a, b),
      (Values{0xabcd78, 0xabcdb7, 0xabcd77}));
  EXPECT_EQ(two("cvt.pack.sat.s16.s32 %out, %in0, %in1;", "b32", a, b),
            (Values{0x012cff38, 0xfffb0064, 0x00077fff}));
  EXPECT_EQ(two("cvt.pack.sat.u16.s32 %out, %in0, %in1;", "b32", a, b),
            (Values{0x012c0000, 0x00000064, 0x0007ffff}));
}

TEST(Convert, SaturatesToTheLargestNumber) {
  Values a = {0x7f800000, bits(-1e9f), 0x7fc00000, bits(2.0f)};
  EXPECT_EQ(one("cvt.rn.satfinite.f16.f32 %out, %in0;", "b16", "b32", a),
            (Values{0x7bff, 0xfbff, 0x7fff, 0x4000}));
  EXPECT_EQ(one("cvt.rn.relu.satfinite.bf16.f32 %out, %in0;", "b16", "b32", a),
            (Values{0x7f7f, 0, 0x7fff, 0x4000}));
  EXPECT_EQ(one("cvt.rna.satfinite.tf32.f32 %out, %in0;", "b32", "b32",
                {0xff800000, 0x7f7fffff}),
            (Values{0xff7fe000, 0x7f7fe000}));
}

TEST(Convert, FloatsToIntegers) {
  Values a = {bits(2.5f),  bits(-2.5f), bits(3e9f),
              bits(-3e9f), 0x7fc00000,  bits(0.4f)};
  EXPECT_EQ(one("cvt.rni.s32.f32 %out, %in0;", "b32", "b32", a),
            (Values{2, uint32_t(-2), 0x7fffffff, 0x80000000, 0, 0}));
  EXPECT_EQ(one("cvt.rzi.u32.f32 %out, %in0;", "b32", "b32", a),
            (Values{2, 0, 3000000000, 0, 0, 0}));
  EXPECT_EQ(one("cvt.rpi.s32.f32 %out, %in0;", "b32", "b32", a)[5], 1u);
}

TEST(Convert, NarrowAndWide) {
  EXPECT_EQ(one("cvt.s32.s8 %out, %in0;", "b32", "b32", {0x1ff, 0x7f}),
            (Values{0xffffffff, 0x7f}));
  EXPECT_EQ(
      one("cvt.sat.u8.s32 %out, %in0;", "b32", "b32", {300, uint32_t(-5), 7}),
      (Values{255, 0, 7}));
  EXPECT_EQ(one("cvt.rn.f16.f32 %out, %in0;", "b16", "b32",
                {bits(1.0f), bits(65520.0f), bits(65519.0f), bits(1e-8f),
                 bits(6e-8f), 0x7fc00000}),
            (Values{0x3c00, 0x7c00, 0x7bff, 0, 1, 0x7fff}));
  EXPECT_EQ(one("cvt.rz.bf16.f32 %out, %in0;", "b16", "b32", {0x3f80ffff}),
            (Values{0x3f80}));
  EXPECT_EQ(one("cvt.rna.tf32.f32 %out, %in0;", "b32", "b32",
                {0x3f801000, 0x3f800fff}),
            (Values{0x3f802000, 0x3f800000}));
  EXPECT_EQ(two("cvt.rn.f16x2.f32 %out, %in0, %in1;", "b32", {bits(2.0f)},
                {bits(1.0f)}),
            (Values{0x40003c00}));
  EXPECT_EQ(one("cvt.rm.f32.s64 %out, %in0;", "b32", "b64", {0x1000001}),
            (Values{bits(16777216.0f)}));
  EXPECT_EQ(one("cvt.rp.f32.s64 %out, %in0;", "b32", "b64", {0x1000001}),
            (Values{bits(16777218.0f)}));
  EXPECT_EQ(one("cvt.f64.f32 %out, %in0;", "b64", "b32", {bits(0.1f)}),
            (Values{bits(double(0.1f))}));
  EXPECT_EQ(
      two("cvt.rn.satfinite.e4m3x2.f32 %b0, %in0, %in1; cvt.u32.u16 %out, %b0;",
          "b32", {bits(448.0f)}, {bits(1.0f)}),
      (Values{0x7e38}));
}

TEST(Compare, UnorderedAndCombined) {
  uint64_t nan = 0x7fc00000, x = bits(1.0f), y = bits(2.0f);
  auto test = [&](const std::string &name) {
    return two("setp." + name +
                   ".f32 %p0, %in0, %in1; selp.u32 %out, 1, 0, %p0;",
               "b32", {x, y, nan}, {y, x, x});
  };
  EXPECT_EQ(test("lt"), (Values{1, 0, 0}));
  EXPECT_EQ(test("geu"), (Values{0, 1, 1}));
  EXPECT_EQ(test("neu"), (Values{1, 1, 1}));
  EXPECT_EQ(test("nan"), (Values{0, 0, 1}));
  EXPECT_EQ(
      two("setp.eq.u32 %p1, %in0, 1; setp.lt.and.s32 %p0|%p2, %in0, %in1, !%p1;"
          "selp.u32 %r0, 1, 0, %p0; selp.u32 %r1, 2, 0, %p2; or.b32 %out, %r0, "
          "%r1;",
          "b32", {0, 1, 5}, {3, 3, 3}),
      (Values{1, 0, 2}));
}

TEST(Compare, ToNumbers) {
  Values a = {1, uint32_t(-1)}, b = {2, 0};
  for (auto [types, yes] : {std::pair("f16.s32", 0x3c00),
                            {"bf16.s32", 0x3f80},
                            {"f16.u32", 0x3c00}}) {
    Values out = compute(std::string("set.lt.") + types + " %out, %in0, %in1;",
                         "b16", {"b32", "b32"}, {a, b});
    bool isSigned = std::string(types).back() == '2' &&
                    std::string(types).find('s') != std::string::npos;
    EXPECT_EQ(out, (Values{uint64_t(yes), isSigned ? uint64_t(yes) : 0}));
  }
  // 1 is a subnormal f16, and 0 when it is flushed.
  EXPECT_EQ(
      two("set.gt.ftz.s16.f16 %out, %in0, %in1;", "b16", {1, 0x3c00}, {0, 0}),
      (Values{0, 0xffff}));
  EXPECT_EQ(compute("set.eq.f32.u64 %out, %in0, %in1;", "b32", {"b64", "b64"},
                    {{1ull << 40, 0}, {1ull << 40, 1ull << 40}}),
            (Values{bits(1.0f), 0}));
  EXPECT_EQ(two("set.ltu.ftz.f16x2.f16x2 %out, %in0, %in1;", "b32",
                {0x7e000001}, {0x3c000002}),
            (Values{0x3c000000}));
}

TEST(Control, LanesMeetWhereAJumpLeadsBack) {
  // Most lanes vote first; lane 0 comes from behind.
  EXPECT_EQ(one("setp.ne.s32 %p1, %lane, 0; mov.u32 %r0, -1;\n"
                "@%p1 bra MEET;\nbra FAR;\n"
                "MEET: vote.sync.ballot.b32 %out, %p1, %r0;\nbra END;\n"
                "FAR: mov.u32 %r1, %in0;\nbra MEET;\nEND:",
                "b32", "b32", Values(32, 1)),
            Values(32, 0xfffffffe));
}

TEST(Unsupported, IsAnErrorNeverIgnored) {
  for (const char *code :
       {"frobnicate.u32 %out, %in0;", "add.fancy.u32 %out, %in0, %in0;",
        "mov.u32 %out, %clock_fancy;"})
    EXPECT_THROW(one(code, "b32", "b32", {1}), Error) << code;
  try {
    one("vadd2.u32.u32.u32 %out, %in0, %in0, %in0;", "b32", "b32", {1});
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind, Error::Unsupported);
    EXPECT_NE(std::string(error.what()).find("vadd2"), std::string::npos);
  }
}

} // namespace
