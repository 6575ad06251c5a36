// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an emitted host program for a device calls. Pointers are to memory of
// the device, which the host reckons with and never reads, but for those of
// host_arena and host_weight. A step behind one that failed does nothing, but
// that a copy to the host leaves zeros, by which a loop for a condition or a
// count of the device ends; `finish_run` says what failed.
#ifndef FUSEC_DEVICE_HOST_H
#define FUSEC_DEVICE_HOST_H

#include "fusec/run.h"

#ifdef FUSEC_HOST_H
#error "a host program is for CPUs (fusec/host.h) or for a device"
#endif

namespace fusec {

namespace detail {
template <typename Signature> struct Launch;
template <typename... Operands> struct Launch<void(Operands...)> {
  static void run(const fusec_run_ctx *run, uint32_t index,
                  Operands... operands) {
    const void *const pointers[] = {operands...};
    run->device->launch(run->device->self, index, pointers);
  }
};
template <typename T> struct Value { using type = T; };
} // namespace detail

/// Launches the chosen variant of launch `index`, whose operands are those of
/// `Signature`.
template <typename Signature, typename... Args>
inline void launch(const fusec_run_ctx *run, uint32_t index, Args... args) {
  detail::Launch<Signature>::run(run, index, args...);
}

/// The temporary `offset` bytes into the arena of the host.
template <typename T>
inline T *host_arena(const fusec_run_ctx *run, uint64_t offset) {
  return reinterpret_cast<T *>(static_cast<char *>(run->device->arena) +
                               offset);
}

/// The weight `offset` bytes into the weights file, on the host.
template <typename T>
inline const T *host_weight(const fusec_run_ctx *run, uint64_t offset) {
  return reinterpret_cast<const T *>(
      static_cast<const char *>(run->device->weights) + offset);
}

inline void copy_on_device(const fusec_run_ctx *run, void *to, const void *from,
                           uint64_t bytes) {
  run->device->copy(run->device->self, to, from, bytes, FUSEC_COPY_ON_DEVICE);
}

inline void copy_to_device(const fusec_run_ctx *run, void *to, const void *from,
                           uint64_t bytes) {
  run->device->copy(run->device->self, to, from, bytes, FUSEC_COPY_TO_DEVICE);
}

/// Waits until the bytes are there.
inline void copy_to_host(const fusec_run_ctx *run, void *to, const void *from,
                         uint64_t bytes) {
  run->device->copy(run->device->self, to, from, bytes, FUSEC_COPY_TO_HOST);
}

template <typename T>
inline void fill_device(const fusec_run_ctx *run, T *to, uint64_t count,
                        typename detail::Value<T>::type value) {
  run->device->fill(run->device->self, to, &value, sizeof(T), count);
}

/// Whether all steps went well: what `run` returns.
inline int32_t finish_run(const fusec_run_ctx *run) {
  return run->device->status(run->device->self);
}

} // namespace fusec

// The image of a build that has made one, and who opens a GPU for it;
// fusec_add_device_kernels says so.
#ifdef FUSEC_HAS_DEVICE_IMAGE
#include "fusec/cuda_driver.h"
#define FUSEC_DEVICE_IMAGE(model) &fusec_##model##_kernels_image
#define FUSEC_DEVICE_OPEN                                                      \
  [](fusec_device **device) {                                                  \
    return fusec_cuda_device_create(nullptr, device);                          \
  }
#define FUSEC_DEVICE_CLOSE fusec_cuda_device_destroy
#else
#define FUSEC_DEVICE_IMAGE(model) nullptr
#define FUSEC_DEVICE_OPEN nullptr
#define FUSEC_DEVICE_CLOSE nullptr
#endif

#endif
