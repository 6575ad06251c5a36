// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What emitted host programs of every target call: pointers, and routines of
// the library.
#ifndef FUSEC_RUN_H
#define FUSEC_RUN_H

#include "fusec/abi.h"
#include "fusec/element.h"

namespace fusec {

template <typename T>
inline const T *input(const fusec_run_ctx *run, uint32_t index) {
  return static_cast<const T *>(run->inputs[index]);
}

template <typename T>
inline T *output(const fusec_run_ctx *run, uint32_t index) {
  return static_cast<T *>(run->outputs[index]);
}

/// The weight `offset` bytes into the weights file.
template <typename T>
inline const T *weight(const fusec_run_ctx *run, uint64_t offset) {
  return reinterpret_cast<const T *>(static_cast<const char *>(run->weights) +
                                     offset);
}

/// The temporary `offset` bytes into the arena.
template <typename T>
inline T *arena(const fusec_run_ctx *run, uint64_t offset) {
  return reinterpret_cast<T *>(static_cast<char *>(run->arena) + offset);
}

/// The weights of launch `index` as its variant packed them, or null.
template <typename T>
inline const T *packed(const fusec_run_ctx *run, uint32_t index) {
  return static_cast<const T *>(run->packed[index]);
}

/// Does `body`, which calls a routine of the library, as the step `index`.
template <typename Body>
inline void call(const fusec_run_ctx *run, uint32_t index, Body body) {
  const fusec_profile_hook *profile = run->profile;
  if (profile)
    profile->begin(profile->self, index);
  body();
  if (profile)
    profile->end(profile->self, index);
}

} // namespace fusec

// The weights that this build has put into the program, which
// fusec_embed_weights does.
#ifdef FUSEC_HAS_WEIGHTS
#define FUSEC_WEIGHTS(model) fusec_##model##_weights
#else
#define FUSEC_WEIGHTS(model) nullptr
#endif

#endif
