// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bodies the vocabulary uses, and the macros that emitted kernels use.
//
// FUSEC_ISA       names the instruction set that this object is compiled for,
//                 and the inline namespace; the build passes it.
// FUSEC_PORTABLE  define it to get the portable bodies on any machine.
// FUSEC_LANES     32-bit lanes of a native vector, of which 16-lane values have
//                 16 / FUSEC_LANES parts; 0: there are scalars only.
#ifndef FUSEC_KERNEL_CONFIG_H
#define FUSEC_KERNEL_CONFIG_H

#include "fusec/element.h"

#if defined(__CUDACC__)
#include "fusec/cuda/config.h"
#else

#include "fusec/abi.h"

#define FUSEC_ISA_NS FUSEC_ISA

// g++ up to 12.3 and 13.1 vectorises sums of floats whose elements come in
// another order than they lie in memory, and takes some twice, others never
// (GCC PR 110381). Kernels have their vectors in their text; so g++ is to leave
// loops as they are, here and not in the build's flags, which are the user's
// where he builds by himself.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-vectorize")
#endif

// What a model asks may have one answer (x == 0 && x > 0, a uint8 below 0),
// which is no mistake in the text of its kernel.
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
#endif

// Where optimisation is not the matter, -O0 -DFUSEC_INLINE=inline compiles in a
// quarter of the time: the vocabulary is compiled once, not at each use.
#ifndef FUSEC_INLINE
#define FUSEC_INLINE __attribute__((always_inline)) inline
#endif
// What is called seldom, and is long where it is inlined. Its name stays in the
// object: models that are linked together may bring headers of two versions.
#define FUSEC_OUT_OF_LINE static __attribute__((noinline))
// Of a table that functions look up in.
#define FUSEC_TABLE alignas(64) constexpr
#define FUSEC_RESTRICT __restrict__

// Full unrolling, so that arrays indexed by the loop variable become registers.
// Where the bounds turn out not to be constant, the loop stays a loop; clang
// would warn of that.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define FUSEC_UNROLL _Pragma("clang loop unroll(full)")
#define FUSEC_ROLL _Pragma("clang loop unroll(disable)")
#else
#define FUSEC_UNROLL _Pragma("GCC unroll 64")
#define FUSEC_ROLL _Pragma("GCC unroll 1")
#endif

// Whether scalar multiply-adds round once.
#if defined(__FMA__) && !defined(FUSEC_PORTABLE)
#define FUSEC_FUSED 1
#else
#define FUSEC_FUSED 0
#endif
// A function of the C library.
#define FUSEC_LIBM(name) __builtin_##name

#define FUSEC_INF __builtin_inff()
#define FUSEC_NAN __builtin_nanf("")

// What the table of another object names, one of the same instruction set.
#define FUSEC_HIDDEN __attribute__((visibility("hidden")))

// The kernel table of this object, and the kernels of its variants. The cast
// checks that a kernel has the signature that the host program calls it with.
#define FUSEC_CONCAT_(a, b) a##b
#define FUSEC_CONCAT(a, b) FUSEC_CONCAT_(a, b)
#define FUSEC_KERNEL_TABLE(model) FUSEC_CONCAT(model##_kernels_, FUSEC_ISA)
#define FUSEC_KERNEL(type, function)                                           \
  reinterpret_cast<fusec_kernel_fn>(static_cast<type *>(&function))

// The first of these that the processor is known to have. README.md says what
// is in such a file.
#if defined(FUSEC_PORTABLE)
#include "fusec/kernel/isa/portable.h"
#elif defined(__AVX512F__) && defined(__AVX512BW__) &&                         \
    defined(__AVX512DQ__) && defined(__AVX512VL__)
#include "fusec/kernel/isa/avx512.h"
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include "fusec/kernel/isa/avx2.h"
#elif defined(__SSE2__)
#include "fusec/kernel/isa/sse2.h"
#else
#include "fusec/kernel/isa/portable.h"
#endif

// Kernels that some instruction sets take ask for these.
#ifndef FUSEC_AVX512
#define FUSEC_AVX512 0
#endif
#ifndef FUSEC_AVX2
#define FUSEC_AVX2 0
#endif

#endif // !__CUDACC__

#endif
