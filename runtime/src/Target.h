// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of the targets of a model a session takes.
#ifndef FUSEC_RUNTIME_TARGET_H
#define FUSEC_RUNTIME_TARGET_H

#include "Error.h"
#include "fusec/device.h"

struct fusec_model;

namespace fusec::rt {

struct Target {
  const fusec_model_desc *desc = nullptr;
  const fusec_device *device = nullptr; ///< null: the kernels are for CPUs
};

/// Of a model, that of target and entry number `number`: the descriptor itself,
/// then its others.
inline const fusec_model_desc &getTarget(const fusec_model_desc &desc,
                                         uint32_t number) {
  return number ? *desc.others[number - 1] : desc;
}

/// Of the targets that are for devices, the one of the highest architecture
/// that is not above `architecture`; of all, or those that are called `name`.
const fusec_model_desc *findForDevice(const fusec_model_desc &desc,
                                      uint32_t architecture,
                                      const char *name = nullptr);
/// The target for CPUs, unless it is not called `name`.
const fusec_model_desc *findForCpu(const fusec_model_desc &desc,
                                   const char *name = nullptr);

/// What a session with these options takes. It may open a device, which is the
/// model's.
fusec_status pickTarget(fusec_model &model,
                        const fusec_session_options &options, Target &target,
                        Error &error);

} // namespace fusec::rt

#endif
