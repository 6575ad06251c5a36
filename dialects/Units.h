// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units: the ways in which a processor adds products to sums, by vectors or by
// matrices.
#ifndef FUSEC_DIALECTS_UNITS_H
#define FUSEC_DIALECTS_UNITS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace fusec {

/// An instruction that adds products to the sums in the lanes of a vector: one
/// factor of a step is the same for all lanes, the other has a value for each.
struct Unit {
  /// The name by which configs call it.
  llvm::StringLiteral name;
  /// Products that one step adds to each lane. The terms of a step lie side by
  /// side in as many bits as a sum has.
  int64_t terms;
  /// Bits of a factor, an integer, and of a sum, which wraps; 0 where both are
  /// of whichever type the lanes have.
  unsigned factorBits, sumBits;
  /// Whether one of the factors has no sign. Where it is false, the signs of
  /// both count.
  bool hasUnsigned;
  /// Whether the factors are bf16 and the sums f32 in place of integers. The
  /// terms of a step are added one after the other, the last one first, and
  /// subnormal numbers count as zeros.
  bool isFloat = false;
  /// An instruction set that has the unit as one instruction, beyond those that
  /// kernels are scheduled for, as `fusec_isa` calls it. Kernels that use the
  /// unit are compiled for it, too. Empty: there is none.
  llvm::StringLiteral isa = "";
  /// Multiply-adds in whose time the terms of a step are put together where
  /// they lie apart in lanes: what as many rows share, or as many steps follow,
  /// makes up for them. 0: it takes no longer than to load them.
  int64_t joining = 0;
  /// Rows of the factor that lanes share which are multiplied at a time. Where
  /// there are several, matrices lie in registers of their own: a step takes
  /// them and all terms of a loop, and adds to `lanes` columns of each.
  int64_t rows = 1;
  /// How many times as many products it adds in a cycle as a unit that adds
  /// the same terms to lanes.
  double speed = 1;

  /// Whether it multiplies whole matrices in place of vectors.
  constexpr bool hasTiles() const { return rows > 1; }
};

/// A multiply-add of lanes, which every instruction set has.
inline constexpr Unit kFmaUnit = {"fma", /*terms=*/1, /*factorBits=*/0,
                                  /*sumBits=*/0, /*hasUnsigned=*/false};
/// Two products of 16-bit integers for each sum of 32 bits: VPMADDWD and
/// VPADDD of x86-64.
inline constexpr Unit kPairsUnit = {"pairs", /*terms=*/2, /*factorBits=*/16,
                                    /*sumBits=*/32, /*hasUnsigned=*/false};
/// Four products of 8-bit integers for each sum of 32 bits: VPDPBUSD of x86-64
/// with VNNI, else what VPMADDWD and VPADDD make of both halves. No sum of two
/// products is rounded to 16 bits on the way.
inline constexpr Unit kQuadsUnit = {"quads",
                                    /*terms=*/4,
                                    /*factorBits=*/8,
                                    /*sumBits=*/32,
                                    /*hasUnsigned=*/true,
                                    /*isFloat=*/false,
                                    /*isa=*/"avx512vnni"};
/// Two products of bf16 for each sum in f32: VDPBF16PS of x86-64 with AVX-512
/// and BF16, else two multiply-adds and what makes zeros of subnormal numbers.
/// It stands in rows of processors that begin as many in a cycle as
/// multiply-adds: others take twice as long for it, or longer.
inline constexpr Unit kBf16PairsUnit = {"bf16_pairs",
                                        /*terms=*/2,
                                        /*factorBits=*/16,
                                        /*sumBits=*/32,
                                        /*hasUnsigned=*/false,
                                        /*isFloat=*/true,
                                        /*isa=*/"avx512bf16",
                                        /*joining=*/4};
/// Matrices of 8-bit integers: TDPBUSD of x86-64 with AMX, 16 rows, 16 columns
/// and 64 terms in 16 cycles, else what `quads` does.
inline constexpr Unit kQuadTilesUnit = {"quad_tiles",
                                        /*terms=*/4,
                                        /*factorBits=*/8,
                                        /*sumBits=*/32,
                                        /*hasUnsigned=*/true,
                                        /*isFloat=*/false,
                                        /*isa=*/"amx",
                                        /*joining=*/0,
                                        /*rows=*/16,
                                        /*speed=*/8};
/// Matrices of bf16: TDPBF16PS of x86-64 with AMX, 16 rows, 16 columns and 32
/// terms in 16 cycles. Of each 32 terms those at even and at odd places are
/// summed apart, from zero on, and their sum is added to that of the ones
/// before. Other instruction sets compute the same bits, and take longer for it
/// than for any other unit.
inline constexpr Unit kBf16TilesUnit = {"bf16_tiles",
                                        /*terms=*/2,
                                        /*factorBits=*/16,
                                        /*sumBits=*/32,
                                        /*hasUnsigned=*/false,
                                        /*isFloat=*/true,
                                        /*isa=*/"amx",
                                        /*joining=*/0,
                                        /*rows=*/16,
                                        /*speed=*/16};

/// An instruction by which the threads of a warp multiply two matrices and add
/// the product to one of 32 bits, which lies in their registers: of `rows`
/// times `columns` sums each thread has those of two rows and two columns.
struct MatrixUnit {
  /// The name by which configs call it.
  llvm::StringLiteral name;
  /// The element type of both factors; of integers, each may also be of those
  /// without a sign.
  llvm::StringLiteral factors;
  llvm::StringLiteral sums;
  /// Bytes of an element of a factor. Where it is one, the terms of both
  /// factors lie side by side: an instruction that turns a matrix moves two.
  int64_t bytes;
  /// Threads of a warp along rows and along columns of the sums. Neighbouring
  /// threads have neighbouring rows; the rows and columns of one thread are as
  /// far apart as there are threads along them.
  int64_t rowThreads, columnThreads;
  /// Products that one step adds to each sum.
  int64_t terms;
  /// The type of what the instruction multiplies, where that is narrower than
  /// the factors: each is the sum of two such numbers then, nearly, and a step
  /// is `products` instructions. Empty: the factors' own.
  llvm::StringLiteral parts = "";
  int64_t products = 1;

  /// Whether products are those of the factors, to the last bit of the sums.
  constexpr bool isExact() const { return parts.empty(); }
  constexpr int64_t rows() const { return 2 * rowThreads; }
  constexpr int64_t columns() const { return 2 * columnThreads; }
  bool takes(llvm::StringRef factor) const {
    return factor == factors || (factors == "i8" && factor == "ui8");
  }
};

/// mma.sync.m16n8k16 of PTX, whose matrix of 16 rows is the one of columns
/// here: what neighbouring threads of a group of 8 store lies side by side.
inline constexpr MatrixUnit kMmaF16Unit = {"mma_f16",           "f16", "f32",
                                           /*bytes=*/2,
                                           /*rowThreads=*/4,
                                           /*columnThreads=*/8,
                                           /*terms=*/16};
inline constexpr MatrixUnit kMmaBf16Unit = {"mma_bf16",          "bf16", "f32",
                                            /*bytes=*/2,
                                            /*rowThreads=*/4,
                                            /*columnThreads=*/8,
                                            /*terms=*/16};
/// mma.sync.m16n8k32, whose sums are exact.
inline constexpr MatrixUnit kMmaS8Unit = {"mma_s8",
                                          "i8",
                                          "i32",
                                          /*bytes=*/1,
                                          /*rowThreads=*/4,
                                          /*columnThreads=*/8,
                                          /*terms=*/32};
/// mma.sync.m16n8k8 of tf32, three times: a number of f32 is one of tf32, which
/// has 11 bits, and one more that is rounded to as many. Of the four products
/// of two such sums the smallest is left out, about 2^-22 of the product.
inline constexpr MatrixUnit kMmaTf32x3Unit = {"mma_tf32x3",        "f32", "f32",
                                              /*bytes=*/4,
                                              /*rowThreads=*/4,
                                              /*columnThreads=*/8,
                                              /*terms=*/8,
                                              /*parts=*/"tf32",
                                              /*products=*/3};

} // namespace fusec

#endif // FUSEC_DIALECTS_UNITS_H
