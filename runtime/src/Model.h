// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_RUNTIME_MODEL_H
#define FUSEC_RUNTIME_MODEL_H

#include <mutex>

#include "DeviceModel.h"
#include "Memory.h"

namespace fusec::rt {

/// The weights of one launch as one variant wants them; made once per model.
struct Packed {
  uint32_t launch = 0;
  const fusec_variant_desc *variant = nullptr;
  Mapping memory;
  Packed *next = nullptr;
};

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
  const void *weights = nullptr;
  fusec::rt::Mapping file;
  fusec_log_fn log = nullptr;
  void *logSelf = nullptr;

  std::mutex mutex; // guards what follows
  fusec::rt::Packed *packed = nullptr;
  fusec::rt::DeviceModel *devices = nullptr;
  fusec_device *opened = nullptr; ///< for sessions that are given none
  void (*close)(fusec_device *) = nullptr;

  ~fusec_model();

  /// The packed weights for `launch` by `variant`, made on first use.
  fusec_status packedWeights(uint32_t launch, const fusec_variant_desc &variant,
                             const void **data, fusec::rt::Error &error);

  /// The code and weights on a device, made for the first session there and
  /// gone with the last that leaves it, and the kernels of `target` there.
  fusec_status useDevice(const fusec_model_desc &target,
                         const fusec_device &device,
                         const fusec_device_image &image, void *stream,
                         fusec::rt::DeviceKernels &kernels,
                         fusec::rt::DeviceModel *&result,
                         fusec::rt::Error &error);
  void leaveDevice(fusec::rt::DeviceModel *used);

  /// A device of this machine, opened on first use.
  fusec_status openDevice(const fusec_device_desc &by,
                          const fusec_device *&device, fusec::rt::Error &error);

  void remark(const char *format, ...) __attribute__((format(printf, 2, 3)));
};

#endif
