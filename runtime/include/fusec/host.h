// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an emitted host program for CPUs calls. All of it is pointer arithmetic
// and indirect calls; nothing allocates or throws.
#ifndef FUSEC_HOST_H
#define FUSEC_HOST_H

#include "fusec/run.h"

namespace fusec {

/// Calls the chosen variant of launch `index`, whose signature is `Signature`.
template <typename Signature, typename... Args>
inline void launch(const fusec_run_ctx *run, uint32_t index, Args... args) {
  const fusec_profile_hook *profile = run->profile;
  if (profile)
    profile->begin(profile->self, index);
  reinterpret_cast<Signature *>(run->kernels[index])(run->kernel_ctx, args...);
  if (profile)
    profile->end(profile->self, index);
}

} // namespace fusec

// The tables that this build has compiled; fusec_add_kernels defines which.
#ifdef FUSEC_HAS_BASELINE_KERNELS
#define FUSEC_BASELINE_TABLE(model) model##_kernels_baseline
#else
#define FUSEC_BASELINE_TABLE(model) nullptr
#endif
#ifdef FUSEC_HAS_AVX2_KERNELS
#define FUSEC_AVX2_TABLE(model) model##_kernels_avx2
#else
#define FUSEC_AVX2_TABLE(model) nullptr
#endif
#ifdef FUSEC_HAS_AVX512_KERNELS
#define FUSEC_AVX512_TABLE(model) model##_kernels_avx512
#else
#define FUSEC_AVX512_TABLE(model) nullptr
#endif
#ifdef FUSEC_HAS_AVX512VNNI_KERNELS
#define FUSEC_AVX512VNNI_TABLE(model) model##_kernels_avx512vnni
#else
#define FUSEC_AVX512VNNI_TABLE(model) nullptr
#endif
#ifdef FUSEC_HAS_AVX512BF16_KERNELS
#define FUSEC_AVX512BF16_TABLE(model) model##_kernels_avx512bf16
#else
#define FUSEC_AVX512BF16_TABLE(model) nullptr
#endif
#ifdef FUSEC_HAS_AMX_KERNELS
#define FUSEC_AMX_TABLE(model) model##_kernels_amx
#else
#define FUSEC_AMX_TABLE(model) nullptr
#endif

#endif
