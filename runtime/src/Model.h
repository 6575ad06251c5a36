// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_RUNTIME_MODEL_H
#define FUSEC_RUNTIME_MODEL_H

#include <mutex>

#include "DeviceModel.h"
#include "Weights.h"

namespace fusec::rt {

/// The variants of a group, for `isa`, which the model is compiled for, where
/// kernels are for CPUs.
inline const fusec_variant_list &variantsOf(const fusec_model_desc &desc,
                                            fusec_isa isa, uint32_t group) {
  const fusec_variant_list *own = desc.groups[group].variants;
  return own           ? *own
         : desc.device ? *desc.device->variants[group]
                       : *desc.kernels[isa][group];
}

} // namespace fusec::rt

struct fusec_model {
  const fusec_model_desc *desc = nullptr;
  fusec_log_fn log = nullptr;
  void *logSelf = nullptr;

  mutable std::mutex mutex;              // guards what follows
  fusec::rt::Weights *weights = nullptr; ///< of the sessions to come
  fusec::rt::DeviceModel *devices = nullptr;
  fusec_device *opened = nullptr; ///< for sessions that are given none
  void (*close)(fusec_device *) = nullptr;

  ~fusec_model();

  /// Gives the model weights, for sessions that are created from now on; see
  /// Weights::open. Where that fails it keeps those that it has.
  fusec_status takeWeights(const char *path, const fusec_model_options &options,
                           bool readsAll, fusec::rt::Error &error);
  /// The weights that it has, which stay until they are left.
  fusec::rt::Weights *useWeights() const;
  void leaveWeights(fusec::rt::Weights *used) const;

  /// The code and the weights `of` on a device, made for the first session
  /// there with these weights and gone with the last that leaves it, and the
  /// kernels of `target` there.
  fusec_status
  useDevice(const fusec_model_desc &target, const fusec_device &device,
            const fusec_device_image &image, const fusec::rt::Weights &of,
            void *stream, fusec::rt::DeviceKernels &kernels,
            fusec::rt::DeviceModel *&result, fusec::rt::Error &error);
  void leaveDevice(fusec::rt::DeviceModel *used);

  /// A device of this machine, opened on first use.
  fusec_status openDevice(const fusec_device_desc &by,
                          const fusec_device *&device, fusec::rt::Error &error);

  void remark(const char *format, ...) __attribute__((format(printf, 2, 3)));
};

#endif
